"""Pairs of nearby true and predicted points, and one-to-one matching among them.

Source: the official evaluator of PUMA track 2, in which each true point chooses by confidence, then distance,
then file order; and the challenge's own description. The points of all images are in one list for the truth
and one for predictions; only points of the same image are paired.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from scoring.common.arrays import Bools, Floats, Ints
from scoring.metrics.greedy_matching import match_in_order

SLACK = 1e-9


@dataclass(frozen=True)
class NearbyPairs:
    """Nearby pairs of true and predicted points of the same image.

    Attributes:
        truth: Position in the list of truth points [P], int32.
        prediction: Position in the list of predictions [P], int32.
        distance: Distance of the two [P], float64, in the unit of the points.
    """

    truth: Ints
    prediction: Ints
    distance: Floats

    def __len__(self) -> int:
        return len(self.truth)

    def __getitem__(self, rows: Bools | Ints) -> "NearbyPairs":
        """Return some of the pairs, chosen by a mask [P] or by positions."""
        return NearbyPairs(self.truth[rows], self.prediction[rows], self.distance[rows])


def near_pairs(
    truth: Sequence[Floats], predictions: Sequence[Floats], reach: float, most: int
) -> NearbyPairs | None:
    """Find all pairs of points within a distance.

    Args:
        truth: Truth points of each image, float64 [n, 2], or of any number of dimensions.
        predictions: Predicted points of each image, float64 [m, 2].
        reach: Largest distance of a pair, sqrt(dx^2 + dy^2) in float64.

    Returns:
        The pairs; None if there are more than `most`.

    Example:
        >>> truth, predicted = np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([[3.0, 4.0]])
        >>> near_pairs([truth], [predicted], reach=5, most=100).distance.tolist()
        [5.0]
    """
    parts: list[tuple[Ints, Ints, Floats]] = []
    total, first_truth, first_prediction = 0, 0, 0
    for t, p in zip(truth, predictions, strict=True):
        if len(t) and len(p):
            # The tree's own rounding must lose no pair: it looks a little further, the exact test follows.
            trees, further = (_tree(t), _tree(p)), reach * (1 + SLACK) + SLACK
            if len(t) * len(p) > most - total and trees[0].count_neighbors(trees[1], further) > most - total:
                return None
            neighbours = trees[0].sparse_distance_matrix(trees[1], further, output_type="ndarray")
            i, j = neighbours["i"], neighbours["j"]
            distance = np.sqrt(((t[i] - p[j]) ** 2).sum(1))
            within = distance <= reach
            parts.append((i[within] + first_truth, j[within] + first_prediction, distance[within]))
            total += len(parts[-1][2])
        first_truth, first_prediction = first_truth + len(t), first_prediction + len(p)
    if not parts:
        return NearbyPairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
    truths, others, distances = zip(*parts, strict=True)
    return NearbyPairs(
        np.concatenate(truths).astype(np.int32),
        np.concatenate(others).astype(np.int32),
        np.concatenate(distances),
    )


def _tree(points: Floats) -> "scipy.spatial.cKDTree":
    # Used once: a tree that is quicker to build and slower to search costs less.
    return scipy.spatial.cKDTree(points, compact_nodes=False, balanced_tree=False)


def preference(pairs: NearbyPairs, confidence: Floats) -> Ints:
    """Return the order in which true points choose: highest confidence, then nearest, then first in the file.

    Args:
        pairs: The pairs [P].
        confidence: Confidence of each prediction, in the order of the list.

    Returns:
        Rows of `pairs` [P], sorted by true point.
    """
    return np.lexsort((pairs.prediction, pairs.distance, -confidence[pairs.prediction], pairs.truth))


def within(distance: Floats, radius: float | Floats, inclusive: bool) -> Bools:
    """Return which distances are within a radius.

    Args:
        radius: The radius, in the same unit, of a shape that broadcasts.
        inclusive: Whether a distance equal to the radius counts.
    """
    return distance <= radius if inclusive else distance < radius


def choose(pairs: NearbyPairs, confidence: Floats, twins: Ints | None = None) -> tuple[Ints, Ints]:
    """Match one to one: each true point in turn takes its first unused pair in the order of `preference`.

    Args:
        pairs: Pairs [P] that may match.
        confidence: Confidence of each prediction, in the order of the list.
        twins: For each prediction, the number of its group of predictions at the same place; -1 if it is
            alone there. If `twins` is given, the first unused prediction of the group replaces the chosen
            one.

    Returns:
        The rows of `pairs` that match, and the prediction that each uses.
    """
    order = preference(pairs, confidence)
    queues = _queues(pairs.prediction[order], twins) if twins is not None else {}
    return match_in_order(pairs.truth, pairs.prediction, order, queues)


def _queues(predictions: Ints, twins: Ints) -> dict[int, deque[int]]:
    """For each prediction that has twins those of its group, in the order in which they are used."""
    of_group: dict[int, deque[int]] = {}
    of_prediction = {}
    for p in np.unique(predictions[twins[predictions] >= 0]).tolist():
        of_prediction[p] = of_group.setdefault(int(twins[p]), deque())
        of_prediction[p].append(p)
    return of_prediction


def same_place(points: Floats, groups: Ints) -> Ints:
    """Number the groups of points at exactly the same place.

    Args:
        points: Points [n, 2].
        groups: Group of each point [n]; only points of the same group are compared.

    Returns:
        Number of each point's place [n]; -1 if no other point is there.
    """
    number = np.full(len(points), -1, np.int32)
    # Few points share even one coordinate: only those are compared in full.
    across = np.argsort(points[:, 0])
    level = np.diff(points[across, 0]) == 0
    rows = across[np.r_[level, False] | np.r_[False, level]] if len(points) else across
    rows = rows[np.lexsort((points[rows, 1], points[rows, 0], groups[rows]))]
    apart = (np.diff(points[rows], axis=0) != 0).any(1) | (np.diff(groups[rows]) != 0)
    numbers = np.cumsum(np.r_[False, apart])[: len(rows)]
    shared = np.bincount(numbers, minlength=1)[numbers] > 1
    number[rows[shared]] = numbers[shared]
    return number


def nearest(points: Ints, others: Ints, distance: Floats, n_points: int) -> Ints:
    """Find the nearest other point of each point among given pairs.

    Args:
        points: Index of one point of each pair [P].
        others: Index of the other point of each pair [P]; if several are equally near, the first counts.
        distance: Distance of the two points of each pair [P].

    Returns:
        For each point, the row of its nearest pair [n_points]; -1 if the point is in no pair.
    """
    order = np.lexsort((others, distance, points))[::-1]
    closest = np.full(n_points, -1)
    closest[points[order]] = order
    return closest
