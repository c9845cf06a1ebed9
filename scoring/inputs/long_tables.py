"""Long tables (a row for each case and class), ranked tables and lists or objects in cells, converted to
wide tables with a column per class."""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from scoring.common.strict_json import StrictJsonError, with_each_key_once
from scoring.inputs import table_formats
from scoring.inputs.fix_suggestions import NUMERIC
from scoring.inputs.table_text import COLUMNS

LONGEST = 20_000
"""Maximum number of characters of an object in a cell."""
CellColumns = Sequence[Sequence[str]]


def without_objects(
    header: Sequence[str], columns: CellColumns
) -> tuple[tuple[str, ...], CellColumns] | None:
    """Replace columns whose cells contain objects by one column for each value of the objects. Return None if
    no cell contains objects, or if two columns would have the same name."""
    wide: dict[str, Sequence[str]] = {}
    count, is_changed = 0, False
    for name, cells in zip(header, columns, strict=True):
        found = _columns(cells) if cells and cells[0].lstrip().startswith("{") else None
        is_changed = is_changed or found is not None
        added = found or {name: cells}
        wide |= added
        count += len(added)
    return ((*wide,), [*wide.values()]) if is_changed and len(wide) == count else None


def _columns(cells: Sequence[str]) -> Mapping[str, Sequence[str]] | None:
    """Return the values of objects by name; None for other cells."""
    records = []
    for cell in cells:
        record = _record(cell.strip())
        if not isinstance(record, dict) or not 0 < len(record) <= COLUMNS:
            return None
        records.append({str(name): value for name, value in record.items()})
    return table_formats.columns_of(records)


def _record(cell: str) -> Any:
    """Return the object in a cell; None for other cells, and for an object with a key twice."""
    if len(cell) > LONGEST:
        return None
    try:
        return json.loads(cell, object_pairs_hook=with_each_key_once)
    except StrictJsonError:
        return None
    except (ValueError, RecursionError):
        pass
    try:
        written = ast.parse(cell, mode="eval").body
        record = ast.literal_eval(written)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return record if isinstance(written, ast.Dict) and len(record) == len(written.keys) else None


FORMAT, OF_LISTS = "A table with names of classes beside their scores", "A table with lists in its cells"
OF_OBJECTS = "A table with objects in its cells"
SETTINGS = r"(?:, *\w+=[^\[\](),]+)*"
"""Pattern of the text that NumPy and PyTorch write after values: `dtype=float32`, `device='cuda:0'`."""
LIST = re.compile(rf"(?:(?:array|tensor)\()?\[{{1,2}}([^\[\]]*)\]{{1,2}}{SETTINGS}\)?")
"""Pattern of a list in a cell, as written by Python, NumPy, PyTorch and JSON."""
SCALAR = re.compile(rf"(?:array|tensor|(?:np|numpy)\.float\d+)\(([-+.\deE]+){SETTINGS}\)", re.ASCII)
"""Pattern of a number, as written by NumPy and PyTorch."""
ENTRY = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,'"]+)""")
RANKED = re.compile(r"(.*[^\d_.])[_.]?(\d{1,3})", re.ASCII)
"""Pattern of the heading of a rank column: name of the content, then the rank."""
OF_CLASSES, OF_SCORES = ("name", "label", "class"), ("prob", "score", "conf")
"""Words in the headings of columns of classes, and of columns of scores, in a ranked table."""
MOST_CLASSES = 200
MOST_PAIRS = 2_000_000
LOOKED_AT = 50
"""Number of rows that decide what a column contains, before all rows are read."""
Columns = Sequence[Sequence[str]]


@dataclass(frozen=True)
class WideTable:
    """A table that was converted to a wide table.

    Attributes:
        first_rows: First row of each case in the original table.
        form: Description of the original shape, for messages.
    """

    header: tuple[str, ...]
    columns: Columns
    first_rows: Sequence[int]
    form: str = FORMAT


def widened(header: Sequence[str], columns: Columns) -> WideTable | None:
    """Convert a long table, a ranked table, or a table with lists or objects in cells to a wide table. Return
    None for any other table.

    A long table has three named columns. One contains numbers; the other two together identify each row, so
    that every case has one row per class. The column with more different values contains the cases.

    A ranked table contains the classes of each case in columns, likeliest first, with their scores: label_0,
    label_1, prob_0, prob_1.
    """
    objects = without_objects(header, columns)
    header, columns = objects or (header, columns)
    lists = _without_lists(header, columns)
    if lists is not None:
        header, columns = lists.header, lists.columns
    elif objects is not None:
        lists = WideTable((*header,), columns, range(len(columns[0])), OF_OBJECTS)
    if as_ranked := _ranked(header, columns):
        return as_ranked
    if lists is not None:
        return lists
    for case, kind, score in _readings(header, columns):
        classes, cases = _numbered(columns[kind]), _numbered(columns[case])
        is_grid = len(cases) * len(classes) == len(columns[case])
        if is_grid and 1 < len(classes) < len(cases) and len(classes) <= MOST_CLASSES:
            wide_table = _placed(columns[case], columns[kind], columns[score], cases, classes)
            if wide_table is not None:
                wide, first = wide_table
                return WideTable((header[case], *classes), [list(cases), *wide], first)
    return None


def _without_lists(header: Sequence[str], columns: Columns) -> WideTable | None:
    """Return a table in which each entry of lists in cells has its column, which keeps its name for lists of
    one entry; None if no column holds lists of one length."""
    wide: dict[str, Sequence[str]] = {}
    is_changed = False
    for name, cells in zip(header, columns, strict=True):
        entries = _entries(cells) if name and cells and cells[0].strip().endswith(("]", ")")) else []
        is_changed = is_changed or bool(entries)
        several = {f"{name}_{k}": column for k, column in enumerate(entries)}
        wide |= several if len(entries) > 1 else {name: entries[0] if entries else cells}
    return (
        None
        if not is_changed or len({*header}) < len(header)
        else WideTable((*wide,), [*wide.values()], range(len(columns[0])), OF_LISTS)
    )


def _entries(cells: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the columns of lists of one length in cells, or of one number each; none for other cells."""
    rows: list[list[str]] = []
    for cell in cells:
        written = SCALAR.sub(r"\1", cell.strip())
        match = LIST.fullmatch(written)
        entries = ENTRY.findall(match[1]) if match else []
        row = [next(filter(None, parts), "") for parts in entries] or [written] * (written != cell.strip())
        if len(row) == 1 and not NUMERIC.fullmatch(row[0]):
            return []
        if not 1 <= len(row) <= MOST_CLASSES or "..." in row or (rows and len(row) != len(rows[0])):
            return []
        rows.append(row)
    return list(zip(*rows, strict=True))


def _ranked(header: Sequence[str], columns: Columns) -> WideTable | None:
    """Return a ranked table made wide; None for any other."""
    families: dict[str, dict[str, int]] = {}
    for place, name in enumerate(header):
        if match := RANKED.fullmatch(name):
            families.setdefault(match[1].lower(), {})[match[2]] = place
    texts = {
        name: ranks
        for name, ranks in families.items()
        if len(ranks) > 1 and not any(_are_numbers(columns[k], "") for k in ranks.values())
    }
    kind = _only(texts, OF_CLASSES)
    alike = {
        name: ranks
        for name, ranks in families.items()
        if kind
        and ranks.keys() == texts[kind].keys()
        and all(_are_numbers(columns[k], "") for k in ranks.values())
    }
    score = _only(alike, OF_SCORES)
    if kind is None or score is None:
        return None
    rows = list(zip(*(columns[k] for k in texts[kind].values()), strict=True))
    classes = list(dict.fromkeys(cell.strip() for row in rows for cell in row))
    if len(classes) > MOST_CLASSES or any(len({*row}) < len(row) for row in rows):
        return None
    values = zip(*(columns[alike[score][rank]] for rank in texts[kind]), strict=True)
    given = [
        dict(zip(map(str.strip, row), cells, strict=True)) for row, cells in zip(rows, values, strict=True)
    ]
    used = {k for ranks in families.values() if ranks.keys() == texts[kind].keys() for k in ranks.values()}
    kept = [k for k in range(len(header)) if k not in used]
    wide = [[row.get(name, "") for row in given] for name in classes]
    kept_columns = [list(columns[k]) for k in kept]
    return WideTable((*(header[k] for k in kept), *classes), [*kept_columns, *wide], range(len(rows)))


def _only(families: Mapping[str, object], parts: Sequence[str]) -> str | None:
    """Return the family of columns that is alone, or alone called so; None if several or none are."""
    matching = [name for name in families if any(word in name for word in parts)]
    return next(iter(matching if len(matching) == 1 else families if len(families) == 1 else ()), None)


def missing_pairs(header: Sequence[str], columns: Columns) -> list[dict[int, str]]:
    """Return the pairs of case and class for which a long table has no row; each pair is column -> cell.
    Empty for other tables, and if there are more than `MOST_PAIRS` pairs."""
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
    """Return a column for each class and the first row of each case; None if a cell has two rows."""
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
