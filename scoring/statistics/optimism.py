"""By how much the score of the best of several teams is likely too high: it was picked on these data."""

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.statistics.options import UNITS_OF_COMPARISON
from scoring.statistics.rounding import DIGITS


def winner_optimism(
    scores: Floats, replicates: Floats, tied: Bools, errors: Floats, n_units: int
) -> float | None:
    """Return how much too high the winner's score is on average.

    It is the noise of the team that leads when the replicates' noise is added to centres: the scores, with
    those of the teams tied for first drawn together by as much as their spread is no more than noise.

    Args:
        scores: Score of each team [A].
        replicates: Scores on the replicates in which all teams have one [A, B].
        tied: Which teams no other is certainly better than [A].
        errors: Standard error of the difference of every two teams by the test that told them apart [A, A].
        n_units: Number of units.

    Returns:
        The optimism, at least 0; None with fewer than 20 units, for a leader that nobody is tied with, and
        without replicates.
    """
    if n_units < UNITS_OF_COMPARISON or tied.sum() < 2 or replicates.shape[1] < 2:
        return None
    noise = replicates - replicates.mean(1, keepdims=True)
    noise *= _correction(noise[tied], errors[np.ix_(tied, tied)])
    centers = scores.copy()
    middle = scores[tied].mean()
    centers[tied] = middle + np.sqrt(_signal(scores[tied], noise[tied])) * (scores[tied] - middle)
    reached = np.round(centers[:, None] + noise, DIGITS)
    first = reached == reached.max(0)
    return max(0.0, float(((first * noise).sum(0) / first.sum(0)).mean()))


def _correction(noise: Floats, errors: Floats) -> float:
    """Factor that makes the noise [m, B] vary between teams as the test says [m, m]: the bootstrap makes too
    little of classes with a case or two."""
    drawn, said = 2 * _between(noise), float((errors**2).sum() / (len(errors) * (len(errors) - 1)))
    return float(np.sqrt(said / drawn)) if drawn > 0 and np.isfinite(said) else 1.0


def _between(noise: Floats) -> float:
    """Variance between teams of their noise [m, B]; twice that is the mean variance of a difference."""
    return float((noise - noise.mean(0)).var(1).sum() / (len(noise) - 1))


def _signal(scores: Floats, noise: Floats) -> float:
    """Return the share of the variance of the scores [m] between teams that is not their noise [m, B],
    0..1."""
    spread = scores.var(ddof=1)
    if spread == 0:
        return 0.0
    return max(0.0, 1 - _between(noise) / float(spread))
