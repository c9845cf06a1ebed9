"""Folders of nuclei: one folder per slide, with the same file names in each, or one folder per image, with
one file per class.

Sources of the formats: CellViT (TIO-IKIM/CellViT-Inference, cellvit/inference/inference.py), the output of
containers of Grand Challenge, layers of napari, and ROI sets of ImageJ.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from scoring.inputs.nuclei import imagej_rois, point_tables
from scoring.inputs.sources import TEXT_TABLES, SourceFiles
from scoring.inputs.tables import key

LISTS = (".json", ".geojson")
OF_SLIDE = ("cells.json", "cell_detection.json", "cells.geojson", "cell_detection.geojson")
"""Names of CellViT's files for a slide, in order of preference: outlines with confidences, centroids with
confidences, and both without confidences."""
OF_RUN = "processed_files.json"
"""Name of the file in which CellViT lists the slides of a run."""
IN_SLIDE = ("cell_detection", "output")
"""Names of folders inside the folder of a slide or case, in CellViT's first version and on Grand
Challenge."""
HEADER_BYTES = 4096
MARKS = re.compile(r"[-_ .]")
"""Separator between the names of an image and a class."""
OUTLINE = re.compile(r"-?\d+(\.\d*)?(,-?\d+(\.\d*)?){5,}(,-?)?")
"""Pattern of a line of Cellpose (io.py, `outlines_to_text`), or of its start: x and y of a nucleus's
vertices."""


def by_slide(files: SourceFiles) -> tuple[SourceFiles, Mapping[str, str]]:
    """Return the files under names made from their slides, and their original names. Files are renamed if
    each slide has a folder with the same file name, or if CellViT wrote them. Other files stay unchanged."""
    lists = [member for member in files.members if member.lower().endswith(LISTS)]
    of_cellvit = [member for member in lists if member.endswith(OF_SLIDE)]
    names = Counter(PurePosixPath(member).name for member in lists)
    if files.kind == "file" or not (of_cellvit or (len(names) == 1 and len(lists) > 1)):
        return files, {}
    slides: dict[str, dict[int, str]] = {}
    for member in of_cellvit or lists:
        slide, rank = _slide(PurePosixPath(member))
        if not slide or rank in slides.setdefault(slide, {}):
            return files, {}
        slides[slide][rank] = member
    chosen = [(slide, of_slide[min(of_slide)]) for slide, of_slide in slides.items()]
    original = {f"{slide}{PurePosixPath(member).suffix}": member for slide, member in chosen}
    runs = {member for member in lists if of_cellvit and PurePosixPath(member).name == OF_RUN}
    original |= {member: member for member in files.members if member not in {*of_cellvit, *runs, *lists}}
    original |= {member: member for member in lists if of_cellvit and member not in {*of_cellvit, *runs}}
    sizes = {name: files.sizes[original[name]] for name in sorted(original)}
    renamed = replace(
        files,
        sizes=sizes,
        read=lambda member: files.read(original[member]),
        open=lambda member: files.open(original[member]),
    )
    return renamed, original


def _slide(path: PurePosixPath) -> tuple[str, int]:
    """Return the slide that a file is of, by its name or its folder, and its place in `OF_SLIDE`."""
    for rank, name in enumerate(OF_SLIDE):
        if path.name.endswith(f"_{name}"):
            return path.name.removesuffix(f"_{name}"), rank
    folder = path.parent.parent if path.parent.name in IN_SLIDE else path.parent
    return folder.name, OF_SLIDE.index(path.name) if path.name in OF_SLIDE else 0


def by_class(
    files: SourceFiles, names: Collection[str] = (), cases: Collection[str] = ()
) -> dict[str, tuple[str, str | None]]:
    """Return the image and the class of files that contain only one class.

    Such files are sets of ImageJ regions (class None if a set has several classes), and tables of positions
    whose file or folder name states the class. There may also be a folder per image.

    Args:
        names: Class names, as `tables.key` returns them.
        cases: Names of cases, which are never read as names of classes.
    """
    endings = (*TEXT_TABLES, imagej_rois.SETS)
    paths = [PurePosixPath(member) for member in files.members if member.lower().endswith(endings)]
    uses = Counter(path.name for path in paths if path.parent.name)
    folders = {path.parent for path in paths if uses[path.name] > 1}
    members: dict[str, tuple[str, str | None]] = {}
    for path in paths:
        image = f"{path.parent.name}.json"
        is_set = path.suffix.lower() == imagej_rois.SETS
        named = _named(path, names, cases, path.parent in folders)
        first = "" if is_set else header(files, str(path))
        is_table = point_tables.is_of_one_image(first)
        has_class = point_tables.has_class(first)
        is_apart = path.parent in folders or key(path.parent.name) in {*names, *map(key, filter(None, cases))}
        is_rest = bool(OUTLINE.fullmatch(first)) or not files.sizes[str(path)]
        if named and (is_set or is_rest or (is_table and (is_apart or not has_class))):
            members[str(path)] = f"{named[0]}.json", named[1]
        elif is_set:
            name = imagej_rois.SET_NAME.sub("", path.stem)
            is_of_class = path.parent.name and (uses[path.name] > 1 or path.stem.lower().startswith("roi"))
            members[str(path)] = (image, name or None) if is_of_class else (f"{name}.json", None)
        elif path.parent in folders and is_table and not has_class:
            members[str(path)] = image, path.stem
    return members if len({*members.values()}) == len(members) else {}


def _named(
    path: PurePosixPath, names: Collection[str], cases: Collection[str], in_folders: bool
) -> tuple[str, str] | None:
    """Return the image and the class that the names of a file and its folder tell; None if they tell no
    class, or the file has the name of a case. in_folders: whether other folders have a file of its name."""
    folder, stem = path.parent.name, imagej_rois.SET_NAME.sub("", path.stem)
    if path.stem in cases:
        return (path.stem, folder) if key(folder) in names else None
    if folder and key(stem) in names:
        return folder, stem
    for mark in MARKS.finditer(stem):
        start, end = (
            imagej_rois.SET_NAME.sub("", part) for part in (stem[: mark.start()], stem[mark.end() :])
        )
        for image, kind in ((start, end), (end, start)):
            if image and key(kind) in names:
                is_beside = bool(folder) and (folder in cases or (in_folders and image not in cases))
                return (folder if is_beside else image), kind
    if not stem or key(folder) not in names:
        return None
    whole = max((case for case in cases if case and stem.startswith(case)), key=len, default=stem)
    return (whole if MARKS.match(stem[len(whole) :]) else stem), folder


def header(files: SourceFiles, member: str) -> str:
    """Return the first line of a file, cut at `HEADER_BYTES`; "" if it is not UTF-8 text."""
    with files.open(member) as file:
        line, _, _ = file.read(HEADER_BYTES).partition(b"\n")
    try:
        return line.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return ""
