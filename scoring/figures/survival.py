"""Figures of prognosis: survival by predicted risk, and what became of the comparable pairs. Times are in
days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import percent
from scoring.figures.theme import Theme, faded, figure, safe, text_on, write

DASHES = ("solid", "dash", "dot")
ROW = 20
"""Pixels of a line of the legend and of the numbers at risk."""
HATCHED = ("discordant", "missing")


@dataclass(frozen=True)
class Group:
    """A group's Kaplan-Meier curve. time, survival, at_risk, events, censored [K]: at each distinct time,
    survival after it (0..1).

    number_at_risk [M]: how many are still under observation at each of the moments that the figure is given.
    """

    name: str
    n: int
    n_events: int
    time: np.ndarray
    survival: np.ndarray
    at_risk: np.ndarray
    events: np.ndarray
    censored: np.ndarray
    number_at_risk: np.ndarray


def colours(theme: Theme) -> tuple[str, str, str]:
    """Of low, middle and high risk: told apart without red and green, and each line has dashes of its own."""
    return theme.categorical[0], theme.soft, theme.categorical[1]


def kaplan_meier(groups: Sequence[Group], moments: np.ndarray, theme: Theme) -> go.Figure:
    """Curves with a tick for every patient who left unobserved; below, the numbers at risk at `moments`
    [M]."""
    shown = [
        (group, tint, dash)
        for group, tint, dash in zip(groups, colours(theme), DASHES, strict=False)
        if group.n
    ]
    above, below = 10 + ROW * len(shown), 46 + ROW * (len(shown) + 1)
    fig = figure(
        theme,
        "Do those with a higher predicted risk relapse earlier?",
        290 + above + below,
        hovermode="closest",
    )
    fig.update_layout(margin={"l": 70, "r": 14, "t": above, "b": below})
    last = float(moments[-1]) if len(moments) else 1.0
    longest = max([last, *(float(group.time[-1]) for group, _, _ in shown)])
    for group, tint, dash in shown:
        _curve(fig, group, tint, dash)
    _legend(fig, shown, theme)
    _at_risk(fig, shown, moments, theme)
    fig.update_xaxes(
        title_text="days", range=[-0.01 * longest, 1.02 * longest], tickvals=moments.tolist(), tickformat="d"
    )
    return fig.update_yaxes(
        title_text="without relapse",
        range=[0, 1.04],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        ticktext=["0%", "25%", "50%", "75%", "100%"],
    )


def _curve(fig: go.Figure, group: Group, tint: str, dash: str) -> None:
    name = f"{safe(group.name)} risk"
    time, survival = np.r_[0.0, group.time], np.r_[1.0, group.survival]
    hovers = [f"<b>{name}</b><br>from the start, n = {group.n}"] + [
        (
            f"<b>{name}</b><br>day {t:g}: {percent(s)} without relapse<br>{n} at risk before, {e} "
            f"relapsed, {c} left unobserved"
        )
        for t, s, n, e, c in zip(
            group.time, group.survival, group.at_risk, group.events, group.censored, strict=True
        )
    ]
    fig.add_scatter(
        x=time,
        y=survival,
        mode="lines",
        line={"color": tint, "width": 2.5, "dash": dash, "shape": "hv"},
        name=name,
        hovertext=hovers,
        hoverinfo="text",
    )
    left = group.censored > 0
    fig.add_scatter(
        x=group.time[left],
        y=group.survival[left],
        mode="markers",
        name=f"{name}, left unobserved",
        hoverinfo="skip",
        marker={"symbol": "line-ns", "size": 8, "line": {"color": tint, "width": 1.5}},
    )


def _legend(fig: go.Figure, shown: Sequence[tuple[Group, str, str]], theme: Theme) -> None:
    """Names stand above the curves, where no curve runs through them."""
    for row, (group, tint, dash) in enumerate(reversed(shown)):
        up = 10 + ROW * row
        stroke = {"ysizemode": "pixel", "yref": "paper", "yanchor": 1, "y0": up, "y1": up}
        fig.add_shape(
            type="line",
            xref="paper",
            x0=0.015,
            x1=0.085,
            line={"color": tint, "width": 2.5, "dash": dash},
            **stroke,
        )
        words = f"{safe(group.name)} risk: {group.n_events} of {group.n} relapsed"
        write(
            fig,
            0.1,
            1,
            words,
            theme.ink,
            xref="paper",
            xanchor="left",
            yref="paper",
            yanchor="middle",
            yshift=up,
        )


def _at_risk(
    fig: go.Figure, shown: Sequence[tuple[Group, str, str]], moments: np.ndarray, theme: Theme
) -> None:
    place = {"yref": "paper", "y": 0, "yanchor": "top"}
    write(
        fig,
        0,
        text="number at risk",
        colour=theme.soft,
        xref="paper",
        xanchor="left",
        yshift=-38,
        xshift=-4,
        **place,
    )
    for row, (group, tint, _) in enumerate(shown):
        down = -38 - ROW * (row + 1)
        for moment, n in zip(moments, group.number_at_risk, strict=True):
            write(fig, float(moment), text=f"{n}", colour=theme.ink, yshift=down, **place)
        mark = f"<span style='color:{tint}'>■</span> {safe(group.name)}"
        write(
            fig,
            0,
            text=mark,
            colour=theme.ink,
            xref="paper",
            xanchor="right",
            yshift=down,
            xshift=-10,
            **place,
        )


def pair_bar(counts: Mapping[str, int], theme: Theme) -> go.Figure:
    """Comparable pairs by what the scores make of them, side by side: concordant, tied, discordant,
    missing."""
    fig = figure(
        theme, "What became of the comparable pairs?", 96, barmode="stack", bargap=0, hovermode="closest"
    )
    total = sum(counts.values())
    tints = {
        "concordant": theme.accent,
        "tied": theme.third,
        "discordant": theme.categorical[1],
        "missing": theme.zero,
    }
    start = 0
    for name, n in counts.items():
        if not n:
            continue
        hatch = name in HATCHED
        fig.add_bar(
            x=[n],
            y=[0],
            orientation="h",
            width=0.7,
            name=name,
            hoverinfo="text",
            hovertext=f"{name}: {n:,} of {total:,} pairs, {percent(n / total)}",
            marker={
                "color": theme.paper if hatch else tints[name],
                "line": {"color": tints[name], "width": 1},
                "pattern": {
                    "shape": "/" if hatch else "",
                    "fgcolor": faded(tints[name], 0.6),
                    "bgcolor": theme.paper,
                    "size": 6,
                    "solidity": 0.3,
                },
            },
        )
        if n > 0.14 * total:
            write(
                fig,
                start + n / 2,
                0,
                f"<b>{n:,}</b>",
                theme.ink if hatch else text_on(tints[name]),
                bgcolor=theme.paper if hatch else None,
            )
        if n > 0.22 * total:
            write(fig, start, 0.62, name, theme.soft, xanchor="left", xshift=-3)
        start += n
    fig.update_xaxes(title_text="pairs", range=[0, max(total, 1)], showgrid=False, nticks=5, tickformat=",d")
    return fig.update_yaxes(visible=False, range=[-0.45, 0.85])
