"""Outputs of a model for one case, and how they move with an input."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import decimal
from scoring.figures.theme import SHAPES, SYMBOLS, Theme, figure, label, safe, write

ROW = 26
"""Height in pixels of one row of bars or dots."""


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
