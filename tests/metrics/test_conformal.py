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


def test_sets_are_tried_on_each_case_with_its_patient_left_out():
    rows, truth = drawn(12, 3)
    patients = np.arange(36) // 2
    found = conformal.coverage(rows, truth, 0.1, patients)
    held = []
    for i in range(36):
        kept = patients != patients[i]
        cuts = conformal.thresholds(rows[kept], truth[kept], 0.1)
        held.append(conformal.members(rows[i], cuts)[truth[i]] or rows[i].argmax() == truth[i])
    assert (found.overall.hits, found.overall.n) == (sum(held), 36)
    assert [one.hits for one in found.by_class] == [sum(np.array(held)[truth == k]) for k in range(3)]
    assert found.overall.high - found.overall.low > np.subtract(
        *share_of(conformal.coverage(rows, truth, 0.1))
    )


def share_of(found) -> tuple[float, float]:
    return found.overall.high, found.overall.low


def test_nothing_is_said_of_classes_that_are_too_small_to_be_left_out():
    rows, truth = drawn(12, 3)
    kept = (truth != 1) | (np.cumsum(truth == 1) <= 9)
    found = conformal.coverage(rows[kept], truth[kept], 0.1)
    assert [one is None for one in found.by_class] == [False, True, False]
    assert found.overall.n == 24
    none = conformal.coverage(np.eye(3), np.arange(3), 0.1)
    assert (none.overall, none.by_class) == (None, (None, None, None))
    assert conformal.coverage(np.empty((0, 3)), np.empty(0, int), 0.1).overall is None


def test_a_knowing_model_may_hold_every_case():
    certain = np.eye(3)[np.repeat(np.arange(3), 20)]
    found = conformal.coverage(certain, np.repeat(np.arange(3), 20), 0.1)
    assert (found.overall.hits, found.overall.high) == (60, 1)
    assert found.overall.low > found.by_class[0].low > 0.8
