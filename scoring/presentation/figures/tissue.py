"""Figures of what nuclei say about their tissue: densities, shares, distances."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.detection import ROW, spaced
from scoring.presentation.figures.drawing import Properties
from scoring.presentation.figures.numerals import decimal, percent
from scoring.presentation.figures.theme import Theme, faded, safe

LEAST_DENSITY = 1.0
"""Nuclei per mm2; fewer are drawn as so many."""
NONE = -0.5
"""Where no nuclei stand on the logarithmic axis."""


@dataclass(frozen=True)
class AxisLabels:
    """Question and axis titles of a figure."""

    question: str
    x: str
    y: str


def densities(names: Sequence[str], truth: Floats, predicted: Floats, theme: Theme) -> go.Figure:
    """Draw nuclei per mm2 of each class in truth (circle) and prediction (diamond), none apart on a log axis.

    Args:
        names: Of the K classes.
        truth: [K] nuclei per mm2.
        predicted: [K], likewise.
        theme: Its colours.
    """
    question = "Are there as many of each class as there should be?"
    canvas = Canvas(theme, question, 50 + ROW * len(names), hovermode="closest")
    y, places = np.arange(len(names)), [_log_density(values) for values in (truth, predicted)]
    gaps = np.full(3 * len(names), np.nan)
    gaps[0::3], gaps[1::3] = places
    canvas.trace(
        "scatter",
        x=gaps,
        y=np.repeat(y, 3),
        mode="lines",
        line={"color": theme.zero, "width": 2},
        hoverinfo="skip",
        name="difference",
        connectgaps=False,
    )
    for x, values, symbol, colour, words in (
        (places[0], truth, "circle", theme.ink, "truth"),
        (places[1], predicted, "diamond", theme.accent, "predicted"),
    ):
        canvas.trace(
            "scatter",
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
    most = int(np.ceil(max(x.max(initial=1) for x in places)))
    powers = list(range(most + 1))
    canvas.x_axis(
        "nuclei per mm², log",
        range=[-0.75, most + 0.1],
        tickvals=[NONE, *powers],
        ticktext=["none", *(f"{10**power:,}" for power in powers)],
    )
    names = [spaced(name) for name in names]
    canvas.y_axis(range=[len(names) - 0.5, -0.5], showgrid=False, tickvals=y.tolist(), ticktext=names)
    return canvas.figure()


def _log_density(values: Floats) -> Floats:
    """Places on the logarithmic axis."""
    given = np.asarray(values, float)
    return np.where(given > 0, np.log10(np.maximum(given, LEAST_DENSITY)), NONE)


def shares(
    cases: Sequence[str], truth: Floats, predicted: Floats, labels: AxisLabels, theme: Theme
) -> go.Figure:
    """Draw predicted over true shares; the line is equality. A click on a dot gives its case as `customdata`.

    Args:
        cases: Names of the n images.
        truth: [n] shares, 0..1; NaN is not drawn.
        predicted: [n], likewise.
        labels: Question and axis titles.
        theme: Its colours.
    """
    canvas = Canvas(theme, labels.question, 320, hovermode="closest")
    true, found = (np.asarray(values, float) for values in (truth, predicted))
    defined = np.isfinite(true) & np.isfinite(found)
    most = float(min(1.0, 1.12 * max(0.1, np.max(np.r_[true[defined], found[defined]], initial=0))))
    canvas.reference([0, most], [0, most], "equal")
    names = [name for name, here in zip(cases, defined, strict=True) if here]
    canvas.trace(
        "scatter",
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
    canvas.x_axis(labels.x, **room)
    canvas.y_axis(labels.y, **room)
    return canvas.figure()


def distances(
    within: Floats,
    truth: Floats | None,
    predicted: Floats | None,
    marks: Sequence[float],
    labels: AxisLabels,
    theme: Theme,
) -> go.Figure:
    """Draw the share of nuclei that have a neighbour of another class within a distance.

    Args:
        within: [n] distances in um.
        truth: [n] shares, 0..1; None where there are no such nuclei or no such neighbours.
        predicted: [n], likewise.
        marks: Distances in um that a dotted line shows.
        labels: Question and axis titles.
        theme: Its colours.
    """
    canvas = Canvas(theme, labels.question, 320, hovermode="x unified")
    for mark in marks:
        canvas.rule(mark, theme.zero, dash="dot")
    for values, name, colour, dash, sign, height in (
        (truth, "truth", theme.ink, "solid", "──", 0.14),
        (predicted, "predicted", theme.accent, "dash", "╌╌", 0.04),
    ):
        if values is not None:
            line = {"color": colour, "width": 2, "dash": dash}
            canvas.trace(
                "scatter", x=within, y=values, mode="lines", line=line, name=name, hovertemplate="%{y:.1%}"
            )
            place: Properties = {"xref": "paper", "yref": "paper", "xanchor": "right"}
            canvas.write(1, height, f"{sign} {name}", colour, **place)
    canvas.x_axis(
        labels.x,
        range=[0, float(within[-1])],
        nticks=7,
        hoverformat=".0f",
        unifiedhovertitle={"text": "within %{x} µm"},
    )
    canvas.y_axis(labels.y, range=[0, 1.06], tickformat=".0%", nticks=6)
    return canvas.figure()
