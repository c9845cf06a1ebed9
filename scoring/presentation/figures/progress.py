"""Scores of one submission after another, in the order in which they came."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.numerals import decimal, span
from scoring.presentation.figures.theme import Theme, safe

NAMED_DAYS = 8
"""Submissions that are named by their day at most."""


@dataclass(frozen=True)
class Moment:
    """A submission.

    Attributes:
        name: Of it.
        day: When, as it stands at the axis.
        value: Its score; None where it is undefined.
        interval: 95% interval; None where there is none.
        apart: Whether it is told apart from the best before it.
        shown: Whether it is the one on the page.
    """

    name: str
    day: str
    value: float | None
    interval: Sequence[float] | None = None
    apart: bool = False
    shown: bool = False


def progress(moments: Sequence[Moment], theme: Theme, titles: tuple[str, str, str], digits: int) -> go.Figure:
    """Draw scores with 95% whiskers in the order in which they came, and the best so far as a stepped line.

    Args:
        moments: Oldest first.
        theme: Its colours.
        titles: The question that the figure answers, what the days are, and what the values are.
        digits: Decimals of a value on hover.
    """
    question, below, beside = titles
    canvas = Canvas(theme, question, 260)
    values = np.array([moment.value for moment in moments], float)
    best = np.fmax.accumulate(values)
    line = {"color": theme.zero, "width": 1.2, "dash": "dot", "shape": "hv"}
    places = list(range(len(moments)))
    canvas.trace("scatter", x=places, y=best, mode="lines", line=line, hoverinfo="skip", name="best so far")
    ends = np.array([moment.interval or (np.nan, np.nan) for moment in moments], float).reshape(-1, 2)
    colours = [theme.accent if moment.apart else theme.paper for moment in moments]
    canvas.trace(
        "scatter",
        x=places,
        y=values,
        mode="markers",
        hovertext=[_moment_hover(moment, digits) for moment in moments],
        hoverinfo="text",
        cliponaxis=False,
        name="score",
        error_y=error_bars(ends[:, 0], values, ends[:, 1], width=0, color=theme.soft, thickness=1.6),
        marker={
            "size": [14 if moment.shown else 10 for moment in moments],
            "line": {"color": theme.accent, "width": 2},
            "color": colours,
        },
    )
    step = -(-len(moments) // NAMED_DAYS)
    named = places[:: max(step, 1)]
    canvas.x_axis(
        below,
        range=[-0.5, len(moments) - 0.5],
        showgrid=False,
        tickvals=named,
        ticktext=[safe(moments[place].day) for place in named],
        tickangle=0,
    )
    canvas.y_axis(beside, nticks=6, tickformat=".3~f")
    return canvas.figure()


def _moment_hover(moment: Moment, digits: int) -> str:
    lines = [f"{safe(moment.name)}: <b>{decimal(moment.value, digits)}</b>", safe(moment.day)]
    if moment.interval is not None:
        lines.append(f"95% interval {span(moment.interval, digits)}")
    return "<br>".join(lines)
