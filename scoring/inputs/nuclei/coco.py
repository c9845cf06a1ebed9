"""Nuclei in COCO files, as cells of each image.

Source of the format: cocodataset.org, "Data format": images, annotations, categories; results with
`image_id`, `category_id` and `score`, beside which SAHI writes `category_name`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.inputs.nuclei import run_lengths, strict

MARKS = (b'"category_id"', b'"image_id"')
IMAGES = (b'"images"', b'"file_name"')
"""Key of the list of images in a COCO file. It maps numbers to images even if the file lists no nucleus."""
SCORE = re.compile(rb'"score"\s*:\s*([\d.eE+-]+)')


def cells(document: Any, beside: Any) -> dict[str, list[dict[str, Any]]] | None:
    """Return the cells of each image from COCO annotations or results; None for another document.

    A shape that is neither a polygon nor run lengths is read as its box.

    Args:
        document: A document with annotations, or a plain list of results.
        beside: COCO document that gives the file name of each numbered image.
    """
    annotations = document.get("annotations") if isinstance(document, dict) else document
    if not isinstance(annotations, list) or not all(
        isinstance(entry, dict) and {"image_id", "category_id"} <= entry.keys() for entry in annotations
    ):
        return None
    files = _named(beside, "images", "file_name")
    found: dict[str, list[dict[str, Any]]] = {file: [] for file in files.values()}
    for entry in annotations:
        file = files.get(str(entry["image_id"]), str(entry["image_id"]))
        found.setdefault(file, []).append(_cell(entry))
    return found


def names(document: Any) -> dict[str, str]:
    """Return the category names of a COCO document by category number."""
    return _named(document, "categories", "name")


def _named(document: Any, key: str, name: str) -> dict[str, str]:
    """Return the names for the numbers in a document's list."""
    entries = document.get(key) if isinstance(document, dict) else None
    return {str(entry.get("id")): str(entry.get(name)) for entry in _objects(entries)}


def _objects(entries: Any) -> Iterator[Mapping[str, Any]]:
    yield from (entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()


def _cell(entry: Mapping[str, Any]) -> dict[str, Any]:
    parts, box = entry.get("segmentation"), entry.get("bbox")
    outline: Any = run_lengths.outline(parts) if isinstance(parts, dict) else None
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        ring = max(parts, key=lambda part: len(part) if isinstance(part, list) else 0)
        outline = [list(point) for point in zip(ring[::2], ring[1::2], strict=False)]
    elif outline is None and isinstance(box, list) and len(box) == 4 and all(map(strict.is_number, box)):
        x, y, width, height = box
        outline = [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
    return {
        "contour": outline,
        "type": entry.get("category_name", entry["category_id"]),
        "type_prob": entry.get("score"),
    }
