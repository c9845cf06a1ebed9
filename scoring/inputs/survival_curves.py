"""Survival curves in tables, as lifelines, pycox and scikit-survival write them, reduced to one number
each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Array, Floats
from scoring.inputs.fix_suggestions import NUMERIC

READINGS = {
    "mean": "mean time without an event, the area below the curve",
    "last": "probability at the last time",
}
"""Possible numbers of a curve; higher is better."""
CASE, TIME = "PatientID", "RFS"
LEAST = 2
ROUNDED = 1e-6
"""Tolerance by which rounding may raise a curve."""


@dataclass(frozen=True, eq=False)
class SurvivalCurves:
    """Curves of n cases at T times.

    Attributes:
        ids: Names of the cases [n]; "" if the rows of the table are the cases.
        times: Times [T], ascending.
        values: Probability of no event until each time [n, T], never increasing.
        columns: Columns of the times, empty if times are in rows.
    """

    ids: tuple[str, ...]
    times: Floats
    values: Floats
    columns: tuple[int, ...] = ()

    def numbers(self, reading: str) -> Floats:
        """Return one number of each curve [n]. reading: one of `READINGS`."""
        if reading == "last":
            last: Floats = self.values[:, -1]
            return last
        area: Floats = self.times[0] + self.values[:, :-1] @ np.diff(self.times)
        return area


def survival_curves(header: Sequence[str], columns: Sequence[Sequence[str]]) -> SurvivalCurves | None:
    """Return the curves in a table: times in the first column and a column per case, or else times as
    headings and a row per case; None if there are none."""
    if len(header) > LEAST and len({*header[1:]}) == len(header) - 1 and all(header[1:]):
        times = _times([columns[0]])
        values = None if times is None or not _rises(times[0]) else _times(columns[1:])
        if times is not None and values is not None and _falls(values):
            return SurvivalCurves(tuple(header[1:]), times[0], values)
    of_times = [k for k, name in enumerate(header) if NUMERIC.fullmatch(name)]
    times = _times([[header[k] for k in of_times]])
    if times is None or not _rises(times[0]):
        return None
    values = _times([columns[k] for k in of_times])
    if values is None or not _falls(values.T):
        return None
    return SurvivalCurves(("",) * values.shape[1], times[0], values.T, tuple(of_times))


def with_times(rows: list[list[str]], reading: str) -> list[list[str]]:
    """Return a table with one number per curve, as a time; unchanged if it contains no curves."""
    curves = survival_curves(rows[0], list(zip(*rows[1:], strict=True)))
    if curves is None:
        return rows
    numbers = [repr(number) for number in curves.numbers(reading).tolist()]
    if not curves.columns:
        return [[CASE, TIME], *map(list, zip(curves.ids, numbers, strict=True))]
    columns = [k for k in range(len(rows[0])) if k not in {*curves.columns}]
    cells = zip(rows[1:], numbers, strict=True)
    return [[*(rows[0][k] for k in columns), TIME], *([*(row[k] for k in columns), n] for row, n in cells)]


def _times(columns: Sequence[Sequence[str]]) -> Array | None:
    """Return cells as numbers [columns, rows]; None if one is none, or there are too few."""
    if not columns or len(columns[0]) < LEAST:
        return None
    if not all(NUMERIC.fullmatch(cell.strip()) for cells in columns for cell in cells):
        return None
    return np.array([[float(cell.replace(",", ".")) for cell in cells] for cells in columns])


def _rises(times: Floats) -> bool:
    return bool(times[0] >= 0 and (np.diff(times) > 0).all() and np.isfinite(times).all())


def _falls(values: Floats) -> bool:
    """Return whether all curves [n, T] are probabilities that never rise, and one of them falls."""
    steps = np.diff(values, axis=1)
    return bool(values.min() >= 0 and values.max() <= 1 and steps.max() <= ROUNDED and steps.min() < 0)
