"""Axes of a figure: coordinates, ticks, titles, and ranges that contain all marks and text, as in Plotly."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.figures.number_format import MINUS
from scoring.presentation.svg.text import TextLines, words

Properties = Mapping[str, Any]
FORMAT = re.compile(r"(,?)(?:\.(\d+))?(~?)([d%f]?)")
"""Pattern of those number formats of d3 that figures use."""
TICK_PIXELS = {True: 80, False: 40}
"""Minimum distance in pixels between automatic ticks, horizontally and vertically."""


@dataclass(frozen=True)
class Tick:
    """A tick of an axis. `place` is its coordinate, as returned by `Axis.coordinate`."""

    place: float
    words: TextLines


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        properties: Properties with Plotly's names, including those of the theme.
        across: Whether the axis is horizontal.
        range: Coordinates at the start (left or bottom) and at the end.
        pixels: Pixel positions of start and end.
        categories: Coordinate of each name; empty for a numeric axis.
    """

    properties: Properties
    across: bool
    range: tuple[float, float]
    pixels: tuple[float, float]
    categories: Mapping[str, int]

    @property
    def visible(self) -> bool:
        """Whether the axis itself is drawn, with its line and labels."""
        return bool(self.properties.get("visible", True))

    @property
    def is_log(self) -> bool:
        """Whether the axis is logarithmic."""
        return self.properties.get("type") == "log"

    def coordinate(self, value: Any) -> float:
        """Return the coordinate of a data value; NaN if it has none."""
        if isinstance(value, str):
            return float(self.categories.get(value, math.nan))
        if value is None:
            return math.nan
        number = float(value)
        if self.is_log:
            return math.log10(number) if number > 0 else math.nan
        return number

    def coordinates(self, values: Sequence[Any]) -> Floats:
        """Return the coordinates [n] of values."""
        return np.array([self.coordinate(value) for value in values], float)

    def pixel(self, coordinate: float) -> float:
        """Return the pixel position of a coordinate."""
        (low, high), (start, end) = self.range, self.pixels
        return start + (coordinate - low) / (high - low) * (end - start)

    def ticks(self) -> list[Tick]:
        """Return the ticks within the range."""
        if not self.visible or not self.properties.get("showticklabels", True):
            return []
        size = float(self.properties.get("tickfont", {}).get("size", 12))
        low, high = sorted(self.range)
        slack = 1e-9 * max(abs(low), abs(high), 1)
        return [
            Tick(coordinate, words(text, size))
            for coordinate, text in self._marks()
            if low - slack <= coordinate <= high + slack
        ]

    def _marks(self) -> list[tuple[float, str]]:
        chosen = self.properties.get("tickvals")
        if chosen is not None:
            texts = self.properties.get("ticktext")
            places = [self.coordinate(value) for value in chosen]
            if texts is None:
                step = min((abs(b - a) for a, b in pairwise(places)), default=1.0)
                texts = [self._written(float(value), step) for value in chosen]
            return list(zip(places, map(str, texts), strict=False))
        if self.categories:
            return [(value, name) for name, value in self.categories.items()]
        low, high = sorted(self.range)
        step = float(self.properties.get("dtick") or self._step(high - low))
        first = math.ceil(low / step - 1e-9)
        count = math.floor((high - low) / step + 2)
        places = [(first + k) * step for k in range(count)]
        return [(value, self._written(value, step)) for value in places if value <= high + 1e-9 * step]

    def _step(self, width: float) -> float:
        """Distance of ticks that nobody chose: 1, 2 or 5 times a power of ten."""
        length = abs(self.pixels[1] - self.pixels[0])
        most = self.properties.get("nticks") or min(9, max(4, length / TICK_PIXELS[self.across])) + 1
        rough = max(width, 1e-12) / most
        power: float = 10.0 ** math.floor(math.log10(rough))
        return power * next(k for k in (2, 5, 10) if rough / power <= k)

    def _written(self, value: float, step: float) -> str:
        return written(value, str(self.properties.get("tickformat") or ""), step)


def written(value: float, form: str, step: float) -> str:
    """Return a number as the JavaScript library d3 formats it.

    Args:
        form: Number format of d3; "" uses as many decimals as the step needs.
    """
    match = FORMAT.fullmatch(form)
    comma, digits, trimmed, kind = match.groups() if match else ("", None, "", "")
    if not form:
        trimmed, decimals = "~", max(0, -math.floor(math.log10(step) + 1e-9))
        text = f"{value:.{decimals}f}"
    elif kind == "d":
        text = f"{round(value):{comma}}"
    else:
        scaled = 100 * value if kind == "%" else value
        text = f"{scaled:{comma}.{6 if digits is None else int(digits)}f}"
    if trimmed and "." in text:
        text = text.rstrip("0").rstrip(".")
    if text.strip("-0.") == "":
        text = text.removeprefix("-")
    return text.replace("-", MINUS) + ("%" if kind == "%" else "")


def merged(*layers: Properties) -> dict[str, Any]:
    """Return the given properties merged; later ones override earlier ones."""
    result: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            below = result.get(name)
            both = isinstance(below, Mapping) and isinstance(value, Mapping)
            result[name] = merged(below, value) if both else value  # type: ignore[arg-type]
    return result


def title(properties: Properties) -> TextLines:
    """Return the title of an axis."""
    title_properties = properties.get("title") or {}
    return words(title_properties.get("text") or "", float(title_properties.get("font", {}).get("size", 12)))


PADDED = 0.05
"""Share of an axis that stays free beyond the outermost points and bars."""
MARKER = 0.8
"""Space that stays free beyond the middle of a marker, as a multiple of its size."""


@dataclass(frozen=True)
class Extent:
    """An object that the range of an axis must contain.

    Attributes:
        before: Pixels that the object needs before `low`.
        behind: Pixels that the object needs after `high`.
    """

    low: float
    high: float
    before: float = 0.0
    behind: float = 0.0


def axis_range(
    axis: Axis, name: str, traces: Sequence[Properties], layout: Properties
) -> tuple[float, float]:
    """Return the range of an axis.

    Args:
        axis: The axis, whose pixel positions are known. The range that it has already is ignored.
        name: "x", "y" or "y2".
    """
    ends = axis.properties.get("range")
    if ends is not None:
        return float(ends[0]), float(ends[1])
    if axis.categories:
        low, high = -0.5, len(axis.categories) - 0.5
    else:
        extents = [extent for trace in traces if own(trace, name) for extent in _of_trace(axis, name, trace)]
        extents += _of_shapes(name, layout)
        extents += _of_annotations(axis, name, layout)
        low, high = _around(extents, abs(axis.pixels[1] - axis.pixels[0]))
    return (high, low) if axis.properties.get("autorange") == "reversed" else (low, high)


def own(trace: Properties, name: str) -> bool:
    """Return whether a trace belongs to an axis."""
    return str(trace.get(f"{name[0]}axis", name[0])) == name


def positions(axis: Axis, trace: Properties, letter: str) -> Floats:
    """Return the coordinates [n] of a trace along an axis. Without values, the coordinates are integers from
    0."""
    values = trace.get(letter)
    if values is None:
        other = trace.get("y" if letter == "x" else "x")
        size = len(other) if other is not None else 0
        if trace["type"] == "heatmap":
            size = np.asarray(trace["z"]).shape[1 if letter == "x" else 0]
        return np.arange(size, dtype=float)
    return axis.coordinates(list(values))


def bar_width(trace: Properties, layout: Properties, places: Floats) -> float:
    """Return the width of a trace's bars, in coordinates."""
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
    """Return both ends [n] of a trace's error bars along an axis, None if it has none."""
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
        coordinate = (
            axis.coordinate(extent[letter]) if isinstance(extent[letter], str) else float(extent[letter])
        )
        text = words(extent["text"], float(extent.get("font", {}).get("size", 12)))
        size = (text.width if letter == "x" else text.height) + 2 * float(extent.get("borderpad", 1))
        anchor = extent.get(f"{letter}anchor", "auto")
        shift = float(extent.get(f"{letter}shift", 0))
        before = {"left": 0.0, "bottom": 0.0, "right": size, "top": size}.get(anchor, size / 2)
        yield Extent(coordinate, coordinate, max(0.0, before - shift), max(0.0, size - before + shift))


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
