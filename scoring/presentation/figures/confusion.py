"""Confusion matrices of classes and of risk groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Array, Floats, Ints
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.cells import frame, heat
from scoring.presentation.figures.numerals import percent
from scoring.presentation.figures.theme import SHAPES, SYMBOLS, Theme, label, safe

Counts = Sequence[Sequence[int]] | Ints
"""Counts [K, K], rows = truth, columns = prediction."""
TURNED = 4
"""Classes up to which the names of columns stand upright."""


@dataclass(frozen=True)
class MatrixStyle:
    """How a confusion matrix is drawn.

    Attributes:
        question: That the figure answers.
        height: In pixels.
        show: What the cells say: "counts", "shares" (percent of the row) or "both".
        borders: After how many classes a line parts groups of them.
        outlined: Row and column of the mistake that does harm. An empty cell is blank unless it is that one:
            no harm is worth saying.
        size: Of the words in the cells, in pixels.
    """

    question: str
    height: int
    show: str = "counts"
    borders: Sequence[int] = ()
    outlined: tuple[int, int] | None = None
    size: int = 12


def matrix(
    counts: Counts, names: Sequence[str], risks: Mapping[str, str], style: MatrixStyle, theme: Theme
) -> Canvas:
    """Draw a matrix of counts, coloured by the share of the row.

    Args:
        counts: [K, K], rows = truth.
        names: Of the K classes.
        risks: Class -> risk group; may lack some.
        style: How it is drawn.
        theme: Its colours.
    """
    cells = np.asarray(counts)
    shares = cells / np.maximum(cells.sum(1, keepdims=True), 1)
    columns, rows = ([label(name, risks.get(name), theme, last) for name in names] for last in (False, True))
    turned = len(names) > TURNED
    if turned:
        # A column's name is turned by a quarter to the left, and its shape with it: this one then points
        # upwards as all the others do.
        columns = [column.replace(SHAPES["malignant"], "▶") for column in columns]
    canvas = Canvas(theme, style.question, style.height)
    words, hovers = _texts(cells, shares, names, risks, style)
    heat(canvas, shares, columns, rows, words, hovers, style.size)
    for border in style.borders:
        canvas.level(border - 0.5, theme.zero)
        canvas.rule(border - 0.5, theme.zero)
    if style.outlined is not None:
        frame(canvas, *style.outlined, theme.risk["malignant"])
    canvas.x_axis("called", tickangle=-90 if turned else 0)
    canvas.y_axis("truth")
    canvas.title_closer()
    return canvas


def _texts(
    cells: Ints, shares: Floats, names: Sequence[str], risks: Mapping[str, str], style: MatrixStyle
) -> tuple[Array, Array]:
    """Words in the cells, and words shown while the pointer is on them, [K, K] each."""
    words, hovers = np.full(cells.shape, "", object), np.empty(cells.shape, object)
    plain = [label(safe(name), risks.get(name)) for name in names]
    for (i, j), n in np.ndenumerate(cells):
        part = percent(float(shares[i, j]))
        if n or (i, j) == style.outlined:
            written = {"counts": f"<b>{n}</b>", "shares": f"<b>{part}</b>", "both": f"<b>{n}</b><br>{part}"}
            words[i, j] = written[style.show]
        hovers[i, j] = f"truth {plain[i]}<br>called {plain[j]}<br>{n} cases, {part} of the row"
    return words, hovers


def risk_matrix(counts: Counts, groups: Sequence[str], theme: Theme) -> go.Figure:
    """Draw risk groups, rows = truth, with count and row share; malignant called benign is outlined.

    Args:
        counts: [groups, groups].
        groups: "malignant", "medium" and "benign" in the order of the counts.
        theme: Its colours.
    """
    harm = (groups.index("malignant"), groups.index("benign"))
    style = MatrixStyle("Which risk was taken for which?", 300, "both", outlined=harm, size=15)
    return matrix(counts, groups, {group: group for group in groups}, style, theme).figure()


def confusion_matrix(
    counts: Counts,
    names: Sequence[str],
    theme: Theme,
    risks: Mapping[str, str] | None = None,
    show: str = "counts",
) -> go.Figure:
    """Draw which class is taken for which.

    Args:
        counts: [K, K], rows = truth.
        names: Of the K classes.
        theme: Its colours.
        risks: Class -> risk group of every class, which puts them in the order of the groups, with lines
            between them; None leaves them as they are.
        show: "counts" or "shares" (percent of the row).
    """
    order, borders = list(range(len(names))), []
    if risks:
        order.sort(key=lambda i: list(SYMBOLS).index(risks[names[i]]))
        borders = [k for k in range(1, len(order)) if risks[names[order[k]]] != risks[names[order[k - 1]]]]
    # Shares have one character more than most counts and must still fit 11 columns on a phone.
    style = MatrixStyle(
        "Which class is taken for which?",
        140 + 30 * len(order),
        show,
        borders,
        size=12 if show == "counts" else 10,
    )
    ordered = np.asarray(counts)[np.ix_(order, order)]
    return matrix(ordered, [names[i] for i in order], risks or {}, style, theme).figure()
