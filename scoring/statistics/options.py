"""Options that every challenge's `score` has: replicates, seed, unit and kind of interval."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.arrays import Floats
from scoring.findings import Finding, error, note, warning
from scoring.statistics import intervals

FEW_UNITS, FEW_REPLICATES = 50, 200


@dataclass(frozen=True)
class StatisticsOptions:
    """How intervals are computed.

    Attributes:
        resamples: Number of bootstrap replicates; 0 = no intervals.
        seed: Seed of the draw, 0 or more.
        group: Column that names the unit of resampling; "none" = the case itself, None = the challenge's own.
        interval: "percentile", "jackknife" or "bca".
    """

    resamples: int = 1000
    seed: int = 0
    group: str | None = None
    interval: str = "percentile"

    def problems(self) -> list[Finding]:
        """Return a `bad-option` error for every value that is not allowed."""
        problems = []
        if self.resamples < 0 or self.resamples == 1:
            message = (
                f"{self.resamples} replicates give no interval: 0 for none, or 2 and more (1000 is usual)."
            )
            problems.append(error("bad-option", "--resamples", message))
        if self.seed < 0:
            message = f"{self.seed} is negative: give 0 or more."
            problems.append(error("bad-option", "--seed", message))
        if self.interval not in intervals.METHODS:
            message = f"{self.interval!r} is not one of {', '.join(intervals.METHODS)}."
            problems.append(error("bad-option", "--interval", message))
        return problems

    def interval_of(
        self, point: float, replicates: Floats, left_out: Floats | None = None
    ) -> list[float] | None:
        """Return the 95 % interval of one quantity by the chosen method.

        Args:
            point: The quantity on the whole test set.
            replicates: The quantity in each replicate [B], NaN where undefined.
            left_out: The quantity without each unit [n]; the percentile interval needs none.

        Returns:
            The lower and the upper end; None where the quantity is undefined, or more than half of its
            replicates are.

        Raises:
            ValueError: The method needs `left_out`, and it is None.
        """
        if not np.isfinite(point) or np.isnan(replicates).mean() > 0.5:
            return None
        if self.interval == "percentile":
            return intervals.percentile(replicates)
        if left_out is None:
            raise ValueError(f"{self.interval} needs the quantity without each unit")
        if self.interval == "jackknife":
            return intervals.jackknife(point, left_out)
        return intervals.bca(point, replicates, left_out)

    def findings(self, n_units: int) -> Iterator[Finding]:
        """Yield what makes the intervals doubtful.

        Args:
            n_units: Number of units of the test set.
        """
        if n_units < FEW_UNITS:
            message = (
                f"{n_units} units: below {FEW_UNITS} intervals are rough and comparisons call too much "
                "certain."
            )
            yield warning("few-units", "intervals", message)
        if 0 < self.resamples < FEW_REPLICATES:
            message = (
                f"{self.resamples} replicates: below {FEW_REPLICATES} the ends of an interval are rough."
            )
            yield note("few-replicates", "--resamples", message)
