"""Objects in cells of a table, as JSON or as Python writes them, as a column for each of their values."""

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.common.strict_json import StrictJsonError, with_each_key_once
from scoring.inputs import table_formats
from scoring.inputs.table_text import COLUMNS

LONGEST = 20_000
"""Characters of an object in a cell."""
Columns = Sequence[Sequence[str]]


def without_objects(header: Sequence[str], columns: Columns) -> tuple[tuple[str, ...], Columns] | None:
    """Return a table in which each value of objects in cells has its column; None where no column holds
    objects, or two columns would have one name.

    Args:
        header: Names of the columns.
        columns: Their cells.
    """
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
