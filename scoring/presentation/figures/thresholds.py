"""Figures about the threshold of a score. A case counts as positive if its score > threshold. Undefined
numbers (NaN) make gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats, Ints
from scoring.presentation.figures.canvas import QUARTERS, Canvas
from scoring.presentation.figures.number_format import MINUS, UNDEFINED, decimal, percent
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import SHAPES, SYMBOLS, Theme, faded, safe

MARGIN = {"l": 4, "r": 14, "t": 10, "b": 4}
DASHES = ("solid", "dash", "dot")
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Possible distances between two ticks of a histogram."""


@dataclass(frozen=True)
class Condition:
    """The condition that a score detects, as text.

    Attributes:
        name: Name in the singular, for example "melanoma".
    """

    name: str
    plural: str
    other: str = "other"


@dataclass(frozen=True)
class Mark:
    """A marked threshold.

    Attributes:
        threshold: The threshold, in units of the score.
        symbol: Plotly's name of the symbol that marks the threshold on curves.
        main: Whether it is the main threshold, drawn in the accent colour.
    """

    threshold: float
    place: str
    symbol: str
    main: bool = False

    def colour(self, theme: Theme) -> str:
        """Return the colour of the threshold's line and point."""
        return theme.accent if self.main else theme.ink


def cut(threshold: float) -> str:
    """Return a threshold as text: three decimals, or three significant digits near zero."""
    return f"{threshold:.3g}".replace("-", MINUS) if 0 < abs(threshold) < 0.01 else decimal(threshold, 3)


def _rules(canvas: Canvas, marks: Sequence[Mark]) -> None:
    for mark in marks:
        width, dash = (2, "solid") if mark.main else (1, "dot")
        canvas.rule(mark.threshold, mark.colour(canvas.theme), width, dash)


def category_line(k: int, theme: Theme) -> Properties:
    """Return colour, dashes and width of the line of category k; they are the same in every figure."""
    colour = theme.categorical[k % len(theme.categorical)]
    return {"color": colour, "dash": DASHES[k % len(DASHES)], "width": 2}


def threshold_lines(
    curves: Mapping[str, Floats],
    names: Mapping[str, str],
    marks: Sequence[Mark],
    theme: Theme,
    main: str,
    question: str = "How do results change with the threshold?",
    ends: Sequence[float] = (0, 1),
) -> go.Figure:
    """Draw measures against the threshold as curves, with their names above. Marks are vertical lines.

    Args:
        curves: Measures [T] by key, and "threshold" [T].
        names: Key -> name of each drawn measure.
    """
    canvas = Canvas(theme, question, 320, hovermode="x unified", margin=MARGIN)
    canvas.legend_above()
    order = np.argsort(curves["threshold"], kind="stable")
    for k, (key, name) in enumerate(names.items(), 1):
        line = (
            {"color": theme.accent, "width": 3} if key == main else category_line(k, theme) | {"width": 1.6}
        )
        canvas.trace(
            "scatter",
            x=curves["threshold"][order],
            y=curves[key][order],
            mode="lines",
            name=name,
            line=line | {"shape": "hv"},
            hovertemplate="%{y:.3f}",
        )
    _rules(canvas, marks)
    for row, mark in enumerate(mark for mark in marks if not mark.main):
        to_the_left = mark.threshold < (ends[0] + ends[1]) / 2
        canvas.write(
            mark.threshold,
            0.01 + 0.07 * row,
            safe(mark.place),
            theme.ink,
            xanchor="left" if to_the_left else "right",
            yanchor="bottom",
            xshift=4 if to_the_left else -4,
            bgcolor=theme.paper,
        )
    canvas.x_axis(
        "threshold: positive if the score is above it", range=list(ends), hoverformat=".3f", nticks=6
    )
    canvas.y_axis(range=[0, 1.02], **QUARTERS)
    return canvas.figure()


def histogram(
    edges: Floats, negative: Ints, positive: Ints, marks: Sequence[Mark], theme: Theme, condition: Condition
) -> go.Figure:
    """Draw which share of the positive cases, and of the other cases, has a score in each bin. Bars of
    positive cases point up, bars of other cases point down.

    Args:
        edges: [bins + 1] edges of the bins, evenly spaced.
        negative: [bins] number of cases without the condition.
        positive: [bins] number of cases with the condition.
    """
    margin = {"l": 4, "r": 14, "t": 26, "b": 4}
    canvas = Canvas(
        theme, "How are the scores of the two classes distributed?", 300, barmode="overlay", margin=margin
    )
    heights, legend = [], []
    for name, counts, sign, colour, shape in (
        (condition.name, positive, 1, theme.risk["malignant"], SHAPES["malignant"]),
        (condition.other, negative, -1, theme.third, "■"),
    ):
        heights.append(_bars(canvas, edges, counts, (name, colour, sign)))
        legend.append(f"<span style='color:{colour}'>{shape}</span> {name}, n = {counts.sum()}")
    _rules(canvas, marks)
    corner: Properties = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    canvas.write(0, 1, "   ".join(legend), theme.ink, **corner, yshift=4)
    canvas.x_axis("score of the model", range=[edges[0], edges[-1]], nticks=6, showgrid=False)
    _share_axis(canvas, heights)
    return canvas.figure()


@lru_cache(maxsize=8)
def _words_of_bins(name: str, edges: bytes, counts: bytes) -> Sequence[str]:
    """Return what is read of each bar of a class. edges: of float64; counts: of int64. A threshold that moves
    changes none of it."""
    numbers = np.frombuffer(counts, np.int64)
    spans = (f"{decimal(a, 3)} to {decimal(b, 3)}" for a, b in pairwise(np.frombuffer(edges)))
    shares = numbers / max(numbers.sum(), 1)
    return [
        f"{name}, score {span}<br>{n} case{'s' * (n != 1)}, {percent(part)} of the class"
        for span, n, part in zip(spans, numbers.tolist(), shares, strict=True)
    ]


def _bars(canvas: Canvas, edges: Floats, counts: Ints, drawn: tuple[str, str, int]) -> float:
    """Draw a class, upwards or downwards, and return the height of its highest bar. drawn: name, colour, and
    1 or -1."""
    name, colour, sign = drawn
    shares = counts / max(counts.sum(), 1)
    canvas.trace(
        "bar",
        x=(edges[1:] + edges[:-1]) / 2,
        y=sign * shares,
        width=(edges[1] - edges[0]) * 0.94,
        marker={"color": colour},
        name=name,
        hovertext=_words_of_bins(name, edges.astype(float).tobytes(), counts.astype(np.int64).tobytes()),
    )
    return float(shares.max())


def _share_axis(canvas: Canvas, heights: Sequence[float]) -> None:
    top, bottom = (max(height, 0.3 * max(heights), 0.01) for height in heights)
    step = next(step for step in STEPS if (top + bottom) / step < 8)
    ticks = step * np.arange(-int(bottom / step), int(top / step) + 1)
    canvas.y_axis(
        "share of the class",
        range=[-1.05 * bottom, 1.05 * top],
        tickvals=ticks,
        ticktext=[percent(abs(tick)) for tick in ticks],
        zeroline=True,
        zerolinecolor=canvas.theme.zero,
    )


def net_benefit(
    curves: Mapping[str, Floats], theme: Theme, condition: Condition, marks: Sequence[Mark] = ()
) -> go.Figure:
    """Draw the net benefit of the model, of treating everybody and of treating nobody.

    Args:
        curves: "threshold" [T], ascending, 0..1. "model", "everybody" and "nobody" [T]: net benefit per
            person. Optionally "low" and "high" [T]: ends of the model's band.
    """
    question = "Is the model more useful than treating everybody as positive?"
    canvas = Canvas(theme, question, 360, hovermode="x unified", margin=MARGIN)
    canvas.legend_above()
    x = curves["threshold"]
    if "low" in curves:
        canvas.band(x, curves["low"], curves["high"], faded(theme.accent, 0.18), showlegend=False)
    for key, name, colour, dash, width in (
        ("model", "the model", theme.accent, "solid", 2.5),
        ("everybody", "everybody positive", theme.categorical[1], "dash", 1.6),
        ("nobody", "nobody positive", theme.zero, "solid", 1.6),
    ):
        line = {"color": colour, "width": width, "dash": dash}
        canvas.trace(
            "scatter", x=x, y=curves[key], mode="lines", name=name, line=line, hovertemplate="%{y:.3f}"
        )
    _rules(canvas, marks)
    highest = np.nanmax(np.r_[curves["model"], curves.get("high", curves["model"]), 0])
    top = float(max(highest, curves["everybody"][0], 0.01))
    canvas.x_axis(
        "threshold: lowest risk at which a positive prediction is acted on",
        range=[x[0], x[-1]],
        tickformat=".0%",
        hoverformat=".0%",
        nticks=7,
    )
    canvas.y_axis(f"net benefit, {condition.plural} per person", range=[-0.25 * top, 1.08 * top], nticks=6)
    return canvas.figure()


def score_bar(
    score: float | None, marks: Sequence[Mark], span: Sequence[float], theme: Theme, is_positive: bool
) -> go.Figure:
    """Draw the score of one case and the marked thresholds on one line.

    Args:
        is_positive: Whether the case truly has the condition.
    """
    margin = {"l": 14, "r": 14, "t": 24, "b": 4}
    canvas = Canvas(theme, "What did the model predict?", 120, hovermode="closest", margin=margin)
    line = {"color": theme.tint, "width": 18}
    canvas.trace("scatter", x=list(span), y=[0, 0], mode="lines", line=line, name="range")
    for mark in marks:
        canvas.trace(
            "scatter",
            x=[mark.threshold, mark.threshold],
            y=[-0.5, 0.5],
            mode="lines",
            line={"color": theme.ink, "width": 2, "dash": "dot"},
            hovertext=f"{safe(mark.place)} {cut(mark.threshold)}",
            name=safe(mark.place),
        )
        canvas.write(mark.threshold, 0.55, safe(mark.place), theme.soft, yanchor="bottom")
    if score is not None:
        marker: Properties = {
            "symbol": SYMBOLS["malignant"] if is_positive else "square",
            "size": 15,
            "color": theme.risk["malignant"] if is_positive else theme.third,
            "line": {"color": theme.ink, "width": 1.5},
        }
        canvas.trace(
            "scatter",
            x=[score],
            y=[0],
            mode="markers",
            cliponaxis=False,
            hovertext=f"score {decimal(score, 6)}",
            name="score",
            marker=marker,
        )
    number = UNDEFINED if score is None else f"{score:.6g}"
    canvas.x_axis(f"score {number}", range=list(span), nticks=6, showgrid=False)
    canvas.y_axis(range=[-0.6, 0.9], visible=False)
    return canvas.figure()
