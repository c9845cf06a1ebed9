"""Reads nuclei in files of VIA, Label Studio, FiftyOne and YOLO as cells of each image. For QuPath see
`reader`.

Sources of the formats:
    VIA, the VGG Image Annotator (`pack_via_metadata` of its source): CSV with a row for each region, of which
        `region_shape_attributes` and `region_attributes` are JSON; JSON of images with `filename` and
        `regions`, in a project below `_via_img_metadata`.
    Label Studio (labelstud.io/guide/predictions and /tags): tasks, {"data", "predictions" or "annotations":
        [{"result": [{type, value, score, original_width, original_height}]}]}, in percent of the image; as
        JSON_MIN rows of the data, and lists of values without type.
    FiftyOne (fiftyone/core/labels.py, `Detections`): {"samples": [{filepath, metadata: {width, height},
        FIELD: {"detections": [{label, bounding_box, confidence}]}}]}, as fractions of the image.
    Ultralytics (engine/results.py, `save_txt`): a line for each nucleus: class number, then middle, width and
        height of a box or the vertices of a polygon, as fractions of the image, and with `save_conf` the
        confidence.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.inputs import case_ids
from scoring.inputs.nuclei import strict
from scoring.inputs.nuclei.contents import same_name
from scoring.inputs.nuclei.foreign import CONFIDENCES, KIND, corners
from scoring.inputs.tables import key

Cell = dict[str, Any]
Size = tuple[float, float]
"""Width and height of an image, px."""
Cells = Iterator[tuple[str, Cell]]
"""Pairs of an image's name and a nucleus in the image."""
YOLO = re.compile(rb"\s*\d{1,9}(\s+-?(\d++\.?\d*|\.\d+)(e-?\d{1,3})?){4,}\s*", re.IGNORECASE)
"""Pattern of the start of an Ultralytics file."""
BOX = 4
SLACK = 0.05
"""A box at the edge may extend beyond its image by at most this fraction of the image's size."""
UPLOAD = re.compile(r"^[0-9a-f]{8}-")
"""Prefix that Label Studio adds to the names of uploaded files."""
LABELLED = ("keypointlabels", "polygonlabels", "rectanglelabels", "ellipselabels")
"""Keys of the class in a value of Label Studio. The same word is the type of the value."""


def of_via(document: Any) -> Cells:
    """Yield the cells of a VIA file; nothing for another document."""
    images = document.get("_via_img_metadata", document) if isinstance(document, dict) else {}
    for image in images.values() if isinstance(images, dict) else ():
        regions = image.get("regions") if isinstance(image, dict) else None
        for region in regions.values() if isinstance(regions, dict) else regions or ():
            shape, attributes = (_object(region, f"{name}_attributes") for name in ("shape", "region"))
            yield str(image.get("filename")), via_cell(shape, attributes)


def _object(holder: Any, name: str) -> Mapping[str, Any]:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def via_cell(shape: Mapping[str, Any], attributes: Mapping[str, Any]) -> Cell:
    """Return the cell of a VIA region. Shapes other than polygons are read as their boxes.

    Args:
        shape: `shape_attributes` of the region.
        attributes: `region_attributes` of the region. The class has a usual key, or is the only text.
    """
    named = {key(str(name)): value for name, value in attributes.items()}
    kinds = [named[name] for name in KIND if name in named]
    texts = [value for value in named.values() if isinstance(value, (str, dict))]
    kind = kinds[0] if kinds else texts[0] if len(texts) == 1 else None
    if isinstance(kind, dict):  # boxes that can be ticked
        ticked = [name for name, on in kind.items() if on]
        kind = ticked[0] if len(ticked) == 1 else None
    score = next((named[name] for name in CONFIDENCES if name in named), None)
    return {"contour": _via_outline(shape), "type": kind, "type_prob": _number(score)}


def _via_outline(shape: Mapping[str, Any]) -> list[list[Any]] | None:
    xs, ys = shape.get("all_points_x"), shape.get("all_points_y")
    if isinstance(xs, list) and isinstance(ys, list) and len(xs) == len(ys):
        return [list(point) for point in zip(xs, ys, strict=True)]
    box = [shape.get(name) for name in ("x", "y", "width", "height")]
    if all(map(strict.is_number, box)):
        return _box(*box)
    x, y = shape.get("cx"), shape.get("cy")
    radii = [shape.get(name, shape.get("r", 0)) for name in ("rx", "ry")]
    return _around(x, y, *radii) if all(map(strict.is_number, (x, y, *radii))) else None


def of_label_studio(document: Any, sizes: Mapping[str, Size]) -> Cells:
    """Yield the cells of a Label Studio file; nothing for another document. The predictions of each task are
    read, or its annotations if it has no predictions. Raises InputRefused `duplicate-case` if an image has
    several results.

    Args:
        document: The tasks.
        sizes: Image id -> width and height in px; the key "" stands for all other images.
    """
    seen: dict[str, str] = {}
    for entry in document if isinstance(document, list) else ():
        task = _as_task(entry)
        image = next((value for value in _object(task, "data").values() if isinstance(value, str)), None)
        if image is None:
            continue
        name = UPLOAD.sub("", image.rpartition("/")[2].rpartition("=")[2])
        runs = _results(task, "predictions") or _results(task, "annotations")
        is_filled = bool(runs and runs[0])
        if len(runs) > 1 or (is_filled and seen.get(name) == image):
            text = f"the image has {max(2, len(runs))} predictions or annotations: keep one of them."
            raise InputRefused([error("duplicate-case", name, text)])
        if is_filled and name in seen:
            raise InputRefused([same_name(name, seen[name], image)])
        seen |= {name: image} if is_filled else {}
        size = sizes.get(name.rpartition(".")[0], sizes[""])
        for result in runs[0] if runs else ():
            if value := _object(result, "value"):
                yield name, _label_studio_cell(result, value, size)


def _as_task(entry: Any) -> Any:
    """Return a row of JSON_MIN as the task that it is of, anything else as it is."""
    if not isinstance(entry, dict) or "data" in entry:
        return entry
    values = [value for listed in entry.values() if isinstance(listed, list) for value in listed]
    results = [
        {**value, "type": kind, "value": value}
        for value in values
        if isinstance(value, dict)
        for kind in LABELLED
        if kind in value
    ]
    texts = (text for text in entry.values() if isinstance(text, str))
    image = next((text for text in texts if text.lower().endswith(case_ids.ENDINGS)), None)
    return {"data": {"image": image}, "annotations": [{"result": results}]}


def of_fiftyone(document: Any, name: str, sizes: Mapping[str, Size]) -> Cells:
    """Yield the cells of a FiftyOne file; nothing for another document. Raises InputRefused `duplicate-case`
    if several fields contain detections.

    Args:
        document: The samples.
        sizes: Image id -> width and height in px; the key "" stands for all other images.
    """
    samples = document.get("samples") if isinstance(document, dict) else None
    images = [
        (sample, {field: listed for field in sample if (listed := _detections(sample, field))})
        for sample in (samples if isinstance(samples, list) else ())
        if isinstance(sample, dict) and isinstance(sample.get("filepath"), str)
    ]
    fields = {field for _, lists in images for field in lists}
    graded = {
        field
        for _, lists in images
        for field, listed in lists.items()
        if any(entry.get("confidence") is not None for entry in listed)
    }
    if len(graded or fields) > 1:
        listing = ", ".join(sorted(graded or fields)[:3])
        text = f"it has several lists of detections ({listing}): export only the list of the predictions."
        raise InputRefused([error("duplicate-case", name, text)])
    for sample, lists in images:
        meta, usual = _object(sample, "metadata"), sizes.get(case_ids.stem(sample["filepath"]), sizes[""])
        own: Any = (meta.get("width"), meta.get("height"))
        size = own if all(map(strict.is_number, own)) else usual
        for entry in next((lists[field] for field in graded or fields if field in lists), ()):
            box = entry.get("bounding_box")
            outline = _box(*box) if isinstance(box, list) and len(box) == BOX else None
            cell = {"contour": _scaled(outline, size), "type": entry.get("label")}
            yield sample["filepath"], {**cell, "type_prob": entry.get("confidence")}


def _detections(sample: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
    listed = _object(sample, field).get("detections")
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _results(task: Mapping[str, Any], name: str) -> list[list[Any]]:
    """Return the results of each prediction or annotation of a task."""
    runs = task.get(name)
    results = (run.get("result") for run in runs if isinstance(run, dict)) if isinstance(runs, list) else ()
    return [result for result in results if isinstance(result, list)]


def _label_studio_cell(entry: Mapping[str, Any], value: Mapping[str, Any], usual: Size) -> Cell:
    kinds = value.get(str(entry.get("type")))
    size: Any = [entry.get(f"original_{name}") for name in ("width", "height")]
    width, height = size if all(map(strict.is_number, size)) else usual
    outline = value.get("points")
    x, y = value.get("x"), value.get("y")
    if outline is None and "radiusX" in value:
        outline = _around(x, y, value["radiusX"], value.get("radiusY"))
    elif outline is None and entry.get("type") == "keypointlabels":
        outline = _around(x, y, 0, 0)
    elif outline is None and not value.get("rotation"):
        outline = _box(x, y, value.get("width"), value.get("height"))
    return {
        "contour": _scaled(outline, (width / 100, height / 100)),
        "type": kinds[0] if isinstance(kinds, list) and len(kinds) == 1 else None,
        "type_prob": entry.get("score"),
    }


def of_yolo(data: bytes, size: Size) -> list[Cell] | None:
    """Return the cells of an Ultralytics file, whose classes are numbers; None for other text. `size`
    contains the width and height of its image, px."""
    cells = []
    for line in data.splitlines():
        if not line.strip():
            continue
        if not YOLO.fullmatch(line):
            return None
        kind, *numbers = line.split()
        places = [float(number) for number in numbers]
        score = places.pop() if len(places) % 2 else None
        if not all(-SLACK <= place <= 1 + SLACK for place in places):
            return None
        if len(places) == BOX:
            x, y, width, height = places
            outline: Any = _around(x, y, width / 2, height / 2)
        else:
            outline = [[x, y] for x, y in zip(places[::2], places[1::2], strict=True)]
        cells.append({"contour": _scaled(outline, size), "type": int(kind), "type_prob": score})
    return cells


def class_names(text: str, name: str) -> dict[str, str]:
    """Return the name of each class number, from the YAML of a data set or a list with one name per line.

    Args:
        name: Name of the file, whose extension states its format.
    """
    if not name.lower().endswith((".yaml", ".yml")):
        return {str(number): line.strip() for number, line in enumerate(text.splitlines()) if line.strip()}
    begin = re.search(r"^names:[ \t]*(.*)$", text, re.MULTILINE)
    if begin is None:
        return {}
    inside = re.match(r"[\[{]([^\]}]*)[\]}]", text[begin.start(1) :])
    lines = re.match(r"(?:[ \t]*(?:-|\d+:)[ \t]*[^\n]*\n?)*", text[begin.end() + 1 :])
    entries = inside[1].split(",") if inside else lines[0].splitlines() if lines else []
    named = {}
    for number, entry in enumerate(entries):
        numbered = re.match(r"\s*(\d+)\s*:", entry)
        label = re.sub(r"^\s*(-|\d+\s*:)?\s*", "", entry).split(" #")[0].strip()
        named[numbered[1] if numbered else str(number)] = label.strip("'\"")
    return named


def json_object(text: str) -> dict[str, Any]:
    """Parse the JSON object in a cell; {} for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _box(x: Any, y: Any, width: Any, height: Any) -> list[list[Any]] | None:
    edges = (x, y, width, height)
    return corners([x, y, x + width, y + height]) if all(map(strict.is_number, edges)) else None


def _around(x: Any, y: Any, half_width: Any, half_height: Any) -> list[list[Any]] | None:
    edges = (x, y, half_width, half_height)
    if not all(map(strict.is_number, edges)):
        return None
    return corners([x - half_width, y - half_height, x + half_width, y + half_height])


def _scaled(outline: Any, factors: Size) -> Any:
    """Return the outline with x and y multiplied; one that is none as it is."""
    if not isinstance(outline, list) or not all(strict.is_point(list(point)) for point in outline):
        return outline
    return [[point[0] * factors[0], point[1] * factors[1]] for point in outline]


def _number(value: Any) -> Any:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return value
