"""Kaplan-Meier curves by predicted risk, and comparable pairs. Times are in days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats, Ints
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.number_format import percent
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import Theme, faded, safe, text_on

DASHES = ("solid", "dash", "dot")
ROW = 20
"""Height in pixels of a row of the legend, and of a row of the numbers at risk."""
HATCHED = ("discordant", "missing")
QUARTERS = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0%", "25%", "50%", "75%", "100%"]}
AT_RISK = -38
"""Distance in pixels from the horizontal axis to the heading of the numbers at risk."""


@dataclass(frozen=True)
class Event:
    """Words for the event of a survival curve, such as "relapse" and, in the past tense, "relapsed"."""

    name: str
    past: str


@dataclass(frozen=True)
class Group:
    """Kaplan-Meier curve of a group.

    Attributes:
        time: [K] distinct times in days.
        survival: [K] estimated survival after each time, 0..1.
        at_risk: [K] number of patients at risk just before each time.
        events: [K] number of events at each time.
        censored: [K] number of patients censored at each time.
        number_at_risk: [M] number of patients at risk at each of the M moments below the figure.
    """

    name: str
    n: int
    n_events: int
    time: Floats
    survival: Floats
    at_risk: Ints
    events: Ints
    censored: Ints
    number_at_risk: Ints

    def hovers(self, event: Event) -> list[str]:
        """Return the hover texts for the start of the curve and for each time."""
        name = f"{safe(self.name)} risk"
        steps = zip(self.time, self.survival, self.at_risk, self.events, self.censored, strict=True)
        return [f"<b>{name}</b><br>from the start, n = {self.n}"] + [
            f"<b>{name}</b><br>day {t:g}: {percent(s)} without {event.name}<br>{n} at risk before, {e} "
            f"{event.past}, {c} censored"
            for t, s, n, e, c in steps
        ]


@dataclass(frozen=True)
class Stroke:
    """A group with its line style."""

    group: Group
    colour: str
    dash: str


def colours(theme: Theme) -> tuple[str, str, str]:
    """Return the colours of low, middle and high risk. The colours are distinguishable with red-green colour
    blindness."""
    return theme.categorical[0], theme.soft, theme.categorical[1]


def kaplan_meier(groups: Sequence[Group], moments: Floats, event: Event, theme: Theme) -> go.Figure:
    """Draw survival curves with a tick for every censored patient, and the numbers at risk below.

    Args:
        groups: Low, middle and high risk; groups without patients are left out.
        moments: [M] times in days at which the numbers at risk are shown.
    """
    strokes = [
        Stroke(group, tint, dash)
        for group, tint, dash in zip(groups, colours(theme), DASHES, strict=False)
        if group.n
    ]
    above, below = 10 + ROW * len(strokes), 46 + ROW * (len(strokes) + 1)
    canvas = Canvas(
        theme,
        f"Do patients with a higher predicted risk {event.name} earlier?",
        290 + above + below,
        hovermode="closest",
        margin={"l": 70, "r": 14, "t": above, "b": below},
    )
    last = float(moments[-1]) if len(moments) else 1.0
    longest = max([last, *(float(stroke.group.time[-1]) for stroke in strokes)])
    for stroke in strokes:
        _curve(canvas, stroke, event)
    _legend(canvas, strokes, event)
    _at_risk(canvas, strokes, moments)
    ends = [-0.01 * longest, 1.02 * longest]
    canvas.x_axis("days", range=ends, tickvals=moments.tolist(), tickformat="d")
    canvas.y_axis(f"without {event.name}", range=[0, 1.04], **QUARTERS)
    return canvas.figure()


def _curve(canvas: Canvas, stroke: Stroke, event: Event) -> None:
    group = stroke.group
    name = f"{safe(group.name)} risk"
    canvas.trace(
        "scatter",
        x=np.r_[0.0, group.time],
        y=np.r_[1.0, group.survival],
        mode="lines",
        line={"color": stroke.colour, "width": 2.5, "dash": stroke.dash, "shape": "hv"},
        name=name,
        hovertext=group.hovers(event),
    )
    censored = group.censored > 0
    canvas.trace(
        "scatter",
        x=group.time[censored],
        y=group.survival[censored],
        mode="markers",
        name=f"{name}, censored",
        marker={"symbol": "line-ns", "size": 8, "line": {"color": stroke.colour, "width": 1.5}},
    )


def _legend(canvas: Canvas, strokes: Sequence[Stroke], event: Event) -> None:
    """Names are above the curves, where no curve runs through them."""
    for row, stroke in enumerate(reversed(strokes)):
        group, up = stroke.group, 10 + ROW * row
        ends = {"xref": "paper", "x0": 0.015, "x1": 0.085, "yref": "paper", "y0": up, "y1": up}
        line = {"color": stroke.colour, "width": 2.5, "dash": stroke.dash}
        canvas.shapes.append({"type": "line", "line": line, "ysizemode": "pixel", "yanchor": 1, **ends})
        text = f"{safe(group.name)} risk: {group.n_events} of {group.n} {event.past}"
        anchor: Properties = {"xref": "paper", "xanchor": "left", "yref": "paper", "yanchor": "middle"}
        canvas.write(0.1, 1, text, canvas.theme.ink, **anchor, yshift=up)


def _at_risk(canvas: Canvas, strokes: Sequence[Stroke], moments: Floats) -> None:
    theme = canvas.theme
    below: Properties = {"yref": "paper", "yanchor": "top"}
    beside: Properties = {"xref": "paper"}
    heading: Properties = {"xanchor": "left", "yshift": AT_RISK, "xshift": -4}
    canvas.write(0, 0, "number at risk", theme.soft, **below, **beside, **heading)
    for row, stroke in enumerate(strokes, start=1):
        down = AT_RISK - ROW * row
        for moment, n in zip(moments, stroke.group.number_at_risk, strict=True):
            canvas.write(float(moment), 0, f"{n}", theme.ink, **below, yshift=down)
        mark = f"<span style='color:{stroke.colour}'>■</span> {safe(stroke.group.name)}"
        canvas.write(0, 0, mark, theme.ink, **below, **beside, xanchor="right", yshift=down, xshift=-10)


def pair_bar(counts: Mapping[str, int], theme: Theme) -> go.Figure:
    """Draw the numbers of concordant, tied, discordant and missing pairs side by side. `counts` contains
    these numbers by name."""
    canvas = Canvas(
        theme, "How were the comparable pairs ordered?", 96, barmode="stack", bargap=0, hovermode="closest"
    )
    total, start = sum(counts.values()), 0
    for name, n in counts.items():
        if n:
            _pairs(canvas, name, n, start, total)
            start += n
    canvas.x_axis("pairs", range=[0, max(total, 1)], showgrid=False, nticks=5, tickformat=",d")
    canvas.y_axis(visible=False, range=[-0.45, 0.85])
    return canvas.figure()


def _pairs(canvas: Canvas, name: str, n: int, start: int, total: int) -> None:
    theme, hatched = canvas.theme, name in HATCHED
    tint = {
        "concordant": theme.accent,
        "tied": theme.third,
        "discordant": theme.categorical[1],
        "missing": theme.zero,
    }[name]
    canvas.trace(
        "bar",
        x=[n],
        y=[0],
        orientation="h",
        width=0.7,
        name=name,
        hovertext=f"{name}: {n:,} of {total:,} pairs, {percent(n / total)}",
        marker={
            "color": theme.paper if hatched else tint,
            "line": {"color": tint, "width": 1},
            "pattern": {
                "shape": "/" if hatched else "",
                "fgcolor": faded(tint, 0.6),
                "bgcolor": theme.paper,
                "size": 6,
                "solidity": 0.3,
            },
        },
    )
    if n > 0.14 * total:
        ink, ground = (theme.ink, theme.paper) if hatched else (text_on(tint), None)
        canvas.write(start + n / 2, 0, f"<b>{n:,}</b>", ink, bgcolor=ground)
    if n > 0.22 * total:
        canvas.write(start, 0.62, name, theme.soft, xanchor="left", xshift=-3)
