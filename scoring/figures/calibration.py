"""Reliability diagrams."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.curves import dotted
from scoring.figures.numerals import decimal, percent
from scoring.figures.theme import Theme, faded, figure


@dataclass(frozen=True)
class ReliabilityLabels:
    """Axis labels of a reliability diagram.

    question: that the figure answers. predicted: the output. observed: the share that came true, as an axis
    title. hover: the same in a hover text.
    """

    question: str
    predicted: str
    observed: str
    hover: str


LARGEST_OUTPUT = ReliabilityLabels(
    "When it says 70%, is it right 70% of the time?", "largest output of the model", "share right", "right"
)


def reliability(
    predicted: np.ndarray,
    observed: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    n: np.ndarray,
    theme: Theme,
    words: ReliabilityLabels = LARGEST_OUTPUT,
) -> go.Figure:
    """Ten bins [10] of the output v, bin ceil(10 v) - 1: mean output, share that came true with its interval,
    cases (NaN where n = 0). Counts stand below on the same axis."""
    predicted, observed, low, high, n = (np.asarray(v, float) for v in (predicted, observed, low, high, n))
    middle = (np.arange(len(n)) + 0.5) / len(n)
    fig = figure(
        theme,
        words.question,
        340,
        bargap=0.06,
        yaxis={"domain": [0.3, 1]},
        yaxis2={"domain": [0, 0.2]},
        xaxis={"anchor": "y2"},
        margin={"l": 4, "r": 22, "t": 10, "b": 4},
    )
    hovers = [
        f"outputs {percent(m - 0.05)} to {percent(m + 0.05)}, mean {decimal(v, 2)}<br>{words.hover} "
        f"{percent(share)} "
        f"({percent(least)} to {percent(most)})<br>n = {k:.0f}"
        for m, v, share, least, most, k in zip(middle, predicted, observed, low, high, n, strict=True)
    ]
    fig.add_bar(
        x=middle,
        y=observed,
        width=0.094,
        hovertext=hovers,
        hoverinfo="text",
        name=words.observed,
        marker={"color": faded(theme.accent, 0.3), "line": {"color": theme.accent, "width": 1}},
    )
    fig.add_scatter(
        x=predicted,
        y=observed,
        mode="markers",
        marker={"color": theme.ink, "size": 7},
        cliponaxis=False,
        hoverinfo="skip",
        name="bins",
        error_y={
            "type": "data",
            "symmetric": False,
            "array": high - observed,
            "arrayminus": observed - low,
            "color": theme.ink,
            "thickness": 1.2,
            "width": 3,
        },
    )
    dotted(fig, theme, [0, 1], "perfect")
    fig.add_bar(
        x=middle,
        y=n,
        yaxis="y2",
        width=0.094,
        marker_color=theme.third,
        text=[f"{k:.0f}" if k else "" for k in n],
        name="n",
        textposition="outside",
        cliponaxis=False,
        textfont={"color": theme.ink},
        hoverinfo="skip",
    )
    fig.update_yaxes(range=[0, 1.01], tickformat=".0%", title_text=words.observed)
    fig.update_layout(
        yaxis2={
            "range": [0, 1.35 * max(n.max(), 1)],
            "showgrid": False,
            "showticklabels": False,
            "title_text": "n",
        }
    )
    return fig.update_xaxes(range=[0, 1], dtick=0.2, tickformat=".0%", title_text=words.predicted)
