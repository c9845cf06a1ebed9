"""The map of all weights of three parts of a score: who would be first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Bools, Floats
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.drawing import Properties
from scoring.presentation.figures.numerals import percent
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
    """Who is first under all weights of three parts of a score.

    Attributes:
        parts: Names of the three parts.
        weights: [G, 3], each summing to 1.
        first: [G, A] share of the first place that each team has there.
        teams: Names of the A teams.
        official: The challenge's own weights.
    """

    parts: Sequence[str]
    weights: Floats
    first: Floats
    teams: Sequence[str]
    official: Sequence[float]

    def hovers(self, chosen: Bools) -> list[str]:
        """Return the texts shown while the pointer is on the chosen [G] of the points."""
        return [
            self._hover(point, [team for team, share in zip(self.teams, shares, strict=True) if share])
            for point, shares in zip(self.weights[chosen], self.first[chosen], strict=True)
        ]

    def _hover(self, weights: Floats, first: Sequence[str]) -> str:
        named = ", ".join(first[:5]) + (f" and {len(first) - 5} more" if len(first) > 5 else "")
        return f"<b>{safe(named)}</b>" + "".join(
            f"<br>{safe(part)} {value:.2f}" for part, value in zip(self.parts, weights, strict=True)
        )


def weight_map(question: str, found: FirstPlaces, theme: Theme) -> go.Figure:
    """Draw who is first under all weights of three parts; the official weights are a ring.

    A team keeps its colour and its symbol in every map of the same teams. The legend says how much of the map
    each team has.
    """
    alone = np.where(found.first.max(1) == 1, found.first.argmax(1), -1)
    drawn = [
        (name, alone == k, theme.categorical[k % 10], SYMBOLS[k % 10]) for k, name in enumerate(found.teams)
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
        ternary=_triangle(found.parts, theme),
    )
    for name, chosen, colour, symbol in drawn:
        mark: Properties = {"color": colour, "symbol": symbol, "size": 6}
        words = f"{safe(short(name))}: first on {percent(chosen.mean())} of the map"
        _points(canvas, found.weights[chosen], words, mark, found.hovers(chosen))
    ring = {"color": theme.paper, "size": 13, "symbol": "circle", "line": {"color": theme.ink, "width": 3}}
    words = f"official weights {' '.join(f'{value:.2f}' for value in found.official)}"
    _points(canvas, np.array([found.official], float), words, ring, [words])
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
        hoverinfo="text",
        cliponaxis=False,
    )
