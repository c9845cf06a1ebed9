"""Boards of many submissions: each submission is looked at a few times, however many there are."""

import os
import re
import shutil
import time
from dataclasses import replace

import numpy as np
import pytest

from scoring.boards import serialization, views
from scoring.boards.board import opened
from scoring.boards.hidden_truth import disclosure_rules, visible_results
from scoring.boards.publication import public_report
from scoring.boards.ranking import board_ranking
from scoring.common.direction_and_range import SHARE
from scoring.core.scorecard import ScoreCard
from scoring.store import schema
from scoring.store.database import open_store
from tests.support.boards import board, filled, labels, sizes

TEAMS, EACH = 12, 25


@pytest.fixture(scope="module")
def store_of_many(tmp_path_factory):
    """The folder of a store with the board "b" that `crowded` gives."""
    folder = tmp_path_factory.mktemp("crowded")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
        patch.setenv("BENCHSIDE_STORE", str(folder / "store"))
        crowd(folder, TEAMS, EACH, EACH).board.store.engine.dispose()
    return folder / "store"


@pytest.fixture
def crowded(store_of_many, place):
    """The board "b" with 12 more teams of 25 submissions."""
    shutil.copytree(store_of_many, place)
    return board_ranking.board_ranking(opened(open_store(), "b"))


def crowd(tmp_path, teams: int, each: int, cards: int = 1) -> board_ranking.BoardRanking:
    """Return the board "b" with more teams, whose scores are the rows'. cards: different ones of a team."""
    filled(tmp_path)
    store = open_store()
    before = board_ranking.board_ranking(opened(store, "b"))
    first = before.entries[0]
    kept = [[store.keep(_other(before.card(first), k, n)) for n in range(cards)] for k in range(teams)]
    with store.write() as session:
        for k in range(teams):
            session.add(schema.Team(board_id="b", name=f"team{k:02}", created=schema.now()))
        session.flush()
        for k in range(teams):
            for n in range(each):
                time = f"2026-{9 - n // 25:02}-{n % 25 + 1:02}T10:{k // 60:02}:{k % 60:02}.000000+00:00"
                of_file = {"name": "p.csv", "sha256": f"{k:032}{n:032}", "options": {}}
                known = {"id": f"s{k}-{n}", "board_id": "b", "team": f"team{k:02}", "created": time}
                session.add(schema.Submission(**known, **of_file, dated=True))
        session.flush()
        for k in range(teams):
            for n in range(each):
                key = {"submission_id": f"s{k}-{n}", "number": 1, "board_id": "b", "card": kept[k][n % cards]}
                session.add(
                    schema.ScoredVersion(**key, score=first.score - k / 100, problems=[], program="0")
                )
    return board_ranking.board_ranking(opened(store, "b"))


def _other(card: ScoreCard, *numbers: int) -> bytes:
    """Return the file of a scorecard whose predictions are a little apart, so that its SHA-256 is its own."""
    random, name = np.random.default_rng(numbers), "score_replicates"
    moved = card.arrays[name] + random.normal(0, 0.001, card.arrays[name].shape)
    return serialization.card_to_bytes(replace(card, arrays={**card.arrays, name: moved}))


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_page_looks_at_each_submission_a_few_times(crowded, is_hidden, monkeypatch):
    """Ranked anew for each submission, which is what the page did, each was looked at as often as there are
    submissions."""
    seen = []
    looked_at = board_ranking.counting

    def counting(entries, *more, **named):
        return looked_at((seen.append(e) or e for e in entries), *more, **named)

    monkeypatch.setattr(board_ranking, "counting", counting)
    monkeypatch.setattr(visible_results, "counting", counting)
    read = []
    opened_card = serialization.card_from_bytes
    monkeypatch.setattr(serialization, "card_from_bytes", lambda data: read.append(data) or opened_card(data))
    if is_hidden:
        visible_results.hide(crowded.board.store, "b", disclosure_rules.HiddenRules(step=0.01))
        public_report.sections(board_ranking.board_ranking(crowded.board))
    else:
        views.sections(crowded)
        views.submissions(crowded)
    assert len(crowded.entries) == TEAMS * EACH + 3
    assert len(seen) <= 3 * len(crowded.entries)
    assert len(read) <= TEAMS + 2


def test_a_digest_of_the_rows_is_another_after_each_change_of_its_board_alone(database, tmp_path):
    """A page is worked out anew only then."""
    filled(tmp_path)
    sizes(tmp_path)
    first, second = (e.id for e in board_ranking.board_ranking(opened(open_store(), "b")).entries[:2])
    facts = tmp_path / "facts.csv"
    facts.write_text("team,size_mib\nalpha,1\n")
    before = board_ranking.rows_digest(open_store(), "b")
    for number, change in enumerate(
        (
            ("exclude", "b", first, "--reason", "by mistake"),
            ("exclude", "b", first, "--undo"),
            ("team", "b", "beta", "--baseline"),
            ("team", "b", "beta", "--rename", "gamma"),
            ("facts", "b", facts),
            ("phase", "b", "--name", "first", "--closes", "2026-10-31"),
            ("settings", "b", "--counts", "best"),
            ("rescore", "b", "--truth", labels(tmp_path / "corrected.csv"), "--yes"),
            ("members", "b", "--team", "gamma", "--member", "g@example.org"),
            ("hide", "b", "--detail", "score"),
            ("delete", "b", "--submission", second),
        )
    ):
        assert board(*change).status == 0
        after = board_ranking.rows_digest(open_store(), "b")
        assert after != before, change
        assert board("show", "b").status == 0
        assert board("settings", "size", "--title", f"Size {number}").status == 0
        before = board_ranking.rows_digest(open_store(), "b")
        assert before == after, change


def test_ranks_of_past_days_are_those_of_the_submissions_that_counted_then(crowded):
    by_day = crowded.ranks_by_day
    assert by_day["2026-09-01"] == {f"team{k:02}": k + 1 for k in range(TEAMS)}
    for day, ranks in by_day.items():
        past = [entry for entry in crowded.entries if entry.created[:10] <= day]
        counted = board_ranking.counting(past, "last", SHARE)
        scores = {team: entry.score for team, entry in counted.items()}
        assert ranks == {
            team: 1 + sum(other > score + 1e-12 for other in scores.values())
            for team, score in scores.items()
        }


def test_a_report_lists_the_newest_submissions_and_the_appendix_all(crowded, monkeypatch):
    monkeypatch.setattr(public_report, "LISTED", len(crowded.entries))
    assert public_report.appendix(crowded) == ""
    monkeypatch.setattr(public_report, "LISTED", 40)
    texts = [public_report.html(crowded), public_report.appendix(crowded)]
    listed = [re.findall(r"2026-\d\d-\d\d \d\d:\d\d", text) for text in texts]
    assert len(listed[1]) == len(crowded.entries)
    assert sorted(listed[0])[-40:] == sorted(listed[1])[-40:]
    assert f"This table lists the newest 40 of {len(crowded.entries)} submissions" in texts[0]


def test_a_report_of_more_than_15_teams_draws_all(place, tmp_path):
    text = public_report.html(crowd(tmp_path, 20, 1))
    assert "Which teams could be the best?" in text
    for k in range(20):
        assert re.search(rf">\d+\s+team{k:02}</text>", text)


@pytest.mark.soak
@pytest.mark.parametrize(("teams", "most"), [(10, 1.5), (50, 1.5), (100, 1.5), (200, 3)])
def test_100_submissions_of_each_team_open_in_seconds(database, tmp_path, teams, most):
    """In processor time, since other programs may run."""
    crowd(tmp_path, teams, 100)
    started = time.process_time()
    found = board_ranking.board_ranking(opened(open_store(), "b"))
    views.sections(found)
    views.submissions(found)
    opening, started = time.process_time() - started, time.process_time()
    text = public_report.html(board_ranking.board_ranking(opened(open_store(), "b")))
    reporting = time.process_time() - started
    loaded = os.getloadavg()[0]
    print(f"{teams} teams: {opening:.2f} s to open, {reporting:.2f} s to report, load {loaded:.0f}")
    assert len(found.entries) == teams * 100 + 3
    assert opening <= most
    assert reporting <= 10
    assert len(text.encode()) <= 1_000_000
