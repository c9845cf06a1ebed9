"""Ranking schemes: by scores, by one value per case, by weighted ranks of subtasks. Would another rule change
the order?

Everything is compared after rounding to 12 decimals, so that float noise makes no rank.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from scoring.metrics.classification import divide
from scoring.statistics.multiplicity import holm

DIGITS = 12
SCHEMES = ("mean_then_rank", "median_then_rank", "rank_then_mean", "rank_then_median", "test_then_rank")


def competition_ranks(
    scores: Sequence[float], higher_is_better: bool = True, tie_breaks: Sequence[Sequence[float]] = ()
) -> list[int]:
    """Ranks 1, 1, 3 of scores rounded to 12 decimals; equal ones by `tie_breaks` (further lists, higher
    better), else they share the rank."""
    sign = 1 if higher_is_better else -1
    keys = list(
        zip(
            np.round(sign * np.asarray(scores, float), DIGITS),
            *(np.round(np.asarray(t, float), DIGITS) for t in tie_breaks),
            strict=True,
        )
    )
    return [1 + sum(other > key for other in keys) for key in keys]


def ranks_along_teams(values: np.ndarray, average: bool = False) -> np.ndarray:
    """Twice the rank of each of values [A, ...] along the first axis, whole numbers: higher is better, NaN
    comes last.

    Equal values, after rounding to 12 decimals, share the smaller rank, or with `average` the mean of theirs.
    """
    rounded = np.where(np.isnan(values), -np.inf, np.round(values, DIGITS))
    better = (rounded[None] > rounded[:, None]).sum(1)
    return 2 * better + ((rounded[None] == rounded[:, None]).sum(1) + 1 if average else 2)


def weighted_ranks(
    scores: Sequence[Sequence[float]], weights: Sequence[float], *, higher_is_better: bool = True
) -> dict[str, list]:
    """Competition rank per subtask of scores [subtask][team]; totals = sum of weight x rank, smaller is
    better; ranks of the totals."""
    of_subtasks = [competition_ranks(row, higher_is_better) for row in scores]
    totals = (np.asarray(weights, float) @ np.asarray(of_subtasks, float)).tolist()
    return {
        "ranks": competition_ranks(totals, higher_is_better=False),
        "totals": totals,
        "subtask_ranks": of_subtasks,
    }


def leave_one_team_out(
    scores: Sequence[Sequence[float]], weights: Sequence[float], *, higher_is_better: bool = True
) -> list[dict]:
    """Who is first by weighted ranks if one team withdraws: for each team {"without": i, "first": [...]},
    indices of the full list."""
    found = []
    for left_out in range(len(scores[0])):
        others = [team for team in range(len(scores[0])) if team != left_out]
        ranks = weighted_ranks(
            [[row[team] for team in others] for row in scores], weights, higher_is_better=higher_is_better
        )["ranks"]
        found.append(
            {
                "without": left_out,
                "first": [team for team, rank in zip(others, ranks, strict=True) if rank == 1],
            }
        )
    return found


def kendall_tau(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Kendall's tau-b, -1..1, between scores [A] and each column of others [A, B]: [B]. NaN where one of the
    two orders nothing."""
    i, j = np.triu_indices(len(scores), 1)
    own, other = np.sign(scores[i] - scores[j]), np.sign(others[i] - others[j])
    return divide(own @ other, np.sqrt(np.abs(own).sum() * np.abs(other).sum(0)))


def rank_cases(
    values: Sequence[Sequence[float | None]],
    method: str,
    *,
    higher_is_better: bool = True,
    missing: float | None = None,
    alpha: float = 0.05,
    adjust: str = "holm",
) -> Mapping[str, list]:
    """Ranks of teams from one value per case, values [team][case], None or NaN = missing: {"ranks",
    "aggregate"}.

    method: one of `SCHEMES`. Missing values are replaced by `missing`, in `rank_then_...` they rank one after
    the worst value of their case. `test_then_rank`: aggregate = share of the other teams beaten by a
    one-sided paired Wilcoxon test with p <= alpha, adjusted ("holm" or "none") over all ordered pairs, as
    challengeR does. Raises ValueError: unknown method or adjustment, missing values and no replacement.
    """
    if method not in SCHEMES or adjust not in ("holm", "none"):
        raise ValueError(f"unknown method {method!r} or adjustment {adjust!r}")
    sign = 1 if higher_is_better else -1
    table = sign * np.array([[np.nan if v is None else v for v in row] for row in values], float)
    if method.startswith("rank_then"):
        ranks = ranks_along_teams(table) / 2
        lacking = np.isnan(table)
        ranks = np.where(lacking, np.max(ranks, axis=0, where=~lacking, initial=0) + 1, ranks)
        aggregate = np.round((np.mean if method.endswith("mean") else np.median)(ranks, axis=1), DIGITS)
        return {
            "ranks": competition_ranks(aggregate, higher_is_better=False),
            "aggregate": aggregate.tolist(),
        }
    if np.isnan(table).any():
        if missing is None:
            raise ValueError("values are missing: say what replaces them")
        table = np.where(np.isnan(table), sign * missing, table)
    if method == "test_then_rank":
        beaten = _beaten(table, alpha, adjust)
        return {"ranks": competition_ranks(beaten), "aggregate": beaten.tolist()}
    aggregate = np.round((np.mean if method.startswith("mean") else np.median)(table, axis=1), DIGITS)
    return {"ranks": competition_ranks(aggregate), "aggregate": (sign * aggregate).tolist()}


def _beaten(table: np.ndarray, alpha: float, adjust: str) -> np.ndarray:
    """Share of the other teams that each beats, from values [team, case], higher better."""
    n = len(table)
    ordered = [(a, b) for a in range(n) for b in range(n) if a != b]
    p = np.array([_one_sided(np.round(table[a] - table[b], DIGITS)) for a, b in ordered])
    if adjust == "holm" and len(p):
        p = holm(p)
    wins = np.zeros(n)
    for (a, _), value in zip(ordered, p, strict=True):
        wins[a] += value <= alpha
    return wins / max(1, n - 1)


def _one_sided(differences: np.ndarray) -> float:
    """p of the Wilcoxon signed-rank test for differences > 0: zeros dropped, normal approximation corrected
    for ties and continuity; 1 where all are 0."""
    if not differences.any():
        return 1.0
    return float(
        scipy.stats.wilcoxon(
            differences, zero_method="wilcox", correction=True, alternative="greater", method="asymptotic"
        ).pvalue
    )
