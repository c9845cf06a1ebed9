"""Rows that repeat a case, as mends: one of identical rows is kept, or the first or last of each case."""

from scoring.common.findings import Finding, error
from scoring.common.fixes import keeping
from scoring.inputs.tables import TextTable


def repeated_row(
    table: TextTable, row: int, first: int, column: int, words: str, unit: str = "case"
) -> Finding:
    """Return `duplicate-case` for a row that repeats a case, with what mends it.

    Args:
        table: The table.
        row: The row.
        first: The row in which the case stands already.
        column: The column of the cases' ids.
        words: What the case is called, such as "case 'a.jpg'".
        unit: What a case is.
    """
    message = f"{words} stands on line {table.lines[first]} already: keep one row per {unit}."
    found = error("duplicate-case", table.place(row), message)
    if all(cells[row].strip() == cells[first].strip() for cells in table.columns):
        return found.mended_by(keeping("identical"))
    ids = table.columns[column]
    if ids[row].strip() != ids[first].strip():
        return found  # written in two ways: only the file can say which
    name = table.header[column].strip()
    return found.mended_by(keeping("first", name), keeping("last", name)) if name else found
