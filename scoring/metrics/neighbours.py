"""Cases that a model scored alike: how near two rows of probabilities are."""

import numpy as np


def hellinger(row: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Hellinger distance of probabilities [K] to each of [n, K]: sqrt(1 - sum sqrt(p q)), 0 for equal rows, 1
    where they share no class."""
    return np.sqrt(np.clip(1 - np.sqrt(rows) @ np.sqrt(row), 0, 1))


def nearest(row: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    """Indices of the `count` nearest rows [n, K] (all, where there are fewer), the nearest first, equal ones
    in their order."""
    return np.argsort(hellinger(row, rows), kind="stable")[:count]
