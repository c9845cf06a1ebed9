"""Three people log in by OpenID Connect: an organizer's, a participant's and a visitor's day."""

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from scoring.boards.hidden_truth import probing_notices
from scoring.boards.hidden_truth.visible_results import HiddenRules
from scoring.boards.teams import members
from scoring.store.database import open_store
from tests.browser import driver
from tests.support.hidden_boards import good, hidden_board
from tests.support.provider import provided, secrets

pytest.importorskip("authlib")
pytest.importorskip("oidc_provider_mock")
CANARY = "canary"
OF_PROVIDER = "https://cdn.jsdelivr.net/npm/@picocss/pico@2/css/pico.min.css"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A store with the hidden board "h"."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    hidden_board(tmp_path, HiddenRules())
    return tmp_path


@pytest.fixture
def app(folder) -> Iterator[str]:
    """A server that nobody has visited, where people log in; gives its address."""
    of_provider, of_app = driver.free_port(), driver.free_port()
    with provided(of_provider) as provider:
        file = secrets(folder, of_app, provider)
        with driver.served(
            "app.py", f"--secrets.files={file}", port=of_app, BENCHSIDE_LOGIN="required"
        ) as started:
            yield started.address


@pytest.fixture
def visitor(browser) -> Iterator[Callable[[], BrowserContext]]:
    """Makes people, each with a browser of their own. The provider's page asks for a style sheet elsewhere,
    which it does not get; nothing else leaves the machine."""
    contexts: list[BrowserContext] = []
    left: list[str] = []

    def make() -> BrowserContext:
        context = browser.new_context(viewport=driver.DESKTOP, accept_downloads=True)
        context.set_default_timeout(driver.PATIENCE)
        context.on("request", lambda request: left.append(request.url) if driver.leaves(request) else None)
        context.route(OF_PROVIDER, lambda route: route.abort())
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert set(left) <= {OF_PROVIDER}


def log_in(page: Page, address: str, sub: str) -> Page:
    page.goto(address)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=sub, exact=True).first.click()
    page.get_by_role("button", name="Log out").wait_for()
    return driver.settled(page)


def hand_in(page: Page, address: str, data: bytes) -> None:
    page.goto(f"{address}/board?board=h&tab=Submit")
    driver.settled(page)
    file = {"name": "p.csv", "mimeType": "text/csv", "buffer": data}
    page.locator("[data-testid=stMain] input[type=file]").last.set_input_files([file])
    page.get_by_role("button", name="Submit", exact=True).click()


@pytest.mark.soak
def test_a_day_of_three_people(app, visitor):
    """Also the canary: no name of a case in any frame, answer or download of the participant's visit."""
    seen: list[bytes] = []
    visiting = visitor().new_page()
    visiting.goto(f"{app}/about")  # a deep link is the first request of the server
    visiting.get_by_text("This page is for organizers").wait_for()

    paul = visitor().new_page()
    paul.on("websocket", lambda socket: socket.on("framereceived", lambda data: seen.append(_bytes(data))))
    log_in(paul, app, "paul")
    paul.get_by_text("Paul · participant").wait_for()
    hand_in(paul, app, good(7))
    paul.get_by_text("Scored.").wait_for()
    driver.settled(paul)
    for tab in ("Ranking", "History", "Submit"):
        paul.goto(f"{app}/board?board=h&tab={tab}")
        driver.settled(paul)
    for name in ("Report (HTML)", "board.json"):
        with paul.expect_download() as download:
            paul.get_by_role("button", name=name).click()
        seen.append(Path(download.value.path()).read_bytes())
    hand_in(paul, app, b"nothing")
    paul.get_by_text("it cannot be read as the kind of file").wait_for()
    assert len(seen) > 20
    own = good(7)
    assert [data for data in _unpacked(seen) if CANARY.encode() in data and own not in data] == []

    visiting.goto(f"{app}/board?board=h")
    visiting.get_by_text("The truth is hidden").first.wait_for()
    expect(visiting.get_by_role("tab", name="Submit")).to_have_count(0)

    olga = log_in(visitor().new_page(), f"{app}/board?board=h&tab=Participants", "olga")
    expect(olga).to_have_url(f"{app}/board?board=h&tab=Participants")  # where the login began
    with olga.expect_download() as download:
        olga.get_by_role("button", name="Whole board (zip)").click()
    assert any(CANARY.encode() in data for data in _unpacked([Path(download.value.path()).read_bytes()]))
    olga.get_by_text("1 score has been shown of 60 hidden cases.").first.wait_for()

    (tried, *_) = [one for one in _attempts() if one.outcome == "scored"]
    members.revoke(open_store(), tried.person)
    paul.get_by_role("tab", name="Ranking").click()
    paul.get_by_text("Your login has ended.").wait_for()


@pytest.mark.soak
def test_a_provider_that_is_down_leaves_the_public_board(folder, visitor):
    port = driver.free_port()
    file = secrets(folder, port, f"http://localhost:{driver.free_port()}")
    with driver.served("app.py", f"--secrets.files={file}", port=port) as started:
        page = visitor().new_page()
        page.goto(f"{started.address}/board?board=h")
        page.get_by_text("The truth is hidden").first.wait_for()
        page.get_by_role("button", name="Log in").click()
        page.get_by_text("You are not logged in: the provider did not answer").wait_for()
        expect(page).to_have_url(f"{started.address}/board?board=h")
        page.get_by_text("The truth is hidden").first.wait_for()
        page.goto(f"{started.address}/about")
        page.get_by_text("This page is for organizers").wait_for()


def _attempts():

    return probing_notices.attempts(open_store(), "h")


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data


def _unpacked(seen: list[bytes]) -> Iterator[bytes]:
    """What was seen, and the members of zips in it."""
    for data in seen:
        yield data
        if data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                yield from map(packed.read, packed.namelist())
