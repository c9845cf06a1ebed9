"""Teams that are excluded, renamed and merged."""

import pytest

from scoring.services.boards import bundle, members, notices, participant, submitting
from scoring.services.boards.board import opened
from scoring.services.boards.phases import Phase
from scoring.services.boards.ranking import board_ranking
from scoring.services.boards.submitting import SubmissionRequest
from scoring.services.store.database import open_store
from tests.support.boards import board, filled
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


def test_teams_with_an_equal_file_are_not_merged_and_near_names_are_told(place, tmp_path):
    one = hidden_board(tmp_path, phase=Phase("v"))
    members.set_members(one.store, "h", "Umea-Lab", ["paul@example.org"])
    members.set_members(one.store, "h", "umea lab", ["group:lab"])
    handed_in(one, good(3), team="Umea-Lab")
    handed_in(one, good(3), actor=MAX, team="umea lab")
    told = {finding.code: finding.where for finding in notices.board_notices(one.store, "h")}
    assert told["near-team-names"] == "Umea-Lab, umea lab"
    done = board("team", "h", "umea lab", "--rename", "Umea-Lab")
    assert (done.status, "equal-files" in done.err) == (2, True)
    assert board("team", "h", "Umea-Lab", "--exclude", "two accounts").status == 0
    own = participant.own_submissions(acting(one, PAUL), "Umea-Lab")
    assert [entry.status for entry in own] == ["excluded"]
    with pytest.raises(Exception, match="team-excluded"):
        handed_in(one, good(4), team="Umea-Lab")
