"""Pairs, choices and counts of points against plain loops."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import point_pairs
from scoring.metrics.greedy_matching import match_in_order
from scoring.metrics.point_pairs import NearbyPairs

COORDINATES = st.integers(0, 8).map(lambda k: 3.0 * k)
POINTS = st.lists(st.tuples(COORDINATES, COORDINATES), max_size=9)
PICTURES = st.lists(st.tuples(POINTS, POINTS), min_size=1, max_size=3)
ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 4)),
    max_size=15,
    unique_by=lambda row: row[:2],
)


def array(points) -> np.ndarray:
    return np.array(points, float).reshape(-1, 2)


def pairs_of(rows) -> NearbyPairs:
    truth, prediction, distance = zip(*rows, strict=True) if rows else ((), (), ())
    return NearbyPairs(np.array(truth, np.int32), np.array(prediction, np.int32), np.array(distance, float))


def found_in(pictures, reach: float, most: int = 10_000) -> NearbyPairs | None:
    return point_pairs.near_pairs(
        [array(t) for t, _ in pictures], [array(p) for _, p in pictures], reach, most
    )


@given(PICTURES, st.sampled_from([0.5, 3.0, 15.0, 20.0]))
def test_pairs_are_all_that_lie_within_reach_and_in_one_picture(pictures, reach):
    expected, before_truth, before_predictions = set(), 0, 0
    for truth, predictions in pictures:
        for i, t in enumerate(truth):
            for j, p in enumerate(predictions):
                distance = math.sqrt((t[0] - p[0]) ** 2 + (t[1] - p[1]) ** 2)
                if distance <= reach:
                    expected.add((i + before_truth, j + before_predictions, distance))
        before_truth, before_predictions = before_truth + len(truth), before_predictions + len(predictions)
    found = found_in(pictures, reach)
    rows = list(zip(found.truth.tolist(), found.prediction.tolist(), found.distance.tolist(), strict=True))
    assert len(rows) == len(set(rows))
    assert set(rows) == expected


def test_more_pairs_than_allowed_are_not_made():
    crowd = [([(0.0, 0.0)] * 30, [(1.0, 0.0)] * 30)] * 2
    assert len(found_in(crowd, 2.0, most=1800)) == 1800
    assert found_in(crowd, 2.0, most=1799) is None
    assert found_in([([(0.0, 0.0)] * 30, [(1.0, 0.0)] * 30)], 0.5, most=10).truth.tolist() == []


@given(ROWS, st.lists(st.sampled_from([0.2, 0.5, 0.9]), min_size=6, max_size=6))
def test_preference(rows, confidence):
    pairs = pairs_of(rows)
    order = point_pairs.preference(pairs, np.array(confidence))
    expected = sorted(
        range(len(rows)), key=lambda k: (rows[k][0], -confidence[rows[k][1]], rows[k][2], rows[k][1])
    )
    assert order.tolist() == expected


@given(ROWS, st.lists(st.sampled_from([0.2, 0.5, 0.9]), min_size=6, max_size=6))
def test_each_truth_chooses_the_first_that_is_left(rows, confidence):
    used, expected, done = set(), set(), set()
    for k in sorted(
        range(len(rows)), key=lambda k: (rows[k][0], -confidence[rows[k][1]], rows[k][2], rows[k][1])
    ):
        truth, prediction, _ = rows[k]
        if truth not in done and prediction not in used:
            done.add(truth)
            used.add(prediction)
            expected.add((k, prediction))
    chosen, taken = point_pairs.choose(pairs_of(rows), np.array(confidence))
    assert len(chosen) == len(expected)
    assert set(zip(chosen.tolist(), taken.tolist(), strict=True)) == expected


def test_of_predictions_at_one_place_the_first_unused_is_used_up():
    pairs, confidence = (
        pairs_of([(t, p, t + 1.0) for t in (0, 1) for p in (0, 1, 2)]),
        np.array([0.2, 0.5, 0.9]),
    )
    plain, first = (
        point_pairs.choose(pairs, confidence)[1],
        point_pairs.choose(pairs, confidence, np.array([5, 5, 5]))[1],
    )
    assert plain.tolist() == [2, 1]
    assert first.tolist() == [0, 1]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), max_size=12))
def test_points_at_the_same_place(entries):
    numbers = point_pairs.same_place(array([e[:2] for e in entries]), np.array([e[2] for e in entries], int))
    for i, mine in enumerate(entries):
        assert (numbers[i] >= 0) == (entries.count(mine) > 1)
        assert [numbers[j] == numbers[i] for j, other in enumerate(entries) if other == mine] == [
            True
        ] * entries.count(mine)
        assert all(
            numbers[j] != numbers[i] for j, other in enumerate(entries) if other != mine and numbers[j] >= 0
        )


def test_negative_zero_is_zero():
    assert point_pairs.same_place(np.array([[0.0, 1.0], [-0.0, 1.0]]), np.zeros(2, int)).tolist() == [0, 0]


@given(ROWS)
def test_left_over_points_are_paired_nearest_first(rows):
    truths, predictions, expected = set(), set(), []
    for k in sorted(range(len(rows)), key=lambda k: (rows[k][2], rows[k][0], rows[k][1])):
        if rows[k][0] not in truths and rows[k][1] not in predictions:
            truths.add(rows[k][0])
            predictions.add(rows[k][1])
            expected.append(k)
    pairs = pairs_of(rows)
    order = np.lexsort((pairs.prediction, pairs.truth, pairs.distance))
    matched, used = match_in_order(pairs.truth, pairs.prediction, order)
    assert matched.tolist() == expected
    assert used.tolist() == pairs.prediction[expected].tolist()


@given(ROWS)
def test_nearest(rows):
    pairs = pairs_of(rows)
    found = point_pairs.nearest(pairs.truth, pairs.prediction, pairs.distance, 6)
    for point in range(6):
        mine = [k for k in range(len(rows)) if rows[k][0] == point]
        assert found[point] == min(mine, key=lambda k: (rows[k][2], rows[k][1]), default=-1)


def test_on_the_circle_and_beside_it():
    distance = np.array([14.999, 15.0, 15.001])
    assert point_pairs.within(distance, 15.0, inclusive=True).tolist() == [True, True, False]
    assert point_pairs.within(distance, 15.0, inclusive=False).tolist() == [True, False, False]
