"""Reads regions of ImageJ's ROI manager, a zip of .roi files, as cells.

Source of the format: imagej/ImageJ, ij/io/RoiDecoder.java. Big-endian: "Iout", version at 4, type at 6, top
and left at 8 and 10, number of vertices at 16 (or at 18, 4 bytes), size of a composite at 36, options at 50;
from 64 on all x and all y from the left and top, and with option 128 again as floats from the image's corner.
"""

import re
import struct
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.inputs.archives import open_archive
from scoring.inputs.nuclei.contents import NUCLEI, too_large
from scoring.inputs.nuclei.foreign import corners
from scoring.inputs.tables import key

ENDING, SETS = ".roi", ".zip"
SET_NAME = re.compile(r"^roi_?sets?[-_ ]?|[-_ ]?roi_?sets?$", re.IGNORECASE)
"""Pattern of ImageJ's default name for a set of regions, which may stand before or after another name."""
NUMBER = re.compile(r"(?<![\d\-_ ])([-_ ]*?)[-_ ]?\d[\d\-_ ]*$")
"""Pattern of the number that ImageJ appends to a name, or writes instead of a name."""
ROI_BYTES, SET_BYTES = 1_000_000, 64_000_000
HEAD, SUBPIXEL, FLOATS_FROM = 64, 128, 222
OUTLINES, POINT = (0, 7, 8), 10
TYPES = {
    0: "polygon",
    1: "rectangle",
    2: "oval",
    3: "line",
    4: "free line",
    5: "polyline",
    6: "no region",
    7: "freehand",
    8: "traced",
    9: "angle",
    POINT: "point",
}


def cells_of(
    data: bytes, name: str, kind: str | None, classes: Collection[str] = ()
) -> list[dict[str, Any]] | None:
    """Return the cells of a set of regions; None for a zip with other files.

    Args:
        data: The zip.
        kind: Class of all regions whose names do not state it.
        classes: Class names, as `tables.key` returns them.

    Raises:
        InputRefused: If a region has another type or is damaged, or there are too many.
    """
    archive = open_archive(data, name)
    members = sorted(member for member in archive.sizes if member.lower().endswith(ENDING))
    if not members:
        return None
    sizes: Mapping[str, int] = archive.sizes
    if max(sizes[each] for each in members) > ROI_BYTES or sum(sizes[each] for each in members) > SET_BYTES:
        text = f"its regions take more than {ROI_BYTES // 10**6} MB each or {SET_BYTES // 10**6} MB together."
        raise InputRefused([error("too-large", name, text)])
    names = [NUMBER.sub(r"\1", PurePosixPath(member).stem) for member in members]
    by_name = kind is None or (len({*names}) > 1 and (not classes or any(key(n) in classes for n in names)))
    cells: list[dict[str, Any]] = []
    for member, own in zip(members, names, strict=True):
        rings = _rings(archive.read(member), f"{name} › {member}")
        cells += [{"contour": ring, "type": (own or kind) if by_name else kind} for ring in rings]
        if len(cells) > NUCLEI:
            raise InputRefused([too_large(name, len(cells))])
    return cells


def _rings(data: bytes, where: str) -> list[list[list[float]]]:
    """Return the outline of a region, or a ring without area for each of its points."""
    if len(data) < HEAD or data[:4] != b"Iout":
        raise InputRefused(
            [error("bad-nucleus", where, "it is not a region of ImageJ: was the file cut off?")]
        )
    version, kind, top, left = struct.unpack(">hBxhh", data[4:12])
    (count,) = struct.unpack(">H", data[16:18])
    (many, composite, options) = struct.unpack(">i14xi10xh", data[18:52])
    count = count or many
    if composite or kind not in (*OUTLINES, POINT):
        called = "composite" if composite else TYPES.get(kind, f"type {kind}")
        text = f"it is a region of ImageJ of the kind {called}; only polygons and points are read."
        raise InputRefused([error("bad-nucleus", where, text)])
    is_exact = bool(options & SUBPIXEL) and version >= FLOATS_FROM
    start, width, form = (HEAD + 4 * count, 4, "f") if is_exact else (HEAD, 2, "h")
    if not 0 < count <= ROI_BYTES or len(data) < start + 2 * width * count:
        text = f"its header announces {count:,} vertices, but it holds fewer: was the file cut off?"
        raise InputRefused([error("bad-nucleus", where, text)])
    numbers = struct.unpack_from(f">{2 * count}{form}", data, start)
    x, y = (0, 0) if is_exact else (left, top)
    points = [[x + a, y + b] for a, b in zip(numbers[:count], numbers[count:], strict=True)]
    return [corners([*point, *point]) for point in points] if kind == POINT else [points]
