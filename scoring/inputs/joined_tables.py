"""Tables with different columns of the same cases, joined to one table."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from scoring.common.text import csv_text
from scoring.inputs.tables import TextTable, read_table


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
