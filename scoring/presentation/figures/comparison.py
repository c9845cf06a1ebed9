"""Figures of several teams on one test set: intervals, ranks, pairs, classes, cases.

Teams are ordered best first. Long names are cut; the hover text has the whole name. Undefined numbers are
None or NaN and stay blank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Array, Bools, Floats
from scoring.common.direction_and_range import SHARE, Better, Quantity
from scoring.common.text import class_named
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.heat_maps import cell_texts, clickable, diverging, frame, heat, name_cells
from scoring.presentation.figures.intervals import IntervalRow, interval_canvas
from scoring.presentation.figures.number_format import decimal, percent
from scoring.presentation.figures.theme import Theme, counted, lined, safe, short

ROW = 32
"""Height in pixels of one team's row."""
MOST_WORDS = 20
"""Up to this number of teams, cells show numbers; with more teams, only colour and hover text show them."""
CLASS = 24
"""Maximum number of characters of the name of a case or class at an axis."""
UPRIGHT = 4
"""Up to this number of teams, names above the columns are horizontal."""


def brief(value: float, sign: bool = False) -> str:
    """Return a number with two decimals, without the leading zero: .66, +.04."""
    return decimal(value, 2, sign).replace("0.", ".", 1)


def turned(columns: int) -> int:
    """Return the angle at which names are written above the columns; it depends on the number of columns."""
    return -45 if columns > UPRIGHT else 0


def team_intervals(
    rows: Sequence[IntervalRow],
    theme: Theme,
    question: str,
    axis_title: str,
    digits: int,
    tied: int = 0,
    reference: float | None = None,
) -> go.Figure:
    """Draw teams as dots with error bars, as in `intervals`. Tick labels omit trailing zeros. Rows with
    `through_all` get a vertical line through all rows."""
    canvas = interval_canvas(rows, theme, question, axis_title, digits=digits, tied=tied, reference=reference)
    for row in rows:
        if row.through_all and row.value is not None:
            canvas.rule(row.value, theme.soft, 1.5, "dot")
    canvas.x_axis(tickformat=".3~f")
    return canvas.figure()


def group_intervals(
    rows: Sequence[IntervalRow],
    theme: Theme,
    question: str,
    axis_title: str,
    ends: Sequence[float],
    reference: float | None = None,
) -> go.Figure:
    """Draw the value of each team in one subgroup. `ends` contains the ends of the intervals in all subgroups
    beside this one, so that all have the same axis. For the other arguments see `intervals`."""
    canvas = interval_canvas(rows, theme, question, axis_title, digits=3, tied=0, reference=reference)
    canvas.x_axis(tickformat=".3~f")
    known = [end for end in ends if np.isfinite(end)]
    if known:
        room = 0.03 * (max(known) - min(known)) + 0.01
        canvas.x_axis(range=[min(known) - room, max(known) + room])
    return canvas.figure()


def pair_matrix(
    names: Sequence[str],
    differences: Floats,
    apart: Bools,
    hovers: Array,
    digits: int,
    theme: Theme,
    better: Better = "higher",
) -> go.Figure:
    """Draw, for each pair, the score of the row's team minus the score of the column's team. A cell is
    coloured if the test separates the pair, otherwise pale.

    Args:
        differences: [A, A] difference of each pair.
        apart: [A, A] whether the test separates a pair.
        hovers: [A, A] hover text of each cell.
    """
    n = len(names)
    coloured = np.where(apart, Quantity(better).oriented(differences), 0.0)
    coloured[np.eye(n, dtype=bool)] = np.nan
    canvas = Canvas(theme, "Which pairs are told apart?", 110 + ROW * n)
    texts = cell_texts(n, n, lambda i, j: "" if i == j else decimal(differences[i, j], digits, sign=True))
    diverging(canvas, coloured, hovers, texts if n <= MOST_WORDS else None, apart)
    name_cells(canvas, [safe(short(name)) for name in names], _rows(names))
    canvas.x_axis("minus", tickangle=turned(n))
    canvas.y_axis("score of")
    return canvas.figure()


def _rows(names: Sequence[str]) -> list[str]:
    """Return names of teams beside the rows of a heat map, in full where rows are high enough."""
    return [lined(name) if len(names) <= MOST_WORDS else safe(short(name)) for name in names]


def rank_heat(
    names: Sequence[str], shares: Floats, bounds: Sequence[Sequence[float]], theme: Theme
) -> go.Figure:
    """Draw how often each team has each rank.

    Args:
        shares: [A, ranks] share of the resamples in which each team has each rank, 0..1.
        bounds: Best and worst possible rank of each team, drawn as a frame; empty for no frames.
    """
    teams, ranks = shares.shape
    height = 76 + (ROW if teams <= MOST_WORDS else 16) * teams
    canvas = Canvas(theme, "How stable is the ranking?", height)

    def word(team: int, rank: int) -> str:
        value = shares[team, rank]
        return f"{100 * value:.0f}" if value >= 0.005 and ranks <= MOST_WORDS else ""

    def hover(team: int, rank: int) -> str:
        part = percent(shares[team, rank])
        return f"<b>{safe(names[team])}</b><br>rank {rank + 1} in {part} of the resamples"

    every = max(1, ranks // 15)
    columns = [str(rank + 1) if rank % every == 0 else "" for rank in range(ranks)]
    rows = _rows(names)
    heat(canvas, shares, columns, rows, cell_texts(teams, ranks, word), cell_texts(teams, ranks, hover))
    for row, (low, high) in enumerate(bounds):
        canvas.rectangle((low - 1.48, high - 0.52), (row - 0.46, row + 0.46), theme.ink, 1.5)
    canvas.x_axis("rank, share of resamples in %", tickangle=0)
    return canvas.figure()


@dataclass(frozen=True)
class Ordering:
    """The ranking of the teams under one rule.

    Attributes:
        tau: Kendall's tau with the official ranking; None if undefined.
        small: Whether the rule uses fewer than 15 cases.
    """

    name: str
    ranks: Sequence[int]
    tau: float | None
    small: bool = False


def rules_heat(
    names: Sequence[str], rules: Sequence[Ordering], columns: Sequence[int], theme: Theme
) -> go.Figure:
    """Draw the rank of each team under each rule, with Kendall's tau with the official ranking on the right.

    Args:
        names: Names of all ranked teams.
        rules: Teams' order under each rule. The first is the official rule; a line separates it from the
            others.
    """
    ranks = np.array([[rule.ranks[team] for team in columns] for rule in rules], float)
    most = max(2.0, float(max(max(rule.ranks) for rule in rules)))
    teams = [names[team] for team in columns]
    margin = {"l": 4, "r": 74, "t": 8, "b": 4}
    canvas = Canvas(theme, "Would another rule change the order?", 110 + 26 * len(rules), margin=margin)
    for row, rule in enumerate(rules[1:], start=1):
        agreement = f"τ {decimal(rule.tau, 2)}"
        canvas.write(1, row, agreement, theme.soft, xref="paper", xanchor="left", xshift=8)
    rows = [
        f"<span style='color:{theme.soft}'>{safe(rule.name)}*</span>" if rule.small else safe(rule.name)
        for rule in rules
    ]

    def hover(rule: int, team: int) -> str:
        return f"<b>{safe(teams[team])}</b><br>{safe(rules[rule].name)}: rank {ranks[rule, team]:g}"

    heat(
        canvas,
        0.9 * (1 - (ranks - 1) / (most - 1)),
        [safe(short(name)) for name in teams],
        rows,
        cell_texts(len(rules), len(teams), lambda rule, team: f"{ranks[rule, team]:g}"),
        cell_texts(len(rules), len(teams), hover),
        12 if len(teams) <= MOST_WORDS else 9,
    )
    canvas.level(0.5, theme.ink, 1.5)
    canvas.x_axis(tickangle=turned(len(teams)))
    return canvas.figure()


@dataclass(frozen=True)
class ClassValues:
    """A measure of each class and team.

    Attributes:
        values: [classes, A] values, or their differences to one team.
        coloured: [classes, A] number that determines the colour of each value: 0 (bad) to 1 (good); for a
            difference, positive if better.
        risks: Class -> risk group, for classes that have one.
    """

    values: Floats
    coloured: Floats
    classes: Sequence[str]
    teams: Sequence[str]
    support: Sequence[int]
    measure: str
    risks: Mapping[str, str] = field(default_factory=dict)

    def hover(self, i: int, j: int, sign: bool) -> str:
        """Return the hover text of a cell. `sign` says whether positive numbers get a plus sign."""
        value = decimal(self.values[i, j], 3, sign)
        head = f"<b>{safe(self.teams[j])}</b>, {safe(self.classes[i])}"
        return f"{head}<br>{safe(self.measure)} {value}<br>n = {self.support[i]}"


def class_heat(
    table: ClassValues, theme: Theme, chosen: tuple[str, str] | None = None, differences: bool = False
) -> go.Figure:
    """Draw a measure of each class and team, so that differences between teams are visible. Every cell can be
    clicked: its `customdata` is (class, team).

    Args:
        differences: Whether the values are differences to one team, drawn around 0.
    """
    values = table.values
    (n, teams), names = values.shape, table.teams
    rows = [
        counted(short(class_named(name), CLASS), size, table.risks.get(name), theme)
        for name, size in zip(table.classes, table.support, strict=True)
    ]
    columns = [safe(short(name)) for name in names]
    hovers = cell_texts(n, teams, lambda i, j: table.hover(i, j, differences))
    canvas = Canvas(theme, "Where do the teams differ?", 110 + 26 * n)

    def word(i: int, j: int) -> str:
        value = values[i, j]
        nothing = not np.isfinite(value) or teams > MOST_WORDS or (differences and not round(value, 2))
        return "" if nothing else brief(value, sign=differences)

    if differences:
        texts = cell_texts(n, teams, word)
        diverging(canvas, table.coloured, hovers, texts if teams <= MOST_WORDS else None)
        name_cells(canvas, columns, rows)
    else:
        heat(canvas, table.coloured, columns, rows, cell_texts(n, teams, word), hovers)
    clickable(canvas, [(name, team) for name in table.classes for team in names], teams)
    if chosen is not None and chosen[0] in table.classes and chosen[1] in names:
        frame(canvas, list(table.classes).index(chosen[0]), list(names).index(chosen[1]), theme.accent)
    canvas.x_axis(tickangle=turned(teams))
    return canvas.figure()


LONGEST = 22
"""Maximum number of characters of the name of a case."""


def case_heat(
    names: Sequence[str], cases: Sequence[str], right: Floats, theme: Theme, quantity: Quantity = SHARE
) -> go.Figure:
    """Draw how right each team is in each case. The strongest colour means wrong; × means that nothing in the
    case is right.

    Cells show numbers if cases can be partly right. Every cell can be clicked: its `customdata` is (case,
    team).

    Args:
        cases: Names of the cases, hardest first.
        right: [cases, A] share from 0 (wrong) to 1 (right); NaN if a case does not count.
        quantity: Direction and range of the values, if they are not shares (such as errors in years).
    """
    is_share = quantity == SHARE
    graded = not is_share or bool((np.isfinite(right) & (right != 1) & (right != 0)).any())
    texts, hovers = (np.full((len(cases), len(names)), "", object) for _ in range(2))
    for i, j in np.ndindex(right.shape):
        value = float(right[i, j])
        hovers[i, j] = f"<b>{safe(cases[i])}</b><br>{safe(names[j])}: {_rightness(value, is_share)}"
        if len(names) <= MOST_WORDS:
            texts[i, j] = (
                "×" if is_share and value == 0 else brief(value) if graded and np.isfinite(value) else ""
            )
    canvas = Canvas(theme, "Which cases are hard for all?", 90 + 22 * len(cases))
    columns, rows = [safe(short(name)) for name in names], [_end(case) for case in cases]
    heat(canvas, 0.06 + 0.8 * (1 - quantity.goodness(right)), columns, rows, texts, hovers)
    clickable(canvas, [(case, team) for case in cases for team in names], len(names))
    canvas.x_axis(tickangle=turned(len(names)))
    return canvas.figure()


def _rightness(value: float, is_share: bool) -> str:
    if not np.isfinite(value):
        return "does not count"
    if not is_share:
        return decimal(value, 3)
    return "wrong" if value == 0 else "right" if value == 1 else decimal(value, 3)


def _end(name: str) -> str:
    """Return the end of a case's name, where names differ."""
    last = name.rsplit("/", 1)[-1]
    return safe(last if len(last) <= LONGEST else f"…{last[-LONGEST + 1 :]}")


def teams_right(counts: Sequence[int], theme: Theme) -> go.Figure:
    """Draw how many cases exactly k of the A teams got right, for k from 0 to A. `counts` contains these
    numbers [A + 1]."""
    canvas = Canvas(theme, "How many teams are right?", 220)
    canvas.trace(
        "bar",
        x=list(range(len(counts))),
        y=list(counts),
        marker={"color": [theme.accent if k else theme.ink for k in range(len(counts))]},
        text=[str(n) for n in counts] if len(counts) <= MOST_WORDS else None,
        textposition="outside",
        textfont={"color": theme.ink},
        cliponaxis=False,
        hovertext=[f"{k} of {len(counts) - 1} teams right: {n} cases" for k, n in enumerate(counts)],
    )
    canvas.x_axis("teams that are right", dtick=max(1, len(counts) // 12))
    canvas.y_axis("cases", range=[0, 1.15 * max(*counts, 1)])
    return canvas.figure()
