"""Strict reader of nuclei. It reads any JSON item by item and reports every problem with its position. It is
slower than `fast`."""

import codecs
import json
import math
import re
import reprlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, error
from scoring.common.strict_json import StrictJsonError, with_each_key_once
from scoring.inputs.nuclei.contents import CONFIDENCE, SHOWN, VERTICES, NucleusList, counted, largest
from scoring.inputs.nuclei.foreign import FLAT_CONFIDENCE, NUCLEUS, PROBABILITY, classification, probability

STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]++|\\.)*+"|(?P<constant>NaN|-?Infinity)', re.DOTALL)
EXACT_DIGITS = 18


class _Constant(Exception):
    """NaN or Infinity, which JSON does not have."""


def document(data: bytes, where: str) -> tuple[Any, Finding | None]:
    """Return the content of a JSON file, or None and a `bad-json` finding. A key that occurs twice is
    refused, because programs read different values. Integers beyond 18 digits become floats."""
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    try:
        text = data[mark:].decode("utf-8")
        how: dict[str, Any] = {"parse_constant": _refuse_constant, "parse_int": _integer}
        return json.loads(text, object_pairs_hook=with_each_key_once, **how), None
    except UnicodeDecodeError as fault:
        return None, bad_json(where, f"byte {fault.start + mark} is not UTF-8. Save it as JSON in UTF-8.")
    except _Constant as fault:
        constant = next(match for match in STRING_OR_CONSTANT.finditer(text) if match["constant"])
        line = text.count("\n", 0, constant.start()) + 1
        column = constant.start() - text.rfind("\n", 0, constant.start())
        return None, bad_json(
            where,
            f"line {line}, column {column}: {fault} is no number in JSON. Leave out the nuclei "
            "with this value.",
        )
    except json.JSONDecodeError as fault:
        return None, bad_json(where, _broken(fault, text))
    except StrictJsonError as fault:
        return None, bad_json(where, f"{fault}. Write each key once.")
    except RecursionError:
        return None, bad_json(
            where, "its lists or objects are nested too deeply to be read. Write the nuclei as one list."
        )


def bad_json(where: str, message: str) -> Finding:
    """Return the finding `bad-json`."""
    return error("bad-json", where, message)


def _broken(fault: json.JSONDecodeError, text: str) -> str:
    if not text.strip():
        return f"it is empty ({len(text)} characters). Was the upload cut off?"
    cut = (
        " The file ends there: was the upload cut off?"
        if fault.pos >= len(text.rstrip()) or "Unterminated" in fault.msg
        else ""
    )
    return (
        f"line {fault.lineno}, column {fault.colno}: it is not JSON "
        f"({fault.msg}).{cut or ' Write the file with a JSON library.'}"
    )


def _refuse_constant(word: str) -> None:
    raise _Constant(word)


def _integer(digits: str) -> int | float:
    # int() takes quadratic time for very long ones, and refuses them; as float they are the same number
    return int(digits) if len(digits) <= EXACT_DIGITS else float(digits)


LISTS = ("polygons", "nuclei", "features")
COORDINATE = 1e6
FIXES = {
    "bad-nucleus": (
        "Write path_points as [[x, y], ...], coordinates as [[[x, y], ...]], centroid as [x, y], in px."
    ),
    "bad-geometry": "Only Polygon and MultiPolygon are nuclei.",
    "bad-coordinate": f"Coordinates are finite numbers in px, at most {COORDINATE:,.0f}.",
    "missing-class": "Every nucleus needs its class.",
    "bad-confidence": "Write a number from 0 to 1, or leave the key out.",
}


OF_OTHERS = {"bad-nucleus": "Write each outline as pairs of x and y in px."}
PLAIN = {
    "path_points is null": "it has no outline",
    "path_points": "the outline",
    "neither name nor class": "no class",
}
"""Words of a problem that name a key -> words without the key, for files of other programs, which do not have
it."""


class JsonRepr(reprlib.Repr):
    """Formats values as shortened JSON text."""

    def repr_NoneType(self, _value: None, _level: int) -> str:
        return "null"

    def repr_bool(self, value: bool, _level: int) -> str:
        return "true" if value else "false"


AS_JSON = JsonRepr()
Item = dict[str, Any]
Points = Sequence[Sequence[float]]
Fault = tuple[str, str]
"""Code and description of a problem."""
Shape = tuple[Points, bool, list[Fault]]
"""Vertices of a nucleus (or its centroid, in a list of centroids); whether it is a MultiPolygon; and its
problems."""


def listed(key: str, items: list[Any], graded: bool) -> tuple[NucleusList, dict[str, list[tuple[int, str]]]]:
    """Return the well-formed items of a file's list, and the problems of the other items as code -> positions
    and texts. `graded` says whether confidences are read."""
    shape = {"polygons": _outline, "nuclei": _centroid, "features": _geometry}[key]
    numbers: list[int] = []
    names: list[str] = []
    keys: list[str | None] = []
    confidences: list[float] = []
    points: list[tuple[float, float]] = []
    lengths: list[int] = []
    parted: list[int] = []
    confidence_key: str | None
    faults: dict[str, list[tuple[int, str]]] = {}
    for number, item in enumerate(items):
        shape_points, parts, wrong = _shape_of(shape, item)
        name, confidence_key, confidence = "", None, 1.0
        if not wrong and (key == "nuclei" or len(shape_points) >= VERTICES):
            name, faulty = (_class_of_feature if key == "features" else _class)(item)
            confidence_key, confidence, unusable = _confidence(item, key) if graded else (None, 1.0, [])
            wrong = [*_coordinates(shape_points), *faulty, *unusable]
        for code, message in wrong:
            faults.setdefault(code, []).append((number, message))
        if not wrong:
            numbers.append(number)
            names.append(name)
            keys.append(confidence_key)
            confidences.append(float(confidence))
            points += [(point[0], point[1]) for point in shape_points]
            lengths.append(len(shape_points))
            if parts:
                parted.append(number)
    vertices: Floats = np.array(points, float).reshape(-1, 2)
    return NucleusList(
        key,
        len(items),
        numbers,
        names,
        keys,
        confidences,
        vertices,
        np.array(lengths, int),
        key != "nuclei",
        parted,
        key != "features" and any(type(item) is dict and "name" not in item for item in items),
    ), faults


def problems(faults: dict[str, list[tuple[int, str]]], key: str, where: str) -> Iterator[Finding]:
    """Yield one error per code, with the first positions of the faulty items."""
    for code in (code for code in FIXES if code in faults):
        item_faults = faults[code]
        listing = "; ".join(_told(key, number, text) for number, text in item_faults[:SHOWN]) + (
            "; ..." if len(item_faults) > SHOWN else ""
        )
        fix = FIXES[code] if key in LISTS else OF_OTHERS.get(code, FIXES[code])
        yield error(code, where, f"{counted(item_faults)}: {listing}. {fix}")


def _told(key: str, number: int, text: str) -> str:
    """Return a problem with its place, in the words of the challenge's own lists, or else in plain ones."""
    if key in LISTS:
        return f"{key}[{number}]: {text}"
    for name, words in PLAIN.items():
        text = text.replace(name, words)
    return f"nucleus {number + 1}: {text}"


def quoted(value: Any) -> str:
    """Return the text of a value in the file, shortened."""
    return AS_JSON.repr(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a JSON number; true and false are not."""
    return type(value) is float or type(value) is int


def is_point(value: Any) -> bool:
    """Return whether a value is [x, y] or [x, y, z]."""
    return type(value) is list and 2 <= len(value) <= 3 and all(map(is_number, value))


def _shape_of(shape: Callable[[Item], Shape], item: Any) -> Shape:
    if type(item) is not dict:
        return [], False, [("bad-nucleus", f"it is {quoted(item)}, not an object")]
    return shape(item)


def _outline(item: Item) -> Shape:
    if "path_points" not in item:
        return [], False, [("bad-nucleus", "it has no path_points")]
    return _ring(item["path_points"], "path_points")


def _centroid(item: Item) -> Shape:
    if "centroid" not in item:
        return [], False, [("bad-nucleus", "it has no centroid")]
    point = item["centroid"]
    if is_point(point):
        return ([point], False, [])
    return ([], False, [("bad-nucleus", f"centroid is {quoted(point)}")])


def _geometry(item: Item) -> Shape:
    geometry: Any = item.get(NUCLEUS) or item.get("geometry")
    kind = geometry.get("type") if type(geometry) is dict else None
    if kind not in ("Polygon", "MultiPolygon"):
        return [], False, [("bad-geometry", f"geometry is {quoted(geometry if kind is None else kind)}")]
    coordinates = geometry.get("coordinates")
    if type(coordinates) is not list:
        return [], False, [("bad-nucleus", f"coordinates is {quoted(coordinates)}")]
    polygons = coordinates if kind == "MultiPolygon" else [coordinates]
    rings: list[Points] = []
    for polygon in polygons:
        if type(polygon) is not list:
            return [], False, [("bad-nucleus", f"coordinates holds {quoted(polygon)}")]
        ring, _, wrong = _ring(polygon[0] if polygon else [], "coordinates")
        if wrong:
            return [], False, wrong
        rings.append(ring)
    return (largest(rings) if rings else []), kind == "MultiPolygon", []


def _ring(points: Any, key: str) -> Shape:
    if type(points) is not list:
        return [], False, [("bad-nucleus", f"{key} is {quoted(points)}")]
    for point in points:
        if not is_point(point):
            return [], False, [("bad-nucleus", f"{key} holds {quoted(point)}")]
    return points, False, []


def _coordinates(points: Points) -> list[Fault]:
    wrong = next(
        (point for point in points if not (abs(point[0]) <= COORDINATE and abs(point[1]) <= COORDINATE)), None
    )
    return [] if wrong is None else [("bad-coordinate", quoted(wrong))]


def _class(item: Item) -> tuple[str, list[Fault]]:
    key = next((key for key in ("name", "class") if key in item), None)
    return (
        ("", [("missing-class", "it has neither name nor class")]) if key is None else _name(item[key], key)
    )


def _class_of_feature(item: Item) -> tuple[str, list[Fault]]:
    found = classification(item.get("properties"))
    if type(found) is not dict:
        return "", [("missing-class", f"its classification is {quoted(found)}")]
    return _name(found.get("name"), "classification.name")


def _name(value: Any, key: str) -> tuple[str, list[Fault]]:
    if type(value) is str and value.strip():
        return value, []
    return "", [("missing-class", f"{key} is {quoted(value)}")]


def _confidence(item: Item, list_key: str) -> tuple[str | None, float, list[Fault]]:
    holder: Any = item.get("properties") if list_key == "features" else item
    keys = (*CONFIDENCE, *FLAT_CONFIDENCE) if list_key == "features" else CONFIDENCE
    key = next((key for key in keys if key in holder), None) if type(holder) is dict else None
    value: Any = holder[key] if key else None
    if key is None and type(holder) is dict:
        value = probability(holder.get("measurements"))
        key = None if value is None else PROBABILITY
    if key is None:
        return None, 1.0, []
    if is_number(value) and math.isfinite(value):
        return key, value, []
    return key, 1.0, [("bad-confidence", f"{key} is {quoted(value)}")]
