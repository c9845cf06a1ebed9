"""Intervals against plain restatements and SciPy's own bootstrap on the same replicates."""

import math
import statistics
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from scoring.presentation.figures.number_format import percent
from scoring.statistics import intervals
from scoring.statistics.intervals import counted
from tests.support.plain_intervals import wilson_ends

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


def estimate(point, left_out, rests_on=None):
    left_out = np.array(left_out, float)
    return intervals.estimated(point, np.array([0.5, 0.6]), left_out, len(left_out), rests_on)


def varying(left_out: list[float]) -> int:
    """As many units as vary: 3 (sum of squares)^2 / sum of fourth powers, from 2 to all."""
    squares = [(value - statistics.fmean(left_out)) ** 2 for value in left_out]
    return max(2, min(len(left_out), int(3 * sum(squares) ** 2 / sum(v * v for v in squares) + 1e-9)))


LIMITS = st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, 2.0), (-3.0, 5.0)])


@given(st.lists(st.floats(0, 1), min_size=3, max_size=30), st.floats(0.01, 0.99), LIMITS, st.integers(2, 30))
def test_wilson_t_restated(left_out, share, limits, rests_on):
    low, width = limits[0], limits[1] - limits[0]
    n, middle = len(left_out), statistics.fmean(left_out)
    variance = (n - 1) / n * sum((value - middle) ** 2 for value in left_out)
    varies = variance > 1e-20
    answers = share * (1 - share) / variance if varies else rests_on
    few = min(rests_on, varying(left_out)) if varies else rests_on
    units = n if answers <= rests_on else few
    quantile = scipy.stats.t.ppf(0.975, units - 1)
    corrected = min(max(n * share - (n - 1) * middle, 0), 1)
    ends = [end for center in (share, corrected) for end in wilson_ends(center, answers, quantile)]
    scaled = [low + width * value for value in left_out]
    found = intervals.wilson_t(estimate(low + width * share, scaled, rests_on), limits)
    expected = low + width * min(ends), low + width * max(ends)
    assert found == pytest.approx(list(expected), abs=1e-6)
    assert limits[0] <= found[0] <= low + width * share <= found[1] <= limits[1]


@given(st.floats(0, 1), st.floats(1e-6, 0.12))
def test_where_units_hide_something_the_answers_have_two_more(share, variance):
    def smoothed(m: float) -> float:
        return (m * share + 1) * (m * (1 - share) + 1) / (m + 2) ** 3

    answers = next(m for m in np.geomspace(1e7, 0.29, 20001) if smoothed(m) > variance or m < 0.3)
    of = intervals.Estimate(share, variance, (share,), 40, 40, has_hidden=True)
    expected = wilson_ends(share, max(answers, 0.3), scipy.stats.t.ppf(0.975, 39))
    assert intervals.wilson_t(of) == pytest.approx(list(expected), abs=2e-3)


@given(st.lists(st.floats(0.1, 9), min_size=3, max_size=30), st.floats(0.5, 5))
def test_above_one_limit_it_is_students_t_on_the_logarithm_and_without_limits_plain(left_out, point):
    n, middle = len(left_out), statistics.fmean(left_out)
    error = math.sqrt((n - 1) / n * sum((value - middle) ** 2 for value in left_out))
    reach, corrected = scipy.stats.t.ppf(0.975, n - 1) * error, n * point - (n - 1) * middle
    given_ = estimate(point, left_out)
    if error < 1e-11:
        assert intervals.wilson_t(given_, (0, np.inf)) is None
        assert intervals.wilson_t(given_, (-np.inf, np.inf)) is None
        return
    plain = intervals.wilson_t(given_, (-np.inf, np.inf))
    assert plain == pytest.approx([min(point, corrected) - reach, max(point, corrected) + reach])
    if reach / point < 50:
        quantile_ = scipy.stats.t.ppf(0.975, varying(left_out) - 1)
        factor = math.exp(min(quantile_ * error / point, 50))
        centers = [c for c in (point, corrected) if c > 0]
        highest = max(centers) * (1 + (error / point) ** 2) * factor
        found = intervals.wilson_t(given_, (0, np.inf))
        assert found == pytest.approx([min(centers) / factor, highest])
        mirrored = intervals.wilson_t(estimate(-point, [-v for v in left_out]), (-np.inf, 0))
        assert mirrored == pytest.approx([-found[1], -found[0]])


def test_where_nothing_varies_it_is_as_wide_as_the_units_that_the_quantity_rests_on_are_few():
    widths = [low for n in (2, 3, 8, 40) for low, _ in [intervals.wilson_t(estimate(1.0, [1.0] * 40, n))]]
    assert widths == sorted(widths)
    assert widths[0] < 0.4 < 0.9 < widths[-1]
    assert intervals.wilson_t(estimate(1.0, [1.0] * 40, 1)) is None
    none, every = (intervals.wilson_t(estimate(share, [share] * 8)) for share in (0.0, 1.0))
    quantile_ = scipy.stats.t.ppf(0.975, 7)
    assert every == pytest.approx(list(wilson_ends(1.0, 8, quantile_)))
    assert none == pytest.approx(list(wilson_ends(0.0, 4, quantile_)))  # F1 counts each case half


def test_no_wilson_t_of_one_unit_or_of_what_hinges_on_one():
    assert intervals.wilson_t(estimate(0.5, [0.5])) is None
    assert intervals.wilson_t(estimate(0.5, [0.5, np.nan, 0.6])) is None
    assert intervals.wilson_t(estimate(np.nan, [0.5, 0.6])) is None


def test_many_units_take_variance_and_bias_from_the_replicates():
    drawn = np.array([0.5, 0.6, 0.9, np.nan])
    of = intervals.estimated(0.7, drawn, None, 600)
    assert of.variance == pytest.approx(statistics.variance([0.5, 0.6, 0.9]) * 600 / 599)
    assert of.centers == pytest.approx((0.7, 1.4 - 2 / 3))
    assert intervals.estimated(0.7, np.full(3, np.nan), None, 600).rests_on == 0


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


@pytest.mark.parametrize(
    ("hits", "n", "shown"), [(5, 40, "13%"), (7, 40, "18%"), (1, 200, "1%"), (29, 200, "15%"), (1, 3, "33%")]
)
def test_halves_of_a_per_cent_are_rounded_up(hits, n, shown):
    """5 of 40 was "12%", and 7 of 40 "18%"."""
    assert str(counted(hits, n)).startswith(f"{hits} of {n} ({shown};")
    assert percent(hits / n) == shown


def test_wilson_of_nothing():
    low, high = intervals.wilson(np.array([0]), np.array([0]))
    assert np.isnan([low[0], high[0]]).all()
