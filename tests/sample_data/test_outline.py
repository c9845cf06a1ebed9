"""Outlines are what their parameters say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator.canvas import Canvas
from sample_data.generator.outline import MOST_ECCENTRIC, Outline, blob, cluster

seeds = st.integers(0, 2**32 - 1)
CENTRE = (100.0, 80.0)


def canvas(seed: int) -> Canvas:
    return Canvas(np.random.default_rng(seed), 160, 200)


@given(seeds, st.floats(20, 50))
def test_a_blob_without_waves_is_an_ellipse_of_its_radius(seed, radius):
    inside = blob(canvas(seed), CENTRE, radius, 0, 0) < 0
    rows, columns = np.nonzero(inside)
    assert (columns.mean(), rows.mean()) == pytest.approx(CENTRE, abs=1)
    # The area of an ellipse with the axes r / (1 - e/2) and r / (1 + e/2), e at most MOST_ECCENTRIC.
    least = np.pi * radius**2
    assert least * 0.97 <= inside.sum() <= least / (1 - MOST_ECCENTRIC**2 / 4) * 1.03


@given(seeds, st.integers(1, 4))
def test_a_cluster_stays_within_reach_of_its_centre(seed, parts):
    rows, columns = np.nonzero(cluster(canvas(seed), CENTRE, 40, parts, 0.02, 0) < 0)
    assert len(rows) > 0
    assert np.hypot(columns - CENTRE[0], rows - CENTRE[1]).max() < 2 * 40


@given(seeds)
def test_cover_and_core_grow_inwards(seed):
    outline = Outline(blob(canvas(seed), CENTRE, 40, 0.1, 5), CENTRE, 40, 6)
    order = np.argsort(outline.distance, axis=None)
    for layer in (outline.cover, outline.core, outline.depth(0.2, 0.5)):
        assert (np.diff(layer.ravel()[order]) <= 1e-6).all()
    assert (outline.cover[outline.inside] >= 0.5).all()
    assert outline.rim.max() <= 1
