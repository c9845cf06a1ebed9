"""Edits tables: applies fixes to bytes and file names before they are read.

For the changed file to submit see `scoring.core.applied_fixes.changed_file`.
"""

import codecs
import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.common.fixes import InputChanges, renamed
from scoring.common.transport import isolated
from scoring.inputs import table_formats
from scoring.inputs.case_ids import changed_case
from scoring.inputs.fix_suggestions import COMMA, cut_at_commas
from scoring.inputs.long_tables import widened
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.reshaping import case_column, edited
from scoring.inputs.table_text import find_header, is_markup

ANSWER_BYTES = 100_000
"""Maximum bytes of a JSON file that may belong to one case."""
DIGITS = 12
"""Number of digits with which a mean is written, because some official programs read the last of 16 digits
differently."""
BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def fixed_name(member: str, changes: InputChanges) -> str:
    """Return the name of a member with its case renamed. If the file name does not contain the case, the
    folder is renamed, as in `case__CT/case__CT_seg.nii.gz`."""
    folder, mark, base = member.rpartition("/")
    name = changed_case(base, changes)
    if name == base and mark:
        return f"{changed_case(folder, changes)}/{base}"
    return member if "/" in name or name.strip(".") == "" else f"{folder}{mark}{name}"


@isolated
def fixed_table(data: bytes, name: str, changes: InputChanges) -> bytes:
    """Apply changes to a table. Content that is not a text table stays unchanged; `name` is used in messages
    about unreadable content."""
    try:
        data, _ = table_formats.as_text(data, name)
    except InputRefused:
        if not is_markup(data):
            raise
    if is_markup(data):
        return data
    mark = next((bom for bom in BOMS if data.startswith(bom)), b"")
    encoding = BOMS.get(mark, "utf-8")
    try:
        text = data[len(mark) :].decode(encoding)
        text = _edited_text(text, changes)
        return mark + _fixed_text(text, replace(changes, edits=())).encode(encoding)
    except (UnicodeError, csv.Error):
        return data


@isolated
def fixed_answer(data: bytes, name: str, changes: InputChanges) -> bytes:
    """Rename the keys in the JSON file of one case, as columns of a table are renamed. JSON that is not an
    object stays unchanged. `name` is the name of the file in messages."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return data
    if not isinstance(document, dict):
        return data
    changed = {renamed(key, changes.columns): value for key, value in document.items()}
    is_same = [*changed] == [*document]
    return data if is_same else json.dumps({key: changed[key] for key in changed if key}).encode()


def _edited_text(text: str, changes: InputChanges) -> str:
    """Return a table with its edits made; columns that are renamed are those of the table as it is read."""
    lines = text.splitlines()
    header_line = find_header(lines) if changes.edits or changes.columns else None
    if header_line is None:
        return text
    first, usual = header_line
    between = changes.delimiter or usual
    rows = [cells for line in lines[first:] if (cells := _cells(line, between))]
    is_even = len({*map(len, rows)}) == 1
    if not changes.edits and not (is_even and widened(rows[0], list(zip(*rows[1:], strict=True)))):
        return text
    return "".join(f"{_line(row, between)}\n" for row in edited(rows, changes.edits))


def _fixed_text(text: str, changes: InputChanges) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    header_line = find_header(lines)
    if header_line is None:
        return text
    first, usual = header_line
    between = changes.delimiter or usual
    header = _cells(lines[first], between)
    names = _names([cell.strip() for cell in header], changes)
    unnamed = ("", "") in changes.columns
    columns = [i for i, cell in enumerate(header) if names[i] or not (cell.strip() or unnamed)]
    width = len(header)
    written = [names[i] if names[i] != header[i].strip() else header[i] for i in columns]
    delimiter = "," if changes.delimiter else usual
    edited = [*lines[:first], _line(written, delimiter)]
    wanted, is_changed = changes.repeated[0], changes.cases or changes.decimal_commas
    if not is_changed and columns == list(range(width)) and delimiter == between and not wanted:
        return end.join([*edited, *lines[first + 1 :]])
    rows = [_cells(line, between) if line.strip() else [] for line in lines[first + 1 :]]
    case = case_column(names, rows)
    both = [*zip(header, names, strict=True)]
    for cells in without_repeated(rows, both, changes.repeated, between != "," or changes.decimal_commas):
        if changes.decimal_commas:
            cells = _whole_numbers(cells, width)
            cells = [cell.replace(",", ".") if COMMA.fullmatch(cell) else cell for cell in cells]
        if changes.cases and case < len(cells):
            cells = [*cells[:case], changed_case(cells[case].strip(), changes), *cells[case + 1 :]]
        edited.append(_line([cells[i] for i in columns if i < len(cells)] + cells[width:], delimiter))
    return end.join(edited)


def without_repeated(
    rows: Sequence[list[str]],
    header: Sequence[tuple[str, str]],
    repeated: tuple[str, str],
    decimal_comma: bool = False,
) -> Sequence[list[str]]:
    """Return rows of cells without repeated rows.

    Args:
        rows: The rows, including empty ones.
        header: For each column, its name in the file and its name after renaming.
        repeated: Which rows to keep, as in `InputChanges`. All rows are kept if no column has the name that
            it contains.
        decimal_comma: Whether a comma within a number is a decimal comma.
    """
    row, column = repeated
    index = next((i for i, names in enumerate(header) if column in (names[0].strip(), names[1])), None)
    if not row or (column and index is None):
        return rows
    keys = [_key(cells, index if column else None) for cells in rows]
    if row == "mean":
        return _means(rows, keys, decimal_comma)
    numbers = range(len(rows))
    chosen = dict(zip(keys, numbers, strict=True)) if row == "last" else {}
    for key, i in zip(keys, numbers, strict=True):
        chosen.setdefault(key, i)
    return [
        cells for i, (key, cells) in enumerate(zip(keys, rows, strict=True)) if not key or chosen[key] == i
    ]


def _means(
    rows: Sequence[list[str]], keys: Sequence[tuple[str, ...]], decimal_comma: bool
) -> list[list[str]]:
    """Return a row per key, with the means of its rows. Of text and whole numbers (a class, a fold) that
    differ there is none: such a cell is empty.

    Args:
        keys: Key of each row; () for a row that stays as it is.
        decimal_comma: As in `without_repeated`.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for number, key in enumerate(keys):
        alike.setdefault(key or (f"{number}", ""), []).append(number)
    width = max(map(len, rows), default=0)
    columns = [[cells[i].strip() if i < len(cells) else "" for cells in rows] for i in range(width)]
    values = [parse_numbers(cells, decimal_comma).values for cells in columns]
    broken = [bool((numbers % 1 != 0)[np.isfinite(numbers)].any()) for numbers in values]
    return [
        [
            _mean([cells[i] for i in of_key], numbers[of_key], is_broken)
            for cells, numbers, is_broken in zip(columns, values, broken, strict=True)
        ]
        if len(of_key) > 1
        else rows[of_key[0]]
        for of_key in alike.values()
    ]


def _mean(cells: Sequence[str], numbers: Floats, is_broken: bool) -> str:
    if len({*cells}) == 1:
        return cells[0]
    mean = f"{math.fsum(numbers) / len(numbers):.{DIGITS}g}"
    return mean if is_broken and np.isfinite(numbers).all() else ""


def _key(cells: Sequence[str], index: int | None) -> tuple[str, ...]:
    """Return what makes two rows the same, () for a row that is the same as no other."""
    if index is None:
        return tuple(cell.strip() for cell in cells)
    return (cells[index].strip(),) if index < len(cells) and cells[index].strip() else ()


def _names(header: Sequence[str], changes: InputChanges) -> list[str]:
    """Return the names that columns are read by; a pair can name what a pattern made of a column, too."""
    exact, names = dict(changes.columns), [renamed(cell, changes.columns) for cell in header]
    return [
        exact[name] if name != cell and cell not in exact and name in exact and name not in header else name
        for cell, name in zip(header, names, strict=True)
    ]


def _whole_numbers(cells: list[str], width: int) -> list[str]:
    """Return a row whose numbers were cut at their decimal commas, whole again: an id, then a pair of cells
    for each column."""
    if not cut_at_commas(cells, width):
        return cells
    pairs = zip(cells[1::2], cells[2::2], strict=True)
    return [cells[0], *(f"{whole}.{part.strip()}" for whole, part in pairs)]


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _line(cells: Sequence[str], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="").writerow(cells)
    return text.getvalue()
