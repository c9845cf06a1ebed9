"""Volumes as files: NIfTI-1 and MetaImage, and archives of them. The same content gives the same bytes."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np

from sample_data.generator.headneck.grid import Grid

NIFTI_TYPES = {"uint8": (2, 8), "int16": (4, 16), "float32": (16, 32)}
HEADER_BYTES, DATA_OFFSET = 348, 352
MILLIMETRES = 2
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def nifti(values: np.ndarray, grid: Grid, slope: float = 1.0) -> bytes:
    """An uncompressed NIfTI-1 file of uint8, int16 or float32 values, indexed x, y, z, that stand for `slope`
    times themselves."""
    header = bytearray(DATA_OFFSET)
    struct.pack_into("<i", header, 0, HEADER_BYTES)
    struct.pack_into("<8h", header, 40, 3, *values.shape, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, *NIFTI_TYPES[values.dtype.name])
    struct.pack_into("<8f", header, 76, 1, *grid.spacing, 0, 0, 0, 0)
    struct.pack_into("<3f", header, 108, DATA_OFFSET, slope, 0)
    header[123] = MILLIMETRES
    struct.pack_into("<2h", header, 252, 0, 1)
    for row, (step, start) in enumerate(zip(grid.steps, grid.origin, strict=True)):
        struct.pack_into(
            "<4f", header, 280 + 16 * row, *(step if axis == row else 0 for axis in range(3)), start
        )
    header[344:348] = b"n+1\0"
    return bytes(header) + values.tobytes(order="F")


def compressed(content: bytes) -> bytes:
    """As gzip writes it, without a name or a time."""
    return gzip.compress(content, 9, mtime=0)


def metaimage(values: np.ndarray, grid: Grid) -> bytes:
    """A MetaImage file (.mha) of uint8 values, indexed x, y, z, compressed. Its coordinates run to the left
    and to the back."""
    data = zlib.compress(values.tobytes(order="F"), 9)
    turned = np.array([-1, -1, 1])
    directions = np.diag(turned * grid.signs)
    lines = {
        "ObjectType": "Image",
        "NDims": "3",
        "BinaryData": "True",
        "BinaryDataByteOrderMSB": "False",
        "CompressedData": "True",
        "CompressedDataSize": str(len(data)),
        "TransformMatrix": _numbers(directions.ravel()),
        "Offset": _numbers(turned * grid.origin),
        "CenterOfRotation": "0 0 0",
        "ElementSpacing": _numbers(grid.spacing),
        "DimSize": _numbers(values.shape),
        "ElementType": "MET_UCHAR",
        "ElementDataFile": "LOCAL",
    }
    return "".join(f"{key} = {value}\n" for key, value in lines.items()).encode() + data


def _numbers(values) -> str:
    return " ".join(f"{value:.10g}" for value in values)


def archive(members: Mapping[str, bytes]) -> bytes:
    """A zip file of the members by their paths, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for path, content in members.items():
            member = zipfile.ZipInfo(path, LONG_AGO)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            file.writestr(member, content)
    return buffer.getvalue()
