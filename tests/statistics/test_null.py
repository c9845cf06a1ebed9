"""Error rates where the truth is known: teams that are equal by construction, on many test sets drawn with
fixed seeds.

The bounds are 99.9 % quantiles of the number of errors at the rates that were measured when the methods were
chosen. `make soak` draws more test sets.
"""

import numpy as np
import pytest
import scipy.stats

from scoring.challenges.tricorder3.formula import CLASSES, weighted_f1
from scoring.metrics import classification
from scoring.statistics import intervals
from scoring.statistics.mcnemar_delong_wilcoxon import delong, mcnemar, wilcoxon
from scoring.statistics.replicate_comparison import Resampled, compare
from scoring.statistics.replicates import replicate_weights
from tests.support.soak import FACTOR

SETS, RESAMPLES = 50 * FACTOR, 300
K = len(CLASSES)


def most(rate: float, sets: int = SETS) -> int:
    return int(scipy.stats.binom.ppf(0.999, sets, rate))


def labels_of_equal_teams(
    random: np.random.Generator, n: int, teams: int, skill: float = 0.7
) -> tuple[np.ndarray, np.ndarray]:
    """A truth [n] and labels [A, n]: all teams are right with the same chance in the same case, so they agree
    more than by chance."""
    truth = random.integers(0, K, n)
    chance = np.clip(random.beta(4 * skill, 4 * (1 - skill), n), 0.02, 0.98)
    right = random.random((teams, n)) < chance
    return truth, np.where(right, truth, (truth + random.integers(1, K, (teams, n))) % K)


def scores(truth: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The score of TRICORDER-3 without its size [B]."""
    c = classification.counts(truth, labels, weights, K)
    return (classification.accuracy(c) + weighted_f1(classification.f1(c))) / 2


def compared(seed: int, n: int, teams: int):
    truth, labels = labels_of_equal_teams(np.random.default_rng(seed), n, teams)
    weights = next(replicate_weights(np.arange(n), RESAMPLES, seed))
    point = np.array([scores(truth, row, np.ones((1, n), np.float32))[0] for row in labels])
    order = np.argsort(-point, kind="stable")
    drawn = np.array([scores(truth, labels[team], weights) for team in order])
    return compare(point[order], Resampled(drawn, n), pairs_test="bootstrap")


@pytest.mark.slow
def test_equal_teams_are_seldom_parted():
    found = [compared(seed, 200, 8) for seed in range(SETS)]
    assert sum(any(pair.separated for pair in one.pairs) for one in found) <= most(0.05)
    assert sum(any(pair.p_adjusted <= 0.05 for pair in one.pairs) for one in found) <= most(0.05)
    assert sum(not all(one.tied_for_first) for one in found) <= most(0.05)
    # Unadjusted, somebody is called worse on most test sets: the adjustment is what holds the rate.
    assert sum(any(pair.p_value <= 0.05 for pair in one.pairs) for one in found) > SETS / 3


@pytest.mark.slow
def test_two_equal_teams_are_shown_as_tied():
    found = [compared(1000 + seed, 300, 2) for seed in range(SETS)]
    assert sum(one.tied_for_first != [True, True] for one in found) <= most(0.06)
    assert sum(one.pairs[0].p_value <= 0.05 for one in found) <= most(0.06)
    outside = [one.pairs[0].interval[0] > 0 or one.pairs[0].interval[1] < 0 for one in found]
    assert sum(outside) <= most(0.08)


@pytest.mark.slow
def test_the_winner_of_equal_teams_is_no_certain_one():
    found = [compared(2000 + seed, 200, 8) for seed in range(SETS // 2)]
    shares = [max(one.shares_won) for one in found]
    assert 1 / 8 < np.mean(shares) < 0.75
    assert np.mean([one.winner_optimism for one in found]) > 0


def test_a_better_team_is_found():
    def parted(seed: int) -> bool:
        random = np.random.default_rng(seed)
        truth, labels = labels_of_equal_teams(random, 400, 2)
        labels[0] = np.where(random.random(400) < 0.5, truth, labels[0])
        weights = next(replicate_weights(np.arange(400), RESAMPLES, seed))
        point = [scores(truth, row, np.ones((1, 400), np.float32))[0] for row in labels]
        drawn = np.array([scores(truth, row, weights) for row in labels])
        return compare(point, Resampled(drawn, 400), pairs_test="bootstrap").tied_for_first == [True, False]

    assert sum(map(parted, range(20))) >= 19


@pytest.mark.parametrize("test", ["mcnemar", "delong", "wilcoxon"])
def test_paired_tests_keep_their_level(test):
    rejected = 0
    for seed in range(4 * SETS):
        random = np.random.default_rng(seed)
        common = random.normal(size=150)
        a, b = (common + random.normal(size=150) for _ in range(2))
        if test == "mcnemar":
            rejected += mcnemar(a > 0, b > 0) <= 0.05
        elif test == "delong":
            rejected += delong(a, b, common + random.normal(size=150) > 0.8) <= 0.05
        else:
            rejected += wilcoxon(a, b) <= 0.05
    assert 0 < rejected <= most(0.05, 4 * SETS)


@pytest.mark.parametrize(("method", "missed"), [("percentile", 0.06), ("jackknife", 0.05), ("bca", 0.06)])
def test_intervals_of_an_accuracy_cover_it(method, missed):
    n, share, outside = 150, 0.8, 0
    leave_one_out = 1 - np.eye(n)
    for seed in range(2 * SETS):
        right = (np.random.default_rng(seed).random(n) < share).astype(float)
        drawn = next(replicate_weights(np.arange(n), RESAMPLES, seed)).astype(float) @ right / n
        left_out = leave_one_out @ right / (n - 1)
        low, high = {
            "percentile": lambda drawn=drawn: intervals.percentile(drawn),
            "jackknife": lambda right=right, left_out=left_out: intervals.jackknife(right.mean(), left_out),
            "bca": lambda right=right, drawn=drawn, left_out=left_out: intervals.bca(
                right.mean(), drawn, left_out
            ),
        }[method]()
        outside += not low <= share <= high
    assert outside <= most(missed, 2 * SETS)
