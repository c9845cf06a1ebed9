"""Names of cases as pages show them: without what all of them begin with."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from scoring.common.text import common_start, markdown

CASE = "case"
"""Column of tables that holds names of cases."""


def shortener(names: Sequence[str]) -> Callable[[str], str]:
    """Return what takes off a name what all of these begin with."""
    start = common_start(names)
    return lambda name: str(name).removeprefix(start)


def shortened_column(
    rows: pd.DataFrame, columns: dict[str, Any], name: str = CASE
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return rows with shorter names of cases, and how columns are shown: the head of that one says in a
    tooltip what was left out.

    Args:
        rows: Of a table.
        columns: Column -> column_config.
        name: The column of the names; left as it is where it holds anything but text.
    """
    named = name in rows and name in columns and pd.api.types.is_string_dtype(rows[name])
    start = common_start(rows[name].tolist()) if named else ""
    if not start:
        return rows, columns
    words = f"Every name begins with {markdown(start, 60)}; the downloaded table has them in full."
    before = columns[name].get("help")
    config = {**columns[name], "help": f"{before} {words}" if before else words}
    return rows.assign(**{name: rows[name].str.removeprefix(start)}), {**columns, name: config}
