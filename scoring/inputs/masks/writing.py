"""Writes example masks: a MetaImage with a box of one label in its middle."""

import zlib

import numpy as np

from scoring.inputs.masks.errors import RAS_FROM_LPS
from scoring.inputs.masks.grid import Grid

SHARE = 4
"""Along each axis, the box of an example mask has 1 / SHARE of the volume's length."""


def box_mask(grid: Grid, label: int) -> bytes:
    """Return a compressed MetaImage (.mha) of a grid.

    Args:
        label: Value of the voxels in the box, 1 to 255; those around it are 0.
    """
    nx, ny, nz = grid.shape
    spans = [(edge // 2 - edge // (2 * SHARE), edge // 2 + edge // (2 * SHARE) + 1) for edge in grid.shape]
    plane = np.zeros((ny, nx), np.uint8)
    background = plane.tobytes()
    plane[slice(*spans[1]), slice(*spans[0])] = label
    packer = zlib.compressobj()
    inside = plane.tobytes()
    voxels = b"".join(
        packer.compress(inside if spans[2][0] <= z < spans[2][1] else background) for z in range(nz)
    )
    voxels += packer.flush()
    return metaimage_header(grid, len(voxels)) + voxels


def metaimage_header(grid: Grid, compressed: int | None = None) -> bytes:
    """Return the header of a MetaImage with 8-bit voxels. The voxels follow the header in the same file.

    Args:
        compressed: Number of compressed bytes; None: not compressed.
    """
    nx, ny, nz = grid.shape
    lps = RAS_FROM_LPS @ grid.affine
    entries = {
        "ObjectType": "Image",
        "NDims": 3,
        "BinaryData": True,
        "BinaryDataByteOrderMSB": False,
        "CompressedData": compressed is not None,
        **({} if compressed is None else {"CompressedDataSize": compressed}),
        "TransformMatrix": _numbers((lps[:3, :3] / grid.spacing).T.ravel()),
        "Offset": _numbers(lps[:3, 3]),
        "ElementSpacing": _numbers(grid.spacing),
        "DimSize": f"{nx} {ny} {nz}",
        "ElementType": "MET_UCHAR",
        "ElementDataFile": "LOCAL",
    }
    return "".join(f"{name} = {value}\n" for name, value in entries.items()).encode()


def _numbers(values: np.ndarray) -> str:
    return " ".join(map(repr, values.tolist()))
