"""Teams compared on the same replicates: differences of pairs, ranks and their stability.

With at least 20 units, the swap test (or, on request, the paired bootstrap) decides which teams differ.
Comparisons round to 12 decimals, so that float noise does not change ranks; stored numbers are not rounded.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.statistics import intervals
from scoring.statistics.interval_options import DIGITS, UNITS_OF_COMPARISON
from scoring.statistics.optimism import winner_optimism
from scoring.statistics.paired_bootstrap import LEVEL, PairTest, bootstrap_test, corrected
from scoring.statistics.permutation_test import Exchange, swap_errors, swap_test
from scoring.statistics.ranking import kendall_tau, ranks_along_teams
from scoring.statistics.team_pairs import Pairs, of_test, untested, with_intervals

POWER = 0.8


def resolvable_gap(test: PairTest, n_units: int) -> dict[str, float] | None:
    """Return the true differences that a test set of this size detects with a power of 50 % and 80 %, for a
    pair with the median standard error.

    Args:
        test: The test of all pairs.

    Returns:
        `one_pair`: the difference detected in half of the test sets, if one pair was chosen beforehand.
        `all_pairs`: the same if all pairs are tested. `one_pair_80`, `all_pairs_80`: detected in four of
        five. None if no difference varies.
    """
    varying = test.errors[(test.errors > 0) & np.isfinite(test.errors)]
    if test.critical_value is None or not len(varying):
        return None
    error, more = float(np.median(varying)), float(scipy.special.stdtrit(n_units - 1, POWER))
    single = float(scipy.special.stdtrit(n_units - 1, (1 + LEVEL) / 2))
    return {
        "one_pair": single * error,
        "all_pairs": test.critical_value * error,
        "one_pair_80": (single + more) * error,
        "all_pairs_80": (test.critical_value + more) * error,
    }


AUTO, SWAP, BOOTSTRAP = "auto", "swap", "bootstrap"
EXCHANGES_OF_ERRORS = 200
"""Number of exchanges that estimates a standard error with an error of at most 5 %."""
PAIRS_TESTS = (AUTO, SWAP, BOOTSTRAP)
"""Tests that users can choose; `auto` is the swap test, because the bootstrap can exceed its error level."""


@dataclass(frozen=True)
class Resampled:
    """Scores of teams on the same resampled test sets.

    Attributes:
        replicates: Score of each team on each replicate [A, B], NaN if undefined.
        left_out: Score of each team with each unit left out in turn [A, n], for intervals of differences
            without a test; None: the replicates are used.
    """

    replicates: Floats
    n_units: int
    left_out: Floats | None = None


@dataclass(frozen=True)
class ReplicateComparison:
    """Teams compared on replicates.

    Lists have one entry per team. Values that need replicates are None if there are no replicates.

    Attributes:
        rank_intervals: Best and worst rank of each team.
        tied_for_first: Whether each team could be first: no other team is shown to be better. If another rule
            than the score ranks the teams: the team's rank interval starts at 1.
        shares_won: Share of the replicates in which each team has the best score, 0..1; teams with equal
            scores divide the replicate.
        rank_shares: Share of the replicates in which each team has each rank 1..A.
        critical_value: Number of standard errors by which two teams must differ to be called different.
        stability: Kendall's tau-b between the ranking on the test set and on each replicate:
            `kendall_tau_mean`, `kendall_tau_interval`.
        winner_optimism: By how much the winner's score is too good on average, because the best of several
            teams was selected. None with too few units, or if no team is tied with the winner.
        resolvable_gap: See the function `resolvable_gap`.
        test: Name of the test: "swap", "bootstrap" or None.
        p_best: p-value of the test of each team against the best of the others, adjusted for the A - 1
            others; None without a swap test.
    """

    pairs: Pairs
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
    resampled: Resampled,
    exchange: Exchange | None = None,
    pairs_test: str = AUTO,
    quantity: Quantity = SHARE,
    submissions: int = 0,
) -> ReplicateComparison:
    """Compare teams by their scores on the same replicates.

    Args:
        scores: Score of each team [A], in the order of their ranks.
        exchange: Input of the swap test: the parts of the scores by unit.
        pairs_test: One of `PAIRS_TESTS`.
        quantity: Direction and range of the scores; differences are always first minus second.
        submissions: Number of all submissions scored so far, from which these teams were chosen; 0: there
            were only these.

    Returns:
        Pairs, ranks and their stability. Without replicates, or with one unit, only the differences of the
        pairs. Test results are None with fewer than 20 units, and if the swap test is impossible.
    """
    scores, pairs = np.asarray(scores, float), untested(np.asarray(scores, float))
    replicates, n_units = resampled.replicates, resampled.n_units
    if not replicates.shape[1] or n_units < 2:
        return ReplicateComparison(pairs)
    together = np.round(replicates[:, ~np.isnan(replicates).any(0)], DIGITS)
    shares_won, rank_shares = _shares(quantity.sign * together)
    described = ReplicateComparison(
        pairs, shares_won=shares_won, rank_shares=rank_shares, stability=_stability(scores, together)
    )
    if len(scores) == 1:
        return replace(described, rank_intervals=[[1, 1]], tied_for_first=[True])
    test, name = _test(scores, resampled, exchange, pairs_test, quantity)
    if test is None:
        if n_units >= UNITS_OF_COMPARISON:
            pairs = with_intervals(pairs, replicates, resampled.left_out, n_units, np.ptp(quantity.range))
        return replace(described, pairs=pairs)
    test = corrected(test, pairs.difference, n_units, submissions)
    beats = _better(quantity.sign * scores, test.separated)
    tied = np.logical_not(beats.any(0))
    errors = _seen(test, scores, exchange if name == SWAP else None, tied)
    return replace(
        described,
        test=name,
        pairs=of_test(scores, test),
        rank_intervals=[
            [1 + int(n), len(scores) - int(m)] for n, m in zip(beats.sum(0), beats.sum(1), strict=True)
        ],
        tied_for_first=tied.tolist(),
        critical_value=test.critical_value,
        winner_optimism=winner_optimism(
            quantity.sign * scores, quantity.sign * together, tied, _square(errors, len(scores)), n_units
        ),
        resolvable_gap=resolvable_gap(test, n_units),
        p_best=None if test.p_best is None else test.p_best.tolist(),
    )


def _test(
    scores: Floats, resampled: Resampled, exchange: Exchange | None, pairs_test: str, quantity: Quantity
) -> tuple[PairTest | None, str | None]:
    """Return the chosen test and its name, both None if it cannot be made."""
    if resampled.n_units < UNITS_OF_COMPARISON:
        return None, None
    replicates = resampled.replicates
    if pairs_test == BOOTSTRAP:
        return bootstrap_test(scores, replicates, resampled.n_units), BOOTSTRAP
    drawn = replicates.shape[1]
    test = None if exchange is None else swap_test(scores, exchange, drawn, quantity.better)
    return test, None if test is None else SWAP


def _seen(test: PairTest, scores: Floats, exchange: Exchange | None, tied: Bools) -> Floats:
    """Return the standard errors of a test [P] without the variance that a swap test adds for rare
    categories. With this variance, the leader's noise would be estimated too large. `tied` marks the teams
    [A] whose pairs are needed."""
    if exchange is None or exchange.categories is None:
        return test.errors
    plain = swap_errors(scores, replace(exchange, categories=None), EXCHANGES_OF_ERRORS, tied)
    return test.errors if plain is None else plain


def _better(scores: Floats, separated: Bools) -> Bools:
    """Return whether team i is certainly better than team j [A, A]; scores [A], larger is better."""
    first, second = np.triu_indices(len(scores), 1)
    better = np.zeros((len(scores), len(scores)), bool)
    better[first, second] = separated & (scores[first] > scores[second])
    better[second, first] = separated & (scores[first] < scores[second])
    return better


def _square(values: Floats, teams: int) -> Floats:
    """Return the values of pairs [P] as a symmetric matrix [A, A]."""
    matrix = np.zeros((teams, teams))
    matrix[np.triu_indices(teams, 1)] = values
    return matrix + matrix.T


def ranked(result: ReplicateComparison, places: Ints) -> ReplicateComparison:
    """Replace the ranks by score in a comparison by the ranks of another rule.

    Args:
        result: The comparison of the same teams.
        places: Rank of each team in each replicate [A, B], from 1.

    Returns:
        The comparison with `rank_intervals` (2.5 and 97.5 percentile of the rank), `tied_for_first` (whether
        that interval starts at 1), `shares_won` (share of first ranks; tied teams divide it) and
        `rank_shares`. The first two are None with too few units.
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
    """Return the share of replicates in which each team has the best score, and in which it has each rank. If
    k teams have the best score, each counts 1/k. `together`: scores [A, B], larger is better."""
    if not together.shape[1]:
        return None, None
    first = together == together.max(0)
    return (first / first.sum(0)).mean(1).tolist(), _shares_of_places(ranks_along_teams(together).astype(int))


def _shares_of_places(places: Ints) -> list[list[float]]:
    """Return the share of the replicates in which each team has each place 1 ... A; places [A, B]."""
    # One float object per distinct share: with 1,000 teams, the result has a million entries.
    shares = (np.arange(places.shape[1] + 1) / places.shape[1]).tolist()
    counts = (np.bincount(row, minlength=len(places) + 1)[1:].tolist() for row in places)
    return [[shares[count] for count in row] for row in counts]


def _stability(scores: Floats, together: Floats) -> dict[str, Any] | None:
    """Return Kendall's tau-b between the scores on the test set and on each replicate; None with one team, or
    if tau is undefined in all replicates."""
    tau = kendall_tau(np.round(scores, DIGITS), together)
    tau = tau[~np.isnan(tau)]
    if not len(tau):
        return None
    return {
        "kendall_tau_mean": float(tau.mean()),
        "kendall_tau_interval": [float(v) for v in np.quantile(tau, intervals.QUANTILES)],
    }
