"""Panoptic quality of segmented objects: PQ = SQ x RQ.

Source: Kirillov et al., Panoptic Segmentation, CVPR 2019. Objects match where their IoU exceeds 0.5; SQ is
the mean IoU of the matches, RQ their F1.
"""

import numpy as np

from scoring.common.arrays import Floats, Ints
from scoring.metrics.classification import divide

LEAST_IOU = 0.5


def matches(iou: Floats, truth: Ints, predicted: Ints, least: float = LEAST_IOU) -> Ints:
    """Return which pairs match: an IoU above `least`, and each object in one match at most.

    Where objects of one side do not overlap, no object has two such pairs. Where they do, the largest IoU
    is matched first, then the first object of the truth, then the first prediction.

    Args:
        iou: Of each pair [p].
        truth: Position of its object of the truth [p].
        predicted: Position of its prediction [p].
        least: IoU that a match must exceed.

    Returns:
        Positions of the pairs that match, ascending.
    """
    order = np.lexsort((predicted, truth, -iou))
    order = order[iou[order] > least]
    used_truth: set[int] = set()
    used_predictions: set[int] = set()
    chosen = []
    for pair, i, j in zip(order.tolist(), truth[order].tolist(), predicted[order].tolist(), strict=True):
        if i not in used_truth and j not in used_predictions:
            used_truth.add(i)
            used_predictions.add(j)
            chosen.append(pair)
    return np.sort(np.array(chosen, int))


def segmentation_quality(iou_sum: Floats, matched: Floats) -> Floats:
    """Return SQ, the mean IoU of the matches; NaN without any.

    Args:
        iou_sum: Sum of the IoU of the matches.
        matched: Number of matches.
    """
    return divide(iou_sum, matched)


def recognition_quality(matched: Floats, support: Floats, predicted: Floats) -> Floats:
    """Return RQ, the F1 of the matches; NaN where there is no object on either side.

    Args:
        matched: Number of matches.
        support: Objects of the truth.
        predicted: Predicted objects.
    """
    return divide(2 * matched, support + predicted)


def panoptic_quality(iou_sum: Floats, support: Floats, predicted: Floats) -> Floats:
    """Return PQ; NaN where there is no object on either side.

    Args:
        iou_sum: Sum of the IoU of the matches.
        support: Objects of the truth.
        predicted: Predicted objects.
    """
    return divide(2 * iou_sum, support + predicted)
