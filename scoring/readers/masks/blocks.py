"""A mask as a run of blocks of labels, so that no volume is ever built."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

import numpy as np

from scoring.readers.masks.faults import Malformed, cut_off, reading
from scoring.readers.masks.headers import Header
from scoring.readers.masks.inflate import fill

Opener = Callable[[], BinaryIO]

VOXELS = 1 << 18
LABELS = (0, 1, 2)
NEAR = 0.01 + 1e-9  # 1.01 - 1 is a little more than 0.01
NAMED = 5


class Block(NamedTuple):
    """labels: uint8 [VOXELS], valid until the next block is asked for; zeros follow the last voxel. None: nothing but background.

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
    """The labels of a volume, as stored, `VOXELS` at a time. Raises Malformed: value rules, cut off, damaged, or more data than announced."""
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
    if header.dtype.kind in "iu" and not header.is_scaled:
        return Block(_whole(stored))
    with np.errstate(all="ignore"):
        values = stored.astype(np.float64) * header.slope + header.intercept
    if not np.isfinite(values).all():
        raise Malformed("bad-label", f"it has NaN or infinite values; {_allowed()}")
    labels = np.rint(values)
    if (np.abs(values - labels) > NEAR).any():
        raise Malformed("bad-label", f"it has fractional values ({_named(values[np.abs(values - labels) > NEAR])}); {_allowed()}")
    return Block(_whole(labels), bool((values != labels).any()))


def _whole(values: np.ndarray) -> np.ndarray:
    """uint8 [VOXELS], zeros beyond the values."""
    if values.max() > LABELS[-1] or values.min() < 0:
        raise Malformed("bad-label", f"it has the label {_named(values[(values < 0) | (values > LABELS[-1])])}; {_allowed()}")
    labels = np.zeros(VOXELS, np.uint8)
    labels[: values.size] = values
    return labels


def _check_end(file: BinaryIO) -> None:
    """One byte more is asked for: that makes the inflaters verify their checksums."""
    with reading():
        if file.readinto(memoryview(bytearray(1))):
            raise Malformed("unreadable-file", "it has more data than its header announces: write it again.")


def _named(values: np.ndarray) -> str:
    found = np.unique(values)
    return ", ".join(f"{value:.6g}" for value in found[:NAMED]) + (" ..." if len(found) > NAMED else "")


def _allowed() -> str:
    return "allowed are 0 (background), 1 (GTVp) and 2 (GTVn)."
