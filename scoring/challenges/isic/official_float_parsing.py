"""How the official scorer rounds the numbers that it reads. Some decisions depend on the last digit.

Source: the function `precise_xstrtod` of pandas 2, which `isic-challenge-scoring` 5.8.0 uses. It reads the
first 17 digits, including a leading zero, and rounds at every step. For 36 % of random numbers that Python
wrote, the last digit of the result differs by one. pandas 3 rounds correctly with every `float_precision`, so
that pandas 3 cannot reproduce this.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, note
from scoring.inputs.number_parsing import NUMBER
from scoring.inputs.tables import TextTable

ROUNDING = "official-rounding"
"""Code of the finding about this rounding."""
DIGITS_READ = 17
EXACT_CHARACTERS = 15
"""If a number has fewer characters than this, Benchside and the official scorer read the same number."""
APART = 5e-16
"""Two scores in 0..1 that differ by more than this are in the same order for the official scorer."""
WITH_EXPONENT, EXPONENT = 1e-4, re.compile("[eE]")
HALF = 0.5
NAMED_CASES = 3


def as_read_there(cell: str) -> float:
    """Return the number that the official scorer reads from a numeric cell. The last digit may differ from
    the exact number."""
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
    table: TextTable, places: Sequence[int], values: Floats, ids: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding `official-rounding` if the official scorer reads a number differently, and this changes
    a label, the side of 0.5 on which a score lies, or the order of two cases.

    Args:
        places: Positions of the columns with numbers.
        values: Numbers as Benchside reads them [rows, K].
    """
    columns = [table.columns[index] for index in places]
    if not columns or max(max(map(len, column)) for column in columns) < EXACT_CHARACTERS:
        return
    close, half = _close_rows(values), np.argwhere(np.abs(values - HALF) < APART).tolist()
    pairs = [
        (k, low, high) for k, column in enumerate(columns) for low, high in _close_pairs(values[:, k], column)
    ]
    decisive = {(row, k) for row in close for k in range(len(columns))} | {(row, k) for row, k in half}
    decisive |= {(row, k) for k, *rows in pairs for row in rows}
    there = _read_there(columns, values, decisive)
    changed = {row for row in close if _label(values[row]) != _label(there[row])}
    changed |= {row for row, k in half if (values[row, k] > HALF) != (there[row, k] > HALF)}
    reordered = sum(
        bool(np.sign(there[high, k] - there[low, k]) != np.sign(values[high, k] - values[low, k]))
        for k, low, high in pairs
    )
    if not changed and not reordered:
        return
    effects = []
    if changed:
        named = ", ".join(ids[row] for row in sorted(changed)[:NAMED_CASES])
        named += ", ..." if len(changed) > NAMED_CASES else ""
        effects.append(f"{len(changed)} case{'s' * (len(changed) > 1)} ({named}) decided differently")
    if reordered:
        effects.append(
            f"{reordered} pair{'s' * (reordered > 1)} of cases tied or separated differently in an AUC"
        )
    message = (
        "the official scorer can misread the last digit of numbers with 16 or more digits by "
        f"one. The effect in the official scorer: {' and '.join(effects)}. Write 15 decimals, so "
        "that both programs read the same number."
    )
    yield note(ROUNDING, table.name, message)


def _read_there(columns: Sequence[Sequence[str]], values: Floats, decisive: set[tuple[int, int]]) -> Floats:
    """Return the values [rows, K] with the decisive cells (row, column) as read there."""
    there = values.copy()
    for row, k in decisive:
        if NUMBER.fullmatch(cell := columns[k][row].strip()):
            there[row, k] = as_read_there(cell)
    return there


def _close_rows(values: Floats) -> list[int]:
    """Return the rows whose two largest scores are about equal."""
    if values.shape[1] < 2:
        return []
    highest = np.partition(values, -2, axis=1)[:, -2:]
    rows: list[int] = np.flatnonzero(highest[:, 1] - highest[:, 0] < APART).tolist()
    return rows


def _close_pairs(scores: Floats, cells: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield neighbours in the order of a column that may lie nearer, farther or exchanged there: equal ones
    only where they are written in two ways. Those below 0.0001 are usually written with an exponent, where
    only the last digit moves."""
    order = np.argsort(scores, kind="stable")
    low, apart = scores[order][:-1], np.diff(scores[order])
    limit: Floats = np.full(len(low), APART)
    if EXPONENT.search("".join(cells)):
        limit = np.where(low < WITH_EXPONENT, 4 * np.spacing(low), APART)
    for rank in np.flatnonzero((apart > 0) & (apart < limit)).tolist():
        yield int(order[rank]), int(order[rank + 1])
    for rank in np.flatnonzero(apart == 0).tolist():
        first, second = cells[order[rank]], cells[order[rank + 1]]
        if first != second and max(len(first), len(second)) >= EXACT_CHARACTERS:
            yield int(order[rank]), int(order[rank + 1])


def _label(scores: Floats) -> int:
    return int(scores.argmax()) if (scores == scores.max()).sum() == 1 else -1
