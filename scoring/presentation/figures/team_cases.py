"""Figures of the cases that several teams get right or wrong."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.cells import clickable, heat
from scoring.presentation.figures.comparison import MOST_WORDS, brief, turned
from scoring.presentation.figures.numerals import decimal
from scoring.presentation.figures.theme import Theme, safe, short

LONGEST = 22
"""Characters of a case's name."""


def case_heat(names: Sequence[str], cases: Sequence[str], right: Floats, theme: Theme) -> go.Figure:
    """Draw how right each team is in each case: the strongest colour is wrong, × where nothing is right, and
    numbers where cases are more than right or wrong.

    Every cell can be clicked: its `customdata` is (case, team).

    Args:
        names: Of the A teams.
        cases: Names of the cases, the hardest first.
        right: [cases, A] from 0 (wrong) to 1 (right); NaN where a case does not count.
        theme: Its colours.
    """
    graded = bool((np.isfinite(right) & (right != 1) & (right != 0)).any())
    words, hovers = (np.full((len(cases), len(names)), "", object) for _ in range(2))
    for i, j in np.ndindex(right.shape):
        value = float(right[i, j])
        hovers[i, j] = f"<b>{safe(cases[i])}</b><br>{safe(names[j])}: {_rightness(value)}"
        if len(names) <= MOST_WORDS:
            words[i, j] = "×" if value == 0 else brief(value) if graded and np.isfinite(value) else ""
    canvas = Canvas(theme, "Which cases are hard for all?", 90 + 22 * len(cases))
    columns, rows = [safe(short(name)) for name in names], [_end(case) for case in cases]
    heat(canvas, 0.06 + 0.8 * (1 - right), columns, rows, words, hovers)
    clickable(canvas, [(case, team) for case in cases for team in names], len(names))
    canvas.x_axis(range=[-0.5, len(names) - 0.5], tickangle=turned(len(names)))
    canvas.y_axis(range=[len(cases) - 0.5, -0.5])
    return canvas.figure()


def _rightness(value: float) -> str:
    if not np.isfinite(value):
        return "does not count"
    return "wrong" if value == 0 else "right" if value == 1 else decimal(value, 3)


def _end(name: str) -> str:
    """Return the end of a case's name, where names differ."""
    last = name.rsplit("/", 1)[-1]
    return safe(last if len(last) <= LONGEST else f"…{last[-LONGEST + 1 :]}")


def teams_right(counts: Sequence[int], theme: Theme) -> go.Figure:
    """Draw how many cases are right for 0, 1 ... all teams; counts: [A + 1]."""
    canvas = Canvas(theme, "How many teams are right?", 220)
    canvas.trace(
        "bar",
        x=list(range(len(counts))),
        y=list(counts),
        marker={"color": [theme.accent if k else theme.ink for k in range(len(counts))]},
        text=[str(n) for n in counts] if len(counts) <= MOST_WORDS else None,
        textposition="outside",
        textfont={"color": theme.ink},
        cliponaxis=False,
        hovertext=[f"{k} of {len(counts) - 1} teams right: {n} cases" for k, n in enumerate(counts)],
        hoverinfo="text",
    )
    canvas.x_axis("teams that are right", dtick=max(1, len(counts) // 12))
    canvas.y_axis("cases", range=[0, 1.15 * max(*counts, 1)])
    return canvas.figure()
