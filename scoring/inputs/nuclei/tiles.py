"""Files with the nuclei of several tiles, with one class, or with points in a table, converted to one file
per tile.

The modules that read the formats name their sources.
"""

import io
import json
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.isolation import isolated
from scoring.inputs import case_ids
from scoring.inputs.nuclei import (
    coco,
    folders,
    foreign,
    imagej_rois,
    point_tables,
    rewriting,
    strict,
    via_label_studio_yolo,
    xml_shapes,
)
from scoring.inputs.nuclei.contents import POLYGONS, same_name
from scoring.inputs.nuclei.via_label_studio_yolo import YOLO, Cells, Size
from scoring.inputs.sources import TABLES_IN_FOLDERS, SourceFiles
from scoring.inputs.table_edits import fixed_name
from scoring.inputs.tables import TextTable, read_table

MICROMETRES = "µm"
OF_SEVERAL = re.compile(
    r'"(image_id|category_id|file_name|region_attributes|original_width|polygonlabels|boxes|bounding_box)"'
    rf'|"properties"\s*:\s*\{{[^{{}}]*"({"|".join(foreign.IMAGE)})"'
)
"""Keys at the beginning of COCO, VIA, Label Studio or FiftyOne files, or of features that name images."""
SEVERAL = (
    *(coco.MARKS, (b'"region_attributes"',), (b'"data"', b'"result"'), (b'"boxes"', b'"labels"')),
    *((b'"original_width"',), (b'"samples"', b'"filepath"'), (b'"box"', b'"label"')),
)
"""Keys of COCO, VIA, Label Studio, torchvision, FiftyOne and transformers files: nuclei of several
images."""
LINES = (".ndjson", ".geojsonl")
"""Extensions of files with one feature per line, as TIAToolbox (`AnnotationStore.to_ndjson`) writes them."""
TYPE_FILES = ("type_info.json", "classes.json", "class_names.json", "label_map.json")
"""Files with the names of class numbers; the first is HoVer-Net's."""
NUMBERS_OF_TYPES = (b'"nuc"', b'"class_id"', b'"labels"')
OF_NUMBERS, NUMBERED = "image.csv", ("ImageNumber", "FileName_")
"""Suffix of CellProfiler's table that maps numbers to images, and its headings."""
CLASS_FILES = (".yaml", ".yml", "classes.txt", "obj.names")
"""Extensions of files that name the class numbers of YOLO."""
READ = (*folders.LISTS, *LINES, *xml_shapes.ENDINGS, *TABLES_IN_FOLDERS, imagej_rois.SETS)
"""Extensions of files that are searched."""
Tiles = dict[str, bytes]
Questions = Mapping[str, tuple[SuggestedFix, ...]]
NOTHING: Questions = MappingProxyType({})
WHOLE: Mapping[str, Size] = MappingProxyType({"": (1.0, 1.0)})


def by_tile(
    files: SourceFiles,
    changes: InputChanges = InputChanges(),
    questions: Questions = NOTHING,
    sizes: Mapping[str, Size] = WHOLE,
    names: frozenset[str] = frozenset(),
) -> SourceFiles:
    """Return files in which those with several tiles are replaced by one file per tile, in CellViT's form.

    Args:
        changes: Renaming of tiles whose names are only in a file's content.
        questions: Questions about tables in MICROMETRES; without questions they are read as written.
        sizes: Width and height of images in px by id, "" for all others; fractions refer to them.
        names: Class names, as `tables.key` returns them, which may occur in file names.

    Raises:
        InputRefused: If a table of points has no class, or nuclei of a tile are listed twice.
    """
    listing = _listing(files)
    files_of_tiles: Tiles = {}
    split = {listing} if listing else set()
    images = files.read(listing) if listing else b""
    classes = folders.by_class(files, names, sizes)
    beside = _Beside(_class_files(files), images, dict(questions), dict(sizes), names)
    parts: dict[str, list[bytes]] = {}
    for member in files.members:
        of_class = classes.get(member, (member, None))
        tiles = None if member == listing else _tiles(files, member, of_class, beside)
        if tiles is not None:
            named = {fixed_name(name, changes): data for name, data in tiles.items()}
            _refuse_twice(
                named, {*files_of_tiles, *(() if member in classes else parts)}, files.called(member)
            )
            split |= {member, *beside.classes.get(PurePosixPath(member).suffix.lower(), ())}
            for name, data in named.items() if member in classes else ():
                parts.setdefault(name, []).append(data)
            files_of_tiles |= {} if member in classes else named
    files_of_tiles |= {name: _joined(of_classes) for name, of_classes in parts.items()}
    _refuse_twice(files_of_tiles, {*files.sizes} - split, files.name)
    if not files_of_tiles:
        return files
    bytes_of = {m: size for m, size in files.sizes.items() if m not in split} | {
        m: len(d) for m, d in files_of_tiles.items()
    }
    return replace(
        files,
        kind="folder",
        sizes=dict(sorted(bytes_of.items())),
        read=lambda member: files_of_tiles[member] if member in files_of_tiles else files.read(member),
        open=lambda member: (
            io.BytesIO(files_of_tiles[member]) if member in files_of_tiles else files.open(member)
        ),
    )


def _refuse_twice(names: Iterable[str], others: Container[str], where: str) -> None:
    twice = sorted(name for name in names if name in others)
    if twice:
        text = f"{', '.join(twice[:3])}: another file lists the nuclei of this image too. Keep one."
        raise InputRefused([error("duplicate-case", where, text)])


def is_of_nuclei(table: TextTable) -> bool:
    """Return whether a table lists nuclei, or is in Ultralytics' format."""
    return YOLO.fullmatch(" ".join(table.header).encode()) is not None or point_tables.is_of_nuclei(table)


def _listing(files: SourceFiles) -> str | None:
    """Return the one file that says which image a number is: of COCO beside bare lists of results, or of
    CellProfiler beside its tables."""
    numbered = [member for member in files.members if member.lower().endswith(OF_NUMBERS)]
    if len(numbered) == 1 and all(mark in folders.header(files, numbered[0]) for mark in NUMBERED):
        return numbered[0] if len(files.members) > 1 else None
    lists = [member for member in files.members if member.lower().endswith(".json")]
    if len(lists) < 2:
        return None
    beginnings = {member: files.open(member).read(1).strip() for member in lists}
    listings = [
        member
        for member in lists
        if beginnings[member] == b"{" and all(mark in files.read(member) for mark in coco.IMAGES)
    ]
    return listings[0] if len(listings) == 1 and b"[" in beginnings.values() else None


def _class_files(files: SourceFiles) -> dict[str, list[str]]:
    """Return the members that name classes, by the ending of the files that number these."""
    endings = {".txt": CLASS_FILES, ".json": tuple(f"/{name}" for name in TYPE_FILES)}
    return {
        ending: [each for each in files.members if f"/{each.lower()}".endswith(names)]
        for ending, names in endings.items()
    }


@dataclass(frozen=True)
class _Beside:
    """What files of nuclei are read by.

    Attributes:
        classes: Files that name classes, as in `_class_files`.
        images: As in `of_several` and `of_table`.
        questions, sizes, names: As in `by_tile`.
    """

    classes: Mapping[str, list[str]]
    images: bytes
    questions: dict[str, tuple[SuggestedFix, ...]]
    sizes: dict[str, Size]
    names: frozenset[str]


def _tiles(
    files: SourceFiles, member: str, of_class: tuple[str, str | None], beside: _Beside
) -> Tiles | None:
    """Return the tiles of a member; None for a member of another kind. of_class: its image and class, as in
    `by_class`."""
    name, ending = files.called(member), PurePosixPath(member).suffix.lower()
    if not member.lower().endswith(READ):
        return None
    try:
        data = files.read(member)
    except InputRefused:
        return None
    if ending in folders.LISTS:
        is_several = ending == ".json" and any(all(mark in data for mark in marks) for marks in SEVERAL)
        is_alone = b'"geometry"' in data and len(_first_lists(files)) == 1
        tiles = of_several(data, name, beside.images, beside.sizes) if is_several or is_alone else None
        types = beside.classes[".json"] if any(mark in data for mark in NUMBERS_OF_TYPES) else []
        tile = rewriting.of_types(data, name, files.read(types[0])) if types and tiles is None else None
        if tile is None and tiles is None and data.lstrip()[:1] == b"[" and b'"geometry"' not in data:
            return of_table(data, name, of_class, b"", beside.questions, beside.sizes)
        return tiles if tile is None else {_case(member): tile}
    if ending == imagej_rois.SETS:
        tile = of_regions(data, name, of_class[1], beside.names)
        return None if tile is None else {_case(of_class[0]): tile}
    if ending in LINES:
        tile = rewriting.of_lines(data, name)
        return None if tile is None else {_case(member): tile}
    if ending in xml_shapes.ENDINGS:
        return of_xml(data, name, member)
    if ending == ".txt" and YOLO.fullmatch(data.partition(b"\n")[0]):
        case, listing = _case(member), next(iter(beside.classes[".txt"]), "")
        classes = files.read(listing) if listing else b""
        size = beside.sizes.get(case.removesuffix(".json"), beside.sizes[""])
        tile = of_fractions(data, name, size, classes, listing)
        return None if tile is None else {case: tile}
    return of_table(data, name, of_class, beside.images, beside.questions, beside.sizes)


def _first_lists(files: SourceFiles) -> list[str]:
    """Return the first two members that may be lists of nuclei."""
    return list(islice((member for member in files.members if member.lower().endswith(folders.LISTS)), 2))


@isolated
def of_xml(data: bytes, name: str, member: str) -> Tiles | None:
    """Return the tiles in an XML file of an annotation tool, None for other XML.

    Args:
        data: The file.
        name: Its name in messages.
        member: Its name in the source.
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
) -> Tiles | None:
    """Return the tiles in a table of nuclei, None for another file.

    Args:
        data: The file.
        name: Its name in messages.
        of_class: The image, and possibly the class, of all nuclei if no columns name them.
        images: CellProfiler's table of images, empty if there is none.
        questions: As in `by_tile`.
        sizes: As in `by_tile`.
    """
    try:
        table = read_table(data, name)
        numbered = point_tables.images_by_number(read_table(images, name)) if images else {}
    except InputRefused:
        return None
    if point_tables.in_micrometres(table) and (fixes := questions.get(MICROMETRES)):
        text = "coordinates are in µm, and px are needed: divide them by the size of a pixel in µm."
        raise InputRefused([error("bad-submission", table.header_place, text).with_fixes(*fixes)])
    cells = point_tables.cells(table, *of_class, numbered, sizes)
    return None if cells is None else _grouped(cells, name)


@isolated
def of_fractions(data: bytes, name: str, size: Size, classes: bytes, listing: str) -> bytes | None:
    """Return an Ultralytics file in CellViT's form, None for other text.

    Args:
        data: The file.
        name: Its name in messages.
        size: Width and height of its image, px.
        classes: A file that names the classes, empty if there is none.
        listing: Name of that file.
    """
    cells = via_label_studio_yolo.of_yolo(data, size)
    named = via_label_studio_yolo.class_names(classes.decode("utf-8", "replace"), listing)
    return None if cells is None else _written(cells, named)


@isolated
def of_regions(data: bytes, name: str, kind: str | None, classes: frozenset[str]) -> bytes | None:
    """Return a set of ImageJ regions in CellViT's form, None for another zip.

    Args:
        data: The file.
        name: Its name in messages.
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
    return None if cells is None else _written(cells, {})


@isolated
def moved_polygons(data: bytes, name: str, edits: dict[str, str]) -> bytes:
    """Return Multiple polygons JSON with edited coordinates.

    Args:
        data: The file.
        name: Its name in messages.
        edits: As in `InputChanges`.

    Raises:
        InputRefused: If the file has another format.
    """
    document, _problem = strict.document(data, name)
    polygons = document.get(POLYGONS) if isinstance(document, dict) else None
    if not isinstance(polygons, list):
        text = "coordinates of this format are changed here alone: export them in px of the image, as [x, y]."
        raise InputRefused([error("bad-option", name, text)])
    factor, step = float(edits.get("multiply", 1)), -1 if "exchange" in edits else 1
    for polygon in polygons:
        points = [
            [*(value * factor for value in point[:2][::step]), *point[2:]] for point in polygon["path_points"]
        ]
        polygon["path_points"] = points
    return json.dumps(document).encode()


@isolated
def of_several(data: bytes, name: str, images: bytes, sizes: dict[str, Size]) -> Tiles | None:
    """Return the tiles in a file of COCO, VIA, Label Studio or FiftyOne, of features that name their image,
    or of documents by image; None for another file.

    Args:
        data: The file.
        name: Its name in messages.
        images: The COCO file that names the images and categories of a plain list of results; empty if there
            is none.
        sizes: As in `by_tile`.
    """
    document, _problem = strict.document(data, name)
    if all(mark in data for mark in coco.MARKS):
        beside = strict.document(images, name)[0] if images else document
        files = coco.cells(document, beside)
        return None if files is None else _of_images(files, coco.names(beside), name)
    found = _grouped(via_label_studio_yolo.of_via(document), name)
    found = found or _grouped(via_label_studio_yolo.of_label_studio(document, sizes), name)
    found = found or _grouped(via_label_studio_yolo.of_fiftyone(document, name, sizes), name)
    features = {} if found else foreign.by_image(document)
    for image, case in _cases(features, name).items():
        found[case] = json.dumps({"type": "FeatureCollection", "features": features[image]}).encode()
    if not found and isinstance(document, dict) and all(map(foreign.native, document.values())):
        cases = _cases(document, name).items()
        found = {case: json.dumps(document[image]).encode() for image, case in cases}
    return found or None


def _grouped(cells: Cells, name: str) -> Tiles:
    """Return a file for each image of named cells. name: where they are. Raises InputRefused."""
    cells_of: dict[str, list[dict[str, Any]]] = {}
    for image, cell in cells:
        cells_of.setdefault(image, []).append(cell)
    return _of_images(cells_of, {}, name)


def _of_images(cells_of: Mapping[str, list[dict[str, Any]]], names: Mapping[str, str], name: str) -> Tiles:
    """Return a file for each image. names: of class numbers. Raises InputRefused."""
    return {case: _written(cells_of[image], names) for image, case in _cases(cells_of, name).items()}


def _cases(images: Iterable[str], name: str) -> dict[str, str]:
    """Return the case of each image. name: where they are listed. Raises InputRefused if two images have
    one name."""
    image_of: dict[str, str] = {}
    for image in images:
        if (other := image_of.setdefault(_case(image), image)) != image:
            raise InputRefused([same_name(name, other, image)])
    return {image: case for case, image in image_of.items()}


def _case(name: str) -> str:
    return f"{PurePosixPath(case_ids.as_written(name)).stem}.json"


def _written(cells: list[dict[str, Any]], names: Mapping[str, str]) -> bytes:
    return json.dumps({"type_map": names, "cells": cells}).encode()


def _joined(parts: list[bytes]) -> bytes:
    """Return one file of several that `_written` wrote without names."""
    start, mark, end = _written([], {}).partition(b"[")
    bodies = (part[len(start + mark) : -len(end)] for part in parts)
    return start + mark + b", ".join(filter(None, bodies)) + end
