"""Confusion matrices of classes, risk groups and stages, and of nuclei, with a row and a column for spurious
and missed nuclei."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Array, Floats, Ints
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.heat_maps import clickable, frame, heat
from scoring.presentation.figures.number_format import percent
from scoring.presentation.figures.theme import SHAPES, SYMBOLS, Theme, counted, label, safe, short

Counts = Sequence[Sequence[int]] | Ints
"""Counts [K, K], rows = truth, columns = prediction."""
LEVEL_CHARACTERS, NAME_CHARACTERS = 21, 16
"""Maximum number of characters of all column names together, and of each one, if the names are horizontal."""
FEW_CLASSES = 3
"""Up to this number of classes, cells and text are large."""
THOUSANDS = 10_000
"""From this count on, a cell shows the count in thousands."""


@dataclass(frozen=True)
class MatrixStyle:
    """Appearance of a confusion matrix.

    Attributes:
        show: Content of the cells: "counts", "shares" (percent of the row) or "both".
        outlined: True and predicted class of the harmful mistake, whose cell has a frame. Cells without cases
            are blank, but this one shows 0.
        unit: Word for what is counted, in the plural, such as "cases".
        is_counted: Whether the name of a row is followed by its number of cases (with a star if below 15).
        is_grouped: Whether classes are ordered by risk group, with lines between the groups, if every class
            has one.
        is_clickable: Whether cells have `customdata` (truth, prediction).
        extra_column: Name and description of the last column, if it is not a class; otherwise ().
        extra_row: Name and description of the last row, if it is not a class; otherwise ().
    """

    question: str
    show: str = "counts"
    outlined: tuple[str, str] | None = None
    unit: str = "cases"
    is_counted: bool = False
    is_grouped: bool = False
    is_clickable: bool = False
    extra_column: Sequence[str] = ()
    extra_row: Sequence[str] = ()


def confusion_matrix_figure(
    counts: Counts,
    names: Sequence[str],
    theme: Theme,
    style: MatrixStyle,
    risks: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw counts by true and predicted class. The colour of a cell shows its share of the row.

    Args:
        counts: [K, K] counts, rows = truth; with the extra row and column of the style, if it has them.
        risks: Class -> risk group, for classes that have one.
    """
    risks, cells = risks or {}, np.asarray(counts)
    order = list(range(len(names)))
    is_grouped = style.is_grouped and all(name in risks for name in names)
    if is_grouped:
        order.sort(key=lambda k: list(SYMBOLS).index(risks[names[k]]))
        cells = cells[np.ix_(order, order)]
    names = [names[k] for k in order]
    rows, columns = [*names, *style.extra_row[:1]], [*names, *style.extra_column[:1]]
    canvas = Canvas(theme, style.question, 300 if len(rows) <= FEW_CLASSES else 140 + 30 * len(rows))
    _draw_cells(canvas, cells, (rows, columns), style, risks)
    groups = [risks.get(name) if is_grouped else None for name in names]
    borders = [k for k, (before, after) in enumerate(pairwise(groups), 1) if before != after]
    for border in (*borders, *range(len(names), len(rows))):
        canvas.level(border - 0.5, theme.zero)
    for border in (*borders, *range(len(names), len(columns))):
        canvas.rule(border - 0.5, theme.zero)
    if style.is_clickable:
        clickable(canvas, [(truth, name) for truth in rows for name in columns], len(columns), 27)
    if style.outlined is not None:
        truth, called = style.outlined
        frame(canvas, rows.index(truth), columns.index(called), theme.risk["malignant"])
    canvas.y_axis("truth")
    canvas.title_closer()
    return canvas.figure()


def _draw_cells(
    canvas: Canvas,
    cells: Ints,
    names: tuple[Sequence[str], Sequence[str]],
    style: MatrixStyle,
    risks: Mapping[str, str],
) -> None:
    """Draw counts [rows, columns] of these names of rows and columns, with their labels and texts."""
    (rows, columns), theme, support = names, canvas.theme, cells.sum(1)
    is_turned = sum(len(_brief(name)) for name in columns) > LEVEL_CHARACTERS
    heads = [label(_brief(name), risks.get(name), theme, False) for name in columns]
    if is_turned:
        # A column's name is turned by a quarter to the left, and its shape with it: this one then points
        # upwards as all the others do.
        heads = [head.replace(SHAPES["malignant"], "▶") for head in heads]
    sides = [
        counted(_brief(name), n, risks.get(name), theme)
        if style.is_counted
        else label(_brief(name), risks.get(name), theme)
        for name, n in zip(rows, support.tolist(), strict=True)
    ]
    # Shares have one character more than most counts and must still fit 11 columns on a phone.
    is_short = style.show == "counts" and cells.max(initial=0) < 1000
    size = 15 if len(rows) <= FEW_CLASSES else 12 if is_short else 10
    shares = cells / np.maximum(support, 1)[:, None]
    heat(canvas, shares, heads, sides, *_texts(cells, shares, names, style, risks), size)
    canvas.x_axis("predicted", tickangle=-90 if is_turned else 0)


def _brief(name: str) -> str:
    return short(name, NAME_CHARACTERS)


def _texts(
    cells: Ints,
    shares: Floats,
    names: tuple[Sequence[str], Sequence[str]],
    style: MatrixStyle,
    risks: Mapping[str, str],
) -> tuple[Array, Array]:
    """Return the text of each cell, and that shown while the pointer is on it, [rows, columns] each."""
    truths, calls = (
        [f"{side} {label(safe(name), risks.get(name))}" for name in of_side[: len(of_side) - bool(extra)]]
        + [*extra[1:]]
        for side, of_side, extra in zip(
            ("truth", "predicted"), names, (style.extra_row, style.extra_column), strict=True
        )
    )
    texts, hovers = np.full(cells.shape, "", object), np.empty(cells.shape, object)
    for (i, j), n in np.ndenumerate(cells):
        part, count = percent(float(shares[i, j])), f"{n / 1000:.0f}k" if n >= THOUSANDS else str(n)
        hovers[i, j] = f"{truths[i]}<br>{calls[j]}<br>{n:,} {style.unit}, {part} of the row"
        if n or (names[0][i], names[1][j]) == style.outlined:
            lines = {
                "counts": f"<b>{count}</b>",
                "shares": f"<b>{part}</b>",
                "both": f"<b>{count}</b><br>{part}",
            }
            texts[i, j] = lines[style.show]
    return texts, hovers
