"""Figures of detected nuclei. Shares are 0..1; undefined numbers are None or NaN and are drawn as a gap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import decimal, percent, span
from scoring.figures.theme import Theme, faded, figure, heat, safe, write

ROW = 27
"""Height in pixels of one row of dots."""
TICKS = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "ticktext": ["0", ".2", ".4", ".6", ".8", "1"]}
NAME = 20
LEAST_DENSITY = 1.0
"""Nuclei per mm2; fewer are drawn as so many."""


@dataclass(frozen=True)
class Reach:
    """A score beside what can be reached. best: with every nucleus right, None where that is 1. marks: other
    readings to hold it against. chosen: the one that ranks."""

    name: str
    value: float | None
    interval: Sequence[float | None] | None = None
    best: float | None = None
    marks: Sequence[tuple[str, float]] = ()
    chosen: bool = False


def spaced(name: str) -> str:
    """A class as people write it."""
    return name.replace("_", " ")


def tail(name: str, length: int = NAME) -> str:
    """The end of a name, where those of one data set differ."""
    return name if len(name) <= length else f"…{name[1 - length :]}"


def reach(rows: Sequence[Reach], theme: Theme) -> go.Figure:
    """A dot with its interval per score, over a bar up to the best that can be reached; upright strokes are
    other readings."""
    fig = figure(
        theme,
        "How much of what can be reached was reached?",
        34 + ROW * len(rows),
        barmode="overlay",
        hovermode="closest",
    )
    places = list(range(len(rows)))
    best = [1.0 if row.best is None else row.best for row in rows]
    fig.add_bar(
        y=places,
        x=[1.0] * len(rows),
        orientation="h",
        marker_color=theme.paper,
        hoverinfo="skip",
        name="out of reach",
        width=0.5,
    )
    fig.data[0].marker.update(
        line={"color": theme.grid, "width": 1},
        pattern={"shape": "/", "fgcolor": theme.grid, "size": 6, "solidity": 0.2},
    )
    fig.add_bar(
        y=places,
        x=best,
        orientation="h",
        marker_color=theme.tint,
        hoverinfo="skip",
        name="within reach",
        width=0.5,
    )
    for place, row in zip(places, rows, strict=True):
        _reached(fig, theme, place, row)
    names = [f"<b>{safe(row.name)}</b>" if row.chosen else safe(row.name) for row in rows]
    fig.update_xaxes(range=[-0.005, 1.005], showgrid=False, **TICKS)
    return fig.update_yaxes(range=[len(rows) - 0.5, -0.5], showgrid=False, tickvals=places, ticktext=names)


def _reached(fig: go.Figure, theme: Theme, place: int, row: Reach) -> None:
    for words, value in row.marks:
        fig.add_scatter(
            x=[value, value],
            y=[place - 0.36, place + 0.36],
            mode="lines",
            line={"color": theme.second, "width": 2.5},
            hoverinfo="text",
            hovertext=f"{safe(words)}: {decimal(value, 3)}",
            name=safe(words),
        )
    if row.value is None:
        return
    has_interval = row.interval is not None and None not in row.interval
    words = f"{safe(row.name)}: <b>{decimal(row.value, 3)}</b>"
    words += f"<br>95% interval {span(row.interval, 3)}" if has_interval else ""
    words += "" if row.best is None else f"<br>best possible {decimal(row.best, 3)}"
    colour = theme.accent if row.chosen else theme.ink
    if has_interval:
        fig.add_scatter(
            x=list(row.interval),
            y=[place, place],
            mode="lines",
            line={"color": theme.soft, "width": 2},
            hoverinfo="skip",
            name="interval",
        )
    fig.add_scatter(
        x=[row.value],
        y=[place],
        mode="markers",
        marker={
            "symbol": "diamond" if row.chosen else "circle",
            "size": 11 if row.chosen else 9,
            "color": colour,
        },
        hovertext=words,
        hoverinfo="text",
        name=safe(row.name),
        cliponaxis=False,
    )


def class_heat(f1: np.ndarray, classes: Sequence[str], cases: Sequence[str], theme: Theme) -> go.Figure:
    """F1 [n, K] of images (rows) and classes; NaN, where a class occurs in neither truth nor prediction, is
    blank. A click on a cell gives its case as `customdata`."""
    f1 = np.asarray(f1, float)
    words, hovers = np.full(f1.shape, "", object), np.full(f1.shape, "", object)
    for (i, k), value in np.ndenumerate(f1):
        shown = "in neither truth nor prediction" if np.isnan(value) else f"F1 {decimal(value, 3)}"
        hovers[i, k] = f"{safe(cases[i])}<br>{spaced(classes[k])}: {shown}"
        words[i, k] = "" if np.isnan(value) else f"{value:.2f}".removeprefix("0")
    columns, rows = [spaced(name) for name in classes], [safe(tail(name)) for name in cases]
    fig = heat(
        figure(theme, "Which classes fail in which images?", 124 + 24 * len(cases)),
        theme,
        f1,
        columns,
        rows,
        words,
        hovers,
        11,
    )
    places = [(i, k) for i in range(len(cases)) for k in range(len(classes))]
    fig.data[0].hoverinfo = "skip"
    fig.add_scatter(
        x=[k for _, k in places],
        y=[i for i, _ in places],
        mode="markers",
        customdata=[[cases[i]] for i, _ in places],
        hoverinfo="text",
        hovertext=[hovers[place] for place in places],
        name="cells",
        marker={"symbol": "square", "size": 22, "color": "rgba(0,0,0,0)"},
    )
    fig.update_xaxes(tickangle=-90, range=[-0.5, len(classes) - 0.5])
    return fig.update_yaxes(range=[len(cases) - 0.5, -0.5], autorange=False)


def confusion(counts: Sequence[Sequence[int]], classes: Sequence[str], theme: Theme) -> go.Figure:
    """Counts [K + 1, K + 1], rows = truth, the last column what was missed and the last row what was
    invented; colour is the share of the row."""
    counts = np.asarray(counts)
    rows, columns = ([*map(spaced, classes), last] for last in ("spurious", "missed"))
    total = np.maximum(counts.sum(1, keepdims=True), 1)
    words, hovers = np.full(counts.shape, "", object), np.full(counts.shape, "", object)
    for (i, j), n in np.ndenumerate(counts):
        words[i, j] = (f"<b>{_brief(int(n))}</b>" if i == j else _brief(int(n))) if n else ""
        hovers[i, j] = (
            f"truth: {'nothing there' if i == len(classes) else rows[i]}<br>{columns[j]}<br>{n:,}, "
            f"{percent(n / total[i, 0])} of the row"
        )
    fig = figure(
        theme, "Which class is taken for which, what is missed, what is invented?", 150 + 27 * len(rows)
    )
    heat(fig, theme, counts / total, columns, rows, words, hovers, 10)
    for add in (fig.add_hline, fig.add_vline):
        add(len(classes) - 0.5, line={"color": theme.zero, "width": 1.5})
    fig.update_xaxes(title_text="called", tickangle=-90)
    return fig.update_yaxes(title_text="truth", title_standoff=2)


def _brief(n: int) -> str:
    return str(n) if n < 1000 else f"{n / 1000:.1f}k" if n < 10_000 else f"{n / 1000:.0f}k"


def densities(names: Sequence[str], truth: np.ndarray, predicted: np.ndarray, theme: Theme) -> go.Figure:
    """Nuclei per mm2 of each class in truth (circle) and prediction (diamond), on a log axis that begins with
    none."""
    fig = figure(
        theme,
        "Are there as many of each class as there should be?",
        50 + ROW * len(names),
        hovermode="closest",
    )
    true, found = (np.asarray(values, float) for values in (truth, predicted))
    y = np.arange(len(names))
    x_true, x_found = _log_density(true), _log_density(found)
    gaps = np.full(3 * len(names), np.nan)
    gaps[0::3], gaps[1::3] = x_true, x_found
    fig.add_scatter(
        x=gaps,
        y=np.repeat(y, 3),
        mode="lines",
        line={"color": theme.zero, "width": 2},
        hoverinfo="skip",
        name="difference",
        connectgaps=False,
    )
    for x, values, symbol, colour, words in (
        (x_true, true, "circle", theme.ink, "truth"),
        (x_found, found, "diamond", theme.accent, "predicted"),
    ):
        fig.add_scatter(
            x=x,
            y=y,
            mode="markers",
            marker={"symbol": symbol, "size": 10, "color": colour},
            hovertext=[
                f"{spaced(name)}, {words}: {decimal(value, 1)} per mm²"
                for name, value in zip(names, values, strict=True)
            ],
            hoverinfo="text",
            name=words,
        )
    most = int(np.ceil(max(x_true.max(initial=1), x_found.max(initial=1))))
    powers = list(range(most + 1))
    fig.update_xaxes(
        title_text="nuclei per mm², log",
        range=[-0.75, most + 0.1],
        tickvals=[-0.5, *powers],
        ticktext=["none", *(f"{10**p:,}" for p in powers)],
    )
    return fig.update_yaxes(
        range=[len(names) - 0.5, -0.5],
        showgrid=False,
        tickvals=y.tolist(),
        ticktext=[spaced(name) for name in names],
    )


def _log_density(values: np.ndarray) -> np.ndarray:
    """Places on the log axis, none at -0.5."""
    return np.where(values > 0, np.log10(np.maximum(values, LEAST_DENSITY)), -0.5)


def shares(cases: Sequence[str], truth: np.ndarray, predicted: np.ndarray, theme: Theme) -> go.Figure:
    """Lymphocytes / all nuclei of each image, predicted over truth; the line is equality. A click on a dot
    gives its case as `customdata`."""
    fig = figure(theme, "Is the share of lymphocytes (TIL) right?", 320, hovermode="closest")
    true, found = (np.asarray(values, float) for values in (truth, predicted))
    defined = np.isfinite(true) & np.isfinite(found)
    most = min(1.0, 1.12 * max(0.1, np.max(np.r_[true[defined], found[defined]], initial=0)))
    fig.add_scatter(
        x=[0, most],
        y=[0, most],
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="equal",
    )
    names = [name for name, here in zip(cases, defined, strict=True) if here]
    fig.add_scatter(
        x=true[defined],
        y=found[defined],
        mode="markers",
        marker={"size": 9, "color": faded(theme.accent, 0.75), "line": {"color": theme.accent, "width": 1}},
        customdata=[[name] for name in names],
        hovertext=[
            f"<b>{safe(name)}</b><br>truth {percent(a)}, predicted {percent(b)}"
            for name, a, b in zip(names, true[defined], found[defined], strict=True)
        ],
        hoverinfo="text",
        name="images",
        cliponaxis=False,
    )
    room = {"range": [-0.03 * most, most], "tickformat": ".0%", "nticks": 6}
    fig.update_xaxes(title_text="truth: lymphocytes of all nuclei", **room)
    return fig.update_yaxes(title_text="predicted", **room)


def distances(
    within: np.ndarray,
    truth: np.ndarray | None,
    predicted: np.ndarray | None,
    marks: Sequence[float],
    theme: Theme,
) -> go.Figure:
    """Share of tumour nuclei [n] with a lymphocyte within so many um [n]; None: no tumour nucleus, or no
    lymphocyte. marks: um."""
    fig = figure(
        theme, "How far is the nearest lymphocyte from a tumour nucleus?", 320, hovermode="x unified"
    )
    for mark in marks:
        fig.add_vline(mark, line={"color": theme.zero, "width": 1, "dash": "dot"})
    for values, name, colour, dash, sign in (
        (truth, "truth", theme.ink, "solid", "──"),
        (predicted, "predicted", theme.accent, "dash", "╌╌"),
    ):
        if values is not None:
            fig.add_scatter(
                x=within,
                y=values,
                mode="lines",
                line={"color": colour, "width": 2, "dash": dash},
                name=name,
                hovertemplate="%{y:.1%}",
            )
            write(
                fig,
                1,
                0.14 if name == "truth" else 0.04,
                f"{sign} {name}",
                colour,
                xref="paper",
                yref="paper",
                xanchor="right",
            )
    fig.update_xaxes(
        title_text="µm to the nearest lymphocyte",
        range=[0, float(within[-1])],
        nticks=7,
        hoverformat=".0f",
        unifiedhovertitle_text="within %{x} µm",
    )
    return fig.update_yaxes(title_text="tumour nuclei", range=[0, 1.06], tickformat=".0%", nticks=6)


def along(
    x: np.ndarray,
    y: np.ndarray,
    theme: Theme,
    question: str,
    axis: str,
    usual: float,
    chosen: float,
    score: float,
    best: float | None = None,
) -> go.Figure:
    """A score [n] over what it depends on [n]. usual: the challenge's value, dotted. chosen, score: where the
    slider stands. best: a level."""
    fig = figure(theme, question, 260, hovermode="x unified")
    if best is not None:
        fig.add_hline(best, line={"color": theme.zero, "width": 1})
        write(fig, 1, best, "best possible", theme.soft, xref="paper", xanchor="right", yanchor="top")
    fig.add_vline(usual, line={"color": theme.ink, "width": 1, "dash": "dot"})
    fig.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": theme.accent, "width": 2},
        name="macro F1",
        hovertemplate="%{y:.3f}",
    )
    fig.add_scatter(
        x=[chosen],
        y=[score],
        mode="markers",
        marker={"symbol": "diamond", "size": 11, "color": theme.accent},
        name="chosen",
        hoverinfo="skip",
    )
    ends = [float(min(x.min(initial=usual), chosen, usual)), float(max(x.max(initial=usual), chosen, usual))]
    fig.update_xaxes(
        title_text=axis, range=ends if ends[1] > ends[0] else [ends[0] - 1, ends[0] + 1], nticks=7
    )
    return fig.update_yaxes(title_text="macro F1 ↑", range=[0, 1.03], **TICKS)
