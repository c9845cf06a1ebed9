"""Teams compared on the same replicates: ranks, pairs, simultaneous groups, and how stable all of it is.

Definitions: paired bootstrap t for pairs, Holm over all pairs, max-t for groups that hold at once. Everything
is compared after rounding to 12 decimals, so that float noise makes no rank; written numbers stay unrounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from scoring.statistics import intervals
from scoring.statistics.multiplicity import holm
from scoring.statistics.ranking import DIGITS, kendall_tau

NO_SPREAD = 1e-12
LEVEL = 0.95
BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Pair:
    """Team a against team b (indices, a better placed, which is not always the higher score): difference of
    scores, its percentile interval, standard error and tests; None without replicates."""

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
class Comparison:
    """What the replicates say of teams that are given best first. Lists are one entry per team; None without
    replicates."""

    pairs: tuple[Pair, ...]
    rank_intervals: list[list[float]] | None = None
    tied_for_first: list[bool] | None = None
    shares_won: list[float] | None = None
    rank_shares: list[list[float]] | None = None
    critical_value: float | None = None
    stability: dict | None = None
    winner_optimism: float | None = None
    resolvable_gap: dict | None = None


def compare(scores: Sequence[float], replicates: np.ndarray, n_units: int) -> Comparison:
    """Compare teams, in the order of their places. scores [A]; replicates [A, B] of the scores on the same
    resampled test sets, NaN where undefined."""
    scores = np.asarray(scores, float)
    first, second = np.triu_indices(len(scores), 1)
    if not replicates.shape[1] or n_units < 2:
        return Comparison(
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
    return Comparison(
        tested(_pairs(first, second, spread, reach, separated), _student(spread, apart, n_units)),
        [[1 + int(better[:, i].sum()), len(scores) - int(better[i].sum())] for i in range(len(scores))],
        [not better[:, i].any() for i in range(len(scores))],
        *_shares(together),
        critical,
        _stability(scores, together),
        _winner_optimism(scores, together),
        None if critical is None else _resolvable_gap(float(np.median(varying)), critical, n_units),
    )


def tested(pairs: Sequence[Pair], p_values: Sequence[float]) -> tuple[Pair, ...]:
    """The pairs with these p-values [P], and Holm's over all of them."""
    adjusted = holm(p_values)
    return tuple(
        replace(pair, p_value=float(p), p_adjusted=float(held))
        for pair, p, held in zip(pairs, p_values, adjusted, strict=True)
    )


@dataclass(frozen=True)
class _Spread:
    """How far the pairs' differences [P] move over the replicates: standard errors [P], infinite where fewer
    than two replicates tell; percentile intervals; and the largest |d* - d| / se over the pairs [B'] in the
    replicates in which all teams have a score, None where no pair varies."""

    differences: np.ndarray
    errors: np.ndarray
    intervals: list[list[float] | None]
    largest: np.ndarray | None


def _spread(scores: np.ndarray, replicates: np.ndarray, first: np.ndarray, second: np.ndarray) -> _Spread:
    differences = scores[first] - scores[second]
    complete = ~np.isnan(replicates).any(0)
    errors, found, largest = np.zeros(len(first)), [], None
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


def _moments(drawn: np.ndarray) -> tuple[np.ndarray, list[list[float] | None]]:
    """Standard errors and percentile intervals of rounded differences [P, B], NaN where undefined; an error
    below 1e-12 is none."""
    if np.isnan(drawn).any():
        parts = [row[~np.isnan(row)] for row in drawn]
        errors = np.array([np.std(row, ddof=1) if len(row) > 1 else np.inf for row in parts])
        ends = [intervals.percentile(row) for row in drawn]
    else:
        errors = np.std(drawn, axis=1, ddof=1) if drawn.shape[1] > 1 else np.full(len(drawn), np.inf)
        ends = np.quantile(drawn, intervals.QUANTILES, axis=1).T.tolist()
    return np.where(errors < NO_SPREAD, 0.0, errors), ends


def _student(spread: _Spread, apart: np.ndarray, n_units: int) -> np.ndarray:
    """p of each pair: 2 P(t > |d| / se); where nothing varies 0 for teams whose scores differ, else 1."""
    ratio = np.divide(
        np.abs(spread.differences), spread.errors, out=np.zeros(len(apart)), where=spread.errors > 0
    )
    return np.where(spread.errors > 0, 2 * scipy.special.stdtr(n_units - 1, -ratio), ~apart)


def _critical_value(spread: _Spread, n_units: int) -> float | None:
    """The 95 % quantile of the largest |d* - d| / se over pairs, widened as Student's t for few units; None
    without a pair that varies, and where it is beyond every number."""
    if spread.largest is None:
        return None
    beyond = scipy.special.ndtr(-np.quantile(spread.largest, LEVEL))
    found = -float(scipy.special.stdtrit(n_units - 1, beyond))
    return found if np.isfinite(found) else None


def _pairs(
    first: np.ndarray, second: np.ndarray, spread: _Spread, reach: np.ndarray, separated: np.ndarray
) -> list[Pair]:
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


def ranked(result: Comparison, places: np.ndarray) -> Comparison:
    """A comparison whose ranks are those of an order of its own: places [A, B] of the teams in each
    replicate.

    rank_intervals: 2.5 and 97.5 percentile of the place; shares_won counts first places, shared ones in
    parts.
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


def _shares(together: np.ndarray) -> tuple[list[float] | None, list[list[float]] | None]:
    """Share of replicates that each team wins (1/k where k share the highest score), and the share at each
    competition rank."""
    if not together.shape[1]:
        return None, None
    first = together == together.max(0)
    ranks = 1 + (together[None] > together[:, None]).sum(1)
    return (first / first.sum(0)).mean(1).tolist(), _shares_of_places(ranks)


def _shares_of_places(places: np.ndarray) -> list[list[float]]:
    """Share of the replicates in which each team has each place 1 ... A; places [A, B]."""
    return [(np.bincount(row, minlength=len(places) + 1)[1:] / len(row)).tolist() for row in places]


def _stability(scores: np.ndarray, together: np.ndarray) -> dict | None:
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


def _winner_optimism(scores: np.ndarray, together: np.ndarray) -> float | None:
    """By how much the best replicate score exceeds that team's own score, on average: the best of several was
    picked on these data."""
    if not together.shape[1]:
        return None
    first = together == together.max(0)
    own = (first * scores[:, None]).sum(0) / first.sum(0)
    return float(np.mean(together.max(0) - own))
