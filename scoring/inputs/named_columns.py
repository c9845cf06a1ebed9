"""Finds columns in a table by names that a challenge declares, and reads them as classes or numbers. All
problems are collected."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import did_you_mean, nearest, shortened
from scoring.inputs import tables
from scoring.inputs.case_tables import OTHER_TABLES, AlignedRows, find_table, read_numbers
from scoring.inputs.sources import Source, SourceFiles, open_source, sha256
from scoring.inputs.tables import TextTable, key

ENDINGS, MOST_TABLES = (".csv", *OTHER_TABLES), 20
"""Extensions of tables, and maximum number of tables in a folder that are searched."""
WHOLE = re.compile(r"^(-*\d+)\.0$")
"""Pattern of an integer that a program wrote with ".0" at its end."""
Columns = Sequence[tuple[str, str]]
"""Pairs of a column's name and a word for its content."""


@dataclass
class ColumnReader:
    """Reader of the named columns of a table. The reader collects the problems of the table.

    Attributes:
        digest_of: Function that returns the SHA-256 of the table's file.
    """

    files: SourceFiles
    digest_of: Mapping[str, str]
    table: TextTable
    problems: list[Finding]
    findings: list[Finding] = field(default_factory=list)

    @classmethod
    def opened(cls, source: Source, name: str | None, columns: Columns) -> Self:
        """Open the table of a source. If there are several tables, the one with the given columns is used.
        Raises InputRefused if no table can be chosen or read."""
        files = open_source(source, name)
        member = table_with(files, [name for name, _ in columns])
        data, table = files.read_table(member)
        # That a workbook is no CSV matters to official programs alone: the note of it is left out.
        return cls(files, {member: sha256(data)}, table, list(table.problems), [])

    def places(self, columns: Columns) -> list[int]:
        """Return the positions of columns. Raises InputRefused if some are missing, with one problem for all
        columns of a kind."""
        places: list[int] = []
        missing: dict[str, list[str]] = {}
        for name, what in columns:
            place, twice = tables.find_column(self.table, (key(name),))
            self.problems += twice
            if place is None:
                missing.setdefault(what, []).append(name)
            else:
                places.append(place)
        for what, names in missing.items():
            found = tables.missing_column(self.table, what, names[:1])
            if len(names) > 1:
                listing = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
                message = (
                    f"{len(names)} columns are missing, each for {what}: add columns with the names "
                    f"{listing}."
                )
                found = replace(found, message=f"{message} Found: {found.message.split('Found: ')[1]}")
            self.problems.append(found)
        if missing:
            raise InputRefused(self.problems, self.findings)
        return places

    def labels(self, place: int, classes: Sequence[str], rows: AlignedRows) -> tuple[Ints, list[Finding]]:
        """Return the class number of each case [n] (-1 for none), and the problems of empty cells."""
        number_of = {name: k for k, name in enumerate(classes)}
        loose = {name.lower(): k for name, k in number_of.items()}
        cells, labels = self.table.cells(place), np.full(rows.n, -1)
        case_of, ids = rows.case_of.tolist(), self.table.columns[rows.id_column]
        strange: dict[str, list[int]] = {}
        faults = []
        for i in rows.rows:
            cell = cells[i]
            number = number_of.get(cell)
            if number is None:
                number = loose.get(cell.lower(), loose.get(WHOLE.sub(r"\1", cell), -1))
            labels[case_of[i]] = number
            if number < 0 and cell.lower() in tables.MISSING:
                message = f"case {shortened(ids[i], 80)} has no class."
                faults.append(error("missing-value", self.table.place(i), message))
            elif number < 0:
                strange.setdefault(cell, []).append(i)
        for cell, of_rows in strange.items():
            times = f" ({len(of_rows)} rows)" if len(of_rows) > 1 else ""
            listing = did_you_mean(nearest(cell, classes)) or f" Classes: {', '.join(classes[:20])}."
            self.refuse(of_rows[:1], f"{shortened(cell, 40)!r} is not one of the classes{times}.{listing}")
        return labels, faults

    def numbers(self, places: Sequence[int], rows: AlignedRows, advice: str) -> tuple[Floats, list[Finding]]:
        """Return columns of numbers by case [n, columns], and the problems of cases without numbers."""
        return read_numbers(rows, places, advice, self.problems, self.findings)

    def refuse(self, rows: Sequence[int], message: str) -> None:
        """Record a problem for each of the given rows, for at most twenty rows."""
        self.problems += [error("bad-label", self.table.place(i), message) for i in rows[:20]]

    def refuse_cases(self, wrong: Bools, rows: AlignedRows, message: str) -> None:
        """Record a problem for each wrong case [n]."""
        self.refuse([i for i in rows.rows if wrong[rows.case_of[i]]], message)


def table_with(files: SourceFiles, names: Iterable[str]) -> str:
    """Return the only table in a folder that has the named columns. If there is none or several, return the
    result of `find_table`. Raises InputRefused as `find_table` does."""
    members = [member for member in files.members if member.lower().endswith(ENDINGS)]
    if files.kind == "file" or not 1 < len(members) <= MOST_TABLES:
        return find_table(files)
    wanted, fitting = {key(name) for name in names}, []
    for member in members:
        with suppress(InputRefused):
            data, table = files.read_table(member)
            files.keep_table(member, data, table)
            fitting += [member] if wanted <= set(table.keys) else []
    return fitting[0] if len(fitting) == 1 else find_table(files)
