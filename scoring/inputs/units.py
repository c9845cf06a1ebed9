"""Units of resampling: which cases belong to one patient or lesion, read from a column of the truth or of its
metadata."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import InputRefused, error
from scoring.inputs.tables import MISSING, key

CASE = "case"


def find_units(
    columns: Mapping[str, Sequence[str]],
    n_cases: int,
    usual: Sequence[str],
    id_column: str,
    group: str | None = None,
) -> tuple[str, Ints]:
    """Find the column that names the unit of each case, and number the units.

    Args:
        columns: Cells [N] of every column of the truth and its metadata, by key.
        n_cases: Number of cases N.
        usual: Columns to take where `group` is None, in order of preference; without any of them every case
            is a unit.
        id_column: The column of case ids, which is no unit.
        group: The column to take, "none" for the case itself, None for the first of `usual`.

    Returns:
        The unit's name, "case" where every case is one, and the unit number [N] of each case, from 0.

    Raises:
        InputRefused: The column `group` is absent (`bad-option`).
    """
    wanted = None if group is None or group.lower() == "none" else key(group)
    if wanted is not None and wanted not in columns:
        message = f"there is no column {group!r}. Columns: {', '.join(columns) or 'none'}."
        raise InputRefused([error("bad-option", "--group", message)])
    if group is None:
        wanted = next((column for column in usual if column in columns and column != id_column), None)
    return wanted or CASE, number_units(columns[wanted] if wanted else None, n_cases)


def number_units(values: Sequence[str] | None, n_cases: int) -> Ints:
    """Number units by first appearance: cases with the same value are one unit, each case without a value is
    its own.

    Args:
        values: The unit's name for each case [N]; an empty cell, NA, null ... is no value. None: every case
            is a unit.
        n_cases: Number of cases N.

    Returns:
        Unit number [N] of each case, from 0.
    """
    if values is None:
        return np.arange(n_cases)
    seen: dict[object, int] = {}
    return np.array(
        [
            seen.setdefault(("", i) if value.strip().lower() in MISSING else value, len(seen))
            for i, value in enumerate(values)
        ],
        dtype=int,
    )
