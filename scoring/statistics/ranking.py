"""Rank teams by their scores or case by case, with ties; Kendall's tau between two orders.

Groups of teams that the test cannot separate: `scoring.comparison.many_teams.groups`; stability of ranks over
replicates: `replicate_comparison.compare`.

All values are rounded to 12 decimals before comparison, so that float noise does not change ranks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Floats, Numbers
from scoring.statistics.interval_options import DIGITS
from scoring.statistics.mcnemar_delong_wilcoxon import holm, wilcoxon

SCHEMES = ("mean_then_rank", "median_then_rank", "rank_then_mean", "rank_then_median", "test_then_rank")


def competition_ranks(
    scores: ArrayLike, higher_is_better: bool = True, tie_breaks: Sequence[ArrayLike] = ()
) -> list[int]:
    """Rank scores as in a competition: equal scores share the better rank (1, 1, 3).

    Args:
        scores: Score of each team [A].
        tie_breaks: Further values of each team [A], higher is better, which order teams with equal scores.

    Returns:
        Rank of each team, from 1.

    Example:
        >>> competition_ranks([0.7, 0.9, 0.9])
        [3, 1, 1]
    """
    sign = 1 if higher_is_better else -1
    keys = list(
        zip(
            np.round(sign * np.asarray(scores, float), DIGITS).tolist(),
            *(np.round(np.asarray(t, float), DIGITS).tolist() for t in tie_breaks),
            strict=True,
        )
    )
    rank_of: dict[tuple[float, ...], int] = {}
    for rank, key in enumerate(sorted(keys, reverse=True), 1):
        rank_of.setdefault(key, rank)
    return [rank_of[key] for key in keys]


def ranks_along_teams(values: Floats, ties: str = "min") -> Floats:
    """Rank values along the first axis.

    Args:
        values: Values of A teams [A, ...], higher is better; NaN comes last.
        ties: Rank of equal values, as in `scipy.stats.rankdata`: "min", "average" and so on.

    Returns:
        The rank of each value, 1 for the best, in an array of the same shape.
    """
    rounded = np.where(np.isnan(values), -np.inf, np.round(values, DIGITS))
    return np.asarray(scipy.stats.rankdata(-rounded, cast(Any, ties), axis=0), float)


def kendall_tau(scores: Numbers, others: Numbers) -> Floats:
    """Return Kendall's tau-b between one order of the teams and each of several others.

    Args:
        scores: Scores or ranks of the teams [A].
        others: Scores or ranks of the same teams [A, B].

    Returns:
        Tau-b [B], -1..1; NaN if all teams are equal in one of the two orders.
    """
    order = np.argsort(scores, kind="stable")
    own, ranks, unequal = scores[order], np.empty(others.shape, np.int32), np.empty(others.shape[1])
    for b, column in enumerate(others[order].T):
        _, ranks[:, b], counts = np.unique(column, return_inverse=True, return_counts=True)
        unequal[b] = (len(column) ** 2 - (counts**2).sum()) / 2
    concordance, above = np.zeros(others.shape[1]), np.searchsorted(own, own, "right")
    for row, place in zip(ranks, above, strict=True):
        concordance += np.sign(ranks[place:] - row).sum(0)
    pairs = np.sqrt((len(own) - above).sum() * unequal)
    out: Floats = np.full(concordance.shape, np.nan)
    np.divide(concordance, pairs, out=out, where=pairs != 0)
    return out


def rank_cases(
    values: Sequence[Sequence[float | None]],
    method: str,
    *,
    higher_is_better: bool = True,
    missing: float | None = None,
    alpha: float = 0.05,
    adjust: str = "holm",
) -> Mapping[str, list[Any]]:
    """Rank teams by one value per case, with a scheme of challengeR (Wiesenfarth et al. 2021).

    Args:
        values: Value of each team for each case, [team][case]; None or NaN if missing.
        method: One of `SCHEMES`. "test_then_rank" ranks teams by the number of teams that they beat in
            one-sided paired Wilcoxon tests over the cases.
        missing: Replacement of a missing value. The `rank_then_...` schemes need none: a missing value ranks
            after the worst value of its case.
        alpha: Level of the tests, 0..1.
        adjust: Adjustment of the tests over all ordered pairs, "holm" or "none".

    Returns:
        `ranks`: competition rank of each team. `aggregate`: the value by which the team is ranked; for
        "test_then_rank", the share of other teams that the team beats.

    Raises:
        ValueError: If the method or adjustment is unknown, or if values are missing and not replaced.
    """
    if method not in SCHEMES or adjust not in ("holm", "none"):
        raise ValueError(f"unknown method {method!r} or adjustment {adjust!r}")
    sign = 1 if higher_is_better else -1
    table = sign * np.array([[np.nan if v is None else v for v in row] for row in values], float)
    if method.startswith("rank_then"):
        ranks = ranks_along_teams(table)
        lacking = np.isnan(table)
        ranks = np.where(lacking, np.max(ranks, axis=0, where=~lacking, initial=0) + 1, ranks)
        aggregate = _center(ranks, method.endswith("mean"))
        return {
            "ranks": competition_ranks(aggregate, higher_is_better=False),
            "aggregate": aggregate.tolist(),
        }
    if np.isnan(table).any():
        if missing is None:
            raise ValueError("values are missing: give their replacement in `missing`")
        table = np.where(np.isnan(table), sign * missing, table)
    if method == "test_then_rank":
        beaten = _beaten(table, alpha, adjust)
        return {"ranks": competition_ranks(beaten), "aggregate": beaten.tolist()}
    aggregate = _center(table, method.startswith("mean"))
    return {"ranks": competition_ranks(aggregate), "aggregate": (sign * aggregate).tolist()}


def _center(values: Floats, mean: bool) -> Floats:
    """Mean or median of values [team, case] over the cases, rounded."""
    center: Floats = np.mean(values, axis=1) if mean else np.median(values, axis=1)
    return np.round(center, DIGITS)


def _beaten(table: Floats, alpha: float, adjust: str) -> Floats:
    """Return the share of the other teams that each beats, from values [team, case], higher better."""
    n = len(table)
    ordered = [(a, b) for a in range(n) for b in range(n) if a != b]
    p: Floats = np.array([wilcoxon(table[a], table[b], "greater") for a, b in ordered])
    if adjust == "holm" and len(p):
        p = holm(p)
    wins = np.zeros(n)
    for (a, _), value in zip(ordered, p, strict=True):
        wins[a] += value <= alpha
    return wins / max(1, n - 1)
