"""Centroids and areas of outlines against plain loops and shapely."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.inputs.nuclei.contents import area, centroids, largest, thinned

COORDINATES = st.floats(-1000, 2000).map(lambda number: round(number, 2))
RINGS = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=12)


@settings(max_examples=50, deadline=None)
@given(st.lists(RINGS, min_size=1, max_size=5))
def test_the_mean_of_the_vertices_in_their_order(rings):
    found = centroids(np.array([point for ring in rings for point in ring]), np.array(list(map(len, rings))))
    for ring, centroid in zip(rings, found.tolist(), strict=True):
        x = y = 0.0
        for point in ring:
            x, y = x + point[0], y + point[1]
        assert centroid == [x / len(ring), y / len(ring)]


@settings(max_examples=50, deadline=None)
@given(st.lists(RINGS.filter(lambda ring: len(ring) > 2), min_size=1, max_size=1))
def test_area_is_that_of_convex_outlines(rings):
    hull = shapely.MultiPoint(rings[0]).convex_hull
    if hull.geom_type == "Polygon":
        ring = list(hull.exterior.coords)
        for written in (ring, ring[:-1], ring[::-1]):
            assert area(written) == pytest.approx(hull.area, rel=1e-9, abs=1e-6)


def test_areas_of_what_is_no_outline():
    assert area([]) == area([(0, 0), (9, 9)]) == area([(0, 0), (5, 5), (9, 9)]) == 0
    assert area([(0, 0), (1e300, 0), (0, 1e300)]) == area([(0, 0), (float("inf"), 0), (0, 1)]) == np.inf


def test_the_first_of_the_largest():
    one, two, three = ([(x, 0), (x + side, 0), (x, side)] for x, side in ((0, 1), (9, 2), (50, 2)))
    assert largest([one, two, three]) is two
    assert largest([three, two]) is three
    assert largest([[]]) == []


def test_thinning_leaves_short_outlines_alone():
    points, lengths = np.arange(2 * 30_004, dtype=float).reshape(-1, 2), np.array([3, 30_001, 0])
    kept, shown = thinned(points, lengths)
    assert shown.tolist() == [3, 7501, 0]
    assert kept.tolist() == [*points[:3].tolist(), *points[3:30_004:4].tolist()]
