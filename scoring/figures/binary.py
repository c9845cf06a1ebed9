"""Figures of one score against a yes or no. Shares are 0..1; undefined numbers are NaN and drawn as a gap.
"score > threshold" decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from scoring.figures.calibration import ReliabilityLabels
from scoring.figures.confusion import matrix
from scoring.figures.numerals import MINUS, UNDEFINED, decimal, percent
from scoring.figures.theme import SHAPES, SYMBOLS, Theme, faded, figure, safe, write

QUANTITIES = {
    "score": "score",
    "f2": "F2",
    "accuracy": "accuracy",
    "recall": "sensitivity",
    "specificity": "specificity",
}
DASHES = {"recall": "dash", "specificity": "dot"}

RISK = ReliabilityLabels(
    "When it says 70%, do 70% have a melanoma?", "score of the model", "share with a melanoma", "melanoma"
)


@dataclass(frozen=True)
class Mark:
    """A threshold worth showing. place: it in words. symbol: of its point on curves. main: the one that is
    looked at, drawn in the accent colour."""

    threshold: float
    place: str
    symbol: str
    main: bool = False


def cut(threshold: float) -> str:
    """A threshold in words: three decimals, near zero three digits that count."""
    return f"{threshold:.3g}".replace("-", MINUS) if 0 < abs(threshold) < 0.01 else decimal(threshold, 3)


def _colour(mark: Mark, theme: Theme) -> str:
    return theme.accent if mark.main else theme.ink


def _lines(fig: go.Figure, theme: Theme, marks: Sequence[Mark]) -> None:
    for mark in marks:
        fig.add_vline(
            mark.threshold,
            line={
                "color": _colour(mark, theme),
                "width": 2 if mark.main else 1,
                "dash": "solid" if mark.main else "dot",
            },
        )


def threshold_lines(
    found: Mapping[str, np.ndarray], marks: Sequence[Mark], span: Sequence[float], theme: Theme
) -> go.Figure:
    """Quantities [T] of `QUANTITIES` over thresholds [T], named above the figure; the marks are upright
    lines. span: ends of the axis."""
    fig = figure(
        theme,
        "What does the threshold change?",
        320,
        hovermode="x unified",
        margin={"l": 4, "r": 14, "t": 10, "b": 4},
        showlegend=True,
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "font": {"size": 12, "color": theme.ink},
        },
    )
    colours = {
        "score": theme.accent,
        "f2": theme.categorical[1],
        "accuracy": theme.categorical[3],
        "recall": theme.risk["malignant"],
        "specificity": theme.second,
    }
    for key, name in QUANTITIES.items():
        line = {
            "color": colours[key],
            "width": 3 if key == "score" else 1.6,
            "dash": DASHES.get(key, "solid"),
            "shape": "hv",
        }
        fig.add_scatter(
            x=found["threshold"][::-1],
            y=found[key][::-1],
            mode="lines",
            name=name,
            line=line,
            hovertemplate="%{y:.3f}",
        )
    _lines(fig, theme, marks)
    for place, mark in enumerate(mark for mark in marks if not mark.main):
        middle = mark.threshold < (span[0] + span[1]) / 2
        write(
            fig,
            mark.threshold,
            0.01 + 0.07 * place,
            safe(mark.place),
            theme.ink,
            xanchor="left" if middle else "right",
            yanchor="bottom",
            xshift=4 if middle else -4,
            bgcolor=theme.paper,
        )
    fig.update_xaxes(title_text="threshold", range=list(span), hoverformat=".3f", nticks=6)
    return fig.update_yaxes(
        range=[0, 1.02], tickvals=[0, 0.25, 0.5, 0.75, 1], ticktext=["0", ".25", ".5", ".75", "1"]
    )


def histogram(
    edges: np.ndarray, negative: np.ndarray, positive: np.ndarray, marks: Sequence[Mark], theme: Theme
) -> go.Figure:
    """Share of each class per bin of the score: melanomas upwards, others downwards, so that neither hides
    the other and few are seen beside many.

    edges [bins + 1], numbers of cases [bins].
    """
    fig = figure(
        theme,
        "Where do the scores of the two classes lie?",
        300,
        barmode="overlay",
        margin={"l": 4, "r": 14, "t": 26, "b": 4},
    )
    middle, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    spans = [f"{decimal(a, 3)} to {decimal(b, 3)}" for a, b in pairwise(edges)]
    heights, words = [], []
    for name, counts, sign, colour, shape in (
        ("melanoma", positive, 1, theme.risk["malignant"], SHAPES["malignant"]),
        ("other", negative, -1, theme.third, "■"),
    ):
        shares = counts / max(counts.sum(), 1)
        fig.add_bar(
            x=middle,
            y=sign * shares,
            width=width * 0.94,
            marker_color=colour,
            name=name,
            hoverinfo="text",
            hovertext=[
                f"{name}, score {span}<br>{n} case{'s' * (n != 1)}, {percent(part)} of the class"
                for span, n, part in zip(spans, counts.tolist(), shares, strict=True)
            ],
        )
        heights.append(shares.max())
        words.append(f"<span style='color:{colour}'>{shape}</span> {name}, n = {counts.sum()}")
    _lines(fig, theme, marks)
    write(
        fig,
        0,
        1,
        "   ".join(words),
        theme.ink,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="bottom",
        yshift=4,
    )
    top, bottom = (max(height, 0.3 * max(heights), 0.01) for height in heights)
    fig.update_xaxes(title_text="score of the model", range=[edges[0], edges[-1]], nticks=6, showgrid=False)
    step = next(step for step in (0.02, 0.05, 0.1, 0.2, 0.5) if (top + bottom) / step < 8)
    ticks = step * np.arange(-int(bottom / step), int(top / step) + 1)
    return fig.update_yaxes(
        title_text="share of the class",
        range=[-1.05 * bottom, 1.05 * top],
        tickvals=ticks,
        ticktext=[percent(abs(tick)) for tick in ticks],
        zeroline=True,
        zerolinecolor=theme.zero,
    )


def _square(theme: Theme, question: str, x_title: str, y_title: str) -> go.Figure:
    fig = figure(theme, question, 300, hovermode="closest", margin={"l": 4, "r": 14, "t": 10, "b": 4})
    ticks = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", ".25", ".5", ".75", "1"]}
    fig.update_xaxes(title_text=x_title, range=[-0.01, 1.01], **ticks)
    return fig.update_yaxes(title_text=y_title, range=[-0.01, 1.03], **ticks)


def _band(fig: go.Figure, theme: Theme, grid: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    drawn = np.isfinite(low) & np.isfinite(high)
    fig.add_scatter(
        x=np.r_[grid[drawn], grid[drawn][::-1]],
        y=np.r_[high[drawn], low[drawn][::-1]],
        fill="toself",
        fillcolor=faded(theme.accent, 0.18),
        line_width=0,
        mode="lines",
        hoverinfo="skip",
        name="95% band",
    )


def _points(
    fig: go.Figure,
    theme: Theme,
    found: Mapping[str, np.ndarray],
    marks: Sequence[Mark],
    x: np.ndarray,
    y: np.ndarray,
    words: Sequence[str],
) -> None:
    """The marks on a curve: where their threshold stands among those of the curve."""
    for mark in sorted(marks, key=lambda m: m.main):
        at = int(np.argmin(np.abs(found["threshold"] - mark.threshold)))
        fig.add_scatter(
            x=[x[at]],
            y=[y[at]],
            mode="markers",
            name=safe(mark.place),
            cliponaxis=False,
            hoverinfo="text",
            hovertext=f"{safe(mark.place)}: threshold {cut(mark.threshold)}<br>{words[0]} {decimal(x[at], 3)}"
            f"<br>{words[1]} {decimal(y[at], 3)}",
            marker={
                "symbol": mark.symbol,
                "size": 13 if mark.main else 11,
                "color": theme.accent if mark.main else theme.paper,
                "line": {"color": _colour(mark, theme), "width": 2},
            },
        )


def roc(
    found: Mapping[str, np.ndarray], marks: Sequence[Mark], theme: Theme, band: tuple | None = None
) -> go.Figure:
    """Sensitivity over 1 - specificity [T] along the thresholds [T], the line of chance, the marks; band:
    (grid, low, high)."""
    fig = _square(theme, "How well are melanomas told from the rest?", "1 − specificity", "sensitivity")
    if band is not None:
        _band(fig, theme, *band)
    fig.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="chance",
    )
    x, y = 1 - found["specificity"], found["recall"]
    fig.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": theme.accent, "width": 2},
        name="curve",
        customdata=found["threshold"],
        hovertemplate=(
            "threshold %{customdata:.3f}<br>1 − specificity %{x:.3f}<br>sensitivity %{y:.3f}<extra></extra>"
        ),
    )
    _points(fig, theme, found, marks, x, y, ("1 − specificity", "sensitivity"))
    return fig


def precision_recall(
    found: Mapping[str, np.ndarray],
    prevalence: float,
    marks: Sequence[Mark],
    theme: Theme,
    band: tuple | None = None,
) -> go.Figure:
    """Precision over sensitivity [T]; dotted is the prevalence, the precision of guessing. band: (grid, low,
    high)."""
    fig = _square(theme, "How many of the flagged are melanomas?", "sensitivity", "precision")
    if band is not None:
        _band(fig, theme, *band)
    fig.add_scatter(
        x=[0, 1],
        y=[prevalence, prevalence],
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="prevalence",
    )
    write(
        fig, 1, prevalence, f"prevalence {percent(prevalence)}", theme.soft, xanchor="right", yanchor="bottom"
    )
    x, y = found["recall"], found["precision"]
    fig.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": theme.accent, "width": 2, "shape": "vh"},
        name="curve",
        customdata=found["threshold"],
        hovertemplate="threshold %{customdata:.3f}<br>sensitivity %{x:.3f}<br>precision %{y:.3f}<extra></extra>",
    )
    _points(fig, theme, found, marks, x, y, ("sensitivity", "precision"))
    return fig


def confusion(counts: Sequence[Sequence[int]], theme: Theme) -> go.Figure:
    """Counts [[TN, FP], [FN, TP]] with shares of the row; missed melanomas are outlined."""
    turned = np.asarray(counts)[::-1, ::-1]
    return matrix(
        turned,
        ["melanoma", "other"],
        theme,
        "What is taken for what?",
        300,
        risks={"melanoma": "malignant"},
        show="both",
        outlined=(0, 1),
        size=15,
    )


def net_benefit(found: Mapping[str, np.ndarray], theme: Theme, marks: Sequence[Mark] = ()) -> go.Figure:
    """Net benefit [T] over the threshold [T] of the model, of calling everybody and of nobody; low, high: the
    model's band, where there."""
    fig = figure(
        theme,
        "Is the model of more use than calling everybody?",
        360,
        hovermode="x unified",
        margin={"l": 4, "r": 14, "t": 10, "b": 4},
        showlegend=True,
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "font": {"size": 12, "color": theme.ink},
        },
    )
    x = found["threshold"]
    if "low" in found:
        _band(fig, theme, x, found["low"], found["high"])
        fig.data[-1].showlegend = False
    for key, name, colour, dash, width in (
        ("model", "the model", theme.accent, "solid", 2.5),
        ("everybody", "calling everybody", theme.categorical[1], "dash", 1.6),
        ("nobody", "calling nobody", theme.zero, "solid", 1.6),
    ):
        fig.add_scatter(
            x=x,
            y=found[key],
            mode="lines",
            name=name,
            line={"color": colour, "width": width, "dash": dash},
            hovertemplate="%{y:.3f}",
        )
    _lines(fig, theme, marks)
    top = max(
        np.nanmax(np.r_[found["model"], found.get("high", found["model"]), 0]), found["everybody"][0], 0.01
    )
    fig.update_xaxes(
        title_text="threshold: risk from which a call is worth it",
        range=[x[0], x[-1]],
        tickformat=".0%",
        hoverformat=".0%",
        nticks=7,
    )
    return fig.update_yaxes(
        title_text="net benefit, melanomas per person", range=[-0.25 * top, 1.08 * top], nticks=6
    )


def score_bar(
    score: float | None, marks: Sequence[Mark], span: Sequence[float], theme: Theme, is_melanoma: bool
) -> go.Figure:
    """One case's score on the line of all thresholds, with the official one. score: None where there is
    none."""
    fig = figure(
        theme, "What did the model say?", 120, hovermode="closest", margin={"l": 14, "r": 14, "t": 24, "b": 4}
    )
    fig.add_scatter(
        x=list(span),
        y=[0, 0],
        mode="lines",
        line={"color": theme.tint, "width": 18},
        hoverinfo="skip",
        name="range",
    )
    for mark in marks:
        fig.add_scatter(
            x=[mark.threshold, mark.threshold],
            y=[-0.5, 0.5],
            mode="lines",
            line={"color": theme.ink, "width": 2, "dash": "dot"},
            hoverinfo="text",
            hovertext=f"{safe(mark.place)} {cut(mark.threshold)}",
            name=safe(mark.place),
        )
        write(fig, mark.threshold, 0.55, safe(mark.place), theme.soft, yanchor="bottom")
    if score is not None:
        colour = theme.risk["malignant"] if is_melanoma else theme.third
        fig.add_scatter(
            x=[score],
            y=[0],
            mode="markers",
            cliponaxis=False,
            hoverinfo="text",
            hovertext=f"score {decimal(score, 6)}",
            name="score",
            marker={
                "symbol": SYMBOLS["malignant"] if is_melanoma else "square",
                "size": 15,
                "color": colour,
                "line": {"color": theme.ink, "width": 1.5},
            },
        )
    words = UNDEFINED if score is None else f"{score:.6g}"
    fig.update_xaxes(title_text=f"score {words}", range=list(span), nticks=6, showgrid=False)
    return fig.update_yaxes(range=[-0.6, 0.9], visible=False)
