"""Teams compared on the same replicates: ranks, pairs, simultaneous groups, and how stable all of them are.

From 20 units on the swap test tells teams apart; the paired bootstrap does where it is asked for. Everything
is compared after rounding to 12 decimals, so that float noise makes no rank; written numbers stay unrounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.quantities import Better, Quantity
from scoring.statistics import intervals
from scoring.statistics.optimism import winner_optimism
from scoring.statistics.options import DIGITS, UNITS_OF_COMPARISON
from scoring.statistics.paired_bootstrap import PairTest, bootstrap_test, resolvable_gap
from scoring.statistics.paired_tests import holm
from scoring.statistics.permutation_test import Exchange, swap_test
from scoring.statistics.ranking import kendall_tau
from scoring.statistics.repeated_looks import corrected

AUTO, SWAP, BOOTSTRAP = "auto", "swap", "bootstrap"
EXCHANGES_OF_ERRORS = 200
"""Enough for a standard error within 5 %."""
PAIRS_TESTS = (AUTO, SWAP, BOOTSTRAP)
"""What can be chosen; `auto` is the swap test, which holds its level where the bootstrap does not."""


@dataclass(frozen=True)
class Pair:
    """Two teams compared. What needs replicates, and units enough, is None without them.

    Attributes:
        a: Index of the better placed team, which does not always have the higher score.
        b: Index of the other.
        difference: Score of a less score of b.
        interval: 95 % interval of the difference.
        standard_error: Of the difference; None where fewer than two replicates have it.
        p_value: Two-sided p-value of this pair alone, 0..1.
        p_adjusted: The same, adjusted for all pairs.
        simultaneous_interval: Interval of the difference; with 95 % confidence those of all pairs hold.
        separated: Whether the two are told apart.
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
        tied_for_first: Whether each team could be first: no other is certainly better, or in another order
            than by score its range of places begins with the first.
        shares_won: Share of the replicates that each team wins, 0..1; shared wins count in parts.
        rank_shares: Share of the replicates in which each team has each rank 1..A.
        critical_value: Standard errors by which a pair has to differ to be separated.
        stability: Kendall's tau-b between the ranking and those of the replicates: `kendall_tau_mean` and
            `kendall_tau_interval`.
        winner_optimism: By how much the winner's score is too good on average, because the best of several
            was picked; None where units are too few or nobody is tied with it.
        resolvable_gap: See `paired_bootstrap.resolvable_gap`.
        test: Which test told teams apart: "swap", "bootstrap" or None.
        p_best: p-value of each team being the best, adjusted for the A - 1 others; None without a swap test.
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
    test: str | None = None
    p_best: list[float] | None = None


def compare(
    scores: ArrayLike,
    replicates: Floats,
    n_units: int,
    exchange: Exchange | None = None,
    pairs_test: str = AUTO,
    better: Better = "higher",
    submissions: int = 0,
    left_out: Floats | None = None,
    width: float = 1.0,
) -> ReplicateComparison:
    """Compare teams by their scores on the same replicates.

    Args:
        scores: Score of each team [A], in the order of their places.
        replicates: Scores of the teams on the same resampled test sets [A, B], NaN where undefined.
        n_units: Number of units that are resampled.
        exchange: What the scores are made of, for the swap test.
        pairs_test: One of `PAIRS_TESTS`.
        better: Direction of the scores; differences are first less second in any case.
        submissions: How many were looked at so far, from which those of the teams were chosen; 0: these.
        left_out: Scores of the teams without each unit [A, n], for intervals of differences that no test
            gives; None: the replicates are taken.
        width: How far the limits of the scores lie apart, infinite where there are none.

    Returns:
        Pairs, ranks and how stable they are; only the pairs' differences without replicates, or with one
        unit. What tells teams apart is None with fewer than 20 units, and where the swap test cannot be made.
    """
    scores, sign = np.asarray(scores, float), Quantity(better).sign
    if not replicates.shape[1] or n_units < 2:
        return ReplicateComparison(_untested(scores))
    together = np.round(replicates[:, ~np.isnan(replicates).any(0)], DIGITS)
    shares_won, rank_shares = _shares(sign * together)
    described = ReplicateComparison(
        _untested(scores),
        shares_won=shares_won,
        rank_shares=rank_shares,
        stability=_stability(scores, together),
    )
    if len(scores) == 1:
        return replace(described, rank_intervals=[[1, 1]], tied_for_first=[True])
    test, name = _test(scores, replicates, n_units, exchange, pairs_test, better)
    exchange = exchange if name == SWAP else None
    if test is None:
        pairs = _with_intervals(described.pairs, replicates, left_out, n_units, width)
        return replace(described, pairs=pairs)
    first, second = np.triu_indices(len(scores), 1)
    test = corrected(test, scores[first] - scores[second], n_units, submissions)
    beats = _better(sign * scores, test.separated)
    tied = np.logical_not(beats.any(0))
    return replace(
        described,
        test=name,
        pairs=_pairs(scores, test),
        rank_intervals=[
            [1 + int(n), len(scores) - int(m)] for n, m in zip(beats.sum(0), beats.sum(1), strict=True)
        ],
        tied_for_first=[bool(is_tied) for is_tied in tied],
        critical_value=test.critical_value,
        winner_optimism=winner_optimism(
            sign * scores, sign * together, tied, _square(_seen(test, scores, exchange), len(scores)), n_units
        ),
        resolvable_gap=resolvable_gap(test, n_units),
        p_best=None if test.p_best is None else test.p_best.tolist(),
    )


def _test(
    scores: Floats,
    replicates: Floats,
    n_units: int,
    exchange: Exchange | None,
    pairs_test: str,
    better: Better,
) -> tuple[PairTest | None, str | None]:
    """Return the chosen test and its name, both None where it cannot be made."""
    if n_units < UNITS_OF_COMPARISON:
        return None, None
    if pairs_test == BOOTSTRAP:
        return bootstrap_test(scores, replicates, n_units), BOOTSTRAP
    test = None if exchange is None else swap_test(scores, exchange, replicates.shape[1], better)
    return test, None if test is None else SWAP


def _seen(test: PairTest, scores: Floats, exchange: Exchange | None) -> Floats:
    """Return the standard errors of a test [P] without the chance that a swap test adds to rare categories:
    that keeps claims from being wrong, and no noise of a leader is so large on average."""
    if exchange is None or exchange.categories is None:
        return test.errors
    plain = swap_test(scores, replace(exchange, categories=None), EXCHANGES_OF_ERRORS)
    return test.errors if plain is None else plain.errors


def _better(scores: Floats, separated: Bools) -> Bools:
    """Return whether team i is certainly better than team j [A, A]; scores [A], larger is better."""
    first, second = np.triu_indices(len(scores), 1)
    better = np.zeros((len(scores), len(scores)), bool)
    better[first, second] = separated & (scores[first] > scores[second])
    better[second, first] = separated & (scores[first] < scores[second])
    return better


def _square(values: Floats, teams: int) -> Floats:
    """Values of pairs [P] as a symmetric matrix [A, A]."""
    matrix = np.zeros((teams, teams))
    matrix[np.triu_indices(teams, 1)] = values
    return matrix + matrix.T


def _untested(scores: Floats) -> tuple[Pair, ...]:
    first, second = np.triu_indices(len(scores), 1)
    return tuple(
        Pair(int(a), int(b), float(scores[a] - scores[b])) for a, b in zip(first, second, strict=True)
    )


def _with_intervals(
    pairs: tuple[Pair, ...], replicates: Floats, left_out: Floats | None, n_units: int, width: float
) -> tuple[Pair, ...]:
    """Give pairs that no test can tell apart their standard errors and intervals, from 20 units on."""
    if n_units < UNITS_OF_COMPARISON:
        return pairs
    result = []
    for pair in pairs:
        drawn = np.round(replicates[pair.a] - replicates[pair.b], DIGITS)
        if np.isnan(drawn).mean() > 0.5:
            result.append(pair)
            continue
        both = None if left_out is None else (left_out[pair.a], left_out[pair.b])
        estimate = intervals.estimated_difference(pair.difference, drawn, both, n_units)
        ends = intervals.difference_t(estimate, width)
        error = None if ends is None else float(np.sqrt(estimate.variance))
        result.append(replace(pair, interval=ends, standard_error=error))
    return tuple(result)


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


def _pairs(scores: Floats, test: PairTest) -> tuple[Pair, ...]:
    first, second = np.triu_indices(len(scores), 1)
    differences = scores[first] - scores[second]
    ends = np.column_stack([differences - test.reach, differences + test.reach]).tolist()
    columns = (first, second, differences, test.errors, test.p_values, test.p_adjusted, test.separated)
    return tuple(
        Pair(
            a,
            b,
            difference,
            test.intervals[i],
            error if np.isfinite(error) else None,
            p_value,
            p_adjusted,
            simultaneous_interval=ends[i] if np.isfinite(ends[i][1]) else None,
            separated=separated,
        )
        for i, (a, b, difference, error, p_value, p_adjusted, separated) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        )
    )


def ranked(result: ReplicateComparison, places: Ints) -> ReplicateComparison:
    """Replace the ranks of a comparison by places that another rule gives.

    Args:
        result: The comparison of the same teams.
        places: Place of each team in each replicate [A, B], from 1.

    Returns:
        The comparison with `rank_intervals` (2.5 and 97.5 percentile of the place) and `tied_for_first`
        (whether that begins with the first place), both None where units are too few; `shares_won` (first
        places, shared ones in parts) and `rank_shares` of these places.
    """
    if not places.shape[1]:
        return replace(result, rank_intervals=None, tied_for_first=None, shares_won=None, rank_shares=None)
    ends = np.quantile(places, intervals.QUANTILES, axis=1).T.tolist()
    first = places == 1
    enough = result.rank_intervals is not None
    return replace(
        result,
        rank_intervals=[[int(end) if end == int(end) else end for end in pair] for pair in ends]
        if enough
        else None,
        tied_for_first=[low == 1 for low, _ in ends] if enough else None,
        shares_won=(first / first.sum(0)).mean(1).tolist(),
        rank_shares=_shares_of_places(places),
        p_best=None,
    )


def _shares(together: Floats) -> tuple[list[float] | None, list[list[float]] | None]:
    """Return the share of replicates [A, B], larger is better, that each team wins (1/k where k share the
    best score), and the share at each competition rank."""
    if not together.shape[1]:
        return None, None
    first = together == together.max(0)
    ranks = 1 + (together[None] > together[:, None]).sum(1)
    return (first / first.sum(0)).mean(1).tolist(), _shares_of_places(ranks)


def _shares_of_places(places: Ints) -> list[list[float]]:
    """Return the share of the replicates in which each team has each place 1 ... A; places [A, B]."""
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
