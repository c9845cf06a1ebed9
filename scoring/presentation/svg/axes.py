"""Axes of a figure: where values stand, which ticks there are, what is written at them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.figures.numerals import MINUS
from scoring.presentation.svg.words import TextLines, words

Properties = Mapping[str, Any]
FORMAT = re.compile(r"(,?)(?:\.(\d+))?(~?)([d%f]?)")
"""The part of d3's formats that figures use."""
TICK_PIXELS = {True: 80, False: 40}
"""Least room of a tick that nobody chose, across and down."""


@dataclass(frozen=True)
class Tick:
    """A mark of an axis. place: in coordinates of the axis, as `Axis.coordinate` gives them."""

    place: float
    words: TextLines


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        properties: As Plotly names them, those of the theme included.
        across: Whether it is horizontal.
        range: Coordinates at its start (left or bottom) and its end.
        pixels: Where these are drawn.
        categories: Coordinate of each name, empty where values are numbers.
    """

    properties: Properties
    across: bool
    range: tuple[float, float]
    pixels: tuple[float, float]
    categories: Mapping[str, int]

    @property
    def visible(self) -> bool:
        """Whether more than its marks is drawn."""
        return bool(self.properties.get("visible", True))

    @property
    def is_log(self) -> bool:
        """Whether coordinates are logarithms of values."""
        return self.properties.get("type") == "log"

    def coordinate(self, value: Any) -> float:
        """Return the coordinate of a value of a trace, NaN where it has none."""
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
        """Return where a coordinate is drawn."""
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
            Tick(place, words(text, size))
            for place, text in self._marks()
            if low - slack <= place <= high + slack
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
            return [(place, name) for name, place in self.categories.items()]
        low, high = sorted(self.range)
        step = float(self.properties.get("dtick") or self._step(high - low))
        first = math.ceil(low / step - 1e-9)
        count = math.floor((high - low) / step + 2)
        places = [(first + k) * step for k in range(count)]
        return [(place, self._written(place, step)) for place in places if place <= high + 1e-9 * step]

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
    """Return a number as d3 writes it.

    Args:
        value: The number.
        form: Format of d3, "" for as many decimals as the step needs.
        step: Distance of the ticks.
    """
    match = FORMAT.fullmatch(form)
    comma, digits, trimmed, kind = match.groups() if match else ("", None, "", "")
    if not form:
        trimmed, decimals = "~", max(0, -math.floor(math.log10(step) + 1e-9))
        text = f"{value:.{decimals}f}"
    elif kind == "d":
        text = f"{round(value):{comma}}"
    else:
        shown = 100 * value if kind == "%" else value
        text = f"{shown:{comma}.{6 if digits is None else int(digits)}f}"
    if trimmed and "." in text:
        text = text.rstrip("0").rstrip(".")
    if text.strip("-0.") == "":
        text = text.removeprefix("-")
    return text.replace("-", MINUS) + ("%" if kind == "%" else "")


def merged(*layers: Properties) -> dict[str, Any]:
    """Return properties laid over each other, the last on top."""
    result: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            below = result.get(name)
            both = isinstance(below, Mapping) and isinstance(value, Mapping)
            result[name] = merged(below, value) if both else value  # type: ignore[arg-type]
    return result


def title(properties: Properties) -> TextLines:
    """Return the title of an axis."""
    given = properties.get("title") or {}
    return words(given.get("text") or "", float(given.get("font", {}).get("size", 12)))
