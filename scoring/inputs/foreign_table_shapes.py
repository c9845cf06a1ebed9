"""Tables that do not have one row per case and one score per class: edits that convert them, and tables
joined from several files.

For challenges that read class numbers themselves see `scoring.challenges.tricorder3.tables.parse_label`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.common.findings import Finding, InputRefused, error
from scoring.common.fixes import SuggestedFix, editing
from scoring.common.text import csv_text, delimited_text
from scoring.inputs import case_ids, long_tables
from scoring.inputs.case_ids import ID_COLUMNS, stem
from scoring.inputs.column_guess import TableForm, guess, joined_words
from scoring.inputs.fix_suggestions import NUMERIC
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.reshaping import labels_argument
from scoring.inputs.sources import TABLES_IN_FOLDERS, SourceFiles
from scoring.inputs.table_text import TABLE_BYTES
from scoring.inputs.tables import MISSING, TextTable, find_column, key, read_table

MOST_LABELS = 200
LABELS = (
    *("prediction", "predictions", "predicted", "predicted_class", "predicted_label", "pred", "preds"),
    *("y_pred", "label", "labels", "class", "class_index", "class_id", "argmax", "diagnosis", "dx"),
    *("category", "target"),
)
"""Headings, as `tables.key` returns them, of columns that may contain class numbers."""
SHARE = 0.5
NUMBERED = re.compile(r"^\d+:", re.ASCII)
"""Pattern of the prefix that Weka writes before a class name."""
MARKS = ("=", ">", "|")
"""Characters that the value of an edit must not contain."""


def shape_problem(
    table: TextTable, form: TableForm, ids: Collection[str], codes: Collection[str]
) -> Finding | None:
    """Return a finding about the unusual shape of a table, with fixes that each read the table in a different
    way; None for the usual shape.

    Args:
        ids: Cases of the truth.
        codes: Codes of the problems for which the table was refused.
    """
    if codes == {"missing-value"}:
        return _gaps(table, form)
    known = {case_ids.stem(name).lower() for name in ids}
    cases = [header for header in table.header if case_ids.stem(header).lower() in known]
    if known and 2 * len(cases) > len(table.header):
        message = f"cases are in columns ({', '.join(cases[:3])}): write a row for each case."
        return error("missing-column", table.header_place, message).with_fixes(editing("transpose"))
    if len(cases) == 1 and all(NUMERIC.fullmatch(cell) for cell in table.header if cell not in cases):
        message = "the first line is a case: insert a line with the names of the columns above it."
        return error("missing-column", table.header_place, message).with_fixes(editing("header"))
    if {*form.columns} & {*table.header} or len(form.columns) < 2:
        return None
    if guess(table, form, tuple(ids) or None).is_whole:
        return None
    return _long(table, form) or _labels(table, form, ids)


def _gaps(table: TextTable, form: TableForm) -> Finding | None:
    """Return how many numbers a table lacks; None if other cells are empty too."""
    wanted = {key(name) for name in form.columns}
    empty = {
        name: sum(cell.lower() in MISSING for cell in table.cells(i)) for i, name in enumerate(table.keys)
    }
    count = sum(empty[name] for name in wanted & empty.keys())
    is_known = len(wanted) > 1 and wanted <= empty.keys()
    if not is_known or not 0 < count < len(wanted) * len(table) or count < sum(empty.values()):
        return None
    message = f"{count:,} cells are empty: write a number in each of these cells, even if it is 0."
    return error("missing-value", table.name, message).with_fixes(_filling(count, "empty cells"))


def _filling(count: int, what: str) -> SuggestedFix:
    return editing("fill", "0", f"Read 0 in the {count:,} {what}")


def _long(table: TextTable, form: TableForm) -> Finding | None:
    """Return what a long table of the needed classes lacks."""
    pairs = long_tables.missing_pairs(table.header, table.columns)
    classes = {joined_words(cell) for place in (pairs[0] if pairs else ()) for cell in {*table.cells(place)}}
    wanted = {joined_words(name) for name in form.columns}
    if len(wanted & classes) < SHARE * len(wanted):
        return None
    return gap_problem(table, len(pairs))


def gap_problem(table: TextTable, count: int) -> Finding:
    """Return a finding `missing-value` about a long table with gaps; its fix fills the gaps with 0. `count`
    is the number of missing pairs of case and class."""
    text = (
        f"{count:,} pairs of case and class have no row. Write a row for each pair, even if the score is 0."
    )
    fix = _filling(count, "missing pairs of case and class")
    return error("missing-value", table.header_place, text).with_fixes(fix)


def _labels(table: TextTable, form: TableForm, ids: Collection[str]) -> Finding | None:
    """Return that a table names a class for each case in place of scores; None for another."""
    case = guess(table, form, tuple(ids) or None).case
    others = [i for i, header in enumerate(table.header) if header and header != case]
    found = {place: list(_readings(table, place, form, len(others) == 1)) for place in others}
    found = {place: readings for place, readings in found.items() if readings}
    if case is None or len(found) != 1:
        return None
    ((place, readings),) = found.items()
    header = table.header[place]
    message = (
        f"column {header[:60]!r} contains the class of each case, not scores. Official programs need a "
        "score for each class: write 1 for the predicted class and 0 for the others."
    )
    fixes = [
        editing("labels", labels_argument(header, classes), f"Read {header[:60]!r} as the class{how}")
        for how, classes in readings
    ]
    return error("missing-column", table.header_place, message).with_fixes(*fixes)


def _readings(
    table: TextTable, place: int, form: TableForm, is_only: bool
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield how cells of a column name classes, in words, and the class of each cell; nothing if they do
    not."""
    cells = list(dict.fromkeys(table.cells(place)))
    classes = list(form.columns)
    if len(cells) > MOST_LABELS or any(mark in cell for cell in (*cells, *classes) for mark in MARKS):
        return
    if all(cell.isdecimal() and len(cell) < 10 for cell in cells):
        numbers = [int(cell) for cell in cells]
        if not is_only and table.keys[place] not in LABELS:
            return
        for first in (0, 1):
            for order, names in {"challenge's": classes, "alphabetical": sorted(classes)}.items():
                fits = first <= min(numbers) and max(numbers) < first + len(classes)
                if fits and (order == "challenge's" or names != classes):
                    start = f"{first} {names[0]}, {first + 1} {names[1]}"
                    told = f", numbers from {first} in the {order} order ({start})"
                    yield told, {str(number): name for number, name in enumerate(names, first)}
        return
    names_of: dict[str, set[str]] = {}
    for name, others in form.columns.items():
        for written in (name, *others):
            names_of.setdefault(joined_words(written) or key(written), set()).add(name)
    plain = {cell: NUMBERED.sub("", cell) for cell in cells}
    named = {cell: names_of.get(joined_words(text) or key(text), set()) for cell, text in plain.items()}
    if all(len(names) == 1 for names in named.values()) and not all(map(NUMERIC.fullmatch, cells)):
        spelled = {cell: next(iter(names)) for cell, names in named.items()}
        yield "", spelled | {name: name for name in classes if name not in spelled}


MOST = 100
"""Maximum number of tables that are joined."""


@dataclass(frozen=True)
class StackedTables:
    """The rows of several tables with the same columns, as one table.

    Attributes:
        data: The table.
        written: Name of the file from which each row comes.
        is_disjoint: Whether no case is in two of the files.
    """

    data: bytes
    written: tuple[str, ...]
    is_disjoint: bool


def stacked_tables(files: SourceFiles) -> StackedTables | None:
    """Stack tables with the same columns; None if some columns differ, or if there is only one table. A table
    of decisions and a table of scores are not stacked, because one may be the truth of the other."""
    members = [member for member in files.members if member.lower().endswith(TABLES_IN_FOLDERS)]
    is_large = sum(files.sizes[member] for member in members) > TABLE_BYTES
    if files.kind == "file" or not 2 <= len(members) <= MOST or is_large:
        return None
    try:
        tables = [files.read_table(member)[1] for member in members]
    except InputRefused:
        return None
    header, marks = tables[0].header, {table.delimiter for table in tables}
    column, twice = find_column(tables[0], ID_COLUMNS)
    same = all(sorted(table.header) == sorted(header) and not table.problems for table in tables)
    if not same or column is None or twice or len({*header}) < len(header) or len(marks) > 1:
        return None
    if len({_holds_fractions(table) for table in tables}) > 1:
        return None
    places = [[table.header.index(name) for name in header] for table in tables]
    columns = [[table.cells(i) for i in order] for table, order in zip(tables, places, strict=True)]
    cases = [{*map(stem, cells[column])} for cells in columns]
    rows = (row for cells in columns for row in zip(*cells, strict=True))
    data = delimited_text(header, rows, marks.pop()).encode("utf-8", "surrogatepass")
    written = tuple(m for m, table in zip(members, tables, strict=True) for _ in range(len(table)))
    return StackedTables(data, written, sum(map(len, cases)) == len(frozenset().union(*cases)))


def _holds_fractions(table: TextTable) -> bool:
    numbers = (parse_numbers(table.cells(i), table.delimiter != ",").values for i in range(len(table.header)))
    return any(bool((values % 1 != 0)[np.isfinite(values)].any()) for values in numbers)


def joined_table(
    tables: Sequence[TextTable], case: str, plain: Callable[[str], str], case_of: Callable[[str], str]
) -> TextTable | None:
    """Join tables by case. None if there are fewer than two tables, if two have the same column, or if a case
    is repeated in a table.

    Args:
        tables: Tables with a case column.
        case: Name of the case column.
        plain: Function that normalises column names for comparison.
        case_of: Function from a cell to its case.
    """
    columns: dict[str, dict[str, str]] = {}
    for table in tables:
        names = [plain(header) for header in table.header]
        place = names.index(plain(case))
        cases = [case_of(cell) for cell in table.cells(place)]
        others = [k for k, name in enumerate(names) if name and k != place]
        if len({*cases}) < len(cases) or {*map(plain, columns)} & {names[k] for k in others}:
            return None
        columns |= {table.header[k]: dict(zip(cases, table.columns[k], strict=True)) for k in others}
    if len(tables) < 2:
        return None
    rows = dict.fromkeys(name for cells in columns.values() for name in cells)
    cells = ([name, *(column.get(name, "") for column in columns.values())] for name in rows)
    joined = read_table(csv_text([case, *columns], cells).encode(), tables[0].name)
    form = f"{' and '.join(table.name for table in tables)}, joined by {case},"
    return replace(joined, written=replace(joined.written, other_format=form))
