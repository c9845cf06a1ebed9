"""A mask as a run of blocks of labels, so that no volume is ever built."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

import numpy as np

from scoring.readers.inflate import fill
from scoring.readers.masks.faults import Malformed, cut_off, reading
from scoring.readers.masks.headers import Header

Opener = Callable[[], BinaryIO]

VOXELS = 1 << 18
LABELS = (0, 1, 2)
NEAR = 0.01 + 1e-9  # 1.01 - 1 is a little more than 0.01
NAMED = 5


class Block(NamedTuple):
    """labels: uint8 [VOXELS], valid until the next block is asked for; zeros follow the last voxel. None:
    nothing but background.

    rounded: whether values that are not whole numbers were rounded.
    """

    labels: np.ndarray | None
    rounded: bool = False


@contextmanager
def opened(opener: Opener) -> Iterator[BinaryIO]:
    """Raises Malformed where there is nothing to open."""
    with reading():
        file = opener()
    with file:
        yield file


def blocks(header: Header, file: BinaryIO) -> Iterator[Block]:
    """The labels of a volume, as stored, `VOXELS` at a time. Raises Malformed: value rules, cut off, damaged,
    or more data than announced."""
    rest, item = header.grid.voxels, header.dtype.itemsize
    buffer = bytearray(VOXELS * item)
    view, words = memoryview(buffer), np.frombuffer(buffer, np.uint64)
    stored = np.frombuffer(buffer, header.dtype)
    while rest:
        count = min(rest, VOXELS)
        with reading():
            if fill(file, view[: count * item]) < count * item:
                raise cut_off()
        view[count * item :] = bytes((VOXELS - count) * item)
        rest -= count
        if header.intercept == 0 and not words.any():
            yield Block(None)
        else:
            yield _block(stored[:count], header)
    _check_end(file)


def _block(stored: np.ndarray, header: Header) -> Block:
    """What is stored as 0 need not be looked at, unless the scaling moves it."""
    labels = np.zeros(VOXELS, np.uint8)
    if header.dtype.kind in "iu" and not header.is_scaled:
        labels[: stored.size] = _in_range(stored)
        return Block(labels)
    found = np.flatnonzero(stored) if header.intercept == 0 else np.arange(stored.size)
    with np.errstate(all="ignore"):
        values = stored[found].astype(np.float64) * header.slope + header.intercept
    if not np.isfinite(values).all():
        raise Malformed("bad-label", f"it has NaN or infinite values; {_allowed()}")
    whole = np.rint(values)
    off = np.abs(values - whole)
    if (off > NEAR).any():
        raise Malformed(
            "bad-label", f"it has fractional values ({_named(np.unique(values[off > NEAR]))}); {_allowed()}"
        )
    labels[found] = _in_range(whole)
    return Block(labels, bool(off.any()))


def _in_range(values: np.ndarray) -> np.ndarray:
    """The values, of which none is outside 0..2."""
    if values.max(initial=0) > LABELS[-1] or values.min(initial=0) < 0:
        found = np.unique(values[(values < 0) | (values > LABELS[-1])])
        raise Malformed(
            "bad-label", f"it has the label{'s' * (len(found) > 1)} {_named(found)}; {_allowed()}"
        )
    return values


def _check_end(file: BinaryIO) -> None:
    """One byte more is asked for: that makes the inflaters verify their checksums."""
    with reading():
        if file.readinto(memoryview(bytearray(1))):
            raise Malformed("unreadable-file", "it has more data than its header announces: write it again.")


def _named(found: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in found[:NAMED]) + (" ..." if len(found) > NAMED else "")


def _allowed() -> str:
    return "allowed are 0 (background), 1 (GTVp) and 2 (GTVn)."
