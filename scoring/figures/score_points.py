"""Points of a score: won by part, lost by class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import decimal, span
from scoring.figures.theme import Theme, counted, faded, figure, label, safe, text_on, write

ROW = 26
"""Height in pixels of one row of bars or dots."""


@dataclass(frozen=True)
class Part:
    """One summand of a score. short: the name where there is no room. weight: points of 100. value: 0..1, or
    None where undefined."""

    name: str
    short: str
    weight: float
    value: float | None


def score_strip(
    parts: Sequence[Part], theme: Theme, interval: Sequence[float] | None = None, ceiling: float | None = None
) -> go.Figure:
    """Solid points won add up to the score, hatched points lost to 100.

    interval and ceiling: points of 100. An undefined part wins none.
    """
    colours = (theme.accent, theme.second, theme.third, *theme.categorical)
    fig = figure(
        theme, "Where does the score come from?", 128, barmode="stack", bargap=0, hovermode="closest"
    )
    start = 0.0
    for lost in (False, True):
        for part, colour in zip(parts, colours, strict=False):
            value = part.value or 0.0
            size = part.weight * (1 - value if lost else value)
            _strip_piece(fig, theme, part, value, size, start, colour, lost)
            start += size
    score = sum(part.weight * (part.value or 0.0) for part in parts)
    _strip_marks(fig, theme, score, interval, ceiling)
    fig.update_xaxes(range=[0, 100], dtick=20, showgrid=False)
    return fig.update_yaxes(range=[-0.95, 0.85], visible=False)


def _strip_piece(
    fig: go.Figure, theme: Theme, part: Part, value: float, size: float, start: float, colour: str, lost: bool
) -> None:
    share = f"(1 − {value:.6f})" if lost else f"{value:.6f}"
    hatch = (
        {"shape": "/", "fgcolor": faded(colour, 0.55), "bgcolor": theme.paper, "size": 6, "solidity": 0.25}
        if lost
        else None
    )
    edge = faded(colour, 0.55) if lost else theme.paper
    fig.add_bar(
        y=[0],
        x=[size],
        orientation="h",
        width=0.62,
        hoverinfo="text",
        name=f"{safe(part.name)} {'lost' if lost else 'won'}",
        hovertext=(
            f"{safe(part.name)}<br>{part.weight:g} × {share} = {size:.4f} points {'lost' if lost else 'won'}"
        ),
        marker={
            "color": theme.paper if lost else colour,
            "line": {"color": edge, "width": 1},
            "pattern": hatch,
        },
    )
    number = _fitting([f"{'−' if lost else ''}{size:.{digits}f}" for digits in (2, 1)], size)
    name = _fitting([f"{part.short} lost", "lost"] if lost else [part.name, part.short], size)
    if number:
        ground = theme.paper if lost else None
        write(
            fig,
            start + size / 2,
            0,
            f"<b>{number}</b>",
            theme.ink if lost else text_on(colour),
            bgcolor=ground,
            borderpad=1,
        )
    if name:
        write(fig, start, 0.62, safe(name), theme.soft, xanchor="left", xshift=-3)


def _fitting(candidates: Sequence[str], size: float) -> str:
    """The first of the texts that fits into `size` points. A figure never knows its width, so it must fit a
    phone: 3 pixels a point."""
    return next((text for text in candidates if 2 * len(text) <= size), "")


def _strip_marks(
    fig: go.Figure, theme: Theme, score: float, interval: Sequence[float] | None, ceiling: float | None
) -> None:
    below, mark = -0.62, {"color": theme.ink, "line": {"color": theme.ink, "width": 2}}
    words = f"score {decimal(score, 2)}"
    room = 100.0 if ceiling is None else ceiling - (interval[1] if interval is not None else score)
    if interval is not None:
        words += f", 95% interval {span(interval, 1)}"
        fig.add_scatter(
            x=list(interval),
            y=[below, below],
            mode="lines",
            line={"color": theme.ink, "width": 2},
            hoverinfo="skip",
            name="interval",
        )
        if room > 44:
            write(fig, interval[1] + 1, below, "95% interval", theme.soft, xanchor="left")
        elif interval[0] > 27:
            write(fig, interval[0] - 1, below, "95% interval", theme.soft, xanchor="right")
    fig.add_scatter(
        x=[score],
        y=[below],
        mode="markers",
        marker=mark | {"symbol": "diamond", "size": 10},
        hovertext=words,
        hoverinfo="text",
        name="score",
    )
    if ceiling is not None:
        fig.add_scatter(
            x=[ceiling],
            y=[below],
            mode="markers",
            marker=mark | {"symbol": "line-ns", "size": 12},
            cliponaxis=False,
            hovertext=f"ceiling {decimal(ceiling, 2)}: the score with every case right",
            hoverinfo="text",
        )
        if room > 12:
            write(fig, ceiling - 1, below, "ceiling", theme.soft, xanchor="right")


def points_lost(
    per_class: Mapping[str, Mapping], theme: Theme, measure: tuple[str, str] = ("f1", "F1")
) -> go.Figure:
    """Points that each class's measure cost, largest first. per_class: `ScoreCard.per_class` with
    score_worth, score_lost (shares of the score; None where the class is not in the mean), support, risk and
    the measure, given as key and name. Loss of a class without a case is hatched: no model can win it on this
    test set."""
    counted_classes = {name: c for name, c in per_class.items() if c["score_worth"] is not None}
    # Plotly draws from the bottom up; equal losses stay in class order.
    rows = sorted(counted_classes.items(), key=lambda item: -item[1]["score_lost"])[::-1]
    fig = figure(theme, "Where were the points lost?", 30 + ROW * len(rows), barmode="overlay")
    names = [counted(name, c["support"], c.get("risk"), theme) for name, c in rows]
    worth, lost = (np.array([100 * c[key] for _, c in rows]) for key in ("score_worth", "score_lost"))
    fig.add_bar(y=names, x=worth, orientation="h", marker_color=theme.tint, hoverinfo="skip", name="worth")
    reasons = ["mistakes" if c["support"] else "no case in this test set" for _, c in rows]
    hovers = [
        (
            f"{label(safe(name), c.get('risk'))}<br>lost {a:.2f} of {b:.2f} points, "
            f"{why}<br>{measure[1]} {decimal(c[measure[0]], 3)}, n = {c['support']}"
        )
        for (name, c), a, b, why in zip(rows, lost, worth, reasons, strict=True)
    ]
    fig.add_bar(
        y=names,
        x=lost,
        orientation="h",
        hovertext=hovers,
        hoverinfo="text",
        name="lost",
        marker={
            "color": [theme.risk[c["risk"]] if c.get("risk") else theme.accent for _, c in rows],
            "pattern": {"shape": ["" if c["support"] else "/" for _, c in rows], "fgcolor": theme.paper},
        },
    )
    for name, a, b, (_, c) in zip(names, lost, worth, rows, strict=True):
        # 5.625 and 1.875 are halves: a little more rounds them as people do.
        rest = f"of {decimal(b + 1e-9, 2)}{'' if c['support'] else ', no case'}"
        write(
            fig,
            b,
            name,
            f"{decimal(a, 2)} <span style='color:{theme.soft}'>{rest}</span>",
            theme.ink,
            xanchor="left",
            xshift=6,
        )
    room = 1.45 if all(c["support"] for _, c in rows) else 1.65
    fig.update_xaxes(
        title_text="points of 100",
        range=[0, worth.max() * room],
        tickvals=list(range(0, int(worth.max()) + 1, 1 + int(worth.max() // 12))),
        showgrid=False,
    )
    return fig.update_yaxes(showgrid=False)
