"""Lists of nuclei as programs for nuclei write them, in the form of Multiple polygons.

Sources of the formats:
    HoVer-Net (vqdang/hover_net, infer/base.py, models/hovernet/post_proc.py): {"mag", "nuc": {number: {bbox,
        centroid, contour, type_prob, type}}}, coordinates as x, y.
    CellViT (TIO-IKIM/CellViT-Inference, cellvit/inference/inference.py): {"type_map": {number: name},
        "cells": [{bbox, centroid, contour, type_prob, type}]}; as GeoJSON a bare list of one MultiPolygon, or
        MultiPoint, for each class, of which each part is a cell.
    StarDist (stardist/models/model2d.py, `predict_instances`): details {"coord": [n, 2, rays] as y, x,
        "points": [n, 2] as y, x, "prob": [n], "class_id": [n], from 1: the background is 0}. It has no names:
        a list of names beside it is that of all classes, or names each nucleus.
    QuPath (qupath.lib.io.GsonTools): a bare list of features.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Item = dict[str, Any]
PROBABILITY = "Detection probability"
"""What QuPath calls the confidence of StarDist, among the measurements."""
CLASS_NAMES = ("class_names", "class_name", "classes", "names", "labels", "type_map")
"""Keys of names beside the numbers of classes, or in place of them."""
BACKGROUND = ("background", "bg", "_background_")


def native(document: Any) -> tuple[str, str, list[Any]] | None:
    """Return what a document calls its list, the list of ours that its items are now of, and the items; None
    for a document of no known program."""
    if isinstance(document, list):
        return _features(document)
    if not isinstance(document, dict):
        return None
    for key, items in READERS.items():
        holder = document.get(key)
        if isinstance(holder, (list, dict)) and holder:
            read = list(items(document, holder))
            outlined = all("path_points" in item for item in read)
            return key, "polygons" if outlined else "nuclei", read
    return None


def _hovernet(_document: Mapping[str, Any], nuclei: Any) -> Iterator[Item]:
    entries = nuclei.values() if isinstance(nuclei, dict) else nuclei
    yield from (_cell(entry, {}) for entry in entries)


def _cellvit(document: Mapping[str, Any], cells: Any) -> Iterator[Item]:
    names = document.get("type_map")
    entries = cells.values() if isinstance(cells, dict) else cells
    yield from (_cell(entry, names if isinstance(names, dict) else {}) for entry in entries)


def _cell(entry: Any, names: Mapping[str, Any]) -> Item:
    """Return a nucleus of HoVer-Net or CellViT. names: of its types."""
    if not isinstance(entry, dict):
        return {}
    item: Item = {}
    contour = entry.get("contour")
    if contour is not None:
        item["path_points"] = contour
    if "centroid" in entry:
        item["centroid"] = entry["centroid"]
    kind = entry.get("type")
    if kind is not None:
        item["name"] = str(names.get(str(kind), kind))
    if entry.get("type_prob") is not None:
        item["probability"] = entry["type_prob"]
    return item


def _stardist(document: Mapping[str, Any], outlines: Any) -> Iterator[Item]:
    kinds, confidences = _kinds(document, len(outlines)), document.get("prob")
    for number, outline in enumerate(outlines):
        item: Item = {}
        if (
            isinstance(outline, list)
            and len(outline) == 2
            and all(isinstance(axis, list) for axis in outline)
        ):
            item["path_points"] = [[x, y] for y, x in zip(*outline, strict=False)]
        if number < len(kinds):
            item["name"] = str(kinds[number])
        if isinstance(confidences, list) and number < len(confidences):
            item["probability"] = confidences[number]
        yield item


def _kinds(document: Mapping[str, Any], count: int) -> list[Any]:
    """Return the class of each nucleus, by its name where the document has names."""
    numbers = document.get("class_id")
    for key in CLASS_NAMES:
        names = document.get(key)
        if isinstance(names, list) and len(names) == count and not isinstance(numbers, list):
            return names
        if isinstance(names, (list, dict)) and isinstance(numbers, list):
            named = names if isinstance(names, dict) else _numbered(names)
            return [named.get(str(number), number) for number in numbers]
    return numbers if isinstance(numbers, list) else []


def _numbered(names: list[Any]) -> dict[str, Any]:
    """Return the name of each class number, from 1 unless the first name is that of the background."""
    first = 0 if names and str(names[0]).lower() in BACKGROUND else 1
    return {str(number): name for number, name in enumerate(names, first)}


READERS: dict[str, Callable[[Mapping[str, Any], Any], Iterator[Item]]] = {
    "nuc": _hovernet,
    "cells": _cellvit,
    "coord": _stardist,
}
"""Key of the list in a document -> what makes items of it."""


def _features(features: list[Any]) -> tuple[str, str, list[Any]] | None:
    """Return the features of a bare list; those of CellViT, one for each class, cell by cell."""
    if not features or not all(isinstance(entry, dict) and "geometry" in entry for entry in features):
        return None
    names = [str(_classification(entry).get("name")) for entry in features]
    kinds = {_kind(entry) for entry in features}
    if len(set(names)) < len(names) or not kinds <= {"MultiPolygon", "MultiPoint"}:
        return "features", "features", features
    if kinds == {"MultiPoint"}:
        points = [
            {"centroid": point, "name": name}
            for entry, name in zip(features, names, strict=True)
            for point in _coordinates(entry)
        ]
        return "features", "nuclei", points
    cells = [
        {**entry, "geometry": {"type": "Polygon", "coordinates": polygon}}
        for entry in features
        for polygon in (_coordinates(entry) if _kind(entry) == "MultiPolygon" else [])
    ]
    return "features", "features", cells


def _kind(feature: Mapping[str, Any]) -> str:
    geometry = feature["geometry"]
    return str(geometry.get("type")) if isinstance(geometry, dict) else ""


def _coordinates(feature: Mapping[str, Any]) -> list[Any]:
    coordinates = feature["geometry"].get("coordinates")
    return coordinates if isinstance(coordinates, list) else [coordinates]


def _classification(feature: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = feature.get("properties")
    classification = properties.get("classification") if isinstance(properties, dict) else None
    return classification if isinstance(classification, dict) else {}


def probability(measurements: Any) -> Any:
    """Return the confidence among QuPath's measurements, by name or as a list of names and values; None
    without."""
    if isinstance(measurements, dict):
        return measurements.get(PROBABILITY)
    if isinstance(measurements, list):
        named = (
            entry for entry in measurements if isinstance(entry, dict) and entry.get("name") == PROBABILITY
        )
        return next((entry.get("value") for entry in named), None)
    return None
