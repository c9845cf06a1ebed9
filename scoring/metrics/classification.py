"""Accuracy, recall, F1 and confusion matrix of cases with one of several classes each, weighted."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from scoring.common.arrays import Array, Floats, Ints

CHUNK_CELLS = 4_000_000
"""Maximum number of weights that are held in double precision at once."""


LONG = 64
"""From this number of replicates on, whole rows of weights are added at once."""
CLASSES_AT_ONCE = 64
"""Maximum number of classes whose one-hot indicators are held in memory at once."""


@dataclass(frozen=True)
class ClassCounts:
    """Weighted counts of B test sets and K classes.

    Attributes:
        support: Cases of each class [B, K].
        predicted: Predictions of each class [B, K].
        true_positive: Cases that are predicted as their class [B, K].
        total: Weight of all cases [B].
    """

    support: Floats
    predicted: Floats
    true_positive: Floats
    total: Floats


def one_hot(labels: ArrayLike, classes: int, dtype: DTypeLike = np.float32) -> Array:
    """Return class numbers as one-hot indicators.

    Args:
        labels: Class number of each case [N], 0..K-1; -1 is not a class.

    Returns:
        Zeros and ones [N, K].
    """
    indicators: Array = (np.asarray(labels)[:, None] == np.arange(classes)).astype(dtype)
    return indicators


def counts(truth: Ints, predicted: Ints, weights: Floats, classes: int) -> ClassCounts:
    """Count cases, predictions and correct predictions of each class.

    Sums of float32 weights are exact below 2^24 if all weights are integers; all later steps use float64.

    Args:
        truth: True class number of each case [N], 0..K-1, -1 = none.
        predicted: Predicted class number of each case [N], 0..K-1, -1 = none.
        weights: Weights of the cases [B, N].

    Example:
        >>> found = counts(np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones((1, 3)), 2)
        >>> recall(found).tolist(), f1(found).round(3).tolist()
        ([[0.5, 1.0]], [[0.667, 0.667]])
    """
    sums = [
        _sums_of_block(truth - k, predicted - k, weights, min(CLASSES_AT_ONCE, classes - k))
        for k in range(0, classes, CLASSES_AT_ONCE)
    ]
    support, predictions, hits = (np.hstack(kind) for kind in zip(*sums, strict=True))
    return ClassCounts(support, predictions, hits, weights.sum(1, dtype=float))


def _sums_of_block(truth: Ints, predicted: Ints, weights: Floats, classes: int) -> list[Floats]:
    """Return the weights of cases, predictions and hits of some of the classes [B, classes]."""
    is_true, is_predicted = one_hot(truth, classes, weights.dtype), one_hot(predicted, classes, weights.dtype)
    sums = (weights @ np.hstack([is_true, is_predicted, is_true * is_predicted])).astype(float)
    return np.split(sums, 3, axis=1)


def divide(numerator: ArrayLike, denominator: ArrayLike, undefined: float = np.nan) -> Floats:
    """Divide element by element.

    Args:
        undefined: The value where the denominator is 0.

    Returns:
        The quotients, float64, of the common shape.
    """
    above, below = np.asarray(numerator, float), np.asarray(denominator, float)
    defined = below != 0
    if defined.all():
        return np.asarray(np.divide(above, below, order="C"))
    out = np.full(np.broadcast_shapes(above.shape, below.shape), float(undefined))
    np.divide(above, below, out=out, where=defined)
    return out


def running_sums(rows: Floats) -> Floats:
    """Replace each row of [T, B] by the sum of this row and all rows before it, in place, and return the
    array.

    One addition per row is several times faster than NumPy's sum down the columns if rows are long.
    """
    if rows.shape[1] < LONG:
        return np.cumsum(rows, axis=0, out=rows)
    for before, row in pairwise(rows):
        row += before
    return rows


def accuracy(c: ClassCounts) -> Floats:
    """Return the share of cases whose class is predicted correctly [B]."""
    return divide(c.true_positive.sum(1), c.total)


def recall(c: ClassCounts) -> Floats:
    """Return true positives / support [B, K]; NaN for a class without a case."""
    return divide(c.true_positive, c.support)


def precision(c: ClassCounts) -> Floats:
    """Return true positives / predictions [B, K]; NaN for a class that is never predicted."""
    return divide(c.true_positive, c.predicted)


def f_score(
    true_positive: ArrayLike,
    support: ArrayLike,
    predicted: ArrayLike,
    undefined: float = np.nan,
    beta: float = 1,
) -> Floats:
    """Return the F-beta score, (1 + b^2) TP / (b^2 support + predictions): F1 with the default beta.

    Args:
        true_positive: Number of hits, any shape.
        support: Number of true cases or objects, of the same shape.
        predicted: Number of predictions, of that shape.
        undefined: The value if there are neither cases nor predictions; official programs differ in it.
        beta: Weight of recall against precision, above 0: b in the formula.

    Returns:
        Values 0..1 of the same shape.
    """
    square = beta * beta
    total = square * np.asarray(support, float) + np.asarray(predicted, float)
    return divide((1 + square) * np.asarray(true_positive, float), total, undefined)


def f1(c: ClassCounts) -> Floats:
    """Return the F1 of each class [B, K]; 0 for a class with neither a case nor a prediction."""
    return f_score(c.true_positive, c.support, c.predicted, 0)


def specificity(c: ClassCounts) -> Floats:
    """Return true negatives / cases of other classes [B, K]; NaN if all cases are of the class."""
    others = c.total[:, None] - c.support
    return divide(others - (c.predicted - c.true_positive), others)


def mean_of_defined(values: Floats) -> Floats:
    """Return the unweighted mean over the last axis, ignoring NaN; NaN if all values are NaN."""
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0).sum(-1), defined.sum(-1))


def weighted_mean(values: ArrayLike, weights: Floats) -> Floats:
    """Return the weighted mean of values in every replicate.

    Args:
        values: Value of each case [N]; NaN values are ignored.
        weights: Weights of the cases [B, N].

    Returns:
        Means [B]; NaN if the weights sum to 0.
    """
    numbers = np.asarray(values, float)
    defined = ~np.isnan(numbers)
    known, rows = numbers[defined], max(1, CHUNK_CELLS // max(1, len(numbers)))
    means = np.full(len(weights), np.nan)
    for start in range(0, len(weights), rows):
        chunk = weights[start : start + rows, defined].astype(float)
        means[start : start + rows] = divide(chunk @ known, chunk.sum(1))
    return means


def mean_over_present(values: Floats, c: ClassCounts) -> Floats:
    """Return the unweighted mean over the classes that have a case.

    Args:
        values: Values of each class [B, K], NaN if undefined.
        c: Counts of the same test sets.

    Returns:
        Means [B]; NaN if no class with a case has a value.
    """
    return mean_of_defined(np.where(c.support > 0, values, np.nan))


def support_weighted(values: Floats, c: ClassCounts) -> Floats:
    """Return the mean over the classes, weighted by support.

    Args:
        values: Values of each class [B, K]; NaN (0 / 0) counts as 0.
        c: Counts of the same test sets.

    Returns:
        Means [B]; NaN without a case.
    """
    return divide((np.nan_to_num(values) * c.support).sum(1), c.support.sum(1))


def confusion_matrix(truth: Ints, predicted: Ints, classes: int) -> Ints:
    """Count cases by true and predicted class.

    Args:
        truth: True class number of each case [N], 0..K-1, -1 = none.
        predicted: Predicted class number of each case [N], 0..K-1, -1 = none.

    Returns:
        Counts [K, K], rows = truth; a case with class -1 is not counted.
    """
    counted = (truth >= 0) & (predicted >= 0)
    cells = np.bincount(truth[counted] * classes + predicted[counted], minlength=classes * classes)
    return cells.reshape(classes, classes)
