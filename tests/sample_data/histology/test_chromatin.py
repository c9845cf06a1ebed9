"""Nuclei are painted inside their outlines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon

from sample_data.generator.histology.chromatin import Stained, depth, grain, stain, window
from sample_data.generator.histology.nuclei import CLASSES, shape
from tests.sample_data.histology.support import canvas


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_depth_is_the_distance_to_the_outline_positive_inside(seed):
    random = np.random.default_rng(seed)
    curve = shape(random, "histiocytes", (20, 20), 10, 1.6, random.uniform(0, 3)).parts[0]
    x, y = random.uniform(0, 40, (2, 1, 15)).astype(np.float32)
    outline = Polygon(curve)
    plain = [
        outline.exterior.distance(Point(*at)) * (1 if outline.contains(Point(*at)) else -1)
        for at in zip(x[0], y[0], strict=True)
    ]
    assert depth(curve, x, y)[0] == pytest.approx(plain, abs=1e-3)


def test_a_window_holds_the_middles_of_pixels_and_stops_at_the_edge():
    here = window(canvas(side=64), (2.5, 60.0), 5)
    assert here.part == (slice(55, 64), slice(0, 8))
    assert (here.x[0, 0], here.y[0, 0]) == (0.5, 55.5)
    assert here.x.shape == here.y.shape == (9, 8)
    assert window(canvas(side=64), (-40.0, 10.0), 5).x.size == 0


@pytest.mark.parametrize("kind", CLASSES)
def test_paint_stays_in_the_outline(kind):
    field = canvas(1, 64)
    nucleus = shape(field.random, kind, (32.0, 32.0), 9, 1.2, 0.4)
    onto = Stained(field.blank(), field.blank(), field.blank())
    stain(field, nucleus, grain(field), onto)
    rows, columns = np.mgrid[0:64, 0:64] + 0.5
    inside = np.maximum.reduce([depth(part, columns, rows) for part in nucleus.parts])
    assert (onto.cover[inside > 2] > 0.85).all()
    assert (onto.cover[inside < -2] == 0).all()
    assert onto.haematoxylin[inside > 2].mean() > 0.3
    assert (onto.haematoxylin[inside < -2] == 0).all()
