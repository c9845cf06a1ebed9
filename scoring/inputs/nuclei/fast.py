"""Fast reader of nuclei in well-formed JSON: numbers go from the text into arrays without Python objects.

`strict` reads every unusual file instead; both give the same result if both can read a file.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import simdjson

from scoring.common.arrays import Floats, Ints
from scoring.inputs.nuclei.contents import CONFIDENCE, NUCLEI, NucleusList, largest
from scoring.inputs.nuclei.foreign import PROBABILITY
from scoring.inputs.nuclei.strict import COORDINATE, LISTS, is_point

AS_LIST_BYTES = 30_000_000
"""Minimum bytes of a text that can contain 2^24 elements. The parser cannot count more elements and allocates
lists by its counts, so longer texts are read in another way."""
NUMBER = 8
MEASURED = re.compile(
    rb'"measurements"\s*:\s*[\[{][^\]}]*"(score|confidence|probability|prob|type_prob)"', re.IGNORECASE
)
"""Pattern of confidences among QuPath's measurements that have unusual names; `strict` reads such files."""

SYMBOLS = bytes(byte if chr(byte) in "[,]" else ord("x") for byte in range(256))
"""Translation table for text that keeps square brackets and commas, and replaces braces and colons by x."""
IGNORED = bytes(byte for byte in range(256) if chr(byte) not in "[,]{}:")
IRREGULAR = (b"[[]", b",[]", b"],,", b"],]", b"[,[", b",,[", b"[,,,", b"[[,]]", b"[[,,]]")
NESTED = {"polygons": (b"[[[,", b",],[[,"), "features": (b"[[[[", b",],[[,")}
"""Patterns of outlines with a list of points in place of a point. In features, an outline is the first entry
of a list, and holes follow."""


Object = Any
"""A `simdjson.Object`; any access may raise one of `UNUSUAL`."""


class _Unusual(Exception):
    """A file that this reader leaves to `strict`."""


UNUSUAL = (_Unusual, KeyError, IndexError, TypeError, AttributeError, ValueError, RuntimeError)
"""Exceptions that the parser raises: RuntimeError for deep nesting and very long integers, ValueError for
other invalid JSON."""


@dataclass
class _Columns:
    names: list[Any] = field(default_factory=list)
    confidence_keys: list[str | None] = field(default_factory=list)
    confidences: list[Any] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    vertices: list[Any] = field(default_factory=list)
    parted: list[int] = field(default_factory=list)
    unnamed: bool = False


def listed(data: bytes, graded: bool) -> NucleusList | None:
    """Parse the list of nuclei in a file with a fast parser; None for an unusual file. `graded` says whether
    confidences are read."""
    try:
        return _listed(data, graded)
    except UNUSUAL:
        return None


def _listed(data: bytes, graded: bool) -> NucleusList:
    # a parser of its own: one that is shared cannot be used again as long as anything it gave is held
    document: Any = simdjson.Parser().parse(data)
    keys = _unique(document)
    key = next(name for name in (*LISTS, None) if name in keys or name is None)
    if key is None:
        raise _Unusual
    items = document[key]
    if type(items) is not simdjson.Array:
        raise _Unusual
    count = len(items)
    if count > NUCLEI:
        return NucleusList(key, count, (), (), (), (), np.empty((0, 2)), np.empty(0, int), key != "nuclei")
    small = len(data) < AS_LIST_BYTES
    if key == "nuclei" and not small:
        raise _Unusual
    if key == "features" and graded and PROBABILITY.encode() not in data and MEASURED.search(data):
        raise _Unusual
    columns = (
        _features(items, graded, small, graded and PROBABILITY.encode() in data)
        if key == "features"
        else _plain(items, graded, _outline if key == "polygons" else _centroid)
    )
    usual_names = all(type(name) is str and name.strip() for name in set(columns.names))
    if not usual_names or not set(map(type, columns.confidences)) <= {int, float}:
        raise _Unusual
    lengths = np.array(columns.lengths, int)
    points = (
        _points(data, columns.vertices, lengths, key)
        if key != "nuclei"
        else np.array(columns.vertices, float).reshape(-1, 2)
    )
    if len(points) and max(points.max(), -points.min()) > COORDINATE:
        raise _Unusual
    return NucleusList(
        key,
        count,
        range(count),
        columns.names,
        columns.confidence_keys,
        columns.confidences,
        points,
        lengths,
        key != "nuclei",
        columns.parted,
        columns.unnamed,
    )


def _unique(item: Object) -> tuple[str, ...]:
    """Return the keys of an object. A key that occurs twice is not read here, where it can be one that is
    read."""
    keys = tuple(item)
    if len(set(keys)) < len(keys):
        raise _Unusual
    return keys


def _plan(item: Object, graded: bool) -> tuple[str, str | None]:
    """Return the keys of the class and of the confidence of an item."""
    keys = _unique(item)
    return "name" if "name" in keys else "class", next(
        (key for key in CONFIDENCE if key in keys), None
    ) if graded else None


def _plain(items: Iterable[Object], graded: bool, shape: Callable[[Object], tuple[int, Any]]) -> _Columns:
    """Read items that have their class and confidence themselves; `shape` returns the number of vertices and
    the vertices."""
    columns, planned = _Columns(), None
    for item in items:
        keys = tuple(item)
        if keys != planned:
            planned, (name, confidence) = keys, _plan(item, graded)
            columns.unnamed |= name != "name"
        length, vertices = shape(item)
        columns.names.append(item[name])
        columns.lengths.append(length)
        columns.vertices.append(vertices)
        columns.confidence_keys.append(confidence)
        columns.confidences.append(1.0 if confidence is None else item[confidence])
    return columns


def _outline(item: Object) -> tuple[int, Any]:
    ring = item["path_points"]
    return len(ring), ring.as_buffer(of_type="d")


def _centroid(item: Object) -> tuple[int, list[float]]:
    point = item["centroid"].as_list()
    if not is_point(point):
        raise _Unusual
    return 1, point[:2]


def _features(items: Iterable[Object], graded: bool, small: bool, measured: bool) -> _Columns:
    """Read features. small: whether the file is. measured: whether confidences may be QuPath's
    measurements."""
    columns, planned = _Columns(), None
    for number, item in enumerate(items):
        geometry, properties = item["geometry"], item["properties"]
        classification = properties["classification"]
        keys = tuple(item), tuple(geometry), tuple(properties), tuple(classification)
        if keys != planned:
            for part in (item, geometry, classification):
                _unique(part)
            planned, confidence = keys, _plan(properties, graded)[1]
        kind = geometry["type"]
        if kind == "Polygon":
            ring = geometry["coordinates"][0]
            columns.lengths.append(len(ring))
            columns.vertices.append(ring.as_buffer(of_type="d"))
        elif kind == "MultiPolygon" and small:
            ring = _largest_part(geometry["coordinates"].as_list())
            columns.lengths.append(len(ring))
            columns.vertices.append(ring.tobytes())
            columns.parted.append(number)
        else:
            raise _Unusual
        columns.names.append(classification["name"])
        if measured and confidence is None:
            columns.confidence_keys.append(PROBABILITY)
            _unique(properties["measurements"])
            columns.confidences.append(properties["measurements"][PROBABILITY])
        else:
            columns.confidence_keys.append(confidence)
            columns.confidences.append(1.0 if confidence is None else properties[confidence])
    return columns


def _largest_part(polygons: list[Any]) -> Floats:
    rings = [polygon[0] for polygon in polygons]
    if not all(is_point(point) for ring in rings for point in ring):
        raise _Unusual
    return np.array([[point[0], point[1]] for point in largest(rings)], float).reshape(-1, 2)


def _points(data: bytes, buffers: list[Any], lengths: Ints, key: str) -> Floats:
    """Return the vertices of all outlines [v, 2]. The parser gives each outline's numbers without their
    brackets, which `_regular` checks. Points of an outline are all of two numbers or all of three."""
    sizes = np.fromiter((len(memoryview(buffer)) for buffer in buffers), np.int64, len(buffers))
    flat, deep = sizes == 2 * NUMBER * lengths, sizes == 3 * NUMBER * lengths
    if not (flat | deep).all() or not _regular(data, "" if flat.all() else key):
        raise _Unusual
    numbers = np.frombuffer(b"".join(buffers))
    if flat.all() or deep.all():
        return numbers.reshape(-1, 2 if flat.all() else 3)[:, :2]
    widths = np.repeat(np.where(flat, 2, 3), lengths)
    starts = np.cumsum(widths) - widths
    return np.stack([numbers[starts], numbers[starts + 1]], axis=1)


def _regular(data: bytes, deep: str) -> bool:
    """Return whether every list of outlines' numbers in the text is one of points. deep: the key of the list
    where an outline has three times as many numbers as elements, else "".

    Looks at the text without its numbers, words and blanks: a point is then `[,]` or `[,,]`. Where none of
    the IRREGULAR patterns occurs, no number is beside a list, no list in a list has fewer than two
    numbers, none has more than three, and none holds nothing but one point. Twice as many numbers as elements
    then means that each element is a point of two. Three times as many means that each is one of three where
    no element is itself a list of points, which the NESTED patterns show. Strings can hold any of these
    characters: they can only make a file look irregular.
    """
    symbols = data.translate(SYMBOLS, IGNORED)
    return not any(pattern in symbols for pattern in (*IRREGULAR, *NESTED.get(deep, ())))
