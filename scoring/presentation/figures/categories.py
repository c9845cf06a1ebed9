"""Figures of categories, each against the rest: a category keeps its colour and its dashes from figure to
figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import QUARTERS, Canvas, unit_axes
from scoring.presentation.figures.drawing import Properties
from scoring.presentation.figures.numerals import decimal
from scoring.presentation.figures.theme import Theme, safe, short

DASHES = ("solid", "dash", "dot")
HEIGHT, LEGEND_ROW = 360, 20
"""Pixels of a figure without its legend, and of a row of the legend."""
SENSITIVITY = ("1 − specificity", "sensitivity")


@dataclass(frozen=True)
class Line:
    """The curve of a category.

    Attributes:
        name: Of the category.
        x: [points], NaN where nothing is to be drawn.
        y: [points], likewise.
        thresholds: [points], likewise.
        legend: Area and interval, after the name in the legend.
        point: (x, y) where 0.5 cuts.
    """

    name: str
    x: Floats
    y: Floats
    thresholds: Floats
    legend: str
    point: tuple[float, float] | None = None

    def drawn(self) -> tuple[Floats, Floats, Floats]:
        """Return thresholds, x and y of the points that are drawn."""
        kept = np.isfinite(self.x) & np.isfinite(self.y)
        return self.thresholds[kept], self.x[kept], self.y[kept]


def mark(k: int, theme: Theme) -> Properties:
    """Return colour and dashes of category k."""
    return {
        "color": theme.categorical[k % len(theme.categorical)],
        "dash": DASHES[k % len(DASHES)],
        "width": 2,
    }


def roc(lines: Sequence[Line], theme: Theme, level: float | None = None) -> go.Figure:
    """Draw sensitivity over 1 - specificity of every category, with the cut at 0.5 and the line of chance.

    level: a sensitivity, 0..1, that a level line shows.
    """
    question = "How well is each category told from the rest?"
    canvas = _square(theme, question, SENSITIVITY, _in_legend(lines))
    _chance(canvas, level)
    for k, line in enumerate(lines):
        _line(canvas, line, SENSITIVITY, k, mark(k, theme) | {"shape": "linear"})
    return canvas.figure()


def precision_recall(lines: Sequence[Line], theme: Theme) -> go.Figure:
    """Draw precision over sensitivity of every category, and the cut at 0.5 on each."""
    question = "How many of those called a category are of it?"
    canvas = _square(theme, question, ("sensitivity (recall)", "precision (ppv)"), _in_legend(lines))
    for k, line in enumerate(lines):
        # Between two thresholds nothing can be reached: a staircase, as average precision counts it.
        _line(canvas, line, ("sensitivity", "precision"), k, mark(k, theme) | {"shape": "vh"})
    return canvas.figure()


def malignant_roc(
    x: Floats, y: Floats, thresholds: Floats, theme: Theme, level: float | None = None
) -> go.Figure:
    """Draw malignant against benign.

    Args:
        x: [points] 1 - specificity, NaN throughout where it is undefined.
        y: [points] sensitivity, likewise.
        thresholds: [points], likewise.
        theme: Its colours.
        level: A sensitivity, 0..1, that a level line shows.
    """
    canvas = _square(theme, "How well is malignant told from benign?", SENSITIVITY, 0)
    _chance(canvas, level)
    line = Line("malignant", np.asarray(x), np.asarray(y), np.asarray(thresholds), "")
    _line(canvas, line, SENSITIVITY, 0, {"color": theme.risk["malignant"], "width": 2.5})
    return canvas.figure()


def _in_legend(lines: Sequence[Line]) -> int:
    return sum(bool(len(line.drawn()[0])) for line in lines)


def _square(theme: Theme, question: str, axes: tuple[str, str], rows: int) -> Canvas:
    """Axes from 0 to 1 above a legend of so many rows: a figure never knows its width, so names stand
    below."""
    below = rows * LEGEND_ROW
    canvas = Canvas(
        theme,
        question,
        HEIGHT + below,
        hovermode="closest",
        margin={"l": 4, "r": 14, "t": 10, "b": 50 + below},
        showlegend=bool(rows),
        legend={
            "orientation": "v",
            "x": 0,
            "xanchor": "left",
            "y": -52 / (HEIGHT - 60),
            "yanchor": "top",
            "font": {"size": 12, "color": theme.ink},
            "itemclick": "toggle",
            "itemdoubleclick": "toggleothers",
            "tracegroupgap": 0,
        },
    )
    unit_axes(canvas, *axes)
    return canvas


def _chance(canvas: Canvas, level: float | None) -> None:
    canvas.reference([0, 1], [0, 1], "chance", showlegend=False)
    if level is not None:
        theme = canvas.theme
        canvas.level(level, theme.zero)
        canvas.write(1, level, f"{level:.0%} sensitivity", theme.soft, xanchor="right", yanchor="top")


def _line(canvas: Canvas, line: Line, axes: tuple[str, str], k: int, style: Properties) -> None:
    """Draw the curve of category k and its cut at 0.5; nothing where all of it is undefined."""
    thresholds, x, y = line.drawn()
    if not len(x):
        return
    name, head = safe(short(line.name)), f"<b>{safe(line.name)}</b>"

    def hover(where: str, x: float, y: float) -> str:
        return f"{head}{where}<br>{axes[0]} {decimal(x, 3)}<br>{axes[1]} {decimal(y, 3)}"

    canvas.trace(
        "scatter",
        x=x,
        y=y,
        mode="lines",
        line=style,
        name=f"{name}  {safe(line.legend)}",
        legendgroup=str(k),
        hovertext=[
            hover(f"<br>threshold {decimal(t, 3)}", a, b) for t, a, b in zip(thresholds, x, y, strict=True)
        ],
        hoverinfo="text",
    )
    if line.point is not None:
        canvas.trace(
            "scatter",
            x=[line.point[0]],
            y=[line.point[1]],
            mode="markers",
            legendgroup=str(k),
            showlegend=False,
            cliponaxis=False,
            hoverinfo="text",
            name=f"{name} at 0.5",
            hovertext=hover(" at 0.5", *line.point),
            marker={
                "symbol": "circle",
                "size": 9,
                "color": canvas.theme.paper,
                "line": {"color": style["color"], "width": 2.5},
            },
        )


def threshold_lines(
    found: Mapping[str, Floats], names: Mapping[str, str], cut: float, theme: Theme, category: str
) -> go.Figure:
    """Draw what the threshold of one category changes, the names above the figure.

    Args:
        found: Measures [T] by key, and "threshold" [T] in ascending order.
        names: Key -> name of each measure that is drawn.
        cut: The chosen threshold.
        theme: Its colours.
        category: Name of the category.
    """
    margin = {"l": 4, "r": 14, "t": 10, "b": 4}
    question = f"What does the threshold of {category} change?"
    canvas = Canvas(theme, question, 300, hovermode="x unified", margin=margin)
    canvas.legend_above()
    for k, (key, name) in enumerate(names.items()):
        main = key == "f1"
        style = {
            "color": theme.accent if main else theme.categorical[(k + 1) % len(theme.categorical)],
            "width": 3 if main else 1.6,
            "dash": "solid" if main else DASHES[k % 3],
            "shape": "hv",
        }
        x, y = found["threshold"], found[key]
        canvas.trace("scatter", x=x, y=y, mode="lines", line=style, name=name, hovertemplate="%{y:.3f}")
    canvas.rule(0.5, theme.ink, dash="dot")
    canvas.rule(cut, theme.accent, 2)
    title = "threshold: called where the score is above it"
    canvas.x_axis(title, range=[0, 1], hoverformat=".3f", nticks=6)
    canvas.y_axis(range=[0, 1.03], **QUARTERS)
    return canvas.figure()
