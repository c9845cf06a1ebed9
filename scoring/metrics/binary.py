"""Sensitivity, specificity, precision, F-beta, accuracy and net benefit of a yes-or-no decision."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Ints, Numbers
from scoring.metrics.classification import divide, f_score, running_sums

ROUNDING = 1e-9
MARGIN = 1e-6
"""How far below the lowest score the threshold lies at which every case is predicted positive."""


@dataclass(frozen=True)
class Decisions:
    """Weighted counts of decisions. All arrays have the shape [B] or, for T thresholds, [B, T].

    Attributes:
        true_positive: Positives predicted positive.
        false_positive: Negatives predicted positive.
        false_negative: Positives predicted negative.
        true_negative: Negatives predicted negative.
    """

    true_positive: Floats
    false_positive: Floats
    false_negative: Floats
    true_negative: Floats

    @property
    def total(self) -> Floats:
        """Weight of all cases."""
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold with its sensitivity and specificity.

    Attributes:
        threshold: A case is predicted positive if its score is above the threshold.
        sensitivity: Share of the positives that are predicted positive, 0..1.
        specificity: Share of the negatives that are predicted negative, 0..1.
    """

    threshold: float
    sensitivity: float
    specificity: float


def decisions(positive: Bools, predicted: Bools, weights: Floats) -> Decisions:
    """Count decisions.

    Args:
        positive: Which cases are positive [N].
        predicted: Which cases are predicted positive [N].
        weights: Weights of the cases [B, N].

    Returns:
        Counts [B].

    Example:
        >>> called = np.array([True, False, True])
        >>> found = decisions(np.array([True, True, False]), called, np.ones((1, 3)))
        >>> recall(found).tolist(), specificity(found).tolist()
        ([0.5], [0.0])
    """
    cells = np.column_stack(
        [positive & predicted, ~positive & predicted, positive & ~predicted, ~positive & ~predicted]
    ).astype(weights.dtype)
    return Decisions(*(weights @ cells).astype(float).T)


def decisions_along(
    scores: Floats, positive: Bools, cuts: Floats, weights: Numbers, inclusive: bool = False
) -> Decisions:
    """Count decisions at several thresholds.

    Args:
        scores: Score of each case [N]; a case is predicted positive if its score is above the threshold.
        positive: Which cases are positive [N].
        cuts: Thresholds [T], ascending.
        weights: Weights of the cases [B, N].
        inclusive: Whether a score equal to the threshold is predicted positive.

    Returns:
        Counts [B, T].
    """
    below = np.searchsorted(cuts, scores, "right" if inclusive else "left")
    hits, alarms = (
        _at_or_after(below[members], len(cuts), weights[:, members]) for members in (positive, ~positive)
    )
    totals = [weights[:, members].sum(1, dtype=float)[:, None] for members in (positive, ~positive)]
    return Decisions(hits, alarms, totals[0] - hits, totals[1] - alarms)


def _at_or_after(passed: Ints, count: int, weights: Numbers) -> Floats:
    """Weights [B, n] of the cases that passed more than t cuts, for t in 0..count - 1 [B, count]."""
    cells = np.ones(len(passed), weights.dtype), (passed, np.arange(len(passed)))
    places = scipy.sparse.csr_matrix(cells, shape=(count + 1, len(passed)))
    sums = (places @ np.ascontiguousarray(weights.T)).astype(float)
    return running_sums(sums[::-1])[::-1][1:].T


def f_beta(d: Decisions, beta: float) -> Floats:
    """Return the F-beta score, (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP).

    Args:
        beta: Weight of recall against precision, above 0: b in the formula.

    Returns:
        Values 0..1 of the same shape; 0 if the denominator is 0.
    """
    support, predicted = d.true_positive + d.false_negative, d.true_positive + d.false_positive
    return f_score(d.true_positive, support, predicted, 0, beta)


def accuracy(d: Decisions) -> Floats:
    """Return (TP + TN) / all; NaN without a case."""
    return divide(d.true_positive + d.true_negative, d.total)


def precision(d: Decisions) -> Floats:
    """Return TP / (TP + FP); NaN if nothing is predicted positive."""
    return divide(d.true_positive, d.true_positive + d.false_positive)


def recall(d: Decisions) -> Floats:
    """Return TP / (TP + FN), the sensitivity; NaN without a positive."""
    return divide(d.true_positive, d.true_positive + d.false_negative)


def specificity(d: Decisions) -> Floats:
    """Return TN / (TN + FP); NaN without a negative."""
    return divide(d.true_negative, d.true_negative + d.false_positive)


def net_benefit(d: Decisions, threshold: float | Floats) -> Floats:
    """Return the net benefit (Vickers, Elkin 2006), TP/n - FP/n x t/(1 - t).

    The net benefit is the number of true positives per case, minus the false positives weighted by the odds
    of the threshold.

    Args:
        threshold: Cases with at least this probability t are treated, in [0, 1); of a shape that broadcasts.

    Returns:
        Values of the common shape, at most the prevalence; NaN without a case.
    """
    return divide(d.true_positive, d.total) - divide(d.false_positive, d.total) * threshold / (1 - threshold)


def net_benefit_at_prevalence(d: Decisions, threshold: float | Floats, prevalence: float) -> Floats:
    """Return the net benefit in a population with another prevalence, at the same sensitivity and
    specificity.

    Args:
        threshold: Cases with at least this probability are treated, in [0, 1); of a shape that broadcasts.
        prevalence: Share of positives in the population, 0..1.

    Returns:
        Values of the common shape; NaN if there are no positives or no negatives.
    """
    return recall(d) * prevalence - (1 - specificity(d)) * (1 - prevalence) * threshold / (1 - threshold)


def precision_at_prevalence(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: float) -> Floats:
    """Return the precision in a population with another prevalence (Bayes' theorem).

    Args:
        sensitivity: Share of positives predicted positive, 0..1, of any shape.
        specificity: Share of negatives predicted negative, 0..1, of the same shape.
        prevalence: Share of positives in the population, 0..1.

    Returns:
        Share of positives among the cases predicted positive; NaN if no case would be predicted positive.
    """
    sensitivity, specificity = np.asarray(sensitivity, float), np.asarray(specificity, float)
    hits, false_alarms = sensitivity * prevalence, (1 - specificity) * (1 - prevalence)
    return divide(hits, hits + false_alarms)


@dataclass(frozen=True)
class ThresholdCounts:
    """Weighted counts at or above every threshold, from high to low.

    Attributes:
        thresholds: The distinct scores [T], descending.
        true_positive: Positives at or above each threshold [B, T]; float64, or integers if they come from a
            cache.
        false_positive: Negatives at or above each threshold [B, T].
    """

    thresholds: Floats
    true_positive: Floats | Ints
    false_positive: Floats | Ints


def count_by_threshold(scores: Floats, positive: Bools, weights: Floats) -> ThresholdCounts:
    """Count positives and negatives at or above every distinct score.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        weights: Weights of the cases [B, N].
    """
    order = np.argsort(-scores, kind="stable")
    ordered, is_positive = scores[order], positive[order]
    last = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
    hits, false_alarms = (
        _sums(weights, order[members], np.cumsum(members, dtype=np.int64)[last])
        for members in (is_positive, ~is_positive)
    )
    return ThresholdCounts(ordered[last], hits, false_alarms)


def _sums(weights: Floats, cases: Ints, counts: Ints) -> Floats:
    """Return the sum of the weights of as many of the cases as each count [T] says, [B, T]."""
    sums = np.zeros((len(cases) + 1, len(weights)))
    sums[1:] = weights.T[cases]
    return running_sums(sums)[counts].T


def _undefined_unless_both(counts: ThresholdCounts, values: Floats) -> Floats:
    return np.where((counts.true_positive[:, -1] > 0) & (counts.false_positive[:, -1] > 0), values, np.nan)


def _first_threshold(sums: Floats | Ints, reached: Callable[[Floats | Ints], Bools]) -> Ints:
    """Find the first place in each row of growing sums [B, T] that reaches the value, by bisection; T if
    none does."""
    rows, end = np.arange(len(sums)), sums.shape[1]
    low, high = np.zeros(len(sums), np.int64), np.full(len(sums), end)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, end - 1)
        is_reached = reached(sums[rows, middle])
        low, high = np.where(is_reached, low, middle + 1), np.where(is_reached, middle, high)
    return low


def decisions_at(counts: ThresholdCounts, cut: float) -> Decisions:
    """Return the counts for the decision "score > cut".

    Args:
        counts: Counts at every distinct score.
        cut: Any threshold.

    Returns:
        Counts [B].
    """
    above = int(np.searchsorted(-counts.thresholds, -cut, "left"))
    totals = [sums[:, -1].astype(float) for sums in (counts.true_positive, counts.false_positive)]
    hits, alarms = (
        sums[:, above - 1].astype(float) if above else np.zeros(len(sums))
        for sums in (counts.true_positive, counts.false_positive)
    )
    return Decisions(hits, alarms, totals[0] - hits, totals[1] - alarms)


def sensitivity_at_specificity(counts: ThresholdCounts, wanted: float) -> Floats:
    """Return the largest sensitivity of all thresholds that reach a specificity.

    Args:
        counts: Counts at every threshold; a threshold above the highest score is considered too.
        wanted: The specificity to reach at least, 0..1.

    Returns:
        Sensitivities [B]; NaN if there are no positives or no negatives.
    """
    positives, negatives = counts.true_positive[:, -1:], counts.false_positive[:, -1:]
    # In whole counts, so that 9 of 10 is 0.9: false alarms x 10 <= negatives for 0.9, up to a rounding error
    # of the bound.
    allowed = (1 - wanted) * negatives[:, 0] + 1e-9
    passed = _first_threshold(counts.false_positive, lambda alarms: alarms > allowed)
    rows = np.arange(len(passed))
    best = np.where(passed > 0, counts.true_positive[rows, passed - 1], 0)
    return _undefined_unless_both(counts, divide(best, positives[:, 0]))


def specificity_at_sensitivity(counts: ThresholdCounts, wanted: float) -> Floats:
    """Return the largest specificity of all thresholds that reach a sensitivity.

    Args:
        wanted: The sensitivity to reach at least, 0..1.

    Returns:
        Specificities [B]; NaN if there are no positives or no negatives.
    """
    positives, negatives = counts.true_positive[:, -1:], counts.false_positive[:, -1]
    enough = wanted * positives[:, 0] - 1e-9
    first = _first_threshold(counts.true_positive, lambda hits: hits >= enough)
    last = len(counts.thresholds) - 1
    alarms = counts.false_positive[np.arange(len(first)), np.minimum(first, last)]
    fewest = np.where(first <= last, alarms, np.inf)
    return _undefined_unless_both(counts, divide(negatives - fewest, negatives))


def cuts_between(upper: ArrayLike, lower: ArrayLike) -> Floats:
    """Return thresholds t for which "score > t" separates successive distinct scores.

    A threshold is the midpoint of the two scores, or the lower score if the midpoint rounds to the upper one.
    Infinite scores mean "no score". Without an upper score, the threshold is the lower one; without a lower
    score, it is slightly below the upper one.

    Args:
        upper: The higher scores, of any shape.
        lower: The next lower scores, of that shape.
    """
    upper, lower = np.asarray(upper, float), np.asarray(lower, float)
    with np.errstate(invalid="ignore"):
        half = upper / 2 + lower / 2
    inside = np.where((lower <= half) & (half < upper), half, lower)
    beneath = np.minimum(upper - MARGIN, np.nextafter(upper, -np.inf))
    return np.where(np.isneginf(lower), beneath, np.where(np.isposinf(upper), lower, inside))


def point_at_sensitivity(scores: Floats, positive: Bools, wanted: float) -> OperatingPoint | None:
    """Choose the threshold with the highest specificity that reaches a sensitivity.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        wanted: The sensitivity to reach at least, 0..1.

    Returns:
        The operating point, the most sensitive one if several are equal; None if there are no positives or no
        negatives.
    """
    return _chosen_point(scores, positive, lambda se, sp: np.where(se >= wanted - ROUNDING, sp, -1), True)


def point_at_specificity(scores: Floats, positive: Bools, wanted: float) -> OperatingPoint | None:
    """Choose the threshold with the highest sensitivity that reaches a specificity.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        wanted: The specificity to reach at least, 0..1.

    Returns:
        The operating point, the most specific one if several are equal; None if there are no positives or no
        negatives.
    """
    return _chosen_point(scores, positive, lambda se, sp: np.where(sp >= wanted - ROUNDING, se, -1), False)


def _chosen_point(
    scores: Floats, positive: Bools, worth: Callable[[Floats, Floats], Floats], last: bool
) -> OperatingPoint | None:
    """Return the first or last threshold from high to low that is worth most; the first of all calls
    nobody."""
    if not positive.any() or positive.all():
        return None
    counts = count_by_threshold(scores, positive, np.ones((1, len(scores))))
    sensitive = np.r_[0, counts.true_positive[0] / counts.true_positive[0, -1]]
    specific = np.r_[1, 1 - counts.false_positive[0] / counts.false_positive[0, -1]]
    worths = worth(sensitive, specific)
    best = np.flatnonzero(worths == worths.max())[-1 if last else 0]
    edges = np.r_[np.inf, counts.thresholds, -np.inf]
    cut = cuts_between(edges[best], edges[best + 1])
    return OperatingPoint(float(cut), float(sensitive[best]), float(specific[best]))
