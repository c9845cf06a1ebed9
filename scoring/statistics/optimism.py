"""Optimism of a score: by how much it is too high because the best of several teams was selected on the test
set, or because earlier scores on it were shown."""

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints
from scoring.statistics.interval_options import DIGITS, UNITS_OF_COMPARISON


def winner_optimism(
    scores: Floats, replicates: Floats, tied: Bools, errors: Floats, n_units: int
) -> float | None:
    """Return by how much the winner's score is too high on average, because the winner was selected.

    The noise of a team in a replicate is its score there minus its mean over the replicates. Noise is added
    to an assumed true score of each team, and the mean noise of the team that then leads is returned. The
    scores serve as true scores; those of teams that tie for the first rank are moved together as far as noise
    explains their spread.

    Args:
        scores: Score of each team [A].
        replicates: Scores on the replicates in which all teams have a score [A, B].
        tied: Whether no other team is shown to be better than this team [A].
        errors: Standard error of the difference of every two teams, by the test that compared them [A, A].

    Returns:
        The optimism, at least 0; None with fewer than 20 units, without replicates, or if no team is tied
            with the leader.
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
    """Return the factor that gives the noise [m, B] the standard errors of the test [m, m]. Bootstrap noise
    is too small if classes have one or two cases."""
    drawn, claimed = 2 * _between(noise), float((errors**2).sum() / (len(errors) * (len(errors) - 1)))
    return float(np.sqrt(claimed / drawn)) if drawn > 0 and np.isfinite(claimed) else 1.0


def _between(noise: Floats) -> float:
    """Return the variance of the noise [m, B] between teams. A difference of two teams has twice this
    variance on average."""
    return float((noise - noise.mean(0)).var(1).sum() / (len(noise) - 1))


def _signal(scores: Floats, noise: Floats) -> float:
    """Return the share of the variance of the scores [m] between teams that is not their noise [m, B],
    0..1."""
    spread = scores.var(ddof=1)
    if spread == 0:
        return 0.0
    return max(0.0, 1 - _between(noise) / float(spread))


def possible_gain(bits: float, cases: float) -> float:
    """Return the largest possible gain in accuracy or AUC, compared with the best constant answer, for a
    person who learns some bits of information about the labels.

    The comparison is with the best constant answer, because one score reveals the class frequencies, which
    then count as known. A person who learns b bits about n labels guesses on average a share a of them
    correctly. The share satisfies n * (1-H(a)) <= b, where H is the binary entropy in bits. (Shannon's
    rate-distortion function: Cover and Thomas, Elements of Information Theory, 10.3.1.)

    The bound holds for labels of two equally frequent classes, however the submissions are designed. For
    other labels see `effective_labels`. The best of 2^b guesses comes close to the bound.

    Args:
        bits: Number of bits learned about the labels, b; may be infinite.
        cases: Number of cases of the test set, n, at least 1.

    Returns:
        The gain, from 0 to 0.5.
    """
    low, high = 0.0, 0.5 if bits else 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if bits_for(middle, cases) <= bits else (low, middle)
    return high


def bits_for(gain: float, cases: float) -> float:
    """Return how many bits of information about the labels a person must learn to reach a gain over the best
    constant answer.

    Args:
        gain: Gain in accuracy over the best constant answer, 0 to 0.5.
        cases: Number of cases of two equally frequent classes.
    """
    shares = np.array([0.5 + gain, 0.5 - gain])
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(shares * np.log2(shares))
    return float(cases * (1 - entropy))


def effective_units(units: Ints, weights: Floats) -> float:
    """Return how many units of equal weight would give the same variance: (sum w)^2 / sum w^2, where w is the
    total weight of each unit.

    Args:
        units: Unit of each case [N], such as a patient.
        weights: Weight of each case [N].

    Source: Kish, Survey Sampling (1965), 11.7.
    """
    sums = np.bincount(np.unique(units, return_inverse=True)[1], weights)
    return float(sums.sum() ** 2 / (sums**2).sum()) if sums.any() else 0.0


def effective_labels(labels: Ints, units: Ints, weights: Floats) -> float:
    """Return the number of labels of two equally frequent classes that are as hard to guess as the given
    labels.

    The rarest class decides, with k of n cases. A person who learns b bits about which cases these are can
    raise their mean rank, and so the AUC. The rise of the AUC is at most g with b = 6 g^2 k (n - k) / (n ln
    2), for small g (exponential tilt of uniform ranks). For balanced labels, accuracy needs 2 g^2 n / ln 2
    bits. Cases of one unit are learned together, so k and n - k are effective units.

    Args:
        labels: Class of each case [N].
        units: Unit of each case [N].
        weights: Weight of each case in the score [N].

    Returns:
        The number of labels: three quarters of the effective units for two equally frequent classes, fewer
        for other labels, and 0 with fewer than two classes.
    """
    effective = 0.75 * effective_units(units, weights)
    classes = np.unique(labels[weights > 0])
    for own in (labels == name for name in classes):
        k, others = effective_units(units[own], weights[own]), effective_units(units[~own], weights[~own])
        effective = min(effective, 3 * k * others / (k + others))
    return effective if len(classes) > 1 else 0.0
