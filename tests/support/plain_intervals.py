"""Intervals restated in plain steps."""

import math

import numpy as np
import scipy.stats


def wilson_ends(share: float, answers: float, quantile: float) -> tuple[float, float]:
    """Both true shares from which a share of so many answers lies the quantile times their own error."""
    a = answers + quantile**2
    b = 2 * answers * share + quantile**2
    root = math.sqrt(max(b * b - 4 * a * answers * share * share, 0))
    return (b - root) / (2 * a), (b + root) / (2 * a)


def wilson_t(
    point: float,
    left_out: np.ndarray,
    rests_on: int,
    low: float = 0,
    high: float = 1,
    units: int = 0,
    unseen: float = 0,
) -> list[float]:
    """The interval of a quantity between two limits, from its values without each unit. units: that vary; 0:
    all. unseen: variance that is added."""
    n, width = len(left_out), high - low
    variance = ((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2) + unseen) / width**2
    share = (point - low) / width
    corrected = (n * point - (n - 1) * left_out.mean() - low) / width
    answers = share * (1 - share) / variance if variance > 1e-24 else rests_on
    quantile = scipy.stats.t.ppf(0.975, ((units or n) if answers <= rests_on else rests_on) - 1)
    ends = [wilson_ends(min(max(c, 0), 1), answers, quantile) for c in (share, corrected)]
    return [low + width * min(e[0] for e in ends), low + width * max(e[1] for e in ends)]


def difference_t(point: float, first: np.ndarray, second: np.ndarray, rests_on: int) -> list[float] | None:
    """The interval of a difference of two shares, from both without each unit; None where they rest on one
    unit."""
    n, left_out = len(first), first - second
    most = max(max(abs(without - values.mean()) for without in values) for values in (first, second))
    if rests_on < 2:
        return None
    if np.ptp(left_out) > 1e-12:
        squares = (left_out - left_out.mean()) ** 2
        varying = max(2, min(n, int(3 * squares.sum() ** 2 / (squares**2).sum())))
        return wilson_t(point, left_out, min(rests_on, varying), -1, 1, varying, most**2 / 2)
    reach = wilson_ends(0, rests_on, scipy.stats.t.ppf(0.975, n - 1))[1]
    return [max(point - reach, -1), min(point + reach, 1)]
