"""Rewrites files of nuclei as supported JSON: with class names instead of numbers, or as one list of
features."""

import json
from typing import Any

from scoring.common.findings import InputRefused
from scoring.common.transport import isolated
from scoring.inputs.archives import open_archive
from scoring.inputs.nuclei import strict
from scoring.inputs.nuclei.contents import NUCLEI, too_large
from scoring.inputs.sources import is_litter

PACKED_BYTES = 128_000_000
"""Maximum bytes of a list of nuclei that is in a zip of its own."""
MIN_NUMBERS, OF_TABLES = 6, 10
"""Minimum number of numbers in a line that is an outline. Lines of equal length with fewer numbers than the
second value may be a table."""


@isolated
def of_types(data: bytes, name: str, types: bytes) -> bytes | None:
    """Replace type numbers in a file by their names; None for another file.

    Args:
        types: The names of the types, {number: name} or {number: [name, colour]}.
    """
    document, named = (strict.document(part, name)[0] for part in (data, types))
    if not isinstance(document, dict) or not isinstance(named, dict):
        return None
    names = {
        number: entry[0] if isinstance(entry, list) else entry for number, entry in named.items() if entry
    }
    are_names = all(number.isdecimal() and isinstance(entry, str) for number, entry in names.items())
    return json.dumps({"type_map": names, **document}).encode() if names and are_names else None


@isolated
def of_lines(data: bytes, name: str) -> bytes | None:
    """Convert a file with one feature per line to GeoJSON; None for other lines. Raises InputRefused if a
    line is not JSON, or if there are too many lines."""
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    if len(lines) > NUCLEI:
        raise InputRefused([too_large(name, len(lines))])
    features = []
    for number, line in lines:
        feature, problem = strict.document(line, f"{name}:{number}")
        if problem:
            raise InputRefused([problem])
        if not isinstance(feature, dict) or "geometry" not in feature:
            return None
        features.append(feature)
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


@isolated
def unpacked(data: bytes, name: str) -> tuple[str, bytes] | None:
    """Return name and content of the only file in a zip, if it is a list of nuclei; None for another zip.

    Args:
        data: The zip.

    Raises:
        InputRefused: If the list is damaged.
    """
    try:
        archive = open_archive(data, name)
    except InputRefused:
        return None
    lists = [m for m in archive.sizes if m.lower().endswith((".json", ".geojson")) and not is_litter(m)]
    if len(lists) != 1 or archive.sizes[lists[0]] > PACKED_BYTES:
        return None
    return lists[0], archive.read(lists[0])


@isolated
def of_outlines(data: bytes, name: str, kind: str) -> list[dict[str, Any]] | None:
    """Return the cells of a Cellpose file; None for other text. Each line of a Cellpose file is one outline:
    x and y of its vertices in turn.

    Args:
        kind: The class of all cells.

    Raises:
        InputRefused: If the file has too many lines.
    """
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    if len(lines) > NUCLEI:
        raise InputRefused([too_large(name, len(lines))])
    try:
        rows = [[float(cell) for cell in line.split(",")] for line in lines]
    except ValueError:
        return None
    lengths = {len(row) for row in rows}
    is_outline = all(length >= MIN_NUMBERS and length % 2 == 0 for length in lengths)
    if not is_outline or (len(lengths) == 1 and max(lengths) < OF_TABLES):
        return None
    return [{"contour": [list(p) for p in zip(r[::2], r[1::2], strict=True)], "type": kind} for r in rows]
