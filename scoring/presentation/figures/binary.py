"""Figures of how one score tells a condition from the rest. Shares are 0..1; "score > threshold" decides."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.calibration import ReliabilityLabels
from scoring.presentation.figures.canvas import Canvas, unit_axes
from scoring.presentation.figures.curves import Band
from scoring.presentation.figures.numerals import decimal, percent
from scoring.presentation.figures.theme import Theme, faded, safe
from scoring.presentation.figures.thresholds import MARGIN, Condition, Mark, cut


def risk_labels(condition: Condition) -> ReliabilityLabels:
    """Return the axis labels of a reliability diagram of risks."""
    return ReliabilityLabels(
        f"When it says 70%, do 70% have a {condition.name}?",
        "score of the model",
        f"share with a {condition.name}",
        condition.name,
    )


def roc(
    found: Mapping[str, Floats],
    marks: Sequence[Mark],
    theme: Theme,
    condition: Condition,
    band: Band | None = None,
) -> go.Figure:
    """Draw sensitivity over 1 - specificity, with the line of chance and the marks.

    Args:
        found: "specificity" and "recall" [T] at "threshold" [T].
        marks: Thresholds worth showing.
        theme: Its colours.
        condition: What is told from the rest.
        band: Pointwise 95% band.
    """
    axes = ("1 − specificity", "sensitivity")
    canvas = _square(theme, f"How well are {condition.plural} told from the rest?", axes, band)
    canvas.reference([0, 1], [0, 1], "chance")
    _curve(canvas, found["threshold"], (1 - found["specificity"], found["recall"]), axes, marks)
    return canvas.figure()


def precision_recall(
    found: Mapping[str, Floats],
    prevalence: float,
    marks: Sequence[Mark],
    theme: Theme,
    condition: Condition,
    band: Band | None = None,
) -> go.Figure:
    """Draw precision over sensitivity, with the marks.

    Args:
        found: "recall" and "precision" [T] at "threshold" [T].
        prevalence: Share of the condition, 0..1, the precision of guessing: a dotted line.
        marks: Thresholds worth showing.
        theme: Its colours.
        condition: What is told from the rest.
        band: Pointwise 95% band.
    """
    axes = ("sensitivity", "precision")
    canvas = _square(theme, f"How many of the flagged are {condition.plural}?", axes, band)
    canvas.reference([0, 1], [prevalence, prevalence], "prevalence")
    words = f"prevalence {percent(prevalence)}"
    canvas.write(1, prevalence, words, theme.soft, xanchor="right", yanchor="bottom")
    # Between two thresholds nothing can be reached: a staircase, as average precision counts it.
    _curve(canvas, found["threshold"], (found["recall"], found["precision"]), axes, marks, {"shape": "vh"})
    return canvas.figure()


def _square(theme: Theme, question: str, axes: tuple[str, str], band: Band | None) -> Canvas:
    canvas = Canvas(theme, question, 300, hovermode="closest", margin=MARGIN)
    unit_axes(canvas, *axes)
    if band is not None:
        canvas.band(*band, faded(theme.accent, 0.18))
    return canvas


def _curve(
    canvas: Canvas,
    thresholds: Floats,
    curve: tuple[Floats, Floats],
    axes: tuple[str, str],
    marks: Sequence[Mark],
    line: Mapping[str, str] | None = None,
) -> None:
    """Draw a curve (x, y) along its thresholds [T], and the marks where their threshold is among those."""
    theme, (x, y) = canvas.theme, curve
    canvas.trace(
        "scatter",
        x=x,
        y=y,
        mode="lines",
        line={"color": theme.accent, "width": 2, **(line or {})},
        name="curve",
        customdata=thresholds,
        hovertemplate=(
            f"threshold %{{customdata:.3f}}<br>{axes[0]} %{{x:.3f}}<br>{axes[1]} %{{y:.3f}}<extra></extra>"
        ),
    )
    for mark in sorted(marks, key=lambda mark: mark.main):
        at = int(np.argmin(np.abs(thresholds - mark.threshold)))
        canvas.trace(
            "scatter",
            x=[x[at]],
            y=[y[at]],
            mode="markers",
            name=safe(mark.place),
            cliponaxis=False,
            hoverinfo="text",
            hovertext=f"{safe(mark.place)}: threshold {cut(mark.threshold)}<br>{axes[0]} {decimal(x[at], 3)}"
            f"<br>{axes[1]} {decimal(y[at], 3)}",
            marker={
                "symbol": mark.symbol,
                "size": 13 if mark.main else 11,
                "color": theme.accent if mark.main else theme.paper,
                "line": {"color": mark.colour(theme), "width": 2},
            },
        )
