"""Two copies of the app behind one address share a store; one is killed, and nothing is lost."""

import os
import signal
import time

import pytest

from tests.browser import driver
from tests.support import nginx
from tests.support.boards import board, filled, predictions
from tests.support.nginx import LOGIN
from tests.support.visitor import Visitor

pytestmark = pytest.mark.skipif(
    nginx.program() is None, reason="nginx is not installed (Debian's package nginx)"
)


def submit(visitor: Visitor, name: str, data: bytes) -> None:
    """Drop a file on the board's page and submit it."""
    visitor.run(board="b", tab="Submissions")
    assert visitor.upload(name, data)[0] == 204
    (button,) = [one for one in visitor.widgets["button"] if one.endswith("board_submit")]
    visitor.click(button)
    while name.partition(".")[0] not in [team for team, _ in ranked()]:
        time.sleep(0.1)


def ranked() -> list[tuple[str, float]]:
    return [(team["team"], team["score"]) for team in board("show", "b", "--json", "-").json["teams"]]


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["", "long"])
def test_two_copies_behind_one_address(postgresql, tmp_path, monkeypatch, long):
    """The long version submits once more after one copy was killed."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("BENCHSIDE_DATABASE_URL", postgresql)
    filled(tmp_path)
    port = nginx.free_port()
    with driver.served() as first, driver.served() as second:
        copies = {int(one.address.rpartition(":")[2]): one for one in (first, second)}
        folder = nginx.written(tmp_path / "nginx", nginx.plain_site(port, list(copies)))
        with nginx.running(folder, port) as address:
            nginx.check_guards(address)
            of_copy = nginx.cookies_by_copy(address, copies)
            one, other = (LOGIN | {"Cookie": of_copy[copy]} for copy in copies)
            with Visitor(address, "board", one) as here, Visitor(address, "board", other) as there:
                there.run(board="b")
                assert b"gamma" not in there.content
                submit(here, "gamma.csv", predictions(tmp_path / "gamma.csv", 9, 0.8).read_bytes())
                there.run(board="b")
                assert b"gamma" in there.content, (
                    "what is submitted to one copy is on the other's board at once"
                )
                before = ranked()
                os.kill(first.pid, signal.SIGKILL)
                with Visitor(address, "board", one) as again:
                    again.run(board="b")
                    assert b"gamma" in again.content, "a visitor of the killed copy is answered by the other"
                    assert ranked() == before
                    if long:
                        submit(again, "delta.csv", predictions(tmp_path / "delta.csv", 5, 0.9).read_bytes())
                        assert set(before) < set(ranked())
