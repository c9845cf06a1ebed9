"""Dice, aggregated Dice and panoptic quality of overlapping regions."""

import numpy as np

from scoring.common.arrays import Floats, Ints, Numbers
from scoring.metrics.classification import divide

BOTH_EMPTY = {"one": 1.0, "zero": 0.0, "skip": np.nan}
"""Rule -> Dice of two empty regions; NaN leaves the case out of the mean."""
LEAST_IOU = 0.5
"""IoU above which objects match in panoptic quality, SQ x RQ (Kirillov et al., CVPR 2019)."""


def overlap(tables: Ints, label: int) -> tuple[Ints, Ints, Ints]:
    """Count the voxels of one label.

    Args:
        tables: Voxels of each case by true label (rows) and predicted label (columns) [N, L, L].
        label: The label, 0..L-1.

    Returns:
        Voxels in both masks, in the truth and in the prediction, [N] each.
    """
    return tables[:, label, label], tables[:, label].sum(1), tables[:, :, label].sum(1)


def dice(both: Numbers, truth: Numbers, prediction: Numbers, empty: str = "one") -> Floats:
    """Return the Dice coefficient: twice the common voxels, divided by the voxels of truth plus those of
    prediction.

    Args:
        both: Voxels in both masks, any shape.
        truth: Voxels in the truth G, of that shape.
        prediction: Voxels in the prediction P, of that shape.
        empty: The value if both masks are empty: "one", "zero" or "skip" (NaN).

    Returns:
        Values 0..1 of that shape.

    Example:
        >>> dice(np.array([3, 0]), np.array([4, 0]), np.array([4, 0])).tolist()
        [0.75, 1.0]
    """
    return divide(2.0 * both, truth + prediction, BOTH_EMPTY[empty])


def aggregated_dice(
    both: Numbers, truth: Numbers, prediction: Numbers, weights: Floats, empty: str = "one"
) -> Floats:
    """Return the Dice coefficient of all cases pooled (DSC_agg of HECKTOR 2022): voxels are summed over the
    cases before dividing.

    Args:
        both: Voxels in both masks of each case [N].
        truth: Voxels in the truth [N].
        prediction: Voxels in the prediction [N].
        weights: Weights of the cases [B, N].
        empty: The value if all masks are empty: "one", "zero" or "skip" (NaN).

    Returns:
        Values [B], 0..1.
    """
    weights = weights.astype(float)
    return dice(weights @ both, weights @ truth, weights @ prediction, empty)


def segmentation_quality(iou_sum: Floats, matched: Floats) -> Floats:
    """Return SQ, the mean IoU of the matches; NaN without matches.

    Args:
        iou_sum: Sum of the IoU of the matches.
        matched: Number of matches.
    """
    return divide(iou_sum, matched)


def panoptic_quality(iou_sum: Floats, support: Floats, predicted: Floats) -> Floats:
    """Return PQ, the panoptic quality; NaN if neither truth nor prediction has an object.

    Args:
        support: Number of true objects.
        predicted: Number of predicted objects.
    """
    return divide(2 * iou_sum, support + predicted)
