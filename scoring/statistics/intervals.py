"""Confidence intervals (95 %): Wilson, percentile, jackknife and BCa, and "wilson t" from replicates."""

from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Ints

QUANTILES = (0.025, 0.975)
AUTO, PERCENTILE, WILSON_T = "auto", "percentile", "wilson t"
ONCE_AUTO = (PERCENTILE, "logit t")
"""Methods that `auto` meant in earlier versions; old scorecards still name them."""
METHODS = (AUTO, PERCENTILE, "jackknife", "bca")
"""Methods that users can choose; `auto` means `wilson_t`."""
Z = 1.959963984540054
Range = tuple[float, float]
SHARE: Range = (0.0, 1.0)
NOISE, LONGEST, DIGITS = 1e-12, 50.0, 12
"""Smallest standard error that counts as above 0; maximum half width of an interval on the log scale;
decimals to which numbers are rounded for comparisons only, so that float errors do not change ranks."""
FULL, FEWEST, ROOT_NOISE = 0.125, 0.3, 1e-6
"""Variance of a share of one half among two cases; minimum effective number of cases; a root whose imaginary
part is at most the third number counts as real."""


@dataclass(frozen=True)
class Share:
    """A share: `hits` of `n` cases; low and high are its 95 % bounds, NaN without cases."""

    hits: int
    n: int
    low: float
    high: float

    def __str__(self) -> str:
        """Return "24 of 34 (71%; 54 to 83%)"."""
        if not self.n:
            return "none of 0"
        percent = (200 * self.hits + self.n) // (2 * self.n)  # halves are rounded up
        return f"{self.hits} of {self.n} ({percent}%; {self.low * 100:.0f} to {self.high:.0%})"


def share(hits: Bools, units: Ints | None = None) -> Share:
    """Return the share of hits, with Wilson's interval.

    Args:
        hits: Which cases are hits [n].
        units: Unit number of each case [n], as in `effective_cases`; None if each case is its own unit.
    """
    count, n = int(hits.sum()), len(hits)
    effective = n if units is None else effective_cases(hits, units)
    low, high = wilson(count * effective / n if n else 0, effective)
    return Share(count, n, float(low), float(high))


def counted(hits: int, n: int) -> Share:
    """Return the share of hits among independent cases, with Wilson's interval.

    Args:
        hits: Number of hits.
        n: Number of cases.
    """
    low, high = wilson(hits, n)
    return Share(hits, n, float(low), float(high))


def effective_cases(hits: Bools, units: Ints) -> float:
    """Return the number of independent cases that would estimate a share as precisely as the given cases.

    The result is the number of cases divided by the design effect (Korn and Graubard 1998). The design effect
    is the variance of the share between units over the variance with independent cases. The design effect is
    at least 1 and at most the mean number of cases per unit.

    Args:
        hits: Which cases are hits [n].
        units: Number of each case's patient [n].
    """
    n, of_unit = len(hits), np.unique(units, return_inverse=True)[1]
    count = int(of_unit.max(initial=-1)) + 1
    if count in (0, n):
        return n
    mean = float(hits.mean())
    sums = np.bincount(of_unit, weights=hits - mean)
    independent = mean * (1 - mean) / n
    if count == 1 or not independent:
        return count
    effect = count / (count - 1) * float((sums**2).sum()) / n**2 / independent
    return float(n / np.clip(effect, 1, n / count))


def percentile(replicates: Floats) -> list[float] | None:
    """Return the percentile interval of a quantity.

    Args:
        replicates: The quantity in each replicate [B], NaN if undefined.

    Returns:
        The 2.5 and 97.5 percentiles (linear interpolation) of the defined replicates; None without
        replicates, or if more than half are undefined.

    Example:
        >>> percentile(np.arange(101) / 100)
        [0.025, 0.975]
    """
    defined = replicates[~np.isnan(replicates)]
    if not len(replicates) or 2 * len(defined) < len(replicates) or not len(defined):
        return None
    return [float(v) for v in np.quantile(defined, QUANTILES)]


def jackknife(point: float, left_out: Floats) -> list[float] | None:
    """Return the jackknife interval of a quantity.

    The interval is point +- t(0.975, n - 1) x se with se^2 = (n - 1) / n x sum (left_out - mean)^2.

    Args:
        point: The quantity on the whole test set.
        left_out: The quantity with each unit left out in turn [n], NaN if undefined.

    Returns:
        The lower and upper end; None if the point is undefined, or if fewer than two values of `left_out` are
        defined.
    """
    left_out = left_out[~np.isnan(left_out)]
    n = len(left_out)
    if n < 2 or not np.isfinite(point):
        return None
    reach = float(scipy.special.stdtrit(n - 1, QUANTILES[1]) * jackknife_error(left_out))
    return [float(point) - reach, float(point) + reach]


def jackknife_error(left_out: Floats) -> float:
    """Return the jackknife standard error of a quantity. `left_out` is the quantity with each unit left out
    in turn [n], n at least 2."""
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2)))


def replicate_error(replicates: Floats, n_units: int) -> float:
    """Return the standard error of a quantity computed from its replicates.

    With n units, replicates vary too little, by the factor sqrt((n - 1) / n). The function corrects this.

    Args:
        replicates: The quantity in each replicate [B], NaN if undefined.
        n_units: Number of units n, at least 2.
    """
    defined = replicates[~np.isnan(replicates)]
    return float(np.std(defined, ddof=1) * np.sqrt(n_units / (n_units - 1)))


@dataclass(frozen=True)
class Estimate:
    """A quantity of a test set, and its variance between test sets of the same kind.

    Attributes:
        point: Its value.
        variance: Variance of that value.
        centers: One or more values around which an interval is built: the point, and the point corrected for
            bias. The final interval extends from the lowest end to the highest end.
        n_units: Number of units of the test set.
        rests_on: Number of units that the quantity depends on.
        has_hidden: Whether the variance includes errors that did not occur among few units
            (`interval_basis.with_unseen`).
        worst: Worst value that one more unit could have (`interval_basis.Basis.worst`); None for yes-or-no
            answers.
        varying: Effective number of units whose values vary, at most n; None: all units.
        unseen: Variance that one more unit could add to a difference of two teams.
    """

    point: float
    variance: float
    centers: tuple[float, ...]
    n_units: int
    rests_on: int
    has_hidden: bool = False
    worst: float | None = None
    varying: int | None = None
    unseen: float = 0.0


def estimated(
    point: float, replicates: Floats, left_out: Floats | None, n_units: int, rests_on: int | None = None
) -> Estimate:
    """Return a quantity with its variance and bias, from the jackknife or the replicates.

    Args:
        point: The quantity on the whole test set.
        replicates: The quantity in each replicate [B], NaN if undefined.
        left_out: The quantity with each unit left out in turn [n]; None: the replicates are used.
        n_units: Number of units n of the test set.
        rests_on: Number of units that the quantity depends on; None: all.
    """
    rests_on, varying = n_units if rests_on is None else rests_on, None
    if not np.isfinite(point) or np.isfinite(replicates).sum() < 2:
        error, corrected, rests_on = 0.0, point, 0
    elif left_out is None:
        error, corrected = replicate_error(replicates, n_units), 2 * point - float(np.nanmean(replicates))
    elif np.isnan(left_out).any():  # it hinges on one unit
        error, corrected, rests_on = 0.0, point, min(rests_on, 1)
    else:
        error = jackknife_error(left_out)
        corrected = n_units * point - (n_units - 1) * float(left_out.mean())
        varying = _varying(left_out) if error > NOISE else None
    variance = error**2 if error > NOISE else 0.0
    return Estimate(point, variance, (point, corrected), n_units, rests_on, varying=varying)


def estimated_difference(
    point: float,
    replicates: Floats,
    left_out: tuple[Floats, Floats] | None,
    n_units: int,
    rests_on: int | None = None,
) -> Estimate:
    """Return the difference of two quantities with its variance and bias, as in `estimated`.

    The variance allows for one more unit. With probability 1/2, the two quantities differ in this unit as
    much as possible.

    Args:
        point: The difference on the whole test set.
        replicates: The difference in each replicate [B], NaN if undefined.
        left_out: The values of both quantities with each unit left out in turn, two arrays [n]; None: the
            replicates are used.
        n_units: Number of units n of the test set.
        rests_on: Number of units that the difference depends on; None: all.
    """
    if left_out is None:
        return estimated(point, replicates, None, n_units, rests_on)
    of_units = np.round(left_out[0] - left_out[1], DIGITS)
    most = max(float(np.abs(values - values.mean()).max()) for values in left_out)
    return replace(estimated(point, replicates, of_units, n_units, rests_on), unseen=most**2 / 2)


def _varying(left_out: Floats) -> int:
    """Return 3 (sum d^2)^2 / sum d^4 of the deviations d. This is about n if they are normally distributed,
    and small if few units deviate."""
    squares = (left_out - left_out.mean()) ** 2
    return int(np.clip(3 * squares.sum() ** 2 / (squares**2).sum(), 2, len(left_out)))


def wilson_t(estimate: Estimate, limits: Range = SHARE) -> list[float] | None:
    """Return the interval of a quantity within its limits, with one method for any number of units.

    With two limits, the quantity is mapped to 0..1. The mapped value is treated as a share p of m = p (1 - p)
    / variance yes-or-no answers. The interval is Wilson's, with the quantile of Student's t. If the variance
    includes errors that did not occur (`has_hidden`), one more answer of each kind is added. If nothing
    varies, m is the number of units. If nothing varies at the lowest value, m is half of this number, because
    F1 counts a detected case twice. If a quantity varies less than yes-or-no answers would, the degrees of
    freedom are the number of varying units.

    With one limit, the interval is Student's t on the logarithm of the distance to the limit, with the number
    of varying units. The end of this interval is extended by the square of the relative error. Without
    limits, the interval is Student's t.

    Args:
        limits: Lowest and highest possible value, infinite without a limit.

    Returns:
        The lower and upper end, within the limits and around the point. None if the point is undefined, if it
            has fewer than two units, or if nothing varies and a limit is missing.

    Example:
        >>> ends = wilson_t(estimated(1.0, np.ones(2), np.ones(8), 8))
        >>> [round(end, 2) for end in ends]
        [0.59, 1.0]
    """
    low, high = limits
    if not np.isfinite(estimate.point) or min(estimate.rests_on, estimate.n_units) < 2:
        return None
    if np.isfinite(low) and np.isfinite(high):
        return _between(estimate, low, high - low)
    if not estimate.variance:
        return None
    if np.isfinite(low) or np.isfinite(high):
        limit, side = (low, 1) if np.isfinite(low) else (high, -1)
        ends = [limit + side * end for end in _beyond(estimate, limit, side)]
    else:
        reach = _quantile(estimate.rests_on) * float(np.sqrt(estimate.variance))
        ends = [center + side * reach for center in estimate.centers for side in (-1, 1)]
    return [min(ends), max(ends)]


def difference_t(estimate: Estimate, width: float = 1.0) -> list[float] | None:
    """Return the interval of a difference of two quantities whose limits are `width` apart; None if the
    difference is undefined or depends on fewer than two units.

    The interval is that of `wilson_t` between -width and width, with the number of varying units: teams that
    differ in few units reveal little about their difference. If nothing varies, the interval is Wilson's
    interval of the share of units in which the two may still differ.

    Args:
        width: Distance between the limits, infinite if there are none.
    """
    if estimate.variance or not np.isfinite(width):
        units = estimate.varying or estimate.n_units
        variance, rests_on = estimate.variance + estimate.unseen, min(estimate.rests_on, units)
        few = replace(estimate, variance=variance, n_units=units, rests_on=rests_on)
        return wilson_t(few, (-width, width))
    if not np.isfinite(estimate.point) or min(estimate.rests_on, estimate.n_units) < 2:
        return None
    reach = width * float(wilson(0, estimate.rests_on, _quantile(estimate.n_units))[1])
    return [max(estimate.point - reach, -width), min(estimate.point + reach, width)]


def _between(estimate: Estimate, low: float, width: float) -> list[float]:
    share, variance = (estimate.point - low) / width, estimate.variance / width**2
    answers = estimate.rests_on / (2 if share == 0 else 1)
    if variance and estimate.has_hidden:
        answers = _answers_and_two(share, variance)
    elif variance and 0 < share < 1:
        answers = share * (1 - share) / variance
    # What varies as yes and no do has no variance of its own to be estimated; what varies less has.
    few = min(estimate.rests_on, estimate.varying or estimate.rests_on)
    units = estimate.n_units if answers <= estimate.rests_on else few
    centers = np.clip([(center - low) / width for center in estimate.centers], 0, 1)
    lower, upper = wilson(answers * centers, np.full(len(centers), answers), _quantile(units))
    ends = low + width * min(float(lower.min()), share), low + width * max(float(upper.max()), share)
    return list(ends)


def _answers_and_two(share: float, variance: float) -> float:
    """Return the number m of yes-or-no answers whose share p, after one yes and one no are added, has the
    given variance: (m p + 1) (m (1 - p) + 1) / (m + 2)^3."""
    if variance >= FULL:
        return FEWEST
    cubic = [variance, 6 * variance - share * (1 - share), 12 * variance - 1, 8 * variance - 1]
    roots = np.roots(cubic)
    return max(float(roots.real[np.abs(roots.imag) < ROOT_NOISE].max()), FEWEST)


def _beyond(estimate: Estimate, limit: float, side: int) -> list[float]:
    """Return the ends of the interval of a quantity with one limit, as distances from this limit."""
    distance, error = side * (estimate.point - limit), float(np.sqrt(estimate.variance))
    if distance <= 0:
        return [0.0, _quantile(estimate.rests_on) * error]
    # A few extreme units can determine the mean. Test sets that lack them have a low mean that varies little.
    units = min(estimate.rests_on, estimate.varying or estimate.rests_on)
    reach = min(_quantile(units) * error / distance, LONGEST)
    centers = [value for center in estimate.centers if (value := side * (center - limit)) > 0]
    with_tail = max(centers) * (1 + (error / distance) ** 2)
    return [min(centers) * float(np.exp(-reach)), with_tail * float(np.exp(reach))]


def _quantile(units: int) -> float:
    return float(scipy.special.stdtrit(units - 1, QUANTILES[1]))


def bca(point: float, replicates: Floats, left_out: Floats) -> list[float] | None:
    """Return the bias-corrected and accelerated bootstrap interval (Efron 1987) of a quantity.

    The bias is estimated from the share of replicates below the point; ties count half. The acceleration is
    estimated from the values with each unit left out in turn.

    Args:
        point: The quantity on the whole test set.
        replicates: The quantity in each replicate [B], NaN if undefined.
        left_out: The quantity with each unit left out in turn [n], NaN if undefined.

    Returns:
        The lower and upper end; None if `percentile` is None or the point is undefined.
    """
    if percentile(replicates) is None or not np.isfinite(point):
        return None
    defined = np.round(replicates[~np.isnan(replicates)], 12)
    share = (np.sum(defined < round(point, 12)) + 0.5 * np.sum(defined == round(point, 12))) / len(defined)
    deviations = np.nanmean(left_out) - left_out[~np.isnan(left_out)]
    spread = np.sum(deviations**2) ** 1.5
    acceleration = float(np.sum(deviations**3) / (6 * spread)) if spread > 0 else 0.0
    bias = float(scipy.special.ndtri(np.clip(share, 0.5 / len(defined), 1 - 0.5 / len(defined))))
    levels = [float(scipy.special.ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))) for z in (-Z, Z)]
    return [float(v) for v in np.quantile(replicates[~np.isnan(replicates)], levels)]


def wilson(hits: ArrayLike, n: ArrayLike, z: float = Z) -> tuple[Floats, Floats]:
    """Return Wilson's 95 % bounds of shares.

    Args:
        hits: Number of hits, any shape.
        n: Number of trials, of the same shape, at least `hits`.
        z: Quantile of the standard normal distribution, 1.96 for 95 %.

    Returns:
        The lower and upper bounds of hits / n, 0..1, of the same shape; NaN if n is 0.
    """
    hits, n = np.asarray(hits, float), np.asarray(n, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, spread = hits / n, z * z / n
        middle = (share + spread / 2) / (1 + spread)
        reach = z / (1 + spread) * np.sqrt(share * (1 - share) / n + spread / (4 * n))
    low, high = np.clip(middle - reach, 0, 1), np.clip(middle + reach, 0, 1)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)
