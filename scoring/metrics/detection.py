"""Detection by points: which truth is found by which prediction, counts and F1 from that.

Source: the official evaluator of PUMA track 2 (truth chooses: confidence, then distance, then file order) and
the challenge's own description. Points of several pictures stand in one list each; pairs know which picture
they are of, for only points of one picture are ever paired.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from scoring.metrics.classification import divide

SLACK = 1e-9


@dataclass(frozen=True)
class Pairs:
    """Truth and prediction points of one picture that lie near each other: positions int32 [P] in the lists
    of all pictures, distance float64 [P]."""

    truth: np.ndarray
    prediction: np.ndarray
    distance: np.ndarray

    def __len__(self) -> int:
        return len(self.truth)

    def __getitem__(self, rows: np.ndarray) -> "Pairs":
        """The pairs of some rows: a mask [P] or positions."""
        return Pairs(self.truth[rows], self.prediction[rows], self.distance[rows])


def near_pairs(
    truth: Sequence[np.ndarray], predictions: Sequence[np.ndarray], reach: float, most: int
) -> Pairs | None:
    """Every pair at most `reach` apart, None where there are more than `most`. truth, predictions: points
    float64 [n, 2] of each picture.

    Distance: sqrt(dx^2 + dy^2) in float64.
    """
    parts, total, first_truth, first_prediction = [], 0, 0, 0
    for t, p in zip(truth, predictions, strict=True):
        if len(t) and len(p):
            # The tree's own rounding must lose no pair: it looks a little further, the exact test follows.
            trees, further = (_tree(t), _tree(p)), reach * (1 + SLACK) + SLACK
            if len(t) * len(p) > most - total and trees[0].count_neighbors(trees[1], further) > most - total:
                return None
            found = trees[0].sparse_distance_matrix(trees[1], further, output_type="ndarray")
            i, j = found["i"], found["j"]
            away = t[i] - p[j]
            distance = np.sqrt(away[:, 0] ** 2 + away[:, 1] ** 2)
            kept = distance <= reach
            parts.append((i[kept] + first_truth, j[kept] + first_prediction, distance[kept]))
            total += len(parts[-1][2])
        first_truth, first_prediction = first_truth + len(t), first_prediction + len(p)
    if not parts:
        return Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
    i, j, distance = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Pairs(i.astype(np.int32), j.astype(np.int32), distance)


def _tree(points: np.ndarray) -> "scipy.spatial.cKDTree":
    # Used once: a tree that is quicker to build and slower to search costs less.
    return scipy.spatial.cKDTree(points, compact_nodes=False, balanced_tree=False)


def preference(pairs: Pairs, confidence: np.ndarray) -> np.ndarray:
    """The order [P] in which truth chooses: truth by truth, the highest confidence [predictions] first, then
    the nearest, then the first listed."""
    return np.lexsort((pairs.prediction, pairs.distance, -confidence[pairs.prediction], pairs.truth))


def within(distance: np.ndarray, radius: float, inclusive: bool) -> np.ndarray:
    """Whether a distance counts as found: at most the radius, or, where the circle itself is outside, less
    than it."""
    return distance <= radius if inclusive else distance < radius


def choose(
    pairs: Pairs, confidence: np.ndarray, twins: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """One to one, truth after truth: each takes the first of its pairs, by `preference`, whose prediction is
    still unused.

    pairs: those that may match. confidence: of each prediction. twins: of each prediction the number of the
    group of those at the same place, -1 = alone; where it is given, the first unused one of the group is used
    up in place of the one chosen. Gives the rows of `pairs` that were chosen and the prediction that each
    used up.
    """
    truths, predictions = np.bincount(pairs.truth), np.bincount(pairs.prediction, minlength=len(confidence))
    # With no rival on either side there is no choice to make.
    settled = (truths[pairs.truth] == 1) & (predictions[pairs.prediction] == 1)
    contested = np.flatnonzero(~settled)
    contested = contested[preference(pairs[contested], confidence)]
    rows, used = _choose_in_turn(contested, pairs, len(confidence), twins)
    return np.r_[np.flatnonzero(settled), rows], np.r_[pairs.prediction[settled], used]


def _choose_in_turn(
    contested: np.ndarray, pairs: Pairs, n_predictions: int, twins: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    taken, last, rows, used = bytearray(n_predictions), -1, [], []
    queues = _queues(pairs.prediction[contested], twins) if twins is not None else {}
    for row, t, p in zip(
        contested.tolist(), pairs.truth[contested].tolist(), pairs.prediction[contested].tolist(), strict=True
    ):
        if t == last or taken[p]:
            continue
        last = t
        if queues and twins[p] in queues:
            p = queues[twins[p]].popleft()
        taken[p] = 1
        rows.append(row)
        used.append(p)
    return np.array(rows, int), np.array(used, int)


def _queues(predictions: np.ndarray, twins: np.ndarray) -> dict[int, deque]:
    queues: dict[int, deque] = {}
    for p in np.unique(predictions[twins[predictions] >= 0]).tolist():
        queues.setdefault(int(twins[p]), deque()).append(p)
    return queues


def same_place(points: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Number of the set of points [n, 2] of one group [n] at exactly the same place, -1 for a point alone."""
    number = np.full(len(points), -1, np.int32)
    # Few points share even one coordinate: only those are compared in full.
    across = np.argsort(points[:, 0])
    level = np.diff(points[across, 0]) == 0
    rows = across[np.r_[level, False] | np.r_[False, level]] if len(points) else across
    rows = rows[np.lexsort((points[rows, 1], points[rows, 0], groups[rows]))]
    apart = (np.diff(points[rows], axis=0) != 0).any(1) | (np.diff(groups[rows]) != 0)
    place = np.cumsum(np.r_[False, apart])[: len(rows)]
    shared = np.bincount(place, minlength=1)[place] > 1
    number[rows[shared]] = place[shared]
    return number


def pair_off(pairs: Pairs) -> np.ndarray:
    """The rows that pair the nearest first, one to one; equal distances by truth, then by prediction."""
    order = np.lexsort((pairs.prediction, pairs.truth, pairs.distance))
    truths, predictions, rows = set(), set(), []
    for row, t, p in zip(
        order.tolist(), pairs.truth[order].tolist(), pairs.prediction[order].tolist(), strict=True
    ):
        if t not in truths and p not in predictions:
            truths.add(t)
            predictions.add(p)
            rows.append(row)
    return np.array(rows, int)


def nearest(points: np.ndarray, others: np.ndarray, distance: np.ndarray, n_points: int) -> np.ndarray:
    """The row of each point's nearest other [n_points], equal ones by position; -1 where it has none. points,
    others, distance: [P]."""
    order = np.lexsort((others, distance, points))[::-1]
    found = np.full(n_points, -1)
    found[points[order]] = order
    return found


def precision(true_positive: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """True positives / predictions; NaN without any."""
    return divide(true_positive, predicted)


def recall(true_positive: np.ndarray, support: np.ndarray) -> np.ndarray:
    """True positives / truth; NaN without any."""
    return divide(true_positive, support)


def f1(true_positive: np.ndarray, support: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """2 TP / (2 TP + FP + FN) = 2 TP / (truth + predictions); NaN where there is neither."""
    return divide(2 * np.asarray(true_positive, float), np.asarray(support, float) + predicted)
