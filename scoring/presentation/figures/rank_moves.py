"""Ranks of teams in one part of a test set beside those in another part, a line for each team."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.theme import Theme, safe, short

ROW = 26
"""Height in pixels of one team's row."""
NAME, WIDEST = 18, 9
"""Maximum characters of a name beside its line, and its maximum width in pixels."""
SPREAD = 0.16
"""Share of the width at each end that error bars use, so that none covers another."""
DASHES = {1: "solid", 0: "dot", -1: "dash"}
"""Symbols of teams that rise, stay and fall: colour is never the only sign."""


@dataclass(frozen=True)
class RankMove:
    """Ranks of a team in two parts, with the possible ranks in each; None without replicates."""

    team: str
    before: int
    after: int
    could_before: Sequence[float] | None = None
    could_after: Sequence[float] | None = None

    @property
    def direction(self) -> int:
        """Return 1 if the team rises, -1 if it falls, 0 if it stays."""
        return int(np.sign(self.before - self.after))


def rank_moves(moves: Sequence[RankMove], theme: Theme, question: str, parts: tuple[str, str]) -> go.Figure:
    """Draw each team's rank in the first part at the left and in the second part at the right, with error
    bars over the possible ranks.

    Args:
        parts: Names of both parts.
    """
    longest = max(len(short(move.team, NAME)) for move in moves)
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
        label = f"{move.after}  {safe(short(move.team, NAME))}"
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
