"""Sets of classes that contain the true one for a given share of cases: split conformal prediction, one
threshold per class.

Source: least ambiguous set-valued classifiers with bounded error (Sadinle, Lei, Wasserman 2019), class by
class (Mondrian; Vovk 2005).
"""

from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints

ROUNDING = 1e-9
SPLITS = 40


@dataclass(frozen=True)
class Coverage:
    """How sets calibrated on one half of the cases do on the other, mean over random halves.

    Attributes:
        overall: Share of cases whose set contains their class, 0..1.
        by_class: The same per class [K]; NaN without a case.
        size: Mean number of classes in a set.
    """

    overall: float
    by_class: Floats
    size: float


def quantile(scores: Floats, miss: float) -> float:
    """Return the conformal quantile, the ceil((n + 1)(1 - miss))-th smallest score.

    Args:
        scores: Scores [n].
        miss: Share of cases that may be missed, 0..1.

    Returns:
        The quantile; infinite where there are fewer scores, so that nothing is left out.
    """
    rank = int(np.ceil((len(scores) + 1) * (1 - miss) - ROUNDING))
    return np.inf if rank > len(scores) else float(np.sort(scores)[rank - 1])


def fewest_cases(miss: float) -> int:
    """Return how many cases a class needs before it can be left out of a set.

    Args:
        miss: Share of cases that may be missed, above 0 and below 1.

    Example:
        >>> fewest_cases(0.1), fewest_cases(0.05)
        (9, 19)
    """
    return int(np.ceil((1 - miss) / miss - ROUNDING))


def thresholds(probabilities: Floats, truth: Ints, miss: float) -> Floats:
    """Calibrate how far from 1 the probability of each class may be for it to be in a set.

    Args:
        probabilities: Probabilities of the calibration cases [n, K], 0..1.
        truth: Their class numbers [n], 0..K-1.
        miss: Share of the cases of a class whose set may lack it, 0..1.

    Returns:
        A threshold per class [K]; infinite for a class with fewer cases than `fewest_cases`.
    """
    return np.array([quantile(1 - probabilities[truth == k, k], miss) for k in range(probabilities.shape[1])])


def members(probabilities: Floats, cuts: Floats) -> Bools:
    """Tell which classes are in the set of each case: 1 - probability is at most the class's threshold.

    Args:
        probabilities: Probabilities [..., K], 0..1.
        cuts: Threshold of each class [K].

    Returns:
        Members of the sets [..., K].
    """
    return 1 - probabilities <= cuts


def coverage(
    probabilities: Floats,
    truth: Ints,
    miss: float,
    units: Ints | None = None,
    splits: int = SPLITS,
    seed: int = 0,
) -> Coverage | None:
    """Try sets on cases on which they were not calibrated: every class is halved at random, several times.

    Args:
        probabilities: Probabilities [n, K], 0..1.
        truth: Class number of each case [n], 0..K-1.
        miss: Share of the cases of a class whose set may lack it, 0..1.
        units: Number of each case's patient [n]; cases of one are in the same half, drawn among those of the
            class of its first case. None: each case is by itself.
        splits: How often the cases are halved.
        seed: Seed of the random halves.

    Returns:
        The mean coverage; None where no class has two units.
    """
    k = probabilities.shape[1]
    _, starts, of_case = np.unique(
        np.arange(len(truth)) if units is None else units, return_index=True, return_inverse=True
    )
    random = np.random.default_rng(seed)
    covered, cases, sizes, tried = np.zeros(k), np.zeros(k), 0.0, 0
    for _ in range(splits):
        first = _half(truth[starts], random)[of_case]
        if not first.any() or first.all():
            return None
        sets = members(probabilities[~first], thresholds(probabilities[first], truth[first], miss))
        true = truth[~first]
        covered += np.bincount(true, weights=sets[np.arange(len(true)), true], minlength=k)
        cases += np.bincount(true, minlength=k)
        sizes, tried = sizes + sets.sum(), tried + len(true)
    by_class = np.divide(covered, cases, out=np.full(k, np.nan), where=cases > 0)
    return Coverage(float(covered.sum() / cases.sum()), by_class, sizes / tried)


def _half(truth: Ints, random: np.random.Generator) -> Bools:
    """Return a random half of the units of each class, the larger one, bool [n]: so calibration has as many
    as can be."""
    chosen = np.zeros(len(truth), bool)
    for k in np.unique(truth):
        of_class = np.flatnonzero(truth == k)
        chosen[random.permutation(of_class)[: (len(of_class) + 1) // 2]] = True
    return chosen
