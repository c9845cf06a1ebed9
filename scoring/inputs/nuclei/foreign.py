"""Converts lists of nuclei in formats of other programs to Grand Challenge's format "Multiple polygons".

Sources of the formats:
    HoVer-Net (vqdang/hover_net, infer/base.py, models/hovernet/post_proc.py): {"mag", "nuc": {number: {bbox,
        centroid, contour, type_prob, type}}}, coordinates as x, y.
    CellViT (TIO-IKIM/CellViT-Inference, cellvit/inference/inference.py): {"type_map": {number: name},
        "cells": [{bbox, centroid, contour, type_prob, type}]}; as GeoJSON a bare list of one MultiPolygon, or
        MultiPoint, for each class, of which each part is a cell.
    StarDist (stardist/models/model2d.py, `predict_instances`): details {"coord": [n, 2, rays] as y, x,
        "points": [n, 2] as y, x, "prob": [n], "class_id": [n], from 1: the background is 0}. It has no
        class names: a list beside it gives the names of all classes, or the name of each nucleus.
    QuPath (qupath.lib.io.GsonTools): a bare list of features.
    Ultralytics (`Results.to_json`): a bare list of {name, class, confidence, box, segments}.
    MMDetection and torchvision: {"labels", "scores", "bboxes" or "boxes"}, corners in px; or "masks".
    labelme: {"shapes": [{label, points}]}. HistomicsTK: {"elements": [{points, group, label}]}.
    Roboflow (inference, entities/responses/inference.py): {"predictions": [{class, confidence, points of x
        and y, or the middle x, y with width and height}]}.
    V7 Darwin 2.0 (v7labs/darwin-py): {"annotations": [{name, polygon: {paths}, bounding_box}]}.
    Supervisely (docs.supervisely.com, annotation format): {"objects": [{classTitle, points: {exterior}}]}.
    SuperAnnotate (darwin-py, importer/formats/superannotate.py): {"instances": [{className, points}]}.
    Grand Challenge, Multiple points: {"points": [{name, point, probability}]}.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scoring.inputs.nuclei import run_lengths

Item = dict[str, Any]
PROBABILITY = "Detection probability"
"""Name of StarDist's confidence among QuPath's measurements; InstanSeg writes `Probability`."""
NUCLEUS = "nucleusGeometry"  # of QuPath's cells, whose geometry is that of the whole cell
CLASS_NAMES = ("class_names", "class_name", "classes", "names", "labels", "type_map")
"""JSON keys under which programs list the names of the classes."""
BACKGROUND = ("background", "bg", "_background_")


def native(document: Any) -> tuple[str, str, list[Any]] | None:
    """Convert the nuclei in JSON of another program. Return the key of the document's list of nuclei, the key
    of the list after conversion, and the converted items; None for an unknown program."""
    if isinstance(document, list):
        return _ultralytics(document) or _features(document) or _objects(document)
    if not isinstance(document, dict):
        return None
    for key, items in READERS.items():
        holder = document.get(key)
        if isinstance(holder, (list, dict)) and holder:
            read = list(items(document, holder))
            outlined = all("path_points" in item for item in read)
            return key, "polygons" if outlined else "nuclei", read
    empty = (
        key for key, beside in MAY_BE_EMPTY.items() if document.get(key) in ([], {}) and beside in document
    )
    return next(((key, "polygons", []) for key in empty), None)


def _cells(document: Mapping[str, Any], cells: Any) -> Iterator[Item]:
    names = document.get("type_map")
    names = names if isinstance(names, dict) else {}
    if names and all(isinstance(value, int) for value in names.values()):
        names = {str(number): name for name, number in names.items()}
    entries = cells.values() if isinstance(cells, dict) else cells
    yield from (_cell(entry, names) for entry in entries)


def _cell(entry: Any, names: Mapping[str, Any]) -> Item:
    """Return a nucleus of HoVer-Net or CellViT. names: of its types."""
    if not isinstance(entry, dict):
        return {}
    item: Item = {}
    contour = entry.get("contour")
    if contour is not None or "centroid" not in entry:
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


def _ultralytics(entries: list[Any]) -> tuple[str, str, list[Any]] | None:
    if not entries or not all(
        isinstance(entry, dict) and {"name", "box"} <= entry.keys() for entry in entries
    ):
        return None
    items = []
    for entry in entries:
        segments, box = entry.get("segments"), entry["box"]
        item = {"name": entry["name"], "probability": entry.get("confidence", 1.0)}
        if isinstance(segments, dict) and all(isinstance(segments.get(axis), list) for axis in "xy"):
            item["path_points"] = [list(point) for point in zip(segments["x"], segments["y"], strict=False)]
        elif isinstance(box, dict):
            item["path_points"] = corners([box.get(key) for key in ("x1", "y1", "x2", "y2")])
        items.append(item)
    return "", "polygons", items


def _objects(entries: list[Any]) -> tuple[str, str, list[Any]] | None:
    """Return the nuclei of a bare list of objects with a class and a box, as pipelines of transformers write
    them; None for another list."""
    if not entries or not all(isinstance(e, dict) and "box" in e and {*LABELS} & e.keys() for e in entries):
        return None
    return "", "polygons", list(_shapes({}, entries))


def _boxes(document: Mapping[str, Any], boxes: Any) -> Iterator[Item]:
    kinds, scores, names, masks = (document.get(key) for key in ("labels", "scores", "type_map", "masks"))
    names = names if isinstance(names, dict) else {}
    for number, box in enumerate(boxes):
        mask = masks[number] if isinstance(masks, list) and number < len(masks) else None
        outline = run_lengths.outline(mask) if isinstance(mask, dict) else None
        item: Item = {"path_points": outline or (corners(box) if isinstance(box, list) else box)}
        if isinstance(kinds, list) and number < len(kinds):
            item["name"] = str(names.get(str(kinds[number]), kinds[number]))
        if isinstance(scores, list) and number < len(scores):
            item["probability"] = scores[number]
        yield item


def corners(box: list[Any]) -> list[list[Any]]:
    """Return the four corners of a box (left, top, right, bottom); empty for anything else."""
    if len(box) != 4:
        return [box]
    left, top, right, bottom = box
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def _shapes(_document: Mapping[str, Any], shapes: Any) -> Iterator[Item]:
    """Yield the nuclei of a list of objects with a class, vertices or a box, and perhaps a confidence."""
    for entry in shapes:
        if not isinstance(entry, dict):
            yield {"path_points": entry}
            continue
        label = next((entry[key] for key in LABELS if entry.get(key)), None)
        item: Item = {"name": label.get("value") if isinstance(label, dict) else label}
        place, points = entry.get("point", entry.get("center")), vertices(entry)
        if place is None and isinstance(points, list) and len(points) == 1:
            place = points[0]
        if place is not None:
            item["centroid"] = place
        else:
            item["path_points"] = points
        inference = entry.get("inference")
        graded = {**inference, **entry} if isinstance(inference, dict) else entry
        confidence = next((graded[key] for key in OBJECT_CONFIDENCES if graded.get(key) is not None), None)
        if confidence is not None:
            item["probability"] = confidence
        yield item


LABELS = ("group", "label", "name", "class", "className", "class_name", "classTitle")
OUTLINES = ("points", "polygon", "bounding_box", "bbox", "box")
OBJECT_CONFIDENCES = ("probability", "confidence", "score")
"""Keys under which an object may have its confidence."""


def vertices(entry: Mapping[str, Any]) -> Any:
    """Return the vertices of an object (pairs, {x, y}, or alternating numbers), or the corners of its box if
    it has none. If there are several rings, the outer or longest one counts. Anything else is returned
    unchanged."""
    outline = next((entry[key] for key in OUTLINES if entry.get(key) is not None), entry)
    if isinstance(outline, dict):
        rings = next((outline[key] for key in ("exterior", "paths", "path") if key in outline), None)
        outline = _corners_of(outline) if rings is None else rings
    if not isinstance(outline, list) or not outline:
        return outline
    if all(isinstance(ring, list) and ring and isinstance(ring[0], (list, dict)) for ring in outline):
        outline = max(outline, key=len)
    if all(isinstance(point, dict) for point in outline):
        outline = [[point.get("x"), point.get("y")] for point in outline]
    if all(isinstance(value, (int, float)) for value in outline) and len(outline) % 2 == 0:
        outline = [list(pair) for pair in zip(outline[::2], outline[1::2], strict=True)]
    is_box = "rectangle" in (entry.get("geometryType"), entry.get("shape_type")) and len(outline) == 2
    is_corners = is_box and all(isinstance(point, list) for point in outline)
    return corners([*outline[0], *outline[1]]) if is_corners else outline


def _corners_of(box: Mapping[str, Any]) -> list[list[Any]] | None:
    """Return the corners of a box by its edges, its top left corner with w and h, or its middle."""
    for names in (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax")):
        edges = [box.get(key) for key in names]
        if None not in edges:
            return corners(edges)
    width, height = (box.get(short, box.get(long, 0)) for short, long in (("w", "width"), ("h", "height")))
    x, y = (box.get(axis, box.get(f"c{axis}")) for axis in "xy")
    if not all(isinstance(number, (int, float)) for number in (x, y, width, height)):
        return None
    left, top = (x, y) if "w" in box else (x - width / 2, y - height / 2)
    return corners([left, top, left + width, top + height])


READERS: dict[str, Callable[[Mapping[str, Any], Any], Iterator[Item]]] = {
    "nuc": _cells,
    "cells": _cells,
    "coord": _stardist,
    "bboxes": _boxes,
    "boxes": _boxes,
    "shapes": _shapes,
    "elements": _shapes,
    "points": _shapes,
    **dict.fromkeys(("predictions", "annotations", "objects", "instances"), _shapes),
}
"""Key of the list in a document -> function that converts its items."""
MAY_BE_EMPTY = {
    "nuc": "mag",
    "cells": "type_map",
    "predictions": "image",
    "annotations": "item",
    "objects": "size",
    "instances": "metadata",
}
"""Key of a list that may be empty -> another key that then identifies the format."""


def _features(features: list[Any]) -> tuple[str, str, list[Any]] | None:
    """Return the features of a bare list; CellViT's features, one per class, are split into one per cell."""
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


def by_image(document: Any) -> dict[str, list[Item]]:
    """Return the features of each image, by a property that names the image in every feature. Empty for other
    documents, or if all features name the image after which the file is named."""
    features = document.get("features") if isinstance(document, dict) else document
    if not isinstance(features, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("properties"), dict) for entry in features
    ):
        return {}
    for name in IMAGE:
        images = [entry["properties"].get(name) for entry in features]
        if len({*filter(_is_name, images)}) > 1 and all(map(_is_name, images)):
            items: dict[str, list[Item]] = {}
            for image, entry in zip(images, features, strict=True):
                items.setdefault(str(image), []).append(entry)
            return items
    return {}


def without_regions(document: Any) -> tuple[Any, int]:
    """Remove QuPath's annotations from a document with detections, and return it with the number of
    annotations.

    In a document with detected objects, annotations are only the regions in which QuPath searched. Another
    document is returned unchanged.
    """
    holder = document if isinstance(document, dict) else {"features": document}
    features = holder.get("features")
    if not isinstance(features, list):
        return document, 0
    kinds = [_object_type(entry) for entry in features]
    kept = [entry for entry, kind in zip(features, kinds, strict=True) if kind != "annotation"]
    if len(kept) == len(features) or not {"detection", "cell"} & {*kinds}:
        return document, 0
    changed = {**document, "features": kept} if isinstance(document, dict) else kept
    return changed, len(features) - len(kept)


def centroids_of(features: list[Any]) -> list[Item] | None:
    """Return one nucleus for each point if all features are points; None otherwise."""
    kinds = {_kind(each) if isinstance(each, dict) and "geometry" in each else "" for each in features}
    if not kinds or kinds - {"Point", "MultiPoint"}:
        return None
    return [
        {**_graded(entry), "centroid": point, "name": _classification(entry).get("name")}
        for entry in features
        for point in ([_coordinates(entry)] if _kind(entry) == "Point" else _coordinates(entry))
    ]


def _graded(feature: Mapping[str, Any]) -> Item:
    """Return the confidence of a feature, as an item has it."""
    named = properties if isinstance(properties := feature.get("properties"), dict) else {}
    flat = (named[key] for key in (*OBJECT_CONFIDENCES, *FLAT_CONFIDENCE) if key in named)
    value = next(flat, probability(named.get("measurements")))
    return {} if value is None else {"probability": value}


def _object_type(feature: Any) -> str:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    return str(properties.get("objectType")) if isinstance(properties, dict) else ""


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _kind(feature: Mapping[str, Any]) -> str:
    geometry = feature["geometry"]
    return str(geometry.get("type")) if isinstance(geometry, dict) else ""


def _coordinates(feature: Mapping[str, Any]) -> list[Any]:
    coordinates = feature["geometry"].get("coordinates")
    return coordinates if isinstance(coordinates, list) else [coordinates]


def _classification(feature: Mapping[str, Any]) -> Mapping[str, Any]:
    named = classification(feature.get("properties"))
    return named if isinstance(named, dict) else {}


FLAT = ("classification", "type", "cell_type", "class", "class_name", "label", "category")
IMAGE = (
    *("image", "image_name", "image_id", "image_path", "filename", "file_name", "filepath", "file"),
    *("case", "case_id"),
)
"""Properties of a feature that name its image."""
FLAT_CONFIDENCE = ("prob", "type_prob")
"""Properties with the confidence of a feature in files of geopandas, TIAToolbox and others (not QuPath)."""
KIND = (
    *("class", "classification", "class_name", "name", "type", "label", "cell_type", "category"),
    "predicted_class",
)
CONFIDENCES = ("score", "confidence", "probability", "prob", "detection_probability", "type_prob")
"""Names of columns and attributes with the class, and with the confidence."""


def classification(properties: Any) -> Any:
    """Return the class of a feature from its `properties`, in QuPath's form {"name": ...}. In the file, the
    class may also be a list of names, or a text under another key. Any other classification is returned
    unchanged."""
    named = properties.get("classification") if isinstance(properties, dict) else None
    if isinstance(named, dict) and isinstance(named.get("names"), list) and "name" not in named:
        return {"name": ": ".join(map(str, named["names"]))}
    if isinstance(properties, dict) and not isinstance(named, dict):
        name = next((properties[key] for key in FLAT if isinstance(properties.get(key), str)), None)
        return named if name is None else {"name": name}
    return named


def probability(measurements: Any) -> Any:
    """Return the confidence among QuPath's measurements, by name or as a list of names and values; None if
    there is none."""
    if isinstance(measurements, list):
        entries = [entry for entry in measurements if isinstance(entry, dict)]
        measurements = {str(entry.get("name")): entry.get("value") for entry in reversed(entries)}
    if not isinstance(measurements, dict):
        return None
    if PROBABILITY in measurements:
        return measurements[PROBABILITY]
    return next((value for name, value in measurements.items() if name.lower() in CONFIDENCES), None)
