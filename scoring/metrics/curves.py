"""Points of the ROC and precision-recall curves of one score, drawn by
`scoring.presentation.figures.curves`; their areas: `auc_and_average_precision`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.metrics import auc_and_average_precision, binary
from scoring.metrics.classification import divide
from scoring.statistics.intervals import QUANTILES
from scoring.statistics.replicates import curve_weights

GRID = np.linspace(0, 1, 61)
ROC = ("roc_sensitivity", "roc_low", "roc_high")
PRECISION_RECALL = ("pr_precision", "pr_low", "pr_high")


def auc(scores: Floats, positive: Bools) -> float:
    """Return the area under the ROC curve: the share of pairs of a positive and a negative case in which the
    positive has the higher score; ties count half.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].

    Returns:
        The area, 0..1; NaN if there are no positives or no negatives.
    """
    return float(resampled_auc(scores, positive, np.ones((1, len(scores)), np.float32))[0])


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
    """Return the AUC of K scores in every replicate [B, K].

    Args:
        scores: The K scores of each case [N, K].
        positive: Which cases are positive for each score [N, K].
        weights: Weights of the cases [B, N].
    """
    levels = [
        auc_and_average_precision.levels(*columns) for columns in zip(scores.T, positive.T, strict=True)
    ]
    return np.column_stack(
        [
            chunk["auc"]
            for chunk in auc_and_average_precision.all_in_chunks(
                levels, weights, {"auc": auc_and_average_precision.auc}
            )
        ]
    )


def auc_without_each_unit(
    scores: Floats, positive: Bools, units: Ints, case_weights: Floats | None = None
) -> Floats:
    """Return the AUCs of the n test sets that lack one unit each, computed with one sort instead of n.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        units: Unit number of each case [N], from 0.
        case_weights: Weights of the cases [N].

    Returns:
        Areas [n], 0..1; NaN if no positive or no negative remains.

    Example:
        >>> auc_without_each_unit(np.array([0.9, 0.2, 0.5]), np.array([True, True, False]), np.arange(3))
        array([ 0.,  1., nan])
    """
    weights = np.ones(len(scores)) if case_weights is None else case_weights
    credit = _credit(scores, positive, weights)
    n = int(units.max()) + 1
    of_unit = np.bincount(units, credit, n)
    for unit in np.flatnonzero(np.bincount(units, minlength=n) > 1):
        own = units == unit
        # Pairs within a unit were counted with both of their cases.
        of_unit[unit] -= _credit(scores[own], positive[own], weights[own]).sum() / 2
    hits = np.bincount(units, weights * positive, n)
    others = np.bincount(units, weights * ~positive, n)
    return divide(credit.sum() / 2 - of_unit, (hits.sum() - hits) * (others.sum() - others))


def _credit(scores: Floats, positive: Bools, weights: Floats) -> Floats:
    """Return the weighted pairs in the right order, ties half, that each case [N] is in."""
    values, rank = np.unique(scores, return_inverse=True)
    credit = np.zeros(len(scores))
    for own, sign in ((positive, 1), (~positive, -1)):
        at = np.bincount(rank, weights * ~own, len(values))
        below = np.cumsum(at) - at / 2
        credit[own] = (below if sign > 0 else at.sum() - below)[rank[own]]
    return weights * credit


def resampled_curves(
    scores: ArrayLike, positive: ArrayLike, weights: Floats, grid: Floats
) -> tuple[Floats, Floats]:
    """Return ROC and precision-recall curves of every replicate on a common grid.

    Sensitivity is interpolated linearly between the points of the ROC curve. Precision is that of the first
    threshold that reaches the recall. It is not interpolated, because no threshold gives a point between two
    points of a precision-recall curve.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        weights: Weights of the cases [B, N].
        grid: Grid points [G], 0..1.

    Returns:
        Sensitivity where 1 - specificity equals a grid point, and precision where recall does, [B, G] each;
        NaN for a replicate without a positive or without a negative.
    """
    scores, positive = np.asarray(scores, float), np.asarray(positive, bool)
    counts = binary.count_by_threshold(scores, positive, weights)
    hits, false_alarms = counts.true_positive, counts.false_positive
    sensitivity, precision = np.full((2, len(weights), len(grid)), np.nan)
    for b in np.flatnonzero((hits[:, -1] > 0) & (false_alarms[:, -1] > 0)):
        x, y = np.r_[0, false_alarms[b] / false_alarms[b, -1]], np.r_[0, hits[b] / hits[b, -1]]
        sensitivity[b] = np.interp(grid, x, y)
        # The highest scores may not have been drawn: no threshold stands there.
        first = np.argmax(hits[b] + false_alarms[b] > 0)
        reached = np.clip(np.searchsorted(y[1:], grid - 1e-12, "left"), first, len(counts.thresholds) - 1)
        precision[b] = divide(hits[b, reached], hits[b, reached] + false_alarms[b, reached])
    return sensitivity, precision


def banded_curves(outputs: Floats, truth: Ints, weights: Floats) -> dict[str, Array]:
    """Return one-versus-rest curves of each class with pointwise 95 % bands.

    Args:
        outputs: Output for each case and class [N, K].
        truth: Class number of each case [N], 0..K-1.
        weights: Weights of the cases in the replicates [B, N].

    Returns:
        `roc_grid` [61] (1 - specificity) and `pr_grid` [61] (recall). `roc_sensitivity`, `pr_precision` [K,
        61]: the curves. `roc_low`, `roc_high`, `pr_low`, `pr_high` [K, 61]: the ends of their bands. NaN for
        a class without a case.
    """
    classes, both = outputs.shape[1], np.concatenate([np.ones((1, len(truth)), weights.dtype), weights])
    arrays = {name: np.full((classes, len(GRID)), np.nan) for name in (*ROC, *PRECISION_RECALL)}
    for k in range(classes):
        for (value, low, high), values in zip(
            (ROC, PRECISION_RECALL), resampled_curves(outputs[:, k], truth == k, both, GRID), strict=True
        ):
            arrays[value][k] = values[0]
            drawn = values[1:][~np.isnan(values[1:]).any(1)]
            if len(drawn):
                arrays[low][k], arrays[high][k] = np.quantile(drawn, QUANTILES, axis=0)
    return arrays | {"roc_grid": GRID.copy(), "pr_grid": GRID.copy()}


def card_curves(
    outputs: Floats, truth: Ints, members: Bools, units: Ints, source: Mapping[str, Any]
) -> dict[str, Array]:
    """Return the result of `banded_curves` on the replicates of a scorecard; empty without replicates.

    Args:
        outputs: Output for each case and class [N, K].
        truth: Class number of each case [N], 0..K-1.
        members: Which cases count [N].
        units: Unit number of each case [N].
        source: `provenance` of the scorecard.
    """
    if not source["resamples"] or not members.any():
        return {}
    return banded_curves(outputs[members], truth[members], curve_weights(units, source)[:, members])
