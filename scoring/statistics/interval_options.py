"""Options that every challenge's `score` has: replicates, seed, unit and kind of interval."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, error, note, warning
from scoring.statistics import intervals
from scoring.statistics.intervals import SHARE, Estimate, Range

FEW_UNITS, FEW_REPLICATES = 50, 200
UNITS_OF_INTERVAL, UNITS_OF_COMPARISON = 6, 20
"""Minimum number of units for an interval of a score, and for a test of teams. docs/statistics.md shows the
simulations behind both numbers."""
LARGEST_SEED, DIGITS = 2**63 - 1, intervals.DIGITS


@dataclass(frozen=True)
class StatisticsOptions:
    """Options for computing intervals.

    Attributes:
        resamples: Number of bootstrap replicates; 0 = no intervals.
        seed: Seed of the random draw, 0 or more.
        group: Column that names the unit of resampling; "none" = each case, None = the challenge's default.
        interval: "auto" (needs 6 units), "percentile", "jackknife" or "bca".
    """

    resamples: int = 1000
    seed: int = 0
    group: str | None = None
    interval: str = intervals.AUTO

    @classmethod
    def taken(cls, options: dict[str, Any]) -> "StatisticsOptions":
        """Return the statistics options in a mapping; other entries are ignored, and missing options have
        their defaults."""
        return cls(**{f.name: options.pop(f.name) for f in fields(cls) if f.name in options})

    def problems(self) -> list[Finding]:
        """Return a `bad-option` error for every value that is not allowed."""
        problems = []
        if self.resamples < 0 or self.resamples == 1:
            message = (
                f"{self.resamples} replicates give no interval: write 0 for no intervals, or 2 or more (1000 "
                "is usual)."
            )
            problems.append(error("bad-option", "--resamples", message))
        if not 0 <= self.seed <= LARGEST_SEED:
            asked = "0 or more" if self.seed < 0 else f"at most {LARGEST_SEED}"
            message = f"{self.seed} is {'negative' if self.seed < 0 else 'too large'}: give {asked}."
            problems.append(error("bad-option", "--seed", message))
        if self.interval not in intervals.METHODS:
            message = f"{self.interval!r} is not one of {', '.join(intervals.METHODS)}."
            problems.append(error("bad-option", "--interval", message))
        return problems

    def method(self, n_units: int) -> str | None:
        """Return the interval method: "wilson t", "percentile", "jackknife" or "bca"; None if there are too
        few units. `n_units` is the number of units of the test set."""
        if self.interval != intervals.AUTO:
            return self.interval
        return intervals.WILSON_T if n_units >= UNITS_OF_INTERVAL else None

    def interval_of(
        self,
        point: float,
        replicates: Floats,
        left_out: Floats | None,
        n_units: int,
        limits: Range = SHARE,
        estimate: Estimate | None = None,
    ) -> list[float] | None:
        """Return the 95 % interval of a quantity by the chosen method.

        Args:
            point: The quantity on the whole test set.
            replicates: The quantity in each replicate [B], NaN if undefined.
            left_out: The quantity with each unit left out in turn [n]; None if unknown. If it is None, "auto"
                computes variance and bias from the replicates, and "jackknife" and "bca" return None.
            n_units: Number of units of the test set.
            limits: Lowest and highest possible value, infinite without a limit.
            estimate: The estimate that "auto" uses; None: it is computed from the other arguments.

        Returns:
            The lower and upper end; None if the quantity or more than half of its replicates are undefined,
            or if there are too few units.
        """
        method = self.method(n_units)
        if method is None or not np.isfinite(point) or np.isnan(replicates).mean() > 0.5:
            return None
        if method == intervals.PERCENTILE:
            return intervals.percentile(replicates)
        if method == intervals.WILSON_T:
            estimate = estimate or intervals.estimated(point, replicates, left_out, n_units)
            return intervals.wilson_t(estimate, limits)
        if left_out is None:
            return None
        if method == "bca":
            return intervals.bca(point, replicates, left_out)
        return intervals.jackknife(point, left_out)

    def findings(self, n_units: int) -> Iterator[Finding]:
        """Yield a finding for each reason why the intervals are doubtful. `n_units` is the number of units of
        the test set."""
        held = self.interval == intervals.AUTO
        if n_units < (UNITS_OF_COMPARISON if held else FEW_UNITS):
            yield warning("few-units", "intervals", self._of_few(n_units))
        if 0 < self.resamples < FEW_REPLICATES:
            message = (
                f"{self.resamples} replicates are few: below {FEW_REPLICATES}, the ends of an interval are "
                "imprecise."
            )
            yield note("few-replicates", "--resamples", message)

    def _of_few(self, n_units: int) -> str:
        number = f"{n_units} unit{'s' * (n_units != 1)}"
        method = self.method(n_units)
        if method is None:
            interval = f"no interval is computed: {UNITS_OF_INTERVAL} are needed"
        elif method == intervals.WILSON_T:
            interval = "intervals are wide"
        else:
            interval = f"this kind of interval ({method}) contains the true value less often than 95 %"
        if n_units < UNITS_OF_COMPARISON:
            return (
                f"With only {number} to resample, {interval}. Telling teams apart needs "
                f"{UNITS_OF_COMPARISON}."
            )
        return f"With only {number} to resample, {interval}."
