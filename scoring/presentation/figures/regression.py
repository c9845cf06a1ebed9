"""Scatter plot of predicted numbers against true ones."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.theme import Theme, faded, safe

MOST_POINTS = 5_000
"""Maximum number of drawn cases; if there are more, evenly spaced ones are drawn."""


def predicted_by_truth(names: Sequence[str], truth: Floats, predicted: Floats, theme: Theme) -> go.Figure:
    """Draw the true and predicted value of every case, and the line of no error.

    Args:
        truth: True values [N].
        predicted: Predicted values [N]; NaN if there is none.
    """
    canvas = Canvas(theme, "How large are the errors of the predictions?", 340, hovermode="closest")
    cases = np.flatnonzero(np.isfinite(predicted))
    cases = cases[:: max(1, -(-len(cases) // MOST_POINTS))]
    ends = [float(np.nanmin(truth)), float(np.nanmax(truth))]
    canvas.reference(ends, ends, "no error")
    canvas.trace(
        "scatter",
        x=truth[cases],
        y=predicted[cases],
        mode="markers",
        marker={"size": 6, "color": faded(theme.accent, 0.5)},
        hovertext=[
            f"<b>{safe(names[i])}</b><br>truth {truth[i]:g}, predicted {predicted[i]:g}"
            for i in cases.tolist()
        ],
        name="cases",
    )
    canvas.x_axis("truth")
    canvas.y_axis("predicted")
    return canvas.figure()
