"""Cases that a model scores alike: how near two rows of probabilities are."""

import numpy as np

from scoring.common.arrays import Floats, Ints


def hellinger(row: Floats, rows: Floats) -> Floats:
    """Return the Hellinger distance of one case's probabilities to those of others, sqrt(1 - sum sqrt(p q)).

    Args:
        row: Probabilities of the case [K], which sum to 1.
        rows: Probabilities of the others [n, K].

    Returns:
        Distances [n], 0 for equal rows, 1 where they share no class.

    Example:
        >>> hellinger(np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
        [0.0, 1.0]
    """
    distances: Floats = np.sqrt(np.clip(1 - np.sqrt(rows) @ np.sqrt(row), 0, 1))
    return distances


def nearest(row: Floats, rows: Floats, count: int) -> Ints:
    """Find the cases whose probabilities are nearest.

    Args:
        row: Probabilities of the case [K].
        rows: Probabilities of the others [n, K].
        count: Number of cases wanted.

    Returns:
        Positions of the nearest `count` rows (all, where there are fewer), the nearest first, equal ones in
        their order.
    """
    return np.argsort(hellinger(row, rows), kind="stable")[:count]
