"""Tests of two teams on the same cases, where the metric has a better one than the bootstrap: McNemar,
DeLong, Wilcoxon.

They hold where every case is a unit of its own. All give a two-sided p, 0..1.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.statistics.ranking import DIGITS


@dataclass(frozen=True)
class BinarySample:
    """Which of the cases that count one team got right, bool [n]: accuracy, sensitivity or specificity is
    their share."""

    right: np.ndarray


@dataclass(frozen=True)
class ScoreSample:
    """How one team orders cases: scores [n], and which cases are positive, bool [n]. AUC is the share of
    pairs in the right order."""

    scores: np.ndarray
    positive: np.ndarray


@dataclass(frozen=True)
class ValueSample:
    """One team's value of each case [n], for example the Dice of a structure."""

    values: np.ndarray


Sample = BinarySample | ScoreSample | ValueSample
NAMES = {BinarySample: "McNemar, exact", ScoreSample: "DeLong", ValueSample: "Wilcoxon signed-rank"}


def p_value(a: Sample, b: Sample) -> float:
    """p of the test that belongs to such samples; a and b are of one kind and of the same cases."""
    if isinstance(a, BinarySample):
        return mcnemar(a.right, b.right)
    if isinstance(a, ScoreSample):
        return delong(a.scores, b.scores, a.positive)
    return wilcoxon(a.values, b.values)


def mcnemar(right_a: np.ndarray, right_b: np.ndarray) -> float:
    """Exact McNemar test on the cases that only one of the two got right; bool [n] each. 1 where there is
    none."""
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    fewer, total = min(only_a, only_b), only_a + only_b
    if not total:
        return 1.0
    # P(X <= fewer) of a fair coin tossed `total` times, as an incomplete beta function.
    return min(1.0, 2 * float(scipy.special.betainc(total - fewer, fewer + 1, 0.5)))


def delong(scores_a: np.ndarray, scores_b: np.ndarray, positive: np.ndarray) -> float:
    """Test of DeLong, DeLong and Clarke-Pearson (1988) for two AUCs on the same cases: scores [n] each,
    positive bool [n].

    1 or 0 where nothing varies, as the areas are equal or not; NaN without a positive or without a negative.
    """
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return np.nan
    parts = [components(scores, positive) for scores in (scores_a, scores_b)]
    of_positives, of_negatives = (parts[0][k] - parts[1][k] for k in (0, 1))
    difference = float(of_positives.mean())
    variance = sum(
        float(np.var(part, ddof=1)) / len(part) for part in (of_positives, of_negatives) if len(part) > 1
    )
    if np.round(variance, 2 * DIGITS) <= 0:
        return float(round(abs(difference), DIGITS) == 0)
    return float(2 * scipy.special.ndtr(-abs(difference) / np.sqrt(variance)))


def components(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each positive the share of the negatives that it exceeds, and of each negative the share of the
    positives above it, ties half.

    Their means are both the AUC. From midranks (Sun, Xu 2014).
    """
    among_all = midranks(scores)
    above = among_all[positive] - midranks(scores[positive])
    below = among_all[~positive] - midranks(scores[~positive])
    return above / (~positive).sum(), 1 - below / positive.sum()


def midranks(values: np.ndarray) -> np.ndarray:
    """Ranks 1..n of values [n], ascending; equal ones share the mean of theirs. All NaN where a value is."""
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def wilcoxon(values_a: np.ndarray, values_b: np.ndarray) -> float:
    """Wilcoxon signed-rank test of values [n]: zeros dropped, normal approximation corrected for ties and
    continuity; 1 where all are equal."""
    differences = np.round(values_a - values_b, DIGITS)
    if not differences.any():
        return 1.0
    return float(
        scipy.stats.wilcoxon(differences, zero_method="wilcox", correction=True, method="asymptotic").pvalue
    )
