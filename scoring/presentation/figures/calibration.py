"""Calibration (reliability) diagrams."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats, Ints
from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.number_format import decimal, percent
from scoring.presentation.figures.theme import Theme, faded
from scoring.presentation.figures.thresholds import Condition

BAR = 0.094
"""Width of a bar on an axis from 0 to 1; bins are 0.1 wide."""


@dataclass(frozen=True)
class ReliabilityLabels:
    """Axis labels of a reliability diagram.

    Attributes:
        predicted: Title of the horizontal axis, the output.
        observed: Title of the vertical axis, the observed share.
        hover: Names of both quantities in the hover text.
    """

    question: str
    predicted: str
    observed: str
    hover: str


LARGEST_OUTPUT = ReliabilityLabels(
    "When the model gives 70%, is it right 70% of the time?",
    "largest output of the model",
    "share right",
    "right",
)


def risk_labels(condition: Condition) -> ReliabilityLabels:
    """Return the axis labels of a reliability diagram of risks."""
    return ReliabilityLabels(
        f"When the model gives 70%, do 70% have a {condition.name}?",
        "score of the model",
        f"share with a {condition.name}",
        condition.name,
    )


def reliability(
    predicted: Floats,
    observed: Floats,
    low: Floats,
    high: Floats,
    n: Floats | Ints,
    theme: Theme,
    labels: ReliabilityLabels = LARGEST_OUTPUT,
) -> go.Figure:
    """Draw the observed frequency against the output in bins of equal width, with the number of cases in each
    bin below.

    Args:
        predicted: [bins] mean output of each bin, 0..1; NaN if the bin has no case.
        observed: [bins] share of the cases of each bin in which the outcome occurred, 0..1.
        low: [bins] lower end of the 95 % interval of `observed`.
        high: [bins] upper end of the same interval.
        n: [bins] number of cases of each bin.
    """
    predicted, observed, low, high = (np.asarray(v, float) for v in (predicted, observed, low, high))
    sizes = np.asarray(n, float)
    middle = (np.arange(len(sizes)) + 0.5) / len(sizes)
    hovers = [
        f"outputs {percent(m - 0.05)} to {percent(m + 0.05)}, mean {decimal(v, 2)}<br>{labels.hover} "
        f"{percent(share)} ({percent(least)} to {percent(most)})<br>n = {k:.0f}"
        for m, v, share, least, most, k in zip(middle, predicted, observed, low, high, sizes, strict=True)
    ]
    canvas = Canvas(theme, labels.question, 340, bargap=0.06, margin={"l": 4, "r": 22, "t": 10, "b": 4})
    canvas.trace(
        "bar",
        x=middle,
        y=observed,
        width=BAR,
        hovertext=hovers,
        name=labels.observed,
        marker={"color": faded(theme.accent, 0.3), "line": {"color": theme.accent, "width": 1}},
    )
    canvas.trace(
        "scatter",
        x=predicted,
        y=observed,
        mode="markers",
        marker={"color": theme.ink, "size": 7},
        cliponaxis=False,
        name="bins",
        error_y=error_bars(low, observed, high, color=theme.ink, thickness=1.2, width=3),
    )
    canvas.reference([0, 1], [0, 1], "perfect")
    canvas.y_axis(labels.observed, domain=[0.3, 1], range=[0, 1.01], tickformat=".0%")
    canvas.x_axis(labels.predicted, anchor="y2", range=[0, 1], dtick=0.2, tickformat=".0%")
    _sizes(canvas, middle, sizes)
    return canvas.figure()


def _sizes(canvas: Canvas, middle: Floats, n: Floats) -> None:
    """Draw the number of cases of each bin below the diagram, on the same horizontal axis."""
    canvas.trace(
        "bar",
        x=middle,
        y=n,
        yaxis="y2",
        width=BAR,
        marker={"color": canvas.theme.third},
        text=[f"{k:.0f}" if k else "" for k in n],
        name="n",
        textposition="outside",
        cliponaxis=False,
        textfont={"color": canvas.theme.ink},
    )
    canvas.layout["yaxis2"] = {
        "domain": [0, 0.2],
        "range": [0, 1.35 * max(float(n.max()), 1)],
        "tickformat": ".0%",
        "showgrid": False,
        "showticklabels": False,
        "title": {"text": "n"},
    }
