"""What a test of all pairs of teams gives, whichever it is."""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.common.arrays import Bools, Floats

LEVEL = 0.95
NO_SPREAD = 1e-12
"""Standard errors below this are none."""
POWER = 0.8


@dataclass(frozen=True)
class PairTest:
    """Every two of several teams tested, in the order of `numpy.triu_indices(A, 1)`.

    Attributes:
        errors: Standard error of each difference [P]; 0 where nothing varies, infinite where it is unknown.
        intervals: 95 % interval of each difference by itself, None where undefined.
        p_values: p-value of each pair by itself [P], 0..1.
        p_adjusted: The same, adjusted for all pairs.
        critical_value: Standard errors by which a pair has to differ to be separated; None where it is
            infinite or no pair varies.
        reach: Half the width of the simultaneous intervals [P], infinite where there are none.
        separated: Whether the two are told apart [P].
    """

    errors: Floats
    intervals: list[list[float] | None]
    p_values: Floats
    p_adjusted: Floats
    critical_value: float | None
    reach: Floats
    separated: Bools


def resolvable_gap(test: PairTest, n_units: int) -> dict[str, float] | None:
    """Return the differences that a test set of this size can resolve, for the median standard error.

    Args:
        test: The test of all pairs.
        n_units: Number of units.

    Returns:
        `one_pair` and `all_pairs`: true differences that are told apart in half of the test sets, for one
        pair named beforehand, and where all pairs are looked at; the same with `_80` in four of five. None
        where no pair varies.
    """
    varying = test.errors[(test.errors > 0) & np.isfinite(test.errors)]
    if test.critical_value is None or not len(varying):
        return None
    error, more = float(np.median(varying)), float(scipy.special.stdtrit(n_units - 1, POWER))
    one = float(scipy.special.stdtrit(n_units - 1, (1 + LEVEL) / 2))
    return {
        "one_pair": one * error,
        "all_pairs": test.critical_value * error,
        "one_pair_80": (one + more) * error,
        "all_pairs_80": (test.critical_value + more) * error,
    }
