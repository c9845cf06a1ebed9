"""Pairs of teams with the result of their test (`permutation_test.swap_test`).

Groups of teams that the test does not separate: `scoring.comparison.many_teams.groups`.

A thousand teams make half a million pairs. Pairs are therefore stored as columns, and a `Pair` object is
created only on access.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.statistics import intervals
from scoring.statistics.interval_options import DIGITS
from scoring.statistics.mcnemar_delong_wilcoxon import holm
from scoring.statistics.paired_bootstrap import PairTest

AT_ONCE = 10_000
"""Number of `Pair` objects that are created at once when a loop runs over all pairs."""


@dataclass(frozen=True)
class Pair:
    """Comparison of two teams. Values that need replicates and enough units are None if these are missing.

    Attributes:
        a: Index of the better ranked team, which does not always have the higher score.
        interval: 95 % interval of the difference.
        standard_error: Standard error of the difference; None if fewer than two replicates are defined.
        p_value: Two-sided p-value of this pair alone, 0..1.
        p_adjusted: p-value, adjusted for all pairs.
        simultaneous_interval: Interval of the difference. With 95 % confidence, the intervals of all pairs
            contain the true differences at the same time.
        separated: Whether the two teams are called different.
    """

    a: int
    b: int
    difference: float
    interval: list[float] | None = None
    standard_error: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    simultaneous_interval: list[float] | None = None
    separated: bool | None = None


@dataclass(frozen=True, eq=False)
class Pairs(Sequence[Pair]):
    """Many pairs of teams. Each attribute contains the values of all pairs [P], or intervals [P, 2]; NaN
    replaces None."""

    a: Ints
    b: Ints
    difference: Floats
    interval: Floats | None = None
    standard_error: Floats | None = None
    p_value: Floats | None = None
    p_adjusted: Floats | None = None
    simultaneous_interval: Floats | None = None
    separated: Bools | None = None

    def __len__(self) -> int:
        return len(self.a)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Pair, ...]: ...
    def __getitem__(self, index: int | slice) -> Pair | tuple[Pair, ...]:
        if isinstance(index, int):
            place = range(len(self))[index]
            return self[place : place + 1][0]
        columns = {name: _or_none(column[index]) for name, column in vars(self).items() if column is not None}
        return tuple(
            Pair(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)
        )

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), AT_ONCE):
            yield from self[start : start + AT_ONCE]

    def among(self, teams: Sequence[int]) -> tuple[Pair, ...]:
        """Return the pairs of which both teams are in `teams` (indices)."""
        places = np.flatnonzero(np.isin(self.a, teams) & np.isin(self.b, teams))
        return tuple(self[int(place)] for place in places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _or_none(column: Array) -> list[Any]:
    """Return the values of a column; None if one is, or an interval holds, NaN."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f":
        for place in np.flatnonzero(np.isnan(column).reshape(len(column), -1).any(1)):
            values[place] = None
    return values


def untested(scores: Floats) -> Pairs:
    """Return all pairs of teams with their differences and without a test. `scores` contains the score of
    each team [A]."""
    first, second = np.triu_indices(len(scores), 1)
    return Pairs(first, second, scores[first] - scores[second])


def of_test(scores: Floats, test: PairTest) -> Pairs:
    """Return all pairs of teams with their test results.

    Args:
        scores: Score of each team [A].
    """
    pairs, finite = untested(scores), np.isfinite(test.reach)
    ends = np.column_stack([pairs.difference - test.reach, pairs.difference + test.reach])
    return replace(
        pairs,
        interval=test.intervals,
        standard_error=np.where(np.isfinite(test.errors), test.errors, np.nan),
        p_value=test.p_values,
        p_adjusted=test.p_adjusted,
        simultaneous_interval=np.where(finite[:, None], ends, np.nan),
        separated=test.separated,
    )


def with_intervals(
    pairs: Pairs, replicates: Floats, left_out: Floats | None, n_units: int, width: float
) -> Pairs:
    """Add standard errors and intervals to pairs that were not tested.

    Args:
        pairs: The pairs [P].
        replicates: Scores of the teams on the same resampled test sets [A, B], NaN if undefined.
        left_out: Scores of the teams with each unit left out in turn [A, n]; None: the replicates are used.
        width: Distance between the limits of the scores, infinite if there are none.
    """
    ends, errors = np.full((len(pairs), 2), np.nan), np.full(len(pairs), np.nan)
    for place, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        drawn = np.round(replicates[a] - replicates[b], DIGITS)
        if np.isnan(drawn).mean() > 0.5:
            continue
        both = None if left_out is None else (left_out[a], left_out[b])
        estimate = intervals.estimated_difference(float(pairs.difference[place]), drawn, both, n_units)
        interval = intervals.difference_t(estimate, width)
        if interval is not None:
            ends[place], errors[place] = interval, np.sqrt(estimate.variance)
    return replace(pairs, interval=ends, standard_error=errors)


def tested(pairs: Pairs, p_values: ArrayLike) -> Pairs:
    """Add p-values to pairs, and p-values adjusted by Holm over all pairs.

    Args:
        pairs: The pairs [P].
        p_values: p-value of each pair [P], 0..1.
    """
    p_values = np.asarray(p_values, float)
    return replace(pairs, p_value=p_values, p_adjusted=holm(p_values))
