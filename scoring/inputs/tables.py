"""Reads text tables: CSV with any common delimiter, encoding and line end. Cells stay text."""

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from sys import intern
from typing import TypeVar

from scoring.common.findings import Finding, error, note
from scoring.common.fixes import editing, keeping
from scoring.common.text import did_you_mean, nearest
from scoring.common.transport import crosses, isolated
from scoring.inputs import long_tables, table_formats
from scoring.inputs.fix_suggestions import (
    AS_COMMAS,
    NUMERIC,
    Kind,
    between_cells,
    cut_at_commas,
    of_kind,
    renamings,
    row_names,
)
from scoring.inputs.table_text import COLUMNS, LINE_BYTES, find_header, read_lines, refuse
from scoring.inputs.text_columns import TextColumns

OTHER_FORMAT = "other-format"
"""Code of the note that a table was in a format other than text."""
Value = TypeVar("Value")
MISSING = {"", "nan", "na", "n/a", "null", "none"}


@crosses
@dataclass(frozen=True)
class WrittenForm:
    """Details of a table's format that cells do not show and that may confuse other programs.

    Attributes:
        header: The header as it is written, including empty cells at its end that name no column.
        byte_order_mark: Whether the file begins with a byte order mark.
        padded: Rows that end in more empty cells than the header has columns.
        lengths: Number of cells of each row that is ragged or padded.
        other_format: Original format, if it was not text.
    """

    header: tuple[str, ...]
    byte_order_mark: bool
    padded: frozenset[int]
    lengths: Mapping[int, int]
    other_format: str = ""


@crosses
@dataclass(frozen=True)
class TextTable:
    """A parsed table.

    Attributes:
        header: Trimmed header.
        keys: Header cells in the form for comparison that `key` returns.
        columns: Cells of each column, as they are written.
        lines: Line number of each row in the file.
        header_line: Line number of the header: 1 unless blank lines come before it.
        delimiter: Comma, semicolon or tab.
        ragged: Rows with too few or too many cells. They are kept, with empty cells added, so that their id
            is known.
        cut_at_commas: Whether the numbers of each row were probably split at their decimal commas.
    """

    name: str
    header: tuple[str, ...]
    keys: tuple[str, ...]
    columns: Sequence[Sequence[str]]
    lines: tuple[int, ...]
    header_line: int
    delimiter: str
    ragged: frozenset[int]
    cut_at_commas: bool
    written: WrittenForm

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Findings `row-length` about rows of the wrong length."""
        advice = (
            f"{len(self.header)} expected as in the header. Quote text that holds the delimiter, "
            "remove extra cells or add missing ones."
        )
        fixes = (AS_COMMAS,) * self.cut_at_commas
        lengths = self.written.lengths
        return tuple(
            Finding(
                "error",
                "row-length",
                self.place(i),
                f"{lengths[i]} cell{'s' * (lengths[i] != 1)}, {advice}",
                fixes,
            )
            for i in sorted(self.ragged)
        )

    @property
    def notes(self) -> list[Finding]:
        """Return a finding `other-format` if the table was not text; otherwise an empty list."""
        kind = self.written.other_format
        text = f"{kind} is read as a table; official programs take CSV."
        return [note(OTHER_FORMAT, self.name, text)] if kind else []

    def place(self, row: int) -> str:
        """Return the location of a row as `file:line`."""
        return f"{self.name}:{self.lines[row]}"

    @property
    def header_place(self) -> str:
        """Return the location of the header as `file:line`."""
        return f"{self.name}:{self.header_line}"

    def cells(self, column: int) -> list[str]:
        """Return the trimmed cells of a column."""
        return [cell.strip() for cell in self.columns[column]]


def key(text: str) -> str:
    """Return a header or label in a form for comparison: trimmed, in lower case, with underscores for blanks
    and hyphens."""
    return re.sub(r"[ \-]", "_", text.strip().lower())


def read_once(read: Callable[[str], Value], cells: Iterable[str]) -> list[Value]:
    """Return the result of `read` for each cell. For equal cells, the function is called only once."""
    cells = list(cells)
    values = {cell: read(cell) for cell in {*cells}}
    return [values[cell] for cell in cells]


@isolated
def read_table(data: bytes, name: str) -> TextTable:
    """Read a table from the bytes of a file.

    Text may be UTF-8, or UTF-16 with a byte order mark. Cells are separated by comma, semicolon or tab,
    whichever is most frequent in the header line. For other formats see `table_formats`.

    Returns:
        The table; rows of the wrong length are in its `problems`.

    Raises:
        InputRefused: If nothing can be read (`unreadable-file`).
    """
    data, other_format = table_formats.as_text(data, name)
    lines = read_lines(data, name)
    header = find_header(lines)
    if header is None:
        raise refuse(name, f"it is empty ({len(data)} bytes). Was the upload cut off?")
    first, delimiter = header
    if lines[:first] and lines[0].startswith("#"):
        other_format = other_format or "A table below comments"
    elif any(line.strip() and "=" not in line for line in lines[:first]):
        other_format = other_format or "A table below a title"
    even = _even(lines, first, delimiter)
    if even:
        (header_line, *numbers), written, columns = even
        body = _Body(columns)
    else:
        rows, (header_line, *numbers) = _rows(lines, first, delimiter, name)
        written = tuple(rows[0])
        body = _columns(rows[1:], _width(written, rows[1:]))
    if len(written) > COLUMNS:
        raise refuse(name, f"line {header_line} has {len(written):,} columns; at most {COLUMNS:,} are read.")
    if not numbers:
        raise refuse(name, "it has a header but no rows.")
    names = tuple(cell.strip() for cell in written[: len(body.columns)])
    wide = None if body.lengths else long_tables.widened(names, body.columns)
    if wide:
        names, body, written = wide.header, _Body(wide.columns), wide.header
        other_format, numbers = other_format or wide.form, [numbers[row] for row in wide.first_rows]
    marked = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return TextTable(
        name,
        names,
        tuple(map(key, names)),
        TextColumns.of(body.columns, len(numbers)),
        tuple(numbers),
        header_line,
        delimiter,
        body.ragged,
        body.cut_at_commas,
        WrittenForm(written, marked, body.padded, body.lengths, other_format),
    )


@dataclass(frozen=True)
class _Body:
    """Columns below the header; the rest as in `TextTable` and `WrittenForm`."""

    columns: Sequence[Sequence[str]]
    ragged: frozenset[int] = frozenset()
    cut_at_commas: bool = False
    padded: frozenset[int] = frozenset()
    lengths: Mapping[int, int] = field(default_factory=dict)


def _even(
    lines: list[str], first: int, delimiter: str
) -> tuple[list[int], tuple[str, ...], list[list[str]]] | None:
    """Return the line of each row, that of the header first, the header and the columns below it, of a table
    without quotation marks and with rows of one length; None for any other. Most tables are so, and cutting
    them as one text takes a fifth of the time of reading row by row."""
    numbers_of_rows = [i for i in range(first, len(lines)) if delimiter in lines[i] or lines[i].strip()]
    rows = (
        lines[first:] if len(numbers_of_rows) == len(lines) - first else [lines[i] for i in numbers_of_rows]
    )
    text = delimiter.join(rows)
    if (
        '"' in text
        or len(numbers_of_rows) < 2
        or not rows[0].split(delimiter)[-1].strip()
        or len({*map(str.count, rows, repeat(delimiter))}) > 1
    ):
        return None
    cells, width = text.split(delimiter), rows[0].count(delimiter) + 1
    columns = [cells[k::width] for k in range(width, 2 * width)]
    return [i + 1 for i in numbers_of_rows], tuple(cells[:width]), columns


def _rows(lines: list[str], first: int, delimiter: str, name: str) -> tuple[list[list[str]], list[int]]:
    """Return the rows that are not blank and the line of each; a quoted cell may not run over a line end."""
    reader = csv.reader(
        [*lines[first:], ""], delimiter=delimiter
    )  # the last line is blank, so that an open quotation mark runs over a line end there too
    rows: list[list[str]] = []
    numbers: list[int] = []
    before = 0
    csv.field_size_limit(LINE_BYTES + 1)
    try:
        for row in reader:
            if reader.line_num > before + 1:
                message = (
                    f"line {first + before + 1}: a quotation mark is not closed on its line. "
                    "Close or remove it; a cell must not contain a line break."
                )
                raise refuse(name, message)
            before = reader.line_num
            if row and (len(row) > 1 or row[0].strip() or (rows and lines[first + before - 1].strip())):
                rows.append(row)
                numbers.append(first + before)
    except csv.Error as problem:
        raise refuse(name, f"line {first + reader.line_num}: {problem}.") from problem
    if not rows:
        raise refuse(name, "it contains only empty quotation marks.")
    return rows, numbers


def _width(written: Sequence[str], rows: list[list[str]]) -> int:
    """Return the number of columns: empty cells at the end of the header count only where a row has something
    there."""
    named = max((i + 1 for i, cell in enumerate(written) if cell.strip()), default=len(written))
    return len(written) if any(cell.strip() for row in rows for cell in row[named:]) else named


def _columns(rows: list[list[str]], width: int) -> _Body:
    ragged: set[int] = set()
    padded: set[int] = set()
    lengths = {}
    cut = bool(rows) and all(cut_at_commas(row, width) for row in rows)
    for i, row in enumerate(rows):
        if len(row) == width:
            continue
        lengths[i] = len(row)
        is_ragged = len(row) < width or any(cell.strip() for cell in row[width:])
        (ragged if is_ragged else padded).add(i)
        rows[i] = (row + [""] * width)[:width]
    columns = list(zip(*rows, strict=True)) or [()] * width
    return _Body(columns, frozenset(ragged), cut, frozenset(padded), lengths)


def find_column(table: TextTable, names: Sequence[str]) -> tuple[int | None, list[Finding]]:
    """Return the position of the column that has the first of `names` found in the table (names as `key`
    returns them), and a finding `duplicate-column` if several columns have this name."""
    for wanted in names:
        places = [i for i, present in enumerate(table.keys) if present == wanted]
        if places:
            return places[0], [duplicate_column(table, places)] if len(places) > 1 else []
    return None, []


def duplicate_column(table: TextTable, places: Sequence[int]) -> Finding:
    """Return a finding `duplicate-column` about columns with the same name; each of its fixes keeps one of
    them. If the columns are equal, there is a single fix.

    Args:
        places: Positions of these columns, from 0.
    """
    name, numbers = table.header[places[0]], [str(i + 1) for i in places]
    text = f"column {name!r} occurs {len(places)} times (columns {' and '.join(numbers)}): keep one."
    others = {kept: " ".join(number for number in numbers if number != kept) for kept in numbers}
    if len({tuple(table.cells(i)) for i in places}) == 1:
        label = f"Keep one of the equal columns “{name[:60]}”"
        fixes = [editing("leave_out", others[numbers[0]], label)]
    else:
        fixes = [
            editing("leave_out", left, f"Keep column {kept} of the columns “{name[:60]}”")
            for kept, left in others.items()
        ]
    return error("duplicate-column", table.header_place, text).with_fixes(*fixes)


def missing_column(table: TextTable, subject: str, names: Iterable[str], kind: Kind = "") -> Finding:
    """Return a finding `missing-column` about a required column; it names the most similar header.

    Args:
        subject: Description of the missing column.
        names: Accepted names of the column.
        kind: Kind of cells of the missing column. If no header is similar, columns of this kind are offered;
            "": none are.
    """
    names = list(names)
    near = next(filter(None, (nearest(key(n), table.keys, 0.75) for n in names)), "")
    hint = did_you_mean(near and table.header[table.keys.index(near)])
    headers = ", ".join(repr(h[:40]) for h in table.header[:12]) + (", ..." if len(table.header) > 12 else "")
    message = (
        f"there is no column for {subject}: name it {' or '.join(repr(n) for n in names[:3])}. Found: "
        f"{headers}.{hint}"
    )
    missing = error("missing-column", table.header_place, message)
    subject = subject.split(" (")[0]
    fixes = (
        between_cells(table.header, table.columns)
        or renamings(table.header, subject, names)
        or (kind in ("text", "id") and row_names(table.header, table.columns, names[0]))
        or of_kind(table.header, table.columns, subject, names[0], kind)
    )
    return missing.with_fixes(*fixes)


def settled(table: TextTable, problems: Iterable[Finding]) -> list[Finding]:
    """Return the problems of a table in the order of its rows, those of the header first. A row has one
    finding per code, with all messages. A row with a repeated case has only `duplicate-case`."""
    problems = list(problems)
    row_of = {table.place(i): i for i in range(len(table))}
    repeated = {p.where for p in problems if p.code == "duplicate-case"}
    of_rows: dict[tuple[int, str], Finding] = {}
    for problem in problems:
        if problem.where in row_of and (problem.where not in repeated or problem.code == "duplicate-case"):
            known = of_rows.setdefault((row_of[problem.where], problem.code), problem)
            if known is not problem:
                of_rows[row_of[problem.where], problem.code] = replace(
                    known, message=f"{known.message} {problem.message}"
                )
    return [
        *(p for p in problems if p.where not in row_of),
        *(of_rows[row] for row in sorted(of_rows, key=lambda row: row[0])),
    ]


def repeated_row(
    table: TextTable, row: int, first: int, column: int, subject: str, unit: str = "case"
) -> Finding:
    """Return a finding `duplicate-case`, with its fixes, about a row with a repeated case.

    Args:
        first: The earlier row of the same case.
        subject: Name of the case, such as "case 'a.jpg'".
    """
    message = intern(f"{subject} is already on line {table.lines[first]}: keep one row per {unit}.")
    duplicate = error("duplicate-case", table.place(row), message)
    if all(cells[row].strip() == cells[first].strip() for cells in table.columns):
        return duplicate.with_fixes(keeping("identical"))
    ids = table.columns[column]
    if ids[row].strip() != ids[first].strip():
        return duplicate  # written in two ways: only the file can say which
    name = table.header[column].strip()
    if not name:
        return duplicate
    ways = ("mean",) * _have_mean(table, row, first) + ("first", "last")
    return duplicate.with_fixes(*(keeping(way, name) for way in ways))


def _have_mean(table: TextTable, *rows: int) -> bool:
    """Return whether rows hold different numbers that are not only whole: those may number classes."""
    written = ({cells[row].strip() for row in rows} for cells in table.columns)
    numbers = (cells for cells in written if len(cells) > 1 and all(map(NUMERIC.fullmatch, cells)))
    return any(float(cell.replace(",", ".")) % 1 != 0 for cells in numbers for cell in cells)
