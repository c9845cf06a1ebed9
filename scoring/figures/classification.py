"""Figures of a scored classifier. Each builder takes plain numbers and a `Theme`; the question it answers
stands in `layout.meta`.

Shares and outputs are 0..1 unless said otherwise, points are of 100. Undefined numbers are None or NaN and
are drawn as a gap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import decimal, percent, span
from scoring.figures.theme import (
    SHAPES,
    SMALL,
    SYMBOLS,
    Theme,
    counted,
    faded,
    figure,
    heat,
    label,
    safe,
    text_on,
    write,
)

ROW = 26
"""Height in pixels of one row of bars or dots."""
COUNTED = {"malignant_sensitivity": "n_malignant", "recall": "n_positive"}
"""Where a share is not one of all cases of a group: the key of how many it is of."""


@dataclass(frozen=True)
class Part:
    """One summand of a score. short: the name where there is no room. weight: points of 100. value: 0..1, or
    None where undefined."""

    name: str
    short: str
    weight: float
    value: float | None


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


def matrix(
    counts: Sequence[Sequence[int]],
    names: Sequence[str],
    theme: Theme,
    question: str,
    height: int,
    *,
    risks: Mapping[str, str] | None = None,
    show: str = "counts",
    blocks: Sequence[int] = (),
    outlined: tuple[int, int] | None = None,
    size: int = 12,
) -> go.Figure:
    """Counts [K, K], rows = truth, coloured by the share of the row.

    show: "counts", "shares" (percent of the row) or "both". blocks: after how many classes a line parts the
    groups. outlined: row and column of the harm. An empty cell is blank unless it is that one: no harm is
    worth saying.
    """
    counts, risks = np.asarray(counts), risks or {}
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    words = np.full(counts.shape, "", object)
    hovers = np.empty(counts.shape, object)
    for (i, j), n in np.ndenumerate(counts):
        part = percent(shares[i, j])
        if n or (i, j) == outlined:
            words[i, j] = {
                "counts": f"<b>{n}</b>",
                "shares": f"<b>{part}</b>",
                "both": f"<b>{n}</b><br>{part}",
            }[show]
        hovers[i, j] = (
            f"truth {label(safe(names[i]), risks.get(names[i]))}<br>called "
            f"{label(safe(names[j]), risks.get(names[j]))}"
            f"<br>{n} cases, {part} of the row"
        )
    columns, rows = ([label(name, risks.get(name), theme, last) for name in names] for last in (False, True))
    turned = len(names) > 4
    if turned:
        # A column's name is turned by a quarter to the left, and its shape with it: this one then points
        # upwards as all the others do.
        columns = [column.replace(SHAPES["malignant"], "▶") for column in columns]
    fig = heat(figure(theme, question, height), theme, shares, columns, rows, words, hovers, size)
    for edge in blocks:
        fig.add_hline(edge - 0.5, line={"color": theme.zero, "width": 1})
        fig.add_vline(edge - 0.5, line={"color": theme.zero, "width": 1})
    if outlined is not None:
        i, j = outlined
        fig.add_shape(
            type="rect",
            x0=j - 0.47,
            x1=j + 0.47,
            y0=i - 0.47,
            y1=i + 0.47,
            line={"color": theme.risk["malignant"], "width": 3},
        )
    fig.update_xaxes(title_text="called", tickangle=-90 if turned else 0)
    return fig.update_yaxes(title_text="truth", title_standoff=2)


def risk_matrix(counts: Sequence[Sequence[int]], groups: Sequence[str], theme: Theme) -> go.Figure:
    """Risk groups, rows = truth, count and row share in each cell; malignant called benign is outlined."""
    harm = (groups.index("malignant"), groups.index("benign"))
    return matrix(
        counts,
        list(groups),
        theme,
        "Which risk was taken for which?",
        300,
        risks={g: g for g in groups},
        show="both",
        outlined=harm,
        size=15,
    )


def confusion_matrix(
    counts: Sequence[Sequence[int]],
    names: Sequence[str],
    theme: Theme,
    risks: Mapping[str, str] | None = None,
    show: str = "counts",
) -> go.Figure:
    """Classes, rows = truth. With risk groups (class -> group) the classes are put in their order, with lines
    between the groups."""
    order, blocks = list(range(len(names))), []
    if risks:
        order.sort(key=lambda i: list(SYMBOLS).index(risks[names[i]]))
        blocks = [k for k in range(1, len(order)) if risks[names[order[k]]] != risks[names[order[k - 1]]]]
    counts = np.asarray(counts)[np.ix_(order, order)]
    # Shares have one character more than most counts and must still fit 11 columns on a phone.
    return matrix(
        counts,
        [names[i] for i in order],
        theme,
        "Which class is taken for which?",
        140 + 30 * len(order),
        risks=risks,
        show=show,
        blocks=blocks,
        size=12 if show == "counts" else 10,
    )


def _panel(
    theme: Theme, question: str, colour: str, x: np.ndarray, y: np.ndarray, band: tuple | None, name: str
) -> go.Figure:
    fig = figure(theme, question, 130, hovermode="x unified", margin={"l": 2, "r": 14, "t": 10, "b": 2})
    if band is not None:
        grid, low, high = (np.asarray(v, float) for v in band)
        drawn = np.isfinite(low) & np.isfinite(high)
        grid, low, high = grid[drawn], low[drawn], high[drawn]
        fig.add_scatter(
            x=np.r_[grid, grid[::-1]],
            y=np.r_[high, low[::-1]],
            fill="toself",
            fillcolor=faded(colour, 0.2),
            line_width=0,
            mode="lines",
            hoverinfo="skip",
            name="95% band",
        )
    fig.add_scatter(
        x=x, y=y, mode="lines", line={"color": colour, "width": 2}, name=name, hovertemplate="%{y:.2f}"
    )
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", ".5", "1"]}
    fig.update_xaxes(range=[0, 1], hoverformat=".2f", **ticks)
    return fig.update_yaxes(range=[0, 1.02], **ticks)


def _dotted(fig: go.Figure, theme: Theme, ends: Sequence[float], name: str) -> go.Figure:
    return fig.add_scatter(
        x=[0, 1],
        y=list(ends),
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name=name,
    )


def roc_panel(
    name: str,
    false_positive_rate: np.ndarray,
    sensitivity: np.ndarray,
    theme: Theme,
    risk: str | None = None,
    band: tuple | None = None,
) -> go.Figure:
    """One small multiple: sensitivity over 1 − specificity, the chance line, and a pointwise 95% band (grid,
    low, high)."""
    fig = _panel(
        theme,
        f"How well is {name} told from the rest?",
        theme.risk[risk] if risk else theme.accent,
        false_positive_rate,
        sensitivity,
        band,
        "sensitivity",
    )
    return _dotted(fig, theme, [0, 1], "chance")


def precision_recall_panel(
    name: str,
    recall: np.ndarray,
    precision: np.ndarray,
    prevalence: float,
    theme: Theme,
    risk: str | None = None,
    band: tuple | None = None,
) -> go.Figure:
    """One small multiple: precision over recall; dotted is the share of the class, the precision of
    guessing."""
    fig = _panel(
        theme,
        f"How many of those called {name} are {name}?",
        theme.risk[risk] if risk else theme.accent,
        recall,
        precision,
        band,
        "precision",
    )
    return _dotted(fig, theme, [prevalence, prevalence], "guessing")


@dataclass(frozen=True)
class Calibrated:
    """What is held against what in a reliability diagram, in words. said: the output; came: the share that
    came true, short; hover: the same."""

    question: str
    said: str
    came: str
    hover: str


LARGEST = Calibrated(
    "When it says 70%, is it right 70% of the time?", "largest output of the model", "share right", "right"
)


def reliability(
    said: np.ndarray,
    right: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    n: np.ndarray,
    theme: Theme,
    words: Calibrated = LARGEST,
) -> go.Figure:
    """Ten bins [10] of the output v, bin ceil(10 v) - 1: mean output, share that came true with its interval,
    cases (NaN where n = 0). Counts stand below on the same axis."""
    said, right, low, high, n = (np.asarray(v, float) for v in (said, right, low, high, n))
    middle = (np.arange(len(n)) + 0.5) / len(n)
    fig = figure(
        theme,
        words.question,
        340,
        bargap=0.06,
        yaxis={"domain": [0.3, 1]},
        yaxis2={"domain": [0, 0.2]},
        xaxis={"anchor": "y2"},
        margin={"l": 4, "r": 22, "t": 10, "b": 4},
    )
    hovers = [
        f"outputs {percent(m - 0.05)} to {percent(m + 0.05)}, mean {decimal(v, 2)}<br>{words.hover} "
        f"{percent(share)} "
        f"({percent(least)} to {percent(most)})<br>n = {k:.0f}"
        for m, v, share, least, most, k in zip(middle, said, right, low, high, n, strict=True)
    ]
    fig.add_bar(
        x=middle,
        y=right,
        width=0.094,
        hovertext=hovers,
        hoverinfo="text",
        name=words.came,
        marker={"color": faded(theme.accent, 0.3), "line": {"color": theme.accent, "width": 1}},
    )
    fig.add_scatter(
        x=said,
        y=right,
        mode="markers",
        marker={"color": theme.ink, "size": 7},
        cliponaxis=False,
        hoverinfo="skip",
        name="bins",
        error_y={
            "type": "data",
            "symmetric": False,
            "array": high - right,
            "arrayminus": right - low,
            "color": theme.ink,
            "thickness": 1.2,
            "width": 3,
        },
    )
    _dotted(fig, theme, [0, 1], "perfect")
    fig.add_bar(
        x=middle,
        y=n,
        yaxis="y2",
        width=0.094,
        marker_color=theme.third,
        text=[f"{k:.0f}" if k else "" for k in n],
        name="n",
        textposition="outside",
        cliponaxis=False,
        textfont={"color": theme.ink},
        hoverinfo="skip",
    )
    fig.update_yaxes(range=[0, 1.01], tickformat=".0%", title_text=words.came)
    fig.update_layout(
        yaxis2={
            "range": [0, 1.35 * max(n.max(), 1)],
            "showgrid": False,
            "showticklabels": False,
            "title_text": "n",
        }
    )
    return fig.update_xaxes(range=[0, 1], dtick=0.2, tickformat=".0%", title_text=words.said)


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


def softmax(outputs: Sequence[float]) -> np.ndarray:
    """exp(v) / sum(exp(v)) over the last axis, for display only: no score of this project normalises a
    model's outputs."""
    outputs = np.asarray(outputs, float)
    powers = np.exp(outputs - outputs.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def output_bars(
    outputs: Sequence[float],
    names: Sequence[str],
    theme: Theme,
    risks: Mapping[str, str] | None = None,
    truth: str | None = None,
    normalised: bool = False,
) -> go.Figure:
    """One case's outputs [K], largest on top, the true class marked. normalised: their softmax, for display
    and not in the score."""
    risks, values = risks or {}, softmax(outputs) if normalised else np.asarray(outputs, float)
    order = np.argsort(values, kind="stable")
    question = "What would the outputs be as shares?" if normalised else "What did the model say?"
    fig = figure(theme, question, 40 + ROW * len(names))
    rows = [label(names[i], risks.get(names[i]), theme) for i in order]
    colours = [theme.risk[risks[names[i]]] if names[i] in risks else theme.accent for i in order]
    fig.add_bar(
        y=rows,
        x=values[order],
        orientation="h",
        marker_color=colours,
        name="output",
        hovertext=[f"{label(safe(names[i]), risks.get(names[i]))}: {decimal(values[i], 6)}" for i in order],
        hoverinfo="text",
    )
    for row, i in zip(rows, order, strict=True):
        mark = " <b>truth</b>" if names[i] == truth else ""
        write(
            fig, max(values[i], 0), row, f"{decimal(values[i], 3)}{mark}", theme.ink, xanchor="left", xshift=6
        )
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    title = (
        "softmax of the outputs, for display, not in the score"
        if normalised
        else "output of the model, as it came"
    )
    fig.update_xaxes(
        title_text=title,
        range=[low, high + 0.3 * max(high - low, 1e-9)],
        showgrid=False,
        zeroline=bool(low < 0),
        zerolinecolor=theme.zero,
        nticks=5,
    )
    return fig.update_yaxes(showgrid=False)


def prominent(outputs: np.ndarray, most: int = 4) -> list[int]:
    """Classes worth a colour in outputs [settings, K]: those with the largest output anywhere, in class
    order."""
    return sorted(np.argsort(-np.asarray(outputs, float).max(0), kind="stable")[:most].tolist())


def spread(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels beside values: in their order, at least `gap` apart, within low and high where there
    is room."""
    order = np.argsort(values, kind="stable")
    placed = np.clip(np.array(values, float), low, high)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    limit = high
    for k in order[::-1]:
        placed[k] = limit = min(placed[k], limit)
        limit -= gap
    return placed.tolist()


def _class_marks(
    names: Sequence[str], risks: Mapping[str, str], theme: Theme, shown: Sequence[int]
) -> list[dict]:
    """Marker of every class: the shape is its risk group, the colour the class itself, grey where it is not
    worth one."""
    colours = {}
    for k in shown:
        # A class keeps its colour from figure to figure unless there are more classes than colours and two of
        # them meet.
        wanted = [*theme.categorical[k % len(theme.categorical) :], *theme.categorical]
        colours[k] = next(colour for colour in wanted if colour not in colours.values())
    return [
        {
            "symbol": SYMBOLS.get(risks.get(name), "circle"),
            "size": 9 if k in shown else 4,
            "color": colours.get(k, theme.zero),
        }
        for k, name in enumerate(names)
    ]


def _class_word(name: str, risk: str | None, colour: str) -> str:
    return f"<span style='color:{colour};font-size:15px'>{SHAPES.get(risk, '●')}</span> {safe(name)}"


def sweep_lines(
    settings: Sequence[float],
    outputs: np.ndarray,
    names: Sequence[str],
    theme: Theme,
    question: str,
    axis_title: str,
    *,
    risks: Mapping[str, str] | None = None,
    own: float | None = None,
) -> go.Figure:
    """How the outputs [settings, K] move when one number of the input is changed (age, in years). The four
    classes with the largest outputs have a colour and a name at their line's end, the others are grey. own:
    the case's true setting."""
    risks, outputs = risks or {}, np.asarray(outputs, float)
    shown = prominent(outputs)
    marks = _class_marks(names, risks, theme, shown)
    fig = figure(theme, question, 300, margin={"l": 4, "r": 100, "t": 10, "b": 4}, hovermode="closest")
    for k in sorted(range(len(names)), key=lambda k: k in shown):
        fig.add_scatter(
            x=list(settings),
            y=outputs[:, k],
            mode="lines+markers",
            name=safe(names[k]),
            marker=marks[k] | {"size": 5},
            line={"color": marks[k]["color"], "width": 2 if k in shown else 1},
            hovertemplate=f"{label(safe(names[k]), risks.get(names[k]))}<br>%{{x}}: %{{y:.3f}}<extra></extra>",
        )
    low, high = outputs.min(), max(outputs.max(), outputs.min() + 1e-9)
    for k, y in zip(shown, spread(outputs[-1, shown], 0.08 * (high - low), low, high), strict=True):
        write(
            fig,
            1,
            y,
            _class_word(names[k], risks.get(names[k]), marks[k]["color"]),
            theme.ink,
            xref="paper",
            xanchor="left",
            xshift=6,
        )
    if own is not None:
        fig.add_vline(own, line={"color": theme.ink, "width": 1, "dash": "dot"})
    fig.update_xaxes(title_text=axis_title, showgrid=False)
    margin = 0.06 * (high - low)
    return fig.update_yaxes(title_text="output of the model", range=[low - margin, high + margin], nticks=5)


def setting_dots(
    settings: Sequence[str],
    outputs: np.ndarray,
    names: Sequence[str],
    theme: Theme,
    question: str,
    *,
    risks: Mapping[str, str] | None = None,
    own: str | None = None,
) -> go.Figure:
    """The outputs [settings, K] under each choice of one input (gender, body site), a row per choice; the
    case's own is bold. The four classes with the largest outputs have a colour and a name above the first
    row, the others are small and grey."""
    risks, outputs = risks or {}, np.asarray(outputs, float)
    shown, places = prominent(outputs), list(range(len(settings)))
    marks = _class_marks(names, risks, theme, shown)
    fig = figure(
        theme,
        question,
        80 + 28 * len(settings),
        margin={"l": 4, "r": 30, "t": 34, "b": 4},
        hovermode="closest",
    )
    for k in sorted(range(len(names)), key=lambda k: k in shown):
        plain = label(safe(names[k]), risks.get(names[k]))
        hovers = [
            f"{safe(setting)}<br>{plain}: {decimal(v, 3)}"
            for setting, v in zip(settings, outputs[:, k], strict=True)
        ]
        fig.add_scatter(
            x=outputs[:, k],
            y=places,
            mode="markers",
            name=safe(names[k]),
            hovertext=hovers,
            hoverinfo="text",
            cliponaxis=False,
            marker=marks[k] | {"line": {"color": theme.paper, "width": 1}},
        )
    low, high = outputs.min(), max(outputs.max(), outputs.min() + 1e-9)
    for k, x in zip(
        shown, spread(outputs[0, shown], 0.28 * (high - low), low + 0.08 * (high - low), high), strict=True
    ):
        write(
            fig,
            x,
            1,
            _class_word(names[k], risks.get(names[k]), marks[k]["color"]),
            theme.ink,
            yref="paper",
            yanchor="bottom",
            yshift=6,
        )
    ticks = [f"<b>{safe(setting)}</b>" if setting == own else safe(setting) for setting in settings]
    margin = 0.05 * (high - low)
    fig.update_xaxes(title_text="output of the model", nticks=6, range=[low - margin, high + margin])
    return fig.update_yaxes(range=[len(settings) - 0.5, -0.5], tickvals=places, ticktext=ticks)


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
