"""Sets of classes that hold the true one with a given share of cases: split conformal prediction, one
threshold per class.

Source: least ambiguous set-valued classifiers with bounded error (Sadinle, Lei, Wasserman 2019), class by
class (Mondrian; Vovk 2005).
"""

from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-9
SPLITS = 40


@dataclass(frozen=True)
class Coverage:
    """What sets calibrated on one half did on the other half, mean over random halves.

    overall: share of cases whose set holds their class. by_class [K]: the same per class, NaN without a case.
    size: mean classes per set.
    """

    overall: float
    by_class: np.ndarray
    size: float


def quantile(scores: np.ndarray, miss: float) -> float:
    """The ceil((n + 1)(1 - miss))-th smallest of scores [n]; infinite where there are fewer, so that nothing
    is left out."""
    rank = int(np.ceil((len(scores) + 1) * (1 - miss) - ROUNDING))
    return np.inf if rank > len(scores) else float(np.sort(scores)[rank - 1])


def fewest_cases(miss: float) -> int:
    """Cases of a class from which on it can ever be left out of a set: 9 for miss = 0.1, 19 for 0.05."""
    return int(np.ceil((1 - miss) / miss - ROUNDING))


def thresholds(probabilities: np.ndarray, truth: np.ndarray, miss: float) -> np.ndarray:
    """How far from 1 the probability of each class may be for it to be in a set [K], so that a share `miss`
    of its cases is left out.

    probabilities [n, K], truth [n] class numbers. Infinite for a class with fewer cases than `fewest_cases`.
    """
    return np.array([quantile(1 - probabilities[truth == k, k], miss) for k in range(probabilities.shape[1])])


def members(probabilities: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Which classes are in the set of each row, bool [..., K]: 1 - probability is at most the class's
    threshold [K]."""
    return 1 - probabilities <= cuts


def coverage(
    probabilities: np.ndarray,
    truth: np.ndarray,
    miss: float,
    units: np.ndarray | None = None,
    splits: int = SPLITS,
    seed: int = 0,
) -> Coverage | None:
    """Sets tried on cases that they were not calibrated on: every class is halved at random, `splits` times.
    None where no class has two units. units [n]: cases of one patient share a number and a half, that of
    their first case's class; default, each case its own."""
    k = probabilities.shape[1]
    _, starts, of_case = np.unique(
        np.arange(len(truth)) if units is None else units, return_index=True, return_inverse=True
    )
    random, held, cases, sizes, tried = np.random.default_rng(seed), np.zeros(k), np.zeros(k), 0.0, 0
    for _ in range(splits):
        first = _half(truth[starts], random)[of_case]
        if not first.any() or first.all():
            return None
        found = members(probabilities[~first], thresholds(probabilities[first], truth[first], miss))
        true = truth[~first]
        held += np.bincount(true, weights=found[np.arange(len(true)), true], minlength=k)
        cases += np.bincount(true, minlength=k)
        sizes, tried = sizes + found.sum(), tried + len(true)
    by_class = np.divide(held, cases, out=np.full(k, np.nan), where=cases > 0)
    return Coverage(float(held.sum() / cases.sum()), by_class, sizes / tried)


def _half(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A random half of the units of each class, the larger one, bool [n]: so calibration has as many as can
    be."""
    chosen = np.zeros(len(truth), bool)
    for k in np.unique(truth):
        of_class = np.flatnonzero(truth == k)
        chosen[random.permutation(of_class)[: (len(of_class) + 1) // 2]] = True
    return chosen
