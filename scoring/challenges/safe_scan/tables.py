"""Finds the columns of image ids, labels and persons in tables; also defines the order of findings."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.common.findings import Finding, error, warning
from scoring.core.file_contents import FileContents
from scoring.inputs import tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.tables import TextTable, repeated_row

CODES = (
    *("unreadable-file", "bad-zip", "unsafe-path", "no-table", "ambiguous-table", "missing-column"),
    *("duplicate-column", "row-length", "duplicate-case", "missing-value", "not-a-number"),
    *("not-finite", "bad-label", "missing-case", "image-missing", "image-unreadable", "ambiguous-case"),
    *("no-common-case", "extra-case", "bom", "header-alias", "header-spelling", "label-spelling"),
    *("label-number", "label-one-hot", "location-number", "age-format", "missing-demographics"),
    *("bad-option", "official-run-cancelled", "official-score-zero", "official-other-table"),
    *("image-elsewhere", "images-not-opened", "never-predicted"),
)
"""Codes of problems and findings about one file, in the order in which `findings.ordered` lists them."""


OFFICIAL_IMAGE = ("newfilename", "filepath", "filename")
"""Headers of the image column that the official loader knows, as `tables.key` returns them."""
OFFICIAL_LABEL = ("class", "label")
"""Headers of the label column that the official loader knows."""
AGE = ("age", "age_approx")
LOCATION = ("location", "site", "body_site", "anatom_site")
GENDER = ("gender", "sex")
"""Headers of the columns about the person (gender, age, location). Of each, the official loader knows only
the first header."""
LABEL = (*OFFICIAL_LABEL, "diagnosis", "target", "truth", "ground_truth")


def headings_there(table: TextTable) -> frozenset[str]:
    """Return the headers as the official loader compares them: in lower case and not trimmed. With a byte
    order mark, the official loader does not recognise the first header."""
    return frozenset(heading.lower() for heading in table.written.header[table.written.byte_order_mark :])


def read_ids(table: TextTable, problems: list[Finding], findings: list[Finding]) -> tuple[str, ...] | None:
    """Return the image name of every row; None if no column contains them. Problems are added to `problems`
    and `findings`."""
    column, twice = tables.find_column(table, ID_COLUMNS)
    problems += twice
    if column is None:
        problems.append(tables.missing_column(table, "the image", ("NewFileName", "FilePath", "image"), "id"))
        return None
    header = table.header[column]
    if table.keys[column] not in OFFICIAL_IMAGE:
        sentence = (
            f"Benchside reads column {header!r} as the names of the images; the official loader "
            "knows NewFileName, FilePath and FileName only."
        )
        findings.append(warning("header-alias", table.header_place, sentence))
    ids = table.cells(column)
    first: dict[str, int] = {}
    for row, name in enumerate(ids):
        if name.lower() in tables.MISSING:
            sentence = f"column {header!r} is empty: every row needs its image."
            problems.append(error("missing-value", table.place(row), sentence))
        elif name in first:
            problems.append(repeated_row(table, row, first[name], column, f"case {name!r}"))
        first.setdefault(name, row)
    return tuple(ids)


def find_label_column(table: TextTable, problems: list[Finding], findings: list[Finding]) -> int | None:
    """Return the index of the label column; None if there is none. A header that the official loader does not
    know is reported."""
    column, twice = tables.find_column(table, LABEL)
    problems += twice
    if column is not None and table.keys[column] not in OFFICIAL_LABEL:
        sentence = (
            f"Benchside reads column {table.header[column]!r} as the label; the official loader "
            "knows Class and Label only."
        )
        findings.append(warning("header-alias", table.header_place, sentence))
    return column


def several(table: TextTable, rows: Sequence[int]) -> str:
    """Return the number and the first five lines of rows as text, such as "3 rows (lines 4, 9, 12)"."""
    lines = ", ".join(str(table.lines[r]) for r in rows[:5]) + (", ..." if len(rows) > 5 else "")
    return f"{len(rows)} row{'s' * (len(rows) > 1)} (line{'s' * (len(rows) > 1)} {lines})"


def once(code: str, table: TextTable, rows: Sequence[int], message: str) -> list[Finding]:
    """Return one warning for all `rows`, located at the first of them; empty if there are no rows."""
    return [warning(code, table.place(rows[0]), f"{several(table, rows)}: {message}")] if len(rows) else []


def case_words(table: TextTable, row: int) -> str:
    """Return the beginning of a message about a row, such as "case 'a.jpg', "; "" if the row has no id."""
    column, _ = tables.find_column(table, ID_COLUMNS)
    name = "" if column is None else table.columns[column][row].strip()
    return f"case {name[:80]!r}, " if name else ""


@dataclass(frozen=True)
class CaseTable:
    """A table with one row per image. `others` contains the columns that are neither the image nor about the
    person. `has_person` says whether there is a column about the person."""

    table: TextTable
    ids: frozenset[str]
    others: tuple[int, ...]
    has_person: bool

    def column(self, names: Sequence[str]) -> int | None:
        """Return the first of the `others` columns that has one of the names; None if there is none."""
        matches = (i for name in names for i in self.others if self.table.keys[i] == name)
        return next(matches, None)

    @property
    def label(self) -> int | None:
        """The column with the labels of a test set; None if there is none."""
        return self.column(LABEL)


def case_tables(contents: FileContents) -> list[CaseTable]:
    """Return the tables that have a column of image names."""
    cases = []
    for table in contents.tables:
        column, _ = tables.find_column(table, ID_COLUMNS)
        if column is not None:
            person = {i for i, key in enumerate(table.keys) if key in {*AGE, *GENDER, *LOCATION}}
            others = (i for i, header in enumerate(table.header) if i != column and header)
            columns = tuple(i for i in others if i not in person)
            cases.append(CaseTable(table, contents.keys_of(table, column), columns, bool(person)))
    return cases
