"""Power of a comparison: differences that a test set of this size can detect."""

import numpy as np
import scipy

from scoring.statistics.paired_bootstrap import LEVEL, PairTest

POWER = 0.8


def resolvable_gap(test: PairTest, n_units: int) -> dict[str, float] | None:
    """Return the differences that a test set of this size detects with a power of 50 % and 80 %, for the
    median standard error.

    Args:
        test: The test of all pairs.

    Returns:
        `one_pair` and `all_pairs`: true differences that are detected in half of the test sets, for one pair
        chosen beforehand and for all pairs together; the same with `_80` in four of five. None if no pair
        varies.
    """
    varying = test.errors[(test.errors > 0) & np.isfinite(test.errors)]
    if test.critical_value is None or not len(varying):
        return None
    error, more = float(np.median(varying)), float(scipy.special.stdtrit(n_units - 1, POWER))
    single = float(scipy.special.stdtrit(n_units - 1, (1 + LEVEL) / 2))
    return {
        "one_pair": single * error,
        "all_pairs": test.critical_value * error,
        "one_pair_80": (single + more) * error,
        "all_pairs_80": (test.critical_value + more) * error,
    }
