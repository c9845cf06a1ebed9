"""Read the labels of a volume in another order of its voxels, without ever building it."""

from collections.abc import Iterator

import numpy as np

from scoring.common.arrays import Ints
from scoring.inputs.masks.blocks import VOXELS, Opener, VoxelBlock, blocks, opened
from scoring.inputs.masks.grid import Orientation
from scoring.inputs.masks.headers import Header, open_volume
from scoring.inputs.masks.runs import LabelRuns, blocks_of

MOST_KEPT = 1 << 20
SLAB = 1 << 24


def reordered_blocks(opener: Opener, header: Header, way: Orientation) -> Iterator[VoxelBlock]:
    """Yield the labels of a volume, reordered by `way`.

    Up to `MOST_KEPT` voxels that are not background are kept from one reading and sorted; for more, the file
    is read once for every `SLAB` of voxels.
    """
    order = _order(header.grid.shape, way)
    kept = _kept(opener, *order)
    if kept is None:
        yield from _from_slabs(opener, header.grid.voxels, *order)
        return
    runs, rounded = kept
    for block in blocks_of(runs, header.grid.voxels):
        yield VoxelBlock(block.labels, rounded)


def _order(shape: tuple[int, int, int], way: Orientation) -> tuple[int, list[int]]:
    """Return the new place of the first voxel, and how far the place moves by a step along each axis of
    storage."""
    first, length, strides = 0, 1, [0, 0, 0]
    for axis, backwards in zip(way.axes, way.reversed, strict=True):
        strides[axis] = -length if backwards else length
        first += length * (shape[axis] - 1) if backwards else 0
        length *= shape[axis]
    return first, strides


def _kept(opener: Opener, first: int, strides: list[int]) -> tuple[LabelRuns, bool] | None:
    """Return all labels by new place, and whether values were rounded; None where they are too many."""
    places: list[Ints] = [np.zeros(0, np.int32)]
    labels: list[Ints] = [np.zeros(0, np.uint8)]
    rounded, count = False, 0
    for place, label, was_rounded in _moved(opener, first, strides):
        places.append(place.astype(np.int32))
        labels.append(label)
        rounded |= was_rounded
        count += len(place)
        if count > MOST_KEPT:
            return None
    place = np.concatenate(places)
    order = np.argsort(place)
    return LabelRuns(place[order], np.ones(count, np.int32), np.concatenate(labels)[order]), rounded


def _from_slabs(opener: Opener, voxels: int, first: int, strides: list[int]) -> Iterator[VoxelBlock]:
    rest = -(-voxels // VOXELS)
    slab = np.empty((min(rest, SLAB // VOXELS), VOXELS), np.uint8)
    while rest > 0:
        slab[:] = 0
        rounded = False
        for place, label, was_rounded in _moved(opener, first, strides):
            inside = (place >= 0) & (place < slab.size)
            slab.reshape(-1)[place[inside]] = label[inside]
            rounded |= was_rounded
        for labels in slab[:rest]:
            yield VoxelBlock(labels if labels.any() else None, rounded)
        rest -= len(slab)
        first -= slab.size


def _moved(opener: Opener, first: int, strides: list[int]) -> Iterator[tuple[Ints, Ints, bool]]:
    """Yield new places [n] and labels [n] of the voxels that are not background, block by block, and whether
    values were rounded."""
    with opened(opener) as raw:
        header, file = open_volume(raw)
        for number, block in enumerate(blocks(header, file)):
            if block.labels is None:
                continue
            found = np.flatnonzero(block.labels)
            x, y, z = np.unravel_index(found + number * VOXELS, header.grid.shape, order="F")
            place = first + strides[0] * x + strides[1] * y + strides[2] * z
            yield place, block.labels[found], block.rounded
