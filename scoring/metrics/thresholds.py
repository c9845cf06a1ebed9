"""Cutting a score at another threshold than 0.5: what every cut gives, the best ones, honestly estimated, and scores folded so that
0.5 cuts there."""

from collections.abc import Sequence

import numpy as np

from scoring.metrics.binary import Decisions, f_beta

HALF = 0.5
FOLDS = 5
MOST_DECIMALS = 12


def candidates(scores: np.ndarray) -> np.ndarray:
    """The thresholds worth trying, ascending: midpoints between successive distinct scores [N], and 0.5."""
    distinct = np.unique(scores)
    return np.unique(np.r_[HALF, (distinct[1:] + distinct[:-1]) / 2])


def sweep(
    scores: np.ndarray, positive: np.ndarray, weights: np.ndarray, cuts: np.ndarray, inclusive: bool = False
) -> Decisions:
    """Weighted counts [T] where "score > cut" decides (`inclusive`: "score >= cut"). scores, weights float
    [N], positive bool [N], cuts [T] in any order."""
    order = np.argsort(scores, kind="stable")
    place = np.searchsorted(scores[order], cuts, "left" if inclusive else "right")
    below, total = [], []
    for members in (positive, ~positive):
        sums = np.r_[0, np.cumsum(np.where(members, weights, 0)[order])]
        below.append(sums[place])
        total.append(sums[-1])
    return Decisions(total[0] - below[0], total[1] - below[1], below[0], below[1])


def best(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray, inclusive: bool = False) -> float:
    """The candidate with the highest F1 on these very cases; among equals (to 12 decimals) the one nearest to
    0.5."""
    cuts = candidates(scores)
    reached = np.round(f_beta(sweep(scores, positive, weights, cuts, inclusive), 1), MOST_DECIMALS)
    equals = cuts[reached == reached.max()]
    return float(equals[np.argmin(np.abs(equals - HALF))])


def decided(scores: np.ndarray, cuts: np.ndarray, inclusive: bool = False) -> np.ndarray:
    """Which scores [N, K] are positive at cuts [K] or [N, K]."""
    return scores >= cuts if inclusive else scores > cuts


def folds(labels: np.ndarray, units: np.ndarray, seed: int) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Five folds as (indices of four, indices of the fifth): units [N] stay whole, labels [N] are spread
    evenly. None with fewer than five units.

    Labels of fewer than five cases are spread as one.
    """
    n_units = len(np.unique(units))
    if n_units < FOLDS:
        return None
    from sklearn.model_selection import (
        StratifiedGroupKFold,
        StratifiedKFold,
    )  # half a second to import, and seldom needed

    values, place, n = np.unique(labels, return_inverse=True, return_counts=True)
    strata = np.where(n[place] < FOLDS, len(values), place)
    if np.sum(strata == len(values)) < FOLDS:
        strata = np.where(strata == len(values), np.argmax(n), strata)
    if n_units == len(units):
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(strata, strata))
    return list(StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed).split(strata, strata, units))


def cross_validated(
    scores: np.ndarray,
    positives: np.ndarray,
    weights: np.ndarray,
    parts: Sequence[tuple[np.ndarray, np.ndarray]],
    inclusive: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds chosen on four folds and applied to the fifth: which cases are called positive, bool [N, K],
    and the cuts used [folds, K].

    scores [N, K], positives bool [N, K], weights [N]. A category without a positive in the four folds is cut
    at 0.5.
    """
    called, used = np.zeros(scores.shape, bool), np.full((len(parts), scores.shape[1]), HALF)
    for fold, (four, fifth) in enumerate(parts):
        for k in range(scores.shape[1]):
            if weights[four][positives[four, k]].sum() > 0:
                used[fold, k] = best(scores[four, k], positives[four, k], weights[four], inclusive)
        called[fifth] = decided(scores[fifth], used[fold], inclusive)
    return called, used


def folded(scores: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Scores [N, K] in 0..1 bent so that 0.5 cuts where cuts [K] did: p <= t becomes 0.5 p / t, p > t becomes
    0.5 + 0.5 (p - t) / (1 - t).

    p = t lands on 0.5 exactly; p > t always lands above it, however near to t.
    """
    cuts = np.broadcast_to(np.asarray(cuts, float), scores.shape)
    low = HALF * (np.minimum(scores, cuts) / np.where(cuts > 0, cuts, 1))
    high = HALF + HALF * (scores - cuts) / np.where(cuts < 1, 1 - cuts, 1)
    return np.where(scores > cuts, np.clip(high, np.nextafter(HALF, 1), 1), low)
