"""Folders of nuclei: one for each slide, of files of one name, or for each image, of a file for each class.

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
"""What CellViT writes of one slide: outlines with confidences, middles, and both without confidences."""
OF_RUN = "processed_files.json"
"""What CellViT writes of a run."""
IN_SLIDE = ("cell_detection", "output")
"""Folders in that of a slide or case, of CellViT's first version and of Grand Challenge."""
HEADER_BYTES = 4096
MARKS = re.compile(r"[-_ .]")
"""What is between the name of an image and that of a class."""


def by_slide(files: SourceFiles) -> tuple[SourceFiles, Mapping[str, str]]:
    """Return files called by their slides, and what each was called before, where they are in a folder for
    each slide under one name, or are those of CellViT; others as they are."""
    lists = [member for member in files.members if member.lower().endswith(LISTS)]
    of_cellvit = [member for member in lists if member.endswith(OF_SLIDE)]
    names = Counter(PurePosixPath(member).name for member in lists)
    if files.kind == "file" or not (of_cellvit or (len(names) == 1 and len(lists) > 1)):
        return files, {}
    found: dict[str, dict[int, str]] = {}
    for member in of_cellvit or lists:
        slide, rank = _slide(PurePosixPath(member))
        if not slide or rank in found.setdefault(slide, {}):
            return files, {}
        found[slide][rank] = member
    chosen = [(slide, of_slide[min(of_slide)]) for slide, of_slide in found.items()]
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
    """Return the image and the class of members that are a file for each class: sets of regions of ImageJ,
    None where the set is of several, and tables of places alone, both by a class in the name of the file or
    its folder; and in folders for each image, files of which a name is in several.

    Args:
        files: The members.
        names: Classes, as `tables.key` writes them.
        cases: Names of cases, which name no class.
    """
    endings = (*TEXT_TABLES, imagej_rois.SETS)
    paths = [PurePosixPath(member) for member in files.members if member.lower().endswith(endings)]
    uses = Counter(path.name for path in paths if path.parent.name)
    folders = {path.parent for path in paths if uses[path.name] > 1}
    found: dict[str, tuple[str, str | None]] = {}
    for path in paths:
        image = f"{path.parent.name}.json"
        is_set = path.suffix.lower() == imagej_rois.SETS
        named = _named(path, names, cases)
        if named and (is_set or point_tables.is_of_one_class(header(files, str(path)))):
            found[str(path)] = f"{named[0]}.json", named[1]
        elif is_set:
            name = imagej_rois.SET_NAME.sub("", path.stem)
            is_of_class = path.parent.name and (uses[path.name] > 1 or path.stem.lower().startswith("roi"))
            found[str(path)] = (image, name or None) if is_of_class else (f"{name}.json", None)
        elif path.parent in folders and point_tables.is_of_one_class(header(files, str(path))):
            found[str(path)] = image, path.stem
    return found if len({*found.values()}) == len(found) else {}


def _named(path: PurePosixPath, names: Collection[str], cases: Collection[str]) -> tuple[str, str] | None:
    """Return the image and the class that the names of a file and its folder tell; None where they tell no
    class, or the file has the name of a case."""
    folder, stem = path.parent.name, imagej_rois.SET_NAME.sub("", path.stem)
    if path.stem in cases:
        return None
    if folder and key(stem) in names:
        return folder, stem
    for mark in MARKS.finditer(stem):
        start, end = (
            imagej_rois.SET_NAME.sub("", part) for part in (stem[: mark.start()], stem[mark.end() :])
        )
        for image, kind in ((start, end), (end, start)):
            if image and key(kind) in names:
                return image, kind
    return (stem, folder) if stem and key(folder) in names else None


def header(files: SourceFiles, member: str) -> str:
    """Return the first line of a member, "" where it is no text in UTF-8."""
    with files.open(member) as file:
        line, _, _ = file.read(HEADER_BYTES).partition(b"\n")
    try:
        return line.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return ""
