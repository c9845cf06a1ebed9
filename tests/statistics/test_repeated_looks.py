"""Claims at every look at a board: whoever submits how often, and whichever of the submissions counts."""

import numpy as np
import pytest
import scipy.stats

from scoring.statistics.paired_bootstrap import corrected
from scoring.statistics.permutation_test import Exchange, swap_test
from scoring.statistics.replicate_comparison import Resampled, compare
from tests.simulations.designs import SEED
from tests.simulations.test_rates import most
from tests.support.soak import FACTOR

UNITS, DRAWS = 60, 200


def mean_of(values: np.ndarray, seed: int = 0) -> Exchange:
    return Exchange(values[..., None] / UNITS, lambda sums: sums[..., 0], seed)


def told_apart(values: np.ndarray, submissions: int, seed: int) -> bool:
    resampled = Resampled(np.ones((len(values), DRAWS)), UNITS)
    found = compare(values.mean(1), resampled, mean_of(values, seed), submissions=submissions)
    return any(pair.separated for pair in found.pairs)


def tries(random: np.random.Generator, number: int) -> np.ndarray:
    """Equal submissions [number, n] whose errors agree by one half."""
    return random.standard_normal(UNITS) + random.standard_normal((number, UNITS))


def test_the_best_of_thirty_tries_is_told_apart_no_more_often_than_one():
    """Six teams of 30 tries and eight of one; what the tries do is seen where their number is left out."""
    random, runs, wrong, before = np.random.default_rng([SEED, 3]), 60 * min(2, FACTOR), 0, 0
    for run in range(runs):
        sent = tries(random, 188)
        counted = [of_team[np.argmax(of_team.mean(1))] for of_team in np.split(sent[:180], 6)]
        counted += list(sent[180:])
        wrong += told_apart(np.stack(counted), 188, run)
        before += told_apart(np.stack(counted), 0, run)
    assert wrong / runs <= most(0.05, runs)
    assert before > wrong + 5


def test_ten_looks_at_a_growing_board_err_as_seldom_as_one():
    random, runs, wrong, before = np.random.default_rng([SEED, 4]), 30 * min(2, FACTOR), 0, 0
    for run in range(runs):
        sent = tries(random, 40)
        looks = [sent[np.arange(4 * look, 4 * look + 4)] for look in range(10)]
        wrong += any(told_apart(now, 4 * look + 4, run) for look, now in enumerate(looks))
        before += any(told_apart(now, 0, run) for now in looks)
    assert wrong / runs <= most(0.05, runs) < before / runs


def test_each_pair_is_tested_at_its_share_of_five_percent():
    values = tries(np.random.default_rng(5), 3)
    values[0] += 1.2
    scores = values.mean(1)
    differences = scores[[0, 0, 1]] - scores[[1, 2, 2]]
    alone = swap_test(scores, mean_of(values), DRAWS)
    found, shares = corrected(alone, differences, UNITS, 40), 40 * 39**2
    student = scipy.stats.t(UNITS - 1)
    assert found.critical_value == pytest.approx(student.isf(0.025 / shares))
    p_values = 2 * shares * student.sf(np.abs(differences) / alone.errors)
    assert found.p_adjusted == pytest.approx(np.maximum(alone.p_adjusted, np.minimum(1, p_values)))
    assert found.separated.tolist() == (found.p_adjusted <= 0.05).tolist()
    assert found.separated.tolist() == (np.abs(differences) > found.reach).tolist()
    assert 0 < found.separated.sum() < alone.separated.sum() + 1
    assert sum((m - 1) / (m * (m - 1) ** 2) for m in range(2, 10_000)) < 1
    assert corrected(alone, differences, UNITS, 0) is alone
