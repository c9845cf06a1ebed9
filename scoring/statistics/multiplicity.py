"""Many tests at once."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> np.ndarray:
    """p-values [P] adjusted by Holm (1979): the smallest times P, the next times P - 1 ..., never below an
    earlier one, at most 1."""
    # Not `multipletests` of statsmodels: it calls the garbage collector, which takes longer than a
    # comparison.
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1)))
    return adjusted
