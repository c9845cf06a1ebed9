"""Sets of classes: one threshold per class, by counting; how often they hold the true class; and when nothing
can be left out."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import conformal


def drawn(per_class: int = 25, classes: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = np.repeat(np.arange(classes), per_class)
    logits = random.normal(0, 1, (len(truth), classes)) + 1.5 * (truth[:, None] == np.arange(classes))
    return np.exp(logits) / np.exp(logits).sum(1, keepdims=True), truth


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.sampled_from([Fraction(1, 10), Fraction(1, 20), Fraction(1, 5)]),
)
def test_quantile_by_exact_counting(scores, miss):
    rank = math.ceil((len(scores) + 1) * (1 - miss))
    expected = sorted(scores)[rank - 1] if rank <= len(scores) else math.inf
    assert conformal.quantile(np.array(scores), float(miss)) == expected


@pytest.mark.parametrize(("miss", "fewest"), [(0.1, 9), (0.05, 19), (0.2, 4)])
def test_a_class_with_too_few_cases_is_always_in_the_set(miss, fewest):
    assert conformal.fewest_cases(miss) == fewest
    for n, always in ((fewest - 1, True), (fewest, False)):
        probabilities, truth = drawn(40, 3)
        kept = (truth != 1) | (np.cumsum(truth == 1) <= n)
        cuts = conformal.thresholds(probabilities[kept], truth[kept], miss)
        assert np.isinf(cuts).tolist() == [False, always, False]
        assert conformal.members(np.array([1.0, 0.0, 0.0]), cuts)[1] == always or not always


def test_members_are_those_near_enough_to_one():
    assert conformal.members(np.array([[0.7, 0.2, 0.1]]), np.array([0.2, 0.8, np.inf])).tolist() == [
        [False, True, True]
    ]


def test_a_new_case_of_a_class_is_held_at_least_as_often_as_promised():
    """The promise itself: calibrate on all but one, try that one, over all cases of a class."""
    probabilities, truth = drawn()
    for k in range(4):
        own = np.flatnonzero(truth == k)
        held = [
            conformal.members(
                probabilities[i],
                conformal.thresholds(np.delete(probabilities, i, 0), np.delete(truth, i), 0.1),
            )[k]
            for i in own
        ]
        assert np.mean(held) >= 0.9 - 1 / len(own)


def test_coverage_on_the_other_half():
    found = conformal.coverage(*drawn(40), 0.1)
    assert found.overall >= 0.88
    assert (found.by_class >= 0.85).all()
    assert 1 <= found.size <= 4


def test_cases_of_one_patient_are_never_in_both_halves(monkeypatch):
    truth, patients = np.repeat(np.arange(2), 20), np.arange(40) // 4
    rows = np.column_stack([patients / 100, 1 - patients / 100])
    halves = []
    thresholds, members = conformal.thresholds, conformal.members
    monkeypatch.setattr(
        conformal,
        "thresholds",
        lambda rows, *more: halves.append([set(rows[:, 0])]) or thresholds(rows, *more),
    )
    monkeypatch.setattr(
        conformal, "members", lambda rows, cuts: halves[-1].append(set(rows[:, 0])) or members(rows, cuts)
    )
    conformal.coverage(rows, truth, 0.1, patients)
    assert len(halves) == conformal.SPLITS
    assert not [pair for pair in halves if pair[0] & pair[1] or len(pair[0] | pair[1]) != 10]


def test_coverage_of_knowing_models_and_of_too_few_cases():
    certain = np.eye(3)[np.repeat(np.arange(3), 20)]
    found = conformal.coverage(certain, np.repeat(np.arange(3), 20), 0.1)
    assert (found.overall, found.size) == (1, 1)
    assert conformal.coverage(np.eye(3), np.arange(3), 0.1) is None
    assert conformal.coverage(np.empty((0, 3)), np.empty(0, int), 0.1) is None
