"""Measures of each class by team, and differences of two teams by class."""

from dataclasses import dataclass

import numpy as np

from scoring.comparison.compare import Comparison
from scoring.comparison.values import difference_interval, number
from scoring.statistics.replicates import array_name


@dataclass(frozen=True)
class ClassMatrix:
    """measures: name of the measure of each class; support: its cases, None where that is not counted; values
    [K, A], NaN where undefined."""

    classes: tuple[str, ...]
    measures: tuple[str, ...]
    support: tuple[int | None, ...]
    teams: tuple[str, ...]
    values: np.ndarray


@dataclass(frozen=True)
class ClassDifference:
    """Team a less team b in one class, with its 95 % interval by paired replicates; None where undefined."""

    name: str
    measure: str
    support: int | None
    difference: float | None
    interval: list[float] | None


def matrix(found: Comparison) -> ClassMatrix:
    """Return the measure of every class of every team, teams best first."""
    cards = list(found.cards.values())
    measure_of = _measures(found)
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
        tuple(found.cards),
        np.array(values).reshape(-1, len(cards)),
    )


def differences(found: Comparison, a: str, b: str) -> tuple[ClassDifference, ...]:
    """Return the difference of team a and team b in every class."""
    table, first, second = matrix(found), found.cards[a], found.cards[b]
    columns = [table.teams.index(name) for name in (a, b)]
    rows = []
    for k, (name, measure) in enumerate(zip(table.classes, table.measures, strict=True)):
        difference = float(table.values[k, columns[0]] - table.values[k, columns[1]])
        key = array_name((measure, name))
        interval = difference_interval(
            first.arrays.get(key), second.arrays.get(key), found.provenance["n_units"]
        )
        known = not np.isnan(difference)
        rows.append(
            ClassDifference(
                name, measure, table.support[k], difference if known else None, interval if known else None
            )
        )
    return tuple(rows)


def _measures(found: Comparison) -> dict[str, str]:
    """Return the measure of each class that all cards have."""
    rows = [card.per_class for card in found.cards.values()]
    chosen = {}
    for name in rows[0]:
        if all(name in row for row in rows):
            measure = next((m for m in found.spec.class_measures if m in rows[0][name]), None)
            if measure:
                chosen[name] = measure
    return chosen
