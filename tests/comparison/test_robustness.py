"""Ranks under other rules, restated by sorting."""

import numpy as np
import pytest
import scipy.stats

import scoring
from scoring.challenges import samples
from scoring.comparison import robustness
from scoring.comparison.compare import compare_cards
from scoring.comparison.robustness import at_the_ring, held_fixed, weight_map, what_if
from scoring.statistics import intervals
from scoring.statistics.ranking import SCHEMES, rank_cases
from tests.support.patients import two_orders
from tests.support.teams import lesion_teams, risk_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(8, 70, (0.4, 1, 1.1, 3), resamples=0)


def placed(values: list[float]) -> tuple[int, ...]:
    return tuple(1 + sum(round(other, 12) > round(value, 12) for other in values) for value in values)


def test_rules(found):
    table = robustness.robustness(found)
    cards = list(found.cards.values())
    of_kind = {
        kind: [rule for rule in table.rules if rule.kind == kind]
        for kind in ("official", "metric", "scheme", "subgroup")
    }
    assert [rule.ranks for rule in of_kind["official"]] == [tuple(found.ranks[name] for name in found.cards)]
    assert [rule.name for rule in of_kind["metric"]] == list(found.spec.metrics)
    for rule in of_kind["metric"]:
        assert rule.ranks == placed([card.metrics[rule.name] for card in cards])
    right = [[float(row["correct"]) for row in card.cases] for card in cards]
    left_out = [name for name in SCHEMES if set(rank_cases(right, name)["ranks"]) == {1}]
    assert list(table.all_alike) == left_out
    assert [rule.name for rule in of_kind["scheme"]] == [name for name in SCHEMES if name not in left_out]
    for rule in of_kind["scheme"]:
        assert list(rule.ranks) == rank_cases(right, rule.name)["ranks"]
    assert {rule.small for rule in of_kind["subgroup"]} == {True, False}


def test_worst_place_and_tau(found):
    table = robustness.robustness(found)
    medians = ("median_then_rank", "rank_then_median")  # of right and wrong: they part next to nobody
    counted = np.array([rule.ranks for rule in table.rules if not rule.small and rule.name not in medians])
    assert table.worst == tuple(max(column) for column in counted.T.tolist())
    assert table.best == tuple(min(column) for column in counted.T.tolist())
    for rule in table.rules:
        tau = scipy.stats.kendalltau(table.rules[0].ranks, rule.ranks).statistic
        assert (
            rule.kendall_tau == pytest.approx(tau, nan_ok=True)
            if rule.kendall_tau is not None
            else np.isnan(tau)
        )


def test_a_median_of_right_and_wrong_moves_nobody_to_the_front():
    table = robustness.robustness(lesion_teams(8, 70, (0, 3, 4, 5), resamples=0))
    ranks = {rule.name: rule.ranks for rule in table.rules}
    assert ranks["median_then_rank"][:3] == (1, 1, 1)
    assert table.best[-1] == 4


def test_a_median_of_values_between_counts():
    puma, sample = scoring.load_challenge("puma"), samples.test_sets("puma")["sample"]
    truth = puma.read_truth(sample.path)
    sent = {name: puma.read_predictions(sample.submissions[name].path, truth) for name in ("rigel", "sirius")}
    rules = robustness.robustness(scoring.compare(puma, truth, sent, resamples=0)).rules
    assert "median_then_rank" in [rule.name for rule in rules]
    assert not any(rule.coarse for rule in rules)


def test_beyond_twenty_teams_no_pair_is_tested():
    many = lesion_teams(9, 12, [1.0] * 21, resamples=0)
    assert "test_then_rank" not in [rule.name for rule in robustness.robustness(many).rules]


def test_a_rule_by_which_all_share_the_first_place_is_left_out():
    table = robustness.robustness(lesion_teams(8, 70, (3, 4, 5), resamples=0))
    assert "rank_then_median" in table.all_alike
    assert not any(len(set(rule.ranks)) == 1 for rule in table.rules if rule.kind == "scheme")
    alone = robustness.robustness(lesion_teams(8, 30, (3,), resamples=0))
    assert alone.all_alike == ()


LESION_KNOBS = {
    "malignant": 5,
    "medium": 1,
    "benign": 0.5,
    "accuracy": 20,
    "weighted_f1": 70,
    "efficiency_score": 10,
}


@pytest.fixture(scope="module")
def lesions():
    sizes = {"a": {"model_size_mib": 120.0}, "b": {"model_size_mib": 60.0}}
    return lesion_teams(10, 90, (1.5, 1.2, 0.6), resamples=80, options=sizes)


@pytest.fixture(scope="module")
def risks():
    return risk_teams(11, 90, (0.2, 0.3, 0.7), resamples=80)


@pytest.mark.parametrize("name", ["lesions", "risks"])
def test_the_usual_numbers_give_the_official_comparison(name, request):
    found = request.getfixturevalue(name)
    again = what_if(found, {})
    assert again.teams == tuple(found.cards)
    assert again.scores == tuple(card.score for card in found.cards.values())
    assert again.ranks == tuple(found.ranks[team] for team in again.teams)
    assert np.array(again.intervals) == pytest.approx(
        np.array([card.intervals["score"] for card in found.cards.values()]), abs=1e-12
    )
    assert again.result.rank_intervals == found.result.rank_intervals
    assert again.result.critical_value == pytest.approx(found.result.critical_value, abs=1e-9)


def test_lesions_under_other_weights(lesions):
    again = what_if(lesions, LESION_KNOBS)
    expected = {}
    for name, card in lesions.cards.items():
        m = card.metrics
        f1 = (5 * m["f1_malignant"] + m["f1_medium"] + 0.5 * m["f1_benign"]) / 6.5
        expected[name] = 0.2 * m["accuracy"] + 0.7 * f1 + 0.1 * m["efficiency_score"]
    assert dict(zip(again.teams, again.scores, strict=True)) == pytest.approx(expected, abs=2e-6)
    assert list(again.teams) == sorted(expected, key=expected.get, reverse=True)


def test_risks_under_another_beta_in_every_replicate(risks):
    again = what_if(risks, {"beta": 1, "f2": 50, "accuracy": 0, "auc": 50})
    for name, score, interval in zip(again.teams, again.scores, again.intervals, strict=True):
        card = risks.cards[name]
        assert score == pytest.approx((card.metrics["f1"] + card.metrics["auc"]) / 2, abs=1e-12)
        left_out, drawn = (
            (card.arrays[f"f1_{kind}"] + card.arrays[f"auc_{kind}"]) / 2
            for kind in ("left_out", "replicates")
        )
        expected = intervals.wilson_t(intervals.estimated(score, drawn, left_out, len(left_out)))
        assert interval == pytest.approx(expected, abs=1e-12)


def test_no_weight_at_all_is_no_score(risks, lesions):
    for found, parameters in (
        (risks, {"f2": 0, "accuracy": 0, "auc": 0}),
        (lesions, {"malignant": 0, "medium": 0, "benign": 0}),
    ):
        again = what_if(found, parameters)
        assert set(again.scores) == {None}
        assert (set(again.ranks), again.result.pairs) == ({1}, ())


def test_a_map_of_three_groups_of_classes(lesions):
    grid = weight_map(lesions)
    assert (grid.metrics, grid.by_rank, len(grid.weights)) == (
        ("f1_malignant", "f1_medium", "f1_benign"),
        None,
        51 * 52 // 2,
    )
    assert grid.official == pytest.approx((1 / 2, 1 / 3, 1 / 6))
    assert grid.weights.sum(1) == pytest.approx(1)
    for place in range(0, len(grid.weights), 97):
        of_groups = dict(zip(("malignant", "medium", "benign"), grid.weights[place], strict=True))
        again = what_if(lesions, of_groups)
        firsts = {team for team, rank in zip(again.teams, again.ranks, strict=True) if rank == 1}
        assert {
            team for team, share in zip(grid.teams, grid.by_score.first[place], strict=True) if share
        } == firsts
    assert grid.by_score.area.sum() == pytest.approx(1)
    assert grid.by_score.area == pytest.approx(grid.by_score.first.mean(0))


def test_weighted_ranks_have_a_map_too():
    challenge, sample = (
        scoring.load_challenge("hecktor2026"),
        next(iter(samples.test_sets("hecktor2026").values())),
    )
    truth = challenge.read_truth(sample.path)
    sent = {
        name: challenge.read_predictions(submission.path, truth)
        for name, submission in sample.submissions.items()
    }
    found = scoring.compare(challenge, truth, sent, resamples=0)
    grid = weight_map(found)
    parts = np.array([[found.cards[team].metrics[metric] for team in grid.teams] for metric in grid.metrics])
    ranks = 1 + (parts[:, None] > parts[:, :, None] + 1e-12).sum(2)
    for place in range(0, len(grid.weights), 101):
        totals = np.round(grid.weights[place] @ ranks, 9)
        assert (grid.by_rank.first[place] > 0).tolist() == (totals == totals.min()).tolist()
        scores = np.round(grid.weights[place] @ parts, 9)
        assert (grid.by_score.first[place] > 0).tolist() == (scores == scores.max()).tolist()
    assert what_if(found, {"segmentation": 1, "staging": 0, "c_index": 0}).scores[0] == pytest.approx(
        parts[0].max()
    )


def test_nothing_to_turn(risks):
    assert weight_map(risks) is None


def test_the_map_says_what_it_holds_fixed_and_who_is_first_at_the_ring(lesions):
    grid = weight_map(lesions)
    assert at_the_ring(grid, grid.by_score) == (lesions.scored[0],)
    words = held_fixed(lesions, grid)
    assert "together have 45% of the score" in words
    assert "The other 55% (accuracy and efficiency) do not change" in words


def test_the_ring_of_weighted_ranks_is_not_that_of_the_score():
    found = compare_cards(scoring.load_challenge("hecktor2026"), two_orders())
    grid = weight_map(found)
    assert at_the_ring(grid, grid.by_rank) == ("steady",)
    assert at_the_ring(grid, grid.by_score) == ("uneven",)
    assert "weighted sum of these three parts" in held_fixed(found, grid)
