"""Metrics of a card and their replicates, by name."""

import numpy as np

from scoring.comparison.pairs import value_of
from scoring.core.comparison_spec import Value
from scoring.core.scorecard import ScoreCard
from scoring.statistics import intervals
from scoring.statistics.options import UNITS_OF_COMPARISON
from scoring.statistics.replicates import array_name


def number(value: float | None) -> float:
    """Return a value as a float, NaN for None."""
    return np.nan if value is None else float(value)


def point(card: ScoreCard) -> Value:
    """Return a function that gives a metric of the test set itself [1]."""
    return lambda name: np.array([number(value_of(card, name))])


def resampled(card: ScoreCard) -> Value:
    """Return a function that gives the replicates [B] of a metric; constants (a model's size) are
    repeated."""
    drawn = len(card.arrays["score_replicates"])

    def value(name: str) -> np.ndarray:
        kept = card.arrays.get(array_name(name))
        return np.full(drawn, number(value_of(card, name))) if kept is None else kept

    return value


def has_replicates(card: ScoreCard) -> bool:
    """Return whether the card holds replicates."""
    return "score_replicates" in card.arrays


def difference_interval(a: np.ndarray | None, b: np.ndarray | None, n_units: int) -> list[float] | None:
    """Return the 95 % percentile interval of a - b from paired replicates [B]; None without them, where more
    than half are undefined, and with fewer than 20 units, where it would cover far less."""
    if a is None or b is None or n_units < UNITS_OF_COMPARISON:
        return None
    return intervals.percentile(np.round(a - b, 12))
