"""Paired tests of two teams for metrics that have one of their own: McNemar, DeLong, Wilcoxon; and Holm's
adjustment for many tests. The score is tested by `permutation_test`, or by `paired_bootstrap` on request.

The tests hold where every case is a unit of its own. All give a p-value, 0..1, two-sided unless noted.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Numbers
from scoring.statistics.interval_options import DIGITS


@dataclass(frozen=True)
class BinarySample:
    """Which cases one team got right: accuracy, sensitivity or specificity is their share.

    Attributes:
        right: Whether each of the cases that count is right [n].
    """

    right: Bools


@dataclass(frozen=True)
class ScoreSample:
    """How one team orders cases: the AUC is the share of pairs in the right order.

    Attributes:
        scores: Score of each case [n]; the higher, the more positive.
        positive: Which cases are positive [n].
    """

    scores: Floats
    positive: Bools


@dataclass(frozen=True)
class ValueSample:
    """One team's value of each case, for example the Dice of a structure.

    Attributes:
        values: Values [n].
    """

    values: Floats


Sample = BinarySample | ScoreSample | ValueSample
NAMES = {BinarySample: "McNemar, exact", ScoreSample: "DeLong", ValueSample: "Wilcoxon signed-rank"}


def p_value(a: Sample, b: Sample) -> float:
    """Test two teams by the test that belongs to their samples.

    Args:
        b: Sample of the other, of the same kind and cases.

    Returns:
        The p-value; NaN where the test is undefined.

    Raises:
        TypeError: The samples are of two kinds.
    """
    if isinstance(a, BinarySample) and isinstance(b, BinarySample):
        return mcnemar(a.right, b.right)
    if isinstance(a, ScoreSample) and isinstance(b, ScoreSample):
        return delong(a.scores, b.scores, a.positive)
    if isinstance(a, ValueSample) and isinstance(b, ValueSample):
        return wilcoxon(a.values, b.values)
    raise TypeError(f"samples of two kinds: {type(a).__name__} and {type(b).__name__}")


def mcnemar(right_a: Bools, right_b: Bools) -> float:
    """Test two accuracies by the exact test of McNemar (1947).

    Args:
        right_a: Which cases one team got right [n].
        right_b: Which cases the other got right [n].

    Returns:
        The p-value; 1 where both got the same cases right.

    Example:
        >>> mcnemar(np.array([True, True, True]), np.array([False, False, False]))
        0.25
    """
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    fewer, total = min(only_a, only_b), only_a + only_b
    if not total:
        return 1.0
    # P(X <= fewer) of a fair coin tossed `total` times, as an incomplete beta function.
    return min(1.0, 2 * float(scipy.special.betainc(total - fewer, fewer + 1, 0.5)))


def delong(scores_a: Floats, scores_b: Floats, positive: Bools) -> float:
    """Test two AUCs by the test of DeLong, DeLong and Clarke-Pearson (1988).

    Args:
        scores_a: Scores of one team [n].
        scores_b: Scores of the other [n].
        positive: Which cases are positive [n].

    Returns:
        The p-value; where nothing varies 1 for equal areas and 0 for others; NaN without a positive or
        without a negative.
    """
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return np.nan
    of_a, of_b = components(scores_a, positive), components(scores_b, positive)
    differences = [a - b for a, b in zip(of_a, of_b, strict=True)]
    difference = float(differences[0].mean())
    variance = sum(float(np.var(part, ddof=1)) / len(part) for part in differences if len(part) > 1)
    if np.round(variance, 2 * DIGITS) <= 0:
        return float(round(abs(difference), DIGITS) == 0)
    return float(2 * scipy.special.ndtr(-abs(difference) / np.sqrt(variance)))


def components(scores: Numbers, positive: Bools) -> tuple[Floats, Floats]:
    """Split an AUC into the shares that each case contributes, from midranks (Sun, Xu 2014).

    Args:
        scores: Scores [n].
        positive: Which cases are positive [n].

    Returns:
        For each positive the share of negatives that it exceeds, and for each negative the share of positives
        above it, ties half, 0..1. The mean of each is the AUC.
    """
    among_all = midranks(scores)
    above = among_all[positive] - midranks(scores[positive])
    below = among_all[~positive] - midranks(scores[~positive])
    return above / (~positive).sum(), 1 - below / positive.sum()


def midranks(values: Numbers) -> Floats:
    """Rank values from the smallest; equal ones share the mean of their ranks.

    Args:
        values: Values [n].

    Returns:
        Ranks [n], 1..n; all NaN where a value is NaN.
    """
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, rank_of, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = np.cumsum(counts) - (counts - 1) / 2
    return ranks[rank_of]


def wilcoxon(
    values_a: Floats, values_b: Floats, alternative: Literal["two-sided", "greater"] = "two-sided"
) -> float:
    """Test two teams' values by the Wilcoxon signed-rank test.

    Cases of equal values (to 12 decimals) are dropped; the p-value is that of the normal approximation,
    corrected for ties and continuity.

    Args:
        values_a: Values of one team [n].
        values_b: Values of the other on the same cases [n].
        alternative: "greater" tests whether the values of the first team are the higher ones.

    Returns:
        The p-value; 1 where all values are equal.
    """
    differences = np.round(values_a - values_b, DIGITS)
    if not differences.any():
        return 1.0
    result = scipy.stats.wilcoxon(
        differences,
        zero_method="wilcox",
        correction=True,
        alternative=alternative,
        method="asymptotic",
        keepdims=True,
    )
    return float(result.pvalue[0])


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values for multiple testing by Holm (1979).

    The smallest is multiplied by P, the next by P - 1 and so on; none falls below an earlier one or exceeds
    1.

    Args:
        p_values: p-values [P], 0..1.

    Returns:
        Adjusted p-values [P], in the order given.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    # Not `multipletests` of statsmodels: it calls the garbage collector, which takes longer than a
    # comparison.
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1)))
    return adjusted
