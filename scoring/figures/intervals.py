"""Values with their intervals as rows, for example of subgroups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import decimal, span
from scoring.figures.theme import SMALL, Theme, faded, figure, safe, write

COUNTED = {"malignant_sensitivity": "n_malignant", "recall": "n_positive"}
"""Where a share is not one of all cases of a group: the key of how many it is of."""


@dataclass(frozen=True)
class Row:
    """One dot with its whisker. Without an interval only the dot is drawn, without a value only the name.

    n: cases it rests on; below 15 it is greyed and its number stands on hover only. beside: words at the
    right end of the row. apart: False draws it hollow ("not told apart").
    """

    name: str
    value: float | None
    interval: Sequence[float | None] | None = None
    n: int | None = None
    beside: str = ""
    apart: bool = True


def intervals(
    rows: Sequence[Row],
    theme: Theme,
    question: str,
    axis_title: str,
    *,
    digits: int = 2,
    tied: int = 0,
    reference: float | None = None,
) -> go.Figure:
    """Dots with 95% whiskers, first row on top. tied: how many first rows are shaded. reference: a line (all
    cases, no difference). Rows on fewer than 15 cases are grey and their whisker is faint."""
    fig = figure(theme, question, 50 + 28 * max(2, len(rows)))  # one row alone leaves the axis no room
    if tied:
        fig.add_hrect(-0.5, tied - 0.5, fillcolor=theme.tint, line_width=0, layer="below")
    if reference is not None:
        fig.add_vline(reference, line={"color": theme.zero, "width": 1.5})
    places = list(range(len(rows)))
    drawn = [(i, row) for i, row in enumerate(rows) if row.value is not None]
    for small in (False, True):
        _dots(
            fig,
            theme,
            [(i, row) for i, row in drawn if (row.n is not None and row.n < SMALL) is small],
            digits,
            small,
        )
    beside = [_beside(row) for row in rows]
    for i, text in zip(places, beside, strict=True):
        if text:
            write(fig, 1, i, text, theme.soft, xref="paper", xanchor="left", xshift=8)
    fig.update_layout(margin_r=12 if not any(beside) else 14 + 7 * max(len(t) for t in beside))
    fig.update_xaxes(title_text=axis_title, tickformat=f".{min(digits, 2)}f", nticks=6)
    names = [safe(row.name) for row in rows]
    return fig.update_yaxes(range=[len(rows) - 0.5, -0.5], showgrid=False, tickvals=places, ticktext=names)


def _beside(row: Row) -> str:
    counted_cases = "" if row.n is None else f"n = {row.n}{'*' if row.n < SMALL else ''}"
    return ", ".join(
        part
        for part in (safe(row.beside), counted_cases, "" if row.value is not None else "undefined")
        if part
    )


def _dots(fig: go.Figure, theme: Theme, chosen: Sequence[tuple[int, Row]], digits: int, small: bool) -> None:
    if not chosen:
        return
    rows = [row for _, row in chosen]
    ends = np.array(
        [
            [np.nan, np.nan] if row.interval is None or None in row.interval else list(row.interval)
            for row in rows
        ],
        float,
    )
    value = np.array([row.value for row in rows], float)
    colour = theme.zero if small else theme.accent
    hovers = [
        f"{safe(row.name)}: <b>{decimal(row.value, digits)}</b>"
        + ("" if row.interval is None else f"<br>95% interval {span(row.interval, digits)}")
        + ("" if row.n is None else f"<br>n = {row.n}")
        + ("<br>too few cases for an honest interval" if small else "")
        for row in rows
    ]
    fig.add_scatter(
        x=value,
        y=[i for i, _ in chosen],
        mode="markers",
        hovertext=hovers,
        hoverinfo="text",
        cliponaxis=False,
        name=f"fewer than {SMALL} cases" if small else "value",
        error_x={
            "type": "data",
            "symmetric": False,
            "array": ends[:, 1] - value,
            "arrayminus": value - ends[:, 0],
            "color": faded(theme.soft, 0.4) if small else theme.soft,
            "thickness": 1 if small else 1.6,
            "width": 0,
        },
        marker={
            "size": 8 if small else 10,
            "line": {"color": colour, "width": 2},
            "color": [theme.paper if small or not row.apart else colour for row in rows],
        },
    )


def slice_rows(slices: Mapping[str, Mapping[str, Mapping]], metric: str) -> list[Row]:
    """`ScoreCard.more["slices"]` as rows for `intervals`: one per group, "age 0-29", unknown last.

    metric: "accuracy", "malignant_sensitivity", "recall"; the n of the last two is that of the malignant or
    positive cases.
    """
    size = COUNTED.get(metric, "n")
    return [
        Row(f"{kind} {group}", entry[metric], entry.get(f"{metric}_interval"), entry[size])
        for kind, groups in slices.items()
        for group, entry in sorted(groups.items(), key=lambda item: (item[0] == "unknown", item[0]))
    ]
