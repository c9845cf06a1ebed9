"""The options that every challenge's `score` has: replicates, seed, unit and kind of interval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding, InputRefused, error, note, warning
from scoring.readers.tables import key
from scoring.statistics import intervals, resampling

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

    def units(
        self, columns: Mapping[str, Sequence[str]], n_cases: int, usual: Sequence[str], id_column: str
    ) -> tuple[str, np.ndarray]:
        """The name of the unit and the unit number of each case [N]. Raises InputRefused where the named
        column is absent."""
        wanted = None if self.group is None or self.group.lower() == "none" else key(self.group)
        if wanted is not None and wanted not in columns:
            raise InputRefused(
                [
                    error(
                        "bad-option",
                        "--group",
                        f"there is no column {self.group!r}. Columns: {', '.join(columns) or 'none'}.",
                    )
                ]
            )
        if self.group is None:
            wanted = next((c for c in usual if c in columns and c != id_column), None)
        return (wanted or "case"), resampling.unit_numbers(columns[wanted] if wanted else None, n_cases)

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
