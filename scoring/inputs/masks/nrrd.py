"""Headers of NRRD files, as 3D Slicer, MITK and ITK write them: a single file, raw or gzip, three axes."""

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np

from scoring.common.arrays import Floats
from scoring.inputs.inflate import ByteFile
from scoring.inputs.masks.errors import RAS_FROM_LPS, Fields, MaskError, cut_off

TYPES = {
    **dict.fromkeys(("signed char", "int8", "int8_t"), "i1"),
    **dict.fromkeys(("uchar", "unsigned char", "uint8", "uint8_t"), "u1"),
    **dict.fromkeys(("short", "short int", "signed short", "signed short int", "int16", "int16_t"), "i2"),
    **dict.fromkeys(("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"), "u2"),
    **dict.fromkeys(("int", "signed int", "int32", "int32_t"), "i4"),
    **dict.fromkeys(("uint", "unsigned int", "uint32", "uint32_t"), "u4"),
    **dict.fromkeys(("longlong", "long long", "long long int", "int64", "int64_t"), "i8"),
    **dict.fromkeys(("ulonglong", "unsigned long long", "uint64", "uint64_t"), "u8"),
    "float": "f4",
    "double": "f8",
}
TO_RAS = {
    **dict.fromkeys(("left-posterior-superior", "lps"), RAS_FROM_LPS),
    **dict.fromkeys(("right-anterior-superior", "ras"), np.eye(4)),
    **dict.fromkeys(("left-anterior-superior", "las"), np.diag([-1.0, 1.0, 1.0, 1.0])),
}
ENCODINGS = {"raw": "", "gzip": "gzip", "gz": "gzip"}
MAGIC = re.compile(rb"NRRD000[1-5]\r?\n")
VECTOR = re.compile(r"\(([^()]{1,200})\)|none")
LINE_BYTES, HEADER_BYTES = 1 << 17, 1 << 20
"""Maximum bytes of a header line (large enough for the line in which MITK names all labels), and of a
header."""
AXES = 3
SEGMENT = re.compile(r"Segment(\d{1,4})_(Name|LabelValue|Layer)")
GROUPS = "org.mitk.multilabel.segmentation.labelgroups"
SHOWN = 40


def is_nrrd(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of an NRRD."""
    return MAGIC.match(head) is not None


def nrrd_fields(file: ByteFile) -> Fields:
    """Return the fields of an NRRD header. Afterwards the file position is at the first voxel, or at the
    start of the compressed voxels. Raises MaskError, and ValueError for invalid numbers."""
    fields, pairs = _lines(file)
    if "data file" in fields or "datafile" in fields:
        message = "its voxels are in another file: save header and voxels as one .nrrd file."
        raise MaskError("unreadable-file", message)
    kind, encoding = fields.get("type", "").lower(), fields.get("encoding", "").lower()
    skipped = {fields.get(name, "0") for name in ("line skip", "lineskip", "byte skip", "byteskip")}
    if kind not in TYPES or encoding not in ENCODINGS or skipped != {"0"}:
        message = (
            f"its voxels are {kind[:SHOWN] or 'of no type'} in the encoding {encoding[:SHOWN] or 'none'}: "
            "write whole numbers as raw or gzip."
        )
        raise MaskError("unreadable-file", message)
    shape = tuple(int(length) for length in fields.get("sizes", "").split())
    dimension = fields.get("dimension", str(len(shape)))
    if not dimension.isdecimal() or int(dimension) != len(shape):
        message = (
            f"its header announces {dimension[:SHOWN]} axes, but {len(shape)} sizes: save the mask again."
        )
        raise MaskError("unreadable-file", message)
    layers = {value for name, value in pairs.items() if (m := SEGMENT.fullmatch(name)) and m[2] == "Layer"}
    if len(shape) != AXES or len(layers) > 1:
        message = (
            f"it is not a 3D label map but has the shape {'×'.join(map(str, shape))[:SHOWN]}, because "
            "segments overlap. Export one label map. In 3D Slicer: Segmentations, Export to files, format "
            "NIFTI, one file. In MITK: one group of labels."
        )
        raise MaskError("wrong-grid", message)
    order = ">" if fields.get("endian", "little").lower() == "big" else "<"
    return Fields(
        shape,
        _affine(fields),
        np.dtype(order + TYPES[kind]),
        packed=ENCODINGS[encoding],
        names=_names(pairs),
        is_part=bool(pairs.get("Segmentation_ReferenceImageExtentOffset")),
    )


def _lines(file: ByteFile) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fields of the format by their lower-case names, and the pairs that programs add."""
    fields: dict[str, str] = {}
    pairs: dict[str, str] = {}
    rest = HEADER_BYTES - len(file.readline(LINE_BYTES))
    while rest > 0:
        line = file.readline(LINE_BYTES)
        rest -= len(line)
        if not line.endswith(b"\n"):
            raise cut_off()
        text = line.decode("utf-8", "replace").strip()
        if not text:
            return fields, pairs
        name, mark, value = text.partition(":")
        if mark and not text.startswith("#"):
            target, name = (pairs, name) if value.startswith("=") else (fields, name.lower())
            target[name] = value.removeprefix("=").strip()
    raise MaskError(
        "unreadable-file", f"its header has more than {HEADER_BYTES:,} bytes: save the mask again."
    )


def _affine(fields: Mapping[str, str]) -> Floats:
    to_ras = TO_RAS.get(fields.get("space", "").lower())
    directions = _vectors(fields.get("space directions", ""))
    origin = _vectors(fields.get("space origin", ""))
    if to_ras is None or len(directions) != AXES or len(origin) != 1:
        message = (
            "its header does not state the position of the voxels (space, space directions and space "
            "origin): save the mask with the position of the image."
        )
        raise MaskError("unreadable-file", message)
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = np.transpose(directions), origin[0]
    with np.errstate(all="ignore"):
        placed: Floats = to_ras @ affine
    return placed


def _vectors(text: str) -> list[list[float]]:
    """Return vectors of three numbers, written as "(1,0,0) (0,1,0)". Raises ValueError for other lengths."""
    vectors = [[float(part) for part in match[1].split(",")] for match in VECTOR.finditer(text) if match[1]]
    if any(len(vector) != AXES for vector in vectors):
        raise ValueError("vectors need three numbers")
    return vectors


def _names(pairs: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the names of labels with their numbers, as 3D Slicer writes them, else as MITK does."""
    of: dict[str, dict[str, str]] = {}
    for name, value in pairs.items():
        if match := SEGMENT.fullmatch(name):
            of.setdefault(match[1], {})[match[2]] = value
    if of:
        return tuple((s["Name"], s["LabelValue"]) for s in of.values() if {"Name", "LabelValue"} <= {*s})
    try:
        groups: Sequence[Mapping[str, Sequence[Mapping[str, object]]]] = json.loads(pairs.get(GROUPS, "[]"))
        return tuple((str(one["name"]), str(one["value"])) for group in groups for one in group["labels"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
