"""Many tests at once."""

import numpy as np
from numpy.typing import ArrayLike

from scoring.common.arrays import Floats


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values for multiple testing by Holm (1979).

    The smallest is multiplied by P, the next by P - 1 and so on; none falls below an earlier one or exceeds
    1.

    Args:
        p_values: p-values [P], 0..1.

    Returns:
        Adjusted p-values [P], in the order given.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    # Not `multipletests` of statsmodels: it calls the garbage collector, which takes longer than a
    # comparison.
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1)))
    return adjusted
