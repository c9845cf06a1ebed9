"""Tables joined to one: different columns of the same cases, or more rows of the same columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.common.findings import InputRefused
from scoring.common.text import csv_text, delimited_text
from scoring.inputs.case_ids import ID_COLUMNS, stem
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import TABLES_IN_FOLDERS, SourceFiles
from scoring.inputs.table_text import TABLE_BYTES
from scoring.inputs.tables import TextTable, find_column, read_table

MOST = 100
"""Number of files above which tables are not joined."""


@dataclass(frozen=True)
class StackedTables:
    """Rows of tables with the same columns, as one table.

    Attributes:
        data: The table.
        written: The file of each row.
        is_disjoint: Whether no case is in two of the files.
    """

    data: bytes
    written: tuple[str, ...]
    is_disjoint: bool


def stacked_tables(files: SourceFiles) -> StackedTables | None:
    """Return tables with the same columns as one; None if there are other tables, or a single one. Tables of
    decisions and of scores stay apart: one may be the truth of the other."""
    members = [member for member in files.members if member.lower().endswith(TABLES_IN_FOLDERS)]
    is_large = sum(files.sizes[member] for member in members) > TABLE_BYTES
    if files.kind == "file" or not 2 <= len(members) <= MOST or is_large:
        return None
    try:
        tables = [files.read_table(member)[1] for member in members]
    except InputRefused:
        return None
    header, marks = tables[0].header, {table.delimiter for table in tables}
    column, twice = find_column(tables[0], ID_COLUMNS)
    same = all(sorted(table.header) == sorted(header) and not table.problems for table in tables)
    if not same or column is None or twice or len({*header}) < len(header) or len(marks) > 1:
        return None
    if len({_holds_fractions(table) for table in tables}) > 1:
        return None
    places = [[table.header.index(name) for name in header] for table in tables]
    columns = [[table.cells(i) for i in order] for table, order in zip(tables, places, strict=True)]
    cases = [{*map(stem, cells[column])} for cells in columns]
    rows = (row for cells in columns for row in zip(*cells, strict=True))
    data = delimited_text(header, rows, marks.pop()).encode("utf-8", "surrogatepass")
    written = tuple(m for m, table in zip(members, tables, strict=True) for _ in range(len(table)))
    return StackedTables(data, written, sum(map(len, cases)) == len(frozenset().union(*cases)))


def _holds_fractions(table: TextTable) -> bool:
    numbers = (parse_numbers(table.cells(i), table.delimiter != ",").values for i in range(len(table.header)))
    return any(bool((values % 1 != 0)[np.isfinite(values)].any()) for values in numbers)


def joined_table(
    tables: Sequence[TextTable], case: str, plain: Callable[[str], str], case_of: Callable[[str], str]
) -> TextTable | None:
    """Return tables joined by case; None with fewer than two tables, or if two have the same column or one
    has a repeated case.

    Args:
        tables: Tables with a case column.
        case: Name of that column.
        plain: Function that normalises column names for comparison.
        case_of: Function from a cell to its case.
    """
    columns: dict[str, dict[str, str]] = {}
    for table in tables:
        names = [plain(header) for header in table.header]
        place = names.index(plain(case))
        cases = [case_of(cell) for cell in table.cells(place)]
        others = [k for k, name in enumerate(names) if name and k != place]
        if len({*cases}) < len(cases) or {*map(plain, columns)} & {names[k] for k in others}:
            return None
        columns |= {table.header[k]: dict(zip(cases, table.columns[k], strict=True)) for k in others}
    if len(tables) < 2:
        return None
    rows = dict.fromkeys(name for cells in columns.values() for name in cells)
    cells = ([name, *(column.get(name, "") for column in columns.values())] for name in rows)
    joined = read_table(csv_text([case, *columns], cells).encode(), tables[0].name)
    form = f"{' and '.join(table.name for table in tables)}, joined by {case},"
    return replace(joined, written=replace(joined.written, other_format=form))
