"""Interval plot of many teams: a thin row for each, with a dot, a likely range and a possible range."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.theme import Theme, faded, safe, short

ROOM, LOWEST, HIGHEST = 830, 8.0, 18.0
"""Height in px of all rows of a figure that fills a printed page, and of one row."""
NAME = 26
"""Maximum characters of a name."""


@dataclass(frozen=True)
class TeamRange:
    """A row of the plot.

    Attributes:
        name: Name of the team, with its rank.
        value: Position of the dot.
        likely: Ends of the thick line, None if there is none.
        possible: Ends of the thin line, None if there is none.
        filled: Whether the dot is filled.
    """

    name: str
    value: float
    likely: Sequence[float] | None
    possible: Sequence[float] | None = None
    filled: bool = True
    beside: str = ""


def team_ranges(
    rows: Sequence[TeamRange], theme: Theme, question: str, axis_title: str, line: float | None = None
) -> go.Figure:
    """Draw teams from top to bottom, with a faint line at every fifth row.

    Args:
        rows: The first on top; about 100 fill a printed page.
        line: Position of a vertical line.
    """
    n = len(rows)
    height = min(HIGHEST, max(LOWEST, ROOM / n))
    size = max(6.0, min(11.0, 0.85 * height))
    longest = max(len(row.beside) for row in rows)
    canvas = Canvas(theme, question, round(56 + height * n), margin={"r": 12 + round(0.6 * size * longest)})
    for y in range(4, n - 1, 5):
        canvas.level(y + 0.5, faded(theme.zero, 0.35), 0.5)
    if line is not None:
        canvas.rule(line, theme.zero, 1)
    places, values = np.arange(n), np.array([row.value for row in rows])
    for ends, width, colour in (
        ([row.possible for row in rows], 0.8, theme.soft),
        ([row.likely for row in rows], min(4.0, 0.4 * height), faded(theme.accent, 0.45)),
    ):
        low, high = np.array([pair or (np.nan, np.nan) for pair in ends], float).T
        if np.isfinite(low).any():
            canvas.trace(
                "scatter",
                x=values,
                y=places,
                mode="markers",
                marker={"size": 1, "color": colour},
                error_x=error_bars(low, values, high, width=0, color=colour, thickness=width),
            )
    canvas.trace(
        "scatter",
        x=values,
        y=places,
        mode="markers",
        hovertext=[f"<b>{safe(row.name)}</b> {safe(row.beside)}" for row in rows],
        cliponaxis=False,
        marker={
            "size": 0.6 * height,
            "line": {"color": theme.accent, "width": 1},
            "color": [theme.accent if row.filled else theme.paper for row in rows],
        },
    )
    for y, row in enumerate(rows):
        if row.beside:
            canvas.write(1, y, safe(row.beside), theme.soft, size, xref="paper", xanchor="left", xshift=6)
    canvas.x_axis(axis_title, tickangle=0)
    labels = [safe(short(row.name, NAME)) for row in rows]
    canvas.rows(labels, tickfont={"size": size, "color": theme.ink})
    return canvas.figure()
