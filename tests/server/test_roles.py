"""Roles on a real server, without a browser: what forged cookies, addresses and messages get."""

import io
import re
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pages.server import access
from scoring.access.roles import Role
from scoring.boards.board import opened
from scoring.boards.hidden_truth import probing_notices
from scoring.boards.hidden_truth.visible_results import HiddenRules
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.store.database import open_store
from tests.browser import driver
from tests.support.hidden_boards import OPEN, good, hidden_board
from tests.support.provider import PEOPLE, cookie_of, secrets
from tests.support.visitor import Visitor, send

pytestmark = pytest.mark.soak
REFUSED = b"This page is for"
CANARY = b"canary"
MEDIA = re.compile(rb"/media/[0-9a-f]+\.\w+")
TURNS = 400
LOG = "server.log"


@dataclass(frozen=True)
class Place:
    """A server where people log in, with the hidden board "h"."""

    address: str
    folder: Path

    def cookie(self, sub: str, **more: object) -> str:
        """Return the cookie of somebody; more: claims."""
        now = time.time()
        known = {"iss": "https://idp", "sub": sub, "iat": now - 9, "exp": now + 999}
        return cookie_of({**known, **PEOPLE.get(sub, {}), **more}, self.address)


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[Place]:
    folder, port = tmp_path_factory.mktemp("roles"), driver.free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
        patch.setenv("BENCHSIDE_STORE", str(folder / "store"))
        hidden_board(folder, HiddenRules(), OPEN)
        file = secrets(folder, port, f"http://localhost:{driver.free_port()}")
        log = folder / LOG
        with driver.served("app.py", f"--secrets.files={file}", port=port, log=log) as started:
            yield Place(started.address, folder)


@pytest.fixture
def arrive(place) -> Iterator[Callable[..., Visitor]]:
    """Opens a page as somebody; sub: who, or None for a visitor."""
    arrived = []

    def come(sub: str | None, page: str = "board", cookie: str = "", **address: str) -> Visitor:
        login = cookie or (place.cookie(sub) if sub else "")
        arrived.append(Visitor(place.address, page, login=login, keep=True))
        arrived[-1].run(**address)
        return arrived[-1]

    yield come
    for one in arrived:
        one.close()


def until(one: Visitor, words: bytes) -> None:
    """Run a page until it says so."""
    for _ in range(TURNS):
        if words in one.content:
            return
        one.run()
    raise AssertionError(f"{words!r} was never said")


def hand_in(one: Visitor, data: bytes) -> None:
    """Submit a file on the tab that is open."""
    one.upload("p.csv", data, one.widget("own_file_h_file"))
    one.click(one.widget("own_submit"))


def test_cookies_that_are_forged_or_expired_are_nobodys(place, arrive):
    assert REFUSED not in arrive("olga", "about").content, "a true one is an organizer's"
    leaving = arrive("paul", "about")
    (log_out,) = leaving.widgets["button"]
    leaving.click(log_out)
    leaving.run()
    assert b"Log in to open it." in leaving.content
    assert told_of_addresses(place).keys() == {"refused-address"}, "who logs out has forged nothing"
    olga = PEOPLE["olga"] | {"iss": "https://idp", "sub": "olga", "iat": time.time(), "exp": time.time() + 9}
    unsigned, signed = cookie_of(olga, place.address, "k" * 40), place.cookie("paul")
    wrong = {
        "another secret": cookie_of(olga, place.address, "k" * 40),
        "another server": cookie_of(olga, "http://elsewhere:1"),
        "changed": ".".join([unsigned.rsplit(".", 2)[0], *signed.rsplit(".", 2)[1:]]),
        "expired": place.cookie("olga", exp=time.time() - 9 * 3600),
        "without end": place.cookie("olga", exp=None),
        "from the future": place.cookie("olga", iat=time.time() + 9999),
        "not signed": "x" * 390,
        "no address": place.cookie("olga", email_verified=False),
    }
    for what, cookie in wrong.items():
        assert REFUSED in arrive(None, "about", cookie).content, what
    told = told_of_addresses(place)
    assert told.keys() == {"refused-address", "ended-login", "forged-login"}
    assert "https://idp|olga" in told["refused-address"], "an address that the provider has not verified"


def told_of_addresses(place: Place) -> dict[str, str]:
    told: dict[str, str] = {}
    for one in probing_notices.address_notices(open_store_of(place)):
        told[one.code] = told.get(one.code, "") + one.message
    return told


def test_pages_by_name_and_by_the_hash_that_an_organizer_has(arrive):
    theirs = {name: arrive("olga", name if name != "overview" else "") for name in access.LEAST}
    for sub, role in ((None, Role.VISITOR), ("paul", Role.PARTICIPANT)):
        for name, seen in theirs.items():
            may = role >= access.LEAST[name]
            assert REFUSED not in seen.content
            by_name = arrive(sub, name if name != "overview" else "")
            assert (REFUSED in by_name.content) == (not may), (sub, name)
            by_hash = arrive(sub)
            by_hash.script = seen.script
            by_hash.run()
            if not may:
                assert not by_hash.widgets.get("file_uploader"), (sub, name)
                only = {text for text in seen.texts if len(text) > 20} - {*by_name.texts}
                assert not only & {*by_hash.texts}, (sub, name)


def test_a_forged_team_and_submission_are_refused_and_told(place, arrive):
    with_board = {"board": "h", "tab": "Submit"}
    paul = arrive("paul", **with_board)
    paul.choose(paul.widget("own_team_h"), "beta")
    paul.run()
    hand_in(paul, good(3))
    until(paul, b"Scored.")
    assert {one.team for one in board_ranking(opened(open_store_of(place), "h")).entries} == {"alpha"}
    max_ = arrive(None, cookie=place.cookie("max", groups=["lab"], email="max@example.org"), **with_board)
    assert b"own_team_h" in max_.content
    assert b"alpha" not in b"".join(text.encode() for text in max_.texts)


def test_no_frame_download_or_media_address_of_a_participant_holds_the_truth(place, arrive):
    """After an organizer has opened every tab: what is kept for one role is not for another. Nor does what
    the server writes to its log, which whoever looks after the machine reads."""
    for tab in ("Ranking", "Submissions", "Corrections", "Participants"):
        olga = arrive("olga", board="h", tab=tab)
    secret = [CANARY, b"truth.csv", sha256_of(place).encode()]
    theirs = b"".join(map(unpacked, map(olga.download, olga.later)))
    assert secret[1] in theirs, "the organizer's own zip names the test set"
    paul = arrive("paul", board="h", tab="Submit")
    for data in (good(7), good(8), b"nothing", good(7).replace(b"canary00", b"other")):
        hand_in(paul, data)
        until(paul, b"Scored." if data.startswith(b"filename,score\ncanary00") else b"refused-")
    seen = [paul.everything]
    for tab in ("Ranking", "History", "Submit"):
        for more in ({}, {"phase": OPEN.name}, {"view": "public"}):
            paul.run(board="h", tab=tab, **more)
    seen += [unpacked(paul.download(maker)) for maker in paul.later]
    assert len(paul.later) >= 2
    places = {one.decode() for one in MEDIA.findall(paul.everything)}
    seen += [send(place.address, one)[1].encode() for one in places]
    assert {one.rpartition(".")[2] for one in places} == {"html", "json"}, "no image of a test set"
    assert not {one for one in places if one.encode() in olga.everything}
    for page in access.LEAST:
        seen.append(arrive("paul", page if page != "overview" else "").everything)
    log = (place.folder / LOG).read_bytes()
    assert log, "the server says where it is"
    everything = b"\0".join([*seen, log, arrive(None, board="h").everything])
    scores = [repr(one.score).encode() for one in board_ranking(opened(open_store_of(place), "h")).entries]
    assert len(scores) >= 2
    assert [word for word in (*secret, *scores) if word in everything] == []


def unpacked(data: bytes) -> bytes:
    """Return a download with the members of its zip, if it is one, unpacked."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return b"\0".join(map(packed.read, packed.namelist()))


def test_two_copies_of_the_server_share_the_limits_of_a_team(place):
    """Also of what was refused: a copy knows at once what the other counted."""
    port, group = driver.free_port(), {"groups": ["lab"], "email": "max@example.org"}
    file = secrets(place.folder / "store", port, f"http://localhost:{driver.free_port()}")
    with driver.served(
        "app.py", f"--secrets.files={file}", port=port, BENCHSIDE_STORE=str(place.folder / "store")
    ) as copy:
        copies = (place, Place(copy.address, place.folder))
        tabs = [
            Visitor(one.address, "board", login=one.cookie("max", **group))
            for one in copies
            for _ in range(2)
        ]
        for number, one in enumerate(tabs):
            one.run(board="h", tab="Submit")
            one.upload("p.csv", good(40 + number), one.widget("own_file_h_file"))
        hand_in(tabs[0], good(50))
        until(tabs[0], b"**4** more")
        hand_in(tabs[2], good(51))
        until(tabs[2], b"**3** more")
        for turn in range(2):
            for number, one in enumerate(tabs):
                if any(name.endswith("-own_file_h_file") for name in one.widgets.get("file_uploader", ())):
                    one.upload("p.csv", good(20 + 10 * turn + number), one.widget("own_file_h_file"))
            racing = [
                threading.Thread(target=one.click, args=(one.widget("own_submit"),))
                for one in tabs
                if any(name.endswith("-own_submit") for name in one.widgets.get("button", ()))
            ]
            for one in racing:
                one.start()
            for one in racing:
                one.join()
        for one in tabs:
            until(one, b"**0** more")
            one.close()
    entries = board_ranking(opened(open_store_of(place), "h")).entries
    assert sum(one.team == "beta" for one in entries) == OPEN.per_day


def open_store_of(place: Place):
    return open_store(place.folder / "store")


def sha256_of(place: Place) -> str:
    return opened(open_store_of(place), "h").test_set.sha256
