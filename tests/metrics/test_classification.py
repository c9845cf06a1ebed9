"""Counts and what follows from them, against loops over the repeated cases and scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import classification

K = 4
CASES = st.lists(
    st.tuples(st.integers(0, K - 1), st.integers(-1, K - 1), st.integers(0, 3)), min_size=1, max_size=25
)


def arrays(cases) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth, predicted, weights = np.array(cases).T
    return truth, predicted, weights[None].astype(np.float32)


def repeated(cases) -> list[tuple[int, int]]:
    return [(y, p) for y, p, weight in cases for _ in range(weight)]


@given(CASES)
def test_counts_of_weighted_cases_are_those_of_repeated_ones(cases):
    found = classification.counts(*arrays(cases), K)
    pairs = repeated(cases)
    assert found.support.tolist() == [[sum(y == k for y, _ in pairs) for k in range(K)]]
    assert found.predicted.tolist() == [[sum(p == k for _, p in pairs) for k in range(K)]]
    assert found.true_positive.tolist() == [[sum(y == p == k for y, p in pairs) for k in range(K)]]
    assert found.total.tolist() == [len(pairs)]


@given(CASES)
def test_quantities_restated(cases):
    found, pairs, nan = classification.counts(*arrays(cases), K), repeated(cases), float("nan")

    def share(hits: list[bool]) -> float:
        return sum(hits) / len(hits) if hits else nan

    recall = [share([p == k for y, p in pairs if y == k]) for k in range(K)]
    precision = [share([y == k for y, p in pairs if p == k]) for k in range(K)]
    f1 = [
        2 * sum(y == p == k for y, p in pairs) / max(1, sum((y == k) + (p == k) for y, p in pairs))
        for k in range(K)
    ]
    expected = {
        "accuracy": share([y == p for y, p in pairs]),
        "recall": recall,
        "precision": precision,
        "f1": f1,
        "specificity": [share([p != k for y, p in pairs if y != k]) for k in range(K)],
    }
    for name, value in expected.items():
        assert getattr(classification, name)(found)[0] == pytest.approx(value, abs=1e-12, nan_ok=True)
    present = [k for k in range(K) if any(y == k for y, _ in pairs)]
    assert classification.mean_of_defined(classification.recall(found))[0] == pytest.approx(
        np.mean([recall[k] for k in present]) if present else nan, nan_ok=True
    )
    assert classification.mean_over_present(classification.f1(found), found)[0] == pytest.approx(
        np.mean([f1[k] for k in present]) if present else nan, nan_ok=True
    )
    weighted = sum(f1[y] for y, _ in pairs) / len(pairs) if pairs else nan
    assert classification.support_weighted(classification.f1(found), found)[0] == pytest.approx(
        weighted, nan_ok=True
    )


def test_scikit_learn_agrees():
    dice = np.random.default_rng(0)
    truth, predicted = dice.integers(0, K, (2, 300))
    found = classification.counts(truth, predicted, np.ones((1, 300), np.float32), K)
    precision, recall, f1, support = sklearn.metrics.precision_recall_fscore_support(truth, predicted)
    for ours, theirs in (
        (classification.precision(found), precision),
        (classification.recall(found), recall),
        (classification.f1(found), f1),
        (found.support, support),
    ):
        assert ours[0] == pytest.approx(theirs, abs=1e-12)
    assert classification.accuracy(found)[0] == pytest.approx(
        sklearn.metrics.accuracy_score(truth, predicted)
    )
    assert np.array_equal(
        classification.confusion_matrix(truth, predicted, K),
        sklearn.metrics.confusion_matrix(truth, predicted),
    )


def test_a_support_weighted_mean_takes_undefined_as_nothing():
    found = classification.counts(np.array([0, 1]), np.array([0, 0]), np.ones((1, 2), np.float32), 2)
    assert classification.precision(found)[0] == pytest.approx([0.5, np.nan], nan_ok=True)
    assert classification.support_weighted(classification.precision(found), found).tolist() == [0.25]


def test_sums_of_many_whole_weights_are_exact():
    weights = np.full((1, 100_000), 101, np.float32)
    found = classification.counts(np.zeros(100_000, int), np.zeros(100_000, int), weights, 2)
    assert found.support[0, 0] == found.total[0] == 10_100_000


def test_a_case_predicted_as_nothing_is_in_no_cell():
    assert classification.confusion_matrix(np.array([0, 1, 1]), np.array([0, -1, 0]), 2).tolist() == [
        [1, 0],
        [1, 0],
    ]


def test_division_by_nothing():
    assert classification.divide(np.array([1, 0]), np.array([0, 0])).tolist() == pytest.approx(
        [np.nan, np.nan], nan_ok=True
    )
    assert classification.divide(np.array([1, 4]), np.array([0, 2]), 0).tolist() == [0, 2]
    assert np.isnan(classification.mean_of_defined(np.array([np.nan, np.nan])))


def test_many_classes_are_counted_some_at_a_time(monkeypatch):
    random = np.random.default_rng(3)
    truth, predicted = random.integers(0, 7, (2, 50))
    predicted[:3] = -1
    weights = random.integers(0, 4, (5, 50)).astype(np.float32)
    at_once = classification.counts(truth, predicted, weights, 7)
    monkeypatch.setattr(classification, "CLASSES_AT_ONCE", 3)
    for name, values in vars(classification.counts(truth, predicted, weights, 7)).items():
        assert np.array_equal(values, getattr(at_once, name)), name
