"""Figures of points: won and lost in each part of a score, and lost in each class. Also predicted against
true numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.number_format import decimal, span
from scoring.presentation.figures.theme import Theme, counted, faded, label, safe, text_on

ROW = 26
"""Height in pixels of a row of bars."""
WORDS = 27
"""Width of the interval's name on a phone, in units of the axis (points out of 100)."""
BELOW = -0.62
"""Vertical position of score, interval and maximum; the bars of the strip are at 0."""


@dataclass(frozen=True)
class ScorePart:
    """A summand of a score.

    Attributes:
        short: Short name for narrow screens.
        weight: Maximum points of the part, out of 100.
        value: Value of the part, 0..1; None if undefined.
    """

    name: str
    short: str
    weight: float
    value: float | None


@dataclass(frozen=True)
class Unit:
    """How points out of 100 are displayed.

    Attributes:
        factor: Number by which points are multiplied to give the displayed number.
        digits: Number of decimals.
        name: Text after the number.
    """

    factor: float
    digits: int
    name: str

    def tick(self, points: float) -> str:
        """Return points as a tick label."""
        return f"{self.factor * points:g}"


POINTS, SHARE = Unit(1.0, 2, " points"), Unit(0.01, 3, "")


def score_strip(
    parts: Sequence[ScorePart],
    theme: Theme,
    interval: Sequence[float] | None = None,
    ceiling: float | None = None,
    unit: Unit = POINTS,
) -> go.Figure:
    """Draw the parts of a score. Solid bars are points won and add up to the score; hatched bars are points
    lost and fill up to 100.

    Args:
        parts: Parts of the score; an undefined part wins no points.
        interval: 95 % interval of the score, in points out of 100.
        ceiling: The score if every case were right, in points out of 100.
    """
    colours = (theme.accent, theme.second, theme.third, *theme.categorical)
    canvas = Canvas(
        theme, "Where does the score come from?", 128, barmode="stack", bargap=0, hovermode="closest"
    )
    start = 0.0
    for lost in (False, True):
        for part, colour in zip(parts, colours, strict=False):
            start += _strip_piece(canvas, part, start, colour, lost, unit)
    score = sum(part.weight * (part.value or 0.0) for part in parts)
    _strip_marks(canvas, score, interval, ceiling, unit)
    ticks = range(0, 101, 20)
    canvas.x_axis(range=[0, 100], tickvals=list(ticks), ticktext=list(map(unit.tick, ticks)), showgrid=False)
    canvas.y_axis(range=[-0.95, 0.85], visible=False)
    return canvas.figure()


def _strip_piece(canvas: Canvas, part: ScorePart, start: float, colour: str, lost: bool, unit: Unit) -> float:
    """Draw the points that a part won or lost, from `start`, and return how many they are."""
    value, word, paper = part.value or 0.0, "lost" if lost else "won", canvas.theme.paper
    size = part.weight * (1 - value if lost else value)
    share = f"(1 − {value:.6f})" if lost else f"{value:.6f}"
    pale = faded(colour, 0.55)
    marker: dict[str, Any] = {"color": colour, "line": {"color": paper, "width": 1}}
    if lost:
        hatch = {"shape": "/", "fgcolor": pale, "bgcolor": paper, "size": 6, "solidity": 0.25}
        marker = {"color": paper, "line": {"color": pale, "width": 1}, "pattern": hatch}
    canvas.trace(
        "bar",
        y=[0],
        x=[size],
        orientation="h",
        width=0.62,
        name=f"{safe(part.name)} {word}",
        hovertext=f"{safe(part.name)}<br>{unit.factor * part.weight:g} × {share} = "
        f"{unit.factor * size:.4f}{unit.name} {word}",
        marker=marker,
    )
    _strip_words(canvas, part, start, size, canvas.theme.ink if lost else text_on(colour), lost, unit)
    return size


def _strip_words(
    canvas: Canvas, part: ScorePart, start: float, size: float, ink: str, lost: bool, unit: Unit
) -> None:
    value, sign = unit.factor * size, "−" if lost else ""
    number = _fitting([f"{sign}{value:.{digits}f}" for digits in (unit.digits, unit.digits - 1)], size)
    name = _fitting([f"{part.short} lost", "lost"] if lost else [part.name, part.short], size)
    if number:
        ground = canvas.theme.paper if lost else None
        canvas.write(start + size / 2, 0, f"<b>{number}</b>", ink, bgcolor=ground, borderpad=1)
    if name:
        canvas.write(start, 0.62, safe(name), canvas.theme.soft, xanchor="left", xshift=-3)


def _fitting(candidates: Sequence[str], size: float) -> str:
    """Return the first of the texts that fits into `size` points. A figure never knows its width, so it must
    fit a phone: 3 pixels a point."""
    return next((text for text in candidates if 2 * len(text) <= size), "")


def _strip_marks(
    canvas: Canvas, score: float, interval: Sequence[float] | None, ceiling: float | None, unit: Unit
) -> None:
    theme = canvas.theme
    mark = {"color": theme.ink, "line": {"color": theme.ink, "width": 2}}
    text = f"score {decimal(unit.factor * score, unit.digits)}"
    room = 100.0 if ceiling is None else ceiling - (interval[1] if interval is not None else score)
    if interval is not None:
        text += f", 95% interval {span(interval, unit.digits - 1, unit.factor)}"
        _strip_interval(canvas, interval, room)
    canvas.trace(
        "scatter",
        x=[score],
        y=[BELOW],
        mode="markers",
        marker=mark | {"symbol": "diamond", "size": 10},
        hovertext=text,
        name="score",
    )
    if ceiling is None:
        return
    canvas.trace(
        "scatter",
        x=[ceiling],
        y=[BELOW],
        mode="markers",
        marker=mark | {"symbol": "line-ns", "size": 12},
        cliponaxis=False,
        hovertext=f"ceiling {decimal(unit.factor * ceiling, unit.digits)}: score if every case were right",
    )
    if room > 12:
        canvas.write(ceiling - 1, BELOW, "ceiling", theme.soft, xanchor="right")


def _strip_interval(canvas: Canvas, interval: Sequence[float], room: float) -> None:
    """room: points to the ceiling, or 100 without."""
    theme, text = canvas.theme, "95% interval"
    canvas.trace(
        "scatter",
        x=list(interval),
        y=[BELOW, BELOW],
        mode="lines",
        line={"color": theme.ink, "width": 2},
        name="interval",
    )
    if room > 44 and interval[1] < 100 - WORDS:
        canvas.write(interval[1] + 1, BELOW, text, theme.soft, xanchor="left")
    elif interval[0] > WORDS:
        canvas.write(interval[0] - 1, BELOW, text, theme.soft, xanchor="right")


def points_lost(
    per_class: Mapping[str, Mapping[str, Any]], theme: Theme, measure: tuple[str, str] = ("f1", "F1")
) -> go.Figure:
    """Draw the points that each class loses, the largest loss on top.

    The loss of a class without cases is hatched, because no submission can win these points on this test set.

    Args:
        per_class: `ScoreCard.per_class`. Each class needs score_worth and score_lost (shares of the score;
            None if the class is not in the mean), support, risk and the measure.
    """
    classes = {name: entry for name, entry in per_class.items() if entry["score_worth"] is not None}
    # Plotly draws from the bottom up; equal losses stay in class order.
    rows = sorted(classes.items(), key=lambda item: -item[1]["score_lost"])[::-1]
    canvas = Canvas(theme, "Where were the points lost?", 30 + ROW * len(rows), barmode="overlay")
    names = [counted(name, c["support"], c.get("risk"), theme) for name, c in rows]
    worth, lost = (np.array([100 * c[key] for _, c in rows]) for key in ("score_worth", "score_lost"))
    canvas.trace("bar", y=names, x=worth, orientation="h", marker={"color": theme.tint}, name="worth")
    canvas.trace(
        "bar",
        y=names,
        x=lost,
        orientation="h",
        customdata=[(name,) for name, _ in rows],
        hovertext=[
            _loss(name, entry, a, b, measure) for (name, entry), a, b in zip(rows, lost, worth, strict=True)
        ],
        name="lost",
        marker={
            "color": [theme.risk[c["risk"]] if c.get("risk") else theme.accent for _, c in rows],
            "pattern": {"shape": ["" if c["support"] else "/" for _, c in rows], "fgcolor": theme.paper},
        },
    )
    for name, a, b, (_, entry) in zip(names, lost, worth, rows, strict=True):
        # 5.625 and 1.875 are halves: a little more rounds them as people do.
        rest = f"of {decimal(b + 1e-9, 2)}{'' if entry['support'] else ', no case'}"
        text = f"{decimal(a, 2)} <span style='color:{theme.soft}'>{rest}</span>"
        canvas.write(float(b), name, text, theme.ink, xanchor="left", xshift=6)
    room = 1.45 if all(entry["support"] for _, entry in rows) else 1.65
    most = float(worth.max())
    ticks = list(range(0, int(most) + 1, 1 + int(most // 12)))
    canvas.x_axis("points of 100", range=[0, most * room], tickvals=ticks, showgrid=False)
    canvas.y_axis(showgrid=False)
    return canvas.figure()


def _loss(name: str, entry: Mapping[str, Any], lost: float, worth: float, measure: tuple[str, str]) -> str:
    key, measure_name = measure
    reason = "mistakes" if entry["support"] else "no case in this test set"
    return (
        f"{label(safe(name), entry.get('risk'))}<br>lost {lost:.2f} of {worth:.2f} points, {reason}<br>"
        f"{measure_name} {decimal(entry[key], 3)}, n = {entry['support']}"
    )


MOST_POINTS = 5_000
"""Maximum number of drawn cases. If there are more, evenly spaced cases are drawn."""


def predicted_by_truth(names: Sequence[str], truth: Floats, predicted: Floats, theme: Theme) -> go.Figure:
    """Draw the predicted against the true value of every case, with the diagonal of equality.

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
