"""Figures of a comparison for page and report. The argument `places` contains the positions of the drawn
teams in `Comparison.scored`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from scoring.common.text import named
from scoring.comparison import summary_text
from scoring.comparison.class_measures import ClassEstimate, ClassMatrix, Subgroup
from scoring.comparison.compare import Comparison
from scoring.comparison.pairs import PairDifferences, number
from scoring.comparison.robustness import FirstTeams, Robustness, RuleRanks, WeightGrid
from scoring.comparison.score_units import Scale
from scoring.presentation.figures import comparison as figures
from scoring.presentation.figures.comparison import Ordering
from scoring.presentation.figures.intervals import KINDS, IntervalRow
from scoring.presentation.figures.number_format import decimal
from scoring.presentation.figures.team_maps import FirstPlaces, Sized
from scoring.presentation.figures.theme import Theme, safe, short
from scoring.statistics.team_pairs import Pair

SCHEMES = {
    "mean_then_rank": "mean over cases",
    "median_then_rank": "median over cases",
    "rank_then_mean": "mean rank per case",
    "rank_then_median": "median rank per case",
    "test_then_rank": "pairwise tests won (Holm)",
}


def ranking(
    comparison: Comparison,
    scale: Scale,
    places: Sequence[int],
    lines: Mapping[str, Mapping[str, Any]],
    theme: Theme,
) -> go.Figure:
    """Draw each team's score with its interval and possible ranks. Teams that tie for the first rank are
    shaded. Entries without a rank are lines."""
    rows = [
        IntervalRow(
            f"{comparison.ranks[name]}  {name}",
            scale.factor * number(comparison.cards[name].score),
            scale.scaled(comparison.cards[name].intervals.get("score")),
            beside=summary_text.rank_interval(comparison, index),
        )
        for index, name in ((index, comparison.scored[index]) for index in places)
    ]
    tied = min(summary_text.band(comparison), len(rows))
    for name, line in lines.items():
        ends, value = scale.scaled(line["interval"]), scale.factor * line["score"]
        rows.append(IntervalRow(name, value, ends, beside="baseline", apart=False, through_all=True))
    return figures.team_intervals(rows, theme, "Who wins?", scale.unit, scale.digits, tied)


def lead(comparison: Comparison, scale: Scale, places: Sequence[int], theme: Theme) -> go.Figure:
    """Draw the difference of each team to the leader, with simultaneous intervals."""
    names = {comparison.scored[index] for index in places}
    rows = [
        IntervalRow(
            difference.team,
            scale.factor * difference.difference,
            scale.scaled(difference.simultaneous_interval),
            beside=""
            if difference.separated is None
            else "told apart"
            if difference.separated
            else "not told apart",
            apart=bool(difference.separated),
        )
        for difference in summary_text.leader_differences(comparison)
        if difference.team in names
    ]
    leader = short(comparison.scored[0])
    axis = f"difference from {safe(leader)}, {scale.unit}"
    question = (
        f"Is {short(comparison.scored[0], 40)}’s lead more than chance?"
        if summary_text.by_score(comparison)
        else f"Do the scores differ from {short(comparison.scored[0], 40)}’s?"
    )
    return figures.team_intervals(rows, theme, question, axis, scale.digits, reference=0)


def pairs(of: PairDifferences, scale: Scale, names: Sequence[str], theme: Theme) -> go.Figure:
    """Draw the difference of every pair of the named teams, and mark the pairs that the test separates.
    `scale` is the unit in which the metric is shown."""
    n, at = len(names), {of.teams.index(name): k for k, name in enumerate(names)}
    differences, apart, hovers = np.zeros((n, n)), np.zeros((n, n), bool), np.full((n, n), "", dtype=object)
    for pair in of.of.among(list(at)):
        for row, column, sign in ((pair.a, pair.b, 1), (pair.b, pair.a, -1)):
            cell = at[row], at[column]
            differences[cell], apart[cell] = sign * scale.factor * pair.difference, bool(pair.separated)
            hovers[cell] = _pair_words(of.teams[row], of.teams[column], pair, sign, scale)
    digits, better = min(scale.digits_of_intervals, 2), scale.better
    return figures.pair_matrix(names, differences, apart, hovers, digits, theme, better)


def _pair_words(a: str, b: str, pair: Pair, sign: int, scale: Scale) -> str:
    label = f"<b>{safe(a)}</b> minus {safe(b)}: <b>{scale.number(sign * pair.difference, sign=True)}</b>"
    if pair.simultaneous_interval is None:
        return label if pair.p_adjusted is None else f"{label}<br>adjusted p {p_words(pair.p_adjusted)}"
    bounds = sorted(sign * v for v in pair.simultaneous_interval)
    return (
        f"{label}<br>simultaneous 95% interval {scale.span(bounds, sign=True)}"
        f"<br>adjusted p {p_words(pair.p_adjusted)}<br>{'told apart' if pair.separated else 'not told apart'}"
    )


def p_words(p: float | None) -> str:
    """Return a p-value as text with four decimals, or as "below 0.0001"."""
    return "below 0.0001" if p is not None and p < 0.00005 else decimal(p, 4)


def rank_shares(comparison: Comparison, places: Sequence[int], theme: Theme) -> go.Figure:
    """Draw how often each team has each rank in the resamples. The comparison must have replicates."""
    rank_shares, intervals = comparison.result.rank_shares or [], comparison.result.rank_intervals
    shares = np.array([rank_shares[index] for index in places])
    bounds = [intervals[index] for index in places] if intervals else []
    return figures.rank_heat([comparison.scored[index] for index in places], shares, bounds, theme)


def rules(robust: Robustness, kinds: Sequence[str], names: Sequence[str], theme: Theme) -> go.Figure:
    """Draw the ranks of teams under several kinds of ranking rules. `names` are the drawn teams."""
    orderings = [
        Ordering(rule_name(rule), rule.ranks, rule.kendall_tau, rule.small)
        for rule in robust.rules
        if rule.kind in kinds
    ]
    return figures.rules_heat(robust.teams, orderings, [robust.teams.index(name) for name in names], theme)


def rule_name(rule: RuleRanks) -> str:
    """Return the name of a ranking rule for readers."""
    if rule.kind == "subgroup":
        group, _, measure = rule.name.rpartition(": ")
        return f"{group}: {named(measure)}"
    return SCHEMES.get(rule.name, named(rule.name))


def classes(
    table: ClassMatrix,
    names: Sequence[str],
    risks: Mapping[str, str],
    theme: Theme,
    chosen: tuple[str, str] | None = None,
    against: str | None = None,
) -> go.Figure:
    """Draw the value of each class and team. With `against`, draw differences to the team `against`."""
    values = table.values[:, [table.teams.index(name) for name in names]]
    coloured = [of.goodness(row) for of, row in zip(table.quantities, values, strict=True)]
    if against is not None:
        values = values - table.values[:, [table.teams.index(against)]]
        coloured = [of.oriented(row) for of, row in zip(table.quantities, values, strict=True)]
    support = [n or 0 for n in table.support]
    class_values = figures.ClassValues(
        values, np.array(coloured), table.classes, names, support, measures(table), risks
    )
    return figures.class_heat(class_values, theme, chosen, against is not None)


def measures(table: ClassMatrix) -> str:
    """Return the names of the measures of classes, such as "F1" or "recall, mean Dice"."""
    return ", ".join(dict.fromkeys(named(measure) for measure in table.measures))


def subgroup(
    row: Subgroup, names: Sequence[str], ends: Sequence[float], theme: Theme, to_overall: bool = False
) -> go.Figure:
    """Draw the value of each team in one subgroup.

    Args:
        ends: Ends of the intervals in all subgroups that are shown together, so that all have the same axis.
        to_overall: Whether each value is drawn as its difference to the value on all cases.
    """
    dots = [
        IntervalRow(team.team, *estimate(team, to_overall), n=row.n if row.small else None)
        for team in row.teams
        if team.team in names
    ]
    question = f"How good are the teams in {KINDS.get(row.column, row.column)} {row.group}?"
    return figures.group_intervals(
        dots, theme, question, named(row.measure), ends, 0.0 if to_overall else None
    )


def estimate(row: ClassEstimate, to_overall: bool) -> tuple[float | None, list[float] | None]:
    """Return the value and interval of a team in a group. With `to_overall`, return value and interval of the
    difference to all cases."""
    return (row.to_overall, row.to_overall_interval) if to_overall else (row.value, row.interval)


def sized(comparison: Comparison, scale: Scale) -> list[Sized]:
    """Return the scored teams with known model size."""
    cards = {
        name: comparison.cards[name]
        for name in comparison.scored
        if comparison.cards[name].more.get("model_size_mib")
    }
    return [
        Sized(
            name,
            card.more["model_size_mib"],
            scale.factor * number(card.score),
            scale.scaled(card.intervals.get("score")),
        )
        for name, card in cards.items()
    ]


def first_places(grid: WeightGrid, firsts: FirstTeams) -> FirstPlaces:
    """Return which team is first under every weighting of the parts, with the names of the parts."""
    parts = [named(metric) for metric in grid.metrics]
    return FirstPlaces(parts, grid.weights, firsts.first, grid.teams, grid.official)
