"""Figures of stages: which was taken for which."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import percent
from scoring.figures.theme import Theme, counted, figure, heat

NONE = "none"


def confusion(
    kind: str, labels: Sequence[str], counts: Sequence[Sequence[int]], missing: Sequence[int], theme: Theme
) -> go.Figure:
    """Counts [K, K] by true (rows) and predicted stage, and in a column of their own the patients without a
    usable prediction, missing [K].

    kind: "T" or "N". Colour is the share of the row; the number after a stage is that of its patients, with a
    star below 15.
    """
    cells = np.c_[np.asarray(counts, int).reshape(len(labels), len(labels)), np.asarray(missing, int)]
    support = cells.sum(1)
    shares = cells / np.maximum(support, 1)[:, None]
    columns = [*labels, NONE]
    words, hovers = np.full(cells.shape, "", object), np.empty(cells.shape, object)
    for (i, j), n in np.ndenumerate(cells):
        words[i, j] = f"<b>{n}</b>" if n else ""
        called = f"called {columns[j]}" if j < len(labels) else "no usable prediction"
        hovers[i, j] = (
            f"truth {labels[i]}<br>{called}<br>{n} of {support[i]} patients, {percent(shares[i, j])}"
        )
    rows = [counted(name, n, None, theme) for name, n in zip(labels, support.tolist(), strict=True)]
    empty = figure(theme, f"Which {kind} stage is taken for which?", 96 + 40 * len(labels))
    fig = heat(empty, theme, shares, columns, rows, words, hovers, 14)
    for k in range(len(labels)):
        fig.add_shape(
            type="rect",
            x0=k - 0.47,
            x1=k + 0.47,
            y0=k - 0.47,
            y1=k + 0.47,
            line={"color": theme.zero, "width": 1.5},
        )
    fig.add_vline(len(labels) - 0.5, line={"color": theme.zero, "width": 1})
    fig.update_xaxes(title_text="predicted")
    return fig.update_yaxes(title_text="truth", title_standoff=2)
