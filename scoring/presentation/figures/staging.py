"""Confusion matrices of tumour stages."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.cells import frame, heat
from scoring.presentation.figures.confusion import Counts
from scoring.presentation.figures.numerals import percent
from scoring.presentation.figures.theme import Theme, counted

NONE = "none"


def confusion(
    kind: str, labels: Sequence[str], counts: Counts, missing: Sequence[int], theme: Theme
) -> go.Figure:
    """Draw which stage is taken for which; patients without a usable prediction have a column of their own.

    Colour is the share of the row; the number after a stage is that of its patients, with a star below 15.

    Args:
        kind: "T" or "N".
        labels: Names of the K stages.
        counts: [K, K], rows = truth.
        missing: [K] patients of each true stage without a usable prediction.
        theme: Its colours.
    """
    cells = np.c_[np.asarray(counts, int).reshape(len(labels), len(labels)), np.asarray(missing, int)]
    support = cells.sum(1)
    shares = cells / np.maximum(support, 1)[:, None]
    words, hovers = np.full(cells.shape, "", object), np.empty(cells.shape, object)
    for (i, j), n in np.ndenumerate(cells):
        words[i, j] = f"<b>{n}</b>" if n else ""
        called = f"called {labels[j]}" if j < len(labels) else "no usable prediction"
        hovers[i, j] = (
            f"truth {labels[i]}<br>{called}<br>{n} of {support[i]} patients, {percent(shares[i, j])}"
        )
    rows = [counted(name, n, None, theme) for name, n in zip(labels, support.tolist(), strict=True)]
    canvas = Canvas(theme, f"Which {kind} stage is taken for which?", 96 + 40 * len(labels))
    heat(canvas, shares, [*labels, NONE], rows, words, hovers, 14)
    for k in range(len(labels)):
        frame(canvas, k, k, theme.zero, 1.5)
    canvas.rule(len(labels) - 0.5, theme.zero)
    canvas.x_axis("predicted")
    canvas.y_axis("truth")
    canvas.title_closer()
    return canvas.figure()
