"""Figures of teams: scores by model size, and the first team for all weights of three parts of the score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Bools, Floats
from scoring.common.direction_and_range import Better, Quantity
from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.number_format import decimal, percent, span
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import Theme, safe, short

SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "star",
    "hexagon",
    "triangle-down",
    "x",
    "pentagon",
)


@dataclass(frozen=True)
class FirstPlaces:
    """The first team for G choices of weights of three parts of a score.

    Attributes:
        weights: [G, 3] weights of the parts in each choice; they sum to 1.
        first: [G, A] share of the first rank that each team has with these weights.
    """

    parts: Sequence[str]
    weights: Floats
    first: Floats
    teams: Sequence[str]
    official: Sequence[float]

    def hovers(self, chosen: Bools) -> list[str]:
        """Return the hover texts of some choices of weights; `chosen` is bool [G]."""
        return [
            self._hover(point, [team for team, share in zip(self.teams, shares, strict=True) if share])
            for point, shares in zip(self.weights[chosen], self.first[chosen], strict=True)
        ]

    def _hover(self, weights: Floats, first: Sequence[str]) -> str:
        named = ", ".join(first[:5]) + (f" and {len(first) - 5} more" if len(first) > 5 else "")
        return f"<b>{safe(named)}</b>" + "".join(
            f"<br>{safe(part)} {value:.2f}" for part, value in zip(self.parts, weights, strict=True)
        )


def weight_map(question: str, places: FirstPlaces, theme: Theme) -> go.Figure:
    """Draw the first team for all weights of three parts of a score. A ring marks the official weights.

    A team has the same colour and symbol in every map of the same teams. The legend states on which share of
    the map each team is first.
    """
    alone = np.where(places.first.max(1) == 1, places.first.argmax(1), -1)
    drawn = [
        (name, alone == k, theme.categorical[k % 10], SYMBOLS[k % 10]) for k, name in enumerate(places.teams)
    ]
    drawn.append(("several", alone == -1, theme.zero, "circle-open"))
    drawn = [entry for entry in drawn if entry[1].any()]
    canvas = Canvas(
        theme,
        question,
        400 + 20 * len(drawn),
        margin={"l": 40, "r": 40, "t": 34, "b": 70 + 20 * len(drawn)},
        showlegend=True,
        legend={
            "orientation": "v",
            "y": -0.16,
            "yanchor": "top",
            "x": 0,
            "font": {"size": 12, "color": theme.ink},
            "itemsizing": "constant",
            "tracegroupgap": 0,
        },
        ternary=_triangle(places.parts, theme),
    )
    for name, chosen, colour, symbol in drawn:
        mark: Properties = {"color": colour, "symbol": symbol, "size": 6}
        text = f"{safe(short(name))}: first on {percent(chosen.mean())} of the map"
        _points(canvas, places.weights[chosen], text, mark, places.hovers(chosen))
    ring = {"color": theme.paper, "size": 13, "symbol": "circle", "line": {"color": theme.ink, "width": 3}}
    text = f"official weights {' '.join(f'{value:.2f}' for value in places.official)}"
    _points(canvas, np.array([places.official], float), text, ring, [text])
    return canvas.figure()


def _triangle(parts: Sequence[str], theme: Theme) -> Properties:
    """Return the axes of the map, one per part."""
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.zero,
        "tickfont": {"color": theme.ink, "size": 11},
        "dtick": 0.25,
        "min": 0,
        "tickformat": ".2~f",
    }
    titles = [{"text": safe(part), "font": {"size": 12, "color": theme.soft}} for part in parts]
    axes = {f"{name}axis": axis | {"title": title} for name, title in zip("abc", titles, strict=True)}
    return {"bgcolor": "rgba(0,0,0,0)", "sum": 1, **axes}


def _points(canvas: Canvas, weights: Floats, name: str, mark: Properties, hovers: Sequence[str]) -> None:
    a, b, c = weights.T
    canvas.trace(
        "scatterternary",
        a=a,
        b=b,
        c=c,
        mode="markers",
        name=name,
        marker=mark,
        hovertext=list(hovers),
        cliponaxis=False,
    )


MOST_NAMES = 10
"""Up to this number of teams, names are written beside the points."""
TICKS = [10.0**power for power in range(-3, 5)]
LIMITS = ("full points up to here", "0 points from here")
"""Labels of two model sizes. Models up to the first size get all points for size; models from the second size
on get 0."""


@dataclass(frozen=True)
class Sized:
    """A team's model size and score.

    Attributes:
        score: The score in the displayed unit.
    """

    name: str
    mib: float
    score: float
    interval: Sequence[float] | None


def size_scatter(
    teams: Sequence[Sized],
    unit: str,
    digits: int,
    theme: Theme,
    limits: tuple[float, float] | None = None,
    better: Better = "higher",
) -> go.Figure:
    """Draw the score against the model size on a logarithmic axis. A dot is filled if no smaller model has
    the same or a better score.

    Args:
        limits: Two sizes in MiB: from the first on, the challenge subtracts points; at the second, all points
            for size are lost.
    """
    turned = Quantity(better).oriented
    ordered = sorted(teams, key=lambda team: (team.mib, -turned(team.score)))
    values = np.array([team.score for team in ordered], float)
    front = turned(values) > np.r_[-np.inf, np.maximum.accumulate(turned(values))[:-1]]
    margin = {"l": 4, "r": 20, "t": 24, "b": 4}
    canvas = Canvas(theme, "Is a larger model a better one?", 380, margin=margin)
    for limit, name in zip(limits or (), LIMITS, strict=False):
        canvas.rule(limit, theme.zero, dash="dot")
        anchor: Properties = {"yref": "paper", "yanchor": "bottom", "xanchor": "center"}
        canvas.write(float(np.log10(limit)), 1, name, theme.soft, **anchor)
    edge = [team for team, first in zip(ordered, front, strict=True) if first]
    canvas.trace(
        "scatter",
        x=[team.mib for team in edge],
        y=[team.score for team in edge],
        mode="lines",
        line={"color": theme.grid, "width": 2, "shape": "hv"},
    )
    _markers(canvas, ordered, front, unit, digits)
    sizes = [max(team.mib, 0.001) for team in ordered] + list(limits or ())
    _size_axis(canvas, sizes, limits or ())
    canvas.y_axis(unit)
    return canvas.figure()


def _markers(canvas: Canvas, ordered: Sequence[Sized], front: Bools, unit: str, digits: int) -> None:
    scores = np.array([team.score for team in ordered], float)
    low, high = np.array([team.interval or (team.score, team.score) for team in ordered], float).T
    canvas.trace(
        "scatter",
        x=[team.mib for team in ordered],
        y=scores,
        mode="markers+text" if len(ordered) <= MOST_NAMES else "markers",
        text=[f"  {safe(short(team.name))}" for team in ordered],
        textposition="middle right",
        textfont={"color": canvas.theme.ink, "size": 12},
        cliponaxis=False,
        hovertext=[
            f"<b>{safe(t.name)}</b><br>{t.mib:.2f} MiB<br>{decimal(t.score, digits)} {unit}<br>95% "
            f"interval {span(t.interval, digits)}"
            for t in ordered
        ],
        error_y=error_bars(low, scores, high, color=canvas.theme.soft, thickness=1.2, width=0),
        marker={
            "size": 10,
            "color": [canvas.theme.accent if first else canvas.theme.paper for first in front],
            "line": {"color": canvas.theme.accent, "width": 2},
        },
    )


def _size_axis(canvas: Canvas, sizes: Sequence[float], limits: Sequence[float]) -> None:
    ticks = [*TICKS, *limits]
    canvas.x_axis(
        "model size, MiB",
        type="log",
        range=[float(np.log10(min(sizes))) - 0.25, float(np.log10(max(sizes))) + 0.45],
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
    )
