"""Metrics of segmentation, as the registry calls them: of what was measured of each case and structure.

"macro" is the mean over the cases of each structure, then over the structures; "micro" takes the voxels,
surfaces or lesions of all cases as those of one. What an empty mask counts is said by `both_empty` and
`empty_truth`: "best", "worst" or "skip", which leaves the mean.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.metrics.classification import divide, mean_of_defined, weighted_mean
from scoring.metrics.task_cases import RegionCases

Value = Callable[[Floats], Floats]
"""A value [...] of what was measured [..., Q]."""


def dice(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return Dice [B], 2 |G and P| / (|G| + |P|)."""
    return _averaged(lambda m: 2 * divide(m[..., 0], m[..., 1] + m[..., 2], 0), cases, weights, **how)


def iou(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return intersection over union [B]."""
    return _averaged(lambda m: divide(m[..., 0], m[..., 1] + m[..., 2] - m[..., 0], 0), cases, weights, **how)


def nsd(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return the share of both surfaces that is within the tolerance of the other [B]."""
    return _averaged(lambda m: divide(m[..., 0], m[..., 1] + m[..., 2], 0), cases, weights, **how)


def hd95(cases: RegionCases, weights: Floats, worst_mm: float | None = None, **how: Any) -> Floats:
    """Return the mean Hausdorff distance in mm [B]; where one mask is empty the worst."""

    def value(m: Floats) -> Floats:
        return np.where(np.isinf(m[..., 0]), m[..., 3] if worst_mm is None else worst_mm, m[..., 0])

    return _averaged(value, cases, weights, best=0, **how)


assd = hd95
"""The mean surface distance, averaged in the same way."""


def volume_difference(cases: RegionCases, weights: Floats, unit: str, **how: Any) -> Floats:
    """Return the mean absolute difference of the volumes [B], in ml or as a share of the truth's."""

    def value(m: Floats) -> Floats:
        apart = np.abs(m[..., 2] - m[..., 1])
        return apart * m[..., 3] if unit == "ml" else divide(apart, m[..., 1])

    return _averaged(value, cases, weights, best=0, **how)


def lesion_f1(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return F1 of lesions [B]."""
    return dice(cases, weights, **how)


def lesion_dice(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return the mean Dice of lesions [B]; a predicted one that touches none of the truth counts 0."""
    return nsd(cases, weights, **how)


def false_positive_volume(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return the mean volume in ml of predicted lesions that touch no truth [B]."""
    return _averaged(lambda m: m[..., 0], cases, weights, best=0, **how)


def false_negative_volume(cases: RegionCases, weights: Floats, **how: Any) -> Floats:
    """Return the mean volume in ml of the truth's lesions that no prediction touches [B]."""
    return _averaged(lambda m: m[..., 0], cases, weights, best=0, **how)


def _averaged(
    value: Value,
    cases: RegionCases,
    weights: Floats,
    average: str | None = None,
    of: str | None = None,
    **empty: Any,
) -> Floats:
    """Return the mean over cases and structures of a value of what was measured."""
    structures = list(range(len(cases.classes))) if of is None else [cases.classes.index(of)]
    measured = cases.measured[:, structures]
    if average == "micro":
        sums = np.tensordot(weights.astype(float), measured, 1)
        return np.where(weights.any(1), mean_of_defined(_with_empty(value(sums), sums, **empty)), np.nan)
    per_case = _with_empty(value(measured), measured, **empty)
    return mean_of_defined(np.column_stack([weighted_mean(values, weights) for values in per_case.T]))


def _with_empty(
    values: Floats,
    measured: Floats,
    both_empty: str = "best",
    empty_truth: str = "worst",
    best: float = 1,
    **_: Any,
) -> Floats:
    """Return values with those of empty masks by the rules; second and third measured are 0 of an empty
    mask."""
    no_truth, no_guess = measured[..., 1] == 0, measured[..., 2] == 0
    values = np.where(no_truth & ~no_guess & (empty_truth == "skip"), np.nan, values)
    # Of two empty masks the value so far is the worst: 0, or the largest distance.
    of_nothing = values if both_empty == "worst" else {"best": best, "skip": np.nan}[both_empty]
    return np.where(no_truth & no_guess, of_nothing, values)
