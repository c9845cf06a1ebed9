"""The table of a test set or submission: which member it is, its id column, and metadata joined by case
id."""

import posixpath
from collections.abc import Mapping, Sequence
from typing import Protocol

from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs import matching, tables
from scoring.inputs.sources import Source, SourceFiles, open_source
from scoring.inputs.tables import TextTable

TABLE_NAMES = ("labels.csv", "label.csv", "test.csv", "data.csv", "metadata.csv", "dataset.csv")
IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".gif")
ID_COLUMNS = (
    "newfilename",
    "filepath",
    "filename",
    "image_path",
    "image",
    "image_name",
    "image_id",
    "file",
    "file_name",
    "path",
    "case",
    "case_id",
    "id",
    "isic_id",
    "lesion_id",
)
"""Headers of the case id, as `tables.key` writes them; the first that is present counts."""


class CaseColumns(Protocol):
    """Cases with columns, as far as metadata are joined to them."""

    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def id_column(self) -> str: ...
    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]: ...


def find_table(files: SourceFiles) -> str:
    """Return the member that holds the table: by its usual names at the top, then one folder down, else the
    only CSV. Raises InputRefused."""
    if files.kind == "file":
        return files.members[0]
    for depth in (0, 1):
        for wanted in TABLE_NAMES:
            here = [
                m for m in files.members if m.count("/") == depth and posixpath.basename(m).lower() == wanted
            ]
            if len(here) == 1:
                return here[0]
            if here:
                words = f"several tables are called {wanted}: {', '.join(here[:5])}. Keep one."
                raise InputRefused([error("ambiguous-table", files.name, words)])
    candidates = [m for m in files.members if m.lower().endswith(".csv")]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        words = f"it holds {len(files.members)} files and no CSV table. Put labels.csv beside the images."
        raise InputRefused([error("no-table", files.name, words)])
    words = f"it holds {len(candidates)} tables ({', '.join(candidates[:5])}): call the right one labels.csv."
    raise InputRefused([error("ambiguous-table", files.name, words)])


def joined_columns(
    cases: CaseColumns, metadata: Source | None, name: str | None = None, repeated: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of the cases, with those of a metadata table joined by case id.

    Args:
        cases: The cases, whose own columns come first where both have one.
        metadata: A table with a column of case ids; None leaves the cases' columns as they are.
        name: What messages call the table.
        repeated: Whether a case may have several rows, of which the first counts (a lesion with a row for
            each image).

    Returns:
        Cells [N] by `tables.key` of the header; "" for cases that the table lacks.

    Raises:
        InputRefused: The table cannot be read, or shares no case.
    """
    if metadata is None:
        return cases.columns
    files = open_source(metadata, name)
    table = tables.read_table(files.read(find_table(files)), files.name)
    column, twice = tables.find_column(table, (cases.id_column, *ID_COLUMNS))
    if column is None:
        raise InputRefused([tables.missing_column(table, "the case id", ID_COLUMNS)])
    row_of, again = _rows_of_cases(table, table.cells(column), cases.ids)
    problems = [*table.problems, *twice, *([] if repeated else again)]
    if not problems and not row_of:
        words = f"none of its {len(table)} ids is a case of {cases.name}."
        problems = [error("no-common-case", table.name, words)]
    if problems:
        raise InputRefused(problems)
    joined = {
        key: tuple(cells[row_of[i]].strip() if i in row_of else "" for i in range(len(cases.ids)))
        for key, cells in zip(table.keys, table.columns, strict=True)
    }
    return {**joined, **cases.columns}


def _rows_of_cases(
    table: TextTable, ids: Sequence[str], cases: Sequence[str]
) -> tuple[dict[int, int], list[Finding]]:
    """Return the first row of each case, and `duplicate-case` for every further one."""
    row_of: dict[int, int] = {}
    again = []
    for row, case in enumerate(matching.match(ids, cases).case.tolist()):
        if case >= 0 and row_of.setdefault(case, row) != row:
            words = f"case {cases[case]!r} stands on line {table.lines[row_of[case]]} already: "
            again.append(error("duplicate-case", table.place(row), f"{words}keep one row per case."))
    return row_of, again
