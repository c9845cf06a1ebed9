"""Reads files with the nuclei of one or several tiles, and returns one file per tile in CellViT's format.

The modules that read each format name its source.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.common.fixes import SuggestedFix
from scoring.common.transport import isolated
from scoring.inputs import case_ids
from scoring.inputs.nuclei import (
    coco,
    foreign,
    imagej_rois,
    nested,
    point_tables,
    strict,
    via_label_studio_yolo,
    xml_shapes,
)
from scoring.inputs.nuclei.contents import same_name
from scoring.inputs.nuclei.via_label_studio_yolo import Cells, Size
from scoring.inputs.tables import read_table

MICROMETRES = "µm"
Tiles = dict[str, bytes]
START = b'{"type_map": {}, "cells": ['
"""First characters of a file of CellViT or HoVer-Net with an empty list of class names."""


@isolated
def of_xml(data: bytes, name: str, member: str) -> Tiles | None:
    """Return the nuclei of each image tile in an XML file of an annotation tool; None for other XML.

    Args:
        member: Name of the file in the source.
    """
    cells_of = xml_shapes.cells_of(data, name)
    if cells_of is None:
        return None
    return _of_images({image or member: cells for image, cells in cells_of.items()}, {}, name)


@isolated
def of_table(
    data: bytes,
    name: str,
    of_class: tuple[str, str | None],
    images: bytes,
    questions: dict[str, tuple[SuggestedFix, ...]],
    sizes: dict[str, Size],
    classes: frozenset[str],
) -> Tiles | None:
    """Return the nuclei of each image tile in a table; None for another file. Raises InputRefused if it is
    unclear how positions in micrometres are converted.

    Args:
        of_class: Image and, if known, class of all nuclei, for a table without columns for them.
        images: CellProfiler's table of images; empty if there is none.
        questions: As in `tiles.by_tile`.
        sizes, classes: As in `tiles.by_tile`.
    """
    try:
        table = read_table(data, name)
        numbered = point_tables.images_by_number(read_table(images, name)) if images else {}
    except InputRefused:
        header = data.decode("utf-8-sig", "replace").strip()
        is_header = of_class[1] is not None and point_tables.is_of_one_image(header)
        return _of_images({of_class[0]: []}, {}, name) if is_header else None
    if point_tables.in_micrometres(table) and (fixes := questions.get(MICROMETRES)):
        text = (
            "coordinates are in µm, but px are needed: divide the coordinates by the size of a pixel in µm."
        )
        raise InputRefused([error("bad-submission", table.header_place, text).with_fixes(*fixes)])
    cells = point_tables.cells(table, of_class, numbered, sizes, classes)
    return None if cells is None else _grouped(cells, name)


@isolated
def of_fractions(data: bytes, name: str, size: Size, classes: bytes, listing: str) -> bytes | None:
    """Convert an Ultralytics file, whose coordinates are fractions, to CellViT's format. The result is None
    for other text.

    Args:
        size: Width and height of the file's image, px.
        classes: Content of a file that names the classes; empty if there is none.
        listing: Name of the file that names the classes.
    """
    cells = via_label_studio_yolo.of_yolo(data, size)
    named = via_label_studio_yolo.class_names(classes.decode("utf-8", "replace"), listing)
    return None if cells is None else written(cells, named)


@isolated
def of_regions(data: bytes, name: str, kind: str | None, classes: frozenset[str]) -> bytes | None:
    """Convert a set of ImageJ regions to CellViT's format; None for another zip.

    Args:
        kind, classes: As in `imagej_rois.cells_of`.

    Raises:
        InputRefused: If a region cannot be read.
    """
    try:
        cells = imagej_rois.cells_of(data, name, kind, classes)
    except InputRefused:
        if b".roi" in data:
            raise
        return None
    return None if cells is None else written(cells, {})


@isolated
def of_several(data: bytes, name: str, images: bytes, sizes: dict[str, Size]) -> Tiles | None:
    """Return the nuclei of each image tile in a file about several images; None for another file.

    These are files of COCO, VIA, Label Studio and FiftyOne, GeoJSON features that name their image, and JSON
    objects with one document per image.

    Args:
        images: The COCO file that names the numbered images and categories of a plain list of results; empty
            if there is none.
        sizes: As in `tiles.by_tile`.
    """
    document, _problem = strict.document(data, name)
    if all(mark in data for mark in coco.MARKS):
        beside = strict.document(images, name)[0] if images else document
        files = coco.cells(document, beside)
        return None if files is None else _of_images(files, coco.names(beside), name)
    tiles = _grouped(via_label_studio_yolo.of_via(document), name)
    tiles = tiles or _grouped(via_label_studio_yolo.of_label_studio(document, sizes), name)
    tiles = tiles or _grouped(via_label_studio_yolo.of_fiftyone(document, name, sizes), name)
    features = {} if tiles else foreign.by_image(document)
    for image, case in _cases(features, name).items():
        tiles[case] = json.dumps({"type": "FeatureCollection", "features": features[image]}).encode()
    if not tiles and isinstance(document, dict) and all(map(foreign.native, document.values())):
        cases = _cases(document, name).items()
        tiles = {case: json.dumps(document[image]).encode() for image, case in cases}
    return tiles or None


@isolated
def of_named(
    data: bytes, name: str, member: str, sizes: dict[str, Size], classes: frozenset[str]
) -> Tiles | None:
    """Return the nuclei of each image tile in JSON of any structure that contains image names. None for JSON
    about a single image.

    Args:
        member: Name of the file in the source.
        sizes, classes: As in `tiles.by_tile`.
    """
    document, problem = strict.document(data, name)
    own = case_file(member)
    if problem or not document:
        return None
    known = foreign.native(document)
    items = [] if known is None else [item for item in known[2] if isinstance(item, dict)]
    placed = [item for item in items if item.get("path_points") is not None or "centroid" in item]
    is_read = known is not None and bool(placed or not items)
    if is_read and (len(sizes) == 1 or own.removesuffix(".json") in sizes):
        return None
    cells = nested.cells_of(document, own, sizes, classes, name)
    if cells is None or (is_read and [*cells[0]] == [own]):
        return None
    return _of_images(cells[0], cells[1], name)


def _grouped(cells: Cells, name: str) -> Tiles:
    """Return a file for each image of named cells. name: where they are. Raises InputRefused."""
    cells_of: dict[str, list[dict[str, Any]]] = {}
    for image, cell in cells:
        cells_of.setdefault(image, []).append(cell)
    return _of_images(cells_of, {}, name)


def _of_images(cells_of: Mapping[str, list[dict[str, Any]]], names: Mapping[str, str], name: str) -> Tiles:
    """Return a file for each image. names: of class numbers. Raises InputRefused."""
    return {case: written(cells_of[image], names) for image, case in _cases(cells_of, name).items()}


def _cases(images: Iterable[str], name: str) -> dict[str, str]:
    """Return the case of each image. name: where they are listed. Raises InputRefused if two images have
    one name."""
    image_of: dict[str, str] = {}
    for image in images:
        if (other := image_of.setdefault(case_file(image), image)) != image:
            raise InputRefused([same_name(name, other, image)])
    return {image: case for case, image in image_of.items()}


def case_file(name: str) -> str:
    return f"{PurePosixPath(case_ids.as_written(name)).stem}.json"


def written(cells: list[dict[str, Any]], names: Mapping[str, str]) -> bytes:
    return json.dumps({"type_map": names, "cells": cells}).encode()


def is_written(data: bytes) -> bool:
    """Return whether a file is in the format that the function `written` writes, and has no class names."""
    return data.startswith(START)


def joined(parts: list[bytes]) -> bytes:
    """Join files that the function `written` wrote without class names."""
    end = b"]}"
    bodies = (part[len(START) : -len(end)] for part in parts)
    return START + b", ".join(filter(None, bodies)) + end
