"""Edits a whole table before it is read: transposes it, turns labels into scores, fills gaps, rescales
numbers, and replaces survival curves by one number each."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Array, Floats
from scoring.common.fixes import Pairs
from scoring.inputs import long_tables, tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.fix_suggestions import NUMERIC
from scoring.inputs.table_formats import CASE
from scoring.metrics.output_kinds import softmax

PATIENT, TIME = "PatientID", "RFS"
LEAST = 2
ROUNDED = 1e-6
"""A survival curve may rise by at most this, because its numbers are rounded."""


@dataclass(frozen=True, eq=False)
class SurvivalCurves:
    """Survival curves of n cases at T times.

    Attributes:
        ids: Names of the cases [n]; "" if the rows of the table are the cases.
        times: Times [T], ascending.
        values: Probability of no event until each time [n, T], never increasing.
        columns: Columns of the times; empty if each time is a row.
    """

    ids: tuple[str, ...]
    times: Floats
    values: Floats
    columns: tuple[int, ...] = ()

    def numbers(self, reading: str) -> Floats:
        """Return one number for each curve [n]. `reading` says which number, and is a key of `READINGS`."""
        if reading == "last":
            last: Floats = self.values[:, -1]
            return last
        area: Floats = self.times[0] + self.values[:, :-1] @ np.diff(self.times)
        return area


def survival_curves(header: Sequence[str], columns: Sequence[Sequence[str]]) -> SurvivalCurves | None:
    """Return the survival curves in a table; None if there are none. The table has times in the first column
    and a column per case, or times as headings and a row per case."""
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
    """Replace the survival curves of a table by one number for each curve. A table without curves is returned
    unchanged."""
    curves = survival_curves(rows[0], list(zip(*rows[1:], strict=True)))
    if curves is None:
        return rows
    numbers = [repr(number) for number in curves.numbers(reading).tolist()]
    if not curves.columns:
        return [[PATIENT, TIME], *map(list, zip(curves.ids, numbers, strict=True))]
    columns = [k for k in range(len(rows[0])) if k not in {*curves.columns}]
    cells = zip(rows[1:], numbers, strict=True)
    return [[*(rows[0][k] for k in columns), TIME], *([*(row[k] for k in columns), n] for row, n in cells)]


def _times(columns: Sequence[Sequence[str]]) -> Array | None:
    """Return cells as numbers [columns, rows]; None if one is none, or there are too few."""
    if not columns or len(columns[0]) < LEAST:
        return None
    if not all(NUMERIC.fullmatch(cell.strip()) for cells in columns for cell in cells):
        return None
    return np.array([[float(cell.strip().replace(",", ".")) for cell in cells] for cells in columns])


def _rises(times: Floats) -> bool:
    return bool(times[0] >= 0 and (np.diff(times) > 0).all() and np.isfinite(times).all())


def _falls(values: Floats) -> bool:
    """Return whether all curves [n, T] are probabilities that never rise, and one of them falls."""
    steps = np.diff(values, axis=1)
    return bool(values.min() >= 0 and values.max() <= 1 and steps.max() <= ROUNDED and steps.min() < 0)


Rows = list[list[str]]
"""Cells of a table, header first."""
DIGITS = 9
"""Pattern of the divisors that an edit may use."""
INFINITE = re.compile(r"\+?inf(inity)?", re.IGNORECASE)
PERCENT = re.compile(r"(.*\d)\s*%\s*", re.DOTALL)


def edited(rows: Rows, edits: Pairs) -> Rows:
    """Apply edits to a table in the order of `EDITS`.

    Args:
        edits: Edits, as in `InputChanges`.

    Returns:
        The table that is then read, and to which messages refer.
    """
    values, width = dict(edits), max(map(len, rows), default=0)
    rows = [[cell.strip() for cell in row] + [""] * (width - len(row)) for row in rows if any(row)]
    rows = _widened(rows)
    for name, edit in EDITS.items():
        if name in values:
            rows = edit(rows, values[name])
    return _widened(rows)


def _widened(rows: Rows) -> Rows:
    wide = long_tables.widened(rows[0], list(zip(*rows[1:], strict=True))) if len(rows) > 1 else None
    return [list(wide.header), *map(list, zip(*wide.columns, strict=True))] if wide else rows


def labels_argument(column: str, classes: Mapping[str, str]) -> str:
    """Return the value of the edit `labels`.

    Args:
        column: The column with the class of each case.
        classes: Cell -> class; every class must occur.
    """
    return f"{column}: {' | '.join(f'{cell}>{name}' for cell, name in classes.items())}"


def case_column(names: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the case column: the first with a usual name, otherwise the first that contains
    text, otherwise 0."""
    keys = [tables.key(name) for name in names]
    known = [keys.index(name) for name in ID_COLUMNS if name in keys]
    ids = [i for i, name in enumerate(keys) if name.endswith("id")]
    text = (
        i for i in range(len(keys)) if any(i < len(row) and not NUMERIC.fullmatch(row[i]) for row in rows)
    )
    return next(iter([*known, *ids]), next(text, 0))


def _without_columns(rows: Rows, places: str) -> Rows:
    dropped = {int(place) - 1 for place in places.split() if place.isdecimal() and len(place) < 10}
    return [[cell for i, cell in enumerate(row) if i not in dropped] for row in rows]


def _with_header(rows: Rows, _value: str) -> Rows:
    case = case_column([""] * len(rows[0]), rows)
    numbers = map(str, range(len(rows[0])))
    return [[CASE if i == case else next(numbers) for i in range(len(rows[0]))], *rows]


def _transposed(rows: Rows, _value: str) -> Rows:
    turned = [list(column) for column in zip(*rows, strict=True)]
    return [[CASE, *turned[0][1:]], *turned[1:]]


def _labels(rows: Rows, value: str) -> Rows:
    column, _, classes = value.partition(": ")
    class_of = {cell: name for cell, _, name in (pair.rpartition(">") for pair in classes.split(" | "))}
    header, names = rows[0], list(dict.fromkeys(class_of.values()))
    if column not in header:
        return rows
    label_column = header.index(column)
    scored = [[*header[:label_column], *header[label_column + 1 :], *names]]
    for row in rows[1:]:
        label = class_of.get(row[label_column])
        cells = [str(float(name == label)) if label else "" for name in names]
        scored.append([*row[:label_column], *row[label_column + 1 :], *cells])
    return scored


def _filled(rows: Rows, value: str) -> Rows:
    header, body = rows[0], rows[1:]
    columns = list(zip(*body, strict=True))
    pairs = long_tables.missing_pairs(header, columns)
    if pairs:
        blank = [""] * len(header)
        added = []
        for cells in pairs:
            row = blank.copy()
            for place, cell in {**cells, _score_column(header, cells): value}.items():
                row[place] = cell
            added.append(row)
        return [header, *body, *added]
    numbers = _numbers([header, *([_written(cell) for cell in row] for row in body)])
    body = [[_written(cell) if i in numbers else cell for i, cell in enumerate(row)] for row in body]
    return [header, *([value if i in numbers and not c else c for i, c in enumerate(row)] for row in body)]


def _infinite(rows: Rows, value: str) -> Rows:
    return [rows[0], *([value if INFINITE.fullmatch(cell) else cell for cell in row] for row in rows[1:])]


def _written(cell: str) -> str:
    """Return a cell, "" for one of the texts that stand for nothing."""
    return "" if cell.lower() in tables.MISSING else cell


def _score_column(header: Sequence[str], cells: Mapping[int, str]) -> int:
    return next(i for i, name in enumerate(header) if name and i not in cells)


def _divided(rows: Rows, value: str) -> Rows:
    divisor = int(value) if value.isdecimal() and len(value) <= DIGITS else 0
    return _changed(rows, lambda numbers: [number / divisor for number in numbers]) if divisor else rows


def _softmax(rows: Rows, _value: str) -> Rows:
    return _changed(rows, lambda numbers: softmax(np.array([numbers]))[0].tolist())


def _sigmoid(rows: Rows, _value: str) -> Rows:
    return _changed(rows, lambda numbers: [0.5 * (1 + math.tanh(number / 2)) for number in numbers])


def _complement(rows: Rows, _value: str) -> Rows:
    return _changed(rows, lambda numbers: [1 - number for number in numbers])


def _of_called(rows: Rows, value: str) -> Rows:
    """Return a table with 1 minus the number of a column where another holds one of some cells, and without
    that other."""
    column, _, rest = value.partition(": ")
    number, _, cells = rest.partition(": ")
    if not {column, number} <= {*rows[0]}:
        return rows
    call, score, others = rows[0].index(column), rows[0].index(number), cells.split(" | ")
    changed = [rows[0]]
    for row in rows[1:]:
        known = _number(row[score])
        turned = repr(1 - known) if row[call] in others and known is not None else row[score]
        changed.append([turned if i == score else cell for i, cell in enumerate(row)])
    return [row[:call] + row[call + 1 :] for row in changed]


def _changed(rows: Rows, change: Callable[[list[float]], list[float]]) -> Rows:
    """Return a table with the numbers of each row changed; rows that lack one stay."""
    places = _numbers(rows)
    changed = [rows[0]]
    for row in rows[1:]:
        known = [number for i in places if (number := _number(row[i])) is not None]
        is_whole = len(known) == len(places) > 0
        new = dict(zip(places, map(repr, change(known)), strict=True)) if is_whole else {}
        changed.append([new.get(i, cell) for i, cell in enumerate(row)])
    return changed


def _numbers(rows: Rows) -> list[int]:
    """Return the columns of numbers, empty cells aside, that are not the one of cases."""
    case = case_column(rows[0], rows[1:])
    columns = enumerate(zip(*rows[1:], strict=True))
    return [
        i
        for i, cells in columns
        if i != case and any(cells) and all(not cell or _number(cell) is not None for cell in cells)
    ]


def _number(cell: str) -> float | None:
    match = PERCENT.fullmatch(cell)
    text = match[1] if match else cell
    return float(text.replace(",", ".")) if NUMERIC.fullmatch(text) else None


def _with_zeros(rows: Rows, name: str) -> Rows:
    """Return the rows with a column of zeros, unless one has its name."""
    if name in rows[0]:
        return rows
    return [[*rows[0], name], *([*row, "0.0"] for row in rows[1:])]


EDITS: Mapping[str, Callable[[Rows, str], Rows]] = {
    "header": _with_header,
    "leave_out": _without_columns,
    "transpose": _transposed,
    "labels": _labels,
    "fill": _filled,
    "infinite": _infinite,
    "survival": with_times,
    "divide": _divided,
    "softmax": _softmax,
    "sigmoid": _sigmoid,
    "complement": _complement,
    "of_called": _of_called,
    "zeros": _with_zeros,
}
"""Name of an edit -> function that applies it to a table."""


READINGS = {
    "mean": "mean time without an event, the area below the curve",
    "last": "probability at the last time",
}
"""Key of a number that can replace a survival curve -> its description. A higher number is a better
prognosis."""
