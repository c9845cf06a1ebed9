"""Small ROC and precision-recall panels, one class each."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import Canvas, pale
from scoring.presentation.figures.drawing import Properties
from scoring.presentation.figures.theme import Theme

Band = tuple[Floats, Floats, Floats]
"""A pointwise 95% band: places on the horizontal axis [points], its lower and its upper end there."""
TICKS: Properties = {"tickvals": [0, 0.5, 1], "ticktext": ["0", ".5", "1"]}


@dataclass(frozen=True)
class ClassCurve:
    """The curve of one class.

    Attributes:
        name: Of the class.
        x: [points] from 0 to 1.
        y: [points] from 0 to 1.
        risk: Risk group of the class, None without.
        band: Pointwise 95% band, None without.
    """

    name: str
    x: Floats
    y: Floats
    risk: str | None = None
    band: Band | None = None


def roc_panel(curve: ClassCurve, theme: Theme) -> go.Figure:
    """Draw sensitivity over 1 - specificity of one class, with the line of chance."""
    canvas = _panel(curve, f"How well is {curve.name} told from the rest?", "sensitivity", theme)
    canvas.reference([0, 1], [0, 1], "chance")
    return canvas.figure()


def precision_recall_panel(curve: ClassCurve, prevalence: float, theme: Theme) -> go.Figure:
    """Draw precision over recall of one class.

    prevalence: share of the class in all cases, the precision of guessing: a dotted line.
    """
    canvas = _panel(curve, f"How many of those called {curve.name} are {curve.name}?", "precision", theme)
    canvas.reference([0, 1], [prevalence, prevalence], "guessing")
    return canvas.figure()


def _panel(curve: ClassCurve, question: str, name: str, theme: Theme) -> Canvas:
    colour = theme.risk[curve.risk] if curve.risk else theme.accent
    margin = {"l": 2, "r": 14, "t": 10, "b": 2}
    canvas = Canvas(theme, question, 130, hovermode="x unified", margin=margin)
    if curve.band is not None:
        grid, low, high = (np.asarray(values, float) for values in curve.band)
        canvas.band(grid, low, high, pale(colour))
    canvas.trace(
        "scatter",
        x=curve.x,
        y=curve.y,
        mode="lines",
        line={"color": colour, "width": 2},
        name=name,
        hovertemplate="%{y:.2f}",
    )
    canvas.x_axis(range=[0, 1], hoverformat=".2f", **TICKS)
    canvas.y_axis(range=[0, 1.02], **TICKS)
    return canvas
