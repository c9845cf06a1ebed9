"""The options that every challenge's `score` has: replicates, seed, unit and kind of interval."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding, error, note, warning
from scoring.statistics import intervals

FEW_UNITS, FEW_REPLICATES = 50, 200


@dataclass(frozen=True)
class StatisticsOptions:
    """resamples: bootstrap replicates, 0 = no intervals. seed: of the draw. group: the column that names the
    unit, "none" = the row, None = the challenge's own. interval: "percentile", "jackknife" or "bca"."""

    resamples: int = 1000
    seed: int = 0
    group: str | None = None
    interval: str = "percentile"

    def problems(self) -> list[Finding]:
        """`bad-option` for every value that cannot be."""
        found = []
        if self.resamples < 0 or self.resamples == 1:
            found.append(
                error(
                    "bad-option",
                    "--resamples",
                    (
                        f"{self.resamples} replicates give no interval: 0 for none, or 2 and more (1000 "
                        "is usual)."
                    ),
                )
            )
        if self.seed < 0:
            found.append(error("bad-option", "--seed", f"{self.seed} is negative: give 0 or more."))
        if self.interval not in intervals.METHODS:
            found.append(
                error(
                    "bad-option",
                    "--interval",
                    f"{self.interval!r} is not one of {', '.join(intervals.METHODS)}.",
                )
            )
        return found

    def interval_of(
        self, point: float, replicates: np.ndarray, left_out: np.ndarray | None
    ) -> list[float] | None:
        """The 95 % interval of one quantity by the chosen method; None where the quantity is undefined, or
        more than half of its replicates are."""
        if not np.isfinite(point) or np.isnan(replicates).mean() > 0.5:
            return None
        if self.interval == "jackknife":
            return intervals.jackknife(point, left_out)
        if self.interval == "bca":
            return intervals.bca(point, replicates, left_out)
        return intervals.percentile(replicates)

    def findings(self, n_units: int) -> Iterator[Finding]:
        """What makes the intervals doubtful."""
        if n_units < FEW_UNITS:
            yield warning(
                "few-units",
                "intervals",
                (
                    f"{n_units} units: below {FEW_UNITS} intervals are rough and comparisons call too "
                    "much certain."
                ),
            )
        if 0 < self.resamples < FEW_REPLICATES:
            yield note(
                "few-replicates",
                "--resamples",
                f"{self.resamples} replicates: below {FEW_REPLICATES} the ends of an interval are rough.",
            )
