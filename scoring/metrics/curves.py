"""Curves of one score against a yes or no: ROC, precision and recall, and the areas under them."""

import numpy as np
from numpy.typing import ArrayLike

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.metrics import roc
from scoring.metrics.classification import divide
from scoring.statistics.intervals import QUANTILES

GRID = np.linspace(0, 1, 61)
ROC = ("roc_sensitivity", "roc_low", "roc_high")
PRECISION_RECALL = ("pr_precision", "pr_low", "pr_high")


def _steps(scores: Floats, positive: Bools) -> tuple[Floats, Ints, Ints]:
    """Distinct thresholds from high to low, and the positives and negatives at or above each."""
    order = np.argsort(-scores, kind="stable")
    scores, positive = scores[order], positive[order]
    last = np.flatnonzero(np.r_[scores[1:] != scores[:-1], True][: len(scores)])
    hits = np.cumsum(positive, dtype=int)[last]
    return scores[last], hits, last + 1 - hits


def roc_curve(scores: ArrayLike, positive: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the ROC curve at every distinct score, from (0, 0) to (1, 1).

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].

    Returns:
        1 - specificity, sensitivity and threshold [T + 1] each, the first threshold infinite; an axis is NaN
        where the truth lacks negatives or positives.

    Example:
        >>> x, y, _ = roc_curve([0.9, 0.6, 0.4], [True, False, True])
        >>> x.tolist(), y.tolist()
        ([0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0])
    """
    thresholds, hits, false_alarms = _steps(np.asarray(scores, float), np.asarray(positive, bool))
    if not len(thresholds):
        return np.array([0.0]), np.array([0.0]), np.array([np.inf])
    return (
        divide(np.r_[0, false_alarms], false_alarms[-1]),
        divide(np.r_[0, hits], hits[-1]),
        np.r_[np.inf, thresholds],
    )


def precision_recall_curve(scores: ArrayLike, positive: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return recall and precision at every distinct score, from high to low.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].

    Returns:
        Recall, precision and threshold [T] each; recall is NaN where the truth has no positive.
    """
    thresholds, hits, false_alarms = _steps(np.asarray(scores, float), np.asarray(positive, bool))
    return divide(hits, hits[-1] if len(hits) else 0), divide(hits, hits + false_alarms), thresholds


def auc(scores: Floats, positive: Bools) -> float:
    """Return the area under the ROC curve: the share of pairs in the right order, ties half.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].

    Returns:
        The area, 0..1; NaN without a positive or without a negative.
    """
    return float(resampled_auc(scores, positive, np.ones((1, len(scores)), np.float32))[0])


def average_precision(scores: ArrayLike, positive: ArrayLike) -> float:
    """Return the sum of precision x step of recall over the distinct thresholds, not interpolated.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].

    Returns:
        The average precision, 0..1; NaN without a positive or without a negative.
    """
    positive = np.asarray(positive, bool)
    if not positive.any() or positive.all():
        return float("nan")
    recall, precision, _ = precision_recall_curve(scores, positive)
    return float(np.sum(np.diff(recall, prepend=0) * precision))


def resampled_auc(scores: Floats, positive: Bools, weights: Floats) -> Floats:
    """Return the AUC of every replicate.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        weights: Weights of the cases [B, N].

    Returns:
        Areas [B], 0..1; NaN for a replicate without a positive or without a negative.
    """
    return resampled_aucs(scores[:, None], positive[:, None], weights)[:, 0]


def resampled_aucs(scores: Floats, positive: Bools, weights: Floats) -> Floats:
    """Return the AUC of K scores in every replicate [B, K]. scores, positive: [N, K]; otherwise as of
    `resampled_auc`."""
    levels = [roc.levels(*columns) for columns in zip(scores.T, positive.T, strict=True)]
    return np.column_stack([found["auc"] for found in roc.all_in_chunks(levels, weights, {"auc": roc.auc})])


def resampled_curves(
    scores: ArrayLike, positive: ArrayLike, weights: Floats, grid: Floats
) -> tuple[Floats, Floats]:
    """Return ROC and precision-recall curves of every replicate on a common grid.

    Sensitivity is interpolated linearly between the points of the ROC curve; precision is that of the first
    threshold that reaches the recall (a precision-recall curve is a staircase: between its points nothing can
    be reached).

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        weights: Weights of the cases [B, N].
        grid: Places [G], 0..1.

    Returns:
        Sensitivity at 1 - specificity = grid, and precision at recall = grid, [B, G] each; NaN for a
        replicate without a positive or without a negative.
    """
    scores, positive = np.asarray(scores, float), np.asarray(positive, bool)
    order = np.argsort(-scores, kind="stable")
    descending = scores[order]
    last = np.flatnonzero(np.r_[descending[1:] != descending[:-1], True])
    ordered = weights[:, order]
    hits = np.cumsum(ordered * positive[order], axis=1, dtype=float)[:, last]
    false_alarms = np.cumsum(ordered * ~positive[order], axis=1, dtype=float)[:, last]
    sensitivity, precision = np.full((2, len(weights), len(grid)), np.nan)
    for b in np.flatnonzero((hits[:, -1] > 0) & (false_alarms[:, -1] > 0)):
        x, y = np.r_[0, false_alarms[b] / false_alarms[b, -1]], np.r_[0, hits[b] / hits[b, -1]]
        sensitivity[b] = np.interp(grid, x, y)
        # The highest scores may not have been drawn: no threshold stands there.
        first = np.argmax(hits[b] + false_alarms[b] > 0)
        reached = np.clip(np.searchsorted(y[1:], grid - 1e-12, "left"), first, len(last) - 1)
        precision[b] = divide(hits[b, reached], hits[b, reached] + false_alarms[b, reached])
    return sensitivity, precision


def banded_curves(outputs: Floats, truth: Ints, weights: Floats) -> dict[str, Array]:
    """Return one-against-rest curves of each class with pointwise 95 % bands.

    Args:
        outputs: Output of each case for each class [N, K].
        truth: Class number of each case [N], 0..K-1.
        weights: Weights of the cases in the replicates [B, N].

    Returns:
        `roc_grid`, `pr_grid` [61]: 1 - specificity, recall. `roc_sensitivity`, `roc_low`, `roc_high`,
        `pr_precision`, `pr_low`, `pr_high` [K, 61]: curves and the ends of their bands, NaN for a class
        without a case.
    """
    classes, both = outputs.shape[1], np.concatenate([np.ones((1, len(truth)), weights.dtype), weights])
    found = {name: np.full((classes, len(GRID)), np.nan) for name in (*ROC, *PRECISION_RECALL)}
    for k in range(classes):
        for (value, low, high), values in zip(
            (ROC, PRECISION_RECALL), resampled_curves(outputs[:, k], truth == k, both, GRID), strict=True
        ):
            found[value][k] = values[0]
            drawn = values[1:][~np.isnan(values[1:]).any(1)]
            if len(drawn):
                found[low][k], found[high][k] = np.quantile(drawn, QUANTILES, axis=0)
    return found | {"roc_grid": GRID.copy(), "pr_grid": GRID.copy()}
