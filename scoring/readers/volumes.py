"""Volumes to look at: the labelled voxels of a mask, and parts of CT and PET images. No score comes from
here."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from scoring.readers.inflate import fill
from scoring.readers.masks.blocks import VOXELS, Opener, blocks, opened
from scoring.readers.masks.faults import Malformed, cut_off, reading
from scoring.readers.masks.grid import Grid, Orientation, difference, orientation
from scoring.readers.masks.headers import Header, open_volume

MOST_LABELLED = 1 << 24
MOST_EDGE, MOST_VOXELS = 4096, 1 << 28

Picks = Callable[[Grid], tuple[np.ndarray, np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Labels:
    """The voxels of a mask that are not background. places: int64 [n, 3], index along each axis of the grid.
    labels: uint8 [n], 1 or 2."""

    grid: Grid
    places: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True, eq=False)
class Image:
    """values: float32 [x, y, z]. affine: float64 [4, 4], index to mm (RAS) of the voxel's centre."""

    values: np.ndarray
    affine: np.ndarray


def read_labels(opener: Opener, reference: Grid | None = None) -> Labels:
    """Read a mask once, block by block, by the rules that scoring reads it by.

    reference: the grid that the mask must share, if need be after reordering or reversing its axes; the
    labels then lie on it. Raises Malformed: what makes a mask malformed, or more than 2**24 labelled voxels.
    """
    flat, labels, count = [], [], 0
    with opened(opener) as raw:
        header, file = open_volume(raw)
        way = Orientation() if reference is None else orientation(header.grid, reference)
        if way is None:
            raise Malformed("wrong-grid", f"{difference(header.grid, reference)}. Nothing is resampled.")
        for number, block in enumerate(blocks(header, file)):
            if block.labels is None:
                continue
            found = np.flatnonzero(block.labels)
            count += len(found)
            if count > MOST_LABELLED:
                raise Malformed(
                    "unreadable-file", f"it labels more than {MOST_LABELLED:,} voxels, too many to show."
                )
            flat.append(found + number * VOXELS)
            labels.append(block.labels[found])
    if not flat:
        return Labels(reference or header.grid, np.zeros((0, 3), np.int64), np.zeros(0, np.uint8))
    places = np.stack(np.unravel_index(np.concatenate(flat), header.grid.shape, order="F"), axis=-1)
    return Labels(reference or header.grid, _reordered(places, header.grid, way), np.concatenate(labels))


def _reordered(places: np.ndarray, grid: Grid, way: Orientation) -> np.ndarray:
    columns = [
        grid.shape[axis] - 1 - places[:, axis] if backwards else places[:, axis]
        for axis, backwards in zip(way.axes, way.reversed, strict=True)
    ]
    return np.stack(columns, axis=-1)


def read_image(opener: Opener, picks: Picks) -> Image:
    """The voxels that `picks(grid)` names by evenly spaced, increasing indices along each axis; what lies
    behind the last is not read.

    NaN and infinite values become 0. Raises Malformed: unreadable, cut off, nothing picked, more than 2**28
    voxels or 4,096 along an axis.
    """
    with opened(opener) as raw:
        header, file = open_volume(raw)
        if max(header.grid.shape) > MOST_EDGE or header.grid.voxels > MOST_VOXELS:
            raise Malformed(
                "unreadable-file", f"it has {'×'.join(map(str, header.grid.shape))} voxels, too many to show."
            )
        x, y, z = indices = picks(header.grid)
        if not all(map(len, indices)):
            raise Malformed("wrong-grid", "it does not cover the place of the masks.")
        values = np.empty((len(x), len(y), len(z)), np.float32)
        wanted = {int(plane): at for at, plane in enumerate(z)}
        for number, plane in enumerate(_planes(header, file, int(z[-1]) + 1)):
            if number in wanted:
                values[:, :, wanted[number]] = plane[np.ix_(x, y)] * header.slope + header.intercept
    return Image(
        np.nan_to_num(values, copy=False, posinf=0, neginf=0), header.grid.affine @ picked_affine(indices)
    )


def _planes(header: Header, file: BinaryIO, count: int) -> Iterator[np.ndarray]:
    """The first planes as stored, [x, y]; one buffer, used again."""
    nx, ny, _ = header.grid.shape
    buffer = bytearray(nx * ny * header.dtype.itemsize)
    plane = np.frombuffer(buffer, header.dtype).reshape(ny, nx).T
    for _ in range(count):
        with reading():
            if fill(file, memoryview(buffer)) < len(buffer):
                raise cut_off()
        yield plane


def picked_affine(indices: Sequence[np.ndarray]) -> np.ndarray:
    """float64 [4, 4], index among evenly spaced, picked indices of each axis to the index that was picked."""
    matrix = np.eye(4)
    for axis, picked in enumerate(indices):
        matrix[axis, axis] = picked[1] - picked[0] if len(picked) > 1 else 1
        matrix[axis, 3] = picked[0]
    return matrix
