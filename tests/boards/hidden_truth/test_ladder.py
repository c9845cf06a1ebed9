"""The Ladder under what an organizer does: nothing else is shown, or it is counted as one more climb."""

import numpy as np
import pytest

from scoring.boards import deletion
from scoring.boards.board import opened
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.hidden_truth.guessing_budget import Labels, told
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import participant, phases_and_limits, submitting
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.teams import team_changes
from scoring.boards.truth_correction import rescoring
from scoring.common.findings import InputRefused
from tests.support.boards import CASES, labels
from tests.support.hidden_boards import MAX, PAUL, acting, good, handed_in, hidden_board, table

STEP = HiddenRules(step=0.05)


def history(board, team="alpha"):
    """What a team is told of its submissions: id, score, best."""
    own = participant.own_submissions(acting(board, PAUL), team)
    return [(one.submission, one.score, one.best) for one in own]


def shown(board):
    """What the public sees, team by team."""
    teams = visible_results.published(board_ranking(board))["teams"]
    return {one["score"] for team in teams for one in team["history"]}


def changes(board):
    """What organizers do with teams and submissions that stay; the first one holds the bar."""
    store, first = board.store, board_ranking(board).entries[0].id
    yield submitting.exclude(store, "h", first, "sent by mistake")
    yield submitting.exclude(store, "h", first, None)
    yield team_changes.exclude_team(store, "h", "alpha", "withdrawn")
    yield team_changes.exclude_team(store, "h", "alpha", None)
    yield team_changes.set_baseline(store, "h", "alpha", True)
    yield team_changes.set_baseline(store, "h", "alpha", False)
    yield submitting.exclude(store, "h", first, "once more")


def test_an_exclusion_shows_no_other_score_and_the_bar_stays(place, tmp_path):
    """Each excluded submission let the next one be shown, while the board counted one climb."""
    board = hidden_board(tmp_path, STEP, Phase("v"))
    for wrong in (8, 20, 12):
        handed_in(board, good(wrong))
    before, public, bits = history(board), shown(board), visible_results.use(board).bits
    assert [score is None for _, score, _ in before] == [False, True, True]
    for _ in changes(board):
        assert history(board) == before
        assert shown(board) <= public
    assert visible_results.use(board).bits == bits
    assert handed_in(board, good(11)).score is None, "below what was shown"
    assert visible_results.published(board_ranking(board))["unranked"] == ["alpha"]
    assert handed_in(board, good(0)).counts, "above it"


def test_without_shown_scores_there_is_no_ladder_that_could_choose(place, tmp_path):
    with pytest.raises(InputRefused, match="the Ladder cannot choose"):
        hidden_board(tmp_path, HiddenRules("none", step=0.05))


@pytest.mark.parametrize("how", ["exclude", "delete"])
def test_submissions_that_are_taken_back_tell_no_more_than_is_counted(place, tmp_path, how):
    """One block after the other was named ill and taken back: 160 scores told how many of each were."""
    board = hidden_board(tmp_path, HiddenRules(step=0.02), Phase("v"))
    answers = 0
    for block in np.array_split(np.random.default_rng(1).permutation(len(CASES)), 12):
        named = [0.9 if place in block else 0.1 for place in range(len(CASES))]
        answers += handed_in(board, table(named)).score is not None
        entry = board_ranking(board).entries[-1].id
        if how == "exclude":
            submitting.exclude(board.store, "h", entry, "sent by mistake")
        else:
            deletion.delete_submission(board.store, "h", entry)
    assert visible_results.use(board).bits >= answers * np.log2(51)


def deleted(board):
    deletion.delete_submission(board.store, "h", board_ranking(board).entries[0].id)


def dated(board):
    """Say that one of the team came before its others: of two near the middle it takes the lower step."""
    time = "2026-01-01T00:00:00.000000+00:00"
    submitting.submit(board, SubmissionRequest("alpha", "p.csv", good(31), created=time))


@pytest.mark.parametrize(("change", "first", "then"), [(deleted, 8, 12), (dated, 30, 22)])
def test_a_score_that_is_shown_later_is_counted_as_another_climb(place, tmp_path, change, first, then):
    known = HiddenRules(step=0.1)
    board = hidden_board(tmp_path, known, Phase("v"))
    for wrong in (first, then):
        handed_in(board, good(wrong))
    bits, (_, second) = visible_results.use(board).bits, history(board)
    assert second[1] is None
    change(board)
    now = history(board)
    assert next(score for name, score, _ in now if name == second[0]) is not None, "it is shown by that"
    assert visible_results.use(board).bits == pytest.approx(bits + told(known, len(now), Labels(60, 60, 60)))


def test_of_two_submissions_at_once_the_first_answered_holds_the_bar(place, tmp_path, monkeypatch):
    """Files that arrived together were answered in any order, each as if it were the first."""
    board, arrival, answers = hidden_board(tmp_path, STEP, Phase("v")), phases_and_limits.arrival, []

    def overtaken(store, board_id):
        time = arrival(store, board_id)
        monkeypatch.setattr(phases_and_limits, "arrival", arrival)
        answers.append(handed_in(board, good(8)))
        return time

    monkeypatch.setattr(phases_and_limits, "arrival", overtaken)
    answers.append(handed_in(board, good(12)))
    assert [one.score for one in answers] == [0.85, None]
    assert [score for _, score, _ in history(board)] == [0.85, None], "and stays as it was"


def test_a_file_that_is_sent_again_after_a_correction_tells_what_it_told(place, tmp_path):
    board = hidden_board(tmp_path, STEP, Phase("v"))
    first, bits = handed_in(board, good(20)), visible_results.use(board).bits
    rescoring.rescore(board.store, "h", str(labels(tmp_path / "corrected.csv", wrong=range(12))))
    now = opened(board.store, "h")
    assert handed_in(now, good(20)).score == first.score
    assert len(history(now)) == 1
    assert visible_results.use(now).bits == bits
    assert handed_in(now, good(20), actor=MAX, team="beta").score > first.score, "another team's is its own"
    assert visible_results.use(now).bits == pytest.approx(2 * bits)
