"""Quantities of single-label classification from weighted counts. All take weights in bulk: row b of W [B, N]
is one (resampled) test set."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Counts:
    """Weighted counts, each [B, K] float64: cases of a class, predictions of it, both; total: [B] weight of
    all cases."""

    support: np.ndarray
    predicted: np.ndarray
    true_positive: np.ndarray
    total: np.ndarray


def one_hot(labels: np.ndarray, classes: int, dtype=np.float32) -> np.ndarray:
    """Indicators [N, K] of labels [N] in 0..K-1; a label of -1 is no class."""
    return (np.asarray(labels)[:, None] == np.arange(classes)).astype(dtype)


def counts(truth: np.ndarray, predicted: np.ndarray, weights: np.ndarray, classes: int) -> Counts:
    """Counts of every row of weights [B, N]. truth, predicted: class numbers [N] in 0..K-1, -1 = none.

    Float32 weights that are whole numbers give exact sums below 2^24; everything after the sums is float64.
    """
    is_true, is_predicted = one_hot(truth, classes, weights.dtype), one_hot(predicted, classes, weights.dtype)
    sums = (weights @ np.hstack([is_true, is_predicted, is_true * is_predicted])).astype(float)
    return Counts(
        sums[:, :classes], sums[:, classes : 2 * classes], sums[:, 2 * classes :], weights.sum(1, dtype=float)
    )


def divide(numerator: np.ndarray, denominator: np.ndarray, undefined: float = np.nan) -> np.ndarray:
    """numerator / denominator, `undefined` where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    out = np.full(numerator.shape, float(undefined))
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def accuracy(c: Counts) -> np.ndarray:
    """Share of cases predicted as their class [B]."""
    return divide(c.true_positive.sum(1), c.total)


def recall(c: Counts) -> np.ndarray:
    """true positives / support [B, K]; NaN for a class without a case."""
    return divide(c.true_positive, c.support)


def precision(c: Counts) -> np.ndarray:
    """true positives / predicted [B, K]; NaN for a class that is never predicted."""
    return divide(c.true_positive, c.predicted)


def f1(c: Counts) -> np.ndarray:
    """2 true positives / (support + predicted) [B, K]; 0 where nothing is there and nothing predicted."""
    return divide(2 * c.true_positive, c.support + c.predicted, 0)


def specificity(c: Counts) -> np.ndarray:
    """true negatives / cases of other classes [B, K]; NaN where all cases are of the class."""
    others = c.total[:, None] - c.support
    return divide(others - (c.predicted - c.true_positive), others)


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Plain mean over the last axis of the values that are not NaN; NaN where none is."""
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0).sum(-1), defined.sum(-1))


def mean_over_present(values: np.ndarray, c: Counts) -> np.ndarray:
    """Plain mean [B] of values [B, K] over the classes with support."""
    return mean_of_defined(np.where(c.support > 0, values, np.nan))


def support_weighted(values: np.ndarray, c: Counts) -> np.ndarray:
    """Mean [B] of values [B, K] weighted by support; a NaN (0 / 0) counts 0."""
    return divide((np.nan_to_num(values) * c.support).sum(1), c.support.sum(1))


def confusion_matrix(truth: np.ndarray, predicted: np.ndarray, classes: int) -> np.ndarray:
    """Counts [K, K], rows = truth; a case predicted as no class (-1) is in no cell."""
    kept = (truth >= 0) & (predicted >= 0)
    return np.bincount(truth[kept] * classes + predicted[kept], minlength=classes * classes).reshape(
        classes, classes
    )
