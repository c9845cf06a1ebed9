"""Exact ROC curves against scikit-learn and the definition, weighted, for many replicates at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc as area_under
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from scoring.metrics import auc_and_average_precision
from tests.support.weighted_cases import arrays

CASES = st.lists(
    st.tuples(st.integers(0, 12), st.booleans(), st.sampled_from([0.0, 1.0, 2.0, 0.5, 1.3])),
    min_size=1,
    max_size=40,
)


def curve(scores, positive, weights) -> auc_and_average_precision.RocCurves:
    return auc_and_average_precision.curve(
        auc_and_average_precision.levels(scores, positive), np.atleast_2d(weights)
    )


def has_both(positive, weights) -> bool:
    return weights[positive].sum() > 0 and weights[~positive].sum() > 0


def right_of(scores, positive, weights, sensitivity: float) -> float:
    """As the official scorer does it: the points of the curve from the one interpolated at `sensitivity`
    on."""
    kept = weights > 0
    x, y, _ = roc_curve(positive[kept], scores[kept], sample_weight=weights[kept], drop_intermediate=False)
    first = np.searchsorted(y, sensitivity, side="left")
    start = np.interp(sensitivity, y[first - 1 : first + 1], x[first - 1 : first + 1])
    return area_under(np.r_[start, x[first:]], np.r_[sensitivity, y[first:]])


@given(CASES)
def test_areas_are_those_of_scikit_learn(cases):
    scores, positive, weights = arrays(cases, 12)
    found = curve(scores, positive, weights)
    if not has_both(positive, weights):
        assert np.isnan(auc_and_average_precision.auc(found)[0])
        assert np.isnan(auc_and_average_precision.auc_above_sensitivity(found, 0.8)[0])
        return
    assert auc_and_average_precision.auc(found)[0] == pytest.approx(
        roc_auc_score(positive, scores, sample_weight=weights), abs=1e-12
    )
    assert auc_and_average_precision.average_precision(found)[0] == pytest.approx(
        average_precision_score(positive, scores, sample_weight=weights), abs=1e-12
    )


@given(
    CASES.map(lambda cases: [(score, hit, round(weight)) for score, hit, weight in cases]),
    st.sampled_from([0.5, 0.8, 1.0]),
)
def test_area_above_a_sensitivity_is_the_official_one(cases, sensitivity):
    scores, positive, weights = arrays(cases, 12)
    if has_both(positive, weights):
        assert auc_and_average_precision.auc_above_sensitivity(curve(scores, positive, weights), sensitivity)[
            0
        ] == pytest.approx(right_of(scores, positive, weights, sensitivity), abs=1e-12)


def test_four_of_five_is_eighty_percent():
    scores, positive = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), np.array([1, 1, 1, 1, 0, 1], bool)
    assert auc_and_average_precision.auc_above_sensitivity(curve(scores, positive, np.ones(6)), 0.8)[
        0
    ] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("scores", "expected"), [([1, 1, 0, 0], 1.0), ([0.5] * 4, 0.18), ([0, 0, 1, 1], 0.0)]
)
def test_area_above_a_sensitivity_of_perfect_chance_and_inverse_scores(scores, expected):
    positive = np.array([1, 1, 0, 0], bool)
    assert auc_and_average_precision.auc_above_sensitivity(
        curve(np.array(scores, float), positive, np.ones(4)), 0.8
    )[0] == pytest.approx(expected)


def test_average_precision_without_a_negative_is_one_and_without_a_positive_undefined():
    scores = np.array([0.1, 0.4])
    assert (
        auc_and_average_precision.average_precision(curve(scores, np.array([True, True]), np.ones(2)))[0] == 1
    )
    assert np.isnan(
        auc_and_average_precision.average_precision(curve(scores, np.array([False, False]), np.ones(2)))[0]
    )


@given(CASES, st.integers(0, 2**32 - 1))
def test_replicates_are_the_repeated_cases(cases, seed):
    scores, positive, _ = arrays(cases, 12)
    counts = np.random.default_rng(seed).multinomial(
        len(scores), np.full(len(scores), 1 / len(scores)), size=5
    )
    found = curve(scores, positive, counts.astype(np.float32))
    for b, count in enumerate(counts):
        repeated = curve(np.repeat(scores, count), np.repeat(positive, count), np.ones(count.sum()))
        for measure in (
            auc_and_average_precision.auc,
            auc_and_average_precision.average_precision,
            lambda c: auc_and_average_precision.auc_above_sensitivity(c, 0.8),
        ):
            assert measure(found)[b] == pytest.approx(measure(repeated)[0], abs=1e-12, nan_ok=True)


def test_chunks_give_the_same_numbers(monkeypatch):
    random = np.random.default_rng(0)
    scores, positive, weights = (
        random.random(50),
        random.random(50) < 0.3,
        random.poisson(1, (23, 50)).astype(np.float32),
    )
    levels = auc_and_average_precision.levels(scores, positive)
    whole = auc_and_average_precision.in_chunks(levels, weights, {"auc": auc_and_average_precision.auc})[
        "auc"
    ]
    monkeypatch.setattr(auc_and_average_precision, "CHUNK_CELLS", 200)
    assert np.array_equal(
        auc_and_average_precision.in_chunks(levels, weights, {"auc": auc_and_average_precision.auc})["auc"],
        whole,
        equal_nan=True,
    )


def distance(x: float, y: float, line_x: np.ndarray, line_y: np.ndarray) -> float:
    """From a point to a polyline."""
    ax, ay, bx, by = line_x[:-1], line_y[:-1], line_x[1:], line_y[1:]
    length = (bx - ax) ** 2 + (by - ay) ** 2
    t = np.clip(
        np.divide(
            (x - ax) * (bx - ax) + (y - ay) * (by - ay), length, out=np.zeros_like(length), where=length > 0
        ),
        0,
        1,
    )
    return float(np.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)).min())


@pytest.mark.parametrize(("cases", "share"), [(30, 0.5), (401, 0.5), (3000, 0.5), (5000, 0.02), (5000, 0.9)])
def test_a_drawn_curve_has_at_most_400_points_and_stays_near(cases, share):
    random = np.random.default_rng(cases)
    positive = random.random(cases) < share
    scores = random.normal(positive.astype(float), 1)
    levels = auc_and_average_precision.levels(scores, positive)
    x, y, thresholds = auc_and_average_precision.polyline(
        levels, auc_and_average_precision.curve(levels, np.ones((1, cases)))
    )
    exact_x, exact_y, _ = roc_curve(positive, scores, drop_intermediate=False)
    assert len(x) <= 400
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert (np.diff(thresholds) <= 0).all()
    assert max(distance(a, b, x, y) for a, b in zip(exact_x[::7], exact_y[::7], strict=True)) <= 0.002
    assert max(distance(a, b, exact_x, exact_y) for a, b in zip(x, y, strict=True)) <= 1e-9


def test_a_short_curve_keeps_every_corner_and_its_thresholds():
    levels = auc_and_average_precision.levels(
        np.array([0.9, 0.6, 0.6, 0.2]), np.array([True, True, False, False])
    )
    x, y, thresholds = auc_and_average_precision.polyline(
        levels, auc_and_average_precision.curve(levels, np.ones((1, 4)))
    )
    assert list(zip(x, y, thresholds, strict=True)) == [
        *((0, 0, 0.9), (0, 0, 0.9), (0, 0.5, 0.9), (0, 0.5, 0.6), (0.5, 1, 0.6), (1, 1, 0.6)),
    ]
    assert auc_and_average_precision.precisions(x, y, 2, 2)[[2, 4, 5]] == pytest.approx([1, 2 / 3, 0.5])
    assert np.isnan(auc_and_average_precision.precisions(x, y, 2, 2)[0])


@pytest.mark.parametrize("positive", [True, False])
def test_a_curve_of_one_kind_has_no_axis(positive):
    levels = auc_and_average_precision.levels(np.array([0.9, 0.6]), np.array([positive, positive]))
    x, y, _ = auc_and_average_precision.polyline(
        levels, auc_and_average_precision.curve(levels, np.ones((1, 2)))
    )
    assert np.isnan(x if positive else y).all()


def test_one_test_set_has_the_sums_of_many_to_the_last_digit():
    random = np.random.default_rng(1)
    levels = auc_and_average_precision.levels(np.round(random.random(400), 2), random.random(400) < 0.3)
    weights = random.random((3, 400))
    together = levels.sums(weights)
    for b in range(3):
        assert np.array_equal(levels.sums(weights[b : b + 1])[:, 0], together[:, b])
