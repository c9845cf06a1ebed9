"""Counts the lesions (connected components) of one label in truth and prediction, and matches them one to
one."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Array, Ints
from scoring.inputs.masks.blocks import VOXELS, Opener, RunCollector, VoxelBlock, blocks_of
from scoring.inputs.masks.counting import Mask, VoxelCounts, aligned, count, labels_of
from scoring.metrics.connected_components import components, shared_voxels
from scoring.metrics.greedy_matching import match_by_overlap

Readings = Callable[[], AbstractContextManager[Iterator[VoxelBlock]]]

MATCHED_ABOVE = 0.3


@dataclass(frozen=True)
class Lesions:
    """Numbers of lesions in truth and prediction.

    Attributes:
        matched: Number of pairs that match one to one, with an intersection over union above 0.3; pairs with
            a larger overlap match first.
    """

    truth: int
    prediction: int
    matched: int


@dataclass(frozen=True, eq=False)
class Region:
    """The box of the grid that contains a label; empty if the label does not occur.

    Attributes:
        values: Booleans or component numbers [x, y, z].
        first: Index of the box's first voxel in the grid [3].
    """

    values: Array
    first: Ints


def lesions(truth: Mask, prediction: Opener | None, label: int) -> Lesions:
    """Count the 26-connected components of a label in both masks, and the matching pairs.

    Only the box around the label is held in memory, with about five bytes per voxel.

    Args:
        prediction: Function that opens the predicted mask; None if there is no predicted mask.

    Raises:
        MaskError: If the prediction is malformed. `counting.count` reports this as a result, so call it
            first.
    """
    true = _region(truth, label, lambda: nullcontext(labels_of(truth)))
    numbered, count = components(true.values)
    if prediction is None:
        return Lesions(count, 0, 0)
    guess = _region(truth, label, _again(truth, prediction))
    guessed, guess_count = components(guess.values)
    first, second, shared = shared_voxels(
        *_common(Region(numbered, true.first), Region(guessed, guess.first))
    )
    union = _sizes(numbered, count)[first] + _sizes(guessed, guess_count)[second] - shared
    return Lesions(count, guess_count, len(match_by_overlap(first, second, shared / union, MATCHED_ABOVE)))


def _again(truth: Mask, prediction: Opener) -> Readings:
    """Return what reads the blocks of a prediction as often as needed, from runs where they are few."""
    collected = RunCollector()
    with _predicted(truth, prediction) as predicted_blocks:
        for number, block in enumerate(predicted_blocks):
            if block.labels is not None:
                collected.add(block.labels, number)
    runs = collected.runs()
    if runs is None:
        return lambda: _predicted(truth, prediction)
    return lambda: nullcontext(blocks_of(runs, truth.grid.voxels))


@contextmanager
def _predicted(truth: Mask, prediction: Opener) -> Iterator[Iterator[VoxelBlock]]:
    with aligned(truth, prediction) as (predicted_blocks, _way):
        yield predicted_blocks


def _region(truth: Mask, label: int, readings: Readings) -> Region:
    """Return the box around a label: found in a first reading, filled in a second."""
    first, after = np.array(truth.grid.shape), np.zeros(3, int)
    with readings() as label_blocks:
        for places in _places(label_blocks, label, truth.grid.shape):
            first, after = np.minimum(first, places.min(1)), np.maximum(after, places.max(1) + 1)
    inside = np.zeros(np.maximum(after - first, 0), bool)
    with readings() as label_blocks:
        for places in _places(label_blocks, label, truth.grid.shape):
            inside[tuple(places - first[:, None])] = True
    return Region(inside, first)


def _places(blocks: Iterable[VoxelBlock], label: int, shape: tuple[int, int, int]) -> Iterator[Ints]:
    """Yield indices [3, n] of the voxels with a label, block by block, where there are any."""
    for number, block in enumerate(blocks):
        if block.labels is None:
            continue
        inside = np.flatnonzero(block.labels == label)
        if len(inside):
            yield np.stack(np.unravel_index(inside + number * VOXELS, shape, order="F"))


def _common(first_box: Region, second_box: Region) -> tuple[Array, Array]:
    """Return the values of two boxes where they overlap."""
    first = np.maximum(first_box.first, second_box.first)
    after = np.maximum(
        np.minimum(first_box.first + first_box.values.shape, second_box.first + second_box.values.shape),
        first,
    )
    return _within(first_box, first, after), _within(second_box, first, after)


def _within(box: Region, first: Ints, after: Ints) -> Array:
    """Return the values of a box from one index of the grid to another."""
    return box.values[tuple(slice(a, b) for a, b in zip(first - box.first, after - box.first, strict=True))]


def _sizes(numbered: Ints, count: int) -> Ints:
    return np.bincount(numbered[numbered > 0], minlength=count + 1)


@dataclass(frozen=True, eq=False)
class MaskPair:
    """A true mask, and a function that opens the submitted mask (None if there is no submitted mask)."""

    truth: Mask
    submitted: Opener | None


def compared(pair: MaskPair, label: int | None) -> tuple[VoxelCounts, Lesions | None]:
    """Return the voxel counts of a pair by label, and the lesions of one label.

    Args:
        label: The label whose lesions are counted and matched; None: no lesions.

    Raises:
        InputRefused: If the file of the truth changed since it was examined.
    """
    counts = count(pair.truth, pair.submitted)
    if label is None:
        return counts, None
    return counts, lesions(pair.truth, pair.submitted if counts.state == "ok" else None, label)
