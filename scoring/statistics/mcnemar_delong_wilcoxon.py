"""Paired tests of two teams for single metrics: McNemar, DeLong and Wilcoxon; and Holm's adjustment for many
tests. The score is tested by `permutation_test`, or by `paired_bootstrap` on request.

These tests are valid only if every case is its own unit. All return a p-value, 0..1. Only `wilcoxon` can be
one-sided.
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
    """Which cases a team predicted correctly. `right` says this for each counted case [n]; its mean is an
    accuracy, sensitivity or specificity."""

    right: Bools


@dataclass(frozen=True)
class ScoreSample:
    """How a team orders cases. Their AUC is tested.

    Attributes:
        scores: Score of each case [n]; a higher score means more positive.
        positive: Which cases are positive [n].
    """

    scores: Floats
    positive: Bools


@dataclass(frozen=True)
class ValueSample:
    """A team's value for each case, for example the Dice of a structure.

    Attributes:
        values: Values [n].
    """

    values: Floats


PairedSample = BinarySample | ScoreSample | ValueSample
NAMES = {BinarySample: "McNemar, exact", ScoreSample: "DeLong", ValueSample: "Wilcoxon signed-rank"}


def p_value(a: PairedSample, b: PairedSample) -> float:
    """Compare two teams with the test that fits the type of their samples.

    Args:
        b: Sample of the second team, of the same type and for the same cases.

    Returns:
        The p-value; NaN if the test is undefined.

    Raises:
        TypeError: If the samples have different types.
    """
    if isinstance(a, BinarySample) and isinstance(b, BinarySample):
        return mcnemar(a.right, b.right)
    if isinstance(a, ScoreSample) and isinstance(b, ScoreSample):
        return delong(a.scores, b.scores, a.positive)
    if isinstance(a, ValueSample) and isinstance(b, ValueSample):
        return wilcoxon(a.values, b.values)
    raise TypeError(f"samples of two kinds: {type(a).__name__} and {type(b).__name__}")


def mcnemar(right_a: Bools, right_b: Bools) -> float:
    """Test two accuracies with McNemar's exact test (1947).

    Args:
        right_a: Which cases the first team got right [n].
        right_b: Which cases the second team got right [n].

    Returns:
        The p-value; 1 if both teams got the same cases right.

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
    """Test two AUCs with the test of DeLong, DeLong and Clarke-Pearson (1988).

    Args:
        scores_a: Scores of the first team [n].
        scores_b: Scores of the second team [n].
        positive: Which cases are positive [n].

    Returns:
        The p-value. If the variance is 0, it is 1 for equal AUCs and 0 for different AUCs. It is NaN without
        positives or negatives.
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
    """Split an AUC into the contribution of each case, with midranks (Sun, Xu 2014).

    Args:
        scores: Scores [n].
        positive: Which cases are positive [n].

    Returns:
        Two arrays of shares, 0..1: for each positive, the share of negatives with a lower score; for each
        negative, the share of positives with a higher score. Ties count half. The mean of each array is the
        AUC.
    """
    among_all = midranks(scores)
    above = among_all[positive] - midranks(scores[positive])
    below = among_all[~positive] - midranks(scores[~positive])
    return above / (~positive).sum(), 1 - below / positive.sum()


def midranks(values: Numbers) -> Floats:
    """Rank values from the smallest; equal values share the mean of their ranks.

    Args:
        values: Values [n].

    Returns:
        Ranks [n], 1..n; all NaN if a value is NaN.
    """
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, rank_of, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = np.cumsum(counts) - (counts - 1) / 2
    return ranks[rank_of]


def wilcoxon(
    values_a: Floats, values_b: Floats, alternative: Literal["two-sided", "greater"] = "two-sided"
) -> float:
    """Test two teams' values with the Wilcoxon signed-rank test.

    Cases with equal values (to 12 decimals) are dropped. The p-value uses the normal approximation, corrected
    for ties and continuity.

    Args:
        values_a: Values of the first team [n].
        values_b: Values of the second team on the same cases [n].
        alternative: "greater" tests whether the first team has higher values.

    Returns:
        The p-value; 1 if all values are equal.
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
    """Adjust p-values for multiple testing with Holm's method (1979).

    The smallest p-value is multiplied by P, the next by P - 1 and so on. No result is smaller than the one
    before, or larger than 1.

    Args:
        p_values: p-values [P], 0..1.

    Returns:
        Adjusted p-values [P], in the given order.

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
