"""Confusion matrices of classes and of risk groups."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import percent
from scoring.figures.theme import SHAPES, SYMBOLS, Theme, figure, heat, label, safe


def matrix(
    counts: Sequence[Sequence[int]],
    names: Sequence[str],
    theme: Theme,
    question: str,
    height: int,
    *,
    risks: Mapping[str, str] | None = None,
    show: str = "counts",
    blocks: Sequence[int] = (),
    outlined: tuple[int, int] | None = None,
    size: int = 12,
) -> go.Figure:
    """Counts [K, K], rows = truth, coloured by the share of the row.

    show: "counts", "shares" (percent of the row) or "both". blocks: after how many classes a line parts the
    groups. outlined: row and column of the harm. An empty cell is blank unless it is that one: no harm is
    worth saying.
    """
    counts, risks = np.asarray(counts), risks or {}
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    words = np.full(counts.shape, "", object)
    hovers = np.empty(counts.shape, object)
    for (i, j), n in np.ndenumerate(counts):
        part = percent(shares[i, j])
        if n or (i, j) == outlined:
            words[i, j] = {
                "counts": f"<b>{n}</b>",
                "shares": f"<b>{part}</b>",
                "both": f"<b>{n}</b><br>{part}",
            }[show]
        hovers[i, j] = (
            f"truth {label(safe(names[i]), risks.get(names[i]))}<br>called "
            f"{label(safe(names[j]), risks.get(names[j]))}"
            f"<br>{n} cases, {part} of the row"
        )
    columns, rows = ([label(name, risks.get(name), theme, last) for name in names] for last in (False, True))
    turned = len(names) > 4
    if turned:
        # A column's name is turned by a quarter to the left, and its shape with it: this one then points
        # upwards as all the others do.
        columns = [column.replace(SHAPES["malignant"], "▶") for column in columns]
    fig = heat(figure(theme, question, height), theme, shares, columns, rows, words, hovers, size)
    for edge in blocks:
        fig.add_hline(edge - 0.5, line={"color": theme.zero, "width": 1})
        fig.add_vline(edge - 0.5, line={"color": theme.zero, "width": 1})
    if outlined is not None:
        i, j = outlined
        fig.add_shape(
            type="rect",
            x0=j - 0.47,
            x1=j + 0.47,
            y0=i - 0.47,
            y1=i + 0.47,
            line={"color": theme.risk["malignant"], "width": 3},
        )
    fig.update_xaxes(title_text="called", tickangle=-90 if turned else 0)
    return fig.update_yaxes(title_text="truth", title_standoff=2)


def risk_matrix(counts: Sequence[Sequence[int]], groups: Sequence[str], theme: Theme) -> go.Figure:
    """Risk groups, rows = truth, count and row share in each cell; malignant called benign is outlined."""
    harm = (groups.index("malignant"), groups.index("benign"))
    return matrix(
        counts,
        list(groups),
        theme,
        "Which risk was taken for which?",
        300,
        risks={g: g for g in groups},
        show="both",
        outlined=harm,
        size=15,
    )


def confusion_matrix(
    counts: Sequence[Sequence[int]],
    names: Sequence[str],
    theme: Theme,
    risks: Mapping[str, str] | None = None,
    show: str = "counts",
) -> go.Figure:
    """Classes, rows = truth. With risk groups (class -> group) the classes are put in their order, with lines
    between the groups."""
    order, blocks = list(range(len(names))), []
    if risks:
        order.sort(key=lambda i: list(SYMBOLS).index(risks[names[i]]))
        blocks = [k for k in range(1, len(order)) if risks[names[order[k]]] != risks[names[order[k - 1]]]]
    counts = np.asarray(counts)[np.ix_(order, order)]
    # Shares have one character more than most counts and must still fit 11 columns on a phone.
    return matrix(
        counts,
        [names[i] for i in order],
        theme,
        "Which class is taken for which?",
        140 + 30 * len(order),
        risks=risks,
        show=show,
        blocks=blocks,
        size=12 if show == "counts" else 10,
    )
