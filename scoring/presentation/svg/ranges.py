"""Ranges of axes that no figure has chosen: all marks and words are within them, as Plotly finds them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.svg.axes import Axis
from scoring.presentation.svg.words import words

Properties = Mapping[str, Any]
PADDED = 0.05
"""Share of an axis that stays free beyond points and bars."""
MARKER = 0.8
"""Pixels that stay free beyond the middle of a marker, in sizes of it."""


@dataclass(frozen=True)
class Extent:
    """Something to be within a range: from low to high, with pixels before and behind."""

    low: float
    high: float
    before: float = 0.0
    behind: float = 0.0


def axis_range(axis: Axis, name: str, traces: Sequence[Properties], layout: Properties) -> tuple[float, float]:
    """Return the range of an axis.

    Args:
        axis: With its pixels; its own range is not looked at.
        name: "x", "y" or "y2".
        traces: Of the figure.
        layout: Of the figure.
    """
    given = axis.properties.get("range")
    if given is not None:
        return float(given[0]), float(given[1])
    if axis.categories:
        low, high = -0.5, len(axis.categories) - 0.5
    else:
        extents = [extent for trace in traces if own(trace, name) for extent in _of_trace(axis, name, trace)]
        extents += _of_shapes(name, layout)
        extents += _of_annotations(axis, name, layout)
        low, high = _around(extents, abs(axis.pixels[1] - axis.pixels[0]))
    return (high, low) if axis.properties.get("autorange") == "reversed" else (low, high)


def own(trace: Properties, name: str) -> bool:
    """Return whether a trace is drawn on an axis."""
    return str(trace.get(f"{name[0]}axis", name[0])) == name


def positions(axis: Axis, trace: Properties, letter: str) -> Floats:
    """Return the coordinates [n] of a trace along an axis: those given, or whole numbers from 0."""
    values = trace.get(letter)
    if values is None:
        other = trace.get("y" if letter == "x" else "x")
        size = len(other) if other is not None else 0
        if trace["type"] == "heatmap":
            size = np.asarray(trace["z"]).shape[1 if letter == "x" else 0]
        return np.arange(size, dtype=float)
    return axis.coordinates(list(values))


def bar_width(trace: Properties, layout: Properties, places: Floats) -> float:
    """Return how wide the bars of a trace are, in coordinates."""
    if trace.get("width") is not None:
        return float(trace["width"])
    steps = np.diff(np.unique(places[np.isfinite(places)]))
    return float(steps.min() if len(steps) else 1.0) * (1 - float(layout.get("bargap", 0.2)))


def _of_trace(axis: Axis, name: str, trace: Properties) -> Iterator[Extent]:
    letter, kind = name[0], trace["type"]
    places = positions(axis, trace, letter)
    places = places[np.isfinite(places)]
    if not len(places):
        return
    low, high = float(places.min()), float(places.max())
    length = abs(axis.pixels[1] - axis.pixels[0])
    if kind == "heatmap":
        yield Extent(low - 0.5, high + 0.5)
    elif kind == "bar":
        if (trace.get("orientation") == "h") == (letter == "x"):
            pad = PADDED * length
            yield Extent(min(low, 0), max(high, 0), pad if low < 0 else 0, pad if high > 0 else 0)
        else:
            half = bar_width(trace, {}, places) / 2
            yield Extent(low - half, high + half)
    else:
        size = trace.get("marker", {}).get("size", 6) if "markers" in str(trace.get("mode")) else 0
        pad = PADDED * length + MARKER * float(np.max(size))
        ends = error_ends(axis, trace, letter)
        if ends is not None:
            low, high = min(low, float(np.nanmin(ends[0]))), max(high, float(np.nanmax(ends[1])))
        yield Extent(low, high, pad, pad)


def error_ends(axis: Axis, trace: Properties, letter: str) -> tuple[Floats, Floats] | None:
    """Return both ends [n] of the whiskers of a trace along an axis, None where it has none."""
    bars, values = trace.get(f"error_{letter}"), trace.get(letter)
    if not bars or values is None:
        return None
    middle = np.array(list(values), float)
    above, below = (np.array(list(bars[name]), float) for name in ("array", "arrayminus"))
    ends = axis.coordinates(list(middle - below)), axis.coordinates(list(middle + above))
    return ends if np.isfinite(ends).any() else None


def _of_shapes(name: str, layout: Properties) -> Iterator[Extent]:
    letter = name[0]
    for shape in layout.get("shapes", ()):
        if str(shape.get(f"{letter}ref", letter)) == name and not shape.get(f"{letter}sizemode"):
            low, high = sorted((float(shape[f"{letter}0"]), float(shape[f"{letter}1"])))
            yield Extent(low, high)


def _of_annotations(axis: Axis, name: str, layout: Properties) -> Iterator[Extent]:
    letter = name[0]
    for extent in layout.get("annotations", ()):
        if str(extent.get(f"{letter}ref", letter)) != name:
            continue
        place = axis.coordinate(extent[letter]) if isinstance(extent[letter], str) else float(extent[letter])
        text = words(extent["text"], float(extent.get("font", {}).get("size", 12)))
        size = (text.width if letter == "x" else text.height) + 2 * float(extent.get("borderpad", 1))
        anchor = extent.get(f"{letter}anchor", "auto")
        shift = float(extent.get(f"{letter}shift", 0))
        before = {"left": 0.0, "bottom": 0.0, "right": size, "top": size}.get(anchor, size / 2)
        yield Extent(place, place, max(0.0, before - shift), max(0.0, size - before + shift))


def _around(extents: Sequence[Extent], length: float) -> tuple[float, float]:
    """Return the narrowest range that leaves every extent its pixels."""
    if not extents:
        return 0.0, 1.0
    best, ends = -1.0, (0.0, 1.0)
    for first in extents:
        for last in extents:
            room = length - first.before - last.behind
            if room > length / 10 and last.high > first.low and (last.high - first.low) / room > best:
                best = (last.high - first.low) / room
                ends = first.low - best * first.before, last.high + best * last.behind
    if best < 0:
        middle = extents[0].low
        return middle - 1, middle + 1
    return ends
