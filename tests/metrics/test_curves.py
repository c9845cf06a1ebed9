"""Curves and areas against scikit-learn and, for replicates, against the repeated cases."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import curves
from scoring.statistics.replicates import leave_one_out_weights
from tests.support.weighted_cases import arrays

CASES = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3)), min_size=1, max_size=25)


def plain_auc(scores, positive) -> float:
    """Share of pairs of a positive and a negative in which the positive has more, ties half."""
    pairs = [
        (s > t) + (s == t) / 2
        for s, yes in zip(scores, positive, strict=True)
        if yes
        for t, other in zip(scores, positive, strict=True)
        if not other
    ]
    return sum(pairs) / len(pairs) if pairs else float("nan")


@given(CASES)
def test_area_of_weighted_cases_is_that_of_repeated_ones(cases):
    scores, positive, weights = arrays(cases, 5)
    for dtype in (np.float32, np.float64):
        found = curves.resampled_auc(scores, positive, np.array([weights, np.ones_like(weights)], dtype))
        assert found[0] == pytest.approx(
            plain_auc(np.repeat(scores, weights), np.repeat(positive, weights)), abs=1e-12, nan_ok=True
        )
        assert found[1] == pytest.approx(plain_auc(scores, positive), abs=1e-12, nan_ok=True)


@given(CASES)
def test_order_and_rising_changes_leave_the_area_alone(cases):
    scores, positive, _ = arrays(cases, 5)
    area = curves.auc(scores, positive)
    assert curves.auc(scores[::-1], positive[::-1]) == pytest.approx(area, nan_ok=True)
    assert curves.auc(np.exp(3 * scores), positive) == pytest.approx(area, nan_ok=True)
    assert curves.auc(-scores, positive) == pytest.approx(1 - area, nan_ok=True)


def drawn(n: int, seed: int, decimals: int) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    positive = dice.random(n) < 0.3
    return np.round(dice.normal(positive, 1), decimals), positive


@pytest.mark.parametrize(("seed", "decimals"), [(0, 9), (1, 1), (2, 0)])
def test_scikit_learn_agrees(seed, decimals):
    scores, positive = drawn(200, seed, decimals)
    assert curves.auc(scores, positive) == pytest.approx(
        sklearn.metrics.roc_auc_score(positive, scores), abs=1e-12
    )


@pytest.mark.parametrize("positive", [True, False])
def test_nothing_is_defined_with_one_kind_only(positive):
    scores, kinds = np.array([0.1, 0.2]), np.array([positive, positive])
    assert np.isnan(curves.auc(scores, kinds))


@pytest.mark.parametrize(("seed", "decimals"), [(3, 9), (4, 1)])
def test_resampled_curves_are_those_of_the_repeated_cases(seed, decimals):
    scores, positive = drawn(60, seed, decimals)
    weights = (
        np.random.default_rng(100 + seed).multinomial(60, np.full(60, 1 / 60), size=5).astype(np.float32)
    )
    grid = np.linspace(0, 1, 21)
    sensitivity, precision = curves.resampled_curves(scores, positive, weights, grid)
    assert (weights @ positive > 0).all()
    for b, counts in enumerate(weights.astype(int)):
        kept_scores, kept = np.repeat(scores, counts), np.repeat(positive, counts)
        points = sorted({(float((kept & (kept_scores >= t)).sum() / kept.sum()), -t) for t in kept_scores})
        for g, value in zip(grid, precision[b], strict=True):
            threshold = -next(t for reached, t in points if reached >= g - 1e-12)
            assert value == pytest.approx(kept[kept_scores >= threshold].mean())
        false_alarms, hits, _ = sklearn.metrics.roc_curve(kept, kept_scores, drop_intermediate=False)
        # Where the curve climbs straight up, any height of the climb is on it.
        inside = [not any(abs(g - x) < 1e-12 for x in false_alarms) for g in grid]
        assert sensitivity[b][inside] == pytest.approx(np.interp(grid[inside], false_alarms, hits))


def test_resampled_curves_without_positives():
    sensitivity, precision = curves.resampled_curves(
        np.array([0.1, 0.9]),
        np.array([True, False]),
        np.array([[0, 2], [1, 1]], np.float32),
        np.array([0, 1.0]),
    )
    assert np.isnan(sensitivity[0]).all()
    assert np.isnan(precision[0]).all()
    assert not np.isnan(sensitivity[1]).any()


@pytest.mark.parametrize("n_units", [40, 13])
def test_the_auc_without_each_unit_is_that_of_the_others(n_units):
    random = np.random.default_rng(n_units)
    scores, positive = random.integers(0, 8, 40) / 8, random.random(40) < 0.3
    scores[:2], positive[:2] = (-np.inf, np.inf), (True, False)
    units = np.arange(40) if n_units == 40 else np.r_[np.arange(n_units), random.integers(0, n_units, 27)]
    for case_weights in (None, random.integers(0, 3, 40) / 2):
        weights = np.concatenate(list(leave_one_out_weights(units, case_weights)))
        expected = curves.resampled_auc(scores, positive, weights)
        found = curves.auc_without_each_unit(scores, positive, units, case_weights)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
