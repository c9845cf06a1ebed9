"""Boards of many submissions: each submission is looked at a few times, however many there are."""

import pytest

from scoring.common.quantities import SHARE
from scoring.services.boards import hidden_rules, hidden_truth, packing, publishing, ranking, views
from scoring.services.boards.board import opened
from scoring.services.store import tables
from scoring.services.store.database import open_store
from tests.support.boards import filled

TEAMS, EACH = 12, 25


@pytest.fixture
def crowded(place, tmp_path):
    """The board "b" with 12 more teams of 25 submissions, whose scores are the rows'; they share a card."""
    filled(tmp_path)
    store = open_store()
    before = ranking.board_ranking(opened(store, "b"))
    first = before.entries[0]
    with store.write() as session:
        for k in range(TEAMS):
            session.add(tables.Team(board_id="b", name=f"team{k:02}", created=tables.now()))
        session.flush()
        for k in range(TEAMS):
            for n in range(EACH):
                time = f"2026-09-{n + 1:02}T10:00:{k:02}.000000+00:00"
                of_file = {"name": "p.csv", "sha256": f"{k:032}{n:032}", "options": {}}
                known = {"id": f"s{k}-{n}", "board_id": "b", "team": f"team{k:02}", "created": time}
                session.add(tables.Submission(**known, **of_file, dated=True))
        session.flush()
        for k in range(TEAMS):
            for n in range(EACH):
                key = {"submission_id": f"s{k}-{n}", "number": 1, "board_id": "b", "card": first.card}
                session.add(
                    tables.ScoredVersion(**key, score=first.score - k / 100, problems=[], program="0")
                )
    return ranking.board_ranking(opened(store, "b"))


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_page_looks_at_each_submission_a_few_times(crowded, is_hidden, monkeypatch):
    """Ranked anew for each submission, which is what the page did, each was looked at as often as there are
    submissions."""
    seen = []
    looked_at = ranking.counting

    def counting(entries, *more, **named):
        return looked_at((seen.append(e) or e for e in entries), *more, **named)

    monkeypatch.setattr(ranking, "counting", counting)
    monkeypatch.setattr(hidden_truth, "counting", counting)
    read = []
    opened_card = packing.card_from_bytes
    monkeypatch.setattr(packing, "card_from_bytes", lambda data: read.append(data) or opened_card(data))
    if is_hidden:
        hidden_truth.hide(crowded.board.store, "b", hidden_rules.HiddenRules(step=0.01))
        publishing.sections(ranking.board_ranking(crowded.board))
    else:
        views.sections(crowded)
        views.submissions(crowded)
    assert len(crowded.entries) == TEAMS * EACH + 3
    assert len(seen) <= 3 * len(crowded.entries)
    assert len(read) <= TEAMS + 2


def test_ranks_of_past_days_are_those_of_the_submissions_that_counted_then(crowded):
    by_day = crowded.ranks_by_day
    assert by_day["2026-09-01"] == {f"team{k:02}": k + 1 for k in range(TEAMS)}
    for day, ranks in by_day.items():
        past = [entry for entry in crowded.entries if entry.created[:10] <= day]
        counted = ranking.counting(past, "last", SHARE)
        scores = {team: entry.score for team, entry in counted.items()}
        assert ranks == {
            team: 1 + sum(other > score + 1e-12 for other in scores.values())
            for team, score in scores.items()
        }
