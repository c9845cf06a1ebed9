"""Overlap of outlines against counted pixels, and panoptic quality against every pair in plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.classification import f_score
from scoring.metrics.dice_and_panoptic_quality import LEAST_IOU, dice, panoptic_quality, segmentation_quality
from scoring.metrics.greedy_matching import match_by_overlap
from scoring.metrics.polygon_overlap import intersections, iou, outlines, possible

SIDE = 12
RECTANGLES = st.lists(
    st.tuples(*[st.integers(0, SIDE - 1)] * 2, *[st.integers(1, 6)] * 2).map(
        lambda r: (r[0], r[1], min(SIDE, r[0] + r[2]), min(SIDE, r[1] + r[3]))
    ),
    max_size=6,
)
BOW_TIE = [(0, 0), (4, 4), (4, 0), (0, 4)]


def made(rings: list) -> object:
    """Outlines of rings, lists of (x, y)."""
    points = np.array([point for ring in rings for point in ring], float).reshape(-1, 2)
    return outlines(points, np.cumsum([0, *map(len, rings)]))


def corners(rectangle) -> list:
    x0, y0, x1, y1 = rectangle
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def pixels(rectangle) -> set:
    x0, y0, x1, y1 = rectangle
    return {(x, y) for x in range(x0, x1) for y in range(y0, y1)}


def every_pair(n: int, m: int) -> tuple:
    return tuple(np.divmod(np.arange(n * m), max(m, 1)))


@given(RECTANGLES, RECTANGLES)
def test_overlap_is_that_of_counted_pixels(truth, found):
    a, b = made([*map(corners, truth)]), made([*map(corners, found)])
    pairs = every_pair(len(a), len(b))
    common = intersections(a, b, pairs)
    areas = a.areas[pairs[0]], b.areas[pairs[1]]
    for row, (i, j) in enumerate(zip(*pairs, strict=True)):
        one, other = pixels(truth[i]), pixels(found[j])
        assert common[row] == pytest.approx(len(one & other))
        assert iou(common, *areas)[row] == pytest.approx(len(one & other) / len(one | other))
        assert dice(common, *areas, empty="zero")[row] == pytest.approx(
            2 * len(one & other) / (len(one) + len(other))
        )


@given(RECTANGLES, RECTANGLES, st.sampled_from((0.0, 0.3, 0.5)))
def test_no_pair_that_may_exceed_the_least_is_left_out(truth, found, least):
    a, b = made([*map(corners, truth)]), made([*map(corners, found)])
    kept = set(zip(*(side.tolist() for side in possible(a, b, least)), strict=True))
    pairs = every_pair(len(a), len(b))
    values = iou(intersections(a, b, pairs), a.areas[pairs[0]], b.areas[pairs[1]])
    for i, j, value in zip(*pairs, values, strict=True):
        assert value <= least or (i, j) in kept


def test_rings_that_cross_themselves_are_mended():
    found = made([BOW_TIE, corners((0, 0, 4, 4)), [(0, 0), (1, 1), (2, 2)], [(1, 1)] * 5])
    assert found.repaired.tolist() == [True, False, True, True]
    assert found.areas.tolist() == [8, 16, 0, 0]
    assert intersections(found, found, (np.array([0]), np.array([1]))).tolist() == [8]


def test_what_is_no_outline():
    """None, two places, and three of which the last repeats the first."""
    found = made([[], [(0, 0), (1, 1)], [(0, 0), (1, 1), (0, 0)], [*corners((0, 0, 2, 2)), (0, 0)]])
    assert found.drawn.tolist() == [False, False, False, True]
    assert found.areas.tolist() == [0, 0, 0, 4]
    assert len(made([])) == 0


PAIRS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from((0.2, 0.5, 0.51, 0.7, 1.0))),
    max_size=12,
    unique_by=lambda pair: pair[:2],
)


@given(PAIRS, st.randoms())
def test_matches_one_by_one_and_in_any_order(pairs, dice_of):
    def chosen(rows):
        truth, found, values = (
            np.array(column, t) for column, t in zip(zip(*rows, strict=True), (int, int, float), strict=True)
        )
        return {rows[k] for k in match_by_overlap(truth, found, values, LEAST_IOU).tolist()}

    if not pairs:
        return
    left, expected = sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1])), set()
    while left:
        best = left.pop(0)
        if best[2] > 0.5:
            expected.add(best)
            left = [pair for pair in left if pair[0] != best[0] and pair[1] != best[1]]
    assert chosen(pairs) == expected
    dice_of.shuffle(pairs)
    assert chosen(pairs) == expected


def test_quality_is_the_product_of_its_parts():
    sums, matched, support, predicted = 4.2, 6.0, 9.0, 7.0
    sq = segmentation_quality(sums, matched)
    rq = f_score(matched, support, predicted)
    assert float(sq * rq) == pytest.approx(4.2 / (6 + (9 - 6) / 2 + (7 - 6) / 2))
    assert float(panoptic_quality(sums, support, predicted)) == pytest.approx(float(sq * rq))
    assert np.isnan(panoptic_quality(0.0, 0.0, 0.0))
