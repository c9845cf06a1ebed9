"""Conformal prediction: sets of classes that contain the true class for a given share of cases.

Source: least ambiguous set-valued classifiers with bounded error (Sadinle, Lei, Wasserman 2019), class by
class (Mondrian; Vovk 2005).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.common.arrays import Bools, Floats, Ints
from scoring.statistics.intervals import QUANTILES, Share, effective_cases

ROUNDING = 1e-9


@dataclass(frozen=True)
class Coverage:
    """How often the sets contain the true class of cases that were not used for calibration.

    Attributes:
        overall: Share of cases whose set contains their true class, among the classes with enough cases; None
            if no class has enough.
        by_class: The same share in each class [K]; None if the class has too few cases.
    """

    overall: Share | None
    by_class: tuple[Share | None, ...]


def quantile(scores: Floats, miss: float) -> float:
    """Return the conformal quantile, the ceil((n + 1)(1 - miss))-th smallest score.

    Args:
        scores: Scores [n].
        miss: Share of cases that may be missed, 0..1.

    Returns:
        The quantile; infinite if there are too few scores, so that no class is excluded.
    """
    rank = int(np.ceil((len(scores) + 1) * (1 - miss) - ROUNDING))
    return np.inf if rank > len(scores) else float(np.sort(scores)[rank - 1])


def fewest_cases(miss: float) -> int:
    """Return the number of cases that a class needs before it can be excluded from a set.

    Args:
        miss: Share of cases that may be missed, above 0 and below 1.

    Example:
        >>> fewest_cases(0.1), fewest_cases(0.05)
        (9, 19)
    """
    return int(np.ceil((1 - miss) / miss - ROUNDING))


def thresholds(probabilities: Floats, truth: Ints, miss: float) -> Floats:
    """Calibrate the threshold of each class: the class is in a set if 1 - probability is at most this
    threshold.

    Args:
        probabilities: Probabilities of the calibration cases [n, K], 0..1.
        truth: Their class numbers [n], 0..K-1.
        miss: Share of a class's cases whose set may lack the true class, 0..1.

    Returns:
        A threshold per class [K]; infinite for a class with fewer cases than `fewest_cases`.
    """
    return np.array([quantile(1 - probabilities[truth == k, k], miss) for k in range(probabilities.shape[1])])


def members(probabilities: Floats, cuts: Floats) -> Bools:
    """Return the classes in the set of each case: those with 1 - probability at most the class's threshold.

    Args:
        probabilities: Probabilities [..., K], 0..1.
        cuts: Threshold of each class [K].

    Returns:
        Whether each class is in the set [..., K].
    """
    return 1 - probabilities <= cuts


def coverage(probabilities: Floats, truth: Ints, miss: float, units: Ints | None = None) -> Coverage:
    """Measure how often prediction sets contain the true class. The class with the highest probability is
    always in the set.

    Each case is left out of the calibration of its own set, together with all cases of its unit. The
    intervals apply to new cases whose sets are calibrated on all cases. Without ties, the coverage of a class
    has the distribution Beta(r, n + 1 - r) (Vovk 2012). Here n is the number of calibration cases of the
    class, and r the number of them that are within its threshold.

    Args:
        probabilities: Probabilities [n, K], 0..1.
        truth: Class number of each case [n], 0..K-1.
        miss: Share of a class's cases whose set may lack the true class, 0..1.
        units: Patient number of each case [n]; None: each case is its own unit.

    Returns:
        The coverage.
    """
    units = np.arange(len(truth)) if units is None else units
    k, rows = probabilities.shape[1], np.arange(len(truth))
    own, tops = 1 - probabilities[rows, truth], probabilities.argmax(1) == truth
    within = (own <= thresholds(probabilities, truth, miss)[truth]) | tops
    left_out = (
        np.fromiter((_held_without(own, truth, units, row, miss) for row in rows), bool, len(rows)) | tops
    )
    known = np.bincount(truth, minlength=k) > fewest_cases(miss)
    by_class = [
        _share(left_out[truth == c], within[truth == c], units[truth == c]) if known[c] else None
        for c in range(k)
    ]
    tried = known[truth]
    return Coverage(
        _share(left_out[tried], within[tried], units[tried], truth[tried]) if tried.any() else None,
        tuple(by_class),
    )


def _held_without(own: Floats, truth: Ints, units: Ints, row: np.intp, miss: float) -> bool:
    others = (truth == truth[row]) & (units != units[row])
    return bool(own[row] <= quantile(own[others], miss))


def _share(left_out: Bools, within: Bools, units: Ints, classes: Ints | None = None) -> Share:
    """Return the share held of cases left out, with the interval of new cases: of several classes, each an
    independent beta variable, the beta variable with the mean and the variance of their sum."""
    classes = np.zeros(len(units), int) if classes is None else classes
    bounds = []
    for every in (0.0, 0.5):
        # Where a class is held whole, its coverage may be 1.
        mean = variance = 0.0
        for c in np.unique(classes):
            chosen = classes == c
            n, weight = effective_cases(left_out[chosen], units[chosen]), chosen.mean()
            held = n * within[chosen].mean() + every * within[chosen].all()
            middle = held / (n + 1)
            mean, variance = mean + weight * middle, variance + weight**2 * middle * (1 - middle) / (n + 2)
        strength = mean * (1 - mean) / variance - 1
        bounds.append(scipy.stats.beta(mean * strength, (1 - mean) * strength))
    point, (low, high) = float(left_out.mean()), bounds
    return Share(
        int(left_out.sum()),
        len(left_out),
        min(point, float(low.ppf(QUANTILES[0]))),
        1.0 if within.all() else max(point, float(high.ppf(QUANTILES[1]))),
    )
