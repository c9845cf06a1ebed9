"""Confidence intervals (95 %): Wilson, percentile, jackknife and BCa, and "wilson t" of replicates."""

from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Ints

QUANTILES = (0.025, 0.975)
AUTO, PERCENTILE, WILSON_T = "auto", "percentile", "wilson t"
ONCE_AUTO = (PERCENTILE, "logit t")
"""What `auto` was in earlier versions, whose scorecards are kept."""
METHODS = (AUTO, PERCENTILE, "jackknife", "bca")
"""What can be chosen; `auto` is `wilson_t`."""
Z = 1.959963984540054
Range = tuple[float, float]
SHARE: Range = (0.0, 1.0)
NOISE, LONGEST, DIGITS = 1e-12, 50.0, 12
"""Standard errors below this are none; the longest reach of a logarithm; decimals of a
comparison, so that float noise makes no rank; written numbers stay unrounded."""
FULL, FEWEST, ROOT_NOISE = 0.125, 0.3, 1e-6
"""Variance of no answer with two more, fewest answers, and imaginary parts of what is a real root."""


@dataclass(frozen=True)
class Share:
    """Of `n` cases `hits` were such; low, high: 95 % bounds of the share, NaN without a case."""

    hits: int
    n: int
    low: float
    high: float

    def __str__(self) -> str:
        """Return "24 of 34 (71%; 54 to 83%)"."""
        if not self.n:
            return "none of 0"
        return f"{self.hits} of {self.n} ({self.hits / self.n:.0%}; {self.low * 100:.0f} to {self.high:.0%})"


def share(hits: Bools, units: Ints | None = None) -> Share:
    """Return the share of hits with Wilson's interval.

    Args:
        hits: Which cases are hits [n].
        units: Unit number of each case [n], as of `effective_cases`; None where each is its own.
    """
    count, n = int(hits.sum()), len(hits)
    effective = n if units is None else effective_cases(hits, units)
    low, high = wilson(count * effective / n if n else 0, effective)
    return Share(count, n, float(low), float(high))


def counted(hits: int, n: int) -> Share:
    """Return a share among independent cases with Wilson's interval.

    Args:
        hits: How many cases are hits.
        n: How many there are.
    """
    low, high = wilson(hits, n)
    return Share(hits, n, float(low), float(high))


def effective_cases(hits: Bools, units: Ints) -> float:
    """Return how many independent cases say as much of a share as these.

    The number of cases over the design effect (Korn and Graubard 1998), which is the variance of the share
    between units over the one of independent cases; never less than 1 nor more than the cases of a unit.

    Args:
        hits: What is counted [n].
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
        replicates: The quantity in each replicate [B], NaN where undefined.

    Returns:
        The 2.5 and 97.5 percentile (linear) of the defined replicates; None without replicates, or where more
        than half are undefined.

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

    It is point +- t(0.975, n - 1) x se with se^2 = (n - 1) / n x sum (left_out - mean)^2.

    Args:
        point: The quantity on the whole test set.
        left_out: The quantity without each unit [n], NaN where undefined.

    Returns:
        The lower and the upper end; None where the point or all but one of `left_out` are undefined.
    """
    left_out = left_out[~np.isnan(left_out)]
    n = len(left_out)
    if n < 2 or not np.isfinite(point):
        return None
    reach = float(scipy.special.stdtrit(n - 1, QUANTILES[1]) * jackknife_error(left_out))
    return [float(point) - reach, float(point) + reach]


def jackknife_error(left_out: Floats) -> float:
    """Return the jackknife standard error of a quantity.

    Args:
        left_out: The quantity without each unit [n], n at least 2.
    """
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2)))


def replicate_error(replicates: Floats, n_units: int) -> float:
    """Return the standard error of a quantity from its replicates.

    Replicates of few units vary too little by the factor sqrt((n - 1) / n), which is undone.

    Args:
        replicates: The quantity in each replicate [B], NaN where undefined.
        n_units: Number of units n, at least 2.
    """
    defined = replicates[~np.isnan(replicates)]
    return float(np.std(defined, ddof=1) * np.sqrt(n_units / (n_units - 1)))


@dataclass(frozen=True)
class Estimate:
    """A quantity of a test set, and how it varies from one test set to another.

    Attributes:
        point: Its value.
        variance: Variance of that value.
        centers: Values from which its interval is made, one or more: that of the test set, the same corrected
            for its bias. The interval reaches from the lowest end to the highest.
        n_units: Number of units of the test set.
        rests_on: Number of units that the quantity is made of.
        has_hidden: Whether the variance holds what few units hide (`interval_basis.with_unseen`).
        worst: What one more unit may have at the worst (`basis.Basis.worst`); None: answers of yes or no.
        varying: Number of units, at most n, whose normal values would tell as much of it; None: all.
        unseen: Variance that one more unit may add to a difference.
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
    """Return a quantity with its variance and bias, by the jackknife or by the replicates.

    Args:
        point: The quantity on the whole test set.
        replicates: The quantity in each replicate [B], NaN where undefined.
        left_out: The quantity without each unit [n]; None: the replicates are taken.
        n_units: Number of units n of the test set.
        rests_on: Number of units that the quantity is made of; None: all.
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
    """Return the difference of two quantities with its variance and bias, as `estimated`.

    Whether the two differ in one more unit, by as much as any unit counts for either, a coin decides.

    Args:
        point: The difference on the whole test set.
        replicates: The difference in each replicate [B], NaN where undefined.
        left_out: Both quantities without each unit [n] each; None: the replicates are taken.
        n_units: Number of units n of the test set.
        rests_on: Number of units that the difference is made of; None: all.
    """
    if left_out is None:
        return estimated(point, replicates, None, n_units, rests_on)
    of_units = np.round(left_out[0] - left_out[1], DIGITS)
    most = max(float(np.abs(values - values.mean()).max()) for values in left_out)
    return replace(estimated(point, replicates, of_units, n_units, rests_on), unseen=most**2 / 2)


def _varying(left_out: Floats) -> int:
    """Return 3 (sum d^2)^2 / sum d^4 of the deviations d, which is about n where they are normal and few
    where few units make them."""
    squares = (left_out - left_out.mean()) ** 2
    return int(np.clip(3 * squares.sum() ** 2 / (squares**2).sum(), 2, len(left_out)))


def wilson_t(estimate: Estimate, limits: Range = SHARE) -> list[float] | None:
    """Return the interval of a quantity within its limits, by one method whatever the number of units.

    Between two limits, mapped to 0..1, it is Wilson's interval of a share p among m = p (1 - p) / variance
    answers of yes or no, m being how many of them would vary as the quantity does, with the quantile of
    Student's t in place of the normal one. Where the variance holds what few units hide, m is how many would
    vary so with one answer of each kind more; where nothing varies, the number of units that the quantity
    rests on, half of them at the lowest value, as F1 counts a case that is found twice. What varies less than
    answers would has as many degrees of freedom as units vary. Above one limit it is Student's t on
    the logarithm of the distance from it, with as many units as vary and an end that is further by the square
    of the relative error; without limits Student's t.

    Args:
        estimate: The quantity.
        limits: Lowest and highest possible value, infinite where there is none.

    Returns:
        The lower and the upper end, within the limits and around the point; None where the point is
        undefined, with fewer than two units that it rests on, and where nothing varies and a limit is
        missing.

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
    """Return the interval of a difference of two quantities, each between limits that lie this far apart.

    It is `wilson_t` between -width and width, with as many units as vary: teams that differ in few units
    show little of how much they differ. Where nothing varies, the two differed in no unit: then it
    reaches as far as Wilson's interval of the share of units in which they may differ unseen.

    Args:
        estimate: The difference.
        width: Distance of the limits, infinite where there are none.
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
    """Return m so that a share of m answers, with one of each kind more, has this variance:
    (m p + 1) (m (1 - p) + 1) / (m + 2)^3."""
    if variance >= FULL:
        return FEWEST
    cubic = [variance, 6 * variance - share * (1 - share), 12 * variance - 1, 8 * variance - 1]
    roots = np.roots(cubic)
    return max(float(roots.real[np.abs(roots.imag) < ROOT_NOISE].max()), FEWEST)


def _beyond(estimate: Estimate, limit: float, side: int) -> list[float]:
    """Return the ends as distances from the limit."""
    distance, error = side * (estimate.point - limit), float(np.sqrt(estimate.variance))
    if distance <= 0:
        return [0.0, _quantile(estimate.rests_on) * error]
    # A few of a long tail decide, and most test sets lack them: then few units vary, and the mean is low.
    units = min(estimate.rests_on, estimate.varying or estimate.rests_on)
    reach = min(_quantile(units) * error / distance, LONGEST)
    centers = [value for center in estimate.centers if (value := side * (center - limit)) > 0]
    with_tail = max(centers) * (1 + (error / distance) ** 2)
    return [min(centers) * float(np.exp(-reach)), with_tail * float(np.exp(reach))]


def _quantile(units: int) -> float:
    return float(scipy.special.stdtrit(units - 1, QUANTILES[1]))


def bca(point: float, replicates: Floats, left_out: Floats) -> list[float] | None:
    """Return the bias-corrected and accelerated bootstrap interval (Efron 1987) of a quantity.

    The bias comes from the share of replicates below the point (ties half), the acceleration from the
    leave-one-unit-out values.

    Args:
        point: The quantity on the whole test set.
        replicates: The quantity in each replicate [B], NaN where undefined.
        left_out: The quantity without each unit [n], NaN where undefined.

    Returns:
        The lower and the upper end; None where `percentile` is None or the point is undefined.
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
        z: Quantile of the standardised share.

    Returns:
        The lower and the upper bounds of hits / n, 0..1, of that shape; NaN where n is 0.
    """
    hits, n = np.asarray(hits, float), np.asarray(n, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, spread = hits / n, z * z / n
        middle = (share + spread / 2) / (1 + spread)
        reach = z / (1 + spread) * np.sqrt(share * (1 - share) / n + spread / (4 * n))
    low, high = np.clip(middle - reach, 0, 1), np.clip(middle + reach, 0, 1)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)
