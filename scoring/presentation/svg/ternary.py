"""The triangle of all weights of three parts, the first part at its top."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.svg.axes import written
from scoring.presentation.svg.plot import Plot
from scoring.presentation.svg.scatter import points
from scoring.presentation.svg.words import number, paint, words

Properties = Mapping[str, Any]
HEIGHT = math.sqrt(3) / 2
"""Of a triangle whose sides are 1."""


def side(plot: Plot) -> float:
    """Return the length of the triangle's sides in pixels."""
    return min(plot.area.width, plot.area.height / HEIGHT)


def places(weights: Floats, plot: Plot) -> Floats:
    """Return places [n, 2] in pixels of weights [n, 3]; the second part is at the lower left."""
    length, area = side(plot), plot.area
    weights = np.asarray(weights, float)
    weights = weights / weights.sum(1, keepdims=True)
    left = area.left + (area.width - length) / 2
    top = area.top + (area.height - length * HEIGHT) / 2
    x = left + length * (weights[:, 2] + weights[:, 0] / 2)
    return np.column_stack([x, top + length * HEIGHT * (1 - weights[:, 0])])


def ground(plot: Plot) -> Iterator[str]:
    """Yield the lines of the triangle, its ticks and the names of the parts."""
    triangle, axes = plot.layout["ternary"], []
    for k, letter in enumerate("abc"):
        axis = triangle[f"{letter}axis"]
        axes.append(axis)
        step = float(axis["dtick"])
        shares = np.arange(step, 1, step)
        starts, ends = _lines(k, shares)
        drawn = "".join(
            f"M{number(x0)},{number(y0)}L{number(x1)},{number(y1)}"
            for (x0, y0), (x1, y1) in zip(places(starts, plot), places(ends, plot), strict=True)
        )
        yield f'<path d="{drawn}" stroke="{paint(axis["gridcolor"])}" stroke-width="1"/>'
    corners = places(np.eye(3), plot)
    outline = "M" + "L".join(f"{number(x)},{number(y)}" for x, y in corners) + "Z"
    yield f'<path d="{outline}" fill="none" stroke="{paint(axes[0]["linecolor"])}" stroke-width="1"/>'
    for k, axis in enumerate(axes):
        yield from _labels(k, axis, plot)
        yield from _title(k, axis, corners, plot)


def _lines(k: int, shares: Floats) -> tuple[Floats, Floats]:
    """Return both ends [n, 3] of the lines on which part k has these shares; the ticks are at the first."""
    ends = np.zeros((2, len(shares), 3))
    for end, other in zip(ends, ((k + 1) % 3, (k + 2) % 3), strict=True):
        end[:, k], end[:, other] = shares, 1 - shares
    return ends[0], ends[1]


def _labels(k: int, axis: Properties, plot: Plot) -> Iterator[str]:
    step = float(axis["dtick"])
    shares = np.arange(0, 1 + step / 2, step)
    font = axis["tickfont"]
    beside = ((-8.0, 0.0, "end"), (0.0, 12.0, "middle"), (8.0, 0.0, "start"))[k]
    for share, (x, y) in zip(shares, places(_lines(k, shares)[0], plot), strict=True):
        text = words(written(float(share), str(axis["tickformat"]), step), float(font["size"]))
        yield text.svg(x + beside[0], y + beside[1], str(font["color"]), beside[2])


def _title(k: int, axis: Properties, corners: Floats, plot: Plot) -> Iterator[str]:
    font = axis["title"]["font"]
    text = words(axis["title"]["text"], float(font["size"]))
    x, y = corners[k]
    across, down = ((0.0, -16.0), (0.0, 28.0), (0.0, 28.0))[k]
    half = text.width / 2
    x = min(max(x + across, half), plot.width - half)
    yield text.svg(x, y + down, str(font["color"]))


def ternary_points(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield the points of a trace of weights."""
    weights = np.column_stack([np.asarray(trace[letter], float) for letter in "abc"])
    yield from points(trace, places(weights, plot), plot)
