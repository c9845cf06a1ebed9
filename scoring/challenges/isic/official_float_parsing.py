"""Where a decision hangs on the last digit of a number, which the official scorer reads in another way.

Source: pandas 2, on which `isic-challenge-scoring` 5.8.0 runs: `precise_xstrtod` of its tokenizer. It takes
the first 17 digits, a leading zero included, and rounds at every step: of random numbers as Python writes
them 36 % come out one unit off in their last place.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from scoring.common.findings import Finding, note
from scoring.inputs.cells import NUMBER
from scoring.inputs.tables import TextTable

ROUNDING = "official-rounding"
"""Code of the finding."""
DIGITS_READ = 17
EXACT_CHARACTERS = 15
"""A cell of fewer characters is read alike by both."""
APART = 5e-16
"""Farther apart than this, two scores in 0..1 stay apart and in order."""
WITH_EXPONENT, EXPONENT = 1e-4, re.compile("[eE]")
HALF = 0.5
SHOWN = 3


def as_read_there(cell: str) -> float:
    """Return the number that the official scorer reads from a cell with a number."""
    written, _, power = cell.strip().lower().lstrip("+-").partition("e")
    number, digits, decimals, beyond_point = 0.0, 0, 0, False
    for character in written:
        if not character.isdigit():
            beyond_point = True
        elif digits < DIGITS_READ:
            number, digits, decimals = number * 10 + int(character), digits + 1, decimals + beyond_point
        elif not beyond_point:
            decimals -= 1
    exponent = int(power or 0) - decimals
    if not -308 <= exponent <= 308:
        return float(cell.replace(",", "."))
    size = number * float(f"1e{exponent}") if exponent > 0 else number / float(f"1e{-exponent}")
    return -size if cell.strip().startswith("-") else size


def rounding_note(
    table: TextTable, places: Sequence[int], values: np.ndarray, ids: Sequence[str]
) -> Iterator[Finding]:
    """Yield `official-rounding` where another label, another side of 0.5 or another order of two cases comes
    of it. values: what is read here [rows, K] from the columns `places`."""
    columns = [table.columns[place] for place in places]
    if not columns or max(max(map(len, column)) for column in columns) < EXACT_CHARACTERS:
        return
    cells = _Cells(columns, values)
    rows = [row for row in _close_rows(values) if _label(values[row]) != _label(cells.row(row))]
    half = [row for row, k in _close_to_half(values) if (values[row, k] > HALF) != (cells.one(row, k) > HALF)]
    pairs = sum(_other_order(cells, k) for k in range(values.shape[1]))
    changed = sorted({*rows, *half})
    if not changed and not pairs:
        return
    said = []
    if changed:
        shown = ", ".join(ids[row] for row in changed[:SHOWN]) + (", ..." if len(changed) > SHOWN else "")
        said.append(f"{len(changed)} case{'s' * (len(changed) > 1)} ({shown}) decided otherwise")
    if pairs:
        said.append(f"{pairs} pair{'s' * (pairs > 1)} of cases tied or parted otherwise in an AUC")
    yield note(
        ROUNDING,
        table.name,
        f"the official scorer's reader takes numbers of 16 and more digits up to a unit of their last digit "
        f"off. Here ties hang on that: {' and '.join(said)} there. Write 15 decimals and both read the same.",
    )


class _Cells:
    """The cells of the categories, read as there. values: as read here [rows, K]."""

    def __init__(self, columns: Sequence[Sequence[str]], values: np.ndarray):
        self._columns, self.values = columns, values

    def one(self, row: int, k: int) -> float:
        """Return one cell as read there."""
        cell = self._columns[k][row]
        return as_read_there(cell) if NUMBER.fullmatch(cell.strip()) else float(self.values[row, k])

    def may_part(self, k: int, low: np.ndarray, apart: np.ndarray) -> np.ndarray:
        """Return which neighbours in the order of a column may lie nearer, farther or exchanged there, bool:
        those below 0.0001 are usually written with an exponent, where only the last digit moves.

        low: the smaller ones [n]. apart: how far apart they lie [n].
        """
        if EXPONENT.search("".join(self._columns[k])):
            return (apart > 0) & (apart < np.where(low < WITH_EXPONENT, 4 * np.spacing(low), APART))
        return (apart > 0) & (apart < APART)

    def row(self, row: int) -> np.ndarray:
        """Return the cells of a row as read there [K]."""
        return np.array([self.one(row, k) for k in range(len(self._columns))])


def _close_rows(values: np.ndarray) -> list[int]:
    """Return the rows whose two largest scores are about equal."""
    if values.shape[1] < 2:
        return []
    highest = np.partition(values, -2, axis=1)[:, -2:]
    rows: list[int] = np.flatnonzero(highest[:, 1] - highest[:, 0] < APART).tolist()
    return rows


def _close_to_half(values: np.ndarray) -> list[tuple[int, int]]:
    return [(int(row), int(k)) for row, k in np.argwhere(np.abs(values - HALF) < APART)]


def _label(scores: np.ndarray) -> int:
    return int(scores.argmax()) if (scores == scores.max()).sum() == 1 else -1


def _other_order(cells: _Cells, k: int) -> int:
    """Return how many neighbours in the order of a column are equal or exchanged there instead."""
    ordered = np.sort(cells.values[:, k])
    close = np.flatnonzero(cells.may_part(k, ordered[:-1], np.diff(ordered)))
    if not len(close):
        return 0
    order = np.argsort(cells.values[:, k], kind="stable")
    pairs = zip(order[close].tolist(), order[close + 1].tolist(), strict=True)
    return sum(cells.one(low, k) >= cells.one(high, k) for low, high in pairs)
