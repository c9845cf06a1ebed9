"""Correction of a test of all pairs of teams for all submissions that were ever scored.

The best of many attempts leads by chance, and whoever checks after each submission finds a lead sooner or
later. The test set stays the same, so each check adds only the pairs of the newest submission. After m
submissions each pair is tested at 5 % / (m (m - 1)^2). Over all m, and the m - 1 pairs that each submission
adds, this sums to 5 %, for any number of submissions and any choice among them.
"""

from dataclasses import replace

import numpy as np
import scipy

from scoring.common.arrays import Floats
from scoring.statistics.paired_bootstrap import LEVEL, PairTest


def corrected(test: PairTest, differences: Floats, n_units: int, submissions: int) -> PairTest:
    """Return a test that keeps 95 % confidence over all checks together.

    Args:
        differences: Difference of each pair [P].
        submissions: Number of submissions of all teams scored so far; below 2 nothing is corrected.

    Returns:
        p-values, critical value and reach, never smaller than in the test, by Student's t.
    """
    shares = submissions * (submissions - 1) ** 2
    if submissions < 2 or test.critical_value is None:
        return test
    freedom, varies = n_units - 1, test.errors > 0
    ratios = np.divide(np.abs(differences), test.errors, out=np.zeros(len(differences)), where=varies)
    beyond = np.minimum(1, 2 * shares * scipy.special.stdtr(freedom, -ratios))
    adjusted = np.where(varies, np.maximum(test.p_adjusted, beyond), test.p_adjusted)
    critical = -float(scipy.special.stdtrit(freedom, (1 - LEVEL) / 2 / shares))
    critical = max(test.critical_value, critical)
    first, second = np.triu_indices(1 if test.p_best is None else len(test.p_best), 1)
    p_best = test.p_best
    if p_best is not None:  # a claim about the best is one about the pairs that make it
        least = np.ones(len(p_best))
        np.minimum.at(least, first, adjusted)
        np.minimum.at(least, second, adjusted)
        p_best = np.maximum(p_best, least)
    return replace(
        test,
        p_best=p_best,
        p_adjusted=adjusted,
        critical_value=critical,
        reach=np.where(varies, critical * np.where(varies, test.errors, 0), test.reach),
        separated=test.separated & (adjusted <= 1 - LEVEL + 1e-9),
    )
