"""Scores over time with their intervals: several teams by date, or one submission after another."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.common.direction_and_range import Better
from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.number_format import decimal, span
from scoring.presentation.figures.theme import Theme, safe, short

MARKS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "pentagon", "star")
"""A symbol for each team, so that colour is not the only sign."""
MOST = len(MARKS)
"""Maximum number of drawn teams."""
TICKS, LEGEND = 6, 24
"""Maximum number of ticks of the time axis, and of characters of a name beside its mark."""
APART = 0.012
"""Horizontal shift between teams, as a share of the whole period, so that error bars of the same day do not
overlap."""
DAY = 86_400
LABEL = 0.15
"""Share of the whole period that the label of a day covers on a phone."""


@dataclass(frozen=True)
class DatedScore:
    """A submission of a team.

    Attributes:
        time: Time in ISO 8601.
        value: Score in the displayed unit; None draws nothing.
        counts: Whether the submission is ranked; others are hollow.
    """

    time: str
    value: float | None
    interval: Sequence[float] | None
    counts: bool


def over_time(
    teams: Sequence[tuple[str, Sequence[DatedScore]]], theme: Theme, question: str, unit: str, digits: int
) -> go.Figure:
    """Draw the scores of each team's submissions as a line, oldest first, with 95 % error bars.

    Args:
        teams: Names and submissions; only the first `MOST` are drawn.
    """
    canvas = Canvas(theme, question, 380, margin={"r": 16})
    drawn = [
        (name, [score for score in sent if score.value is not None and np.isfinite(score.value)])
        for name, sent in teams[:MOST]
    ]
    moments = [_seconds(score.time) for _, sent in drawn for score in sent] or [0.0]
    first, room = min(moments), max(max(moments) - min(moments), DAY)
    for k, (name, sent) in enumerate(drawn):
        aside = APART * room * (k - (len(drawn) - 1) / 2)
        x = np.array([_seconds(score.time) - first + aside for score in sent])
        _line(canvas, name, sent, x, k, digits)
    canvas.x_axis(
        "submitted (UTC)", range=[-0.08 * room, 1.08 * room], showgrid=False, **_days(first, room, moments)
    )
    canvas.y_axis(unit, tickformat=".3~f")
    canvas.legend_above()
    return canvas.figure()


def _line(canvas: Canvas, name: str, sent: Sequence[DatedScore], x: Floats, k: int, digits: int) -> None:
    theme, colour = canvas.theme, canvas.theme.categorical[k]
    value = np.array([score.value for score in sent], float)
    low, high = (
        np.array([score.interval or (score.value, score.value) for score in sent], float).reshape(-1, 2).T
    )
    canvas.trace(
        "scatter",
        x=x,
        y=value,
        name=safe(short(name, LEGEND)),
        mode="lines+markers",
        line={"color": colour, "width": 1.5},
        error_y=error_bars(low, value, high, color=colour, thickness=1.2, width=0),
        cliponaxis=False,
        hovertext=[_hover(name, score, digits) for score in sent],
        marker={
            "symbol": MARKS[k],
            "size": 10,
            "color": [colour if score.counts else theme.paper for score in sent],
            "line": {"color": colour, "width": 2},
        },
    )


def _hover(name: str, score: DatedScore, digits: int) -> str:
    lines = [f"<b>{safe(name)}</b>", score.time[:16].replace("T", " "), decimal(score.value, digits)]
    if score.interval is not None:
        lines.append(f"95% interval {span(score.interval, digits)}")
    return "<br>".join(lines)


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _days(first: float, room: float, moments: Sequence[float]) -> dict[str, list[float] | list[str]]:
    """Return the ticks of the axis of time: days on which something was submitted, but none that is in
    the label of the one before, or days at equal steps where these are many."""
    days: dict[float, list[float]] = {}
    for moment in moments:
        days.setdefault(moment // DAY, []).append(moment)
    middle = [sum(day) / len(day) for _, day in sorted(days.items())]
    if len(middle) > TICKS:
        middle = [float(moment) for moment in np.linspace(first, first + room, TICKS)]
    ticks: list[float] = []
    for moment in middle:
        if not ticks or moment - ticks[-1] >= LABEL * room:
            ticks.append(moment)
    texts = [datetime.fromtimestamp(moment, UTC).strftime("%d %b").lstrip("0") for moment in ticks]
    return {"tickvals": [moment - first for moment in ticks], "ticktext": texts}


NAMED_DAYS = 8
"""Up to this number of submissions, each has a label with its day."""


@dataclass(frozen=True)
class Moment:
    """A submission in a figure of progress.

    Attributes:
        day: Time of the submission, as it is written at the axis.
        value: Score of the submission; None if undefined.
        interval: 95 % interval; None if there is none.
        apart: Whether the test separates the submission from the best earlier one.
        shown: Whether it is the submission that the page shows.
    """

    name: str
    day: str
    value: float | None
    interval: Sequence[float] | None = None
    apart: bool = False
    shown: bool = False


def progress(
    moments: Sequence[Moment],
    theme: Theme,
    titles: tuple[str, str, str],
    digits: int,
    better: Better = "higher",
) -> go.Figure:
    """Draw scores with 95 % error bars in order of submission, and the best score so far as a stepped line.

    Args:
        moments: Submissions, oldest first.
        titles: The question that the figure answers, and the titles of both axes.
    """
    question, below, beside = titles
    canvas = Canvas(theme, question, 260)
    values = np.array([moment.value for moment in moments], float)
    best = (np.fmax if better == "higher" else np.fmin).accumulate(values)
    line = {"color": theme.zero, "width": 1.2, "dash": "dot", "shape": "hv"}
    places = list(range(len(moments)))
    canvas.trace("scatter", x=places, y=best, mode="lines", line=line, name="best so far")
    ends = np.array([moment.interval or (np.nan, np.nan) for moment in moments], float).reshape(-1, 2)
    colours = [theme.accent if moment.apart else theme.paper for moment in moments]
    canvas.trace(
        "scatter",
        x=places,
        y=values,
        mode="markers",
        hovertext=[_moment_hover(moment, digits) for moment in moments],
        cliponaxis=False,
        name="score",
        error_y=error_bars(ends[:, 0], values, ends[:, 1], width=0, color=theme.soft, thickness=1.6),
        marker={
            "size": [14 if moment.shown else 10 for moment in moments],
            "line": {"color": theme.accent, "width": 2},
            "color": colours,
        },
    )
    step = -(-len(moments) // NAMED_DAYS)
    named = places[:: max(step, 1)]
    canvas.x_axis(
        below,
        range=[-0.5, len(moments) - 0.5],
        showgrid=False,
        tickvals=named,
        ticktext=[safe(moments[k].day) for k in named],
        tickangle=0,
    )
    canvas.y_axis(beside, nticks=6, tickformat=".3~f")
    return canvas.figure()


def _moment_hover(moment: Moment, digits: int) -> str:
    lines = [f"{safe(moment.name)}: <b>{decimal(moment.value, digits)}</b>", safe(moment.day)]
    if moment.interval is not None:
        lines.append(f"95% interval {span(moment.interval, digits)}")
    return "<br>".join(lines)
