"""Figures under construction: traces, marks and axes as plain dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.figures.plotly_figure import Drawing, Properties
from scoring.presentation.figures.theme import Theme, faded, template

QUARTERS: Properties = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", ".25", ".5", ".75", "1"]}
"""Positions of the ticks of an axis from 0 to 1."""
FIFTHS: Properties = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "ticktext": ["0", ".2", ".4", ".6", ".8", "1"]}
"""Positions of the ticks of an axis from 0 to 1, in steps of 0.2."""


class Canvas:
    """A figure under construction.

    Plotly checks each property when it is set, and copies all annotations and shapes whenever one is added.
    These checks and copies take nine tenths of the time for a figure. Therefore `Canvas` collects everything
    first, and `figure` returns the result unchecked. Tests let Plotly check every kind of figure.
    """

    def __init__(self, theme: Theme, question: str, height: int, **layout: Any) -> None:
        """Begin a figure in the house style.

        Args:
            question: Question that the figure answers. It is stored in `layout.meta` instead of a title,
                because titles of Plotly neither wrap nor are read aloud.
            height: Height in pixels.
            **layout: Other properties of Plotly's layout.
        """
        self.theme = theme
        self.traces: list[Properties] = []
        self.annotations: list[Properties] = []
        self.shapes: list[Properties] = []
        self.layout: Properties = {"meta": {"question": question}, "height": height, **layout}

    def figure(self) -> Drawing:
        """Return the figure."""
        layout = {"template": template(self.theme), **self.layout}
        if self.annotations:
            layout["annotations"] = self.annotations
        if self.shapes:
            layout["shapes"] = self.shapes
        return Drawing({"data": self.traces, "layout": layout})

    def trace(self, kind: str, **properties: Any) -> None:
        """Add a trace, for example `trace("bar", x=..., y=...)`. Properties that are None are left out. Hover
        shows only the given hover texts, and nothing without them."""
        if "hovertemplate" not in properties:
            properties.setdefault("hoverinfo", "text" if properties.get("hovertext") is not None else "skip")
        written = {name: value for name, value in properties.items() if value is not None}
        self.traces.append({"type": kind, **written})

    def reference(self, x: Sequence[float], y: Sequence[float], name: str, **properties: Any) -> None:
        """Add a thin dotted reference line, for example for chance."""
        line = {"color": self.theme.zero, "width": 1, "dash": "dot"}
        self.trace("scatter", x=x, y=y, mode="lines", line=line, name=name, **properties)

    def band(self, x: Floats, low: Floats, high: Floats, colour: str, **properties: Any) -> None:
        """Add a pointwise 95 % band along the points at which both ends are defined. `colour` is the colour
        of the area."""
        drawn = np.isfinite(low) & np.isfinite(high)
        self.trace(
            "scatter",
            x=np.r_[x[drawn], x[drawn][::-1]],
            y=np.r_[high[drawn], low[drawn][::-1]],
            fill="toself",
            fillcolor=colour,
            line={"width": 0},
            mode="lines",
            name="95% band",
            **properties,
        )

    def write(
        self, x: float | str, y: float | str, text: str, colour: str, size: float = 12, **properties: Any
    ) -> None:
        """Write text at a position. Positions are data coordinates unless `properties` of the annotation say
        otherwise."""
        font = {"size": size, "color": colour}
        annotation = {"x": x, "y": y, "text": text, "showarrow": False, "font": font}
        self.annotations.append(annotation | {k: v for k, v in properties.items() if v is not None})

    def rule(self, x: float, colour: str, width: float = 1, dash: str | None = None) -> None:
        """Draw a vertical line at x from bottom to top."""
        ends = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
        self._line(ends, colour, width, dash)

    def level(self, y: float, colour: str, width: float = 1, dash: str | None = None) -> None:
        """Draw a horizontal line at y from left to right."""
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
        self._line(ends, colour, width, dash)

    def _line(self, ends: Properties, colour: str, width: float, dash: str | None) -> None:
        line = {"color": colour, "width": width} | ({"dash": dash} if dash else {})
        self.shapes.append({"type": "line", **ends, "line": line})

    def rectangle(self, x: tuple[float, float], y: tuple[float, float], colour: str, width: float) -> None:
        """Draw the border of a rectangle that spans `x` and `y`."""
        ends = {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]}
        self.shapes.append({"type": "rect", **ends, "line": {"color": colour, "width": width}})

    def x_axis(self, title: str | None = None, **properties: Any) -> None:
        """Set properties of the horizontal axis, in addition to those set before."""
        self._axis("xaxis", title, properties)

    def y_axis(self, title: str | None = None, **properties: Any) -> None:
        """Set properties of the vertical axis, in addition to those set before."""
        self._axis("yaxis", title, properties)

    def rows(self, labels: Sequence[str], **properties: Any) -> None:
        """Use the vertical axis for labelled rows at 0, 1, ..., the first row on top."""
        ticks = {"tickvals": list(range(len(labels))), "ticktext": list(labels)}
        self.y_axis(**{"range": [len(labels) - 0.5, -0.5], "showgrid": False, **ticks, **properties})

    def _axis(self, name: str, title: str | None, properties: Properties) -> None:
        axis = self.layout.setdefault(name, {})
        if title is not None:
            axis["title"] = {"text": title}
        axis.update(properties)

    def title_closer(self) -> None:
        """Move the title of the vertical axis closer to its labels."""
        self.layout["yaxis"]["title"]["standoff"] = 2

    def legend_above(self) -> None:
        """Show the names of the traces in rows above the figure."""
        font = {"size": 12, "color": self.theme.ink}
        legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": font}
        self.layout |= {"showlegend": True, "legend": legend}


def error_bars(low: Floats, value: Floats, high: Floats, **style: Any) -> Properties:
    """Return error bars from low to high around values [points], as properties of a trace."""
    ends = {"array": high - value, "arrayminus": value - low}
    return {"type": "data", "symmetric": False, **ends, **style}


def pale(colour: str) -> str:
    """Return the colour of a band around a curve."""
    return faded(colour, 0.2)


def unit_axes(canvas: Canvas, x_title: str, y_title: str) -> None:
    """Set both axes to the range from 0 to 1."""
    canvas.x_axis(x_title, range=[-0.01, 1.01], **QUARTERS)
    canvas.y_axis(y_title, range=[-0.01, 1.03], **QUARTERS)
