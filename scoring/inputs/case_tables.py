"""Tables with a row per case: find the table of a test set or submission, match its rows to cases, join
metadata, and number the units."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.common.text import shortened
from scoring.inputs import case_ids, fix_suggestions, long_tables, tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.foreign_table_shapes import gap_problem
from scoring.inputs.number_parsing import parse_numbers, possible_thousands
from scoring.inputs.sources import TABLES_IN_FOLDERS, Source, SourceFiles, open_source
from scoring.inputs.tables import MISSING, TextTable, key, repeated_row
from scoring.inputs.text_columns import LazyColumns, trimmed

METADATA = "metadata.csv"
WITH_METADATA = ("labels.csv", "label.csv", "test.csv", "data.csv", METADATA, "dataset.csv")
"""Usual file names of a table of labels. They are used if another table about the cases may contain labels
too."""
TABLE_NAMES = tuple(name for name in WITH_METADATA if name != METADATA)
OTHER_TABLES = tuple(ending for ending in TABLES_IN_FOLDERS if ending not in (".csv", ".txt"))
"""Extensions of text files that, in a folder, are probably notes rather than tables."""
IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".gif")


SHOWN = 3
WITH_UNIT = re.compile(r"\s*[+-]?\d+(?:[.,]\d+)?\s*([^\W\d_]{1,5}(?:[^\w\s,;][^\s,;]{0,4})?)\s*")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
OF_JOBS = (
    " These are jobs of Grand Challenge: add the file predictions.json, which names the case of each job."
)
OF_ROWS = (
    " These are row numbers. Benchside matches rows by position only if you choose this. "
    "Otherwise write the case names."
)


class CaseColumns(Protocol):
    """Cases with table columns, including joined metadata."""

    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def id_column(self) -> str: ...
    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]: ...


def find_table(
    files: SourceFiles, names: Sequence[str] = TABLE_NAMES, fix: str = "name the right one labels.csv"
) -> str:
    """Return the name of the table in a folder or zip: a file with a usual name, at the top or one folder
    down, or else the only CSV besides `metadata.csv`. Raises InputRefused `no-table` if there is none,
    `ambiguous-table` if several could be it."""
    if files.kind == "file":
        return files.members[0]
    for depth in (0, 1):
        for wanted in names:
            here = [
                m for m in files.members if m.count("/") == depth and posixpath.basename(m).lower() == wanted
            ]
            if len(here) == 1:
                return here[0]
            if here:
                text = f"several tables are called {wanted}: {', '.join(here[:5])}. Keep one."
                raise InputRefused([error("ambiguous-table", files.name, text)])
    every = table_members(files)
    candidates = [m for m in every if posixpath.basename(m).lower() != METADATA] or every
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        text = f"it holds {len(files.members)} files and no CSV table: put the table in it."
        raise InputRefused([error("no-table", files.name, text)])
    text = f"it holds {len(candidates)} tables ({', '.join(candidates[:5])}): {fix}."
    raise InputRefused([error("ambiguous-table", files.name, text)])


def table_members(files: SourceFiles) -> list[str]:
    """Return the names of all CSV tables or, if there are none, of tables in other formats."""
    csv = [m for m in files.members if m.lower().endswith(".csv")]
    return csv or [m for m in files.members if m.lower().endswith(OTHER_TABLES)]


def joined_columns(
    cases: CaseColumns, metadata: Source | None, name: str | None = None, repeated: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of the cases, together with the columns of a metadata table, joined by case id.

    Args:
        cases: The cases; if a column is also in the metadata, the cases' column is used.
        metadata: A table with a column of case ids; None: only the cases' columns.
        repeated: Whether a case may have several rows in the metadata, such as a lesion with a row per image.
            The first row counts.

    Returns:
        Header (as `tables.key` returns it) -> cells [N]; "" for cases that are not in the metadata.

    Raises:
        InputRefused: If the table cannot be read, or none of its rows belongs to a case.
    """
    if metadata is None:
        return cases.columns
    files = open_source(metadata, name)
    _, table = files.read_table(find_table(files, WITH_METADATA), files.name)
    column, twice = tables.find_column(table, (cases.id_column, *ID_COLUMNS))
    if column is None:
        raise InputRefused([tables.missing_column(table, "the case id", ID_COLUMNS)])
    row_of, again = _rows_of_cases(table, table.cells(column), cases.ids)
    problems = [*table.problems, *twice, *([] if repeated else again)]
    if not problems and not row_of:
        text = f"none of its {len(table)} ids is a case of {cases.name}."
        problems = [error("no-common-case", table.name, text)]
    if problems:
        raise InputRefused(problems)
    rows = [row_of.get(i) for i in range(len(cases.ids))]
    joined = {
        key: partial(trimmed, cells, rows) for key, cells in zip(table.keys, table.columns, strict=True)
    }
    own = {key: partial(cases.columns.__getitem__, key) for key in cases.columns}
    return LazyColumns({**joined, **own})


def _rows_of_cases(
    table: TextTable, ids: Sequence[str], cases: Sequence[str]
) -> tuple[dict[int, int], list[Finding]]:
    """Return the first row of each case, and `duplicate-case` for every further one."""
    row_of: dict[int, int] = {}
    again = []
    for row, case in enumerate(case_ids.match(ids, cases).case.tolist()):
        if case >= 0 and row_of.setdefault(case, row) != row:
            text = f"case {cases[case]!r} is already on line {table.lines[row_of[case]]}: "
            again.append(error("duplicate-case", table.place(row), f"{text}keep one row per case."))
    return row_of, again


class CasesWithIds(Protocol):
    """The cases of a truth, and its name in messages."""

    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class AlignedRows:
    """Rows of a table and their cases.

    Attributes:
        rows: Indices of the rows that count: the first well-formed row of each known case.
        case_of: Index of the case of every row [rows]; negative if the row has no case.
    """

    table: TextTable
    id_column: int
    rows: list[int]
    case_of: np.ndarray
    n: int


def align(
    table: TextTable,
    id_column: int,
    truth: CasesWithIds | None,
    problems: list[Finding],
    findings: list[Finding],
) -> AlignedRows:
    """Find the case of every row. Without a truth, the rows themselves are the cases, in file order.

    Rows without an id, with an ambiguous id or with a repeated case are added to `problems`. Rows of unknown
    cases are left out with a finding.
    """
    ids = table.cells(id_column)
    nameless = [i for i, name in enumerate(ids) if name.lower() in tables.MISSING]
    problems += [
        error("missing-value", table.place(i), "the case id is empty: every row needs a case id.")
        for i in nameless
        if i not in table.ragged
    ]
    names = ids if truth is None else truth.ids
    matches = (
        case_ids.match(ids, truth.ids) if truth is not None else case_ids.Matches(_first_of_each(ids), {})
    )
    case_of = matches.case.copy()
    case_of[nameless] = case_ids.AMBIGUOUS
    for i, candidates in matches.candidates.items():
        text = f"{ids[i]!r} fits {len(candidates)} cases ({', '.join(names[c] for c in candidates[:3])})"
        problems.append(error("ambiguous-case", table.place(i), f"{text}: write the id as in the truth."))
    _leave_out_repeated(table, id_column, names, case_of, problems)
    extra = np.flatnonzero(case_of == case_ids.EXTRA).tolist()
    if extra and len(extra) < len(ids):
        message = (
            f"{len(extra)} row{'s have ids that are' if len(extra) > 1 else ' has an id that is'} "
            "not in the truth "
            f"({', '.join(ids[i] for i in extra[:3])}{', ...' if len(extra) > 3 else ''}): "
            f"{'these rows are' if len(extra) > 1 else 'this row is'} left out."
        )
        findings.append(warning("extra-case", table.place(extra[0]), message))
    rows = [i for i in np.flatnonzero(case_of >= 0).tolist() if i not in table.ragged]
    return AlignedRows(table, id_column, rows, case_of, len(table) if truth is None else len(truth.ids))


def missing_cases(
    rows: AlignedRows, truth: CasesWithIds, consequence: str, problems: list[Finding]
) -> list[Finding]:
    """Return a finding `missing-case` for every case without a row. A row with mistakes counts as a row.

    If no row names any case, `no-common-case` is added to `problems` instead.

    Args:
        consequence: End of the message after "has no prediction in FILE": punctuation, what a missing case
            means for the challenge, and how to fix it.
    """
    table = rows.table
    if len(np.unique(rows.case_of[rows.case_of >= 0])) == len(truth.ids):
        return []
    named = _named_cases(rows, truth)
    if not named and len(truth.ids):
        here = table.cells(rows.id_column)
        problems.append(nothing_in_common(table.name, "no row matches a case of", here, truth))
        return []
    return [
        error("missing-case", case, f"case {case} has no prediction in {table.name}{consequence}")
        for i, case in enumerate(truth.ids)
        if i not in named
    ]


def read_numbers(
    rows: AlignedRows, columns: Sequence[int], advice: str, problems: list[Finding], findings: list[Finding]
) -> tuple[np.ndarray, list[Finding]]:
    """Return the numbers in `columns` of each case.

    Cells with text instead of a number are added to `problems`. A decimal comma is accepted unless the comma
    separates cells.

    Returns:
        Numbers [n, columns], with a row of NaN for each case without usable numbers; and a finding for each
        of these cases.
    """
    table, case_of = rows.table, rows.case_of
    read = [parse_numbers(table.cells(column), table.delimiter != ",") for column in columns]
    problems += possible_thousands(table, columns)
    values = np.column_stack([r.values for r in read])
    commas = sum(r.decimal_commas for r in read)
    if commas:
        findings.append(
            note(
                "decimal-comma",
                table.place(0),
                f"{commas} number{'s have' if commas > 1 else ' has'} a decimal comma, which is "
                "read as a decimal point.",
            )
        )
    numbers = np.full((rows.n, len(columns)), np.nan)
    numbers[case_of[rows.rows]] = values[rows.rows]
    faults: list[Finding] = []
    ids = table.cells(rows.id_column)
    faulty = {*np.flatnonzero(np.isnan(values).any(1)).tolist()}
    for i in (i for i in rows.rows if i in faulty):
        numbers[case_of[i]] = np.nan
        for code, (entries, text) in {
            "missing-value": (faults, f"holds no number.{advice}"),
            "not-a-number": (problems, "is not a number: write e.g. 0.73."),
            "not-finite": (faults, f"is not finite.{advice}"),
        }.items():
            hit = [k for k, column in enumerate(read) if column.fault[i] == code]
            if hit:
                cells = ", ".join(
                    f"{table.header[columns[k]]} {table.columns[columns[k]][i].strip()[:40]!r}"
                    for k in hit[:3]
                )
                written = [table.columns[columns[k]][i] for k in hit]
                if code == "not-finite" and all(map(fix_suggestions.NUMERIC.fullmatch, written)):
                    text = f"is too large: the limit is ±1.8e308.{advice}"
                fixes = fix_suggestions.fixes_of(written) if code == "not-a-number" else ()
                end = _unit(written) if code == "not-a-number" else ""
                problem = error(code, table.place(i), f"case {ids[i]}, column {cells} {text}{end}")
                entries.append(problem.with_fixes(*fixes))
    return numbers, faults


def _unit(cells: Sequence[str]) -> str:
    """Return what to do where cells hold numbers with a unit, as a sentence; "" for other cells."""
    units = {match[1] if (match := WITH_UNIT.fullmatch(cell)) else "" for cell in cells}
    unit = units.pop() if len(units) == 1 else ""
    return f" Leave out the unit {unit!r}." if unit else ""


def _leave_out_repeated(
    table: TextTable, id_column: int, names: Sequence[str], case_of: np.ndarray, problems: list[Finding]
) -> None:
    """Mark every row that repeats a case in `case_of`, and report it; once, where a long table has gaps."""
    first: dict[int, int] = {}
    known = len(problems)
    for i, case in enumerate(case_of.tolist()):
        if case >= 0 and case in first:
            problems.append(repeated_row(table, i, first[case], id_column, f"case {names[case]}"))
            case_of[i] = case_ids.AMBIGUOUS
        elif case >= 0:
            first[case] = i
    gaps = long_tables.missing_pairs(table.header, table.columns) if len(problems) > known else []
    if 0 < len(gaps) < len(table):
        problems[known:] = [gap_problem(table, len(gaps))]


def _first_of_each(ids: Sequence[str]) -> np.ndarray:
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(case_ids.as_written(name), i) for i, name in enumerate(ids)], dtype=int)


def _named_cases(rows: AlignedRows, truth: CasesWithIds) -> set[int]:
    """Return the cases that some row names, rows included that are faulty or fit several cases."""
    matches = case_ids.match(rows.table.cells(rows.id_column), truth.ids)
    several = {case for candidates in matches.candidates.values() for case in candidates}
    return {case for case in matches.case.tolist() if case >= 0} | several


def nothing_in_common(where: str, start: str, here: Sequence[str], truth: CasesWithIds) -> Finding:
    """Return the finding `no-common-case`, which names three ids of the table and three of the truth.

    Args:
        start: Beginning of the message, before the name of the truth.
    """
    samples = (", ".join(shortened(case) for case in ids[:SHOWN]) for ids in (here, truth.ids))
    ids = "Names found: {}. Names in the truth: {}.".format(*samples)
    numbers = list(map(str, range(len(here) + 1)))
    ids += OF_ROWS if list(here) in (numbers[:-1], numbers[1:]) else ""
    jobs = OF_JOBS if here and all(map(UUID.fullmatch, here[:SHOWN])) else ""
    problem = error("no-common-case", where, f"{start} {truth.name}. {ids}{jobs}")
    return problem.with_fixes(*fix_suggestions.without_affix(here, truth.ids))


CASE = "case"
UNIT_COLUMNS = ("patient_id", "lesion_id")
"""Columns that usually define units, in order of preference: photographs with equal cells are one unit."""


def find_units(
    columns: Mapping[str, Sequence[str]],
    n_cases: int,
    usual: Sequence[str],
    id_column: str,
    group: str | None = None,
) -> tuple[str, Ints]:
    """Find the column that defines the units, and number the units.

    Args:
        columns: Cells [N] of every column of the truth and its metadata, by key.
        usual: Columns to use if `group` is None, in order of preference; without any of them every case is a
            unit.
        id_column: The column of case ids, which is not a unit.
        group: The column to use. "none": each case is a unit. None: the first of `usual` that exists.

    Returns:
        The unit's name ("case" if every case is a unit), and the unit number of each case [N], from 0.

    Raises:
        InputRefused: With `bad-option`, if the column `group` does not exist.
    """
    wanted = None if group is None or group.lower() == "none" else key(group)
    if wanted is not None and wanted not in columns:
        text = f"there is no column {group!r}. Columns: {', '.join(columns) or 'none'}."
        raise InputRefused([error("bad-option", "--group", text)])
    if group is None:
        wanted = next((column for column in usual if column in columns and column != id_column), None)
    return wanted or CASE, number_units(columns[wanted] if wanted else None, n_cases)


def number_units(values: Sequence[str] | None, n_cases: int) -> Ints:
    """Number units by first appearance. Cases with the same value form a unit, and each case without a value
    is its own unit.

    Args:
        values: Name of each case's unit [N]; an empty cell, NA, null and similar texts are not values. None:
            every case is a unit.

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
