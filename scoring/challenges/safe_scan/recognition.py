"""Tables of cases and labels in dropped files, for recognition."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.challenges.safe_scan.tables import LABEL
from scoring.core.file_contents import keys_of
from scoring.inputs.case_tables import ID_COLUMNS
from scoring.inputs.tables import TextTable, find_column

DEMOGRAPHICS = ("age", "gender", "sex", "location", "body_site", "site")


@dataclass(frozen=True)
class CaseTable:
    """A table with a row per image.

    Attributes:
        table: The table.
        ids: Its cases.
        others: Columns that are neither the image nor about the person.
        has_person: Whether a column is about the person.
    """

    table: TextTable
    ids: frozenset[str]
    others: tuple[int, ...]
    has_person: bool

    def column(self, names: Sequence[str]) -> int | None:
        """Return the first of the other columns that has one of these names."""
        matches = (i for name in names for i in self.others if self.table.keys[i] == name)
        return next(matches, None)

    @property
    def label(self) -> int | None:
        """The column of the labels of a test set."""
        return self.column(LABEL)


def case_tables(tables: Sequence[TextTable]) -> list[CaseTable]:
    """Return the tables that have a column of images."""
    cases = []
    for table in tables:
        column, _ = find_column(table, ID_COLUMNS)
        if column is not None:
            person = {i for i, key in enumerate(table.keys) if key in DEMOGRAPHICS}
            others = (i for i, header in enumerate(table.header) if i != column and header)
            columns = tuple(i for i in others if i not in person)
            cases.append(CaseTable(table, keys_of(table, column), columns, bool(person)))
    return cases
