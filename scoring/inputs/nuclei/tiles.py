"""Converts files with the nuclei of several tiles, files of one class, and tables of points to one file per
tile.

The modules that read the formats name their sources.
"""

import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
from types import MappingProxyType

from scoring.common.findings import InputRefused, error
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.transport import isolated
from scoring.inputs import workbooks
from scoring.inputs.nuclei import (
    coco,
    folders,
    foreign,
    imagej_rois,
    point_tables,
    rewriting,
    strict,
    tile_readers,
    xml_shapes,
)
from scoring.inputs.nuclei.contents import POLYGONS
from scoring.inputs.nuclei.tile_readers import MICROMETRES, Tiles
from scoring.inputs.nuclei.via_label_studio_yolo import YOLO, Size
from scoring.inputs.sources import TABLES_IN_FOLDERS, SourceFiles
from scoring.inputs.table_edits import fixed_name
from scoring.inputs.tables import TextTable

__all__ = ["LINES", "MICROMETRES", "OF_SEVERAL", "TYPE_FILES", "by_tile", "is_of_nuclei", "moved_polygons"]

OF_SEVERAL = re.compile(
    r'"(image_id|category_id|file_name|region_attributes|original_width|polygonlabels|boxes|bounding_box)"'
    rf'|"properties"\s*:\s*\{{[^{{}}]*"({"|".join(foreign.IMAGE)})"'
)
"""Keys at the beginning of COCO, VIA, Label Studio or FiftyOne files, or of features that name images."""
SEVERAL = (
    *(coco.MARKS, (b'"region_attributes"',), (b'"data"', b'"result"'), (b'"boxes"', b'"labels"')),
    *((b'"original_width"',), (b'"samples"', b'"filepath"'), (b'"box"', b'"label"')),
)
"""Keys of COCO, VIA, Label Studio, torchvision, FiftyOne and transformers files that contain the nuclei of
several images."""
JSON_LINES = ".jsonl"
LINES = (".ndjson", ".geojsonl", JSON_LINES)
"""Extensions of files with a JSON document per line, such as features of TIAToolbox
(`AnnotationStore.to_ndjson`)."""
DOCUMENTED = re.compile(rb'"(polygons|nuclei|features|nuc|cells|coord)"\s*:')
"""Pattern of keys of files with the nuclei of one image; such files are not searched for other images."""
TILES_BYTES = 2_000_000_000
"""Maximum bytes of all unpacked files of tiles together, because zips inside a zip can unpack to very large
files."""
TYPE_FILES = ("type_info.json", "classes.json", "class_names.json", "label_map.json")
"""Names of files that give each class number a name; type_info.json is that of HoVer-Net."""
NUMBERS_OF_TYPES = (b'"nuc"', b'"class_id"', b'"labels"')
OF_NUMBERS, NUMBERED = "image.csv", ("ImageNumber", "FileName_")
"""How the name of CellProfiler's table of image numbers ends, and the headings of this table."""
CLASS_FILES = (".yaml", ".yml", "classes.txt", "obj.names")
"""Extensions of files that give each class number of YOLO a name."""
READ = (*folders.LISTS, *LINES, *xml_shapes.ENDINGS, *TABLES_IN_FOLDERS, imagej_rois.SETS)
"""Extensions of files that are searched for nuclei."""
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
    """Replace files about several tiles by one file per tile, in CellViT's format. Raises InputRefused if a
    file is malformed, if a tile is in two files, or if the tiles need too much memory.

    Args:
        changes: Changes that rename tiles whose names are only inside a file.
        questions: Question -> fixes, offered for tables in `MICROMETRES`; without fixes, numbers are px.
        sizes: Image id -> width and height in px, which fractions need; the key "" is for other images.
        names: Class names, as `tables.key` returns them, which may occur in file names.
    """
    listing = _listing(files)
    files_of_tiles: Tiles = {}
    split = {listing} if listing else set()
    images = files.read(listing) if listing else b""
    classes = folders.by_class(files, names, sizes)
    beside = _Beside(_class_files(files), images, dict(questions), dict(sizes), names)
    parts: dict[str, list[bytes]] = {}
    owner: dict[str, str] = {}
    boxes = _boxes_of_masks(files)
    for member in files.members:
        of_class = classes.get(member, (member, None))
        tiles = None if member in (listing, *boxes) else _tiles(files, member, of_class, beside)
        if tiles is not None:
            named = {fixed_name(name, changes): data for name, data in tiles.items()}
            is_part = member in classes and all(map(tile_readers.is_written, named.values()))
            owner_of_name = {n: by for n, by in owner.items() if not (is_part and n in parts)}
            _refuse_twice(named, owner_of_name, files.called(member))
            split |= {member, *beside.classes.get(PurePosixPath(member).suffix.lower(), ())}
            owner |= dict.fromkeys(named, files.called(member))
            for name, data in named.items() if is_part else ():
                parts.setdefault(name, []).append(data)
            files_of_tiles |= {} if is_part else named
            if sum(map(len, files_of_tiles.values())) > TILES_BYTES:
                most = f"{TILES_BYTES / 1e9:.0f} GB of memory"
                text = f"its lists of nuclei need more than {most}: submit fewer images."
                raise InputRefused([error("too-large", files.name, text)])
    files_of_tiles |= {name: tile_readers.joined(of_classes) for name, of_classes in parts.items()}
    _refuse_twice(files_of_tiles, {m: m for m in {*files.sizes} - split}, files.name)
    if not files_of_tiles:
        return files
    beside_masks = {m: f"{m} (boxes of the masks in {other})" for m, other in boxes.items()}
    bytes_of = {beside_masks.get(m, m): size for m, size in files.sizes.items() if m not in split} | {
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


def _refuse_twice(names: Iterable[str], others: Mapping[str, str], where: str) -> None:
    """Refuse tiles that other files list, too. others: tile -> the file that lists it."""
    twice = sorted(name for name in names if name in others)
    if twice:
        listing = ", ".join(name.removesuffix(".json") for name in twice[:3])
        text = f"{listing}: another file lists the same nuclei too ({others[twice[0]]}). Keep one file."
        raise InputRefused([error("duplicate-case", where, text)])


def _boxes_of_masks(files: SourceFiles) -> dict[str, str]:
    """Return lists of COCO of boxes alone -> the list of masks of the same nuclei, as MMDetection writes both
    (coco_metric.py, `results2json`)."""
    scores: dict[str, list[bytes]] = {}
    masks: dict[str, bool] = {}
    for member in files.members:
        if member.lower().endswith((".bbox.json", ".segm.json")):
            data = files.read(member)
            scores[member], masks[member] = coco.SCORE.findall(data), b'"segmentation"' in data
    return {
        member: other
        for member, listed in scores.items()
        for other in scores
        if listed and not masks[member] and masks[other] and scores[other] == listed
    }


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
        tiles = None
        is_several = ending == ".json" and any(all(mark in data for mark in marks) for marks in SEVERAL)
        is_alone = b'"geometry"' in data and len(_first_lists(files)) == 1
        if is_several or is_alone:
            tiles = tile_readers.of_several(data, name, beside.images, beside.sizes)
        types = beside.classes[".json"] if any(mark in data for mark in NUMBERS_OF_TYPES) else []
        tile = rewriting.of_types(data, name, files.read(types[0])) if types and tiles is None else None
        if not tiles and tile is None and not types and not DOCUMENTED.search(data):
            named_tiles = tile_readers.of_named(data, name, member, beside.sizes, beside.names)
            is_table = named_tiles is None and data.lstrip()[:1] == b"[" and b'"geometry"' not in data
            return _of_text(data, name, of_class, beside) if is_table else named_tiles
        return tiles if tile is None else {tile_readers.case_file(member): tile}
    if ending == imagej_rois.SETS:
        tile = tile_readers.of_regions(data, name, of_class[1], beside.names)
        if tile is None and (inner := rewriting.unpacked(data, name)):
            own = tile_readers.case_file(inner[0])
            is_case = own.removesuffix(".json") in beside.sizes
            return {own if is_case else tile_readers.case_file(member): inner[1]}
        return None if tile is None else {tile_readers.case_file(of_class[0]): tile}
    if ending in LINES:
        tile = rewriting.of_lines(data, name) if ending != JSON_LINES else None
        document = b"[%s]" % b",".join(line for line in data.splitlines() if line.strip())
        nested = tile is None and tile_readers.of_named(document, name, member, beside.sizes, beside.names)
        return nested or (None if tile is None else {tile_readers.case_file(member): tile})
    if ending in xml_shapes.ENDINGS:
        return tile_readers.of_xml(data, name, member)
    if ending == ".txt" and YOLO.fullmatch(data.partition(b"\n")[0]):
        case, listing = tile_readers.case_file(member), next(iter(beside.classes[".txt"]), "")
        classes = files.read(listing) if listing else b""
        size = beside.sizes.get(case.removesuffix(".json"), beside.sizes[""])
        tile = tile_readers.of_fractions(data, name, size, classes, listing)
        return None if tile is None else {case: tile}
    return _of_text(data, name, of_class, beside)


def _of_text(data: bytes, name: str, of_class: tuple[str, str | None], beside: _Beside) -> Tiles | None:
    """Return the tiles of a table, of a workbook with a sheet for each case, or of outlines of one class."""
    rest = (beside.questions, beside.sizes, beside.names)
    tiles = tile_readers.of_table(data, name, of_class, beside.images, *rest)
    image, kind = of_class
    if tiles is None and kind is not None:
        cells = rewriting.of_outlines(data, name, kind)
        return None if cells is None else {tile_readers.case_file(image): tile_readers.written(cells, {})}
    if tiles is not None or not name.lower().endswith(workbooks.ENDING):
        return tiles
    try:
        sheets = workbooks.by_sheet(data, name)
    except InputRefused:
        return None
    if 2 * sum(title in beside.sizes for title in sheets) < len(sheets) or len(sheets) < 2:
        return None
    found: Tiles = {}
    for title, sheet in sheets.items():
        of_sheet = tile_readers.of_table(sheet, f"{name} › {title}", (title, None), b"", *rest) or {}
        _refuse_twice(of_sheet, dict.fromkeys(found, "another sheet"), name)
        found |= of_sheet
    return found


def _first_lists(files: SourceFiles) -> list[str]:
    """Return the first two members that may be lists of nuclei."""
    return list(islice((member for member in files.members if member.lower().endswith(folders.LISTS)), 2))


@isolated
def moved_polygons(data: bytes, name: str, edits: dict[str, str]) -> bytes:
    """Return Multiple polygons JSON with edited coordinates.

    Args:
        edits: Edits of coordinates, as in `InputChanges`.

    Raises:
        InputRefused: If the file has another format.
    """
    document, _problem = strict.document(data, name)
    polygons = document.get(POLYGONS) if isinstance(document, dict) else None
    if not isinstance(polygons, list):
        text = (
            "official programs do not convert coordinates of this format: export coordinates in "
            "px of the image, as [x, y]."
        )
        raise InputRefused([error("bad-option", name, text)])
    factor, step = float(edits.get("multiply", 1)), -1 if "exchange" in edits else 1
    for polygon in polygons:
        points = [
            [*(value * factor for value in point[:2][::step]), *point[2:]] for point in polygon["path_points"]
        ]
        polygon["path_points"] = points
    return json.dumps(document).encode()
