"""Interval plots: each row shows a value with its confidence interval, for example of a subgroup."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from scoring.common.findings import SMALL_CLASS
from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.number_format import decimal, span
from scoring.presentation.figures.theme import Theme, faded, lined, safe

COUNTED = {"malignant_sensitivity": "n_malignant", "recall": "n_positive"}
"""Measure -> key of the number of cases that it counts, for measures that do not count all cases of a
group."""
KINDS = {"location": "site"}
"""Name of a column of groups in files -> its name on pages."""
NARROWED = 100
"""If the right column is wider than this (in px), the axis has too little room on a phone."""


@dataclass(frozen=True)
class IntervalRow:
    """A dot with an error bar.

    Attributes:
        value: The value; None draws only the name.
        interval: Lower and upper end; None draws only the dot.
        n: Number of cases. If it is below 15, the row is grey and only its hover text shows the number.
        apart: False draws a hollow dot, which means that the test does not separate the team.
        through_all: Whether a line through all rows marks this value for comparison.
    """

    name: str
    value: float | None
    interval: Sequence[float | None] | None = None
    n: int | None = None
    beside: str = ""
    apart: bool = True
    through_all: bool = False


def intervals(
    rows: Sequence[IntervalRow],
    theme: Theme,
    question: str,
    axis_title: str,
    *,
    digits: int = 2,
    tied: int = 0,
    reference: float | None = None,
) -> go.Figure:
    """Draw dots with 95 % error bars, the first row on top. Rows with fewer than 15 cases are grey.

    Args:
        tied: Number of shaded rows at the top.
        reference: Position of a vertical line, which marks for example the value on all cases, or no
            difference.
    """
    canvas = interval_canvas(rows, theme, question, axis_title, digits=digits, tied=tied, reference=reference)
    return canvas.figure()


def interval_canvas(
    rows: Sequence[IntervalRow],
    theme: Theme,
    question: str,
    axis_title: str,
    *,
    digits: int,
    tied: int,
    reference: float | None,
) -> Canvas:
    """Return the canvas of the figure that `intervals` draws, for figures that add to it."""
    beside = [_beside(row) for row in rows]
    right = 14 + 7 * max(map(len, beside)) if any(beside) else 12
    labels = [lined(row.name) for row in rows]
    row_height = 38 if any("<br>" in label for label in labels) else 28
    height = 50 + row_height * max(2, len(rows))  # one row alone leaves the axis no room
    canvas = Canvas(theme, question, height, margin={"r": right})
    if tied:
        across = {"x0": 0, "x1": 1, "xref": "x domain", "y0": -0.5, "y1": tied - 0.5, "yref": "y"}
        area = {"fillcolor": theme.tint, "line": {"width": 0}, "layer": "below"}
        canvas.shapes.append({"type": "rect", **across, **area})
    if reference is not None:
        canvas.rule(reference, theme.zero, 1.5)
    for small in (False, True):
        drawn = [i for i, row in enumerate(rows) if row.value is not None and _is_small(row) is small]
        _dots(canvas, [rows[i] for i in drawn], drawn, digits, small)
    for y, text in enumerate(beside):
        if text:
            canvas.write(1, y, text, theme.soft, xref="paper", xanchor="left", xshift=8)
    ticks = 6 if right < NARROWED else 4  # on a phone more would run into each other
    canvas.x_axis(axis_title, tickformat=f".{min(digits, 2)}f", nticks=ticks, tickangle=0)
    canvas.rows(labels)
    return canvas


def _is_small(row: IntervalRow) -> bool:
    return row.n is not None and row.n < SMALL_CLASS


def _beside(row: IntervalRow) -> str:
    cases = "" if row.n is None else f"n = {row.n}{'*' if _is_small(row) else ''}"
    return ", ".join(filter(None, (safe(row.beside), cases, "" if row.value is not None else "undefined")))


def _dots(
    canvas: Canvas, rows: Sequence[IntervalRow], places: Sequence[int], digits: int, small: bool
) -> None:
    if not rows:
        return
    theme = canvas.theme
    value = np.array([row.value for row in rows], float)
    low, high = np.array([_ends(row) for row in rows], float).T
    whisker = (
        {"color": faded(theme.soft, 0.4), "thickness": 1}
        if small
        else {"color": theme.soft, "thickness": 1.6}
    )
    colour = theme.zero if small else theme.accent
    canvas.trace(
        "scatter",
        x=value,
        y=places,
        mode="markers",
        hovertext=[_hover(row, digits) for row in rows],
        cliponaxis=False,
        name=f"fewer than {SMALL_CLASS} cases" if small else "value",
        error_x=error_bars(low, value, high, width=0, **whisker),
        marker={
            "size": 8 if small else 10,
            "line": {"color": colour, "width": 2},
            "color": [theme.paper if small or not row.apart else colour for row in rows],
        },
    )


def _ends(row: IntervalRow) -> Sequence[float | None]:
    return (None, None) if row.interval is None or None in row.interval else row.interval


def _hover(row: IntervalRow, digits: int) -> str:
    lines = [f"{safe(row.name)}: <b>{decimal(row.value, digits)}</b>"]
    if row.interval is not None:
        lines.append(f"95% interval {span(row.interval, digits)}")
    if row.n is not None:
        lines.append(f"n = {row.n}")
    if _is_small(row):
        lines.append("too few cases for a reliable interval")
    return "<br>".join(lines)


def slice_rows(slices: Mapping[str, Mapping[str, Mapping[str, Any]]], metric: str) -> list[IntervalRow]:
    """Return subgroups as rows for `intervals`. Each row is a group such as "age 0-29"; unknown values come
    last.

    Args:
        slices: `ScoreCard.more["slices"]`: column -> group -> numbers.
        metric: "accuracy", "malignant_sensitivity" or "recall"; the last two count only the malignant or
            positive cases.
    """
    size = COUNTED.get(metric, "n")
    return [
        IntervalRow(
            f"{KINDS.get(kind, kind)} {group}", entry[metric], entry.get(f"{metric}_interval"), entry[size]
        )
        for kind, groups in slices.items()
        for group, entry in sorted(groups.items(), key=lambda item: (item[0] == "unknown", item[0]))
    ]
