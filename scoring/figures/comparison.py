"""Figures of several teams on one test set. Each builder takes plain numbers and a `Theme`; the question it
answers stands in `layout.meta`.

Teams come best first. Names are cut where there is no room; the whole name stands on hover. Undefined numbers
are None or NaN and stay blank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from scoring.figures.intervals import Row, intervals
from scoring.figures.numerals import decimal, percent, span
from scoring.figures.theme import Theme, counted, figure, heat, safe, short, text_on, write, written

ROW = 28
"""Height in pixels of one team's row."""
MOST_WORDS = 20
"""Teams up to which numbers stand in the cells: beyond, they could not be read, and colour and hover say
them."""
LIMITS_MIB = (50, 150)
"""Model sizes from which TRICORDER-3 takes efficiency away, and at which none is left."""


def team_intervals(
    rows: Sequence[Row],
    theme: Theme,
    question: str,
    axis_title: str,
    digits: int,
    tied: int = 0,
    reference: float | None = None,
) -> go.Figure:
    """Teams as dots with whiskers, see `intervals`; the axis has no zeros that say nothing."""
    return intervals(
        rows, theme, question, axis_title, digits=digits, tied=tied, reference=reference
    ).update_xaxes(tickformat=".3~f")


def group_intervals(
    rows: Sequence[Row],
    theme: Theme,
    question: str,
    axis_title: str,
    ends: Sequence[float],
    reference: float | None = None,
) -> go.Figure:
    """Teams in one group. ends: of the intervals of all groups beside it, so that the axes are the same."""
    fig = team_intervals(rows, theme, question, axis_title, 3, reference=reference)
    known = [end for end in ends if np.isfinite(end)]
    room = 0.03 * (max(known) - min(known)) + 0.01 if known else 0.0
    return fig.update_xaxes(range=[min(known) - room, max(known) + room]) if known else fig


def pair_matrix(
    names: Sequence[str],
    differences: np.ndarray,
    apart: np.ndarray,
    hovers: np.ndarray,
    digits: int,
    theme: Theme,
) -> go.Figure:
    """Row's score minus column's, [A, A], coloured where the pair is told apart (apart, bool [A, A]) and pale
    where it is not."""
    n = len(names)
    shown = np.where(apart, differences, 0.0)
    shown[np.eye(n, dtype=bool)] = np.nan
    words = np.array(
        [
            ["" if i == j else decimal(differences[i, j], digits, sign=True) for j in range(n)]
            for i in range(n)
        ],
        dtype=object,
    )
    fig = figure(theme, "Which pairs are told apart?", 110 + ROW * n)
    _diverging(fig, shown, hovers, words if n <= MOST_WORDS else None, theme, marked=apart)
    return _axes(fig, names, names, "minus", "score of")


def rank_heat(
    names: Sequence[str], shares: np.ndarray, bounds: Sequence[Sequence[float]], theme: Theme
) -> go.Figure:
    """Share of the resamples at each rank, [A, ranks]. bounds: the places that each team could hold, drawn as
    a frame."""
    teams, ranks = shares.shape
    words = np.array(
        [[f"{100 * v:.0f}" if v >= 0.005 and ranks <= MOST_WORDS else "" for v in row] for row in shares],
        dtype=object,
    )
    hovers = np.array(
        [
            [
                f"<b>{safe(name)}</b><br>rank {rank + 1} in {percent(v)} of the resamples"
                for rank, v in enumerate(row)
            ]
            for name, row in zip(names, shares, strict=True)
        ],
        dtype=object,
    )
    fig = figure(theme, "How stable is the ranking?", 76 + (ROW if teams <= MOST_WORDS else 16) * teams)
    every = max(1, ranks // 15)
    columns = [str(rank + 1) if rank % every == 0 else "" for rank in range(ranks)]
    heat(fig, theme, shares, columns, [safe(short(name)) for name in names], words, hovers)
    for place, (low, high) in enumerate(bounds):
        frame = {"x0": low - 1.48, "x1": high - 0.52, "y0": place - 0.46, "y1": place + 0.46}
        fig.add_shape(type="rect", **frame, line={"color": theme.ink, "width": 1.5})
    return fig.update_xaxes(title_text="rank, share of resamples in %", tickangle=0)


@dataclass(frozen=True)
class Ordering:
    """The ranks of the teams [A] under one rule. tau: agreement with the official order, None where
    undefined. small: from under 15 cases."""

    name: str
    ranks: Sequence[int]
    tau: float | None
    small: bool = False


def rules_heat(
    names: Sequence[str], rules: Sequence[Ordering], shown: Sequence[int], theme: Theme
) -> go.Figure:
    """The rank of each team under each rule, the official one first, above a line; to the right Kendall's tau
    to it. shown: places of the teams that are drawn, of all that are ranked."""
    ranks = np.array([[rule.ranks[place] for place in shown] for rule in rules], float)
    most = max(2.0, float(max(max(rule.ranks) for rule in rules)))
    shares = 0.9 * (1 - (ranks - 1) / (most - 1))
    words = np.array([[f"{v:g}" for v in row] for row in ranks], dtype=object)
    teams = [names[place] for place in shown]
    hovers = np.array(
        [
            [
                f"<b>{safe(team)}</b><br>{safe(rule.name)}: rank {v:g}"
                for team, v in zip(teams, row, strict=True)
            ]
            for rule, row in zip(rules, ranks, strict=True)
        ],
        dtype=object,
    )
    fig = figure(
        theme,
        "Would another rule change the order?",
        110 + 26 * len(rules),
        margin={"l": 4, "r": 74, "t": 8, "b": 4},
    )
    rows = [
        f"<span style='color:{theme.soft}'>{safe(rule.name)}*</span>" if rule.small else safe(rule.name)
        for rule in rules
    ]
    fig.layout.annotations = [
        written(1, place, f"τ {decimal(rule.tau, 2)}", theme.soft, xref="paper", xanchor="left", xshift=8)
        for place, rule in enumerate(rules[1:], start=1)
    ]
    heat(
        fig,
        theme,
        shares,
        [safe(short(name)) for name in teams],
        rows,
        words,
        hovers,
        12 if len(teams) <= MOST_WORDS else 9,
    )
    fig.add_hline(0.5, line={"color": theme.ink, "width": 1.5})
    return fig.update_xaxes(tickangle=-45 if len(teams) > 4 else 0)


def class_heat(
    values: np.ndarray,
    classes: Sequence[str],
    names: Sequence[str],
    support: Sequence[int],
    measure: str,
    theme: Theme,
    risks: Mapping[str, str] | None = None,
    chosen: tuple[str, str] | None = None,
    against: str | None = None,
) -> go.Figure:
    """A measure 0..1 of each class and team, [classes, A], or with `against` its difference to that team.
    Every cell can be clicked: `customdata` of its point is (class, team). chosen: the framed cell."""
    rows = [counted(short(c), n, (risks or {}).get(c), theme) for c, n in zip(classes, support, strict=True)]
    hovers = np.array(
        [
            [
                (
                    f"<b>{safe(team)}</b>, {safe(c)}<br>{safe(measure)} "
                    f"{decimal(v, 3, sign=bool(against))}<br>n = {n}"
                )
                for team, v in zip(names, row, strict=True)
            ]
            for c, n, row in zip(classes, support, values, strict=True)
        ],
        dtype=object,
    )
    fig = figure(theme, "Where do the teams differ?", 110 + 26 * len(classes))
    large = len(names) > MOST_WORDS
    if against is None:
        words = np.array(
            [["" if large or not np.isfinite(v) else _brief(v) for v in row] for row in values], dtype=object
        )
        heat(fig, theme, values, [safe(short(n)) for n in names], rows, words, hovers)
    else:
        words = np.array(
            [
                ["" if not np.isfinite(v) or not round(v, 2) else _brief(v, sign=True) for v in row]
                for row in values
            ],
            dtype=object,
        )
        _diverging(fig, values, hovers, None if large else words, theme)
        _axes(fig, [safe(short(n)) for n in names], rows, made=True)
    _clickable(fig, [(c, team) for c in classes for team in names], len(names))
    if chosen is not None and chosen[0] in classes and chosen[1] in names:
        _frame(fig, list(classes).index(chosen[0]), list(names).index(chosen[1]), theme)
    fig.update_xaxes(range=[-0.5, len(names) - 0.5], tickangle=-45 if len(names) > 4 else 0)
    return fig.update_yaxes(range=[len(classes) - 0.5, -0.5])


def case_heat(names: Sequence[str], cases: Sequence[str], right: np.ndarray, theme: Theme) -> go.Figure:
    """How right each team is in each case, 0..1, [cases, A], hardest case first; the strongest colour is
    wrong, × where nothing is right, and numbers where cases are more than right or wrong. Every cell can be
    clicked: (case, team)."""
    hovers = np.array(
        [
            [
                f"<b>{safe(case)}</b><br>{safe(team)}: " + _rightness(v)
                for team, v in zip(names, row, strict=True)
            ]
            for case, row in zip(cases, right, strict=True)
        ],
        dtype=object,
    )
    graded = np.isfinite(right) & (right != 1) & (right != 0)
    written_words = [
        ["×" if v == 0 else _brief(v) if graded.any() and np.isfinite(v) else "" for v in row]
        for row in right
    ]
    words = np.array(
        written_words if len(names) <= MOST_WORDS else [[""] * len(names)] * len(cases), dtype=object
    ).reshape(len(cases), len(names))
    fig = figure(theme, "Which cases are hard for all?", 90 + 22 * len(cases))
    heat(
        fig,
        theme,
        0.06 + 0.8 * (1 - right),
        [safe(short(n)) for n in names],
        [_end(case) for case in cases],
        words,
        hovers,
    )
    _clickable(fig, [(case, team) for case in cases for team in names], len(names))
    fig.update_xaxes(range=[-0.5, len(names) - 0.5], tickangle=-45 if len(names) > 4 else 0)
    return fig.update_yaxes(range=[len(cases) - 0.5, -0.5])


def teams_right(counts: Sequence[int], theme: Theme) -> go.Figure:
    """How many cases are right for 0, 1 ... all teams; counts [A + 1]."""
    fig = figure(theme, "How many teams are right?", 220)
    hovers = [f"{k} of {len(counts) - 1} teams right: {n} cases" for k, n in enumerate(counts)]
    colours = [theme.ink if k == 0 else theme.accent for k in range(len(counts))]
    words = [str(n) for n in counts] if len(counts) <= MOST_WORDS else None
    fig.add_bar(
        x=list(range(len(counts))),
        y=list(counts),
        marker_color=colours,
        text=words,
        textposition="outside",
        cliponaxis=False,
    )
    fig.update_traces(hovertext=hovers, hoverinfo="text", textfont={"color": theme.ink})
    fig.update_xaxes(title_text="teams that are right", dtick=max(1, len(counts) // 12))
    return fig.update_yaxes(title_text="cases", range=[0, 1.15 * max(*counts, 1)])


def _rightness(value: float) -> str:
    return (
        "does not count"
        if not np.isfinite(value)
        else "right"
        if value == 1
        else "wrong"
        if value == 0
        else decimal(value, 3)
    )


@dataclass(frozen=True)
class Sized:
    """A team's model size in MiB and its score with interval, in the unit that is shown."""

    name: str
    mib: float
    score: float
    interval: Sequence[float] | None


def size_scatter(teams: Sequence[Sized], unit: str, digits: int, theme: Theme) -> go.Figure:
    """Score over model size on a logarithmic axis. Filled: no smaller model scores as high. Lines: where the
    challenge takes points away."""
    ordered = sorted(teams, key=lambda team: (team.mib, -team.score))
    front, best = [], -np.inf
    for team in ordered:
        front.append(team.score > best)
        best = max(best, team.score)
    fig = figure(theme, "Is a larger model a better one?", 380, margin={"l": 4, "r": 20, "t": 24, "b": 4})
    for limit, words in zip(LIMITS_MIB, ("full marks to here", "none from here"), strict=True):
        fig.add_vline(limit, line={"color": theme.zero, "width": 1, "dash": "dot"})
        write(fig, np.log10(limit), 1, words, theme.soft, yref="paper", yanchor="bottom", xanchor="center")
    ends = np.array([team.interval or (team.score, team.score) for team in ordered], float)
    values = np.array([team.score for team in ordered])
    hovers = [
        (
            f"<b>{safe(t.name)}</b><br>{t.mib:.2f} MiB<br>{decimal(t.score, digits)} {unit}<br>95% "
            f"interval {span(t.interval, digits)}"
        )
        for t in ordered
    ]
    edge = [s for s, first in zip(ordered, front, strict=True) if first]
    fig.add_scatter(
        x=[s.mib for s in edge],
        y=[s.score for s in edge],
        mode="lines",
        line={"color": theme.grid, "width": 2, "shape": "hv"},
        hoverinfo="skip",
    )
    fig.add_scatter(
        x=[team.mib for team in ordered],
        y=values,
        mode="markers+text" if len(ordered) <= 10 else "markers",
        text=[f"  {safe(short(team.name))}" for team in ordered],
        textposition="middle right",
        textfont={"color": theme.ink, "size": 12},
        cliponaxis=False,
        hovertext=hovers,
        hoverinfo="text",
        error_y={
            "type": "data",
            "symmetric": False,
            "array": ends[:, 1] - values,
            "arrayminus": values - ends[:, 0],
            "color": theme.soft,
            "thickness": 1.2,
            "width": 0,
        },
        marker={
            "size": 10,
            "color": [theme.accent if first else theme.paper for first in front],
            "line": {"color": theme.accent, "width": 2},
        },
    )
    sizes = [max(team.mib, 0.001) for team in ordered] + list(LIMITS_MIB)
    reach = [np.log10(min(sizes)) - 0.25, np.log10(max(sizes)) + 0.45]
    marks = [10**power for power in range(-3, 5)] + list(LIMITS_MIB)
    fig.update_xaxes(
        type="log",
        title_text="model size, MiB",
        range=reach,
        tickvals=marks,
        ticktext=[f"{mark:g}" for mark in marks],
    )
    return fig.update_yaxes(title_text=unit)


def _scale(theme: Theme) -> list[list]:
    return [[0.0, theme.categorical[1]], [0.5, theme.paper], [1.0, theme.categorical[0]]]


def _diverging(
    fig: go.Figure,
    values: np.ndarray,
    hovers: np.ndarray,
    words: np.ndarray | None,
    theme: Theme,
    marked: np.ndarray | None = None,
) -> None:
    """Values [rows, columns] around 0 as colour, their sign in words as well. marked: cells whose words are
    in ink, the others' are soft."""
    limit = float(np.nanmax(np.abs(values), initial=0)) or 1.0
    fig.add_heatmap(
        z=values,
        zmin=-limit,
        zmax=limit,
        colorscale=_scale(theme),
        showscale=False,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertext=hovers.tolist(),
        hoverinfo="text",
    )
    if words is None:
        return
    grounds = np.reshape(
        sample_colorscale(_scale(theme), (0.5 + 0.5 * np.nan_to_num(values) / limit).ravel().tolist()),
        values.shape,
    )
    fig.layout.annotations = [
        written(
            column,
            row,
            text,
            theme.soft if marked is not None and not marked[row, column] else text_on(grounds[row, column]),
            12,
        )
        for (row, column), text in np.ndenumerate(words)
        if text
    ]


def _axes(
    fig: go.Figure,
    columns: Sequence[str],
    rows: Sequence[str],
    x_title: str = "",
    y_title: str = "",
    made: bool = False,
) -> go.Figure:
    """Names on both axes, first row on top. made: the names are Plotly's HTML already."""
    ticks = [list(names) if made else [safe(short(name)) for name in names] for names in (columns, rows)]
    fig.update_xaxes(
        side="top", showgrid=False, tickvals=list(range(len(columns))), ticktext=ticks[0], title_text=x_title
    )
    fig.update_xaxes(tickangle=-45 if len(columns) > 4 else 0)
    return fig.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticktext=ticks[1],
        title_text=y_title,
    )


def _clickable(fig: go.Figure, cells: Sequence[tuple], columns: int) -> None:
    """Points over the cells of the first heat map, for heat maps take no clicks. cells: `customdata`, row by
    row."""
    ground = fig.data[0]
    fig.add_scatter(
        x=[k % columns for k in range(len(cells))],
        y=[k // columns for k in range(len(cells))],
        mode="markers",
        customdata=cells,
        name="cells",
        hoverinfo="text",
        hovertext=[text for row in ground.hovertext for text in row],
        marker={"symbol": "square", "size": 22, "color": "rgba(0,0,0,0)"},
    )
    ground.hoverinfo = "skip"


def _frame(fig: go.Figure, row: int, column: int, theme: Theme) -> None:
    place = {"x0": column - 0.47, "x1": column + 0.47, "y0": row - 0.47, "y1": row + 0.47}
    fig.add_shape(type="rect", **place, line={"color": theme.accent, "width": 3})


def _brief(value: float, sign: bool = False) -> str:
    """Two decimals without the leading zero: .66, +.04."""
    return decimal(value, 2, sign).replace("0.", ".", 1)


def _end(name: str, length: int = 22) -> str:
    """The end of a case's name, where names differ."""
    last = name.rsplit("/", 1)[-1]
    return safe(last if len(last) <= length else f"…{last[-length + 1 :]}")
