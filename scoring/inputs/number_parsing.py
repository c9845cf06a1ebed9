"""Reads cells of tables as numbers: decimal comma or point, thousands separators, missing and infinite
values. Also finds out whether numbers are percent or logits."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Array, Floats
from scoring.common.findings import Finding, error
from scoring.common.fixes import Pairs, SuggestedFix, editing
from scoring.inputs.tables import MISSING, TextTable
from scoring.metrics import output_kinds

INFINITE = {"inf", "infinity"}
BLANKS = " \t\n\v\f\r"
ODD_CONTROLS = "\x1c\x1d\x1e\x1f"
"""Control characters that Python strips like blanks but other programs do not."""
EXACT_DIGITS = 15
"""Integers with at most this number of digits are stored exactly as float (they are below 2^53)."""
POWERS = np.array([float(10**k) for k in range(EXACT_DIGITS + 1)])
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d++\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Numbers:
    """Cells read as numbers.

    Attributes:
        values: Float64 [n], NaN if there is a problem.
        fault: "missing-value", "not-a-number", "not-finite" or "" [n].
        odd_spaces: Number of cells with a no-break space or another non-ASCII blank beside the number.
    """

    values: Floats
    fault: Array
    decimal_commas: int
    odd_spaces: int = 0


def parse_numbers(cells: Sequence[str], decimal_comma: bool = False) -> Numbers:
    """Parse cells [n] as numbers with ASCII digits, point and exponent. With `decimal_comma`, `0,5` is also
    accepted. Underscores, thousands separators and percent signs are not accepted."""
    n = len(cells)
    joined = "".join(cells)
    if (
        joined.isascii() and "_" not in joined and not any(map(joined.__contains__, ODD_CONTROLS))
    ):  # beyond that, and beside nan and inf, float() reads what NUMBER says
        even = _of_one_layout(cells, joined)
        if even is not None:
            return Numbers(even, np.zeros(n, dtype="U14"), 0)
        try:
            values = np.fromiter(map(float, cells), float, n)
            if np.isfinite(values).all():
                return Numbers(values, np.zeros(n, dtype="U14"), 0)
        except ValueError:
            pass
    values, fault, commas, odd = np.full(n, np.nan), np.full(n, "", dtype="U14"), 0, 0
    for i, written in enumerate(cells):
        cell = written.strip()
        if (
            decimal_comma
            and cell.count(",") == 1
            and "." not in cell
            and NUMBER.fullmatch(cell.replace(",", "."))
        ):
            cell, written, commas = cell.replace(",", "."), written.replace(",", "."), commas + 1
        if NUMBER.fullmatch(cell):
            values[i] = float(cell)
            odd += cell != written.strip(BLANKS)
            fault[i] = "" if np.isfinite(values[i]) else "not-finite"
        else:
            fault[i] = (
                "missing-value"
                if cell.lower() in MISSING
                else "not-finite"
                if cell.lower().lstrip("+-") in INFINITE
                else "not-a-number"
            )
    values[fault != ""] = np.nan
    return Numbers(values, fault, commas, odd)


def possible_thousands(table: TextTable, columns: Iterable[int]) -> list[Finding]:
    """Return a finding `ambiguous-number` for each column whose points may be thousands separators; empty if
    commas separate cells."""
    cells = {} if table.delimiter == "," else {c: two_readings(table.cells(c)) for c in columns}
    fix = (
        "Benchside cannot tell which, because the column also has whole numbers. Write 1.2340 for a "
        "decimal, or 1234 without a separator."
    )
    return [
        error("ambiguous-number", table.header_place, f"{table.header[c]}: {reading}; {fix}")
        for c, reading in cells.items()
        if reading
    ]


def two_readings(cells: Sequence[str]) -> str:
    """Return a text with both numbers that one of the trimmed cells can mean, such as 1.234 and 1234; "" if
    thousands separators are impossible.

    Thousands separators are possible if each cell with a point has three digits after it, and other cells are
    integers above 1.
    """
    first = next((cell for cell in cells if "." in cell or "," in cell), "")
    if not THOUSANDS.fullmatch(first):
        return ""
    others = [cell for cell in cells if not THOUSANDS.fullmatch(cell) and cell.lower() not in MISSING]
    whole = all(map(WHOLE.fullmatch, others)) and any(abs(float(cell)) > 1 for cell in others)
    return f"{first!r} can be {first.replace(',', '.')} or {re.sub('[.,]', '', first)}" if whole else ""


def _of_one_layout(cells: Sequence[str], joined: str) -> Floats | None:
    """Return the values of cells that are all written as the first one is, such as 0.123456; None for any
    others. joined: the cells as one text, ASCII. A whole number below 2^53 over a power of ten below 10^16 is
    rounded once, so it is what float() reads."""
    width = len(cells[0]) if cells else 0
    if not width or len(joined) != width * len(cells):
        return None
    point = cells[0].find(".")
    places = [k for k in range(width) if k != point]
    if not 0 < len(places) <= EXACT_DIGITS or {*map(len, cells)} != {width}:
        return None
    characters = np.frombuffer(joined.encode("ascii"), np.uint8).reshape(-1, width)
    digits = characters[:, places] - np.uint8(ord("0"))
    if (digits > 9).any() or (point >= 0 and (characters[:, point] != ord(".")).any()):
        return None
    whole = digits.astype(float) @ POWERS[len(places) - 1 :: -1]
    return np.asarray(whole / POWERS[width - 1 - point] if point >= 0 else whole)


PERCENT, BYTES, LOGITS = "percent", "bytes", "logits"
FIXES: Mapping[str, tuple[SuggestedFix, ...]] = {
    PERCENT: (editing("divide", "100", "Divide the numbers by 100"),),
    BYTES: (editing("divide", "255", "Divide the numbers by 255"),),
    LOGITS: (
        editing("softmax", label="Read a softmax of the numbers of each case"),
        editing("sigmoid", label="Read a sigmoid of each number"),
    ),
}
"""Scale -> edits of which each turns numbers of this scale into probabilities."""
OF_RISKS = {**FIXES, LOGITS: FIXES[LOGITS][1:]}
"""Scale -> the same edits, if each case has only one number."""


WORDS = {
    PERCENT: "percent. Divide them by 100",
    BYTES: "probabilities as whole numbers up to 255. Divide them by 255",
}
"""Scale whose numbers are multiples of probabilities -> description and advice."""


def scale_of(outputs: Floats) -> str:
    """Return the scale of numbers [N, K]: "probabilities", `PERCENT`, `BYTES`, `LOGITS` or "other numbers".

    Args:
        outputs: Numbers [N, K]; rows with NaN are ignored.
    """
    numbers = outputs[(outputs == outputs).all(1)]
    if not numbers.size:
        return "other numbers"
    if output_kinds.are_percent(numbers):
        return PERCENT
    if numbers.min() >= 0 and numbers.max() <= 1:
        return "probabilities"
    if output_kinds.are_bytes(numbers):
        return BYTES
    return LOGITS if numbers.min() < 0 else "other numbers"


def edits_of_risks(scores: Floats) -> Pairs:
    """Return the edits that turn numbers [N], one per case, into probabilities; empty if they already are.

    Args:
        scores: Numbers [N]; NaN is ignored.
    """
    fixes = OF_RISKS.get(scale_of(scores[:, None]), ())
    return fixes[0].changes.edits if fixes else ()
