"""Agreement of two submissions: Cohen's kappa, and agreement beyond what their accuracies explain. For nearly
identical submissions see `comparison.pairs`."""

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints

ROUNDING = 1e-12


def kappa(labels_a: Ints, labels_b: Ints) -> float:
    """Return Cohen's kappa (1960), the agreement of two submissions beyond chance.

    Args:
        labels_a: Class number of each case in the first submission [n].
        labels_b: Class number in the second [n].

    Returns:
        Kappa, at most 1; NaN without cases or if chance alone gives complete agreement.

    Example:
        >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
        0.5
    """
    if not len(labels_a):
        return np.nan
    names = np.unique(np.r_[labels_a, labels_b])
    shares = [(labels[:, None] == names).mean(0) for labels in (labels_a, labels_b)]
    expected = float(shares[0] @ shares[1])
    observed = float((labels_a == labels_b).mean())
    return np.nan if 1 - expected < ROUNDING else (observed - expected) / (1 - expected)


def beyond_accuracy(right: Bools) -> Floats:
    """Return for every two submissions how often they are right or wrong on the same cases, beyond what their
    accuracies explain.

    The agreement is (o - e) / (1 - e). Here o is the share of cases in which both are right or both are
    wrong. The expected share e is that of two independent submissions with the same accuracies.

    Args:
        right: Whether each submission is right in each case [A, n].

    Returns:
        The agreement [A, A], at most 1; NaN without a case or where e is 1.
    """
    n = right.shape[1]
    if not n:
        return np.full((len(right), len(right)), np.nan)
    hits = right.astype(float)
    observed = (hits @ hits.T + (1 - hits) @ (1 - hits).T) / n
    q = hits.sum(1) / n
    expected = np.outer(q, q) + np.outer(1 - q, 1 - q)
    more = np.where(1 - expected < ROUNDING, np.nan, 1 - expected)
    agreement: Floats = (observed - expected) / more
    return agreement


def hellinger(row: Floats, rows: Floats) -> Floats:
    """Return the Hellinger distance sqrt(1 - sum sqrt(p q)) of one case's probabilities p to those of other
    cases, q.

    Args:
        row: Probabilities of the case [K], which sum to 1.
        rows: Probabilities of the others [n, K].

    Returns:
        Distances [n]: 0 for equal rows, 1 if no class has a probability in both.

    Example:
        >>> hellinger(np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
        [0.0, 1.0]
    """
    distances: Floats = np.sqrt(np.clip(1 - np.sqrt(rows) @ np.sqrt(row), 0, 1))
    return distances


def nearest(row: Floats, rows: Floats, count: int) -> Ints:
    """Find the cases with the most similar probabilities.

    Args:
        row: Probabilities of the case [K].
        rows: Probabilities of the others [n, K].

    Returns:
        Positions of the `count` nearest rows (or all, if there are fewer), nearest first; equal distances
        keep their order.
    """
    return np.argsort(hellinger(row, rows), kind="stable")[:count]
