"""Ranks under other rules, restated by sorting."""

import numpy as np
import pytest
import scipy.stats

import scoring
from scoring.challenges import samples
from scoring.comparison import robustness
from scoring.statistics.ranking import SCHEMES, rank_cases
from tests.support.teams import lesion_teams


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
