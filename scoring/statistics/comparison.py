"""Teams compared on the same replicates: ranks, pairs, simultaneous groups, and how stable all of it is.

Definitions: paired bootstrap t for pairs, Holm over all pairs, max-t for groups that hold at once. Everything is compared after rounding to 12
decimals, so that float noise makes no rank; written numbers stay unrounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.stats

from scoring.statistics import intervals
from scoring.statistics.ranking import DIGITS

NO_SPREAD = 1e-12
LEVEL = 0.95


@dataclass(frozen=True)
class Pair:
    """Team a against team b (indices, a better placed, which is not always the higher score): difference of scores, its percentile interval, standard error and tests; None without replicates."""

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
    """What the replicates say of teams that are given best first. Lists are one entry per team; None without replicates."""

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
    """Compare teams, in the order of their places. scores [A]; replicates [A, B] of the scores on the same resampled test sets, NaN where undefined."""
    scores = np.asarray(scores, float)
    bare = [Pair(i, j, float(scores[i] - scores[j])) for i in range(len(scores)) for j in range(i + 1, len(scores))]
    if not replicates.shape[1] or n_units < 2:
        return Comparison(tuple(bare))
    together = np.round(replicates[:, ~np.isnan(replicates).any(0)], DIGITS)
    pairs = [_tested(pair, replicates, n_units) for pair in bare]
    critical = _critical_value(pairs, replicates, n_units)
    pairs = _adjusted([_grouped(pair, critical) for pair in pairs])
    better = np.zeros((len(scores), len(scores)), bool)
    for pair in pairs:
        better[pair.a, pair.b] = bool(pair.separated) and pair.difference > 0
        better[pair.b, pair.a] = bool(pair.separated) and pair.difference < 0
    errors = [p.standard_error for p in pairs if p.standard_error]
    middle = float(np.median(errors)) if errors else None
    return Comparison(
        tuple(pairs),
        [[1 + int(better[:, i].sum()), len(scores) - int(better[i].sum())] for i in range(len(scores))],
        [not better[:, i].any() for i in range(len(scores))],
        *_shares(together),
        critical,
        _stability(scores, together),
        _winner_optimism(scores, together),
        None
        if middle is None or critical is None
        else {"one_pair": float(scipy.stats.t.ppf((1 + LEVEL) / 2, n_units - 1)) * middle, "all_pairs": critical * middle},
    )


def _differences(pair: Pair, replicates: np.ndarray) -> np.ndarray:
    """Rounded replicate differences [B], NaN where either score is undefined."""
    return np.round(replicates[pair.a] - replicates[pair.b], DIGITS)


def _tested(pair: Pair, replicates: np.ndarray, n_units: int) -> Pair:
    drawn = _differences(pair, replicates)
    drawn = drawn[~np.isnan(drawn)]
    error = float(np.std(drawn, ddof=1)) if len(drawn) > 1 else 0.0
    error = 0.0 if error < NO_SPREAD else error
    apart = round(abs(pair.difference), DIGITS) > 0
    p = float(2 * scipy.stats.t.sf(abs(pair.difference) / error, n_units - 1)) if error else float(not apart)
    return Pair(pair.a, pair.b, pair.difference, intervals.percentile(drawn), error, p)


def _critical_value(pairs: Sequence[Pair], replicates: np.ndarray, n_units: int) -> float | None:
    """The 95 % quantile of the largest |d* - d| / se over pairs, widened as Student's t for few units; None without a pair that varies."""
    kept = replicates[:, ~np.isnan(replicates).any(0)]
    varying = [p for p in pairs if p.standard_error]
    if not varying or not kept.shape[1]:
        return None
    largest = np.max([np.abs(_differences(p, kept) - p.difference) / p.standard_error for p in varying], axis=0)
    return float(scipy.stats.t.isf(scipy.stats.norm.sf(np.quantile(largest, LEVEL)), n_units - 1))


def _grouped(pair: Pair, critical: float | None) -> Pair:
    reach = (critical or 0.0) * pair.standard_error
    separated = abs(pair.difference) > reach if pair.standard_error else round(abs(pair.difference), DIGITS) > 0
    return Pair(
        pair.a, pair.b, pair.difference, pair.interval, pair.standard_error, pair.p_value,
        simultaneous_interval=[pair.difference - reach, pair.difference + reach], separated=bool(separated),
    )  # fmt: skip


def _adjusted(pairs: Sequence[Pair]) -> list[Pair]:
    """With Holm's p over all pairs."""
    from statsmodels.stats.multitest import multipletests  # takes a second to import

    adjusted = multipletests([p.p_value for p in pairs], method="holm")[1] if pairs else []
    return [Pair(**{**vars(pair), "p_adjusted": float(p)}) for pair, p in zip(pairs, adjusted, strict=True)]


def ranked(result: Comparison, places: np.ndarray) -> Comparison:
    """A comparison whose ranks are those of an order of its own: places [A, B] of the teams in each replicate.

    rank_intervals: 2.5 and 97.5 percentile of the place; shares_won counts first places, shared ones in parts.
    """
    if not places.shape[1]:
        return replace(result, rank_intervals=None, shares_won=None, rank_shares=None)
    ends = np.quantile(places, intervals.QUANTILES, axis=1).T.tolist()
    first = places == 1
    return replace(
        result,
        rank_intervals=[[int(end) if end == int(end) else end for end in pair] for pair in ends],
        shares_won=(first / first.sum(0)).mean(1).tolist(),
        rank_shares=[[float((row == rank).mean()) for rank in range(1, len(places) + 1)] for row in places],
    )


def _shares(together: np.ndarray) -> tuple[list[float] | None, list[list[float]] | None]:
    """Share of replicates that each team wins (1/k where k share the highest score), and the share at each competition rank."""
    teams, drawn = together.shape
    if not drawn:
        return None, None
    first = together == together.max(0)
    ranks = 1 + (together[None] > together[:, None]).sum(1)
    return (first / first.sum(0)).mean(1).tolist(), [[float((row == rank).mean()) for rank in range(1, teams + 1)] for row in ranks]


def _stability(scores: np.ndarray, together: np.ndarray) -> dict | None:
    """Kendall's tau-b between the scores and each replicate's; None for one team or where it is undefined throughout."""
    i, j = np.triu_indices(len(scores), 1)
    rounded = np.round(scores, DIGITS)
    point, drawn = np.sign(rounded[i] - rounded[j]), np.sign(together[i] - together[j])
    spread = np.sqrt(np.abs(point).sum() * np.abs(drawn).sum(0))
    if not spread.any():
        return None
    tau = (point @ drawn)[spread > 0] / spread[spread > 0]
    return {"kendall_tau_mean": float(tau.mean()), "kendall_tau_interval": [float(v) for v in np.quantile(tau, intervals.QUANTILES)]}


def _winner_optimism(scores: np.ndarray, together: np.ndarray) -> float | None:
    """By how much the best replicate score exceeds that team's own score, on average: the best of several was picked on these data."""
    if not together.shape[1]:
        return None
    first = together == together.max(0)
    own = (first * scores[:, None]).sum(0) / first.sum(0)
    return float(np.mean(together.max(0) - own))
