"""95 % intervals of a quantity from its replicates, and of a share from its counts."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scoring.common.arrays import Bools, Floats, Ints

QUANTILES = (0.025, 0.975)
AUTO, PERCENTILE, LOGIT_T = "auto", "percentile", "logit t"
METHODS = (AUTO, PERCENTILE, "jackknife", "bca")
"""What can be chosen; `auto` is the percentile or, with few units, the logit t interval."""
Z = 1.959963984540054


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
    """Return the share of hits [n] with Wilson's interval; units [n]: see `effective_cases`."""
    count, n = int(hits.sum()), len(hits)
    effective = n if units is None else effective_cases(hits, units)
    low, high = wilson(count * effective / n if n else 0, effective)
    return Share(count, n, float(low), float(high))


def counted(hits: int, n: int) -> Share:
    """Return the share of `hits` among `n` independent cases with Wilson's interval."""
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


def student(point: float, replicates: Floats, n_units: int) -> list[float] | None:
    """Return Student's t interval of a quantity that has no bounds, such as a difference.

    It is point +- t(0.975, n - 1) x `replicate_error`.

    Args:
        point: The quantity on the whole test set.
        replicates: The quantity in each replicate [B], NaN where undefined.
        n_units: Number of units n.

    Returns:
        The lower and the upper end; None where `percentile` is None, and with fewer than two units or
        replicates.
    """
    if n_units < 2 or percentile(replicates) is None or np.isfinite(replicates).sum() < 2:
        return None
    reach = float(scipy.special.stdtrit(n_units - 1, QUANTILES[1])) * replicate_error(replicates, n_units)
    return [float(point) - reach, float(point) + reach]


def logit_t(point: float, left_out: Floats) -> list[float] | None:
    """Return the logit t interval of a quantity between 0 and 1, which holds its level with few units.

    It is logit(c) +- t(0.975, n - 1) x se / (c (1 - c)), transformed back, with c = (n point + 1) / (n + 2)
    and the jackknife standard error; where that is 0, the one of a share, sqrt(c (1 - c) / n). Where units
    hardly differ it would lie beside the point, which is then its end.

    Args:
        point: The quantity on the whole test set, 0..1.
        left_out: The quantity without each unit [n], NaN where undefined.

    Returns:
        The lower and the upper end, 0..1, around the point; None with fewer than two units, and where the
        point or one of `left_out` is undefined: then the quantity hinges on one unit.

    Example:
        >>> [round(end, 2) for end in logit_t(1.0, np.ones(8))]
        [0.36, 1.0]
    """
    n = len(left_out)
    if n < 2 or not np.isfinite(point) or np.isnan(left_out).any():
        return None
    center = (n * point + 1) / (n + 2)
    error = jackknife_error(left_out) or float(np.sqrt(center * (1 - center) / n))
    reach = float(scipy.special.stdtrit(n - 1, QUANTILES[1])) * error / (center * (1 - center))
    middle = scipy.special.logit(center)
    low, high = (float(scipy.special.expit(middle + side * reach)) for side in (-1, 1))
    return [min(low, point), max(high, point)]


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


def wilson(hits: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Return Wilson's 95 % bounds of shares.

    Args:
        hits: Number of hits, any shape.
        n: Number of trials, of the same shape, at least `hits`.

    Returns:
        The lower and the upper bounds of hits / n, 0..1, of that shape; NaN where n is 0.
    """
    hits, n = np.asarray(hits, float), np.asarray(n, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, spread = hits / n, Z * Z / n
        middle = (share + spread / 2) / (1 + spread)
        reach = Z / (1 + spread) * np.sqrt(share * (1 - share) / n + spread / (4 * n))
    low, high = np.clip(middle - reach, 0, 1), np.clip(middle + reach, 0, 1)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)
