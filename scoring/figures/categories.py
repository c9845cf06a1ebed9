"""Figures of categories that are each held against the rest: a category keeps its colour and its dashes from
figure to figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.confusion import matrix
from scoring.figures.numerals import decimal
from scoring.figures.theme import Theme, figure, safe, short, write

DASHES = ("solid", "dash", "dot")
LEGEND_ROW = 20
TICKS = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", ".25", ".5", ".75", "1"]}
WANTED = 0.8
"""The sensitivity from which on ISIC takes an area of its own."""


@dataclass(frozen=True)
class Line:
    """A category's curve. x, y, thresholds: [points], NaN where nothing is to be drawn. legend: area and
    interval. point: where 0.5 cuts."""

    name: str
    x: np.ndarray
    y: np.ndarray
    thresholds: np.ndarray
    legend: str
    point: tuple[float, float] | None = None


def mark(k: int, theme: Theme) -> dict:
    """Colour and dashes of category k."""
    return {
        "color": theme.categorical[k % len(theme.categorical)],
        "dash": DASHES[k % len(DASHES)],
        "width": 2,
    }


def _square(theme: Theme, question: str, x_title: str, y_title: str, rows: int) -> go.Figure:
    """Axes from 0 to 1 above a legend of so many rows: a figure never knows its width, so names stand
    below."""
    height, below = 360, rows * LEGEND_ROW
    fig = figure(
        theme,
        question,
        height + below,
        hovermode="closest",
        margin={"l": 4, "r": 14, "t": 10, "b": 50 + below},
        showlegend=bool(rows),
        legend={
            "orientation": "v",
            "x": 0,
            "xanchor": "left",
            "y": -52 / (height - 60),
            "yanchor": "top",
            "font": {"size": 12, "color": theme.ink},
            "itemclick": "toggle",
            "itemdoubleclick": "toggleothers",
            "tracegroupgap": 0,
        },
    )
    fig.update_xaxes(title_text=x_title, range=[-0.01, 1.01], **TICKS)
    return fig.update_yaxes(title_text=y_title, range=[-0.01, 1.03], **TICKS)


def _lines(
    fig: go.Figure, lines: Sequence[Line], theme: Theme, words: Sequence[str], shape: str = "linear"
) -> go.Figure:
    for k, line in enumerate(lines):
        drawn = np.isfinite(line.x) & np.isfinite(line.y)
        if not drawn.any():
            continue
        name, style = safe(short(line.name)), mark(k, theme) | {"shape": shape}
        hovers = [
            (
                f"<b>{safe(line.name)}</b><br>threshold {decimal(t, 3)}<br>{words[0]} "
                f"{decimal(x, 3)}<br>{words[1]} {decimal(y, 3)}"
            )
            for t, x, y in zip(line.thresholds[drawn], line.x[drawn], line.y[drawn], strict=True)
        ]
        fig.add_scatter(
            x=line.x[drawn],
            y=line.y[drawn],
            mode="lines",
            line=style,
            name=f"{name}  {safe(line.legend)}",
            legendgroup=str(k),
            hovertext=hovers,
            hoverinfo="text",
        )
        if line.point is not None:
            fig.add_scatter(
                x=[line.point[0]],
                y=[line.point[1]],
                mode="markers",
                legendgroup=str(k),
                showlegend=False,
                cliponaxis=False,
                hoverinfo="text",
                name=f"{name} at 0.5",
                hovertext=f"<b>{safe(line.name)}</b> at 0.5<br>{words[0]} "
                f"{decimal(line.point[0], 3)}<br>{words[1]} "
                f"{decimal(line.point[1], 3)}",
                marker={
                    "symbol": "circle",
                    "size": 9,
                    "color": theme.paper,
                    "line": {"color": style["color"], "width": 2.5},
                },
            )
    return fig


def _chance(fig: go.Figure, theme: Theme) -> go.Figure:
    fig.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="chance",
        showlegend=False,
    )
    fig.add_hline(WANTED, line={"color": theme.zero, "width": 1})
    return write(fig, 1, WANTED, "80% sensitivity", theme.soft, xanchor="right", yanchor="top")


def _drawn(lines: Sequence[Line]) -> int:
    return sum(bool((np.isfinite(line.x) & np.isfinite(line.y)).any()) for line in lines)


def roc(lines: Sequence[Line], theme: Theme) -> go.Figure:
    """Sensitivity over 1 - specificity of every category, the cut at 0.5 on each, the line of chance and that
    of 80% sensitivity."""
    fig = _square(
        theme,
        "How well is each category told from the rest?",
        "1 − specificity",
        "sensitivity",
        _drawn(lines),
    )
    return _lines(_chance(fig, theme), lines, theme, ("1 − specificity", "sensitivity"))


def precision_recall(lines: Sequence[Line], theme: Theme) -> go.Figure:
    """Precision over sensitivity of every category, the cut at 0.5 on each."""
    fig = _square(
        theme,
        "How many of those called a category are of it?",
        "sensitivity (recall)",
        "precision (ppv)",
        _drawn(lines),
    )
    # Between two thresholds nothing can be reached: a staircase, as average precision counts it.
    return _lines(fig, lines, theme, ("sensitivity", "precision"), "vh")


def malignant_roc(x: np.ndarray, y: np.ndarray, thresholds: np.ndarray, theme: Theme) -> go.Figure:
    """Malignant against benign; x, y, thresholds [points], NaN throughout where it is undefined."""
    fig = _chance(
        _square(theme, "How well is malignant told from benign?", "1 − specificity", "sensitivity", 0), theme
    )
    line = Line("malignant", np.asarray(x), np.asarray(y), np.asarray(thresholds), "")
    _lines(fig, [line], theme, ("1 − specificity", "sensitivity"))
    for trace in fig.select_traces(selector={"legendgroup": "0"}):
        trace.line = {"color": theme.risk["malignant"], "width": 2.5}
    return fig


def confusion_matrix(
    counts: Sequence[Sequence[int]],
    labels: Sequence[str],
    theme: Theme,
    risks: Mapping[str, str],
    show: str,
    chosen: tuple[str, str] | None = None,
) -> go.Figure:
    """Return counts [K, K] of truth (rows) and what it was called.

    Every cell can be clicked: `customdata` of its point is (truth, called). chosen: the framed cell, by its
    labels.
    """
    fig = matrix(
        counts,
        [short(name) for name in labels],
        theme,
        "What is mistaken for what?",
        140 + 30 * len(labels),
        risks={short(name): risk for name, risk in risks.items()},
        show=show,
        size=12 if show == "counts" else 10,
    )
    heat = fig.data[0]
    places = [(i, j) for i in range(len(labels)) for j in range(len(labels))]
    fig.add_scatter(
        x=[j for _, j in places],
        y=[i for i, _ in places],
        mode="markers",
        customdata=[(labels[i], labels[j]) for i, j in places],
        name="cells",
        hoverinfo="text",
        hovertext=[heat.hovertext[i][j] for i, j in places],
        marker={"symbol": "square", "size": 27, "color": "rgba(0,0,0,0)"},
    )
    heat.hoverinfo = "skip"
    if chosen is not None:
        i, j = (labels.index(name) for name in chosen)
        fig.add_shape(
            type="rect",
            x0=j - 0.47,
            x1=j + 0.47,
            y0=i - 0.47,
            y1=i + 0.47,
            line={"color": theme.accent, "width": 3},
        )
    fig.update_xaxes(range=[-0.5, len(labels) - 0.5])
    return fig.update_yaxes(range=[len(labels) - 0.5, -0.5])


def threshold_lines(
    found: Mapping[str, np.ndarray], names: Mapping[str, str], cut: float, theme: Theme, category: str
) -> go.Figure:
    """Measures [T] over "threshold" [T] of one category, named above the figure. names: key -> word. cut: the
    chosen threshold."""
    fig = figure(
        theme,
        f"What does the threshold of {category} change?",
        300,
        hovermode="x unified",
        margin={"l": 4, "r": 14, "t": 10, "b": 4},
        showlegend=True,
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "font": {"size": 12, "color": theme.ink},
        },
    )
    for k, (key, name) in enumerate(names.items()):
        main = key == "f1"
        style = {
            "color": theme.accent if main else theme.categorical[(k + 1) % len(theme.categorical)],
            "width": 3 if main else 1.6,
            "dash": "solid" if main else DASHES[k % 3],
            "shape": "hv",
        }
        fig.add_scatter(
            x=found["threshold"], y=found[key], mode="lines", line=style, name=name, hovertemplate="%{y:.3f}"
        )
    fig.add_vline(0.5, line={"color": theme.ink, "width": 1, "dash": "dot"})
    fig.add_vline(cut, line={"color": theme.accent, "width": 2})
    fig.update_xaxes(
        title_text="threshold: called where the score is above it", range=[0, 1], hoverformat=".3f", nticks=6
    )
    return fig.update_yaxes(range=[0, 1.03], **TICKS)
