"""Calibration: kinds of outputs, losses, reliability."""

import math

import numpy as np
import pytest
import scipy.special
import sklearn.calibration
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import calibration, output_kinds


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ([0.5, 0.5], "probabilities"),
        ([1, 0], "probabilities"),
        ([0.5, 0.5009], "probabilities"),
        ([0.5, 0.4991], "probabilities"),
        ([0.5, 0.502], "not-normalised"),
        ([0.9, 0.9], "not-normalised"),
        ([1 + 5e-7, 0], "probabilities"),
        ([-5e-7, 1], "probabilities"),
        ([1.00001, 0], "logits"),
        ([-0.00001, 1], "logits"),
        ([3, -3], "logits"),
    ],
)
def test_kinds(row, kind):
    assert output_kinds.output_kind(np.array([[0.5, 0.5], row], float)) == kind


def test_no_output_at_all():
    assert output_kinds.output_kind(np.empty((0, 11))) == "probabilities"


def drawn(n: int = 200, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(0)
    return dice.dirichlet(np.ones(k), n), dice.integers(0, k, n)


def test_losses_of_scikit_learn():
    outputs, truth = drawn()
    assert calibration.log_losses(outputs, truth).mean() == pytest.approx(
        sklearn.metrics.log_loss(truth, outputs, labels=range(5)), abs=1e-12
    )
    plain = [
        sum((value - (k == y)) ** 2 for k, value in enumerate(row))
        for row, y in zip(outputs.tolist(), truth, strict=True)
    ]
    assert calibration.brier_scores(outputs, truth) == pytest.approx(plain, abs=1e-12)


def test_losses_of_a_yes_or_no_are_those_of_scikit_learn():
    dice = np.random.default_rng(0)
    risks, positive = np.round(dice.random(300), 2), dice.random(300) < 0.3
    assert {0.0, 1.0} <= set(risks)
    assert calibration.log_losses(risks, positive.astype(int), 1 - 1e-15).mean() == pytest.approx(
        sklearn.metrics.log_loss(positive, np.clip(risks, 1e-15, 1 - 1e-15)), abs=1e-9
    )


def test_an_output_of_nothing_costs_a_bounded_loss():
    assert (
        calibration.log_losses(np.array([[0.0, 1.0], [-1e-7, 1.0]]), np.array([0, 0])).tolist()
        == [-math.log(1e-15)] * 2
    )


def test_softmax_of_scipy():
    logits = np.random.default_rng(0).normal(0, 300, (20, 4))
    assert output_kinds.softmax(logits) == pytest.approx(scipy.special.softmax(logits, axis=1))


@given(st.lists(st.tuples(st.integers(0, 40).map(lambda k: k / 40), st.booleans()), min_size=1, max_size=30))
def test_reliability_restated(cases):
    found = calibration.reliability(np.array([v for v, _ in cases]), np.array([right for _, right in cases]))
    error = 0.0
    for b in range(10):
        members = [(v, right) for v, right in cases if min(max(math.ceil(10 * v) - 1, 0), 9) == b]
        assert found.n[b] == len(members)
        if members:
            predicted, observed = (
                sum(v for v, _ in members) / len(members),
                sum(r for _, r in members) / len(members),
            )
            assert (found.predicted[b], found.observed[b]) == pytest.approx((predicted, observed))
            assert found.low[b] <= observed + 1e-12
            assert observed - 1e-12 <= found.high[b]
            error += len(members) / len(cases) * abs(observed - predicted)
        else:
            assert np.isnan([found.predicted[b], found.observed[b], found.low[b], found.high[b]]).all()
    assert found.expected_calibration_error == pytest.approx(error, abs=1e-12)


def test_calibration_curve_of_scikit_learn():
    confidence = np.random.default_rng(1).random(500)
    right = np.random.default_rng(2).random(500) < confidence
    found = calibration.reliability(confidence, right)
    their_observed, their_predicted = sklearn.calibration.calibration_curve(right, confidence, n_bins=10)
    assert found.predicted == pytest.approx(their_predicted)
    assert found.observed == pytest.approx(their_observed)


def test_the_edges_of_the_bins():
    found = calibration.reliability(np.array([0, 0.1, 0.1000001, 0.5, 1, 1.0000005]), np.ones(6, bool))
    assert found.n.tolist() == [2, 1, 0, 0, 1, 0, 0, 0, 0, 2]


def test_nothing_to_be_calibrated():
    assert np.isnan(calibration.reliability(np.array([]), np.array([], bool)).expected_calibration_error)


def test_a_temperature_divides_logits():
    probabilities, _ = drawn()
    expected = scipy.special.softmax(np.log(probabilities) / 2.5, axis=1)
    assert calibration.apply_temperature(probabilities, 2.5) == pytest.approx(expected)
    assert calibration.apply_temperature(probabilities, 1.0) == pytest.approx(probabilities)
    assert calibration.apply_temperature(probabilities[0], 2.5) == pytest.approx(expected[0])
    assert np.isfinite(calibration.apply_temperature(np.array([1.0, 0.0]), 0.05)).all()


@pytest.mark.parametrize("spoilt_by", [0.5, 1.0, 3.0])
def test_the_temperature_found_undoes_the_one_that_spoilt(spoilt_by):
    random = np.random.default_rng(1)
    honest = random.dirichlet(np.ones(4), 6000)
    truth = np.array([random.choice(4, p=row) for row in honest])
    found = calibration.fit_temperature(calibration.apply_temperature(honest, spoilt_by), truth)
    assert found == pytest.approx(1 / spoilt_by, rel=0.06)


def test_no_temperature_is_better_than_the_one_found():
    probabilities, truth = drawn()
    best = calibration.fit_temperature(probabilities, truth)
    losses = [
        calibration.log_losses(calibration.apply_temperature(probabilities, t), truth).mean()
        for t in (best, *np.geomspace(0.06, 18, 60))
    ]
    assert losses[0] <= min(losses) + 1e-6
    assert calibration.fit_temperature(np.empty((0, 4)), np.empty(0, int)) == 1
