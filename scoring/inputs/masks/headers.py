"""Read the header of a volume, NIfTI or MetaImage."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.inputs.inflate import ByteFile, Inflated, gunzipped
from scoring.inputs.masks import metaimage, nifti
from scoring.inputs.masks.errors import MaskError, reading
from scoring.inputs.masks.fields import Fields
from scoring.inputs.masks.grid import Grid

MOST_VOXELS = 1 << 30
FURTHEST_MM = 1e9
SHOWN = 100


@dataclass(frozen=True, eq=False)
class Header:
    """Header of a volume.

    Attributes:
        grid: Where the voxels lie.
        dtype: Type of the stored values, with byte order.
        slope: A voxel's value is slope * stored + intercept.
        intercept: See `slope`.
    """

    grid: Grid
    dtype: np.dtype[Any]
    slope: float
    intercept: float

    @property
    def is_scaled(self) -> bool:
        return (self.slope, self.intercept) != (1.0, 0.0)


def open_volume(file: ByteFile) -> tuple[Header, ByteFile]:
    """Return the header of a seekable file, and a file of its inflated voxels that stands at the first one; x
    runs fastest.

    NIfTI-1 and -2 in one file, of either byte order, and MetaImage, raw or compressed, either inside gzip,
    are told apart by their first bytes. Trailing axes of length 1 are dropped. Raises Malformed: no such
    file, not three axes, no real numbers, no usable affine, more than 2**30 voxels.
    """
    with reading():
        file = gunzipped(file)
        head = file.read(nifti.HEAD_BYTES)
        if not head:
            raise MaskError("unreadable-file", "it is empty (0 bytes): was the upload cut off?")
        if nifti.is_nifti(head):
            fields = nifti.read_fields(head, file)
        elif metaimage.is_metaimage(head):
            file.seek(0)
            fields = metaimage.read_fields(file)
        else:
            raise MaskError(
                "unreadable-file",
                "it is neither NIfTI (.nii, .nii.gz) nor MetaImage (.mha): write the mask as one of these.",
            )
        return _header(fields), Inflated(file) if fields.is_deflated else file


def _header(fields: Fields) -> Header:
    shape = list(fields.shape)
    while len(shape) > 3 and shape[-1] == 1:
        shape.pop()
    lengths = "×".join(map(str, shape))[:SHOWN]
    if len(shape) != 3:
        raise MaskError(
            "wrong-grid",
            f"it is not 3D but has shape {lengths}: write one label map, not a channel per structure.",
        )
    if min(shape) < 1:
        raise MaskError("unreadable-file", f"its header announces the shape {lengths}: write it again.")
    if int(np.prod(shape, dtype=object)) > MOST_VOXELS:
        raise MaskError(
            "unreadable-file", f"its header announces {lengths} voxels; at most {MOST_VOXELS:,} are read."
        )
    if fields.dtype.kind not in "iuf":
        raise MaskError(
            "unreadable-file",
            f"its voxels are {fields.dtype}, not real numbers: write the labels as whole numbers.",
        )
    affine = np.asarray(fields.affine, float)
    if not (np.abs(affine) < FURTHEST_MM).all() or not abs(np.linalg.det(affine[:3, :3])) > 0:
        words = (
            "its affine places the voxels nowhere (NaN, infinitely far, or an axis without length): "
            "copy the affine of the image."
        )
        raise MaskError("unreadable-file", words)
    x, y, z = map(int, shape)
    return Header(Grid((x, y, z), affine), fields.dtype, fields.slope, fields.intercept)
