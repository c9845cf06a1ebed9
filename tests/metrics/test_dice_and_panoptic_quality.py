"""Dice and lesions against plain loops over voxels."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import connected_components, dice_and_panoptic_quality
from scoring.metrics.classification import weighted_mean
from scoring.metrics.greedy_matching import match_by_overlap

NAN = float("nan")
TABLES = st.lists(st.lists(st.integers(0, 3), min_size=9, max_size=9), min_size=1, max_size=6).map(
    lambda rows: np.reshape(rows, (-1, 3, 3))
)
RULES = st.sampled_from(["one", "zero", "skip"])
WHEN_EMPTY = {"one": 1.0, "zero": 0.0, "skip": NAN}


def voxels(table: np.ndarray) -> list[tuple[int, int]]:
    """Every voxel as (true label, predicted label)."""
    return [(row, column) for row, column in np.ndindex(3, 3) for _ in range(table[row, column])]


def plain_dice(pairs: list[tuple[int, int]], label: int, rule: str) -> float:
    both = sum(pair == (label, label) for pair in pairs)
    total = sum((true == label) + (guess == label) for true, guess in pairs)
    return 2 * both / total if total else WHEN_EMPTY[rule]


@given(TABLES, st.integers(1, 2), RULES)
def test_dice_restated(tables, label, rule):
    found = dice_and_panoptic_quality.dice(*dice_and_panoptic_quality.overlap(tables, label), rule)
    assert found.tolist() == pytest.approx(
        [plain_dice(voxels(table), label, rule) for table in tables], nan_ok=True
    )


@given(TABLES, st.integers(1, 2), RULES, st.data())
def test_means_of_resampled_patients_restated(tables, label, rule, data):
    weights = np.array(
        data.draw(
            st.lists(
                st.lists(st.integers(0, 3), min_size=len(tables), max_size=len(tables)),
                min_size=1,
                max_size=3,
            )
        )
    )
    counts = dice_and_panoptic_quality.overlap(tables, label)
    for dtype in (np.float32, np.int64):
        means = weighted_mean(dice_and_panoptic_quality.dice(*counts, rule), weights.astype(dtype))
        pooled = dice_and_panoptic_quality.aggregated_dice(*counts, weights.astype(dtype), rule)
        for row, mean, aggregated in zip(weights, means, pooled, strict=True):
            drawn = [voxels(table) for table, times in zip(tables, row, strict=True) for _ in range(times)]
            values = [
                value
                for value in (plain_dice(pairs, label, rule) for pairs in drawn)
                if not math.isnan(value)
            ]
            assert mean == pytest.approx(sum(values) / len(values) if values else NAN, nan_ok=True)
            assert aggregated == pytest.approx(
                plain_dice(list(itertools.chain(*drawn)), label, rule), nan_ok=True
            )


def test_truth_empty_and_prediction_not_is_zero_under_every_rule():
    assert [
        dice_and_panoptic_quality.dice(np.array(0), np.array(0), np.array(5), rule) for rule in WHEN_EMPTY
    ] == [0, 0, 0]


def plain_components(region: np.ndarray) -> list[set[tuple[int, ...]]]:
    """Parts found by walking from voxel to voxel."""
    rest, parts = {tuple(map(int, index)) for index in np.argwhere(region)}, []
    while rest:
        part, edge = set(), {min(rest)}
        while edge:
            part |= edge
            edge = {
                v
                for v in rest - part
                if any(max(abs(a - b) for a, b in zip(v, w, strict=True)) == 1 for w in edge)
            }
        parts.append(part)
        rest -= part
    return parts


REGIONS = st.tuples(*[st.integers(1, 4)] * 3).flatmap(
    lambda shape: st.tuples(
        *[
            st.lists(st.booleans(), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
                lambda c: np.reshape(c, shape)
            )
        ]
        * 2
    )
)


@given(REGIONS)
def test_components_and_what_they_share_restated(regions):
    numbered, parts = zip(
        *[(connected_components.components(region)[0], plain_components(region)) for region in regions],
        strict=True,
    )
    for region, numbers, expected in zip(regions, numbered, parts, strict=True):
        assert connected_components.components(region)[1] == len(expected)
        found = [
            {tuple(map(int, index)) for index in np.argwhere(numbers == number + 1)}
            for number in range(len(expected))
        ]
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
    pairs = {}
    for a, b in zip(*(numbers.ravel().tolist() for numbers in numbered), strict=True):
        if a and b:
            pairs[a, b] = pairs.get((a, b), 0) + 1
    first, second, shared = connected_components.shared_voxels(*numbered)
    assert list(zip(first, second, shared, strict=True)) == [(a, b, n) for (a, b), n in sorted(pairs.items())]


def test_parts_that_touch_at_a_corner_are_one():
    region = np.zeros((3, 3, 3), bool)
    region[0, 0, 0] = region[1, 1, 1] = True
    assert connected_components.components(region)[1] == 1
    region[2, 0, 2] = True
    assert connected_components.components(region)[1] == 1
    region[1, 1, 1] = False
    assert connected_components.components(region)[1] == 2


@given(
    st.dictionaries(
        st.tuples(st.integers(1, 4), st.integers(1, 4)), st.integers(0, 10).map(lambda k: k / 10), max_size=10
    )
)
def test_matching_takes_the_best_pair_that_is_left(pairs):
    listed = sorted(pairs)
    first, second = (np.array([pair[side] for pair in listed], int) for side in (0, 1))
    expected, left = [], list(range(len(listed)))
    while left:
        best = max(left, key=lambda k: (pairs[listed[k]], -k))
        if pairs[listed[best]] <= 0.3:
            break
        expected.append(best)
        left = [k for k in left if first[k] != first[best] and second[k] != second[best]]
    values = np.array([pairs[pair] for pair in listed])
    assert match_by_overlap(first, second, values, 0.3).tolist() == expected
