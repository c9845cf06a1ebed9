"""Draws curves and points (scatter traces of Plotly): lines, areas, points, whiskers and text, on two axes or
in a triangle of weights."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.svg.axes import Axis, error_ends, positions, written
from scoring.presentation.svg.plot_layout import Plot
from scoring.presentation.svg.text import number, paint, words

Properties = Mapping[str, Any]
DASHES = {"dash": 3.0, "dot": 1.0}
"""Style -> length of a dash, and of the gap after the dash, relative to the width of the line."""
LEAST_DASH = 3.0
"""For the length of dashes, a line counts as at least this wide, in px."""
CLEAR = "rgba(0,0,0,0)"
SIZE = 6.0
"""Default size of a marker in px."""


def scatter(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield the SVG elements of a scatter trace. Elements that are clipped to the plot area form a group."""
    mode = str(trace.get("mode", "lines"))
    across, down = plot.axes_of(trace)
    x, y = positions(across, trace, "x"), positions(down, trace, "y")
    at = np.column_stack([_pixels(across, x), _pixels(down, y)])
    lines = "".join(_line(trace, at, plot)) if "lines" in mode else ""
    marks = "".join((*_whiskers(trace, plot, at), *(points(trace, at, plot) if "markers" in mode else ())))
    clip = f'<g clip-path="url(#{plot.prefix}area)">'
    if lines:
        yield f"{clip}{lines}</g>"
    if marks:
        yield marks if trace.get("cliponaxis") is False else f"{clip}{marks}</g>"
    if "text" in mode:
        yield from _texts(trace, at, plot)


def dashed(line: Properties) -> str:
    """Return the SVG attribute for the dashes of a line, "" for a solid line."""
    length = DASHES.get(str(line.get("dash")), 0.0) * max(LEAST_DASH, float(line.get("width", 2)))
    return f' stroke-dasharray="{number(length)}"' if length else ""


def polyline(at: Floats) -> str:
    """Return an SVG path through positions [n, 2] in pixels. NaN makes a gap. Positions on a straight line
    between their neighbours are left out."""
    parts = []
    for piece in np.split(at, np.flatnonzero(~np.isfinite(at).all(1))):
        piece = np.round(piece[np.isfinite(piece).all(1)], 1)
        if not len(piece):
            continue
        steps = np.diff(piece, axis=0)
        moved = np.r_[True, (steps != 0).any(1)]
        piece = piece[moved]
        steps = np.diff(piece, axis=0)
        straight = steps[:-1, 0] * steps[1:, 1] == steps[:-1, 1] * steps[1:, 0]
        forward = (steps[:-1] * steps[1:]).sum(1) > 0
        piece = piece[~np.r_[False, straight & forward, False]] if len(piece) > 2 else piece
        parts.append("M" + "L".join(f"{number(x)},{number(y)}" for x, y in piece))
    return "".join(parts)


def points(trace: Properties, at: Floats, plot: Plot) -> Iterator[str]:
    """Yield the marks of points at positions [n, 2]. Marks with the same look form a group."""
    marker = trace.get("marker", {})
    n, line = len(at), marker.get("line", {})
    columns = [
        _each(marker.get("symbol", "circle"), n),
        _each(marker.get("size", SIZE), n),
        _each(marker.get("color", plot.colour(trace)), n),
        _each(line.get("color", plot.layout["font"]["color"]), n),
        _each(line.get("width", 0), n),
    ]
    alike: dict[tuple[Any, ...], list[int]] = {}
    for k, look in enumerate(zip(*columns, strict=True)):
        if np.isfinite(at[k]).all() and look[2] != CLEAR:
            alike.setdefault(look, []).append(k)
    for (symbol, size, colour, tint, width), places in alike.items():
        if symbol == "circle" and not width and colour.startswith("#"):
            # A line of no length with round ends is a circle: a tenth of the bytes.
            dots = "".join(f"M{number(at[k, 0])},{number(at[k, 1])}h0" for k in places)
            round_ = f'stroke="{paint(colour)}" stroke-width="{number(float(size))}" stroke-linecap="round"'
            yield f'<path d="{dots}" {round_}/>'
            continue
        shape = path(symbol, float(size))
        copies = "".join(
            f'<path transform="translate({number(at[k, 0])},{number(at[k, 1])})" d="{shape}"/>'
            for k in places
        )
        yield f"<g {attributes(symbol, str(colour), (str(tint), float(width)))}>{copies}</g>"


def _pixels(axis: Axis, coordinates: Floats) -> Floats:
    return np.array([axis.pixel(value) for value in coordinates], float)


def _each(value: Any, n: int) -> Sequence[Any]:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [item.item() if isinstance(item, np.generic) else item for item in value]
    return [value] * n


def _line(trace: Properties, at: Floats, plot: Plot) -> Iterator[str]:
    line = trace.get("line", {})
    drawn = polyline(_stepped(at, str(line.get("shape", "linear"))))
    if not drawn:
        return
    if trace.get("fill") == "toself":
        yield f'<path d="{drawn}Z" fill="{paint(str(trace["fillcolor"]))}"/>'
    width = float(line.get("width", 2))
    if width:
        colour = paint(str(line.get("color", plot.colour(trace))))
        yield (
            f'<path d="{drawn}" fill="none" stroke="{colour}" stroke-width="{number(width)}"'
            f' stroke-linejoin="round"{dashed(line)}/>'
        )


def _stepped(at: Floats, shape: str) -> Floats:
    """Return the places of a staircase: "hv" goes across first, "vh" up or down first."""
    if shape not in ("hv", "vh") or len(at) < 2:
        return at
    between = np.column_stack([at[1:, 0], at[:-1, 1]] if shape == "hv" else [at[:-1, 0], at[1:, 1]])
    result = np.empty((2 * len(at) - 1, 2))
    result[0::2], result[1::2] = at, between
    return result


def _whiskers(trace: Properties, plot: Plot, at: Floats) -> Iterator[str]:
    for letter, axis in zip("xy", plot.axes_of(trace), strict=True):
        ends = error_ends(axis, trace, letter)
        if ends is not None:
            yield whiskers(trace[f"error_{letter}"], letter, axis, ends, at, plot)


def whiskers(
    bars: Properties, letter: str, axis: Axis, ends: tuple[Floats, Floats], at: Floats, plot: Plot
) -> str:
    """Return the SVG of error bars. `ends` are their two ends in axis coordinates, `at` the positions [n, 2]
    of their points in pixels."""
    low, high = _pixels(axis, ends[0]), _pixels(axis, ends[1])
    cap, pieces = float(bars.get("width", 4)), []
    for a, b, (x, y) in zip(low, high, at, strict=True):
        if not np.isfinite([a, b, x, y]).all():
            continue
        if letter == "x":
            pieces.append(f"M{number(a)},{number(y)}H{number(b)}")
            pieces += [f"M{number(end)},{number(y - cap)}v{number(2 * cap)}" for end in (a, b) if cap]
        else:
            pieces.append(f"M{number(x)},{number(a)}V{number(b)}")
            pieces += [f"M{number(x - cap)},{number(end)}h{number(2 * cap)}" for end in (a, b) if cap]
    colour, width = str(bars.get("color", plot.ink)), float(bars.get("thickness", 2))
    return (
        f'<path d="{"".join(pieces)}" fill="none" stroke="{paint(colour)}" stroke-width="{number(width)}"/>'
    )


def _texts(trace: Properties, at: Floats, plot: Plot) -> Iterator[str]:
    """Words to the right of points."""
    font = trace.get("textfont", {})
    colour, size = str(font.get("color", plot.ink)), float(font.get("size", 12))
    beside = float(np.max(trace.get("marker", {}).get("size", SIZE)))
    for text, (x, y) in zip(trace["text"], at, strict=True):
        if np.isfinite([x, y]).all():
            yield words(str(text).strip(), size).svg(x + beside, y, colour, "start")


LINES = ("x-thin", "line-ns", "line-ew")
"""Marks that consist only of lines."""
POLYGONS = {
    "pentagon": ((0.951, -0.309), (0.588, 0.809), (-0.588, 0.809), (-0.951, -0.309), (0, -1)),
    "hexagon": ((0.866, -0.5), (0.866, 0.5), (0, 1), (-0.866, 0.5), (-0.866, -0.5), (0, -1)),
    "triangle-up": ((-1.155, 0.5), (1.155, 0.5), (0, -1)),
    "triangle-down": ((-1.155, -0.5), (1.155, -0.5), (0, 1)),
    "diamond": ((1.3, 0), (0, 1.3), (-1.3, 0), (0, -1.3)),
    "square": ((1, 1), (-1, 1), (-1, -1), (1, -1)),
    "cross": (
        (0.4, 1.2), (0.4, 0.4), (1.2, 0.4), (1.2, -0.4), (0.4, -0.4), (0.4, -1.2),
        (-0.4, -1.2), (-0.4, -0.4), (-1.2, -0.4), (-1.2, 0.4), (-0.4, 0.4), (-0.4, 1.2),
    ),
    "star": tuple(
        (round(radius * math.sin(k * math.pi / 5), 4), round(-radius * math.cos(k * math.pi / 5), 4))
        for k in range(10)
        for radius in ((1.4, 0.535)[k % 2],)
    ),
}  # fmt: skip
"""Mark -> its corners; 1 is half the size of the mark."""
HALF_ARM = 0.8 / math.sqrt(2)
X_CORNERS = tuple(
    (a * HALF_ARM, b * HALF_ARM)
    for a, b in (
        (0, 1), (1, 2), (2, 1), (1, 0), (2, -1), (1, -2), (0, -1), (-1, -2), (-2, -1), (-1, 0), (-2, 1),
        (-1, 2),
    )
)  # fmt: skip
STROKES = {
    "x-thin": ((1.4, 1.4, -1.4, -1.4), (1.4, -1.4, -1.4, 1.4)),
    "line-ns": ((0, 1.4, 0, -1.4),),
    "line-ew": ((1.4, 0, -1.4, 0),),
}
"""Mark -> its lines as (start, end); 1 is half the size of the mark."""


def path(symbol: str, size: float) -> str:
    """Return the SVG path of a symbol around (0, 0).

    Args:
        symbol: Plotly's name of the symbol, with or without "-open".
        size: Size of the mark in pixels.
    """
    shape, radius = symbol.removesuffix("-open"), size / 2
    scaled = partial(_scaled, radius)
    if shape in STROKES:
        return "".join(
            f"M{scaled(x0)},{scaled(y0)}L{scaled(x1)},{scaled(y1)}" for x0, y0, x1, y1 in STROKES[shape]
        )
    corners = X_CORNERS if shape == "x" else POLYGONS.get(shape)
    if corners is None:
        r = _scaled(1, radius)
        return f"M{r},0A{r},{r} 0 1,1 0,-{r}A{r},{r} 0 0,1 {r},0Z"
    return "M" + "L".join(f"{scaled(x)},{scaled(y)}" for x, y in corners) + "Z"


def attributes(symbol: str, colour: str, line: tuple[str, float]) -> str:
    """Return the SVG attributes of a symbol. `line` contains colour and width in pixels of its border."""
    tint, width = line
    if symbol in LINES:
        return f'fill="none" stroke="{paint(tint)}" stroke-width="{number(width)}"'
    if symbol.endswith("-open"):
        return f'fill="none" stroke="{paint(colour)}" stroke-width="{number(width or 1)}"'
    border = f' stroke="{paint(tint)}" stroke-width="{number(width)}"' if width else ""
    return f'fill="{paint(colour)}"{border}'


def _scaled(radius: float, share: float) -> str:
    text = f"{radius * share:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


HEIGHT = math.sqrt(3) / 2
"""Height of an equilateral triangle with sides of length 1."""


def side(plot: Plot) -> float:
    """Return the side length, in pixels, of the triangle of a ternary plot."""
    return min(plot.area.width, plot.area.height / HEIGHT)


def places(weights: Floats, plot: Plot) -> Floats:
    """Return the positions [n, 2] in pixels of weights [n, 3] in a ternary plot. Weight 1 of the second part
    is at the lower left corner."""
    length, area = side(plot), plot.area
    weights = np.asarray(weights, float)
    weights = weights / weights.sum(1, keepdims=True)
    start = area.left + (area.width - length) / 2
    top = area.top + (area.height - length * HEIGHT) / 2
    x = start + length * (weights[:, 2] + weights[:, 0] / 2)
    return np.column_stack([x, top + length * HEIGHT * (1 - weights[:, 0])])


def ground(plot: Plot) -> Iterator[str]:
    """Yield the lines of the triangle of a ternary plot, its ticks and the names of the parts."""
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
    """Yield the points of a trace in a ternary plot."""
    weights = np.column_stack([np.asarray(trace[letter], float) for letter in "abc"])
    yield from points(trace, places(weights, plot), plot)
