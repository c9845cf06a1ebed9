"""Greedy one-to-one matching of pairs, in a given order or by decreasing overlap.

The order comes from `detection_matching` (points, boxes) or `scoring.challenges.puma.nuclei_matching`
(nuclei).
"""

from collections import deque
from collections.abc import Mapping

import numpy as np

from scoring.common.arrays import Floats, Ints

NO_QUEUES: Mapping[int, deque[int]] = {}


def match_in_order(
    first: Ints, second: Ints, order: Ints, queues: Mapping[int, deque[int]] = NO_QUEUES
) -> tuple[Ints, Ints]:
    """Match members of pairs one to one. The pairs take turns; a pair matches if both its members are still
    free.

    Args:
        first: Number of the first member of each pair [P], at least 0.
        second: Number of the second member [P], at least 0.
        order: Positions of the pairs that may match, in the order of matching.
        queues: For some second members, a list of members of which the first free one is used instead.

    Returns:
        Positions of the matching pairs in order, and the second member that each uses.

    Example:
        >>> rows, used = match_in_order(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0, 1, 2]))
        >>> rows.tolist(), used.tolist()
        ([0], [0])
    """
    has_first = bytearray(int(first.max(initial=-1)) + 1)
    has_second = bytearray(int(second.max(initial=-1)) + 1)
    rows: list[int] = []
    used: list[int] = []
    for row, i, j in zip(order.tolist(), first[order].tolist(), second[order].tolist(), strict=True):
        if has_first[i] or has_second[j]:
            continue
        if j in queues:
            j = queues[j].popleft()
        has_first[i] = has_second[j] = 1
        rows.append(row)
        used.append(j)
    return np.array(rows, int), np.array(used, int)


def match_by_overlap(first: Ints, second: Ints, iou: Floats, above: float) -> Ints:
    """Match members of pairs one to one by decreasing intersection over union. Pairs with equal overlap are
    ordered by the number of the first, then of the second member.

    Args:
        first: Number of the first member of each pair [P], at least 0.
        second: Number of the second member of each pair [P], at least 0.
        iou: Intersection over union of each pair [P], 0..1.
        above: A pair matches only if its `iou` is above this value.

    Returns:
        Positions of the matching pairs, largest overlap first.
    """
    order = np.lexsort((second, first, -iou))
    return match_in_order(first, second, order[iou[order] > above])[0]
