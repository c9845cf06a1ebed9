"""Labels of masks as blocks, as runs, and as blocks in another axis order. Whole volumes are never in
memory."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.common.arrays import Array, Floats, Ints
from scoring.inputs.inflate import ByteFile, fill
from scoring.inputs.masks.errors import MaskError, cut_off, reading
from scoring.inputs.masks.grid import Orientation
from scoring.inputs.masks.nifti_and_metaimage import Header, open_volume

Opener = Callable[[], ByteFile]
"""Function that opens the file of a mask or image."""
VOXELS = 1 << 18
"""Number of voxels of a block."""
LABELS = (0, 1, 2)
ROUNDED = 0.01 + 1e-9  # 1.01 - 1 is a little more than 0.01
NAMED = 5


class VoxelBlock(NamedTuple):
    """A block of voxels in storage order.

    Attributes:
        labels: uint8 [VOXELS], padded with zeros. The array is valid until the next block is read. None if
            the block is only background.
        rounded: Whether non-integer values were rounded.
    """

    labels: Ints | None
    rounded: bool = False


@contextmanager
def opened(opener: Opener) -> Iterator[ByteFile]:
    """Open a file and close it afterwards. Raises MaskError if it cannot be opened."""
    with reading():
        file = opener()
    with file:
        yield file


def blocks(header: Header, file: ByteFile, other: int | None = None) -> Iterator[VoxelBlock]:
    """Yield the stored labels of a volume, `VOXELS` at a time.

    Args:
        other: A label that is allowed in addition to 0, 1 and 2.

    Raises:
        MaskError: If values are not allowed, if the file is truncated or damaged, or if it has more data than
            the header states.
    """
    rest, item = header.grid.voxels, header.dtype.itemsize
    buffer = bytearray(VOXELS * item)
    view, eights = memoryview(buffer), np.frombuffer(buffer, np.uint64)
    stored, labels = np.frombuffer(buffer, header.dtype), np.frombuffer(buffer, np.uint8)
    while rest:
        count = min(rest, VOXELS)
        with reading():
            if fill(file, view[: count * item]) < count * item:
                raise cut_off()
        view[count * item :] = bytes((VOXELS - count) * item)
        rest -= count
        if header.intercept == 0 and not eights.max():
            yield VoxelBlock(None)
        elif item == 1 and header.dtype.kind in "iu" and not header.is_scaled:
            _in_range(stored[:count], other)
            yield VoxelBlock(labels)
        else:
            yield _block(stored[:count], header, other)
    _check_end(file)


def _block(stored: Array, header: Header, other: int | None) -> VoxelBlock:
    """Return the labels of stored values; zeros are skipped unless the scaling moves them."""
    labels = np.zeros(VOXELS, np.uint8)
    if header.dtype.kind in "iu" and not header.is_scaled:
        labels[: stored.size] = _in_range(stored, other)
        return VoxelBlock(labels)
    indices = np.flatnonzero(stored) if header.intercept == 0 else np.arange(stored.size)
    with np.errstate(all="ignore"):
        values = stored[indices].astype(np.float64) * header.slope + header.intercept
    if not np.isfinite(values).all():
        raise MaskError("bad-label", f"it has NaN or infinite values; {_allowed()}")
    whole = np.rint(values)
    off = np.abs(values - whole)
    if (off > ROUNDED).any():
        message = f"it has fractional values ({_named(np.unique(values[off > ROUNDED]))}); {_allowed()}"
        raise MaskError("bad-label", message)
    labels[indices] = _in_range(whole, other)
    return VoxelBlock(labels, bool(off.any()))


def _in_range(values: Array, other: int | None) -> Array:
    """Return the values. Raises MaskError if one is outside 0..2, and not another that is allowed."""
    if values.max(initial=0) > LABELS[-1] or (values.dtype.kind != "u" and values.min(initial=0) < 0):
        beyond = np.unique(values[(values < 0) | (values > LABELS[-1])])
        outside = beyond if other is None else beyond[beyond != other]
        if outside.size:
            labels = f"it has the label{'s' * (len(outside) > 1)} {_named(outside)}"
            raise MaskError("bad-label", f"{labels}; {_allowed()}")
    return values


def _check_end(file: ByteFile) -> None:
    """Read one byte more, which makes the inflaters verify their checksums. Raises MaskError."""
    with reading():
        if file.readinto(memoryview(bytearray(1))):
            raise MaskError(
                "unreadable-file", "it has more data than its header states: save the mask again."
            )


def _named(values: Floats | Ints) -> str:
    return ", ".join(f"{value:.6g}" for value in values[:NAMED]) + (" ..." if len(values) > NAMED else "")


def _allowed() -> str:
    return "allowed are 0 (background), 1 (GTVp) and 2 (GTVn)."


MOST = 1 << 13


@dataclass(frozen=True, eq=False)
class LabelRuns:
    """R runs of equal labels; no run crosses the end of a block.

    Attributes:
        start: First voxel of each run, ascending, int32 [R].
        length: Number of voxels of each run, int32 [R].
        label: Label of each run, never 0, uint8 [R].
    """

    start: Ints
    length: Ints
    label: Ints


def runs_of(labels: Ints, number: int, touched: Ints) -> LabelRuns:
    """Return the runs of block `number`.

    Args:
        touched: Numbers of those groups of eight voxels that contain labels.
    """
    first, last = (8 * int(touched[0]), 8 * int(touched[-1]) + 8) if touched.size else (0, 0)
    inside = labels[first:last]  # a tumour fills so little of a block that the rest is not looked at again
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = np.concatenate(((0,), edges)), np.concatenate((edges, (inside.size,)))
    labelled = inside[starts] != 0 if inside.size else np.zeros(starts.size, bool)
    starts, ends = starts[labelled], ends[labelled]
    begins = (starts + first + number * VOXELS).astype(np.int32)
    return LabelRuns(begins, (ends - starts).astype(np.int32), inside[starts])


class RunCollector:
    """Collects the runs of successive blocks, until there are more than `MOST`."""

    def __init__(self) -> None:
        self._parts = [LabelRuns(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))]
        self._count = 0

    def add(self, labels: Ints, number: int, touched: Ints | None = None) -> None:
        """Add the labels of block `number`. `touched` is as in `runs_of`; None if unknown."""
        if self._count <= MOST:
            touched = np.flatnonzero(labels.view(np.uint64) != 0) if touched is None else touched
            self._parts.append(runs_of(labels, number, touched))
            self._count += self._parts[-1].start.size

    def runs(self) -> LabelRuns | None:
        """Return all collected runs; None if there were too many."""
        if self._count > MOST:
            return None
        return LabelRuns(
            *(
                np.concatenate([getattr(part, name) for part in self._parts])
                for name in ("start", "length", "label")
            )
        )


def blocks_of(runs: LabelRuns, voxels: int) -> Iterator[VoxelBlock]:
    """Yield the blocks of voxels that the runs encode."""
    labels = np.zeros(VOXELS, np.uint8)
    bounds = np.searchsorted(runs.start, np.arange(0, voxels + VOXELS, VOXELS))
    for number, (first, last) in enumerate(itertools.pairwise(bounds)):
        if first == last:
            yield VoxelBlock(None)
            continue
        length = runs.length[first:last]
        ends = np.cumsum(length)
        index = np.repeat(runs.start[first:last] - number * VOXELS - ends + length, length) + np.arange(
            ends[-1]
        )
        labels[index] = np.repeat(runs.label[first:last], length)
        yield VoxelBlock(labels)
        labels[index] = 0


SLAB = 1 << 25
"""Maximum number of voxels that are reordered at once."""


def reordered_blocks(opener: Opener, header: Header, way: Orientation) -> Iterator[VoxelBlock]:
    """Yield the labels of a volume in another axis order (`way`). The file is read once for every `SLAB`
    voxels."""
    first, strides = _order(header.grid.shape, way)
    rest = -(-header.grid.voxels // VOXELS)
    slab = np.empty((min(rest, SLAB // VOXELS), VOXELS), np.uint8)
    while rest > 0:
        slab[:] = 0
        rounded = False
        for target, label, was_rounded in _moved(opener, first, strides):
            inside = (target >= 0) & (target < slab.size)
            slab.reshape(-1)[target[inside]] = label[inside]
            rounded |= was_rounded
        for labels in slab[:rest]:
            yield VoxelBlock(labels if labels.any() else None, rounded)
        rest -= len(slab)
        first -= slab.size


def _order(shape: tuple[int, int, int], way: Orientation) -> tuple[int, list[int]]:
    """Return the new place of the first voxel, and how far the place moves by a step along each axis of
    storage."""
    first, length, strides = 0, 1, [0, 0, 0]
    for axis, backwards in zip(way.axes, way.reversed, strict=True):
        strides[axis] = -length if backwards else length
        first += length * (shape[axis] - 1) if backwards else 0
        length *= shape[axis]
    return first, strides


def _moved(opener: Opener, first: int, strides: list[int]) -> Iterator[tuple[Ints, Ints, bool]]:
    """Yield new places [n] and labels [n] of the voxels that are not background, block by block, and whether
    values were rounded."""
    with opened(opener) as raw:
        header, file = open_volume(raw)
        for number, block in enumerate(blocks(header, file)):
            if block.labels is None:
                continue
            indices = np.flatnonzero(block.labels)
            x, y, z = np.unravel_index(indices + number * VOXELS, header.grid.shape, order="F")
            target = first + strides[0] * x + strides[1] * y + strides[2] * z
            yield target, block.labels[indices], block.rounded
