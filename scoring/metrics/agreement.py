"""How alike two submissions are beyond what their quality explains: the same mistakes, and the same cases
right."""

import numpy as np

ROUNDING = 1e-12


def kappa(labels_a: np.ndarray, labels_b: np.ndarray) -> float:
    """Cohen's kappa of labels [n], whole numbers; NaN without a case or where chance alone would agree."""
    if not len(labels_a):
        return np.nan
    names = np.unique(np.r_[labels_a, labels_b])
    shares = [(labels[:, None] == names).mean(0) for labels in (labels_a, labels_b)]
    expected = float(shares[0] @ shares[1])
    observed = float((labels_a == labels_b).mean())
    return np.nan if 1 - expected < ROUNDING else (observed - expected) / (1 - expected)


def beyond_accuracy(right_a: np.ndarray, right_b: np.ndarray) -> float:
    """(o - e) / (1 - e) of bool [n] each: o = share of cases that both got right or both wrong, e = what two
    independent teams of these accuracies would reach; NaN where e is 1."""
    if not len(right_a):
        return np.nan
    q_a, q_b = float(right_a.mean()), float(right_b.mean())
    expected = q_a * q_b + (1 - q_a) * (1 - q_b)
    observed = float((right_a == right_b).mean())
    return np.nan if 1 - expected < ROUNDING else (observed - expected) / (1 - expected)
