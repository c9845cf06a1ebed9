"""ROC and precision-recall curves: for one score, for several categories, and as small panels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Bools, Floats
from scoring.presentation.figures.canvas import Canvas, pale, unit_axes
from scoring.presentation.figures.number_format import decimal, percent
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import Theme, safe, short
from scoring.presentation.figures.thresholds import MARGIN, Mark, category_line, cut

Band = tuple[Floats, Floats, Floats]
"""A pointwise 95 % band: positions on the horizontal axis [points], and lower and upper ends of the band."""
TICKS: Properties = {"tickvals": [0, 0.5, 1], "ticktext": ["0", ".5", "1"]}
HEIGHT, LEGEND_ROW = 360, 20
"""Height in pixels of a figure of several curves without its legend, and of a legend row."""
ROC, PRECISION_RECALL = ("1 − specificity", "sensitivity"), ("sensitivity", "precision")
"""Titles of both axes."""


@dataclass(frozen=True)
class CurvePoint:
    """A marked point at (x, y) of a curve."""

    mark: Mark
    x: float
    y: float


@dataclass(frozen=True)
class Curve:
    """A curve, such as ROC, of a score that predicts a yes-or-no outcome.

    Attributes:
        x: [points] horizontal positions from 0 to 1; NaN makes a gap.
        y: [points] vertical positions from 0 to 1; NaN makes a gap.
        thresholds: [points] threshold of the score at each point; None if unknown.
        legend: Text after the name in the legend, such as area and interval; "" leaves the curve out of the
            legend.
        risk: Risk group of the class, which determines the colour; None if it has none.
        band: Pointwise 95 % band, None if it has none.
    """

    name: str
    x: Floats
    y: Floats
    thresholds: Floats | None = None
    legend: str = ""
    risk: str | None = None
    band: Band | None = None
    points: Sequence[CurvePoint] = ()

    @property
    def drawn(self) -> Bools:
        """Which points are drawn [points]."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    def colour(self, theme: Theme) -> str:
        """Return the colour of the curve if it has no legend."""
        return theme.risk[self.risk] if self.risk else theme.accent


def points_at(marks: Sequence[Mark], x: Floats, y: Floats, thresholds: Floats) -> list[CurvePoint]:
    """Return the points of a curve whose thresholds are nearest to the marked thresholds."""
    nearest = [int(np.argmin(np.abs(thresholds - mark.threshold))) for mark in marks]
    return [CurvePoint(mark, float(x[k]), float(y[k])) for mark, k in zip(marks, nearest, strict=True)]


def roc_figure(
    curves: Sequence[Curve], theme: Theme, question: str, level: float | None = None, is_small: bool = False
) -> go.Figure:
    """Draw sensitivity against 1 - specificity, with the diagonal of random guessing.

    Args:
        curves: One curve, or several with a legend.
        level: Sensitivity at which a horizontal line is drawn, 0..1.
        is_small: Whether the figure is one of many small panels.
    """
    canvas = _square(curves, theme, question, ROC, is_small)
    canvas.reference([0, 1], [0, 1], "chance", showlegend=False)
    if level is not None:
        canvas.level(level, theme.zero)
        canvas.write(1, level, f"{level:.0%} sensitivity", theme.soft, xanchor="right", yanchor="top")
    _draw_curves(canvas, curves, ROC, "linear", is_small)
    return canvas.figure()


def precision_recall_figure(
    curves: Sequence[Curve],
    theme: Theme,
    question: str,
    prevalence: float | None = None,
    is_small: bool = False,
) -> go.Figure:
    """Draw precision against sensitivity.

    Args:
        curves: One curve, or several with a legend.
        prevalence: Share of positives, 0..1, which is the precision of guessing. It is drawn as a dotted
            line.
        is_small: Whether the figure is one of many small panels.
    """
    canvas = _square(curves, theme, question, PRECISION_RECALL, is_small)
    if prevalence is not None:
        canvas.reference([0, 1], [prevalence, prevalence], "prevalence")
        if not is_small:
            text = f"prevalence {percent(prevalence)}"
            canvas.write(1, prevalence, text, theme.soft, xanchor="right", yanchor="bottom")
    # Between two thresholds nothing can be reached: a staircase, as average precision counts it.
    _draw_curves(canvas, curves, PRECISION_RECALL, "vh", is_small)
    return canvas.figure()


def class_panel(curve: Curve, theme: Theme, prevalence: float | None = None) -> go.Figure:
    """Draw the curve of one class as a small panel. The panel shows a precision-recall curve, or a ROC curve
    if no prevalence is given."""
    name = curve.name
    if prevalence is None:
        return roc_figure([curve], theme, f"How well is {name} separated from the rest?", is_small=True)
    question = f"How many cases predicted as {name} are {name}?"
    return precision_recall_figure([curve], theme, question, prevalence, is_small=True)


def _square(
    curves: Sequence[Curve], theme: Theme, question: str, axes: tuple[str, str], is_small: bool
) -> Canvas:
    """Axes from 0 to 1 with the bands of the curves, above the legend: a figure never knows its width, so
    names are below."""
    below = LEGEND_ROW * sum(bool(curve.legend) and bool(curve.drawn.any()) for curve in curves)
    if is_small:
        margin = {"l": 2, "r": 14, "t": 10, "b": 2}
        canvas = Canvas(theme, question, 130, hovermode="x unified", margin=margin)
        canvas.x_axis(range=[0, 1], hoverformat=".2f", **TICKS)
        canvas.y_axis(range=[0, 1.02], **TICKS)
    else:
        canvas = Canvas(theme, question, 300, hovermode="closest", margin=MARGIN)
        unit_axes(canvas, *axes)
    if below:
        canvas.layout |= {
            "height": HEIGHT + below,
            "margin": MARGIN | {"b": 50 + below},
            "showlegend": True,
            "legend": {
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
        }
    for curve in curves:
        if curve.band is not None:
            grid, low, high = (np.asarray(values, float) for values in curve.band)
            canvas.band(grid, low, high, pale(curve.colour(theme)))
    return canvas


def _draw_curves(
    canvas: Canvas, curves: Sequence[Curve], axes: tuple[str, str], shape: str, is_small: bool
) -> None:
    """Draw each curve with its band and its points; nothing of one that is undefined throughout."""
    theme = canvas.theme
    for k, curve in enumerate(curves):
        if not curve.drawn.any():
            continue
        line: Properties = {"color": curve.colour(theme), "width": 2}
        if curve.legend:
            line = category_line(k, theme)
        group = {"legendgroup": str(k)} if curve.legend else {}
        canvas.trace(
            "scatter",
            x=curve.x[curve.drawn],
            y=curve.y[curve.drawn],
            mode="lines",
            line=line | {"shape": shape},
            **({"name": axes[1], "hovertemplate": "%{y:.2f}"} if is_small else _hover(curve, axes)),
            **group,
        )
        for point in sorted(curve.points, key=lambda point: point.mark.main):
            colour = line["color"] if curve.legend else point.mark.colour(theme)
            _draw_point(canvas, point, curve.name, axes, colour)
            if curve.legend:
                canvas.traces[-1] |= group | {"showlegend": False}


def _hover(curve: Curve, axes: tuple[str, str]) -> Properties:
    """Return the name of a curve, and the text shown while the pointer is on it."""
    lines = [f"<b>{safe(curve.name)}</b>".replace("%{", "% {")]
    if curve.thresholds is not None:
        lines.append("threshold %{customdata:.3f}")
    return {
        "name": f"{safe(short(curve.name))}  {safe(curve.legend)}".strip(),
        "customdata": None if curve.thresholds is None else curve.thresholds[curve.drawn],
        "hovertemplate": "<br>".join(
            [*lines, f"{axes[0]} %{{x:.3f}}", f"{axes[1]} %{{y:.3f}}<extra></extra>"]
        ),
    }


def _draw_point(canvas: Canvas, point: CurvePoint, curve: str, axes: tuple[str, str], colour: str) -> None:
    mark, theme, name = point.mark, canvas.theme, safe(point.mark.place)
    canvas.trace(
        "scatter",
        x=[point.x],
        y=[point.y],
        mode="markers",
        name=name,
        cliponaxis=False,
        hovertext=f"<b>{safe(curve)}</b>, {name}<br>threshold {cut(mark.threshold)}<br>"
        f"{axes[0]} {decimal(point.x, 3)}<br>{axes[1]} {decimal(point.y, 3)}",
        marker={
            "symbol": mark.symbol,
            "size": 13 if mark.main else 11,
            "color": theme.accent if mark.main else theme.paper,
            "line": {"color": colour, "width": 2},
        },
    )
