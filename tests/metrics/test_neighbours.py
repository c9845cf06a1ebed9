"""Hellinger distance of probabilities, restated, and the nearest rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.agreement import hellinger, nearest

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
