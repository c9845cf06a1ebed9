"""Long tables, a row for each case and class, as wide ones with a column for each class."""

from collections.abc import Iterator, Sequence
from itertools import permutations

from scoring.inputs.suggestions import NUMERIC

FORMAT = "A long table (a row for each case and class)"
MOST_CLASSES = 200
MOST_PAIRS = 2_000_000
LOOKED_AT = 50
"""Rows by which a column's kind is told before all are looked at."""
Columns = Sequence[Sequence[str]]


def widened(
    header: Sequence[str], columns: Columns
) -> tuple[tuple[str, ...], list[list[str]], list[int]] | None:
    """Return header, columns and the first row of each case of a long table made wide; None for any other.

    A table is long if it has three columns with a name, one of them numbers, and the other two together name
    each row: every case has one row for each class. Cases are those that are more.

    Args:
        header: Names of the columns.
        columns: Their cells.
    """
    for case, kind, score in _readings(header, columns):
        classes, cases = _numbered(columns[kind]), _numbered(columns[case])
        is_grid = len(cases) * len(classes) == len(columns[case])
        if is_grid and 1 < len(classes) < len(cases) and len(classes) <= MOST_CLASSES:
            wide_table = _placed(columns[case], columns[kind], columns[score], cases, classes)
            if wide_table is not None:
                wide, first = wide_table
                return (header[case], *classes), [list(cases), *wide], first
    return None


def missing_pairs(header: Sequence[str], columns: Columns) -> list[dict[int, str]]:
    """Return the pairs of case and class that a long table lacks, by column; none for any other table, and
    for a table of more than `MOST_PAIRS`.

    Args:
        header: Names of the columns.
        columns: Their cells.
    """
    for case, kind, classes, cases, pairs in _with_gaps(header, columns):
        if len(cases) * len(classes) <= MOST_PAIRS:
            every = ((name, label) for name in cases for label in classes)
            return [{case: name, kind: label} for name, label in every if (name, label) not in pairs]
    return []


def _with_gaps(
    header: Sequence[str], columns: Columns
) -> Iterator[tuple[int, int, dict[str, int], dict[str, int], set[tuple[str, str]]]]:
    """Yield the columns of case and class of a long table, its classes, its cases, and the pairs that it
    has."""
    for case, kind, _ in _readings(header, columns):
        classes, cases, rows = _numbered(columns[kind]), _numbered(columns[case]), len(columns[case])
        pairs = {*zip(map(str.strip, columns[case]), map(str.strip, columns[kind]), strict=True)}
        is_long = 1 < len(classes) < len(cases) and len(classes) <= MOST_CLASSES and rows > 1.5 * len(cases)
        if is_long and len(pairs) == rows:
            yield case, kind, classes, cases, pairs


def _readings(header: Sequence[str], columns: Columns) -> Iterator[tuple[int, int, int]]:
    """Yield which columns can be case, class and score."""
    named = [i for i, name in enumerate(header) if name]
    if len(named) != 3 or len(columns[0]) < 4:
        return
    for case, kind, score in permutations(named):
        if _are_numbers(columns[score], header[score]) and not _are_numbers(columns[kind], ""):
            yield case, kind, score


def _numbered(cells: Sequence[str]) -> dict[str, int]:
    return {name: k for k, name in enumerate(dict.fromkeys(map(str.strip, cells)))}


def _are_numbers(cells: Sequence[str], header: str) -> bool:
    return all(map(NUMERIC.fullmatch, cells[:LOOKED_AT])) and not header.lower().endswith("id")


def _placed(
    names: Sequence[str],
    kinds: Sequence[str],
    scores: Sequence[str],
    cases: dict[str, int],
    classes: dict[str, int],
) -> tuple[list[list[str]], list[int]] | None:
    """Return a column for each class and the first row of each case; None where a cell has two rows."""
    n = len(cases)
    index = [classes[kind.strip()] * n + cases[name.strip()] for name, kind in zip(names, kinds, strict=True)]
    if len({*index}) < len(index):
        return None
    cells = [""] * len(index)
    for at, score in zip(index, scores, strict=True):
        cells[at] = score
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name.strip(), row)
    return [cells[k : k + n] for k in range(0, len(cells), n)], list(first.values())
