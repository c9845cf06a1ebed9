"""Figures of a model's outputs for one case: as bars, and how they change if one input changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.metrics.output_kinds import softmax
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.number_format import decimal
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import SHAPES, SYMBOLS, Theme, in_lines, label, safe

ROW = 26
"""Height in pixels of a row of bars."""
LINE, LINE_PX = 18, 17
"""Maximum number of characters of a name per line, and height of a line in pixels."""
NAMED = 4
"""Number of classes with a colour and a name in a figure of all classes."""


def output_bars(
    outputs: Sequence[float],
    names: Sequence[str],
    theme: Theme,
    risks: Mapping[str, str] | None = None,
    truth: str | None = None,
    normalised: bool = False,
) -> go.Figure:
    """Draw the outputs of one case, the largest on top.

    Args:
        outputs: [K] outputs, as the model returned them.
        risks: Class -> risk group.
        truth: The true class, which gets a mark.
        normalised: Whether to draw the softmax of the outputs. This changes only the figure, not the score.
    """
    risks = risks or {}
    values = np.asarray(outputs, float)
    if normalised:
        values = softmax(values[None])[0]
    order = np.argsort(values, kind="stable").tolist()
    question = "What would the outputs be as probabilities?" if normalised else "What did the model predict?"
    canvas = Canvas(theme, question, 40 + ROW * len(names))
    rows = [label(names[i], risks.get(names[i]), theme) for i in order]
    canvas.trace(
        "bar",
        y=rows,
        x=values[order],
        orientation="h",
        marker={"color": [theme.risk[risks[names[i]]] if names[i] in risks else theme.accent for i in order]},
        name="output",
        hovertext=[f"{label(safe(names[i]), risks.get(names[i]))}: {decimal(values[i], 6)}" for i in order],
    )
    for row, i in zip(rows, order, strict=True):
        mark = " <b>truth</b>" if names[i] == truth else ""
        text = f"{decimal(values[i], 3)}{mark}"
        canvas.write(max(float(values[i]), 0), row, text, theme.ink, xanchor="left", xshift=6)
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    canvas.x_axis(
        "softmax of the outputs, for display only, not used for the score"
        if normalised
        else "raw output of the model",
        range=[low, high + 0.3 * max(high - low, 1e-9)],
        showgrid=False,
        zeroline=low < 0,
        zerolinecolor=theme.zero,
        nticks=5,
    )
    canvas.y_axis(showgrid=False)
    return canvas.figure()


@dataclass(frozen=True)
class Sweep:
    """Outputs of a model while one input of a case changes.

    Attributes:
        settings: Values of the input: numbers for a line, names for rows of dots.
        outputs: [settings, K] outputs at each value.
        own: The value that the case really has; None if it is unknown.
        risks: Class -> risk group.
    """

    settings: Sequence[float | str]
    outputs: Floats
    names: Sequence[str]
    own: float | str | None = None
    risks: Mapping[str, str] = field(default_factory=dict)

    def markers(self, theme: Theme, named: Sequence[int]) -> list[Properties]:
        """Return the marker of every class. Its shape shows the risk group, its colour the class. Classes
        that are not in `named` are grey."""
        colours: dict[int, str] = {}
        for k in named:
            # A class keeps its colour from figure to figure unless there are more classes than colours and
            # two of them meet.
            wanted = [*theme.categorical[k % len(theme.categorical) :], *theme.categorical]
            colours[k] = next(colour for colour in wanted if colour not in colours.values())
        return [
            {
                "symbol": SYMBOLS.get(self.risks.get(name, ""), "circle"),
                "size": 9 if k in named else 4,
                "color": colours.get(k, theme.zero),
            }
            for k, name in enumerate(self.names)
        ]

    def plain(self, k: int) -> str:
        """Return the name of class k for a hover text."""
        return label(safe(self.names[k]), self.risks.get(self.names[k]))

    def named(self, k: int, colour: str) -> str:
        """Return the name of class k with the symbol of its marker, in a colour."""
        shape = SHAPES.get(self.risks.get(self.names[k], ""), "●")
        return f"<span style='color:{colour};font-size:15px'>{shape}</span> {in_lines(self.names[k], LINE)}"

    def lines(self, named: Sequence[int]) -> int:
        """Return the number of lines of the longest name."""
        return max(in_lines(self.names[k], LINE).count("<br>") + 1 for k in named)


def prominent(outputs: Floats, most: int = NAMED) -> list[int]:
    """Return the classes that get a colour, in class order. They are those with the largest output at any
    setting; `outputs` is [settings, K]."""
    largest: list[int] = np.argsort(-outputs.max(0), kind="stable")[:most].tolist()
    return sorted(largest)


def spread(values: Sequence[float] | Floats, gap: float, low: float, high: float) -> list[float]:
    """Return positions for labels beside values. They have the order of the values and are at least `gap`
    apart. If there is room, they lie between `low` and `high`."""
    order = np.argsort(values, kind="stable")
    placed = np.clip(np.array(values, float), low, high)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    limit = high
    for k in order[::-1]:
        placed[k] = limit = min(placed[k], limit)
        limit -= gap
    places: list[float] = placed.tolist()
    return places


def _extent(outputs: Floats) -> tuple[float, float]:
    """Smallest and largest output, never the same."""
    low = float(outputs.min())
    return low, max(float(outputs.max()), low + 1e-9)


AGE_SWEPT = "Dotted: the age that the model receives; for an unknown age, the model receives 0."
"""Caption of the figure `sweep_lines` if the input is the age."""


def sweep_lines(sweep: Sweep, theme: Theme, question: str, axis_title: str) -> go.Figure:
    """Draw how outputs change with a numeric input.

    The four classes with the largest outputs have a colour and a name at the end of their line; others are
    grey.

    Args:
        sweep: Outputs at every value; the values are numbers.
        axis_title: Name of the input, with its unit.
    """
    outputs = np.asarray(sweep.outputs, float)
    named = prominent(outputs)
    marks = sweep.markers(theme, named)
    lines = sweep.lines(named)
    margin = {"l": 4, "r": 100 if lines == 1 else 150, "t": 10, "b": 4}
    canvas = Canvas(theme, question, 300, margin=margin, hovermode="closest")
    for k in sorted(range(len(sweep.names)), key=lambda k: k in named):
        canvas.trace(
            "scatter",
            x=list(sweep.settings),
            y=outputs[:, k],
            mode="lines+markers",
            name=safe(sweep.names[k]),
            marker=marks[k] | {"size": 5},
            line={"color": marks[k]["color"], "width": 2 if k in named else 1},
            hovertemplate=f"{sweep.plain(k)}<br>%{{x}}: %{{y:.3f}}<extra></extra>",
        )
    low, high = _extent(outputs)
    for k, y in zip(
        named, spread(outputs[-1, named], (0.02 + 0.06 * lines) * (high - low), low, high), strict=True
    ):
        label_text = sweep.named(k, marks[k]["color"])
        canvas.write(1, y, label_text, theme.ink, xref="paper", xanchor="left", xshift=6)
    if sweep.own is not None:
        canvas.rule(float(sweep.own), theme.ink, dash="dot")
    room = 0.06 * (high - low)
    canvas.x_axis(axis_title, showgrid=False)
    canvas.y_axis("output of the model", range=[low - room, high + room], nticks=5)
    return canvas.figure()


def setting_dots(sweep: Sweep, theme: Theme, question: str) -> go.Figure:
    """Draw raw outputs for each choice of one input (gender, body site) as rows. The row of the case's own
    choice is bold.

    The four classes with the largest outputs have a colour and a name above the first row. Other classes are
    small and grey.

    Args:
        sweep: Outputs at every choice; the choices are names.
    """
    outputs, places = np.asarray(sweep.outputs, float), list(range(len(sweep.settings)))
    named = prominent(outputs)
    marks = sweep.markers(theme, named)
    above = LINE_PX * sweep.lines(named)
    margin = {"l": 4, "r": 30, "t": above + LINE_PX, "b": 4}
    canvas = Canvas(theme, question, above + 63 + 28 * len(places), margin=margin, hovermode="closest")
    for k in sorted(range(len(sweep.names)), key=lambda k: k in named):
        canvas.trace(
            "scatter",
            x=outputs[:, k],
            y=places,
            mode="markers",
            name=safe(sweep.names[k]),
            hovertext=[
                f"{safe(setting)}<br>{sweep.plain(k)}: {decimal(v, 3)}"
                for setting, v in zip(sweep.settings, outputs[:, k], strict=True)
            ],
            cliponaxis=False,
            marker=marks[k] | {"line": {"color": theme.paper, "width": 1}},
        )
    low, high = _extent(outputs)
    width = high - low
    for k, x in zip(named, spread(outputs[0, named], 0.28 * width, low + 0.08 * width, high), strict=True):
        label_text = sweep.named(k, marks[k]["color"])
        canvas.write(x, 1, label_text, theme.ink, yref="paper", yanchor="bottom", yshift=6)
    ticks = [f"<b>{safe(name)}</b>" if name == sweep.own else safe(name) for name in sweep.settings]
    canvas.x_axis("output of the model", nticks=6, range=[low - 0.05 * width, high + 0.05 * width])
    canvas.rows(ticks, showgrid=True)
    return canvas.figure()
