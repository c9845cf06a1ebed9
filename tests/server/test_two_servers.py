"""Two servers on one store, as two processes: what one does the other knows, and limits hold for both."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoring.boards.board import BoardSettings, create, opened
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.store.database import Store, open_store
from tests.browser import driver
from tests.support.boards import labels, predictions
from tests.support.visitor import PATIENCE, Visitor

PER_DAY = 3
Copies = tuple[Store, list[driver.Server], list[Path]]


@pytest.fixture
def copies(tmp_path, monkeypatch) -> Iterator[Copies]:
    """A store with the board "b", two servers on it, and what they write to their logs."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    store = open_store()
    settings = BoardSettings(
        "B", statistics={"resamples": 0, "seed": 0, "group": None, "interval": "percentile"}
    )
    create(store, "b", "melanoma", str(labels(tmp_path / "labels.csv")), settings)
    phases_and_limits.define(store, "b", Phase("now", per_day=PER_DAY))
    logs = [tmp_path / f"{number}.log" for number in range(2)]
    starting = [driver.served(log=log) for log in logs]
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        for one in starting:
            stack.push(one)
        yield store, list(pool.map(lambda one: one.__enter__(), starting)), logs


@pytest.fixture
def arrive(copies) -> Iterator[Callable[[int], Visitor]]:
    """Opens a tab of one of the servers."""
    with ExitStack() as stack:
        yield lambda number: stack.enter_context(Visitor(copies[1][number].address, "board"))


def teams_of(store: Store) -> list[str]:
    return [entry.team for entry in board_ranking(opened(store, "b")).entries]


def dropped(one: Visitor, name: str, data: bytes) -> Visitor:
    """Drop a file on the tab where files are submitted."""
    one.run(board="b", tab="Submissions")
    assert one.upload(name, data, one.widget("board_b_teams_files"))[0] == 204
    return one


def submit(one: Visitor) -> str:
    """Submit what was dropped, and return what the page then says of it."""
    one.click(one.widget("board_submit"))
    until = time.monotonic() + PATIENCE
    while not (told := [text for text in one.texts if "scored: " in text or "No file was" in text]):
        assert time.monotonic() < until, one.texts
        one.run()
    return told[0]


def test_two_servers_of_one_store_share_boards_limits_and_deletions(copies, arrive, tmp_path):
    store, _, logs = copies
    drawn = iter(predictions(tmp_path / "p.csv", seed, 1.0).read_bytes() for seed in range(99))
    tabs = [arrive(number) for number in (0, 1, 0, 1)]
    first, second = tabs[:2]
    second.run(board="b", tab="Ranking")
    for one, other, team in ((first, second, "alpha"), (second, first, "beta")):
        assert f"scored: {team}" in submit(dropped(one, f"{team}.csv", next(drawn)))
        other.run(board="b", tab="Ranking")
        assert team.encode() in other.content, "the next run of the other server shows it"

    for one in tabs:
        dropped(one, "alpha.csv", next(drawn))
    with ThreadPoolExecutor() as pool:
        told = list(pool.map(submit, tabs))
    assert sum("scored: alpha" in words for words in told) == PER_DAY - 1
    assert teams_of(store).count("alpha") == PER_DAY
    assert sum(b"has submitted 3 of 3 times" in one.content for one in tabs) == 2

    for one in tabs[2:]:
        one.run(board="b", tab="Ranking")
    dropped(second, "gamma.csv", next(drawn))
    first.run(board="b", tab="Settings")
    first.choose(first.widget("delete_b"), "b")
    first.click(first.widget("board_delete"))
    assert b"is deleted" in first.content
    second.click(second.widget("board_submit"))
    for one in (second, *tabs[2:]):
        one.run()
        assert one.content.count(b"there is no such board") == 1
    for log in logs:
        assert "Traceback" not in log.read_text()
