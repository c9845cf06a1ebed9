"""Teams that are excluded, renamed and merged."""

import pytest

from scoring.boards import views
from scoring.boards.board import opened
from scoring.boards.bundles import bundle
from scoring.boards.hidden_truth import probing_notices
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import participant, submitting
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.teams import members
from scoring.comparison import score_units as scales
from scoring.core.views import Figure
from scoring.presentation.figures.theme import LIGHT
from scoring.store.database import open_store
from tests.support import schemas
from tests.support.boards import board, filled, predictions
from tests.support.hidden_boards import MAX, PAUL, acting, good, handed_in, hidden_board


def ranked() -> dict[str, int]:
    return board_ranking(opened(open_store(), "b")).comparison.ranks


def test_a_team_is_excluded_as_a_whole_and_comes_back(sent):
    before = ranked()
    done = board("team", "b", "alpha", "--exclude", "withdrawn", "--json", "-")
    assert done.status == 0, done.err
    assert [one["team"] for one in done.json["teams"]] == ["beta"], "no earlier file of alpha moves up"
    assert [one["reason"] for one in done.json["excluded"]] == ["withdrawn"] * 2
    late = SubmissionRequest("alpha", "p.csv", good(1))
    with pytest.raises(Exception, match="team-excluded"):
        submitting.submit(opened(open_store(), "b"), late)
    data = bundle.export(opened(open_store(), "b"), with_truth=True)
    assert b'"excluded": "withdrawn"' in data
    assert board("team", "b", "alpha", "--include").status == 0
    assert ranked() == before
    assert "unknown-team" in board("team", "b", "nobody", "--exclude", "x").err
    assert "bad-option" in board("team", "b", "alpha", "--exclude", " ").err


def test_a_team_is_renamed_and_merged(database, tmp_path):
    filled(tmp_path)
    scores = {entry.id: entry.score for entry in board_ranking(opened(open_store(), "b")).entries}
    members.set_members(open_store(), "b", "alpha", ["paul@example.org"])
    members.set_members(open_store(), "b", "beta", ["paul@example.org", "max@example.org"])
    assert board("team", "b", "alpha", "--rename", "gamma").status == 0
    assert set(ranked()) == {"beta", "gamma"}
    assert members.members(open_store(), "b")["gamma"] == ["paul@example.org"]
    assert "bad-option" in board("team", "b", "gamma", "--rename", "beta\u200b").err
    assert board("team", "b", "gamma", "--rename", "beta").status == 0
    assert set(ranked()) == {"beta"}
    assert members.members(open_store(), "b") == {"beta": ["max@example.org", "paul@example.org"]}
    assert {entry.id: entry.score for entry in board_ranking(opened(open_store(), "b")).entries} == scores


@pytest.mark.parametrize("first", ["alpha", "beta"])
def test_of_merged_submissions_of_one_time_the_last_id_counts(place, tmp_path, first):
    """Whichever was received first, and whichever name stays."""
    filled(tmp_path)
    for team in (first, {"alpha": "beta", "beta": "alpha"}[first]):
        file = predictions(tmp_path / f"{team}.csv", 9 if team == "alpha" else 8, 1.2)
        sent = ("--predictions", file, "--time", "2026-10-20", "--submission", f"one-{team}")
        assert board("submit", "b", "--team", team, *sent).status == 0
    assert "equal-times" not in board("show", "b").err
    assert board("team", "b", "beta", "--rename", "alpha").status == 0
    known = board_ranking(opened(open_store(), "b"))
    assert known.counting["alpha"].id == "one-beta"
    assert "equal-times alpha" in board("show", "b").err
    copied = bundle.export(known.board, with_truth=True)
    assert bundle.counted(copied).teams["alpha"][0] == "beta.csv", "also where a bundle is compared"
    submitting.exclude(open_store(), "b", "one-beta", "the other account's")
    assert board_ranking(opened(open_store(), "b")).counting["alpha"].id == "one-alpha"
    assert "equal-times" not in board("show", "b").err


def test_teams_with_an_equal_file_are_not_merged_and_near_names_are_told(place, tmp_path):
    one = hidden_board(tmp_path, phase=Phase("v"))
    members.set_members(one.store, "h", "Umea-Lab", ["paul@example.org"])
    members.set_members(one.store, "h", "umea lab", ["group:lab"])
    handed_in(one, good(3), team="Umea-Lab")
    handed_in(one, good(3), actor=MAX, team="umea lab")
    told = {finding.code: finding.where for finding in probing_notices.board_notices(one.store, "h")}
    assert told["near-team-names"] == "Umea-Lab, umea lab"
    done = board("team", "h", "umea lab", "--rename", "Umea-Lab")
    assert (done.status, "equal-files" in done.err) == (2, True)
    assert board("team", "h", "Umea-Lab", "--exclude", "two accounts").status == 0
    own = participant.own_submissions(acting(one, PAUL), "Umea-Lab")
    assert [entry.status for entry in own] == ["excluded"]
    with pytest.raises(Exception, match="team-excluded"):
        handed_in(one, good(4), team="Umea-Lab")


def test_a_baseline_is_a_line_without_a_rank_and_in_no_test(sent, tmp_path):
    """The ranking with a baseline is that of a board to which it never submitted, claims included."""
    without = board("show", "b", "--json", "-").json
    before = board_ranking(opened(open_store(), "b")).comparison.as_dict()["pairs"]
    predictions(tmp_path / "guess.csv", 9, 3.0)
    time = ("--time", "2026-10-06")
    assert board("submit", "b", "--team", "guess", "--predictions", tmp_path / "guess.csv", *time).status == 0
    assert set(ranked()) == {"alpha", "beta", "guess"}
    done = board("team", "b", "guess", "--baseline", "--json", "-")
    assert done.status == 0, done.err
    shown = done.json
    (line,) = shown.pop("baselines")
    known = board_ranking(opened(open_store(), "b"))
    entry = known.lines["guess"]
    assert (line["team"], line["score"], line["submission"]) == ("guess", entry.score, entry.id)
    assert shown == {name: value for name, value in without.items() if name != "baselines"}
    pairs = known.comparison.as_dict()["pairs"]
    assert pairs == before, "claims know of no submission of a baseline"
    assert schemas.problems("board", board("show", "b", "--json", "-").out) == []
    section = views.sections(known)[0]
    figure = next(block for block in section.blocks if isinstance(block, Figure)).build(LIGHT)
    points = [shape.x0 for shape in figure.layout.shapes if shape.line.dash]
    assert points == [pytest.approx(scales.of(known.board.challenge).points(entry.score))]
    assert "guess" in public_report.html(known)
    assert "guess" in board("show", "b").out
    copied = bundle.export(known.board, with_truth=True)
    assert set(bundle.counted(copied).teams) == {"alpha", "beta"}
    assert board("team", "b", "guess", "--rename", "line").status == 0
    assert set(board_ranking(opened(open_store(), "b")).lines) == {"line"}, "a new name keeps what it is"
    assert board("team", "b", "line", "--no-baseline").status == 0
    assert set(ranked()) == {"alpha", "beta", "line"}
