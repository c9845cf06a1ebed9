"""Long tables, a row for each case and class, as wide ones with a column for each class."""

from collections.abc import Sequence
from itertools import permutations

from scoring.inputs.suggestions import NUMERIC

FORMAT = "A long table (a row for each case and class)"
MOST_CLASSES = 200
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
    named = [i for i, name in enumerate(header) if name]
    if len(named) != 3 or len(columns[0]) < 4:
        return None
    for case, kind, score in permutations(named):
        if _are_numbers(columns[score], header[score]) and not _are_numbers(columns[kind], ""):
            classes = {name: k for k, name in enumerate(dict.fromkeys(map(str.strip, columns[kind])))}
            cases = {name: k for k, name in enumerate(dict.fromkeys(map(str.strip, columns[case])))}
            is_grid = len(cases) * len(classes) == len(columns[case])
            if is_grid and 1 < len(classes) < len(cases) and len(classes) <= MOST_CLASSES:
                made = _placed(columns[case], columns[kind], columns[score], cases, classes)
                if made is not None:
                    wide, first = made
                    return (header[case], *classes), [list(cases), *wide], first
    return None


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
    place = [classes[kind.strip()] * n + cases[name.strip()] for name, kind in zip(names, kinds, strict=True)]
    if len({*place}) < len(place):
        return None
    cells = [""] * len(place)
    for at, score in zip(place, scores, strict=True):
        cells[at] = score
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name.strip(), row)
    return [cells[k : k + n] for k in range(0, len(cells), n)], list(first.values())
