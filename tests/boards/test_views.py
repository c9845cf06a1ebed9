"""What is shown of a board: what organizers see of a correction, and what became of each submission."""

from scoring.boards import views
from scoring.boards.board import opened
from scoring.boards.bundles import bundle
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions.submitting import exclude
from scoring.boards.truth_correction import rescoring
from scoring.boards.truth_correction.correction_preview import correction, corrections
from scoring.challenges.recognition import recognise
from scoring.comparison import score_units
from scoring.comparison.compare import compare_cards
from scoring.core.views import Table
from scoring.store.database import open_store
from tests.support import bundles
from tests.support.boards import labels


def test_a_correction_is_told_by_team_and_by_case(sent, tmp_path):
    store = open_store()
    board = rescoring.rescore(store, "b", str(labels(tmp_path / "corrected.csv")))
    found = correction(board, opened(store, "b", 1))
    changed, (by_team, by_case) = found.changes, corrections(board, found)
    assert found.moves == "Of 2 teams: 2 with another rank."
    assert correction(board, board).moves == "Of 2 teams: all keep their ranks."
    factor = score_units.of(board.challenge).factor
    assert by_team.rows["team"] == [one.team for one in changed]
    assert by_team.rows["change"] == [factor * (one.scores[1] - one.scores[0]) for one in changed]
    assert set(by_case.rows["case"]) == {case for one in changed for case in one.cases}
    assert by_team.rows["gained"] == [len(one.gained) for one in changed]
    for case, gained, lost in zip(*(by_case.rows[name] for name in ("case", "gained", "lost")), strict=True):
        assert gained == ", ".join(one.team for one in changed if case in one.gained)
        assert lost == ", ".join(one.team for one in changed if case in one.cases and case not in one.gained)


def test_every_submission_has_a_state(sent):
    store = open_store()
    newest = board_ranking(opened(store, "b")).entries[-1]
    exclude(store, "b", newest.id, "sent by mistake")
    found = board_ranking(opened(store, "b"))
    table = views.submissions(found)
    assert isinstance(table, Table)
    states = dict(zip(table.rows["id"], table.rows["state"], strict=True))
    assert states[newest.id] == "excluded: sent by mistake"
    assert sorted(states.values())[0] == "counts"
    ranking, history = views.sections(found)
    assert [len(block.rows["team"]) for block in ranking.blocks if isinstance(block, Table)] == [2]
    tables = [block for block in history.blocks if isinstance(block, Table)]
    assert [table.question for table in tables] == [
        "How did the ranks change over time?",
        "What was excluded?",
    ]


def test_a_bundle_is_recognised_and_says_what_is_ranked(sent):
    board = opened(open_store(), "b")
    data = bundle.export(board, with_truth=False)
    (found,) = recognise({"b.zip": data})
    assert (found.readings[0].place, found.readings[0].words) == ("board", "a board of Melanoma with 2 teams")
    counted = bundle.counted(data)
    ranked = board_ranking(board).counting
    assert {team: name for team, (name, _, _) in counted.teams.items()} == {
        team: one.name for team, one in ranked.items()
    }
    assert counted.truth is None
    assert bundle.counted(bundle.export(board, with_truth=True)).truth[0] == "labels.csv"


def test_a_bundle_whose_challenge_hides_a_character_says_so():
    (found,) = recognise({"b.zip": bundles.with_value("board.options.declaration", {"title": "a\xadb"})})
    assert found.why_not == (
        "the challenge of this board has a problem: title: it contains the hidden character U+00AD: write it "
        "without that character."
    )


def test_claims_know_of_every_submission_and_the_best_of_several_is_said_to_be_so(sent):
    store = open_store()
    newest = board_ranking(opened(store, "b")).entries[-1]
    exclude(store, "b", newest.id, "sent by mistake")
    found = board_ranking(opened(store, "b"))
    cards = {team: found.card(entry) for team, entry in found.counting.items()}
    looked_at = compare_cards(found.board.challenge, cards, submissions=len(found.entries)).result
    alone = compare_cards(found.board.challenge, cards).result
    assert found.comparison.result.pairs == looked_at.pairs
    assert looked_at.critical_value > alone.critical_value
    sentence = f"After {len(found.entries)} submissions, two teams are told apart only by a larger lead"
    assert sentence in views.looks(found)
    assert "best score of several submissions" not in views.looks(found)
    assert any(len(found.by_team[team]) > 1 for team in cards)
    found.board.row.counts = "best"
    assert "best score of several submissions" in views.looks(found)
