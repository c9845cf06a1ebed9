"""Teams compared on the same replicates: ranks, pairs, simultaneous groups, and how stable all of them are.

Definitions: paired bootstrap t for pairs, Holm over all pairs, max-t for groups that hold at once. Everything
is compared after rounding to 12 decimals, so that float noise makes no rank; written numbers stay unrounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.arrays import Bools, Floats, Ints
from scoring.statistics import intervals
from scoring.statistics.multiplicity import holm
from scoring.statistics.ranking import kendall_tau
from scoring.statistics.rounding import DIGITS

NO_SPREAD = 1e-12
LEVEL = 0.95
BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Pair:
    """Two teams compared. What needs replicates is None without them.

    Attributes:
        a: Index of the better placed team, which does not always have the higher score.
        b: Index of the other.
        difference: Score of a less score of b.
        interval: 95 % percentile interval of the difference.
        standard_error: Standard deviation of the difference over the replicates; None where fewer than two
            of them have it.
        p_value: Two-sided p-value of this pair alone, 0..1.
        p_adjusted: The same, adjusted by Holm over all pairs.
        simultaneous_interval: Interval of the difference; with 95 % confidence those of all pairs hold.
        separated: Whether the simultaneous interval excludes 0.
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


@dataclass(frozen=True)
class ReplicateComparison:
    """Teams compared on replicates.

    Lists have one entry per team; what needs replicates is None without them.

    Attributes:
        pairs: Every two teams.
        rank_intervals: Best and worst rank of each team.
        tied_for_first: Whether no other team is certainly better.
        shares_won: Share of the replicates that each team wins, 0..1; shared wins count in parts.
        rank_shares: Share of the replicates in which each team has each rank 1..A.
        critical_value: Standard errors by which a pair has to differ to be separated.
        stability: Kendall's tau-b between the ranking and those of the replicates: `kendall_tau_mean` and
            `kendall_tau_interval`.
        winner_optimism: By how much the winner's score is too high on average, because the best of several
            was picked.
        resolvable_gap: Difference of scores that a test set of this size can tell apart: for `one_pair`, and
            for `all_pairs` at once.
    """

    pairs: tuple[Pair, ...]
    rank_intervals: list[list[float]] | None = None
    tied_for_first: list[bool] | None = None
    shares_won: list[float] | None = None
    rank_shares: list[list[float]] | None = None
    critical_value: float | None = None
    stability: dict[str, Any] | None = None
    winner_optimism: float | None = None
    resolvable_gap: dict[str, float] | None = None


def compare(scores: ArrayLike, replicates: Floats, n_units: int) -> ReplicateComparison:
    """Compare teams by their scores on the same replicates.

    Args:
        scores: Score of each team [A], in the order of their places.
        replicates: Scores of the teams on the same resampled test sets [A, B], NaN where undefined.
        n_units: Number of units that are resampled.

    Returns:
        Pairs, ranks and how stable they are; only the pairs' differences without replicates, or with one
        unit.
    """
    scores = np.asarray(scores, float)
    first, second = np.triu_indices(len(scores), 1)
    if not replicates.shape[1] or n_units < 2:
        return ReplicateComparison(
            tuple(
                Pair(int(a), int(b), float(scores[a] - scores[b])) for a, b in zip(first, second, strict=True)
            )
        )
    together = np.round(replicates[:, ~np.isnan(replicates).any(0)], DIGITS)
    spread = _spread(scores, replicates, first, second)
    critical = _critical_value(spread, n_units)
    reach = np.multiply(
        spread.errors,
        np.inf if critical is None else critical,
        out=np.zeros(len(first)),
        where=spread.errors > 0,
    )
    apart = np.round(np.abs(spread.differences), DIGITS) > 0
    separated = np.where(spread.errors > 0, np.abs(spread.differences) > reach, apart)
    better = np.zeros((len(scores), len(scores)), bool)
    better[first, second] = separated & (spread.differences > 0)
    better[second, first] = separated & (spread.differences < 0)
    varying = spread.errors[(spread.errors > 0) & np.isfinite(spread.errors)]
    shares_won, rank_shares = _shares(together)
    return ReplicateComparison(
        tested(_pairs(first, second, spread, reach, separated), _student(spread, apart, n_units)),
        [[1 + int(better[:, i].sum()), len(scores) - int(better[i].sum())] for i in range(len(scores))],
        [not better[:, i].any() for i in range(len(scores))],
        shares_won,
        rank_shares,
        critical,
        _stability(scores, together),
        _winner_optimism(scores, together),
        None if critical is None else _resolvable_gap(float(np.median(varying)), critical, n_units),
    )


def tested(pairs: Sequence[Pair], p_values: ArrayLike) -> tuple[Pair, ...]:
    """Give pairs their p-values, also adjusted by Holm over all of them.

    Args:
        pairs: The pairs [P].
        p_values: p-value of each pair [P], 0..1.
    """
    p_values = np.asarray(p_values, float)
    return tuple(
        replace(pair, p_value=p, p_adjusted=adjusted)
        for pair, p, adjusted in zip(pairs, p_values.tolist(), holm(p_values).tolist(), strict=True)
    )


@dataclass(frozen=True)
class _Spread:
    """How far the pairs' differences [P] vary over the replicates.

    errors: standard errors [P], infinite where fewer than two replicates are defined. intervals: percentile
    intervals. largest: the largest |d* - d| / se over the pairs [B'] in the replicates in which all teams
    have a score, None where no pair varies.
    """

    differences: Floats
    errors: Floats
    intervals: list[list[float] | None]
    largest: Floats | None


def _spread(scores: Floats, replicates: Floats, first: Ints, second: Ints) -> _Spread:
    differences = scores[first] - scores[second]
    complete = ~np.isnan(replicates).any(0)
    errors = np.zeros(len(first))
    found: list[list[float] | None] = []
    largest: Floats | None = None
    rows = max(1, BLOCK_CELLS // replicates.shape[1])
    for start in range(0, len(first), rows):
        block = slice(start, start + rows)
        drawn = np.round(replicates[first[block]] - replicates[second[block]], DIGITS)
        errors[block], ends = _moments(drawn)
        found += ends
        varies = (errors[block] > 0) & np.isfinite(errors[block])
        if varies.any() and complete.any():
            moved = (
                np.abs(drawn[varies][:, complete] - differences[block][varies, None])
                / errors[block][varies, None]
            )
            largest = moved.max(0) if largest is None else np.maximum(largest, moved.max(0))
    return _Spread(differences, errors, found, largest)


def _moments(drawn: Floats) -> tuple[Floats, list[list[float] | None]]:
    """Standard errors and percentile intervals of rounded differences [P, B], NaN where undefined; an error
    below 1e-12 is none."""
    ends: list[list[float] | None]
    if np.isnan(drawn).any():
        parts = [row[~np.isnan(row)] for row in drawn]
        errors = np.array([np.std(row, ddof=1) if len(row) > 1 else np.inf for row in parts])
        ends = [intervals.percentile(row) for row in drawn]
    else:
        errors = np.std(drawn, axis=1, ddof=1) if drawn.shape[1] > 1 else np.full(len(drawn), np.inf)
        ends = np.quantile(drawn, intervals.QUANTILES, axis=1).T.tolist()
    return np.where(errors < NO_SPREAD, 0.0, errors), ends


def _student(spread: _Spread, apart: Bools, n_units: int) -> Floats:
    """p of each pair: 2 P(t > |d| / se); where nothing varies 0 for teams whose scores differ, else 1."""
    ratio = np.divide(
        np.abs(spread.differences), spread.errors, out=np.zeros(len(apart)), where=spread.errors > 0
    )
    return np.where(spread.errors > 0, 2 * scipy.special.stdtr(n_units - 1, -ratio), ~apart)


def _critical_value(spread: _Spread, n_units: int) -> float | None:
    """The 95 % quantile of the largest |d* - d| / se over pairs, widened as Student's t for few units; None
    without a pair that varies, and where it is infinite."""
    if spread.largest is None:
        return None
    beyond = scipy.special.ndtr(-np.quantile(spread.largest, LEVEL))
    found = -float(scipy.special.stdtrit(n_units - 1, beyond))
    return found if np.isfinite(found) else None


def _pairs(first: Ints, second: Ints, spread: _Spread, reach: Floats, separated: Bools) -> list[Pair]:
    low, high = (spread.differences - reach).tolist(), (spread.differences + reach).tolist()
    columns = (first, second, spread.differences, spread.errors, separated)
    return [
        Pair(
            a,
            b,
            d,
            spread.intervals[i],
            error if np.isfinite(error) else None,
            simultaneous_interval=[low[i], high[i]] if np.isfinite(high[i]) else None,
            separated=certain,
        )
        for i, (a, b, d, error, certain) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        )
    ]


def _resolvable_gap(error: float, critical: float, n_units: int) -> dict[str, float]:
    return {
        "one_pair": float(scipy.special.stdtrit(n_units - 1, (1 + LEVEL) / 2)) * error,
        "all_pairs": critical * error,
    }


def ranked(result: ReplicateComparison, places: Ints) -> ReplicateComparison:
    """Replace the ranks of a comparison by places that another rule gives.

    Args:
        result: The comparison of the same teams.
        places: Place of each team in each replicate [A, B], from 1.

    Returns:
        The comparison with `rank_intervals` (2.5 and 97.5 percentile of the place), `shares_won` (first
        places, shared ones in parts) and `rank_shares` of these places.
    """
    if not places.shape[1]:
        return replace(result, rank_intervals=None, shares_won=None, rank_shares=None)
    ends = np.quantile(places, intervals.QUANTILES, axis=1).T.tolist()
    first = places == 1
    return replace(
        result,
        rank_intervals=[[int(end) if end == int(end) else end for end in pair] for pair in ends],
        shares_won=(first / first.sum(0)).mean(1).tolist(),
        rank_shares=_shares_of_places(places),
    )


def _shares(together: Floats) -> tuple[list[float] | None, list[list[float]] | None]:
    """Share of replicates that each team wins (1/k where k share the highest score), and the share at each
    competition rank."""
    if not together.shape[1]:
        return None, None
    first = together == together.max(0)
    ranks = 1 + (together[None] > together[:, None]).sum(1)
    return (first / first.sum(0)).mean(1).tolist(), _shares_of_places(ranks)


def _shares_of_places(places: Ints) -> list[list[float]]:
    """Share of the replicates in which each team has each place 1 ... A; places [A, B]."""
    return [(np.bincount(row, minlength=len(places) + 1)[1:] / len(row)).tolist() for row in places]


def _stability(scores: Floats, together: Floats) -> dict[str, Any] | None:
    """Kendall's tau-b between the scores and each replicate's; None for one team or where it is undefined
    throughout."""
    tau = kendall_tau(np.round(scores, DIGITS), together)
    tau = tau[~np.isnan(tau)]
    if not len(tau):
        return None
    return {
        "kendall_tau_mean": float(tau.mean()),
        "kendall_tau_interval": [float(v) for v in np.quantile(tau, intervals.QUANTILES)],
    }


def _winner_optimism(scores: Floats, together: Floats) -> float | None:
    """By how much the best replicate score exceeds that team's own score, on average: the best of several was
    picked on these data."""
    if not together.shape[1]:
        return None
    first = together == together.max(0)
    own = (first * scores[:, None]).sum(0) / first.sum(0)
    return float(np.mean(together.max(0) - own))
