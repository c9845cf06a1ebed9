"""Figures of one score against a yes or no. Shares are 0..1; undefined numbers are NaN and drawn as a gap. "score > threshold" decides."""
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.classification import Calibrated, matrix
from scoring.figures.look import SHAPES, SYMBOLS, Look, faded, figure, safe, write
from scoring.figures.numerals import UNDEFINED, decimal, percent

QUANTITIES = {"score": "score", "f2": "F2", "accuracy": "accuracy", "recall": "sensitivity", "specificity": "specificity"}
DASHES = {"recall": "dash", "specificity": "dot"}

RISK = Calibrated("When it says 70%, do 70% have a melanoma?", "score of the model", "share with a melanoma", "melanoma")


@dataclass(frozen=True)
class Mark:
    """A threshold worth showing. place: it in words. symbol: of its point on curves. main: the one that is looked at, drawn in the accent colour."""

    threshold: float
    place: str
    symbol: str
    main: bool = False


def _colour(mark: Mark, look: Look) -> str:
    return look.accent if mark.main else look.ink


def _lines(fig: go.Figure, look: Look, marks: Sequence[Mark]) -> None:
    for mark in marks:
        fig.add_vline(mark.threshold, line={"color": _colour(mark, look), "width": 2 if mark.main else 1, "dash": "solid" if mark.main else "dot"})


def threshold_lines(found: Mapping[str, np.ndarray], marks: Sequence[Mark], span: Sequence[float], look: Look) -> go.Figure:
    """Quantities [T] of `QUANTITIES` over thresholds [T], named above the figure; the marks are upright lines. span: ends of the axis."""
    fig = figure(look, "What does the threshold change?", 320, hovermode="x unified", margin={"l": 4, "r": 14, "t": 10, "b": 4}, showlegend=True,
                 legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 12, "color": look.ink}})
    colours = {"score": look.accent, "f2": look.categorical[1], "accuracy": look.categorical[3], "recall": look.risk["malignant"], "specificity": look.second}
    for key, name in QUANTITIES.items():
        line = {"color": colours[key], "width": 3 if key == "score" else 1.6, "dash": DASHES.get(key, "solid"), "shape": "hv"}
        fig.add_scatter(x=found["threshold"][::-1], y=found[key][::-1], mode="lines", name=name, line=line, hovertemplate="%{y:.3f}")
    _lines(fig, look, marks)
    fig.update_xaxes(title_text="threshold", range=list(span), hoverformat=".3f", nticks=6)
    return fig.update_yaxes(range=[0, 1.02], tickvals=[0, .25, .5, .75, 1], ticktext=["0", ".25", ".5", ".75", "1"])


def histogram(edges: np.ndarray, negative: np.ndarray, positive: np.ndarray, marks: Sequence[Mark], look: Look) -> go.Figure:
    """Cases per bin of the score: melanomas upwards, others downwards, so that neither hides the other. edges [bins + 1], counts [bins]."""
    fig = figure(look, "Where do the scores of the two classes lie?", 300, barmode="overlay", bargap=0.08)
    middle, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    spans = [f"{decimal(a, 3)} to {decimal(b, 3)}" for a, b in zip(edges[:-1], edges[1:], strict=True)]
    for name, counts, sign, colour in (("melanoma", positive, 1, look.risk["malignant"]), ("other", negative, -1, look.third)):
        fig.add_bar(x=middle, y=sign * counts, width=width * .94, marker_color=colour, name=name, hoverinfo="text",
                    hovertext=[f"{name}, score {span}<br>{n} case{'s' * (n != 1)}" for span, n in zip(spans, counts.tolist(), strict=True)])
    _lines(fig, look, marks)
    # Each half has a scale of its own height, so that a few melanomas are seen beside many others.
    high, low = max(positive.max(), 1), max(negative.max(), 1)
    top = max(high, .35 * low)
    bottom = max(low, .35 * top)
    write(fig, 0, 1, f"<span style='color:{look.risk['malignant']}'>{SHAPES['malignant']}</span> melanoma, n = {positive.sum()}", look.ink, xref="paper", yref="paper",
          xanchor="left", yanchor="top")
    write(fig, 0, 0, f"<span style='color:{look.third}'>■</span> other, n = {negative.sum()}", look.ink, xref="paper", yref="paper", xanchor="left", yanchor="bottom")
    ticks = _ticks(top, bottom)
    fig.update_xaxes(title_text="score of the model", range=[edges[0], edges[-1]], nticks=6, showgrid=False)
    return fig.update_yaxes(title_text="cases", range=[-1.25 * bottom, 1.25 * top], tickvals=ticks, ticktext=[f"{abs(t):g}" for t in ticks], zeroline=True, zerolinecolor=look.zero)


def _ticks(top: float, bottom: float) -> list[float]:
    """Round numbers of cases on both sides of zero, about five in all."""
    rough = max((top + bottom) / 4, 1)
    power = 10 ** np.floor(np.log10(rough))
    step = max(power * min((1, 2, 5, 10), key=lambda k: abs(k - rough / power)), 1)
    return [float(k * step) for k in range(-int(bottom // step), int(top // step) + 1)]


def _square(look: Look, question: str, x_title: str, y_title: str) -> go.Figure:
    fig = figure(look, question, 300, hovermode="closest", margin={"l": 4, "r": 14, "t": 10, "b": 4})
    ticks = {"tickvals": [0, .25, .5, .75, 1], "ticktext": ["0", ".25", ".5", ".75", "1"]}
    fig.update_xaxes(title_text=x_title, range=[-.01, 1.01], **ticks)
    return fig.update_yaxes(title_text=y_title, range=[-.01, 1.03], **ticks)


def _band(fig: go.Figure, look: Look, grid: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    drawn = np.isfinite(low) & np.isfinite(high)
    fig.add_scatter(x=np.r_[grid[drawn], grid[drawn][::-1]], y=np.r_[high[drawn], low[drawn][::-1]], fill="toself", fillcolor=faded(look.accent, .18),
                    line_width=0, mode="lines", hoverinfo="skip", name="95% band")


def _points(fig: go.Figure, look: Look, found: Mapping[str, np.ndarray], marks: Sequence[Mark], x: np.ndarray, y: np.ndarray, words: Sequence[str]) -> None:
    """The marks on a curve: where their threshold stands among those of the curve."""
    for mark in sorted(marks, key=lambda m: m.main):
        at = int(np.argmin(np.abs(found["threshold"] - mark.threshold)))
        fig.add_scatter(x=[x[at]], y=[y[at]], mode="markers", name=safe(mark.place), cliponaxis=False, hoverinfo="text",
                        hovertext=f"{safe(mark.place)}: threshold {decimal(mark.threshold, 3)}<br>{words[0]} {decimal(x[at], 3)}<br>{words[1]} {decimal(y[at], 3)}",
                        marker={"symbol": mark.symbol, "size": 13 if mark.main else 11, "color": look.accent if mark.main else look.paper,
                                "line": {"color": _colour(mark, look), "width": 2}})


def roc(found: Mapping[str, np.ndarray], marks: Sequence[Mark], look: Look, band: tuple | None = None) -> go.Figure:
    """Sensitivity over 1 - specificity [T] along the thresholds [T], the line of chance, the marks; band: (grid, low, high)."""
    fig = _square(look, "How well are melanomas told from the rest?", "1 − specificity", "sensitivity")
    if band is not None:
        _band(fig, look, *band)
    fig.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": look.zero, "width": 1, "dash": "dot"}, hoverinfo="skip", name="chance")
    x, y = 1 - found["specificity"], found["recall"]
    fig.add_scatter(x=x, y=y, mode="lines", line={"color": look.accent, "width": 2}, name="curve", hoverinfo="text",
                    hovertext=[f"threshold {decimal(t, 3)}<br>sensitivity {decimal(b, 3)}<br>specificity {decimal(1 - a, 3)}"
                               for t, a, b in zip(found["threshold"], x, y, strict=True)])
    _points(fig, look, found, marks, x, y, ("1 − specificity", "sensitivity"))
    return fig


def precision_recall(found: Mapping[str, np.ndarray], prevalence: float, marks: Sequence[Mark], look: Look, band: tuple | None = None) -> go.Figure:
    """Precision over sensitivity [T]; dotted is the prevalence, the precision of guessing. band: (grid, low, high)."""
    fig = _square(look, "How many of the flagged are melanomas?", "sensitivity", "precision")
    if band is not None:
        _band(fig, look, *band)
    fig.add_scatter(x=[0, 1], y=[prevalence, prevalence], mode="lines", line={"color": look.zero, "width": 1, "dash": "dot"}, hoverinfo="skip", name="prevalence")
    write(fig, 1, prevalence, f"prevalence {percent(prevalence)}", look.soft, xanchor="right", yanchor="bottom")
    x, y = found["recall"], found["precision"]
    fig.add_scatter(x=x, y=y, mode="lines", line={"color": look.accent, "width": 2, "shape": "vh"}, name="curve", hoverinfo="text",
                    hovertext=[f"threshold {decimal(t, 3)}<br>sensitivity {decimal(a, 3)}<br>precision {decimal(b, 3)}"
                               for t, a, b in zip(found["threshold"], x, y, strict=True)])
    _points(fig, look, found, marks, x, y, ("sensitivity", "precision"))
    return fig


def confusion(counts: Sequence[Sequence[int]], look: Look) -> go.Figure:
    """Counts [[TN, FP], [FN, TP]] with shares of the row; missed melanomas are outlined."""
    turned = np.asarray(counts)[::-1, ::-1]
    return matrix(turned, ["melanoma", "other"], look, "What is taken for what?", 300, show="both", outlined=(0, 1), size=15)


def net_benefit(found: Mapping[str, np.ndarray], look: Look, marks: Sequence[Mark] = ()) -> go.Figure:
    """Net benefit [T] over the threshold [T] of the model, of calling everybody and of nobody; low, high: the model's band, where there."""
    fig = figure(look, "Is the model of more use than calling everybody?", 360, hovermode="x unified", margin={"l": 4, "r": 14, "t": 10, "b": 4},
                 showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 12, "color": look.ink}})
    x = found["threshold"]
    if "low" in found:
        _band(fig, look, x, found["low"], found["high"])
        fig.data[-1].showlegend = False
    for key, name, colour, dash, width in (("model", "the model", look.accent, "solid", 2.5), ("everybody", "calling everybody", look.categorical[1], "dash", 1.6),
                                           ("nobody", "calling nobody", look.zero, "solid", 1.6)):
        fig.add_scatter(x=x, y=found[key], mode="lines", name=name, line={"color": colour, "width": width, "dash": dash}, hovertemplate="%{y:.3f}")
    _lines(fig, look, marks)
    top = max(np.nanmax(np.r_[found["model"], found.get("high", found["model"]), 0]), found["everybody"][0], .01)
    fig.update_xaxes(title_text="threshold: risk from which a call is worth it", range=[x[0], x[-1]], tickformat=".0%", hoverformat=".0%", nticks=7)
    return fig.update_yaxes(title_text="net benefit, melanomas per person", range=[-.25 * top, 1.08 * top], nticks=6)


def score_bar(score: float | None, marks: Sequence[Mark], span: Sequence[float], look: Look, is_melanoma: bool) -> go.Figure:
    """One case's score on the line of all thresholds, with the official one. score: None where there is none."""
    fig = figure(look, "What did the model say?", 120, hovermode="closest", margin={"l": 14, "r": 14, "t": 24, "b": 4})
    fig.add_scatter(x=list(span), y=[0, 0], mode="lines", line={"color": look.tint, "width": 18}, hoverinfo="skip", name="range")
    for mark in marks:
        fig.add_scatter(x=[mark.threshold, mark.threshold], y=[-.5, .5], mode="lines", line={"color": look.ink, "width": 2, "dash": "dot"}, hoverinfo="text",
                        hovertext=f"{safe(mark.place)} {decimal(mark.threshold, 3)}", name=safe(mark.place))
        write(fig, mark.threshold, .55, safe(mark.place), look.soft, yanchor="bottom")
    if score is not None:
        colour = look.risk["malignant"] if is_melanoma else look.third
        fig.add_scatter(x=[score], y=[0], mode="markers", cliponaxis=False, hoverinfo="text", hovertext=f"score {decimal(score, 6)}", name="score",
                        marker={"symbol": SYMBOLS["malignant"] if is_melanoma else "square", "size": 15, "color": colour, "line": {"color": look.ink, "width": 1.5}})
    words = UNDEFINED if score is None else f"{score:.6g}"
    fig.update_xaxes(title_text=f"score {words}", range=list(span), nticks=6, showgrid=False)
    return fig.update_yaxes(range=[-.6, .9], visible=False)
