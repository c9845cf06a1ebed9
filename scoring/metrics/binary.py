"""Quantities of a yes-or-no decision from a score. Weights come in bulk: row b of W [B, N] is one (resampled)
test set."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from scoring.metrics.classification import divide

TINY = 1e-15
ROUNDING = 1e-9
MARGIN = 1e-6
"""How far below the lowest score the threshold stands that calls everybody."""


@dataclass(frozen=True)
class Decisions:
    """Weighted counts [B]: true and false positives, false and true negatives."""

    true_positive: np.ndarray
    false_positive: np.ndarray
    false_negative: np.ndarray
    true_negative: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold t of "score > t" and what it gives: sensitivity and specificity, 0..1."""

    threshold: float
    sensitivity: float
    specificity: float


def decisions(positive: np.ndarray, called: np.ndarray, weights: np.ndarray) -> Decisions:
    """Count decisions `called` (bool [N]) on cases that are `positive` (bool [N]) for every row of
    weights."""
    cells = np.column_stack(
        [positive & called, ~positive & called, positive & ~called, ~positive & ~called]
    ).astype(weights.dtype)
    return Decisions(*(weights @ cells).astype(float).T)


def decisions_along(
    scores: np.ndarray, positive: np.ndarray, cuts: np.ndarray, weights: np.ndarray
) -> Decisions:
    """Counts [B, T] of "score > cut" at every one of ascending cuts [T] for every row of weights [B, N]."""
    below = np.searchsorted(cuts, scores, "left")
    called = [
        _at_or_after(below[members], len(cuts), weights[:, members]) for members in (positive, ~positive)
    ]
    totals = [weights[:, members].sum(1, dtype=float)[:, None] for members in (positive, ~positive)]
    return Decisions(called[0], called[1], totals[0] - called[0], totals[1] - called[1])


def _at_or_after(passed: np.ndarray, count: int, weights: np.ndarray) -> np.ndarray:
    """Weights [B, n] of the cases that passed more than t cuts, for t in 0..count - 1 [B, count]."""
    cells = np.ones(len(passed), weights.dtype), (passed, np.arange(len(passed)))
    places = scipy.sparse.csr_matrix(cells, shape=(count + 1, len(passed)))
    sums = (places @ np.ascontiguousarray(weights.T)).astype(float)
    return np.cumsum(sums[::-1], axis=0)[::-1][1:].T


def f_beta(d: Decisions, beta: float) -> np.ndarray:
    """(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), 0 where the denominator is 0."""
    square = beta * beta
    return divide(
        (1 + square) * d.true_positive,
        (1 + square) * d.true_positive + square * d.false_negative + d.false_positive,
        0,
    )


def accuracy(d: Decisions) -> np.ndarray:
    return divide(d.true_positive + d.true_negative, d.total)


def precision(d: Decisions) -> np.ndarray:
    """TP / (TP + FP); NaN where nothing is called positive."""
    return divide(d.true_positive, d.true_positive + d.false_positive)


def recall(d: Decisions) -> np.ndarray:
    """TP / (TP + FN), the sensitivity; NaN without a positive."""
    return divide(d.true_positive, d.true_positive + d.false_negative)


def specificity(d: Decisions) -> np.ndarray:
    """TN / (TN + FP); NaN without a negative."""
    return divide(d.true_negative, d.true_negative + d.false_positive)


def net_benefit(d: Decisions, threshold: float | np.ndarray) -> np.ndarray:
    """TP/n - FP/n x t/(1 - t): true positives per case, less the false ones at the exchange rate that the
    threshold t in [0, 1) names (Vickers, Elkin 2006)."""
    return divide(d.true_positive, d.total) - divide(d.false_positive, d.total) * threshold / (1 - threshold)


def net_benefit_at_prevalence(d: Decisions, threshold: float | np.ndarray, prevalence: float) -> np.ndarray:
    """`net_benefit` where `prevalence` of all are positive, sensitivity and specificity being those of d; NaN
    without both classes."""
    return recall(d) * prevalence - (1 - specificity(d)) * (1 - prevalence) * threshold / (1 - threshold)


def precision_at_prevalence(
    sensitivity: np.ndarray, specificity: np.ndarray, prevalence: float
) -> np.ndarray:
    """Share of the positives among those called positive where `prevalence` of all are positive; NaN where
    nobody would be called (Bayes)."""
    hits, false_alarms = sensitivity * prevalence, (1 - specificity) * (1 - prevalence)
    return divide(hits, hits + false_alarms)


def log_losses(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """-(y ln q + (1 - y) ln(1 - q)) per case [N], q = score clipped to [1e-15, 1 - 1e-15]."""
    q = np.clip(scores, TINY, 1 - TINY)
    return -np.where(positive, np.log(q), np.log(1 - q))


@dataclass(frozen=True)
class Ladder:
    """Every threshold from high to low: what is at or above it. hits, false_alarms: weighted positives and
    negatives [B, T]; thresholds [T]."""

    thresholds: np.ndarray
    hits: np.ndarray
    false_alarms: np.ndarray


def ladder(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> Ladder:
    """The thresholds "score >= t" of scores [N] for every row of weights [B, N]."""
    order = np.argsort(-scores, kind="stable")
    ordered, is_positive = scores[order], positive[order]
    last = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
    sorted_weights = weights[:, order]
    hits = np.cumsum(sorted_weights * is_positive, axis=1, dtype=float)[:, last]
    return Ladder(ordered[last], hits, np.cumsum(sorted_weights * ~is_positive, axis=1, dtype=float)[:, last])


def _undefined_unless_both(steps: Ladder, values: np.ndarray) -> np.ndarray:
    return np.where((steps.hits[:, -1] > 0) & (steps.false_alarms[:, -1] > 0), values, np.nan)


def sensitivity_at_specificity(steps: Ladder, wanted: float) -> np.ndarray:
    """Largest sensitivity [B] over all thresholds, also one above the maximum, at which the specificity is at
    least `wanted`; NaN without both classes."""
    positives, negatives = steps.hits[:, -1:], steps.false_alarms[:, -1:]
    # In whole counts, so that 9 of 10 is 0.9: false alarms x 10 <= negatives for 0.9, up to a rounding error
    # of the bound.
    allowed = steps.false_alarms <= (1 - wanted) * negatives + 1e-9
    best = np.max(np.where(allowed, steps.hits, 0), axis=1)
    return _undefined_unless_both(steps, divide(best, positives[:, 0]))


def specificity_at_sensitivity(steps: Ladder, wanted: float) -> np.ndarray:
    """Largest specificity [B] over all thresholds at which the sensitivity is at least `wanted`; NaN without
    both classes."""
    positives, negatives = steps.hits[:, -1:], steps.false_alarms[:, -1:]
    enough = steps.hits >= wanted * positives - 1e-9
    fewest = np.min(np.where(enough, steps.false_alarms, np.inf), axis=1)
    return _undefined_unless_both(steps, 1 - divide(fewest, negatives[:, 0]))


def cuts_between(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Thresholds t for which "score > t" parts successive distinct scores: halfway, or at the lower where
    that is not below the upper.

    Scores without a value rank at plus or minus infinity: the cut then stands at the finite neighbour, a
    little below it towards minus infinity.
    """
    upper, lower = np.asarray(upper, float), np.asarray(lower, float)
    with np.errstate(invalid="ignore"):
        half = upper / 2 + lower / 2
    inside = np.where((lower <= half) & (half < upper), half, lower)
    beneath = np.minimum(upper - MARGIN, np.nextafter(upper, -np.inf))
    return np.where(np.isneginf(lower), beneath, np.where(np.isposinf(upper), lower, inside))


def point_at_sensitivity(scores: np.ndarray, positive: np.ndarray, wanted: float) -> OperatingPoint | None:
    """The threshold of the highest specificity whose sensitivity is at least `wanted`; the most sensitive
    among equals. None without both classes."""
    return _chosen_point(
        scores,
        positive,
        lambda sensitive, specific: np.where(sensitive >= wanted - ROUNDING, specific, -1),
        True,
    )


def point_at_specificity(scores: np.ndarray, positive: np.ndarray, wanted: float) -> OperatingPoint | None:
    """The threshold of the highest sensitivity whose specificity is at least `wanted`; the most specific
    among equals. None without both classes."""
    return _chosen_point(
        scores,
        positive,
        lambda sensitive, specific: np.where(specific >= wanted - ROUNDING, sensitive, -1),
        False,
    )


def _chosen_point(
    scores: np.ndarray,
    positive: np.ndarray,
    worth: Callable[[np.ndarray, np.ndarray], np.ndarray],
    last: bool,
) -> OperatingPoint | None:
    """The first or last threshold from high to low that is worth most; the first of all calls nobody."""
    if not positive.any() or positive.all():
        return None
    steps = ladder(scores, positive, np.ones((1, len(scores))))
    sensitive = np.r_[0, steps.hits[0] / steps.hits[0, -1]]
    specific = np.r_[1, 1 - steps.false_alarms[0] / steps.false_alarms[0, -1]]
    found = worth(sensitive, specific)
    best = np.flatnonzero(found == found.max())[-1 if last else 0]
    edges = np.r_[np.inf, steps.thresholds, -np.inf]
    cut = cuts_between(edges[best], edges[best + 1])
    return OperatingPoint(float(cut), float(sensitive[best]), float(specific[best]))


def average_precision(steps: Ladder) -> np.ndarray:
    """Sum of precision x step of recall over the distinct thresholds [B]; NaN without both classes."""
    reached = divide(steps.hits, steps.hits[:, -1:], 0)
    exact = divide(steps.hits, steps.hits + steps.false_alarms, 0)
    return _undefined_unless_both(steps, np.sum(np.diff(reached, prepend=0, axis=1) * exact, axis=1))
