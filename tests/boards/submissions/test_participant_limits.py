"""Limits of a hidden truth by the way that participants take: tabs and copies at once, a changed clock."""

import multiprocessing
from datetime import UTC, datetime, timedelta

import pytest

from scoring.boards.board import opened
from scoring.boards.hidden_truth import probing_notices, visible_results
from scoring.boards.hidden_truth.visible_results import HiddenRules
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import participant
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import open_store
from tests.support.hidden_boards import PAUL, acting, good, handed_in, hidden_board

LIMIT = 2


def code(data: bytes) -> str:
    """Return what becomes of a submission of Paul's."""
    try:
        return "again" if handed_in(opened(open_store(), "h"), data).again else "scored"
    except InputRefused as refused:
        return refused.problems[0].code


def race(data: bytes, ready, answers) -> None:
    ready.wait()
    answers.put(code(data))


def raced(files: list[bytes]) -> list[str]:
    """Return what becomes of files that processes of one store submit at the same moment."""
    processes = multiprocessing.get_context("fork")
    ready, answers = processes.Barrier(len(files)), processes.Queue()
    racing = [processes.Process(target=race, args=(data, ready, answers)) for data in files]
    for one in racing:
        one.start()
    told = sorted(answers.get(timeout=60) for _ in racing)
    for one in racing:
        one.join()
    return told


@pytest.mark.slow
def test_copies_and_tabs_that_submit_at_once_share_the_limits(place, tmp_path):
    known = HiddenRules(refused_per_day=LIMIT)
    board = hidden_board(tmp_path, known, Phase("v", per_day=LIMIT))
    told = raced([b"nothing 1", b"nothing 2", b"nothing 3"])
    assert set(told) == {"refused-file", "refused-limit"}
    assert told.count("refused-file") <= LIMIT
    visible_results.hide(board.store, "h", HiddenRules(refused_per_day=LIMIT + 9))
    told = raced([good(wrong) for wrong in range(4)])
    assert told.count("scored") == LIMIT
    assert set(told) <= {"scored", "limit-reached", "refused-limit"}
    assert len(board_ranking(opened(board.store, "h")).entries) == LIMIT
    assert participant.remaining_quota(acting(board, PAUL), "alpha").submissions == 0


def test_a_clock_that_is_set_back_gives_no_day_twice(place, tmp_path, monkeypatch):
    board = hidden_board(tmp_path, phase=Phase("v", per_day=1))
    clock = {"now": datetime(2026, 12, 3, 0, 1, tzinfo=UTC)}
    monkeypatch.setattr(schema, "now", lambda: schema.written(clock["now"]))
    assert code(good(1)) == "scored"
    clock["now"] -= timedelta(minutes=3)
    assert code(good(2)) == "limit-reached", "the day before (UTC) does not come again"
    clock["now"] -= timedelta(days=30)
    assert code(good(3)) == "refused-other"
    assert [one.code for one in probing_notices.board_notices(board.store, "h")] == ["not-scored"]
    assert participant.remaining_quota(acting(board, PAUL), "alpha").refused == 20, (
        "a fault of the server is nobody's"
    )
    assert len(board_ranking(opened(board.store, "h")).entries) == 1


def test_no_option_of_a_participant_names_a_time_or_a_phase(place, tmp_path):
    board = hidden_board(tmp_path)
    for field in ("created", "phase", "dated", "id"):
        with pytest.raises(InputRefused) as refused:
            handed_in(board, good(1), **{field: "2020-01-01"})
        assert [one.code for one in refused.value.problems] == ["refused-options"]


def test_a_file_is_submitted_again_unchanged_so_many_times_a_day_and_another_is_scored(
    place, tmp_path, monkeypatch
):
    """Each is noted, and looked up in the ranking: without end they would fill the store."""
    board = hidden_board(tmp_path, HiddenRules(), Phase("v"))
    monkeypatch.setattr(participant, "UNCHANGED_PER_DAY", 3)
    assert code(good(1)) == "scored"
    assert [code(good(1)) for _ in range(4)] == ["again", "again", "again", "unchanged-limit"]
    with board.store.read() as session:
        assert session.query(schema.Attempt).count() == 4, "what is refused so is not noted"
    assert code(good(2)) == "scored"
    assert code(good(2)) == "unchanged-limit"
