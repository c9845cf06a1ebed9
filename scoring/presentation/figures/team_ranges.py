"""Interval plot of many teams, with a thin row per team that shows a dot, a likely range and a possible
range. Also the ranks of teams in two parts of a test set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.theme import Theme, faded, safe, short

ROOM, LOWEST, HIGHEST = 830, 8.0, 18.0
"""Height in px of all rows together on a printed page; minimum and maximum height of a row."""
NAME = 26
"""Maximum number of characters of a name."""


@dataclass(frozen=True)
class TeamRange:
    """A row with a dot and two lines for ranges.

    Attributes:
        name: Name of the team, with its rank.
        value: Position of the dot.
        likely: Ends of the thick line; None if it is not drawn.
        possible: Ends of the thin line; None if it is not drawn.
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
    """Draw one row per team from top to bottom, with a faint line at every fifth row.

    Args:
        rows: Rows from top to bottom; about 100 rows fill a printed page.
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


ROW = 26
"""Height in pixels of one team's row."""
MOVED_NAME, WIDEST = 18, 9
"""Maximum number of characters of a name beside a line, and maximum width of a character in px."""
SPREAD = 0.16
"""Error bars are spread over this share of the width at each end, so that no error bar covers another."""
DASHES = {1: "solid", 0: "dot", -1: "dash"}
"""Line styles of teams whose rank becomes better, stays, and becomes worse: colour is not the only sign."""


@dataclass(frozen=True)
class RankMove:
    """Ranks of a team in two parts of the test set, with the possible ranks in each. Possible ranks are None
    without replicates."""

    team: str
    before: int
    after: int
    could_before: Sequence[float] | None = None
    could_after: Sequence[float] | None = None

    @property
    def direction(self) -> int:
        """Return 1 if the team's rank is better in the second part of the test set, -1 if it is worse, 0 if
        both ranks are equal."""
        return int(np.sign(self.before - self.after))


def rank_moves(moves: Sequence[RankMove], theme: Theme, question: str, parts: tuple[str, str]) -> go.Figure:
    """Draw each team's rank in the first part on the left and in the second part on the right. Error bars
    show the possible ranks. `parts` contains the names of both parts."""
    longest = max(len(short(move.team, MOVED_NAME)) for move in moves)
    canvas = Canvas(theme, question, 70 + ROW * max(4, len(moves)), margin={"r": 24 + WIDEST * longest})
    colours = {1: theme.accent, 0: theme.soft, -1: theme.second}
    rows_before, rows_after = (
        _rows_of([(getattr(m, side), m.team) for m in moves]) for side in ("before", "after")
    )
    for move in moves:
        ends = (rows_before[move.team], rows_after[move.team])
        colour = colours[move.direction]
        _whiskers(canvas, move, ends, len(moves))
        canvas.trace(
            "scatter",
            x=[0, 1],
            y=ends,
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": DASHES[move.direction]},
            marker={"color": colour, "size": 8},
            hovertext=f"<b>{safe(move.team)}</b><br>rank {move.before}, then {move.after}",
            cliponaxis=False,
            name=safe(move.team),
            showlegend=False,
        )
        label = f"{move.after}  {safe(short(move.team, MOVED_NAME))}"
        canvas.write(1 + SPREAD, ends[1], label, theme.ink, xanchor="left", xshift=8)
    canvas.x_axis(
        range=[-SPREAD - 0.04, 1 + SPREAD + 0.04],
        tickvals=[0, 1],
        ticktext=list(parts),
        showgrid=False,
        tickangle=0,
    )
    canvas.y_axis(
        "rank",
        range=[len(moves) + 0.7, 0.3],
        tickvals=[rows_before[move.team] for move in moves],
        ticktext=[str(move.before) for move in moves],
        showgrid=False,
    )
    return canvas.figure()


def _whiskers(canvas: Canvas, move: RankMove, ends: tuple[int, int], teams: int) -> None:
    """Draw the ranks that a team could hold beside both of its ends, each in a column of its own."""
    ranks, places = np.array([move.before, move.after], float), np.array(ends, float)
    could = [move.could_before or (move.before,) * 2, move.could_after or (move.after,) * 2]
    low, high = (np.array([pair[side] for pair in could], float) for side in (0, 1))
    if (low == high).all():
        return
    aside = 0.03 + (SPREAD - 0.03) * (places - 1) / max(1, teams - 1)
    style = {"color": canvas.theme.soft, "thickness": 1.5, "width": 0}
    canvas.trace(
        "scatter",
        x=[-aside[0], 1 + aside[1]],
        y=places,
        mode="markers",
        marker={"color": canvas.theme.soft, "size": 4},
        error_y=error_bars(places - ranks + low, places, places - ranks + high, **style),
        showlegend=False,
    )


def _rows_of(ranks: Sequence[tuple[int, str]]) -> dict[str, int]:
    """Return the row of each team from 1 on: by rank, those of one rank by name."""
    return {team: row for row, (_, team) in enumerate(sorted(ranks), 1)}
