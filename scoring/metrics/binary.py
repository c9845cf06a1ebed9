"""Quantities of a yes-or-no decision from a score. Weights come in bulk: row b of W [B, N] is one (resampled) test set."""
from dataclasses import dataclass

import numpy as np

from scoring.metrics.classification import divide

TINY = 1e-15


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


def decisions(positive: np.ndarray, called: np.ndarray, weights: np.ndarray) -> Decisions:
    """Count decisions `called` (bool [N]) on cases that are `positive` (bool [N]) for every row of weights."""
    cells = np.column_stack([positive & called, ~positive & called, positive & ~called, ~positive & ~called]).astype(weights.dtype)
    return Decisions(*(weights @ cells).astype(float).T)


def f_beta(d: Decisions, beta: float) -> np.ndarray:
    """(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), 0 where the denominator is 0."""
    square = beta * beta
    return divide((1 + square) * d.true_positive, (1 + square) * d.true_positive + square * d.false_negative + d.false_positive, 0)


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


def net_benefit(d: Decisions, threshold: float) -> np.ndarray:
    """TP/n - FP/n x t/(1 - t): true positives per case, less the false ones at the exchange rate that the threshold t in [0, 1) names (Vickers, Elkin 2006)."""
    return divide(d.true_positive, d.total) - divide(d.false_positive, d.total) * threshold / (1 - threshold)


def log_losses(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """-(y ln q + (1 - y) ln(1 - q)) per case [N], q = score clipped to [1e-15, 1 - 1e-15]."""
    q = np.clip(scores, TINY, 1 - TINY)
    return -np.where(positive, np.log(q), np.log(1 - q))


@dataclass(frozen=True)
class Ladder:
    """Every threshold from high to low: what is at or above it. hits, false_alarms: weighted positives and negatives [B, T]; thresholds [T]."""

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
    """Largest sensitivity [B] over all thresholds, also one above the maximum, at which the specificity is at least `wanted`; NaN without both classes."""
    positives, negatives = steps.hits[:, -1:], steps.false_alarms[:, -1:]
    # In whole counts, so that 9 of 10 is 0.9: false alarms x 10 <= negatives for 0.9, up to a rounding error of the bound.
    allowed = steps.false_alarms <= (1 - wanted) * negatives + 1e-9
    best = np.max(np.where(allowed, steps.hits, 0), axis=1)
    return _undefined_unless_both(steps, divide(best, positives[:, 0]))


def specificity_at_sensitivity(steps: Ladder, wanted: float) -> np.ndarray:
    """Largest specificity [B] over all thresholds at which the sensitivity is at least `wanted`; NaN without both classes."""
    positives, negatives = steps.hits[:, -1:], steps.false_alarms[:, -1:]
    enough = steps.hits >= wanted * positives - 1e-9
    fewest = np.min(np.where(enough, steps.false_alarms, np.inf), axis=1)
    return _undefined_unless_both(steps, 1 - divide(fewest, negatives[:, 0]))


def average_precision(steps: Ladder) -> np.ndarray:
    """Sum of precision x step of recall over the distinct thresholds [B]; NaN without both classes."""
    reached = divide(steps.hits, steps.hits[:, -1:], 0)
    exact = divide(steps.hits, steps.hits + steps.false_alarms, 0)
    return _undefined_unless_both(steps, np.sum(np.diff(reached, prepend=0, axis=1) * exact, axis=1))
