"""Choose better thresholds than 0.5, cross-validate them, and rescale scores so that 0.5 becomes the best
threshold."""

from collections.abc import Sequence

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints, Numbers
from scoring.metrics.binary import decisions_along, f_beta

HALF = 0.5
FOLDS = 5
MOST_DECIMALS = 12


def candidates(scores: Floats) -> Floats:
    """Return the thresholds to try for scores [N]: midpoints of successive distinct scores, and 0.5."""
    distinct = np.unique(scores)
    return np.unique(np.r_[HALF, (distinct[1:] + distinct[:-1]) / 2])


def best(scores: Floats, positive: Bools, weights: Numbers, inclusive: bool = False) -> float:
    """Choose the threshold with the highest F1 on these cases.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].
        weights: Weight of each case [N].
        inclusive: Whether a score equal to the threshold is predicted positive.

    Returns:
        The threshold; if several have the same F1 (to 12 decimals), the one nearest to 0.5.

    Example:
        >>> best(np.array([0.1, 0.2, 0.4]), np.array([False, True, True]), np.ones(3))
        0.15000000000000002
    """
    cuts = candidates(scores)
    decisions = decisions_along(scores, positive, cuts, weights[None], inclusive)
    reached = np.round(f_beta(decisions, 1)[0], MOST_DECIMALS)
    equals = cuts[reached == reached.max()]
    return float(equals[np.argmin(np.abs(equals - HALF))])


def decided(scores: Floats, cuts: Floats | float, inclusive: bool = False) -> Bools:
    """Decide which scores are positive.

    Args:
        scores: Scores of any shape, for example [N, K].
        cuts: Thresholds of a shape that broadcasts, for example [K].
        inclusive: Whether a score equal to the threshold is positive.

    Returns:
        Decisions of the common shape.
    """
    return np.greater_equal(scores, cuts) if inclusive else np.greater(scores, cuts)


def folds(labels: Ints, units: Ints, seed: int) -> list[tuple[Ints, Ints]] | None:
    """Split cases into five random folds. All cases of a unit are in one fold, and each label is spread
    evenly.

    Args:
        labels: Label of each case [N]; labels with fewer than five cases are pooled.
        units: Unit number of each case [N].

    Returns:
        For each fold, the positions of the cases outside it and inside it; None with fewer than five units.
    """
    n_units = len(np.unique(units))
    if n_units < FOLDS:
        return None
    # Half a second to import, and seldom needed.
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    values, numbers, n = np.unique(labels, return_inverse=True, return_counts=True)
    strata = np.where(n[numbers] < FOLDS, len(values), numbers)
    if np.sum(strata == len(values)) < FOLDS:
        strata = np.where(strata == len(values), np.argmax(n), strata)
    if n_units == len(units):
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(strata, strata))
    return list(StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed).split(strata, strata, units))


def cross_validated(
    scores: Floats,
    positives: Bools,
    weights: Numbers,
    parts: Sequence[tuple[Ints, Ints]],
    inclusive: bool = False,
) -> tuple[Bools, Floats]:
    """Choose thresholds on all folds but one, and apply them to the remaining fold.

    Args:
        scores: Score of each case for each category [N, K].
        positives: Which cases are positive for each category [N, K].
        weights: Weight of each case [N].
        parts: For each fold, the positions of the cases outside it and inside it, from `folds`.
        inclusive: Whether a score equal to the threshold is predicted positive.

    Returns:
        Which cases are predicted positive [N, K], and the thresholds [folds, K]; 0.5 if the other folds have
        no positive.
    """
    predicted, used = np.zeros(scores.shape, bool), np.full((len(parts), scores.shape[1]), HALF)
    for fold, (four, fifth) in enumerate(parts):
        for k in range(scores.shape[1]):
            if weights[four][positives[four, k]].sum() > 0:
                used[fold, k] = best(scores[four, k], positives[four, k], weights[four], inclusive)
        predicted[fifth] = decided(scores[fifth], used[fold], inclusive)
    return predicted, used


def rescaled(scores: Floats, cuts: Floats) -> Floats:
    """Rescale scores so that the threshold 0.5 gives the same decisions as the given thresholds.

    A score p <= t becomes 0.5 p / t, and p > t becomes 0.5 + 0.5 (p - t) / (1 - t). A score equal to t
    becomes exactly 0.5; a score above t always becomes larger than 0.5.

    Args:
        scores: Scores [N, K], 0..1.
        cuts: Threshold of each category [K] or of each score [N, K].

    Returns:
        Scores [N, K], 0..1.
    """
    cuts = np.broadcast_to(np.asarray(cuts, float), scores.shape)
    low = HALF * (np.minimum(scores, cuts) / np.where(cuts > 0, cuts, 1))
    high = HALF + HALF * (scores - cuts) / np.where(cuts < 1, 1 - cuts, 1)
    return np.where(scores > cuts, np.clip(high, np.nextafter(HALF, 1), 1), low)
