"""Read the header of a MetaImage in one file (.mha), as ITK writes it."""

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from scoring.common.arrays import Floats
from scoring.inputs.inflate import ByteFile
from scoring.inputs.masks.errors import MaskError, cut_off
from scoring.inputs.masks.fields import Fields

Number = TypeVar("Number", int, float)
TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG": "i4",
    "MET_ULONG": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
LINE_BYTES, LINES = 4096, 256
SHOWN = 40
RAS_FROM_LPS = np.diag([-1.0, -1.0, 1.0, 1.0])


def is_metaimage(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a MetaImage."""
    return re.match(rb"(ObjectType|NDims|Comment|ObjectSubType)\s*=", head) is not None


def read_fields(file: ByteFile) -> Fields:
    """Return the fields of the header; the file is left at the first voxel, or at its zlib stream. Raises
    Malformed, and ValueError for odd numbers."""
    entries = _entries(file)
    if entries["ElementDataFile"].upper() != "LOCAL":
        raise MaskError(
            "unreadable-file", "its voxels are in another file: write header and voxels as one .mha file."
        )
    if entries.get("ElementType") not in TYPES or not _is_true(entries, "BinaryData", "True"):
        raise MaskError(
            "unreadable-file",
            (
                f"its voxels are {entries.get('ElementType', 'of no type')[:SHOWN]}, not binary "
                "numbers: write it again."
            ),
        )
    axes = int(entries.get("NDims", 3))
    shape = _numbers(entries, ("DimSize",), int)
    channels = int(entries.get("ElementNumberOfChannels", 1))
    if len(shape) != axes:
        raise MaskError(
            "unreadable-file",
            f"its header announces {str(axes)[:SHOWN]} axes, but {len(shape)} lengths: write it again.",
        )
    high = _is_true(entries, "BinaryDataByteOrderMSB", "False") or _is_true(
        entries, "ElementByteOrderMSB", "False"
    )
    return Fields(
        (*shape, channels) if channels > 1 else shape,
        _affine(entries, axes) if axes >= 3 else np.eye(4),
        np.dtype((">" if high else "<") + TYPES[entries["ElementType"]]),
        is_deflated=_is_true(entries, "CompressedData", "False"),
    )


def _entries(file: ByteFile) -> dict[str, str]:
    entries = {}
    for _ in range(LINES):
        key, equals, value = file.readline(LINE_BYTES).decode("latin-1").partition("=")
        if not equals:
            raise cut_off()
        entries[key.strip()] = value.strip()
        if key.strip() == "ElementDataFile":
            return entries
    raise MaskError("unreadable-file", f"its header has more than {LINES} lines: write it again.")


def _affine(entries: dict[str, str], axes: int) -> Floats:
    """Return the affine in RAS. A row of TransformMatrix is the direction of one axis of the array."""
    directions = np.reshape(
        _numbers(entries, ("TransformMatrix", "Rotation", "Orientation"), float, np.eye(axes).ravel()),
        (axes, axes),
    )
    spacing = _numbers(entries, ("ElementSpacing", "ElementSize"), float, np.ones(axes))
    affine = np.eye(4)
    affine[:3, 3] = _numbers(entries, ("Offset", "Position", "Origin"), float, np.zeros(axes))[:3]
    with np.errstate(all="ignore"):
        affine[:3, :3] = directions[:3, :3].T * np.asarray(spacing)[:3]
        ras: Floats = RAS_FROM_LPS @ affine
    return ras


def _numbers(
    entries: dict[str, str],
    names: tuple[str, ...],
    kind: Callable[[str], Number],
    default: Iterable[Number] = (),
) -> tuple[Number, ...]:
    """Return the numbers of the first of `names` that is present."""
    written = next((entries[name] for name in names if name in entries), None)
    return tuple(default) if written is None else tuple(kind(part) for part in written.split())


def _is_true(entries: dict[str, str], name: str, default: str) -> bool:
    return entries.get(name, default).lower() in ("true", "1")
