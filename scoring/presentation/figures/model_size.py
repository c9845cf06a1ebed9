"""The figure of scores over the sizes of models."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.drawing import Properties
from scoring.presentation.figures.numerals import decimal, span
from scoring.presentation.figures.theme import Theme, safe, short

MOST_NAMES = 10
"""Teams up to which their names stand beside their points."""
TICKS = [10.0**power for power in range(-3, 5)]
LIMITS = ("full marks to here", "none from here")
"""What the two sizes mean at which a challenge takes points away."""


@dataclass(frozen=True)
class Sized:
    """A team's model and its score.

    Attributes:
        name: Of the team.
        mib: Size of the model in MiB.
        score: In the unit that is shown.
        interval: Of the score, None without.
    """

    name: str
    mib: float
    score: float
    interval: Sequence[float] | None


def size_scatter(
    teams: Sequence[Sized], unit: str, digits: int, theme: Theme, limits: tuple[float, float] | None = None
) -> go.Figure:
    """Draw score over model size on a logarithmic axis. Filled: no smaller model scores as high.

    Args:
        teams: Models and scores.
        unit: Of the score.
        digits: Decimals of the score.
        theme: Its colours.
        limits: MiB from which the challenge takes points away, and at which none are left.
    """
    ordered = sorted(teams, key=lambda team: (team.mib, -team.score))
    values = np.array([team.score for team in ordered], float)
    front = values > np.r_[-np.inf, np.maximum.accumulate(values)[:-1]]
    margin = {"l": 4, "r": 20, "t": 24, "b": 4}
    canvas = Canvas(theme, "Is a larger model a better one?", 380, margin=margin)
    for limit, words in zip(limits or (), LIMITS, strict=False):
        canvas.rule(limit, theme.zero, dash="dot")
        place: Properties = {"yref": "paper", "yanchor": "bottom", "xanchor": "center"}
        canvas.write(float(np.log10(limit)), 1, words, theme.soft, **place)
    edge = [team for team, first in zip(ordered, front, strict=True) if first]
    canvas.trace(
        "scatter",
        x=[team.mib for team in edge],
        y=[team.score for team in edge],
        mode="lines",
        line={"color": theme.grid, "width": 2, "shape": "hv"},
        hoverinfo="skip",
    )
    low, high = np.array([team.interval or (team.score, team.score) for team in ordered], float).T
    canvas.trace(
        "scatter",
        x=[team.mib for team in ordered],
        y=values,
        mode="markers+text" if len(ordered) <= MOST_NAMES else "markers",
        text=[f"  {safe(short(team.name))}" for team in ordered],
        textposition="middle right",
        textfont={"color": theme.ink, "size": 12},
        cliponaxis=False,
        hovertext=[
            f"<b>{safe(t.name)}</b><br>{t.mib:.2f} MiB<br>{decimal(t.score, digits)} {unit}<br>95% "
            f"interval {span(t.interval, digits)}"
            for t in ordered
        ],
        hoverinfo="text",
        error_y=error_bars(low, values, high, color=theme.soft, thickness=1.2, width=0),
        marker={
            "size": 10,
            "color": [theme.accent if first else theme.paper for first in front],
            "line": {"color": theme.accent, "width": 2},
        },
    )
    sizes = [max(team.mib, 0.001) for team in ordered] + list(limits or ())
    _size_axis(canvas, sizes, limits or ())
    canvas.y_axis(unit)
    return canvas.figure()


def _size_axis(canvas: Canvas, sizes: Sequence[float], limits: Sequence[float]) -> None:
    ticks = [*TICKS, *limits]
    canvas.x_axis(
        "model size, MiB",
        type="log",
        range=[float(np.log10(min(sizes))) - 0.25, float(np.log10(max(sizes))) + 0.45],
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
    )
