"""Metrics of the registry for segmentation, computed from the measurements of each case and structure.

"macro" is the mean over cases, then over structures; "micro" pools the voxels, surfaces or lesions of all
cases. `both_empty` and `empty_truth` say how an empty mask counts: "best", "worst" or "skip", which leaves it
out of the mean. A missing mask gets the worst possible value of its image; in "micro" it counts as an empty
mask.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.metrics.classification import divide, mean_of_defined, weighted_mean
from scoring.metrics.task_cases import RegionCases

Value = Callable[[Floats, Mapping[str, Any]], Floats]
"""Function from Q measurements [..., Q] and parameters to a value [...]."""
Formula = Callable[..., Floats]
NONE = np.zeros(1, bool)
"""Array that says that no mask is missing."""


def averaged(value: Value, best: float = 1, worst: Value = lambda m, _: np.zeros(m.shape[:-1])) -> Formula:
    """Return the formula of a metric that is the mean of a value over cases and structures.

    Args:
        value: Function from measurements to the value.
        best: The best possible value.
        worst: The worst possible value, or a function that computes it from the measurements.
    """

    def formula(
        cases: RegionCases, weights: Floats, average: str | None = None, of: str | None = None, **chosen: Any
    ) -> Floats:
        def values(measured: Floats, missing: Bools) -> Floats:
            of_cases = np.where(missing, worst(measured, chosen), value(measured, chosen))
            no_truth, no_guess = measured[..., 1] == 0, (measured[..., 2] == 0) & ~missing
            return _with_empty(of_cases, no_truth, no_guess, best, **chosen)

        structures = list(range(len(cases.classes))) if of is None else [cases.classes.index(of)]
        measured = cases.measured[:, structures]
        if average == "micro":
            sums = np.tensordot(weights.astype(float), measured, 1)
            return np.where(weights.any(1), mean_of_defined(values(sums, NONE)), np.nan)
        of_cases = values(measured, NONE if cases.missing is None else cases.missing[:, None])
        return mean_of_defined(np.column_stack([weighted_mean(v, weights) for v in of_cases.T]))

    return formula


def _with_empty(
    values: Floats,
    no_truth: Bools,
    no_guess: Bools,
    best: float,
    both_empty: str = "best",
    empty_truth: str = "worst",
    **_: Any,
) -> Floats:
    """Return values with those of empty masks by the rules."""
    values = np.where(no_truth & ~no_guess & (empty_truth == "skip"), np.nan, values)
    # Of two empty masks the value so far is the worst: 0, or the largest distance.
    of_nothing = values if both_empty == "worst" else {"best": best, "skip": np.nan}[both_empty]
    return np.where(no_truth & no_guess, of_nothing, values)


def _distance(m: Floats, chosen: Mapping[str, Any]) -> Floats:
    """Return distances in mm; where one mask is empty the longest."""
    return np.where(np.isinf(m[..., 0]), _longest(m, chosen), m[..., 0])


def _longest(m: Floats, chosen: Mapping[str, Any]) -> Floats:
    """Return the worst distances in mm, where the file names none the diagonal."""
    worst = chosen.get("worst_mm")
    return m[..., 3] if worst is None else np.full(m.shape[:-1], worst)


def _volume_difference(m: Floats, chosen: Mapping[str, Any]) -> Floats:
    """Return absolute differences of volumes, in ml or as a share of the truth's."""
    return _in_unit(np.abs(m[..., 2] - m[..., 1]), m, chosen)


def _largest_difference(m: Floats, chosen: Mapping[str, Any]) -> Floats:
    """Return the differences from the whole image, or from nothing if they are larger."""
    return _in_unit(np.maximum(m[..., 1], m[..., 4] - m[..., 1]), m, chosen)


def _in_unit(voxels: Floats, m: Floats, chosen: Mapping[str, Any]) -> Floats:
    return voxels * m[..., 3] if chosen["unit"] == "ml" else divide(voxels, m[..., 1])


dice = lesion_f1 = averaged(lambda m, _: 2 * divide(m[..., 0], m[..., 1] + m[..., 2], 0))
iou = averaged(lambda m, _: divide(m[..., 0], m[..., 1] + m[..., 2] - m[..., 0], 0))
# Of surfaces what is within the tolerance; of lesions their Dice, 0 of a predicted one that touches no truth.
nsd = lesion_dice = averaged(lambda m, _: divide(m[..., 0], m[..., 1] + m[..., 2], 0))
hd95 = assd = averaged(_distance, 0, _longest)
volume_difference = averaged(_volume_difference, 0, _largest_difference)
false_positive_volume = false_negative_volume = averaged(lambda m, _: m[..., 0], 0, lambda m, _: m[..., 3])
