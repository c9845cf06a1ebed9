"""Resizes 8-bit images with the same result as Pillow, to the last bit, in little more than half of Pillow's
time.

Pillow weighs each pixel with fixed-point integers of 22 fraction bits, and rounds. Here a pass is a matrix
product in float32, whose rounding errors have a bound. The few values that are too close to one half to be
rounded safely are computed again in integers.
"""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Planes = NDArray[np.uint8]
"""Pixels channel by channel, uint8 (channels, height, width)."""
Plane = NDArray[np.uint8]
"""Pixels of one channel, uint8 (height, width)."""
OfColours = Planes | Sequence[Plane]
"""Pixels channel by channel, either in one array or in one array per channel."""
Floats32 = NDArray[np.float32]

BITS = 22
"""Number of bits after the binary point in Pillow's weights (`PRECISION_BITS` in its Resample.c)."""
FRACTION = 11
"""Number of bits after the binary point that decide the rounding of most values."""
SHIFT = np.float32(1.5 * 2 ** (23 - FRACTION))
"""Constant that is added to a float32 number. The lowest bits of the sum are then the number in units of
2**-FRACTION."""
ZERO = SHIFT.view(np.int32) >> FRACTION
"""What SHIFT adds to the integer part. It is a multiple of 256, which conversion to uint8 drops."""
BLOCK = 16
"""Number of neighbouring output positions whose weights form one dense matrix."""
ROWS = 600
"""Number of rows that are processed at once. So few rows fit into the cache of a core."""
MOST_OPEN = 0.02
"""If the rounding of more than this share of values is undecided, this method is slower than Pillow."""


_held = threading.local()


class TooClose(Exception):
    """Raised if too many pixel values lie so close to a half (such as 127.5) that their rounding is
    uncertain, for example when an image is enlarged to twice its size."""


def _sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


def _lanczos(x: float) -> float:
    return _sinc(x) * _sinc(x / 3) if -3 <= x < 3 else 0.0


def _bicubic(x: float) -> float:
    x, a = abs(x), -0.5
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _bilinear(x: float) -> float:
    return max(1 - abs(x), 0.0)


FILTERS: dict[str, tuple[Callable[[float], float], float]] = {
    "lanczos": (_lanczos, 3.0),
    "bicubic": (_bicubic, 2.0),
    "bilinear": (_bilinear, 1.0),
}
"""Filter of Pillow -> its function, and the radius of this function."""


@dataclass(frozen=True)
class Weights:
    """Resampling weights along one axis: with which weight each position of the image contributes to each
    position of the result.

    Attributes:
        first: First position of the image that contributes to each position of the result, int64
            (positions,).
        whole: Weights in units of 2**-BITS, from `first` on, padded with 0, int64 (positions, most).
    """

    first: NDArray[np.int64]
    whole: NDArray[np.int64]
    before: int

    @cached_property
    def open_within(self) -> int:
        """Distance from one half, in units of 2**-FRACTION, within which float32 cannot decide the rounding.

        The error of a float32 sum of n products is at most n * 2**-24 times the sum of their magnitudes, in
        any order (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The shift to the unit
        2**-FRACTION adds half a unit.
        """
        largest = 255 * float(np.abs(self.whole).sum(axis=1).max()) / 2**BITS
        return int((self.whole.shape[1] + 1) * 2.0**-24 * largest * 2**FRACTION + 0.5)

    @cached_property
    def blocks(self) -> list[tuple[slice, slice, Floats32]]:
        """Weights as blocks. Each consists of positions of the result, positions of the image, and a dense
        matrix of weights, float32 (result, image)."""
        blocks, most = [], self.whole.shape[1]
        for start in range(0, len(self.first), BLOCK):
            first = self.first[start : start + BLOCK]
            end = min(int(first[-1]) + most, self.before)
            dense = np.zeros((len(first), end - first[0] + most), np.float32)
            for row, column in enumerate(first - first[0]):
                dense[row, column : column + most] = self.whole[start + row] / 2**BITS
            used = slice(int(first[0]), end)
            blocks.append((slice(start, start + len(first)), used, dense[:, : end - int(first[0])]))
        return blocks

    @cached_property
    def turned_blocks(self) -> list[tuple[slice, slice, Floats32]]:
        """The `blocks` with transposed matrices (image, result). Their memory order halves the time of the
        multiplication."""
        return [(places, used, np.ascontiguousarray(dense.T)) for places, used, dense in self.blocks]


@lru_cache(maxsize=32)
def weights(before: int, after: int, name: str) -> Weights:
    """Return Pillow's weights, computed as in `precompute_coeffs` and `normalize_coeffs_8bpc` of its
    Resample.c. `name` is the name of the filter in `FILTERS`."""
    shape, reach = FILTERS[name]
    scale = before / after
    wide = max(scale, 1.0)
    support = reach * wide
    first, rows = np.empty(after, np.int64), []
    for position in range(after):
        centre = (position + 0.5) * scale
        low, high = max(int(centre - support + 0.5), 0), min(int(centre + support + 0.5), before)
        row = [shape((x - centre + 0.5) * (1.0 / wide)) for x in range(low, high)]
        total = 0.0
        for weight in row:  # one after the other, as Pillow: `sum` is more exact
            total += weight
        scaled = (weight / total * (1 << BITS) if total else weight * (1 << BITS) for weight in row)
        rows.append([int(weight - 0.5) if weight < 0 else int(weight + 0.5) for weight in scaled])
        first[position] = low
    whole = np.zeros((after, max(map(len, rows))), np.int64)
    for position, numbers in enumerate(rows):
        whole[position, : len(numbers)] = numbers
    return Weights(first, whole, before)


def along_width(planes: OfColours, by: Weights) -> Planes:
    """Resize planes along their width. Raises TooClose if the rounding of too many pixel values is
    uncertain."""
    height = len(planes[0])
    result = np.empty((len(planes), height, len(by.first)), np.uint8)
    for plane, out in zip(planes, result, strict=True):
        for start in range(0, height, ROWS):
            part = plane[start : start + ROWS]
            floats = _buffer("floats", part.shape, np.float32)
            np.copyto(floats, part)
            sums = _buffer("sums", (len(part), len(by.first)), np.float32)
            for places, used, dense in by.turned_blocks:
                np.matmul(floats[:, used], dense, out=sums[:, places])
            row, column = _round(sums, by, out[start : start + ROWS])
            if len(row):
                pixels = part[row[:, None], _used(by, column)]
                out[start + row, column] = _exact(pixels, by.whole[column])
    return result


def along_height(planes: OfColours, by: Weights) -> Planes:
    """Resize planes along their height. Raises TooClose if the rounding of too many pixel values is
    uncertain."""
    width = planes[0].shape[1]
    result = np.empty((len(planes), len(by.first), width), np.uint8)
    per_part = ROWS // BLOCK
    for plane, out in zip(planes, result, strict=True):
        floats = _buffer("floats", plane.shape, np.float32)
        np.copyto(floats, plane)
        for number in range(0, len(by.blocks), per_part):
            blocks = by.blocks[number : number + per_part]
            start, end = blocks[0][0].start, blocks[-1][0].stop
            sums = _buffer("sums", (end - start, width), np.float32)
            for places, used, dense in blocks:
                np.matmul(dense, floats[used], out=sums[places.start - start : places.stop - start])
            row, column = _round(sums, by, out[start:end])
            if len(row):
                pixels = plane[_used(by, start + row), column[:, None]]
                out[start + row, column] = _exact(pixels, by.whole[start + row])
    return result


def _buffer(name: str, shape: tuple[int, ...], kind: type) -> NDArray[Any]:
    """Return an array for passing use, kept for the next: fresh memory costs more than what is done in it."""
    size = math.prod(shape)
    held: NDArray[Any] | None = getattr(_held, name, None)
    if held is None or held.size < size:
        held = np.empty(size, kind)
        setattr(_held, name, held)
    return held[:size].reshape(shape)


def _used(by: Weights, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the image that count at places of the result. Filled ones weigh nothing."""
    positions: NDArray[np.int64] = by.first[places][:, None] + np.arange(by.whole.shape[1])
    return np.minimum(positions, by.before - 1, out=positions)


def _round(sums: Floats32, by: Weights, out: Planes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Write sums as pixels, and return rows and columns of those that are to be computed exactly.

    Args:
        sums: Rounded in place.
        out: uint8, as large.

    Raises:
        TooClose: More than `MOST_OPEN` of them are.
    """
    # One rounding, to whole units, of the sum and a half and what stays open; then the lowest bits of SHIFT's
    # own pattern are 0, those that become the pixel included.
    sums += SHIFT + np.float32(0.5 + by.open_within / 2**FRACTION)
    units = sums.view(np.int32)
    fractions, near = _buffer("fractions", units.shape, np.int32), _buffer("near", units.shape, np.bool_)
    np.bitwise_and(units, np.int32(2**FRACTION - 1), out=fractions)
    is_open = _places(np.less_equal(fractions, np.int32(2 * by.open_within), out=near))
    if len(is_open) > MOST_OPEN * sums.size:
        raise TooClose
    units >>= FRACTION
    if units.min() < ZERO or units.max() > ZERO + 255:
        np.clip(units, ZERO, ZERO + 255, out=units)
    np.copyto(out, units, casting="unsafe")
    row, column = np.divmod(is_open, sums.shape[1])
    return row, column


def _places(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where flags are set, as `np.flatnonzero`, faster where few are: eight at a time."""
    flat = flags.reshape(-1)
    whole = len(flat) // 8 * 8
    eights = np.flatnonzero(flat[:whole].view(np.uint64) != 0) * 8
    near = (eights[:, None] + np.arange(8)).reshape(-1)
    return np.concatenate((near[flat[near]], np.flatnonzero(flat[whole:]) + whole))


def _exact(pixels: NDArray[np.uint8], whole: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return sums of pixels times weights as Pillow computes them, both (values, weights)."""
    sums: NDArray[np.int64] = np.einsum("ij,ij->i", pixels.astype(np.int64), whole)
    return np.clip((sums + (1 << (BITS - 1))) >> BITS, 0, 255, out=sums)
