"""A figure measured for drawing: its axes, margins, area and legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.presentation.figures.plotly_figure import Drawing
from scoring.presentation.svg.axes import Axis, axis_range, merged, own, title
from scoring.presentation.svg.text import TextLines, words

Properties = Mapping[str, Any]
STANDOFF, TITLE_STANDOFF = 4.0, 6.0
"""Distances in pixels between axis and labels, and between labels and title, if the theme does not set
them."""
PASSES = 3
"""Number of passes for measuring the margins: Which labels are drawn depends on the length of an axis, and
this length depends on the width of the labels."""


@dataclass(frozen=True)
class Area:
    """The area of a plot, in pixels from the top left corner of the figure."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True)
class Plot:
    """A figure ready to draw.

    Attributes:
        layout: Layout of the figure, without the axes.
        axes: Axes by name: "x", "y", "y2".
        prefix: Prefix of all names that are referred to, so that figures of one page do not conflict.
        legend: Entries of the legend; empty if there is no legend.
    """

    traces: Sequence[Properties]
    layout: Properties
    axes: Mapping[str, Axis]
    area: Area
    width: float
    height: float
    prefix: str
    legend: Sequence[LegendItem]

    @property
    def ink(self) -> str:
        """Default colour of text in the figure."""
        return str(self.layout["font"]["color"])

    def axes_of(self, trace: Properties) -> tuple[Axis, Axis]:
        """Return the axes of a trace."""
        return self.axes[str(trace.get("xaxis", "x"))], self.axes[str(trace.get("yaxis", "y"))]

    def colour(self, trace: Properties) -> str:
        """Return the default colour of a trace."""
        colours = self.layout["colorway"]
        number = next(k for k, other in enumerate(self.traces) if other is trace)
        return str(colours[number % len(colours)])


def measured(figure: Drawing, width: float, prefix: str) -> Plot:
    """Return the layout of a figure that has the given width in pixels."""
    theme = figure.own_layout["template"]["layout"]
    layout = merged(theme, {name: value for name, value in figure.own_layout.items() if name != "template"})
    traces = figure.traces
    names = ["x", "y", *(["y2"] if "yaxis2" in layout else [])]
    properties = {name: _properties(layout, theme, name) for name in names}
    legend = entries(traces, layout)
    margins = {side: float(layout["margin"].get(side, 0)) for side in "lrtb"}
    height, plot = float(layout["height"]), None
    for _ in range(PASSES):
        area = Area(margins["l"], margins["t"], width - margins["r"], height - margins["b"])
        axes = {name: _axis(properties[name], name, area, traces, layout) for name in names}
        plot = Plot(traces, layout, axes, area, width, height, prefix, legend)
        margins = _margins(plot)
    assert plot is not None
    return replace(plot, axes=axes)


def _properties(layout: Properties, theme: Properties, name: str) -> Properties:
    key = f"{name[0]}axis{name[1:]}"
    return merged(theme.get(f"{name[0]}axis", {}), layout.get(key, {}))


def _axis(
    properties: Properties, name: str, area: Area, traces: Sequence[Properties], layout: Properties
) -> Axis:
    across, (start, end) = name == "x", properties.get("domain", (0, 1))
    if across:
        pixels = area.left + start * area.width, area.left + end * area.width
    else:
        pixels = area.bottom - start * area.height, area.bottom - end * area.height
    axis = Axis(properties, across, (0.0, 1.0), pixels, _categories(name, traces))
    return replace(axis, range=axis_range(axis, name, traces, layout))


def _categories(name: str, traces: Sequence[Properties]) -> dict[str, int]:
    """Return the place of each name along an axis, in the order in which traces name them."""
    places: dict[str, int] = {}
    for trace in traces:
        values = trace.get(name[0]) if own(trace, name) else None
        if values is not None and trace["type"] in ("bar", "scatter"):
            for value in values:
                if isinstance(value, str):
                    places.setdefault(value, len(places))
    return places


def _margins(plot: Plot) -> dict[str, float]:
    """Return the room that labels, titles and legend need, at least what the figure asks for."""
    margins = {side: float(plot.layout["margin"].get(side, 0)) for side in "lrtb"}
    if "ternary" in plot.layout:
        return margins
    for axis in plot.axes.values():
        for side, room in _needed(axis, plot):
            margins[side] = max(margins[side], room)
    if plot.legend and plot.layout["legend"].get("orientation") == "h":
        margins["t"] = max(margins["t"], height_above(plot.legend, plot.area.width))
    return margins


def _needed(axis: Axis, plot: Plot) -> Iterator[tuple[str, float]]:
    """Yield sides and the pixels that an axis needs there."""
    ticks, named = axis.ticks(), title(axis.properties) if axis.visible else None
    beyond = title_room(axis) if named else 0.0
    label = label_room(axis)
    if not axis.across:
        yield "l", label + beyond
        return
    yield "t" if axis.properties.get("side") == "top" else "b", label + beyond
    turned = axis.properties.get("tickangle", 0)
    for tick in ticks:
        half = tick.words.width / 2 if not turned else 0.0
        pixel = axis.pixel(tick.place)
        right = half if turned != -45 else 0.75 * tick.words.width
        yield "l", plot.area.left - (pixel - half)
        yield "r", plot.width - plot.area.right + pixel + right - (plot.width - 1)


def label_room(axis: Axis) -> float:
    """Return the distance in pixels from an axis to the far end of its labels."""
    ticks = axis.ticks()
    if not ticks:
        return 0.0
    widest, highest = (max(getattr(t.words, side) for t in ticks) for side in ("width", "height"))
    turned = axis.properties.get("tickangle", 0)
    room = widest if not axis.across or turned == -90 else highest
    if axis.across and turned == -45:
        room = 0.71 * (widest + highest)
    return float(room) + float(axis.properties.get("ticklabelstandoff", STANDOFF))


def title_room(axis: Axis) -> float:
    """Return the distance in pixels from the labels of an axis to the far end of its title."""
    standoff = axis.properties.get("title", {}).get("standoff", TITLE_STANDOFF)
    return float(standoff) + title(axis.properties).height


ROW, SAMPLE, GAP = 19.0, 30.0, 10.0
"""Height in pixels of a row, width of a symbol before a name, and distance between two names."""


@dataclass(frozen=True)
class LegendItem:
    """A trace with its name in the legend."""

    trace: Properties
    words: TextLines

    @property
    def width(self) -> float:
        """Width of the legend entry in pixels, including the symbol."""
        return SAMPLE + 5 + self.words.width


def entries(traces: Sequence[Properties], layout: Properties) -> list[LegendItem]:
    """Return the legend entries of a figure; empty if it shows no legend."""
    if not layout.get("showlegend"):
        return []
    size = float(layout["legend"].get("font", {}).get("size", 12))
    return [
        LegendItem(trace, words(trace.get("name") or "", size))
        for trace in traces
        if trace.get("showlegend", True)
    ]


def height_above(legend: Sequence[LegendItem], width: float) -> float:
    """Return the height in pixels of a legend in rows above a plot."""
    return 8 + ROW * (1 + max((row for row, _, _ in in_rows(legend, width)), default=0))


def in_rows(legend: Sequence[LegendItem], width: float) -> Iterator[tuple[int, float, LegendItem]]:
    """Place legend entries side by side in rows. Yield row, distance from the left in pixels, and entry."""
    row, x = 0, 0.0
    for entry in legend:
        if x and x + entry.width > width:
            row, x = row + 1, 0.0
        yield row, x, entry
        x += entry.width + GAP
