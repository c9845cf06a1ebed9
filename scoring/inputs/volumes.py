"""Volumes for viewers: the labelled voxels of a mask, and parts of images. No score depends on them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Array, Floats, Ints
from scoring.inputs.inflate import ByteFile, fill
from scoring.inputs.masks.blocks import VOXELS, Opener, blocks, opened
from scoring.inputs.masks.errors import MaskError, cut_off, reading
from scoring.inputs.masks.grid import Grid, Orientation, difference, orientation
from scoring.inputs.masks.nifti_and_metaimage import Header, open_volume

MOST_LABELLED = 1 << 24
MOST_EDGE, MOST_VOXELS = 4096, 1 << 28

Picks = Callable[[Grid], tuple[Ints, Ints, Ints]]
"""Function that chooses indices along each axis of a grid."""


@dataclass(frozen=True, eq=False)
class LabelVoxels:
    """The n voxels of a mask that are not background.

    Attributes:
        places: Index of each voxel along each axis of the grid, int64 [n, 3].
        labels: Label of each voxel, 1 or 2, uint8 [n].
    """

    grid: Grid
    places: Ints
    labels: Ints


@dataclass(frozen=True, eq=False)
class ImageRegion:
    """Part of an image.

    Attributes:
        values: Values of the voxels, float32 [x, y, z].
        affine: Matrix from an index to the voxel's centre in mm (RAS), float64 [4, 4].
    """

    values: Floats
    affine: Floats


def read_labels(opener: Opener, reference: Grid | None = None) -> LabelVoxels:
    """Read a mask once, block by block, by the rules of scoring.

    Args:
        reference: The grid that the mask must share, possibly after reordering or reversing axes; the labels
            are then on this grid.

    Raises:
        MaskError: If the mask is malformed, or has more than 2**24 labelled voxels.
    """
    flat: list[Ints] = []
    labels: list[Ints] = []
    count = 0
    with opened(opener) as raw:
        header, file = open_volume(raw)
        way = _way(header.grid, reference)
        for number, block in enumerate(blocks(header, file)):
            if block.labels is None:
                continue
            indices = np.flatnonzero(block.labels)
            count += len(indices)
            if count > MOST_LABELLED:
                raise MaskError(
                    "unreadable-file", f"it labels more than {MOST_LABELLED:,} voxels, too many to show."
                )
            flat.append(indices + number * VOXELS)
            labels.append(block.labels[indices])
    if not flat:
        return LabelVoxels(reference or header.grid, np.zeros((0, 3), np.int64), np.zeros(0, np.uint8))
    places = np.stack(np.unravel_index(np.concatenate(flat), header.grid.shape, order="F"), axis=-1)
    return LabelVoxels(reference or header.grid, _reordered(places, header.grid, way), np.concatenate(labels))


def _way(grid: Grid, reference: Grid | None) -> Orientation:
    """Return how to read an array on `grid` as one on `reference`. Raises MaskError if they do not share
    their voxels."""
    if reference is None:
        return Orientation()
    way = orientation(grid, reference)
    if way is None:
        raise MaskError("wrong-grid", f"{difference(grid, reference)}. Nothing is resampled.")
    return way


def _reordered(places: Ints, grid: Grid, way: Orientation) -> Ints:
    columns = [
        grid.shape[axis] - 1 - places[:, axis] if backwards else places[:, axis]
        for axis, backwards in zip(way.axes, way.reversed, strict=True)
    ]
    return np.stack(columns, axis=-1)


def read_image(opener: Opener, picks: Picks) -> ImageRegion:
    """Read the voxels of an image at the indices that `picks` chooses. NaN and infinite values become 0.

    Args:
        picks: Function that returns evenly spaced, increasing indices along each axis. The file is not read
            beyond the last index.

    Raises:
        MaskError: If the image is unreadable or truncated, if no voxel is picked, or if it has more than
            2**28 voxels or 4,096 along an axis.
    """
    with opened(opener) as raw:
        header, file = open_volume(raw)
        if max(header.grid.shape) > MOST_EDGE or header.grid.voxels > MOST_VOXELS:
            raise MaskError(
                "unreadable-file", f"it has {'×'.join(map(str, header.grid.shape))} voxels, too many to show."
            )
        x, y, z = indices = picks(header.grid)
        if not all(map(len, indices)):
            raise MaskError("wrong-grid", "it does not cover the masks.")
        values = np.empty((len(x), len(y), len(z)), np.float32)
        wanted = {int(plane): at for at, plane in enumerate(z)}
        for number, plane in enumerate(_planes(header, file, int(z[-1]) + 1)):
            if number in wanted:
                values[:, :, wanted[number]] = plane[np.ix_(x, y)] * header.slope + header.intercept
    return ImageRegion(
        np.nan_to_num(values, copy=False, posinf=0, neginf=0), header.grid.affine @ picked_affine(indices)
    )


def _planes(header: Header, file: ByteFile, count: int) -> Iterator[Array]:
    """Yield the first planes as stored, [x, y]; one buffer, used again."""
    nx, ny, _ = header.grid.shape
    buffer = bytearray(nx * ny * header.dtype.itemsize)
    plane = np.frombuffer(buffer, header.dtype).reshape(ny, nx).T
    for _ in range(count):
        with reading():
            if fill(file, memoryview(buffer)) < len(buffer):
                raise cut_off()
        yield plane


def picked_affine(indices: Sequence[Ints]) -> Floats:
    """Return the affine map from picked indices to original indices, float64 [4, 4]. Picked indices are
    evenly spaced along each axis."""
    matrix = np.eye(4)
    for axis, picked in enumerate(indices):
        matrix[axis, axis] = picked[1] - picked[0] if len(picked) > 1 else 1
        matrix[axis, 3] = picked[0]
    return matrix
