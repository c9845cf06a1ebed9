"""Label maps: masks of any whole numbers from 0 to 65,535, read plane by plane into one array."""

import numpy as np

from scoring.common.arrays import Array, Ints
from scoring.inputs.inflate import ByteFile, fill
from scoring.inputs.masks.blocks import Opener, opened
from scoring.inputs.masks.errors import MaskError, cut_off, reading
from scoring.inputs.masks.grid import Grid, difference, orientation
from scoring.inputs.masks.nifti_and_metaimage import Header, open_volume

MOST_VOXELS = 1 << 28
HIGHEST = 65_535
ROUNDED = 0.01
"""By how much a value may miss a whole number."""


def read_label_map(opener: Opener, reference: Grid | None = None) -> tuple[Ints, Grid]:
    """Read a mask.

    Args:
        reference: The grid that it must share, if need be after reordering or reversing its axes; the labels
            then are on it.

    Returns:
        Labels [x, y, z], and where they lie.

    Raises:
        MaskError: The mask is malformed, is on another grid, or has more than 2**28 voxels.
    """
    with opened(opener) as raw:
        header, file = open_volume(raw)
        if header.grid.voxels > MOST_VOXELS:
            raise MaskError("unreadable-file", f"it has {header.grid.voxels:,} voxels, too many to measure.")
        way = None if reference is None else orientation(header.grid, reference)
        if reference is not None and way is None:
            raise MaskError(
                "wrong-grid",
                f"{difference(header.grid, reference)}. Masks are not resampled: write it on "
                "the truth's grid.",
            )
        labels = _labels(header, file)
    if way is None or reference is None or way.is_identity:
        return labels, header.grid
    backwards = tuple(slice(None, None, -1 if back else 1) for back in way.reversed)
    return labels.transpose(way.axes)[backwards], reference


def _labels(header: Header, file: ByteFile) -> Ints:
    """Return the labels as stored [x, y, z]."""
    nx, ny, nz = header.grid.shape
    labels = np.zeros((nx, ny, nz), np.uint16, order="F")
    buffer = bytearray(nx * ny * header.dtype.itemsize)
    plane: Array = np.frombuffer(buffer, header.dtype).reshape(ny, nx).T
    for z in range(nz):
        with reading():
            if fill(file, memoryview(buffer)) < len(buffer):
                raise cut_off()
        labels[:, :, z] = _whole(plane, header)
    return labels


def _whole(plane: Array, header: Header) -> Array:
    """Return the values of a plane as whole numbers. Raises MaskError where they are none."""
    if header.dtype.kind in "iu" and not header.is_scaled:
        values = plane
    else:
        with np.errstate(all="ignore"):  # infinite values, or values that a slope makes so
            values = plane.astype(float) * header.slope + header.intercept
            rounded = np.round(values)
            is_whole = (np.abs(values - rounded) <= ROUNDED).all()
        if not is_whole:
            raise MaskError("bad-label", "it holds values that are not whole numbers: write labels.")
        values = rounded
    if values.size and not (values.min() >= 0 and values.max() <= HIGHEST):
        raise MaskError("bad-label", f"it holds values outside 0 to {HIGHEST:,}: write labels.")
    return values.astype(np.uint16)
