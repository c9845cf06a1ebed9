"""Excel workbooks (.xlsx), read as tables of text.

A workbook is a zip of XML. It is read in pieces within limits of its own; `scoring.inference.reader_pool`
limits time and memory of the process. Libraries that read whole sheets reserve memory for the rectangle
around all cells (python-calamine: 6 GB and a minute for a file of 1.4 kB with one cell in the last corner),
lose digits of numbers, and cannot distinguish a formula without value from an empty cell. The cell of a
formula has the value that was computed last. Dates stay dates, so that they are not read as numbers.
"""

import csv
import io
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from xml.parsers import expat

from scoring.common.findings import InputRefused
from scoring.common.transport import isolated
from scoring.inputs.archives import Archive, open_archive
from scoring.inputs.table_text import CELLS, COLUMNS, LINES, TABLE_BYTES, refuse

ENDING = ".xlsx"
SHEETS = 100
SAVE = "Save the sheet with the table as CSV."
BOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"
DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Numbers of the date and time formats in every workbook (ECMA-376, part 1, 18.8.30)."""
QUOTED = re.compile(r'"[^"]*(?:"|$)|\[[^\]]*(?:\]|$)|\\.')
DATE_LETTERS = re.compile(r"[ymdhs]", re.IGNORECASE)
ZEROS = re.compile(r"(0{2,})(;@)?")
"""Pattern of a number format that pads integers with zeros: 61 is shown as the id 0061."""
REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
FIRST_DAY = datetime(1899, 12, 30)
"""Day 0 of Excel's date numbers."""
TRUTHS = ("FALSE", "TRUE")
Attributes = Mapping[str, str]
Cells = dict[int, dict[int, str]]
"""Row, from 1 -> column, from 0 -> text."""


@isolated
def as_csv(data: bytes, name: str) -> bytes:
    """Return the only table of a workbook as CSV with commas, line by line as in the sheet. Raises
    InputRefused `unreadable-file` as `by_sheet` does, and if no sheet or several sheets have a table."""
    tables = by_sheet(data, name)
    if len(tables) != 1:
        titles = ", ".join(repr(title[:40]) for title in list(tables)[:5])
        problem = f"it has a table on {len(tables)} sheets ({titles})" if tables else "no sheet has a table"
        raise refuse(name, f"{problem}: keep one sheet, or save the sheet with the table as CSV.")
    return next(iter(tables.values()))


@isolated
def by_sheet(data: bytes, name: str) -> dict[str, bytes]:
    """Return the tables of all visible sheets as CSV with commas, by the title of the sheet. Sheets without a
    table are left out. Raises InputRefused `unreadable-file` if the workbook is damaged or too large, or if
    formulas in it have no values."""
    try:
        archive = open_archive(data, name)
        return _tables(archive, name)
    except InputRefused as refused:
        problem = refused.problems[0]
        if problem.code == "unreadable-file":
            raise
        raise refuse(name, f"the workbook cannot be read: {problem.message}") from refused
    except (expat.ExpatError, LookupError, ValueError) as fault:  # the latter two: encodings other than UTF
        raise refuse(name, f"its XML is damaged ({fault}). {SAVE}") from fault


def _tables(archive: Archive, name: str) -> dict[str, bytes]:
    missing = [member for member in (BOOK, RELATIONS) if member not in archive.sizes]
    if missing:
        raise refuse(name, f"it is not an Excel workbook ({missing[0]} is missing). {SAVE}")
    if sum(size for member, size in archive.sizes.items() if member.startswith("xl/")) > TABLE_BYTES:
        raise refuse(name, f"it has more than {TABLE_BYTES / 1e6:.0f} MB of cells. {SAVE}")
    strings = _strings(archive) if STRINGS in archive.sizes else []
    dates, digits = _styles(archive) if STYLES in archive.sizes else (frozenset[int](), {})
    book = _Book(name, strings, dates, digits, CELLS, TABLE_BYTES)
    sheets, tables = list(_sheets(archive)), {}
    if len(sheets) > SHEETS:
        raise refuse(name, f"it has {len(sheets):,} sheets; at most {SHEETS} are read. {SAVE}")
    for title, member in sheets:
        sheet = _Sheet(book)
        _parse(archive.read(member), sheet.start, sheet.end, sheet.text)
        if len(sheet.rows) > 1:
            tables[title] = sheet
    return {title: _text(sheet, name) for title, sheet in tables.items()}


def _text(sheet: "_Sheet", name: str) -> bytes:
    if sheet.unknown:
        message = (
            f"{len(sheet.unknown):,} cells contain formulas without values (first: {sheet.unknown[0]}), "
            "because the program that wrote the file does not compute formulas. Open the workbook in a "
            "spreadsheet program "
            "and save it, "
            "or save the table as CSV."
        )
        raise refuse(name, message)
    rows = _without_title(sheet.rows)
    width = 1 + max(max(row) for row in rows.values())
    if width * len(rows) > CELLS:  # few cells may stand far apart
        raise refuse(name, f"its table has {width * len(rows):,} cells; at most {CELLS:,} are read. {SAVE}")
    return _written(rows, width)


def _without_title(rows: Cells) -> Cells:
    """Return rows without lines above the table that hold one cell, at its left edge."""
    edge = min(min(row) for row in rows.values())
    table = (number for number in sorted(rows) if len(rows[number]) > 1 or edge not in rows[number])
    first = next(table, min(rows))
    return {number: row for number, row in rows.items() if number >= first}


def _written(rows: Cells, width: int) -> bytes:
    """Return rows of `width` cells as CSV, each on its line."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    line = 1
    for number in sorted(rows):
        file.write("\n" * (number - line))
        writer.writerow([rows[number].get(column, "") for column in range(width)])
        line = number + 1
    return file.getvalue().encode()


def _parse(
    data: bytes,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Read XML; names of elements come without their namespace. No document type is allowed: it could make a
    few bytes endless."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def no_type(*_declared: object) -> None:
        raise expat.ExpatError("it declares a document type")

    parser.StartDoctypeDeclHandler = no_type
    parser.StartElementHandler = lambda tag, attributes: start(tag.rpartition(" ")[2], attributes)
    if end is not None:
        parser.EndElementHandler = lambda tag: end(tag.rpartition(" ")[2])
    if text is not None:
        parser.CharacterDataHandler = text
        parser.buffer_text = True
    parser.Parse(data, True)


def _sheets(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield title and member of every sheet that is shown."""
    targets: dict[str, str] = {}
    listed: list[tuple[str, str]] = []

    def relation(tag: str, attributes: Attributes) -> None:
        if tag == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def sheet(tag: str, attributes: Attributes) -> None:
        if tag == "sheet" and attributes.get("state", "visible") == "visible":
            target = next((v for k, v in attributes.items() if k.endswith(" id")), "")
            listed.append((attributes.get("name", ""), target))

    _parse(archive.read(RELATIONS), relation)
    _parse(archive.read(BOOK), sheet)
    for title, target in listed:
        member = posixpath.normpath(posixpath.join("/xl", targets.get(target, ""))).lstrip("/")
        if member in archive.sizes:
            yield title, member


def _strings(archive: Archive) -> list[str]:
    """Return the texts that cells share; readings of characters (phonetics) are left out."""
    strings: list[str] = []
    parts: list[str] = []
    inside: list[str] = []

    def start(tag: str, _attributes: Attributes) -> None:
        inside.append(tag)
        if tag == "si":
            parts.clear()

    def end(tag: str) -> None:
        inside.pop()
        if tag == "si":
            strings.append("".join(parts))

    def text(characters: str) -> None:
        if inside[-1] == "t" and "rPh" not in inside:
            parts.append(characters)

    _parse(archive.read(STRINGS), start, end, text)
    return strings


def _styles(archive: Archive) -> tuple[frozenset[int], dict[int, int]]:
    """Return the numbers of the cell styles that show dates or times; and of those that fill numbers with
    zeros, with how many digits they show."""
    own: dict[int, str] = {}
    formats: list[int] = []
    inside: list[str] = []

    def start(tag: str, attributes: Attributes) -> None:
        inside.append(tag)
        if tag == "numFmt":
            own[_whole(attributes.get("numFmtId"))] = attributes.get("formatCode", "")
        elif tag == "xf" and "cellXfs" in inside:
            formats.append(_whole(attributes.get("numFmtId")))

    def end(_tag: str) -> None:
        inside.pop()

    _parse(archive.read(STYLES), start, end)
    dates = frozenset(
        style
        for style, number in enumerate(formats)
        if (DATE_LETTERS.search(QUOTED.sub("", own[number])) if number in own else number in DATE_FORMATS)
    )
    filled = ((style, ZEROS.fullmatch(own.get(number, ""))) for style, number in enumerate(formats))
    return dates, {style: len(zeros[1]) for style, zeros in filled if zeros}


def _whole(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else -1


@dataclass
class _Book:
    """Shared texts and styles of a workbook. digits: how many are shown, by style. remaining, characters: how
    many cells, and characters in them, it may still have."""

    name: str
    strings: Sequence[str]
    dates: frozenset[int]
    digits: Mapping[int, int]
    remaining: int
    characters: int

    def value(self, cell: "_Cell") -> str:
        """Return the content of a cell as text."""
        text = "".join(cell.parts)
        if cell.kind == "s":
            number = _whole(text.strip())
            return self.strings[number] if 0 <= number < len(self.strings) else ""
        if cell.kind == "b":
            return TRUTHS[text.strip() == "1"]
        if cell.kind == "n" and cell.style in self.digits and _whole(text.strip()) >= 0:
            return text.strip().zfill(self.digits[cell.style])
        return _date(text) if cell.kind == "n" and cell.style in self.dates else text


@dataclass
class _Cell:
    """Cell that is read. row: from 1; column: from 0; parts: of its text."""

    row: int = 0
    column: int = -1
    kind: str = "n"
    style: int = 0
    parts: list[str] = field(default_factory=list)
    is_formula: bool = False


@dataclass
class _Sheet:
    """Cells of a sheet as they are read. inside: open elements. unknown: references of formulas without a
    value."""

    book: _Book
    rows: Cells = field(default_factory=dict)
    cell: _Cell = field(default_factory=_Cell)
    inside: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def start(self, tag: str, attributes: Attributes) -> None:
        """Process the start of an XML element."""
        self.inside.append(tag)
        cell = self.cell
        if tag == "row":
            number = _whole(attributes.get("r"))
            cell.row, cell.column = (number if number > 0 else cell.row + 1), -1
        elif tag == "f":
            cell.is_formula = True
        elif tag == "c":
            reference = REFERENCE.fullmatch(attributes.get("r", ""))
            cell.column = _column(reference[1]) if reference else cell.column + 1
            cell.row = int(reference[2]) if reference else cell.row
            cell.kind, cell.style = attributes.get("t", "n"), max(0, _whole(attributes.get("s", "0")))
            cell.parts.clear()
            cell.is_formula = False
            if cell.row > LINES or cell.column >= COLUMNS:
                message = f"a cell is beyond {LINES:,} lines or {COLUMNS:,} columns. {SAVE}"
                raise refuse(self.book.name, message)

    def end(self, tag: str) -> None:
        """Process the end of an XML element, and store the content of a cell."""
        self.inside.pop()
        if tag != "c":
            return
        cell, book = self.cell, self.book
        if cell.is_formula and not cell.parts and cell.kind != "str":
            self.unknown.append(f"{_letters(cell.column)}{cell.row}")
        value = book.value(cell) if cell.parts else ""
        if value.strip():
            book.remaining -= 1
            book.characters -= len(value)
            if book.characters < 0:
                message = f"its cells hold more than {TABLE_BYTES / 1e6:.0f} million characters. {SAVE}"
                raise refuse(book.name, message)
            if book.remaining < 0:
                raise refuse(book.name, f"it has more than {CELLS:,} cells. {SAVE}")
            self.rows.setdefault(cell.row, {})[cell.column] = " ".join(value.split())

    def text(self, characters: str) -> None:
        """Process text that belongs to a cell."""
        if self.inside[-1] == "v" or (self.inside[-1] == "t" and "is" in self.inside):
            self.cell.parts.append(characters)


def _column(letters: str) -> int:
    """Return the index of a column, from 0, by its letters."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _letters(column: int) -> str:
    """Return the letters of a column by its index, from 0."""
    first, last = divmod(column, 26)
    return (_letters(first - 1) if first else "") + chr(ord("A") + last)


def _date(text: str) -> str:
    """Return a number of days as a date, so that no reader takes it for a number."""
    try:
        moment = FIRST_DAY + timedelta(days=float(text))
    except (ValueError, OverflowError):
        return f"date {text}"
    return moment.isoformat(sep=" ", timespec="minutes") if moment.time().minute else f"{moment:%Y-%m-%d}"
