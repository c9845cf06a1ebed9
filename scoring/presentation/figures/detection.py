"""Figures of detected objects and of the tissue around them: scores, classes, densities, shares, distances.

Shares are 0..1; undefined numbers are None or NaN and are drawn as a gap.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.common.text import common_start
from scoring.presentation.figures.canvas import FIFTHS, Canvas
from scoring.presentation.figures.heat_maps import cell_texts, clickable, heat
from scoring.presentation.figures.number_format import decimal, percent, span
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import Theme, faded, safe

ROW = 27
"""Height in pixels of one row of dots."""
NAME = 20
"""Maximum characters of a case's name."""


@dataclass(frozen=True)
class Reach:
    """A score beside its possible maximum.

    Attributes:
        value: The score; None draws only the name.
        interval: Lower and upper end; None if there is no interval.
        best: Score if every object is right; None if this is 1.
        marks: Other values for comparison, each with its name.
        chosen: Whether this score ranks the team.
    """

    name: str
    value: float | None
    interval: Sequence[float | None] | None = None
    best: float | None = None
    marks: Sequence[tuple[str, float]] = ()
    chosen: bool = False

    def hover(self) -> str:
        """Return the hover text of the dot that shows the score."""
        lines = [f"{safe(self.name)}: <b>{decimal(self.value, 3)}</b>"]
        if self.ends():
            lines.append(f"95% interval {span(self.interval, 3)}")
        if self.best is not None:
            lines.append(f"best possible {decimal(self.best, 3)}")
        return "<br>".join(lines)

    def ends(self) -> list[float | None]:
        """Return both ends of the interval, empty if undefined."""
        return [] if self.interval is None or None in self.interval else list(self.interval)


def spaced(name: str) -> str:
    """Return the name of a class for readers, with blanks."""
    return name.replace("_", " ")


def tail(name: str, length: int = NAME) -> str:
    """Return the end of a name that is too long, because names in a data set usually differ at the end."""
    return name if len(name) <= length else f"…{name[1 - length :]}"


def reach(rows: Sequence[Reach], theme: Theme) -> go.Figure:
    """Draw each score as a dot with its interval, on a bar that ends at the possible maximum. Vertical
    strokes mark other values for comparison."""
    canvas = Canvas(
        theme,
        "How close is the score to the best possible score?",
        34 + ROW * len(rows),
        barmode="overlay",
        hovermode="closest",
    )
    places = list(range(len(rows)))
    beyond = {
        "color": theme.paper,
        "line": {"color": theme.grid, "width": 1},
        "pattern": {"shape": "/", "fgcolor": theme.grid, "size": 6, "solidity": 0.2},
    }
    for name, ends, marker in (
        ("out of reach", [1.0] * len(rows), beyond),
        ("within reach", [1.0 if row.best is None else row.best for row in rows], {"color": theme.tint}),
    ):
        canvas.trace("bar", y=places, x=ends, orientation="h", marker=marker, name=name, width=0.5)
    for y, row in zip(places, rows, strict=True):
        _reached(canvas, y, row)
    names = [f"<b>{safe(row.name)}</b>" if row.chosen else safe(row.name) for row in rows]
    canvas.x_axis(range=[-0.005, 1.005], showgrid=False, **FIFTHS)
    canvas.rows(names)
    return canvas.figure()


def _reached(canvas: Canvas, y: int, row: Reach) -> None:
    theme = canvas.theme
    for name, value in row.marks:
        canvas.trace(
            "scatter",
            x=[value, value],
            y=[y - 0.36, y + 0.36],
            mode="lines",
            line={"color": theme.second, "width": 2.5},
            hovertext=f"{safe(name)}: {decimal(value, 3)}",
            name=safe(name),
        )
    if row.value is None:
        return
    if row.ends():
        canvas.trace(
            "scatter",
            x=row.ends(),
            y=[y, y],
            mode="lines",
            line={"color": theme.soft, "width": 2},
            name="interval",
        )
    canvas.trace(
        "scatter",
        x=[row.value],
        y=[y],
        mode="markers",
        marker={
            "symbol": "diamond" if row.chosen else "circle",
            "size": 11 if row.chosen else 9,
            "color": theme.accent if row.chosen else theme.ink,
        },
        hovertext=row.hover(),
        name=safe(row.name),
        cliponaxis=False,
    )


def class_heat(f1: Floats, classes: Sequence[str], cases: Sequence[str], theme: Theme) -> go.Figure:
    """Draw a heat map of the F1 of each class in each image. A click on a cell gives its case as
    `customdata`.

    Args:
        f1: [n, K] F1 of each image and class. NaN (the class is neither in truth nor in prediction) is blank.
    """
    values = np.asarray(f1, float)

    def text(i: int, k: int) -> str:
        return "" if np.isnan(values[i, k]) else f"{values[i, k]:.2f}".removeprefix("0")

    def hover(i: int, k: int) -> str:
        value = values[i, k]
        told = "in neither truth nor prediction" if np.isnan(value) else f"F1 {decimal(value, 3)}"
        return f"{safe(cases[i])}<br>{spaced(classes[k])}: {told}"

    start, columns = common_start(cases), [spaced(name) for name in classes]
    rows = [safe(tail(name.removeprefix(start))) for name in cases]
    canvas = Canvas(theme, "Which classes fail in which images?", 124 + 24 * len(cases))
    texts, hovers = (cell_texts(len(cases), len(classes), of_cell) for of_cell in (text, hover))
    heat(canvas, values, columns, rows, texts, hovers, 11)
    clickable(canvas, [[case] for case in cases for _ in classes], len(classes))
    canvas.x_axis(tickangle=-90)
    return canvas.figure()


@dataclass(frozen=True)
class Dependence:
    """A score as a function of a setting.

    Attributes:
        x: [n] values of the setting.
        y: [n] score at each value.
        best: The best possible score; None if this is 1.
    """

    x: Floats
    y: Floats
    usual: float
    chosen: float
    score: float
    best: float | None = None
    measure: str = "macro F1"


def along(dependence: Dependence, question: str, axis: str, theme: Theme) -> go.Figure:
    """Draw a score as a function of a setting. A dotted line marks the setting that the challenge uses.
    `axis` is the name of the setting, with its unit."""
    canvas = Canvas(theme, question, 260, hovermode="x unified")
    if dependence.best is not None:
        canvas.level(dependence.best, theme.zero)
        corner: Properties = {"xref": "paper", "xanchor": "right", "yanchor": "top"}
        canvas.write(1, dependence.best, "best possible", theme.soft, **corner)
    canvas.rule(dependence.usual, theme.ink, dash="dot")
    canvas.trace(
        "scatter",
        x=dependence.x,
        y=dependence.y,
        mode="lines",
        line={"color": theme.accent, "width": 2},
        name=dependence.measure,
        hovertemplate="%{y:.3f}",
    )
    canvas.trace(
        "scatter",
        x=[dependence.chosen],
        y=[dependence.score],
        mode="markers",
        marker={"symbol": "diamond", "size": 11, "color": theme.accent},
        name="chosen",
    )
    known = [*np.asarray(dependence.x, float).tolist(), dependence.usual, dependence.chosen]
    low, high = float(min(known)), float(max(known))
    canvas.x_axis(axis, range=[low, high] if high > low else [low - 1, low + 1], nticks=7)
    canvas.y_axis(f"{dependence.measure} ↑", range=[0, 1.03], **FIFTHS)
    return canvas.figure()


LEAST_DENSITY = 1.0
"""Lowest density (nuclei per mm2) on the axis; lower densities are drawn at this position."""
NONE = -0.5
"""Position on the logarithmic axis for "no nuclei"."""


@dataclass(frozen=True)
class AxisLabels:
    """Question and axis titles of a figure."""

    question: str
    x: str
    y: str


def densities(names: Sequence[str], truth: Floats, predicted: Floats, theme: Theme) -> go.Figure:
    """Draw nuclei per mm2 of each class in truth (circle) and prediction (diamond) on a logarithmic axis.
    A density of 0 has its own position, labelled "none".

    Args:
        truth: [K] true number of nuclei of each class per mm2.
        predicted: [K] predicted number of nuclei of each class per mm2.
    """
    question = "Does the number of nuclei of each class match the truth?"
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
        name="difference",
        connectgaps=False,
    )
    for x, values, symbol, colour, side in (
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
                f"{spaced(name)}, {side}: {decimal(value, 1)} per mm²"
                for name, value in zip(names, values, strict=True)
            ],
            name=side,
        )
    most = int(np.ceil(max(x.max(initial=1) for x in places)))
    powers = list(range(most + 1))
    canvas.x_axis(
        "nuclei per mm², log",
        range=[-0.75, most + 0.1],
        tickvals=[NONE, *powers],
        ticktext=["none", *(f"{10**power:,}" for power in powers)],
    )
    canvas.rows([spaced(name) for name in names])
    return canvas.figure()


def _log_density(values: Floats) -> Floats:
    """Places on the logarithmic axis."""
    densities = np.asarray(values, float)
    return np.where(densities > 0, np.log10(np.maximum(densities, LEAST_DENSITY)), NONE)


def shares(
    cases: Sequence[str], truth: Floats, predicted: Floats, labels: AxisLabels, theme: Theme
) -> go.Figure:
    """Draw predicted against true shares, with the diagonal of equality. A click on a dot gives its case as
    `customdata`.

    Args:
        truth: [n] true share of each case, 0..1; NaN is not drawn.
        predicted: [n] predicted shares, in the same form.
    """
    canvas = Canvas(theme, labels.question, 320, hovermode="closest")
    true, guessed = (np.asarray(values, float) for values in (truth, predicted))
    defined = np.isfinite(true) & np.isfinite(guessed)
    most = float(min(1.0, 1.12 * max(0.1, np.max(np.r_[true[defined], guessed[defined]], initial=0))))
    canvas.reference([0, most], [0, most], "equal")
    names = [name for name, here in zip(cases, defined, strict=True) if here]
    canvas.trace(
        "scatter",
        x=true[defined],
        y=guessed[defined],
        mode="markers",
        marker={"size": 9, "color": faded(theme.accent, 0.75), "line": {"color": theme.accent, "width": 1}},
        customdata=[[name] for name in names],
        hovertext=[
            f"<b>{safe(name)}</b><br>truth {percent(a)}, predicted {percent(b)}"
            for name, a, b in zip(names, true[defined], guessed[defined], strict=True)
        ],
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
    """Draw the share of nuclei that have a neighbour of another class within each distance.

    Args:
        within: [n] distances in um.
        truth: [n] true share of nuclei at each distance, 0..1; None if there are no such nuclei or
            neighbours.
        predicted: [n] predicted shares, in the same form.
        marks: Distances in um, drawn as dotted lines.
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
            corner: Properties = {"xref": "paper", "yref": "paper", "xanchor": "right"}
            canvas.write(1, height, f"{sign} {name}", colour, **corner)
    canvas.x_axis(
        labels.x,
        range=[0, float(within[-1])],
        nticks=7,
        hoverformat=".0f",
        unifiedhovertitle={"text": "within %{x} µm"},
    )
    canvas.y_axis(labels.y, range=[0, 1.06], tickformat=".0%", nticks=6)
    return canvas.figure()
