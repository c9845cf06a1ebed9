"""Two orders of teams against a plain restatement, in the point and in every replicate."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.challenges.hecktor2026.ranking import rank
from scoring.comparison import score_units as scales
from scoring.comparison import summary_text
from scoring.comparison.compare import compare_cards
from scoring.comparison.team_views import withdrawals
from scoring.core.comparison_spec import Ranking
from tests.support.findings import codes, places, refused
from tests.support.patients import CHALLENGE, labels, submission_folder, truth_folder, two_orders
from tests.support.patients import subtask_card as card
from tests.support.soak import FACTOR

WEIGHTED = json.loads(
    (Path(__file__).parents[2] / "golden" / "ranking" / "weighted-ranks.json").read_text(encoding="utf-8")
)
VALUES = st.sampled_from([0.1, 0.2, 0.30000000000000004, 0.3, 0.5])
TEAMS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=7
)


def ranked(cards: dict, order: str = "rank", rank_ties: str = "min") -> Ranking:
    return rank(cards, {"order": order, "rank_ties": rank_ties})


def by_weighted_rank(teams: dict, ties: str = "min") -> tuple[dict, dict]:
    """Subtask ranks and place of every team, in fractions."""
    ranks = {name: [] for name in teams}
    for k in range(3):
        values = {name: -1 if parts[k] is None else round(parts[k], 12) for name, parts in teams.items()}
        for name, value in values.items():
            above, equal = sum(v > value for v in values.values()), sum(v == value for v in values.values())
            ranks[name].append(Fraction(2 * above + (equal + 1 if ties == "average" else 2), 2))
    keys = {}
    for name, (a, b, c) in ranks.items():
        weighted, plain = (5 * a + 7 * b + 8 * c) / 20, (a + b + c) / 3
        keys[name] = (None in teams[name], weighted, abs(weighted - plain))
    return ranks, {name: 1 + sum(other < key for other in keys.values()) for name, key in keys.items()}


def by_score(teams: dict) -> dict:
    keys = {}
    for name, parts in teams.items():
        score = 0.25 * parts[0] + 0.35 * parts[1] + 0.4 * parts[2]
        keys[name] = (-round(score, 12), round(abs(score - sum(parts) / 3), 12))
    return {name: 1 + sum(other < key for other in keys.values()) for name, key in keys.items()}


@pytest.mark.slow
@given(TEAMS, st.sampled_from(["min", "average"]))
@settings(max_examples=60 * FACTOR, deadline=None)
def test_both_orders_restated(teams, ties):
    cards = {name: card(parts) for name, parts in teams.items()}
    found = ranked(cards, order="rank", rank_ties=ties)
    ranks, places_by_rank = by_weighted_rank(teams, ties)
    places_by_score = by_score(teams)
    assert found.ranks == places_by_rank
    assert ranked(cards, order="score", rank_ties=ties).ranks == places_by_score
    for name, (a, b, c) in ranks.items():
        row, weighted, plain = found.of_teams[name], (5 * a + 7 * b + 8 * c) / 20, (a + b + c) / 3
        assert list(row["subtask_ranks"].values()) == [a, b, c]
        assert row["weighted_rank_total"] == 5 * a + 7 * b + 8 * c
        assert row["weighted_rank"] == float(weighted)
        assert row["unweighted_rank"] == pytest.approx(float(plain))
        assert row["rank_consistency"] == pytest.approx(float(abs(weighted - plain)))
        assert (row["rank_by_weighted_rank"], row["rank_by_score"]) == (
            places_by_rank[name],
            places_by_score[name],
        )
    names = sorted(teams)
    assert found.more["orderings"]["score"] == sorted(names, key=lambda name: (places_by_score[name], name))
    assert found.more["orderings_disagree"] == [
        [a, b]
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if np.sign(places_by_rank[a] - places_by_rank[b]) != np.sign(places_by_score[a] - places_by_score[b])
    ]
    for entry in found.more["leave_one_team_out"]:
        others = {name: parts for name, parts in teams.items() if name != entry["without"]}
        places = by_weighted_rank(others, ties)[1]
        assert entry["first"] == sorted(name for name, place in places.items() if place == 1)
        now = sorted(others, key=lambda name: (places_by_rank[name], name))
        assert entry["swapped"] == [
            [a, b]
            for i, a in enumerate(now)
            for b in now[i + 1 :]
            if np.sign(places_by_rank[a] - places_by_rank[b]) != np.sign(places[a] - places[b])
        ]


@pytest.mark.parametrize("case", WEIGHTED["cases"], ids=lambda case: case["about"])
def test_weighted_ranks_worked_by_hand(case):
    """Of equal sums, which share a rank there, consistency puts one before the other here."""
    names, expected = "abcdefgh"[: len(case["scores"][0])], case["weighted_ranks"]
    found = ranked({name: card(parts) for name, *parts in zip(names, *case["scores"], strict=True)})
    rows = [found.of_teams[name] for name in names]
    assert [list(row["subtask_ranks"].values()) for row in rows] == np.transpose(
        expected["subtask_ranks"]
    ).tolist()
    assert [row["weighted_rank"] for row in rows] == pytest.approx(expected["totals"], abs=1e-9)
    for a, b in itertools.combinations(range(len(names)), 2):
        if expected["ranks"][a] != expected["ranks"][b]:
            apart = found.ranks[names[a]] < found.ranks[names[b]]
            assert apart == (expected["ranks"][a] < expected["ranks"][b])
    for entry, row in zip(found.more["leave_one_team_out"], case["leave_one_team_out"], strict=True):
        assert entry["without"] == names[row["without"]]
        assert set(entry["first"]) <= {names[team] for team in row["first"]}


def test_consistency_breaks_the_tie_of_the_definition():
    first = {"a": (0.9, 0.8, 0.8), "b": (0.5, 0.9, 0.9), "c": (0.8, 0.1, 0.1), "d": (0.7, 0.2, 0.2)}
    found = ranked({name: card(parts) for name, parts in first.items()})
    assert [found.of_teams[name]["weighted_rank"] for name in "ab"] == [1.75, 1.75]
    assert (found.ranks["a"], found.ranks["b"]) == (1, 2)


def test_consistency_of_the_scores_breaks_their_tie():
    cards = {"a": card((0.78, 0.3, 0.5)), "b": card((0.5, 0.5, 0.5))}
    assert cards["a"].score == pytest.approx(cards["b"].score, abs=1e-13)
    assert ranked(cards, order="score").ranks == {"a": 2, "b": 1}


def test_a_team_without_a_score_takes_no_replicate_from_the_others():
    drawn = np.random.default_rng(0).random((9, 3))
    undefined = np.where([False, False, True], np.nan, drawn)
    cards = {
        "a": card((0.4, 0.4, 0.4), drawn),
        "b": card((0.3, 0.3, 0.3), drawn / 2),
        "none": card((0.9, 0.9, None), undefined),
    }
    found = ranked(cards, order="rank").places
    assert {name: found[name].tolist() for name in cards} == {"a": [1] * 9, "b": [2] * 9, "none": [3] * 9}


def test_places_in_every_replicate():
    random = np.random.default_rng(3)
    drawn = {name: random.integers(0, 4, (40, 3)) / 10 for name in "abcd"}
    drawn["b"][5, 2] = np.nan
    cards = {
        name: card(tuple(rows.mean(0)) if name != "b" else (0.1, 0.2, 0.1), rows)
        for name, rows in drawn.items()
    }
    found = ranked(cards, order="rank")
    kept = [b for b in range(40) if b != 5]
    expected = [by_weighted_rank({name: tuple(rows[b]) for name, rows in drawn.items()})[1] for b in kept]
    assert {name: found.places[name].tolist() for name in drawn} == {
        name: [row[name] for row in expected] for name in drawn
    }
    compared = compare_cards(CHALLENGE, cards, pairs_test="bootstrap")
    for team in compared.as_dict()["teams"]:
        at = [row[team["team"]] for row in expected]
        assert team["rank_interval"] == pytest.approx(np.quantile(at, [0.025, 0.975]))
        shares = [1 / list(row.values()).count(1) if row[team["team"]] == 1 else 0 for row in expected]
        assert team["share_of_resamples_won"] == pytest.approx(np.mean(shares))
        assert team["rank_shares"] == pytest.approx([at.count(place) / len(at) for place in range(1, 5)])


def test_an_order_that_is_not_the_scores_separates_all_the_same():
    random = np.random.default_rng(0)
    noise = random.normal(0, 0.001, (200, 3))
    cards = {
        "low": card((0.9, 0.2, 0.5), np.array([0.9, 0.2, 0.5]) + noise),
        "high": card((0.1, 0.95, 0.49), np.array([0.1, 0.95, 0.49]) + noise),
    }
    result = compare_cards(CHALLENGE, cards, pairs_test="bootstrap").as_dict()
    assert [team["team"] for team in result["teams"]] == ["low", "high"]
    assert result["pairs"][0]["difference"] < 0
    assert result["pairs"][0]["separated"]
    assert [team["tied_for_first"] for team in result["teams"]] == [True, False]
    by_score_order = compare_cards(CHALLENGE, cards, order="score", pairs_test="bootstrap").as_dict()
    assert [team["team"] for team in by_score_order["teams"]] == ["high", "low"]
    assert [team["rank_interval"] for team in by_score_order["teams"]] == [[1, 1], [2, 2]]
    assert by_score_order["provenance"]["options"] == {"order": "score", "rank_ties": "min"}


def test_a_team_without_a_score_comes_after_all_others():
    cards = {"best": card((0.9, 0.9, None)), "b": card((0.1, 0.1, 0.1)), "c": card((0.2, 0.1, 0.1))}
    for order in ("rank", "score"):
        assert ranked(cards, order=order).ranks == {"c": 1, "b": 2, "best": 3}


def test_a_subtask_that_the_truth_cannot_score_leaves_the_others_to_place_the_teams():
    cards = {"a": card((0.4, 0.9, None)), "b": card((0.5, 0.1, None)), "c": card((0.1, 0.1, None))}
    found = ranked(cards)
    assert found.ranks == {"a": 1, "b": 2, "c": 3}
    assert [row["subtask_ranks"]["prognosis"] for row in found.of_teams.values()] == [1, 1, 1]
    assert places(found.findings) == [("subtask-not-scored", "prognosis")]
    assert set(ranked(cards, order="score").ranks.values()) == {1}


def test_wrong_orders_are_refused():
    problems = refused(
        compare_cards, CHALLENGE, {"a": card((1, 1, 1))}, order="luck", rank_ties="max"
    ).problems
    assert [p.where for p in problems] == ["--order", "--rank-ties"]


def test_files_compared():
    rows = [
        {
            "PatientID": f"P{i}",
            "T_stage": f"T{1 + i % 3}",
            "N_stage": f"N{i % 3}",
            "Relapse": i % 2,
            "RFS": 40 * i,
        }
        for i in range(8)
    ]
    masks = {f"P{i}": labels(*[1 + i % 2] * (i % 5)) for i in range(8)}
    truth = CHALLENGE.read_truth(truth_folder(rows, masks))
    guess = [
        {"PatientID": row["PatientID"], "T_stage": row["T_stage"], "N_stage": "N1", "RFS": row["RFS"]}
        for row in rows
    ]
    sources = {"good": (guess, masks), "same": (guess, masks), "fewer": (guess[:4], {})}
    teams = {
        name: CHALLENGE.read_predictions(submission_folder(*source), truth)
        for name, source in sources.items()
    }
    result = scoring.compare(
        CHALLENGE, truth, teams, resamples=60, seed=2, rank_ties="average", missing_risk="half"
    ).as_dict()
    assert [(team["team"], team["rank"]) for team in result["teams"]] == [
        ("good", 1),
        ("same", 1),
        ("fewer", 3),
    ]
    assert result["identical"] == [["good", "same"]]
    assert "identical-submissions" in codes_of(result)
    assert result["teams"][0]["subtask_ranks"] == {"segmentation": 1.5, "staging": 1.5, "prognosis": 1.5}
    assert result["provenance"]["options"]["rank_ties"] == "average"
    assert result["provenance"]["options"]["missing_risk"] == "half"
    alone = CHALLENGE.score(truth, teams["fewer"], resamples=60, seed=2, missing_risk="half")
    assert result["teams"][2]["intervals"] == alone.intervals
    assert "subtask-missing" in codes(alone.findings)


def codes_of(result: dict) -> list[str]:
    return [finding["code"] for finding in result["findings"]]


def test_words_and_leads_follow_the_chosen_order():
    scale = scales.of(CHALLENGE)
    by_rank = compare_cards(CHALLENGE, two_orders())
    assert by_rank.scored == ("steady", "uneven", "last")
    lead = summary_text.lead(by_rank, scale)
    assert (lead.over, lead.value, lead.below) == ("uneven", "0.30", "weighted rank 1.35, then 1.65")
    assert "−0.058" in lead.explain
    assert summary_text.order(by_rank).startswith("Teams are ordered by weighted ranks")
    words = summary_text.leaders(by_rank)
    assert words.startswith("steady is ranked first by weighted rank.")
    assert words.endswith("The highest score belongs to uneven, which has rank 2.")
    by_score = compare_cards(CHALLENGE, two_orders(), order="score")
    lead = summary_text.lead(by_score, scale)
    assert (lead.over, lead.value) == ("steady", "+0.058")
    assert summary_text.order(by_score).startswith("Teams are ordered by weighted score")


def test_who_could_be_first_is_a_matter_of_the_chosen_order():
    random = np.random.default_rng(0)
    by_rank = compare_cards(CHALLENGE, two_orders(random.normal(0, 0.001, (200, 3))), pairs_test="bootstrap")
    assert summary_text.tied(by_rank) == ("steady",)
    assert (summary_text.band(by_rank), summary_text.tie(by_rank)) == (0, "could be first")
    assert "No other team's 95% range of ranks includes rank 1." in summary_text.leaders(by_rank)
    close = compare_cards(CHALLENGE, two_orders(random.normal(0, 0.5, (200, 3))), pairs_test="bootstrap")
    assert summary_text.tied(close)[:2] == ("steady", "uneven")
    assert "uneven" in summary_text.leaders(close).split("could be first as well")[0]


def test_the_table_of_withdrawals_says_what_they_change():
    ring = {"a": card((0.9, 0.5, 0.5)), "b": card((0.5, 0.9, 0.4)), "c": card((0.4, 0.4, 0.9))}
    for cards in (ring, two_orders()):
        found = compare_cards(CHALLENGE, cards)
        table = withdrawals(found)
        moved = {
            entry["without"] for entry in found.own_ranking.more["leave_one_team_out"] if entry["swapped"]
        }
        said = dict(zip(table.rows["without"], table.rows["swapped"], strict=True))
        assert {name for name, words in said.items() if words != "none"} == moved
        assert ("No single withdrawal would change" in table.caption) is (not moved)
