"""Draws everything of a figure except its marks: axes, grid, shapes, text and legend."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.presentation.svg.axes import Axis, title
from scoring.presentation.svg.curves_and_points import attributes, dashed, path
from scoring.presentation.svg.plot_layout import (
    ROW,
    SAMPLE,
    STANDOFF,
    TITLE_STANDOFF,
    LegendItem,
    Plot,
    in_rows,
    label_room,
)
from scoring.presentation.svg.text import number, paint, words

Properties = Mapping[str, Any]
ANCHORS = {"left": "start", "center": "middle", "right": "end"}
MARK = 10.0
"""Width of a mark in the legend, in pixels."""


def grid(plot: Plot) -> Iterator[str]:
    """Yield the grid lines."""
    for axis in plot.axes.values():
        has_grid = axis.properties.get("showgrid", True) and axis.visible and not axis.categories
        if has_grid:
            places = [axis.pixel(tick.place) for tick in axis.ticks()]
            yield _lines(axis, places, str(axis.properties["gridcolor"]), plot)
        low, high = sorted(axis.range)
        if axis.properties.get("zeroline") and axis.visible and low <= 0 <= high:
            yield _lines(axis, [axis.pixel(0)], str(axis.properties["zerolinecolor"]), plot)


def _lines(axis: Axis, places: list[float], colour: str, plot: Plot) -> str:
    area = plot.area
    if axis.across:
        drawn = "".join(f"M{number(x)},{number(area.top)}V{number(area.bottom)}" for x in places)
    else:
        drawn = "".join(f"M{number(area.left)},{number(y)}H{number(area.right)}" for y in places)
    return f'<path d="{drawn}" stroke="{paint(colour)}" stroke-width="1"/>' if drawn else ""


def labels(plot: Plot) -> Iterator[str]:
    """Yield the tick labels and the titles of the axes."""
    for axis in plot.axes.values():
        if axis.visible:
            yield from _level_labels(axis, plot) if axis.across else _upright_labels(axis, plot)


def _level_labels(axis: Axis, plot: Plot) -> Iterator[str]:
    above = axis.properties.get("side") == "top"
    edge, sign = (plot.area.top, -1) if above else (plot.area.bottom, 1)
    standoff = float(axis.properties.get("ticklabelstandoff", STANDOFF))
    turned, colour = float(axis.properties.get("tickangle", 0)), _colour(axis, "tickfont", plot)
    for tick in axis.ticks():
        x = axis.pixel(tick.place)
        if turned:
            yield tick.words.svg(x, edge + sign * standoff, colour, "start" if above else "end", turned)
        else:
            yield tick.words.svg(x, edge + sign * (standoff + tick.words.height / 2), colour)
    named = title(axis.properties)
    if named:
        y = edge + sign * (label_room(axis) + _title_standoff(axis) + named.height / 2)
        yield named.svg(sum(axis.pixels) / 2, y, _title_colour(axis, plot))


def _upright_labels(axis: Axis, plot: Plot) -> Iterator[str]:
    standoff = float(axis.properties.get("ticklabelstandoff", STANDOFF))
    colour = _colour(axis, "tickfont", plot)
    for tick in axis.ticks():
        yield tick.words.svg(plot.area.left - standoff, axis.pixel(tick.place), colour, "end")
    named = title(axis.properties)
    if named:
        x = plot.area.left - label_room(axis) - _title_standoff(axis) - named.height / 2
        yield named.svg(x, sum(axis.pixels) / 2, _title_colour(axis, plot), turned=-90)


def _title_standoff(axis: Axis) -> float:
    return float(axis.properties.get("title", {}).get("standoff", TITLE_STANDOFF))


def _colour(axis: Axis, font: str, plot: Plot) -> str:
    return str(axis.properties.get(font, {}).get("color", plot.ink))


def _title_colour(axis: Axis, plot: Plot) -> str:
    return str(axis.properties.get("title", {}).get("font", {}).get("color", plot.ink))


def shapes(plot: Plot, below: bool) -> Iterator[str]:
    """Yield the lines and rectangles below the marks (`below` is True) or above them (False)."""
    for shape in plot.layout.get("shapes", ()):
        if (shape.get("layer") == "below") is not below:
            continue
        (x0, x1), (y0, y1) = (_ends(shape, letter, plot) for letter in "xy")
        line = shape.get("line", {})
        stroke = ""
        if line.get("width", 2):
            colour, width = paint(str(line.get("color", plot.ink))), number(float(line.get("width", 2)))
            stroke = f' stroke="{colour}" stroke-width="{width}"{dashed(line)}'
        if shape["type"] == "line":
            yield f'<path d="M{number(x0)},{number(y0)}L{number(x1)},{number(y1)}"{stroke}/>'
        else:
            (start, right), (top, bottom) = sorted((x0, x1)), sorted((y0, y1))
            fill = paint(str(shape["fillcolor"])) if shape.get("fillcolor") else "none"
            corner = f'x="{number(start)}" y="{number(top)}"'
            size = f'width="{number(right - start)}" height="{number(bottom - top)}"'
            yield f'<rect {corner} {size} fill="{fill}"{stroke}/>'


def _ends(shape: Properties, letter: str, plot: Plot) -> tuple[float, float]:
    ends = shape[f"{letter}0"], shape[f"{letter}1"]
    reference = str(shape.get(f"{letter}ref", letter))
    if shape.get(f"{letter}sizemode") == "pixel":
        anchor = _place(shape[f"{letter}anchor"], reference, letter, plot)
        return anchor - ends[0], anchor - ends[1]
    first, last = (_place(end, reference, letter, plot, of_shape=True) for end in ends)
    return first, last


def _place(value: Any, reference: str, letter: str, plot: Plot, of_shape: bool = False) -> float:
    """Return the pixel of a place by what it refers to: an axis, its whole length, or the area of the
    plot."""
    area = plot.area
    name, _, domain = reference.partition(" ")
    if reference == "paper":
        share = float(value)
        return area.left + share * area.width if letter == "x" else area.bottom - share * area.height
    axis = plot.axes[name]
    if domain:
        start, end = axis.pixels
        return start + float(value) * (end - start)
    coordinate = axis.coordinate(value) if of_shape or isinstance(value, str) else float(value)
    return axis.pixel(coordinate)


def annotations(plot: Plot) -> Iterator[str]:
    """Yield the annotations of a figure."""
    for note in plot.layout.get("annotations", ()):
        font = note.get("font", {})
        text = words(note["text"], float(font.get("size", 12)))
        pad = float(note.get("borderpad", 1))
        width, height = text.width + 2 * pad, text.height + 2 * pad
        across, down = _anchor(note, "x", "left", "right"), _anchor(note, "y", "bottom", "top")
        x = _place(note["x"], str(note.get("xref", "x")), "x", plot) + float(note.get("xshift", 0))
        y = _place(note["y"], str(note.get("yref", "y")), "y", plot) - float(note.get("yshift", 0))
        y += {"top": height / 2, "bottom": -height / 2}.get(down, 0.0)
        if note.get("bgcolor"):
            start = x - {"left": 0.0, "right": width}.get(across, width / 2)
            corner = f'x="{number(start)}" y="{number(y - height / 2)}"'
            size = f'width="{number(width)}" height="{number(height)}"'
            yield f'<rect {corner} {size} fill="{paint(str(note["bgcolor"]))}"/>'
        x += {"left": pad, "right": -pad}.get(across, 0.0)
        yield text.svg(x, y, str(font.get("color", plot.ink)), ANCHORS[across])


def _anchor(annotation: Properties, letter: str, low: str, high: str) -> str:
    """Return which part of the words is at their place."""
    anchor = str(annotation.get(f"{letter}anchor", "auto"))
    if anchor != "auto":
        return anchor
    middle = "center" if letter == "x" else "middle"
    if annotation.get(f"{letter}ref") != "paper":
        return middle
    return low if annotation[letter] < 1 / 3 else high if annotation[letter] > 2 / 3 else middle


def legend(plot: Plot) -> Iterator[str]:
    """Yield the legend: names of the traces with their symbols."""
    if not plot.legend:
        return
    layout, area = plot.layout["legend"], plot.area
    if layout.get("orientation") == "h":
        rows = list(in_rows(plot.legend, area.width))
        top = area.top - 6 - ROW * (1 + max(row for row, _, _ in rows))
    else:
        rows = [(k, 0.0, entry) for k, entry in enumerate(plot.legend)]
        top = area.top + (1 - float(layout["y"])) * area.height
    colour = str(layout.get("font", {}).get("color", plot.ink))
    for row, x, entry in rows:
        middle = top + ROW * (row + 0.5)
        yield from _sample(entry, area.left + x, middle, plot)
        yield entry.words.svg(area.left + x + SAMPLE + 5, middle, colour, "start")


def _sample(entry: LegendItem, x: float, y: float, plot: Plot) -> Iterator[str]:
    trace, centre = entry.trace, x + SAMPLE / 2
    if "lines" in str(trace.get("mode", "lines")) and trace["type"] == "scatter":
        line = trace.get("line", {})
        colour = paint(str(line.get("color", plot.colour(trace))))
        width = number(float(line.get("width", 2)))
        yield (
            f'<path d="M{number(x)},{number(y)}h{number(SAMPLE)}" stroke="{colour}" stroke-width="{width}"'
            f"{dashed(line)}/>"
        )
    marker = trace.get("marker", {})
    if "markers" in str(trace.get("mode")):
        line, symbol = marker.get("line", {}), str(marker.get("symbol", "circle"))
        border = str(line.get("color", plot.ink)), float(line.get("width", 0))
        look = attributes(symbol, str(marker.get("color", plot.colour(trace))), border)
        shape = path(symbol, MARK)
        yield f'<path transform="translate({number(centre)},{number(y)})" d="{shape}" {look}/>'
    if trace["type"] == "bar":
        corner, fill = f'x="{number(centre - 6)}" y="{number(y - 6)}"', paint(str(marker["color"]))
        yield f'<rect {corner} width="12" height="12" fill="{fill}"/>'
