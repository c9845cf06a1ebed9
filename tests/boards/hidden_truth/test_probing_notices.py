"""What an organizer is told of teams whenever the board is looked at, and the public never."""

import math

import pytest
from sqlalchemy import text

from scoring.boards.board import opened
from scoring.boards.hidden_truth import guessing_budget, probing_notices, visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.teams import members
from scoring.challenges.declared import library
from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import open_store
from tests.support.boards import board, filled, predictions
from tests.support.hidden_boards import hidden_board, table

CASES = [f"canary{i:03}" for i in range(800)]
SAFE = HiddenRules(step=0.5)
"""Safe for two teams of one submission each on 800 cases, and for no third."""


@pytest.fixture
def just_safe(place, tmp_path):
    """The board "h" that is safe with its two teams, and the file of a third."""
    truth = {case: i % 2 == 0 for i, case in enumerate(CASES)}
    one = hidden_board(tmp_path, SAFE, Phase("v", total=1), truth)
    assert visible_results.planned(one).proposed is None
    (tmp_path / "p.csv").write_bytes(table([0.6, 0.4] * 400, CASES))
    return one, tmp_path / "p.csv"


def test_a_team_that_comes_by_submitting_warns_where_the_truth_is_safe_no_more(just_safe):
    one, file = just_safe
    for team in ("alpha", "beta"):
        done = board("submit", "h", "--team", team, "--predictions", file)
        assert (done.status, "truth-not-safe" in done.err) == (0, False), done.err
    assert "truth-not-safe" not in board("show", "h").err
    done = board("submit", "h", "--team", "gamma", "--predictions", file, "--json", "-")
    assert (done.status, len(done.json["submissions"])) == (0, 1)
    assert "truth-not-safe" in done.err
    for command in ("show", "attempts"):
        assert "Not safe" in board(command, "h").err
    notices = probing_notices.team_notices(board_ranking(opened(one.store, "h")))
    assert [note.code for note in notices] == ["truth-not-safe", "equal-files"]
    assert notices[1].message.startswith("1 of their files is identical, byte for byte")


def test_a_hidden_truth_that_another_board_has_too_is_told_and_counted(just_safe, tmp_path):
    """Two boards of one truth each said that they are safe, and told it twice."""
    one, file = just_safe
    truth = tmp_path / "same.csv"
    truth.write_bytes(one.store.files.read(one.test_set.sha256))
    done = board("create", "melanoma", "--id", "second", "--title", "S", "--truth", truth)
    assert "truth-shared second: h has the same test set" in done.err
    assert visible_results.planned(one).use.bits == math.inf, "it is open"
    assert "truth-not-safe" in board("show", "h").err
    board("phase", "second", "--name", "v", "--total", 1)
    done = board("hide", "second", "--detail", "score", "--ladder", 0.5)
    assert "truth-shared" in done.err
    both = [visible_results.planned(opened(one.store, name)) for name in ("h", "second")]
    assert both[0].use.bits == both[1].use.bits
    assert visible_results.planned(opened(one.store, "second"), SAFE).use.bits == both[1].use.bits
    assert board("hide", "second", "--detail", "none").status == 0
    alone = visible_results.planned(opened(one.store, "h"))
    assert (alone.proposed, 0 < alone.use.bits < both[0].use.bits) == (None, True)
    board("submit", "h", "--team", "alpha", "--predictions", file)
    public = public_report.html(board_ranking(opened(one.store, "h")))
    assert "second" not in public

    other = tmp_path / "other.csv"
    other.write_text(truth.read_text().replace("canary000", "canary999"))
    done = board("create", "melanoma", "--id", "third", "--title", "T", "--truth", other)
    assert (done.status, "truth-shared" in done.err) == (0, False)
    assert board("delete", "second", "--yes").status == 0
    assert "truth-shared" not in board("show", "h").err


def test_what_a_deleted_board_told_stays_counted_for_the_next_of_its_truth(just_safe, tmp_path):
    """A board was deleted and made again 50 times, each time with one submission more and "Safe"."""
    one, file = just_safe
    truth = tmp_path / "same.csv"
    truth.write_bytes(one.store.files.read(one.test_set.sha256))
    board("submit", "h", "--team", "alpha", "--predictions", file)
    told = visible_results.use(opened(one.store, "h")).bits
    assert told > 0
    for times in (1, 2):
        assert board("delete", "h", "--yes").status == 0
        board("create", "melanoma", "--id", "h", "--title", "H", "--truth", truth)
        board("phase", "h", "--name", "v", "--total", 1)
        done = board("hide", "h", "--detail", "score", "--ladder", 0.5)
        assert done.status == 0
        assert visible_results.planned(opened(one.store, "h")).use.bits >= (times + 1) * told - 1e-9
        board("submit", "h", "--team", "alpha", "--predictions", file)
    assert "truth-not-safe" in board("show", "h").err
    assert "truth-shared h: deleted boards used the same test set" in board("show", "h").err


AGES = """
id = "{id}"
title = "Ages"
task = "regression"
[truth]
case = "case"
value = "age"
[predictions]
value = "age"
missing = "refuse"
[score]
metric = "mae"
"""


def test_two_declared_challenges_with_one_truth_are_hidden_by_commands_alone(place, tmp_path, monkeypatch):
    """Each command is a process of its own: the second board stayed open, with an internal error, because
    nobody had read the challenge of the first."""
    truth = tmp_path / "ages.csv"
    truth.write_text("case,age\n" + "".join(f"p{i},{20 + i}\n" for i in range(40)))
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(AGES.format(id=f"ages-{name}"))
        board("create", tmp_path / f"{name}.toml", "--id", name, "--title", "R", "--truth", truth)
    for name in ("one", "two"):
        monkeypatch.setattr(library, "_read", {})
        done = board("hide", name)
        assert (done.status, "truth-shared" in done.err) == (0, True), done.err
        assert visible_results.is_hidden(open_store(), name)
    board("hide", "two", "--detail", "none")
    two = opened(open_store(), "two")
    monkeypatch.setattr(library, "_read", {})
    assert two.challenge.words.title == "Ages"
    damage(open_store(), "one", '{"declaration": {"id": 3}}')
    monkeypatch.setattr(library, "_read", {})
    budget = visible_results.planned(opened(open_store(), "two"))
    assert budget.use.bits == 0, "a board that cannot be read, and has shown no score"


def damage(store, board_id="h", options='{"imported": "x"}'):
    """Let a board be one that cannot be read."""
    with store.write() as session:
        query = text("UPDATE board SET options = :options WHERE id = :id")
        session.execute(query, {"options": options, "id": board_id})
    with pytest.raises(InputRefused, match="board-damaged"):
        opened(store, board_id)


@pytest.mark.parametrize("detail", ["none", "score", "classes", "open"])
def test_a_deleted_board_that_cannot_be_read_counts_with_the_most_that_it_can_have_told(
    just_safe, tmp_path, detail
):
    """It counted with nothing."""
    one, file = just_safe
    truth = tmp_path / "same.csv"
    truth.write_bytes(one.store.files.read(one.test_set.sha256))
    board("submit", "h", "--team", "alpha", "--predictions", file)
    done = board("hide", "h", *(("--open",) if detail == "open" else ("--detail", detail)))
    assert done.status == 0, done.err
    known = visible_results.bits_told(opened(one.store, "h"), board_ranking(opened(one.store, "h")))
    with one.store.read() as session:
        spent = session.get(schema.Hidden, "h").spent
    damage(one.store)
    assert board("delete", "h", "--yes").status == 0
    board("create", "melanoma", "--id", "h", "--title", "H", "--truth", truth)
    assert board("hide", "h", "--detail", "score", "--ladder", 0.5).status == 0
    most = guessing_budget.bits_of_deleted_boards(one.store, "h")
    bounds = {"none": spent, "score": spent + 64}
    assert known <= most == bounds.get(detail, guessing_budget.MOST_BITS)
    told = f"revealed {most:.1f} bits of information" if detail in bounds else "revealed all of its labels."
    assert told in board("show", "h").err


def test_what_a_board_that_cannot_be_read_told_stays_counted_where_its_submissions_are_deleted(just_safe):
    one, file = just_safe
    sent = board("submit", "h", "--team", "alpha", "--predictions", file, "--json", "-")
    damage(one.store)
    most = guessing_budget.most_told(one.store, "h")
    assert most > 0
    assert board("delete", "h", "--submission", sent.json["submissions"][0]["submission"]).status == 0
    assert guessing_budget.most_told(one.store, "h") == most


def test_another_board_that_cannot_be_read_is_counted(just_safe, tmp_path):
    one, file = just_safe
    board("submit", "h", "--team", "alpha", "--predictions", file)
    truth = tmp_path / "same.csv"
    truth.write_bytes(one.store.files.read(one.test_set.sha256))
    board("create", "melanoma", "--id", "second", "--title", "S", "--truth", truth)
    board("phase", "second", "--name", "v", "--total", 1)
    board("hide", "second", "--detail", "none")
    with one.store.write() as session:
        session.execute(text("UPDATE hidden SET detail = 'all' WHERE board_id = 'h'"))
    assert visible_results.planned(opened(one.store, "second")).use.bits >= guessing_budget.MOST_BITS


def test_the_public_is_never_told_that_a_truth_is_safe(just_safe):
    """A rare class makes the same use unsafe, which is not published."""
    one, file = just_safe
    for team in ("alpha", "gamma"):
        board("submit", "h", "--team", team, "--predictions", file)
        words = public_report.html(board_ranking(opened(one.store, "h")))
        assert "of the information in the labels" in words
        assert " safe" not in words


def test_near_names_and_equal_files_are_told_with_the_ranking_and_not_in_public(place, tmp_path):
    filled(tmp_path)
    copy = predictions(tmp_path / "copy.csv", 3, 0.85)
    assert board("submit", "b", "--team", "Al-pha", "--predictions", copy).status == 0
    done = board("show", "b", "--json", "-", "--html", tmp_path / "b.html")
    assert {"near-team-names", "equal-files"} <= {line.split()[1] for line in done.err.splitlines()}
    public = done.out + (tmp_path / "b.html").read_text()
    assert not any(word in public for word in ("near-team-names", "nearly the same", "same to the byte"))


@pytest.mark.parametrize("people", [["gamma@example.org"], []])
def test_members_of_a_further_team_warn(just_safe, people):
    who = [argument for person in people for argument in ("--member", person)] or ["--nobody"]
    done = board("members", "h", "--team", "gamma", *who)
    assert (done.status, "truth-not-safe" in done.err) == (0, bool(people))
    assert members.members(open_store(), "h").get("gamma", []) == people
