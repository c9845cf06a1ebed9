"""The labels of a volume in another order of its voxels, without ever building it."""

from collections.abc import Iterator

import numpy as np

from scoring.readers.masks.blocks import VOXELS, Block, Opener, blocks, opened
from scoring.readers.masks.grid import Orientation
from scoring.readers.masks.headers import Header, open_volume

SLAB = 1 << 24


def reordered_blocks(opener: Opener, header: Header, way: Orientation) -> Iterator[Block]:
    """The labels of a volume, reordered by `way`. The file is read once for every `SLAB` of voxels, so that no more than these are held."""
    first, strides = _order(header.grid.shape, way)
    rest = -(-header.grid.voxels // VOXELS)
    slab = np.empty((min(rest, SLAB // VOXELS), VOXELS), np.uint8)
    while rest > 0:
        rounded = _fill(slab, opener, first, strides)
        for labels in slab[:rest]:
            yield Block(labels if labels.any() else None, rounded)
        rest -= len(slab)
        first -= slab.size


def _order(shape: tuple[int, int, int], way: Orientation) -> tuple[int, list[int]]:
    """The new place of the first voxel, and how far the place moves by a step along each axis of storage."""
    first, length, strides = 0, 1, [0, 0, 0]
    for axis, backwards in zip(way.axes, way.reversed, strict=True):
        strides[axis] = -length if backwards else length
        first += length * (shape[axis] - 1) if backwards else 0
        length *= shape[axis]
    return first, strides


def _fill(slab: np.ndarray, opener: Opener, first: int, strides: list[int]) -> bool:
    """Put the labels whose new places lie inside the slab there; whether values were rounded."""
    slab[:] = 0
    rounded, flat = False, slab.reshape(-1)
    with opened(opener) as raw:
        header, file = open_volume(raw)
        for number, block in enumerate(blocks(header, file)):
            if block.labels is None:
                continue
            rounded |= block.rounded
            found = np.flatnonzero(block.labels)
            index = np.unravel_index(found + number * VOXELS, header.grid.shape, order="F")
            place = sum((step * along for step, along in zip(strides, index, strict=True)), first)
            inside = (place >= 0) & (place < flat.size)
            flat[place[inside]] = block.labels[found[inside]]
    return rounded
