"""Intervals against plain restatements and SciPy's own bootstrap on the same replicates."""

import math
import statistics
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics import intervals

VALUES = st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=2, max_size=30)


def quantile(values: list[float], share: float) -> float:
    """Linear between the order statistics."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@given(VALUES)
def test_percentile_restated(values):
    assert intervals.percentile(np.array(values)) == pytest.approx(
        [quantile(values, 0.025), quantile(values, 0.975)], abs=1e-12
    )


@pytest.mark.parametrize(("undefined", "found"), [(0, True), (5, True), (6, False), (10, False)])
def test_no_percentile_where_more_than_half_are_undefined(undefined, found):
    values = np.array([0.5] * (10 - undefined) + [np.nan] * undefined)
    assert intervals.percentile(values) == ([0.5, 0.5] if found else None)


def test_no_percentile_without_replicates():
    assert intervals.percentile(np.array([])) is None


@given(VALUES, st.floats(-5, 5))
def test_jackknife_restated(left_out, point):
    n, middle = len(left_out), statistics.fmean(left_out)
    standard_error = math.sqrt((n - 1) / n * sum((value - middle) ** 2 for value in left_out))
    reach = scipy.stats.t.ppf(0.975, n - 1) * standard_error
    assert intervals.jackknife(point, np.array(left_out)) == pytest.approx(
        [point - reach, point + reach], abs=1e-9
    )


def test_no_jackknife_of_one_unit_or_of_nothing():
    assert intervals.jackknife(0.5, np.array([0.5])) is None
    assert intervals.jackknife(0.5, np.array([0.5, np.nan])) is None
    assert intervals.jackknife(np.nan, np.array([0.5, 0.6])) is None


@given(VALUES, VALUES, st.floats(-5, 5).map(lambda x: round(x, 3)))
def test_bca_restated(replicates, left_out, point):
    share = (sum(v < point for v in replicates) + sum(v == point for v in replicates) / 2) / len(replicates)
    found = intervals.bca(point, np.array(replicates), np.array(left_out))
    if 0 < share < 1:
        d = [statistics.fmean(left_out) - value for value in left_out]
        spread = sum(x * x for x in d) ** 1.5
        acceleration = sum(x**3 for x in d) / (6 * spread) if spread else 0.0
        normal = statistics.NormalDist()
        bias = normal.inv_cdf(share)
        levels = [
            normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
            for z in (normal.inv_cdf(0.025), normal.inv_cdf(0.975))
        ]
        assert found == pytest.approx([quantile(replicates, level) for level in levels], abs=1e-8)
    else:
        assert min(replicates) <= found[0] <= found[1] <= max(replicates)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.floats(0, 1))
def test_logit_t_lies_within_0_and_1_around_a_shrunken_centre_and_holds_its_point(left_out, point):
    n, middle = len(left_out), statistics.fmean(left_out)
    low, high = intervals.logit_t(point, np.array(left_out))
    assert 0 <= low <= high <= 1
    center = (n * point + 1) / (n + 2)
    error = math.sqrt((n - 1) / n * sum((value - middle) ** 2 for value in left_out)) or math.sqrt(
        center * (1 - center) / n
    )
    reach = scipy.stats.t.ppf(0.975, n - 1) * error / (center * (1 - center))
    logits = [math.log(center / (1 - center)) + side * min(reach, 500) for side in (-1, 1)]
    expected = [1 / (1 + math.exp(-value)) for value in logits]
    assert [low, high] == pytest.approx([min(expected[0], point), max(expected[1], point)], abs=1e-9)
    assert low <= point <= high


def test_no_logit_t_of_one_unit_or_of_what_hinges_on_one():
    assert intervals.logit_t(0.5, np.array([0.5])) is None
    assert intervals.logit_t(0.5, np.array([0.5, np.nan, 0.6])) is None
    assert intervals.logit_t(np.nan, np.array([0.5, 0.6])) is None


def test_no_bca_where_nothing_is_defined():
    assert intervals.bca(0.5, np.array([np.nan, np.nan, 0.5]), np.array([0.4, 0.5])) is None
    assert intervals.bca(np.nan, np.array([0.4, 0.5]), np.array([0.4, 0.5])) is None


@pytest.mark.parametrize(
    ("method", "find"),
    [("percentile", lambda point, values, left_out: intervals.percentile(values)), ("bca", intervals.bca)],
)
def test_intervals_of_an_accuracy_equal_those_of_scipy(method, find):
    right = np.array([1.0] * 33 + [0.0] * 12)
    counts = np.random.default_rng(0).multinomial(len(right), np.full(len(right), 1 / len(right)), size=2000)
    values, left_out = counts @ right / len(right), (right.sum() - right) / (len(right) - 1)
    # SciPy adds no replicates of its own to those of an earlier result.
    reference = scipy.stats.bootstrap(
        (right,),
        np.mean,
        n_resamples=0,
        method=method,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=values),
    )
    assert find(right.mean(), values, left_out) == pytest.approx(
        list(reference.confidence_interval), abs=1e-12
    )


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (5, 5), (3, 7), (41, 50), (0, 1)])
def test_wilson_equals_scipy(hits, n):
    low, high = intervals.wilson(np.array([hits]), np.array([n]))
    assert (low[0], high[0]) == pytest.approx(
        tuple(scipy.stats.binomtest(hits, n).proportion_ci(method="wilson")), abs=1e-12
    )


def test_wilson_of_nothing():
    low, high = intervals.wilson(np.array([0]), np.array([0]))
    assert np.isnan([low[0], high[0]]).all()
