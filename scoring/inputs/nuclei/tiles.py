"""Files that list the nuclei of several tiles, or points in a table, as a file for each tile.

Sources of the formats: COCO (cocodataset.org, "Data format": images, annotations, categories; results with
`image_id`, `category_id` and `score`), and tables of points with x and y.
"""

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from scoring.common.findings import InputRefused
from scoring.common.isolation import isolated
from scoring.inputs import case_ids
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.nuclei import strict
from scoring.inputs.sources import TABLES_IN_FOLDERS, SourceFiles
from scoring.inputs.tables import TextTable, find_column

X = ("x", "cx", "centroid_x", "x_centroid", "centroid_x_px", "x_px", "x_center")
Y = tuple(name.replace("x", "y", 1) if name != "centroid_x_px" else "centroid_y_px" for name in X)
KIND = ("class", "classification", "class_name", "name", "type", "label", "cell_type", "category")
CONFIDENCE = ("score", "confidence", "probability", "prob", "detection_probability", "type_prob")
COCO_MARKS = (b'"category_id"', b'"image_id"')
OF_COCO = re.compile(r'"(image_id|category_id|file_name)"')
"""What the beginning of a file of COCO has."""
Tiles = dict[str, bytes]


def by_tile(files: SourceFiles) -> SourceFiles:
    """Return files of which those of several tiles are a file for each, in the form of CellViT.

    Args:
        files: Files of nuclei.

    Raises:
        InputRefused: A table of points has no class.
    """
    files_of_tiles: Tiles = {}
    split = set()
    for member in files.members:
        tiles = _tiles(files, member)
        if tiles is not None:
            split.add(member)
            files_of_tiles |= tiles
    if not split:
        return files
    sizes = {m: size for m, size in files.sizes.items() if m not in split} | {
        m: len(d) for m, d in files_of_tiles.items()
    }
    return replace(
        files,
        kind="folder",
        sizes=dict(sorted(sizes.items())),
        read=lambda member: files_of_tiles[member] if member in files_of_tiles else files.read(member),
        open=lambda member: (
            io.BytesIO(files_of_tiles[member]) if member in files_of_tiles else files.open(member)
        ),
    )


def is_of_points(table: TextTable) -> bool:
    """Return whether a table has the columns of points."""
    return all(find_column(table, names)[0] is not None for names in (X, Y))


def _tiles(files: SourceFiles, member: str) -> Tiles | None:
    """Return the tiles of a member; None for a member of another kind."""
    if member.lower().endswith(".json"):
        data = files.read(member)
        return of_coco(data, files.called(member)) if all(mark in data for mark in COCO_MARKS) else None
    if not member.lower().endswith(TABLES_IN_FOLDERS):
        return None
    try:
        table = files.read_table(member)[1]
    except InputRefused:
        return None
    return _of_points(table, member)


@isolated
def of_coco(data: bytes, name: str) -> Tiles | None:
    """Return the tiles of a file of COCO, annotations or results; None for another file.

    A shape that is no polygon (run lengths) is read as its box. name: for messages.
    """
    document, _problem = strict.document(data, name)
    annotations = document if isinstance(document, list) else None
    names: dict[str, str] = {}
    images: dict[str, str] = {}
    if isinstance(document, dict):
        annotations = document.get("annotations")
        images = {str(i.get("id")): str(i.get("file_name")) for i in _objects(document.get("images"))}
        names = {str(c.get("id")): str(c.get("name")) for c in _objects(document.get("categories"))}
    if not isinstance(annotations, list) or not all(
        isinstance(entry, dict) and {"image_id", "category_id"} <= entry.keys() for entry in annotations
    ):
        return None
    cells: dict[str, list[dict[str, Any]]] = {_case(image): [] for image in images.values()}
    for entry in annotations:
        case = _case(images.get(str(entry["image_id"]), str(entry["image_id"])))
        cells.setdefault(case, []).append(_cell(entry))
    return {case: _written(listed, names) for case, listed in cells.items()}


def _objects(entries: Any) -> Iterator[Mapping[str, Any]]:
    yield from (entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()


def _case(name: str) -> str:
    return f"{PurePosixPath(case_ids.as_written(name)).stem}.json"


def _cell(entry: Mapping[str, Any]) -> dict[str, Any]:
    parts, box = entry.get("segmentation"), entry.get("bbox")
    outline: Any = None
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        ring = max(parts, key=lambda part: len(part) if isinstance(part, list) else 0)
        outline = [list(point) for point in zip(ring[::2], ring[1::2], strict=False)]
    elif isinstance(box, list) and len(box) == 4 and all(map(strict.is_number, box)):
        x, y, width, height = box
        outline = [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
    return {"contour": outline, "type": entry["category_id"], "type_prob": entry.get("score")}


def _written(cells: list[dict[str, Any]], names: Mapping[str, str]) -> bytes:
    return json.dumps({"type_map": names, "cells": cells}).encode()


def _of_points(table: TextTable, member: str) -> Tiles | None:
    """Return the tiles of a table of points: those of its column of images, else the one of its name."""
    image, x, y, kind, confidence = (
        find_column(table, names)[0] for names in (ID_COLUMNS, X, Y, KIND, CONFIDENCE)
    )
    if x is None or y is None:
        return None
    names = table.cells(image) if image is not None else [member] * len(table)
    columns = [table.cells(column) if column is not None else None for column in (x, y, kind, confidence)]
    cells: dict[str, list[dict[str, Any]]] = {}
    for row, name in enumerate(names):
        xs, ys, kinds, values = (column[row] if column else None for column in columns)
        cell = {"centroid": [_number(xs), _number(ys)], "type": kinds, "type_prob": _number(values)}
        cells.setdefault(_case(name), []).append(cell)
    return {case: _written(listed, {}) for case, listed in cells.items()}


def _number(cell: str | None) -> Any:
    try:
        return None if cell is None else float(cell.replace(",", "."))
    except ValueError:
        return cell
