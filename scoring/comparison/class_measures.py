"""Each team's measures of classes and subgroups, the cases of a class, and differences between two teams."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.direction_and_range import SCORE, Quantity
from scoring.common.findings import SMALL_CLASS
from scoring.comparison.compare import Comparison
from scoring.comparison.pairs import Varied, difference_interval, number
from scoring.core.comparison_spec import Groups
from scoring.core.scorecard import ScoreCard


@dataclass(frozen=True)
class ClassMatrix:
    """A measure of every class for every team.

    Attributes:
        measures: Name of the measure of each class.
        support: Number of cases of each class; None if cases are not counted by class.
        values: Values [K, A], NaN if undefined.
    """

    classes: tuple[str, ...]
    measures: tuple[str, ...]
    support: tuple[int | None, ...]
    teams: tuple[str, ...]
    values: np.ndarray
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True)
class ClassDifference:
    """Difference between team a and team b in one class; None if undefined.

    Attributes:
        difference: Value of a minus value of b.
        interval: 95 % interval from paired replicates.
        gain: The difference, positive if team a is better: its sign is changed if lower is better.
    """

    name: str
    measure: str
    support: int | None
    difference: float | None
    interval: list[float] | None
    gain: float | None


def matrix(comparison: Comparison) -> ClassMatrix:
    """Return the measure of every class for every team, best teams first."""
    cards = list(comparison.cards.values())
    measure_of = _measures(comparison)
    values = [
        [number(card.per_class[name].get(measure)) for card in cards] for name, measure in measure_of.items()
    ]
    support = [
        cards[0].per_class[name].get("support", cards[0].per_class[name].get("n_patients"))
        for name in measure_of
    ]
    return ClassMatrix(
        tuple(measure_of),
        tuple(measure_of.values()),
        tuple(support),
        tuple(comparison.cards),
        np.array(values).reshape(-1, len(cards)),
        tuple(map(comparison.quantity, measure_of.values())),
    )


def differences(comparison: Comparison, a: str, b: str) -> tuple[ClassDifference, ...]:
    """Return the difference between team a and team b in every class."""
    table, first, second = matrix(comparison), comparison.cards[a], comparison.cards[b]
    columns = [table.teams.index(name) for name in (a, b)]
    rows = []
    for k, (name, measure) in enumerate(zip(table.classes, table.measures, strict=True)):
        difference = float(table.values[k, columns[0]] - table.values[k, columns[1]])
        key, of_both = (measure, name), table.values[k, columns]
        ours, theirs = (
            Varied.of(card, key, float(value), table.support[k])
            for card, value in zip((first, second), of_both, strict=True)
        )
        interval = difference_interval(ours, theirs, first, table.quantities[k].range)
        values = (difference, interval, table.quantities[k].oriented(difference))
        rows.append(
            ClassDifference(
                name, measure, table.support[k], *((None,) * 3 if np.isnan(difference) else values)
            )
        )
    return tuple(rows)


def _measures(comparison: Comparison) -> dict[str, str]:
    """Return the measure of each class that all scorecards contain."""
    rows = [card.per_class for card in comparison.cards.values()]
    chosen = {}
    for name in rows[0]:
        if all(name in row for row in rows):
            measure = next((m for m in comparison.spec.class_measures if m in rows[0][name]), None)
            if measure:
                chosen[name] = measure
    return chosen


@dataclass(frozen=True)
class ClassMember:
    """A case of a class.

    Attributes:
        index: Position in the scorecard.
        value: How right the prediction is, 0..1, or the F1 or Dice of the class in this case; None if
            undefined.
        label: Class that the team predicted; None if it predicted none, or if cases have no single class.
    """

    index: int
    case: str
    value: float | None
    label: str | None


def members(card: ScoreCard, name: str) -> tuple[ClassMember, ...]:
    """Return all cases of the class `name`, worst results of the card's team first."""
    cases = [
        ClassMember(index, str(row["case"]), *verdict)
        for index, row in enumerate(card.cases)
        if (verdict := _verdict(row, name)) is not None
    ]
    return tuple(sorted(cases, key=lambda member: (member.value is None, member.value or 0.0)))


def _verdict(row: Mapping[str, Any], name: str) -> tuple[float | None, str | None] | None:
    """Return value and predicted label of one case; None if the case does not belong to the class."""
    for truth, label in (("truth", "predicted"), ("t_truth", "t_prediction"), ("n_truth", "n_prediction")):
        if truth in row and row[truth] == name:
            return float(row.get(label) == name), row.get(label)
    if isinstance(row.get("f1"), Mapping):
        return (row["f1"][name], None) if name in row["f1"] else None
    dice = f"dice_{name.lower()}"
    return (row[dice], None) if dice in row else None


@dataclass(frozen=True)
class ClassEstimate:
    """A team's result in a group. Values are None if they are undefined or were not resampled.

    Attributes:
        to_overall: Value in the group minus the value on all cases, with an interval from the same
            replicates.
    """

    team: str
    value: float | None
    interval: list[float] | None
    to_overall: float | None
    to_overall_interval: list[float] | None


@dataclass(frozen=True)
class Subgroup:
    """A measure of all teams in one group.

    Attributes:
        n: Number of cases that the measure counts.
        small: Whether there are fewer than 15 such cases.
    """

    column: str
    group: str
    measure: str
    n: int
    small: bool
    teams: tuple[ClassEstimate, ...]


def subgroups(comparison: Comparison) -> tuple[Subgroup, ...]:
    """Return the results in every group, for every column and measure. A caller that shows one group must
    also show the number of groups."""
    slices = {name: comparison.spec.slices(card) for name, card in comparison.cards.items()}
    rows = []
    for column, groups in next(iter(slices.values())).items():
        for group, entry in groups.items():
            for measure, (overall, counted) in comparison.spec.slice_measures.items():
                if measure in entry and all(group in of_team.get(column, {}) for of_team in slices.values()):
                    n = entry[counted]
                    estimates = tuple(
                        _estimate(comparison, name, slices[name], (column, group, measure), overall, n)
                        for name in comparison.cards
                    )
                    rows.append(Subgroup(column, group, measure, n, n < SMALL_CLASS, estimates))
    return tuple(rows)


def _estimate(
    comparison: Comparison, team: str, slices: Groups, key: tuple[str, str, str], overall: str, rests_on: int
) -> ClassEstimate:
    card, (column, group, measure) = comparison.cards[team], key
    row = slices[column][group]
    whole = number(card.score if overall == SCORE else card.metrics.get(overall))
    value = number(row[measure])
    if value != value:
        return ClassEstimate(team, None, None, None, None)
    inside, all_cases = Varied.of(card, ("slice", *key), value, rests_on), Varied.of(card, overall, whole)
    return ClassEstimate(
        team,
        value,
        row.get(f"{measure}_interval"),
        None if whole != whole else value - whole,
        difference_interval(inside, all_cases, card, comparison.quantity(overall).range),
    )
