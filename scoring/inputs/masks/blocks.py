"""Read a mask as blocks of labels, so that no volume is ever built."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from scoring.common.arrays import Array, Floats, Ints
from scoring.inputs.inflate import ByteFile, fill
from scoring.inputs.masks.errors import MaskError, cut_off, reading
from scoring.inputs.masks.headers import Header

Opener = Callable[[], ByteFile]
"""Opens the file of a mask or image."""
VOXELS = 1 << 18
"""Voxels of a block."""
LABELS = (0, 1, 2)
ROUNDED = 0.01 + 1e-9  # 1.01 - 1 is a little more than 0.01
NAMED = 5


class VoxelBlock(NamedTuple):
    """A block of voxels in the order of storage.

    Attributes:
        labels: uint8 [VOXELS], valid until the next block is read; zeros follow the last voxel. None for
            nothing but background.
        rounded: Whether values that are not whole numbers were rounded.
    """

    labels: Ints | None
    rounded: bool = False


@contextmanager
def opened(opener: Opener) -> Iterator[ByteFile]:
    """Open a file and close it afterwards. Raises Malformed where it cannot be opened."""
    with reading():
        file = opener()
    with file:
        yield file


def blocks(header: Header, file: ByteFile) -> Iterator[VoxelBlock]:
    """Yield the labels of a volume, as stored, `VOXELS` at a time. Raises Malformed: value rules, cut off,
    damaged, or more data than announced."""
    rest, item = header.grid.voxels, header.dtype.itemsize
    buffer = bytearray(VOXELS * item)
    view, words = memoryview(buffer), np.frombuffer(buffer, np.uint64)
    stored, labels = np.frombuffer(buffer, header.dtype), np.frombuffer(buffer, np.uint8)
    while rest:
        count = min(rest, VOXELS)
        with reading():
            if fill(file, view[: count * item]) < count * item:
                raise cut_off()
        view[count * item :] = bytes((VOXELS - count) * item)
        rest -= count
        if header.intercept == 0 and not words.max():
            yield VoxelBlock(None)
        elif item == 1 and header.dtype.kind in "iu" and not header.is_scaled:
            _in_range(stored[:count])
            yield VoxelBlock(labels)
        else:
            yield _block(stored[:count], header)
    _check_end(file)


def _block(stored: Array, header: Header) -> VoxelBlock:
    """Return the labels of stored values; zeros are skipped unless the scaling moves them."""
    labels = np.zeros(VOXELS, np.uint8)
    if header.dtype.kind in "iu" and not header.is_scaled:
        labels[: stored.size] = _in_range(stored)
        return VoxelBlock(labels)
    found = np.flatnonzero(stored) if header.intercept == 0 else np.arange(stored.size)
    with np.errstate(all="ignore"):
        values = stored[found].astype(np.float64) * header.slope + header.intercept
    if not np.isfinite(values).all():
        raise MaskError("bad-label", f"it has NaN or infinite values; {_allowed()}")
    whole = np.rint(values)
    off = np.abs(values - whole)
    if (off > ROUNDED).any():
        raise MaskError(
            "bad-label",
            f"it has fractional values ({_named(np.unique(values[off > ROUNDED]))}); {_allowed()}",
        )
    labels[found] = _in_range(whole)
    return VoxelBlock(labels, bool(off.any()))


def _in_range(values: Array) -> Array:
    """Return the values. Raises Malformed where one is outside 0..2."""
    if values.max(initial=0) > LABELS[-1] or (values.dtype.kind != "u" and values.min(initial=0) < 0):
        found = np.unique(values[(values < 0) | (values > LABELS[-1])])
        raise MaskError(
            "bad-label", f"it has the label{'s' * (len(found) > 1)} {_named(found)}; {_allowed()}"
        )
    return values


def _check_end(file: ByteFile) -> None:
    """Read one byte more, which makes the inflaters verify their checksums. Raises Malformed."""
    with reading():
        if file.readinto(memoryview(bytearray(1))):
            raise MaskError("unreadable-file", "it has more data than its header announces: write it again.")


def _named(found: Floats | Ints) -> str:
    return ", ".join(f"{value:.6g}" for value in found[:NAMED]) + (" ..." if len(found) > NAMED else "")


def _allowed() -> str:
    return "allowed are 0 (background), 1 (GTVp) and 2 (GTVn)."
