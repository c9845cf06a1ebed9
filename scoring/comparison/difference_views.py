"""Views of the differences between teams: by class, by case and by subgroup."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go

from scoring.challenges import load_challenge
from scoring.common.arrays import Ints
from scoring.common.direction_and_range import SHARE, Better
from scoring.common.text import markdown, named
from scoring.comparison import case_list as by_case
from scoring.comparison import class_measures as by_class
from scoring.comparison import figures
from scoring.comparison.case_list import Correctness
from scoring.comparison.class_measures import ClassDifference, ClassEstimate, ClassMatrix, Subgroup
from scoring.comparison.display import Displayed
from scoring.core.views import Block, Column, Figure, Panel, Panels, Table, Text
from scoring.presentation.figures.comparison import case_heat, teams_right
from scoring.presentation.figures.number_format import decimal, span
from scoring.presentation.figures.theme import Theme

CASES = 40
"""Maximum number of cases that a figure shows."""


def classes(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks that show a measure of every class for every team, as a table or figure."""
    matrix = by_class.matrix(displayed.comparison)
    if not matrix.classes:
        return (Text("The teams have no scored class in common.", "note"),)
    return (class_values(displayed, matrix),)


def class_values(
    displayed: Displayed,
    matrix: ClassMatrix,
    chosen: tuple[str, str] | None = None,
    against: str | None = None,
) -> Figure:
    """Return a figure of a measure for every class (rows) and team (columns).

    Args:
        chosen: Class and team of the framed cell.
        against: The team whose values are subtracted from the others.
    """
    risks = load_challenge(displayed.comparison.challenge).display.class_risks
    less = f", minus the value of {markdown(against)}" if against else " (.66 means 0.66)"

    return Figure(
        lambda theme: figures.classes(matrix, displayed.names, risks, theme, chosen, against),
        f"{figures.measures(matrix)} of each class{less}. The number beside a class is its number of cases; "
        f"a star marks fewer than 15. {displayed.method}",
        {
            "class": matrix.classes,
            "measure": matrix.measures,
            "cases": matrix.support,
            **{
                f"value: {name}": matrix.values[:, matrix.teams.index(name)].tolist()
                for name in displayed.names
            },
        },
    )


def class_difference(gap: ClassDifference, team: str, leader: str) -> Text:
    """Return how much better or worse a team is than the leader in one class, as text."""
    of_class = f"{named(gap.measure)} of {markdown(gap.name)}"
    if gap.difference is None:
        return Text(f"{of_class} is undefined for one of the two teams.")
    sentence = (
        f"{of_class}: **{markdown(team, 40)}** minus **{markdown(leader, 40)}** is "
        f"**{decimal(gap.difference, 3, True)}**"
    )
    if not gap.interval:
        return Text(f"{sentence}.")
    interval = span(gap.interval, 3, sign=True)
    return Text(
        f"{sentence}, 95% interval {interval}. The interval is not adjusted for comparing many classes."
    )


def cases(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks that show the cases that are hardest for all teams."""
    correct = by_case.correctness(displayed.comparison)
    return (case_values(displayed, correct, correct.order),) if len(correct.order) else ()


def case_values(displayed: Displayed, correct: Correctness, order: Ints) -> Figure:
    """Return a figure of how right each team is in each case. `order` contains the positions of the cases in
    drawing order."""
    columns = [correct.teams.index(name) for name in displayed.names]
    drawn = order[:CASES]
    names = displayed.names

    def build(theme: Theme) -> go.Figure:
        values = correct.values[drawn][:, columns]
        return case_heat(names, [correct.cases[k] for k in drawn], values, theme, correct.quantity)

    kind, how, first = "right", "Strong colour and ×: wrong", "which the fewest teams predicted correctly"
    if correct.quantity != SHARE:
        kind = "value"
        how = f"Stronger colour: worse; {correct.quantity.better} is better"
        first = "that are hardest for all teams"
    elif correct.graded:
        how = "Stronger colour: less is correct; ×: nothing is correct"
    return Figure(
        build,
        f"{how}. {len(drawn)} of {len(order)} cases are drawn: first the cases {first}, then the cases on "
        f"which teams differ. The score uses {len(correct.order)} cases. {displayed.method}",
        {
            "case": [correct.cases[k] for k in order],
            **{
                f"{kind}: {correct.teams[column]}": correct.values[order, column].tolist()
                for column in columns
            },
        },
    )


def right_counts(correct: Correctness) -> Figure:
    """Return a figure that shows, for each number of teams k, how many cases exactly k teams got right."""
    counts = by_case.counted_right(correct).tolist()
    return Figure(
        partial(teams_right, counts),
        f"First bar: cases that no team predicted correctly. n = {len(correct.order)}.",
        {"teams right": range(len(counts)), "cases": counts},
    )


def subgroups(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks that show every team's measures in every subgroup as numbers."""
    groups = by_class.subgroups(displayed.comparison)
    if not groups:
        message = "The test set has no column for subgroups, such as age or center."
        return (Text(message, "note"),)
    return (group_table(displayed, groups, len(groups), "Which subgroup fails?"),)


def group_panels(displayed: Displayed, rows: Sequence[Subgroup], to_overall: bool) -> Panels:
    """Return a small figure per subgroup. `to_overall` says whether each value is drawn as its difference to
    the value on all cases."""
    names = displayed.names
    ends = [
        end
        for row in rows
        for team in row.teams
        if team.team in names
        for end in figures.estimate(team, to_overall)[1] or ()
    ]
    panels = []
    for row in rows:
        listed = ", ".join(
            f"{team.team} {decimal(figures.estimate(team, to_overall)[0], 2)}"
            for team in row.teams
            if team.team in names
        )
        panels.append(
            Panel(
                f"**{markdown(row.group)}** :gray[n = "
                f"{row.n}{'* under 15: too few to interpret' * row.small}]",
                partial(figures.subgroup, row, names, ends, to_overall=to_overall),
                alt=f"{row.group}, n = {row.n}: {listed}",
            )
        )
    return Panels("Which subgroup fails?", panels, width=330)


def _direction(displayed: Displayed, rows: Sequence[Subgroup]) -> Better | None:
    """Return which direction is better in all rows; None if they differ."""
    directions = {displayed.comparison.quantity(row.measure).better for row in rows}
    return directions.pop() if len(directions) == 1 else None


def group_table(displayed: Displayed, rows: Sequence[Subgroup], looked_at: int, question: str) -> Table:
    """Return a table of subgroups."""

    def known(name: str) -> Callable[[tuple[Subgroup, ClassEstimate]], Any]:
        return lambda pair: None if pair[0].small else getattr(pair[1], name)

    better = _direction(displayed, rows)
    to_all = [
        Column("to all", "difference from all cases", "number", 3, sign=True, get=known("to_overall")),
        Column(
            "to all interval",
            "95% interval",
            "interval",
            3,
            lighter=True,
            sign=True,
            get=known("to_overall_interval"),
        ),
    ]
    compared = any(team.to_overall is not None for row in rows for team in row.teams)
    return Table.of(
        question,
        [(row, team) for row in rows for team in row.teams],
        [
            Column("column", "grouped by", get=lambda pair: pair[0].column),
            Column("group", "group", get=lambda pair: pair[0].group),
            Column("measure", "measure", get=lambda pair: named(pair[0].measure)),
            Column("n", "n", "number", 0, get=lambda pair: pair[0].n),
            Column("team", "team", get=lambda pair: pair[1].team),
            Column("value", "value", "number", 3, better, get=known("value")),
            Column("interval", "95% interval", "interval", 3, lighter=True, get=known("interval")),
            *(to_all if compared else ()),
        ],
        f"{looked_at} combinations of subgroup and metric were compared, so chance alone explains some "
        "differences. "
        "Groups of fewer "
        f"than 15 cases have no value. {displayed.method}",
        key="groups",
    )
