"""Vessels start where they are asked to, and are as large as their kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator import vessels
from sample_data.generator.canvas import Canvas

KINDS = (vessels.arborising, vessels.linear, vessels.hairpins, vessels.dotted)


def at_the_middle() -> np.ndarray:
    where = np.zeros((240, 240), np.float32)
    where[120, 120] = 1
    return where


def drawn(kind, seed: int, count: int = 3) -> np.ndarray:
    return kind(Canvas(np.random.default_rng(seed), 240, 240), count, at_the_middle())


@pytest.mark.parametrize(
    ("kind", "reach"), [(vessels.linear, 80), (vessels.hairpins, 25), (vessels.dotted, 10)]
)
@given(seed=st.integers(0, 2**32 - 1))
def test_vessels_stay_near_their_roots(kind, reach, seed):
    rows, columns = np.nonzero(drawn(kind, seed) > 0.05)
    assert len(rows) > 0
    assert np.hypot(rows - 121, columns - 121).max() < reach + 5


@pytest.mark.parametrize("kind", KINDS)
def test_layers_are_shares_and_empty_without_a_place(kind):
    layer = drawn(kind, 1)
    assert layer.shape == (240, 240)
    assert 0 <= layer.min() < layer.max() <= 1
    assert kind(Canvas(np.random.default_rng(1), 240, 240), 3, np.zeros((240, 240), np.float32)).max() == 0


def test_trees_are_larger_than_dots():
    assert (drawn(vessels.arborising, 2) > 0.1).sum() > 10 * (drawn(vessels.dotted, 2) > 0.1).sum()
