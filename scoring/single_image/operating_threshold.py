"""Operating threshold: the threshold that reaches a required sensitivity on a test set, and its
specificity."""

from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.metrics import binary, thresholds
from scoring.single_image.similar_cases import Reference
from scoring.statistics.intervals import Share, share

SEED = 0


@dataclass(frozen=True)
class ChosenOperatingPoint:
    """A threshold t of the decision "risk > t" that was chosen on all cases of a test set.

    Attributes:
        sensitivity: Cross-validated sensitivity: thresholds are chosen in the same way on four of five folds
            of units and applied to the fifth. With Wilson's 95 % bounds; None with too few units.
        specificity: Cross-validated specificity, computed in the same way.
    """

    wanted: float
    threshold: float
    sensitivity: Share | None
    specificity: Share | None


def risks(probabilities: Floats, malignant: Bools) -> Floats:
    """Return the sum of the malignant classes' probabilities [...], 0..1, from probabilities [..., K]."""
    risk: Floats = probabilities[..., malignant].sum(-1)
    return risk


def operating_point(
    reference: Reference, malignant: np.ndarray, wanted: float
) -> ChosenOperatingPoint | None:
    """Return the threshold that reaches the required sensitivity (0..1) for the malignant classes on the test
    set.

    None unless there are both malignant and other cases.

    Args:
        malignant: Whether each class is malignant [K].
    """
    scores, positive = risks(reference.probabilities, malignant), malignant[reference.truth]
    chosen = binary.point_at_sensitivity(scores, positive, wanted)
    if chosen is None:
        return None
    parts = thresholds.folds(positive.astype(int), reference.units, SEED)
    if parts is None:
        return ChosenOperatingPoint(wanted, chosen.threshold, None, None)
    positive_calls = np.zeros(len(scores), bool)
    for four, fifth in parts:
        cut = binary.point_at_sensitivity(scores[four], positive[four], wanted)
        positive_calls[fifth] = scores[fifth] > (chosen if cut is None else cut).threshold
    return ChosenOperatingPoint(
        wanted,
        chosen.threshold,
        share(positive_calls[positive], reference.units[positive]),
        share(~positive_calls[~positive], reference.units[~positive]),
    )


def one_sided_line(reference: Reference, malignant: Bools, point: ChosenOperatingPoint) -> str:
    """Return a sentence, with a blank before it, that says that a threshold calls every test case malignant,
    or none; "" in all other cases. `malignant` says whether each class is malignant [K]."""
    called = risks(reference.probabilities, malignant) > point.threshold
    if called.any() and not called.all():
        return ""
    which = "every one" if called.all() else "none"
    return f" At this threshold, {which} of these cases counts as malignant."


def own_line(reference: Reference, malignant: Bools, point: ChosenOperatingPoint) -> str:
    """Return a sentence that says which sensitivity and specificity a threshold has on the cases on which it
    was chosen. `malignant` says whether each class is malignant [K]."""
    called = risks(reference.probabilities, malignant) > point.threshold
    positive = malignant[reference.truth]
    left_out = len(reference.failed)
    without = f" Another {left_out} without a valid output {'is' if left_out == 1 else 'are'} left out."
    return (
        f"of these, {called[positive].sum()} of {positive.sum()} malignant cases are at or above the "
        f"threshold, and {(~called[~positive]).sum()} of {(~positive).sum()} other cases are below."
        + one_sided_line(reference, malignant, point)
        + without * bool(left_out)
    )
