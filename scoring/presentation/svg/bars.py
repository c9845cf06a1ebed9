"""Draws bars with hatching, heat maps, violins and boxes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.figures.theme import channels
from scoring.presentation.svg.axes import bar_width, error_ends, positions
from scoring.presentation.svg.curves_and_points import polyline, whiskers
from scoring.presentation.svg.plot_layout import Plot
from scoring.presentation.svg.text import number, paint, words

Properties = Mapping[str, Any]
Sums = dict[tuple[float, bool], float]
"""Position of a stack, and side of zero -> coordinate at which the next bar of the stack starts."""


def bars(trace: Properties, plot: Plot, sums: Sums) -> Iterator[str]:
    """Yield the bars of a trace. For stacked bars, `sums` is updated."""
    level = trace.get("orientation") == "h"
    across, down = plot.axes_of(trace)
    along, beside = (across, down) if level else (down, across)
    places = positions(beside, trace, "y" if level else "x")
    values = along.coordinates(list(trace["x" if level else "y"]))
    half, marker = bar_width(trace, plot.layout, places) / 2, trace.get("marker", {})
    stacked = plot.layout.get("barmode") == "stack"
    tops = []
    for k, (row, value) in enumerate(zip(places, values, strict=True)):
        key = (float(row), bool(value < 0))
        start = sums.get(key, 0.0) if stacked else 0.0
        tops.append(start + value)
        if not np.isfinite(row + value):
            continue
        sums[key] = start + value
        ends = [along.pixel(start), along.pixel(start + value)]
        sides = [beside.pixel(row - half), beside.pixel(row + half)]
        (x, w), (y, h) = map(_span, (ends, sides) if level else (sides, ends))
        if w and h:
            yield from _bar((x, y, w, h), marker, k, plot)
    at = np.array([[along.pixel(top), beside.pixel(row)] for top, row in zip(tops, places, strict=True)])
    letter = "x" if level else "y"
    whisker_ends = error_ends(along, trace, letter)
    if whisker_ends is not None:
        yield whiskers(
            trace[f"error_{letter}"], letter, along, whisker_ends, at if level else at[:, ::-1], plot
        )
    for text, (top, row) in zip(trace.get("text", ()), at, strict=False):
        if text:
            x, y = (top, row) if level else (row, top)
            size = float(trace.get("textfont", {}).get("size", 12))
            yield words(text, size).svg(x, y - 0.8 * size, str(trace["textfont"]["color"]))


def _span(ends: Sequence[float]) -> tuple[float, float]:
    return min(ends), abs(ends[1] - ends[0])


def _bar(box: tuple[float, float, float, float], marker: Properties, k: int, plot: Plot) -> Iterator[str]:
    x, y, w, h = map(number, box)
    line, position = marker.get("line", {}), f'x="{x}" y="{y}" width="{w}" height="{h}"'
    border = ""
    if line.get("width"):
        border = f' stroke="{paint(str(_element(line["color"], k)))}" stroke-width="{number(line["width"])}"'
    pattern, colour = marker.get("pattern", {}), str(_element(marker.get("color", plot.ink), k))
    if not _element(pattern.get("shape", ""), k):
        yield f'<rect {position} fill="{paint(colour)}"{border}/>'
        return
    ground = pattern.get("bgcolor")
    name = f"{plot.prefix}hatch{x}-{y}"
    tint, size = str(pattern.get("fgcolor", colour)), float(pattern.get("size", 8)) * 1.4142
    width = float(pattern.get("solidity", 0.3)) * float(pattern.get("size", 8))
    yield (
        f'<pattern id="{name}" width="{number(size)}" height="{number(size)}" patternUnits="userSpaceOnUse">'
        f'<path d="M{number(-size / 4)},{number(size / 4)}l{number(size / 2)},{number(-size / 2)}'
        f"M0,{number(size)}L{number(size)},0M{number(0.75 * size)},{number(1.25 * size)}"
        f'l{number(size / 2)},{number(-size / 2)}" stroke="{paint(tint)}" stroke-width="{width:.2f}"/>'
        "</pattern>"
    )
    if ground:
        yield f'<rect {position} fill="{paint(str(ground))}"/>'
    yield f'<rect {position} fill="url(#{name})"{border}/>'


def _element(value: Any, k: int) -> Any:
    return value[k] if isinstance(value, (list, tuple, np.ndarray)) else value


def heatmap(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield the cells of a heat map. Cells with the same colour form one path; NaN stays blank."""
    across, down = plot.axes_of(trace)
    values = np.array(trace["z"], float)
    low, high = float(trace["zmin"]), float(trace["zmax"])
    columns, rows = (positions(axis, trace, name).tolist() for axis, name in ((across, "x"), (down, "y")))
    colours = _colours(np.clip((values - low) / (high - low), 0, 1), trace["colorscale"])
    paths: dict[str, list[str]] = {}
    gaps = float(trace.get("xgap", 0)), float(trace.get("ygap", 0))
    for (i, k), value in np.ndenumerate(values):
        if np.isfinite(value):
            x, w = _span([across.pixel(columns[k] - 0.5), across.pixel(columns[k] + 0.5)])
            y, h = _span([down.pixel(rows[i] - 0.5), down.pixel(rows[i] + 0.5)])
            w, h = w - gaps[0], h - gaps[1]
            cell = (
                f"M{number(x + gaps[0] / 2)},{number(y + gaps[1] / 2)}h{number(w)}v{number(h)}h{number(-w)}z"
            )
            paths.setdefault(str(colours[i, k]), []).append(cell)
    for colour, cells in paths.items():
        yield f'<path fill="{colour}" d="{"".join(cells)}"/>'


def _colours(shares: Floats, scale: Sequence[Sequence[Any]]) -> np.ndarray[Any, Any]:
    """Colours [...] of shares 0..1 of a scale, as text."""
    stops = [float(share) for share, _ in scale]
    of_stops = np.array([channels(str(colour)) for _, colour in scale])
    mixed = np.stack(
        [np.interp(np.nan_to_num(shares), stops, of_stops[:, channel]) for channel in range(3)], -1
    )
    result = np.empty(shares.shape, object)
    for cell in np.ndindex(shares.shape):
        red, green, blue = np.rint(mixed[cell]).astype(int)
        result[cell] = f"#{red:02x}{green:02x}{blue:02x}"
    return result


STEPS = 100
"""Number of positions at which a density is drawn."""
CAP = 0.5
"""Width of the end of a whisker, relative to the width of its box."""


def violin(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield the upper half of a violin plot, from the smallest to the largest value."""
    across, down = plot.axes_of(trace)
    values, middle = np.asarray(trace["x"], float), float(trace["y0"])
    places = np.linspace(values.min(), values.max(), STEPS)
    heights = density(values, places)
    tops = middle + float(trace["width"]) / 2 * heights / heights.max()
    edge = np.column_stack([[across.pixel(v) for v in places], [down.pixel(v) for v in tops]])
    ground = down.pixel(middle)
    whole = np.vstack([[edge[0, 0], ground], edge, [edge[-1, 0], ground]])
    yield f'<path d="{polyline(whole)}Z" fill="{paint(str(trace["fillcolor"]))}"{_stroke(trace)}/>'


def density(values: Floats, places: Floats) -> Floats:
    """Return the density of values [n] at positions [m], by Gaussian kernels with Silverman's bandwidth."""
    n = len(values)
    spread, quartiles = float(np.std(values, ddof=1)), np.diff(np.quantile(values, [0.25, 0.75]))[0]
    narrow = min(spread, float(quartiles) / 1.349) or spread or 1.0
    width = 1.059 * narrow * n**-0.2
    return np.asarray(np.exp(-0.5 * ((places[:, None] - values) / width) ** 2).mean(1))


def box(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield a box plot: a box of quartiles, and whiskers to the smallest and the largest value."""
    across, down = plot.axes_of(trace)
    values, middle = np.sort(np.asarray(trace["x"], float)), float(trace["y0"])
    # As Plotly does: value k of n stands at (k - 0.5) / n.
    low, centre, high = (float(v) for v in np.quantile(values, [0.25, 0.5, 0.75], method="hazen"))
    half = float(trace["width"]) / 2
    top, bottom = (number(down.pixel(middle + sign * half)) for sign in (1, -1))
    y = number(down.pixel(middle))
    caps = [number(down.pixel(middle + sign * half * CAP)) for sign in (1, -1)]
    outer, inner, right, start, end = (
        number(across.pixel(v)) for v in (low, centre, high, values[0], values[-1])
    )
    path = (
        f"M{outer},{top}H{right}V{bottom}H{outer}ZM{inner},{top}V{bottom}M{outer},{y}H{start}M{right},{y}H{end}"
        f"M{start},{caps[0]}V{caps[1]}M{end},{caps[0]}V{caps[1]}"
    )
    yield f'<path d="{path}" fill="{paint(str(trace["fillcolor"]))}"{_stroke(trace)}/>'


def _stroke(trace: Properties) -> str:
    line = trace["line"]
    return f' stroke="{paint(str(line["color"]))}" stroke-width="{number(line["width"])}"'
