"""Agreement of two submissions, by its definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from scoring.metrics.submission_agreement import beyond_accuracy, hellinger, kappa, nearest

LABELS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=2, max_size=40).filter(
    lambda rows: len({label for row in rows for label in row}) > 1
)


@given(LABELS)
def test_kappa_is_scikit_learns(rows):
    a, b = (np.array(column) for column in zip(*rows, strict=True))
    assert kappa(a, b) == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)


def test_kappa_is_undefined_where_chance_alone_agrees():
    assert np.isnan(kappa(np.array([2, 2]), np.array([2, 2])))
    assert np.isnan(kappa(np.array([], int), np.array([], int)))


@pytest.mark.slow
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_agreement_beyond_accuracy(rows):
    a, b = (np.array(column) for column in zip(*rows, strict=True))
    n = len(rows)
    qa, qb = sum(a) / n, sum(b) / n
    observed, expected = sum(x == y for x, y in rows) / n, qa * qb + (1 - qa) * (1 - qb)
    found = beyond_accuracy(np.stack([a, b]))[0, 1]
    assert (
        np.isnan(found)
        if abs(1 - expected) < 1e-12
        else found == pytest.approx((observed - expected) / (1 - expected))
    )


def test_the_same_mistakes_agree_wholly_and_the_opposite_not_at_all():
    right = np.array([True, True, False, True])
    assert beyond_accuracy(np.stack([right, right]))[0, 1] == pytest.approx(1)
    assert beyond_accuracy(np.stack([right, ~right]))[0, 1] < 0
    assert np.isnan(beyond_accuracy(np.zeros((2, 0), bool))).all()


rows = st.lists(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), min_size=1, max_size=8)


@given(rows)
def test_distance_by_its_definition(values):
    every = np.array(values) / np.sum(values, axis=1, keepdims=True)
    for other, distance in zip(every, hellinger(every[0], every), strict=True):
        squares = sum((math.sqrt(p) - math.sqrt(q)) ** 2 for p, q in zip(every[0], other, strict=True))
        assert distance == pytest.approx(math.sqrt(squares / 2), abs=1e-7)


def test_ends():
    assert hellinger(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist() == [1, 0]


def test_the_nearest_come_first_and_equal_ones_in_order():
    every = np.array([[0.0, 1.0], [0.9, 0.1], [0.5, 0.5], [0.9, 0.1]])
    assert nearest(np.array([0.9, 0.1]), every, 3).tolist() == [1, 3, 2]
    assert nearest(np.array([0.9, 0.1]), every, 9).tolist() == [1, 3, 2, 0]
