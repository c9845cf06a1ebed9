"""The tables of the ISIC Challenges as people write them: read where the sense is plain, with a warning in
the official scorer's words where it refuses.

Source: `isic-challenge-scoring` 5.8.0, load_csv.py; its checks are numbered in the order in which it makes
them.
"""

import codecs
import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.challenges.isic.categories import ID_COLUMNS, OFFICIAL_ID_COLUMNS, compared
from scoring.findings import Finding, InputRefused, error, warning
from scoring.readers import tables
from scoring.readers.sources import Files, sha256
from scoring.readers.tables import Table

REFUSES = "read here; the official scorer refuses this file: "
NO_ID = 'Missing column in CSV: "image" or "lesion_id".'
CHECKS = (
    "could not decode",
    "No newlines",
    "Could not parse",
    NO_ID,
    "Missing columns",
    "Extra columns",
    "non-floating-point",
    "Missing images",
)
"""What its messages hold, in the order in which it checks."""
DROPPED = " The official scorer drops the cells beyond the heading without a word and scores what is left."
HEAD_CHARACTERS, HEAD_LINES = 2000, 2
INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
WHOLE = re.compile(r"\d+", re.ASCII)
NOT_MENDED_THERE = re.compile(r"[/\\\s]|\.(jpeg|png)$", re.IGNORECASE)
JPG = re.compile(r"\.jpg$", re.IGNORECASE)
SHOWN = 3
GROUND_TRUTH = "groundtruth"


@dataclass(frozen=True)
class CategoryTable:
    """One table with its id column found. ids: as compared [rows]; id_column: its place; data: the file's
    bytes; digest_of: SHA-256 of the member read."""

    table: Table
    id_column: int
    ids: tuple[str, ...]
    data: bytes
    digest_of: dict[str, str]

    @property
    def name(self) -> str:
        return self.table.name

    def place(self, name: str) -> int | None:
        """The first column of that name, exactly as written but for spaces around."""
        return self.table.header.index(name) if name in self.table.header else None


@dataclass(frozen=True)
class Block:
    """Numbers [rows, columns] float64, NaN where a cell holds none; fault: row and column -> "missing-value",
    "not-a-number", "not-finite"; decimal_commas, odd_spaces: numbers of such cells, see `tables.Numbers`."""

    values: np.ndarray
    faults: dict[tuple[int, int], str]
    decimal_commas: int
    odd_spaces: int = 0


def find_table(files: Files) -> str:
    """The only CSV, or the only one with GroundTruth in its name. Raises InputRefused (`no-table`,
    `ambiguous-table`)."""
    if files.kind == "file":
        return files.members[0]
    found = [m for m in files.members if m.lower().endswith(".csv")]
    named = [m for m in found if GROUND_TRUTH in m.rsplit("/", 1)[-1].lower()]
    for candidates in (found, named):
        if len(candidates) == 1:
            return candidates[0]
    if not found:
        raise InputRefused(
            [
                error(
                    "no-table",
                    files.name,
                    f"it holds {len(files.members)} files and no CSV table. Put the table beside the images.",
                )
            ]
        )
    raise InputRefused(
        [
            error(
                "ambiguous-table",
                files.name,
                (
                    f"it holds {len(found)} tables ({', '.join(found[:5])}): keep one, or write "
                    "GroundTruth into its name."
                ),
            )
        ]
    )


def read(files: Files, preferred: Sequence[str] = ()) -> CategoryTable:
    """Read a table and find its ids: by the `preferred` names of the id column, else the usual ones. Raises
    InputRefused."""
    member = find_table(files)
    data = files.read(member)
    table = tables.read_table(data, files.called(member))
    id_name = next((n for n in (*preferred, *ID_COLUMNS) if n in table.header), None)
    if id_name is None:
        raise InputRefused(
            [tables.missing_column(table, "the case id (rows are never matched by position)", ID_COLUMNS)]
        )
    id_column = table.header.index(id_name)
    return CategoryTable(table, id_column, compared(table.columns[id_column]), data, {member: sha256(data)})


def duplicate_columns(table: Table) -> list[Finding]:
    """`duplicate-column`, one per name that occurs twice."""
    return [
        error(
            "duplicate-column",
            table.header_place,
            f"column {name!r} occurs {n} times (columns "
            f"{' and '.join(str(i + 1) for i, h in enumerate(table.header) if h == name)}): keep one.",
        )
        for name, n in Counter(table.header).items()
        if n > 1 and name
    ]


def missing_category(table: Table, name: str) -> Finding:
    """`missing-column` for a category, with the header that was probably meant."""
    near = [h for h in table.header if h and h.lower() == name.lower()] or difflib.get_close_matches(
        name, [h for h in table.header if h], 1, 0.75
    )
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return error(
        "missing-column",
        table.header_place,
        f"there is no column for category {name!r}: the truth has it, spelled exactly so.{hint}",
    )


def numbers(table: Table, columns: Sequence[int]) -> Block:
    """The numbers of the columns. A decimal comma is read where the delimiter is another character."""
    values, commas, spaces = np.empty((len(table), len(columns))), 0, 0
    faults: dict[tuple[int, int], str] = {}
    for k, column in enumerate(columns):
        read_cells = tables.numbers(table.columns[column], table.delimiter != ",")
        values[:, k], commas = read_cells.values, commas + read_cells.decimal_commas
        spaces += read_cells.odd_spaces
        faults |= {(int(i), k): str(read_cells.fault[i]) for i in np.flatnonzero(np.isnan(read_cells.values))}
    return Block(values, faults, commas, spaces)


def by_row(cells: Iterable[tuple[int, int]], skipped: frozenset[int] | set[int]) -> dict[int, list[int]]:
    """Columns by row, rows ascending, without the rows that have an entry of their own already."""
    found: dict[int, list[int]] = {}
    for row, column in sorted(cells):
        if row not in skipped:
            found.setdefault(row, []).append(column)
    return found


def cell_problems(
    found: CategoryTable,
    code: str,
    cells: dict[int, list[int]],
    columns: Sequence[int],
    mend: Callable[[str], str] | str,
) -> list[Finding]:
    """One entry per row: the case, and its faulty columns with their values."""
    table, problems = found.table, []
    for row, places in cells.items():
        values = [(table.header[columns[k]], table.columns[columns[k]][row].strip()) for k in places]
        shown = ", ".join(f"{name} {cell[:40]!r}" for name, cell in values[:SHOWN]) + (
            ", ..." if len(values) > SHOWN else ""
        )
        words = mend if isinstance(mend, str) else mend(values[0][1])
        problems.append(error(code, table.place(row), f"case {found.ids[row]}, column {shown} {words}"))
    return problems


def in_row_order(problems: Iterable[Finding]) -> list[Finding]:
    """Problems of rows by the line that they stand on."""
    return sorted(problems, key=lambda p: int(p.where.rsplit(":", 1)[1]))


def repeated(found: CategoryTable) -> tuple[dict[str, int], dict[int, int]]:
    """The first row of every id, and for each later row of an id the first one."""
    first = dict(zip(found.ids, range(len(found.ids)), strict=True))
    if len(first) == len(found.ids):
        return first, {}
    first = {}
    again = {i: first[name] for i, name in enumerate(found.ids) if first.setdefault(name, i) != i}
    return first, again


def row_problems(
    found: CategoryTable, again: dict[int, int]
) -> tuple[list[Finding], list[Finding], frozenset[int]]:
    """`row-length` with `duplicate-case`, `missing-value` of nameless rows, and the rows that say nothing
    more."""
    table = found.table
    nameless = [i for i, name in enumerate(found.ids) if not name] if "" in found.ids else []
    twice = [
        error(
            "duplicate-case",
            table.place(i),
            f"case {found.ids[i]} stands on line {table.lines[first]} already: keep one row per case.",
        )
        for i, first in again.items()
        if i not in nameless
    ]
    empty = [
        error(
            "missing-value",
            table.place(i),
            f"column {table.header[found.id_column]!r} is empty: every row needs its case.",
        )
        for i in nameless
        if i not in table.ragged
    ]
    dropped = {table.place(row) for row in _dropped_there(table)}
    lengths = [
        replace(p, message=p.message + DROPPED) if p.where in dropped else p
        for p in table.problems
        if p.where not in {t.where for t in twice}
    ]
    return [*lengths, *twice], empty, frozenset(table.ragged | set(again) | set(nameless))


def _dropped_there(table: Table) -> list[int]:
    """The rows whose cells beyond the heading the official scorer drops: its reader takes the first row's
    length for that of all, and stops at a longer one."""
    width = len(table.written)
    first = table.lengths.get(0, width)
    if first <= width or max(table.lengths.values()) > first:
        return []
    return [row for row in table.ragged if table.lengths[row] > width]


def tolerated(found: CategoryTable, categories: Sequence[str], block: Block, truth: bool) -> list[Finding]:
    """Warnings for what is read here and refused there, in the order of the specification's table.
    `categories`: those whose columns are in the block."""
    table = found.table
    words = [
        ("delimiter", _delimiter(table)),
        ("encoding", _encoding(found.data)),
        ("header-alias", _alias(found)),
        ("header-spelling", _spelling(found)),
        ("trailing-delimiter", _trailing(table)),
        ("decimal-comma", _commas(block, categories)),
        ("odd-space", _odd_spaces(block, categories)),
        ("integer-column", "" if truth else _integers(table, categories, block)),
        ("id-spelling", _id_spelling(found, truth)),
        ("numeric-ids", _numeric_ids(found)),
        ("short-file", "" if truth else _short(found.data)),
    ]
    return [warning(code, table.name, text) for code, text in words if text]


def first_refusal(findings: Iterable[Finding]) -> str | None:
    """What the official scorer says of files that were read here: the words of its first failing check, None
    where it accepts them."""
    refusals = [f.message.split(REFUSES, 1)[1] for f in findings if REFUSES in f.message]
    return min(
        refusals, key=lambda words: next(i for i, said in enumerate(CHECKS) if said in words), default=None
    )


def _delimiter(table: Table) -> str:
    if table.delimiter == ",":
        return ""
    return f"{tables.DELIMITERS[table.delimiter]}s between cells, not commas; {REFUSES}{NO_ID}"


def _encoding(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return f"UTF-16, not UTF-8; {REFUSES}Could not parse CSV: could not decode file as UTF-8." if wide else ""


def _alias(found: CategoryTable) -> str:
    name = found.table.header[found.id_column]
    return (
        ""
        if name in OFFICIAL_ID_COLUMNS
        else f"column {name!r} is read as the case id: call it lesion_id; {REFUSES}{NO_ID}"
    )


def _spelling(found: CategoryTable) -> str:
    table = found.table
    padded = [
        i
        for i, (written, name) in enumerate(zip(table.written, table.header, strict=False))
        if written != name
    ]
    if not padded:
        return ""
    names = [table.header[i] for i in padded]
    said = NO_ID if found.id_column in padded else f"Missing columns in CSV: {sorted(names)}."
    return f"spaces around the heading{'s' * (len(names) > 1)} {', '.join(map(repr, names))}; {REFUSES}{said}"


def _trailing(table: Table) -> str:
    width = len(table.header)
    if len(table.written) > width:
        unnamed = [f"Unnamed: {i}" for i in range(width, len(table.written))]
        return (
            f"the heading ends with {len(unnamed)} empty cell{'s' * (len(unnamed) > 1)}, ignored; "
            f"{REFUSES}Extra columns in CSV: {unnamed}."
        )
    if not table.padded or 0 in table.padded:  # its reader takes the width of the first row
        return ""
    row = min(table.padded)
    what = (
        f"{len(table.padded)} rows end with more empty cells than the heading (line "
        f"{table.lines[row]}), ignored"
    )
    return f"{what}; {REFUSES}Could not parse CSV: Error tokenizing data."


def _commas(block: Block, categories: Sequence[str]) -> str:
    if not block.decimal_commas:
        return ""
    return f"{block.decimal_commas} numbers have a decimal comma; {REFUSES}{_not_floating(categories)}"


def _odd_spaces(block: Block, categories: Sequence[str]) -> str:
    if not block.odd_spaces:
        return ""
    several = block.odd_spaces > 1
    what = (
        f"{block.odd_spaces} number{'s have' if several else ' has'} a no-break or other odd space beside it"
    )
    return f"{what}; {REFUSES}{_not_floating(categories)}"


def _integers(table: Table, categories: Sequence[str], block: Block) -> str:
    whole = [
        name
        for k, name in enumerate(categories)
        if name in table.header
        and np.array_equal(block.values[:, k], np.round(block.values[:, k]))
        and all(INTEGER.fullmatch(cell) for cell in set(table.columns[table.header.index(name)]))
    ]
    if not whole:
        return ""
    what = f"column{'s' * (len(whole) > 1)} {', '.join(whole)} of whole numbers only: write 0.0 and 1.0"
    return f"{what}; {REFUSES}{_not_floating(whole)}"


def _not_floating(names: Sequence[str]) -> str:
    return f"CSV contains non-floating-point value(s) in columns: {list(names)}."


def _id_spelling(found: CategoryTable, truth: bool) -> str:
    written = found.table.columns[found.id_column]
    if written == found.ids:
        return ""
    odd = [
        i
        for i, cell in enumerate(written)
        if cell != found.ids[i] and (truth or NOT_MENDED_THERE.search(cell))
    ]
    if not odd:
        return ""
    shown = ", ".join(repr(written[i]) for i in odd[:SHOWN]) + (", ..." if len(odd) > SHOWN else "")
    missing = [JPG.sub("", written[i]) if truth else found.ids[i] for i in odd[:SHOWN]]
    what = f"{len(odd)} ids with a folder, a file ending or spaces ({shown}), left out in comparing"
    return f"{what}; {REFUSES}Missing images in CSV: {missing}."


def _numeric_ids(found: CategoryTable) -> str:
    if not all(WHOLE.fullmatch(name) for name in found.ids):
        return ""
    said = f"Missing images in CSV: {list(found.ids[:SHOWN])}."
    return (
        "all ids are whole numbers, which it takes for numbers on one side and for text on the other; "
        f"{REFUSES}{said}"
    )


def _short(data: bytes) -> str:
    start = (
        data[: 8 * HEAD_CHARACTERS]
        .decode("utf-8-sig", "replace")
        .replace("\r\n", "\n")
        .replace("\r", "\n")[:HEAD_CHARACTERS]
    )
    return (
        ""
        if start.count("\n") >= HEAD_LINES
        else f"fewer than two line ends in the first 2,000 characters; {REFUSES}No newlines detected in CSV."
    )
