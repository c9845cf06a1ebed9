"""The tables of HECKTOR 2026: tolerant columns, cells that may be missing."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.challenges.hecktor2026.layouts import Layout
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.fixes import SuggestedFix
from scoring.inputs import tables
from scoring.inputs.sources import SourceFiles
from scoring.inputs.suggestions import renamings
from scoring.inputs.tables import MISSING, TextTable, repeated_row

COLUMNS = {
    "patient": ("patientid",),
    "t": ("tstage",),
    "n": ("nstage",),
    "event": ("relapse",),
    "time": ("rfs", "rfsdays"),
    "risk": ("risk", "prediction"),
    "center": ("centerid",),
}
"""What a column means, and its names after dropping case and everything but letters and digits."""
ANSWER_BYTES = 10_000
NEAR = {
    "t": ("the T stage", ("T-stage", "T")),
    "n": ("the N stage", ("N-stage", "N")),
    "risk": ("the risk", ("Risk", "Prediction", "Score")),
    "time": ("the time to relapse", ("RFS",)),
}
"""Meaning of a column of predictions -> what it is, and what it may be called beside other words."""


@dataclass(frozen=True)
class PatientCells:
    """Cells by patient. ids [n]; cells: meaning -> cells [n], only for the columns that are there; places
    [n]: where a message says a row stands."""

    ids: tuple[str, ...]
    cells: Mapping[str, tuple[str, ...]]
    places: tuple[str, ...]


def plain_name(header: str) -> str:
    """Return a column's name for comparing: lower case, letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", header.lower())


def find_table(files: SourceFiles, layout: Layout, standard: str, used: list[str]) -> TextTable | None:
    """Return the table called `standard`, else the only one with a patient column, else None where there is
    no table.

    used gains the members that were read. Raises InputRefused (`ambiguous-table`, `missing-column`,
    `unreadable-file`).
    """
    named = [m for m in layout.tables if m.rsplit("/", 1)[-1].lower() == standard]
    if named or files.kind == "file":
        return _read(files, (named or layout.tables)[0], used)
    fit: list[tuple[TextTable, list[str]]] = []
    problems: list[Finding] = []
    for member in layout.tables:
        read: list[str] = []
        try:
            table = _read(files, member, read)
        except InputRefused as refused:
            problems += refused.problems
            continue
        if COLUMNS["patient"][0] in map(plain_name, table.header):
            fit.append((table, read))
        else:
            problems.append(tables.missing_column(table, "the patient", ("PatientID",), "text"))
    if len(fit) > 1:
        names = ", ".join(table.name for table, _ in fit)
        raise InputRefused(
            [
                error(
                    "ambiguous-table",
                    files.name,
                    f"{len(fit)} tables have a PatientID column ({names}): call one {standard}.",
                )
            ]
        )
    if problems and not fit:
        raise InputRefused(problems)
    if not fit:
        return None
    used += fit[0][1]
    return fit[0][0]


def _read(files: SourceFiles, member: str, used: list[str]) -> TextTable:
    used.append(member)
    return tables.read_table(files.read(member), files.called(member))


def read_rows(table: TextTable, meanings: Sequence[str], problems: list[Finding]) -> PatientCells | None:
    """Return the cells of the columns that are there. Adds `row-length`, `duplicate-column`,
    `missing-column`, `missing-value` and `duplicate-case`; None where there is no patient column. Rows
    without anything in them are left out, repeated ones and those of the wrong length too."""
    problems += table.problems
    places = {meaning: _column(table, meaning, problems) for meaning in ("patient", *meanings)}
    if places["patient"] is None:
        problems.append(tables.missing_column(table, "the patient", ("PatientID",), "text"))
        return None
    ids = table.cells(places["patient"])
    kept: dict[str, int] = {}
    for row, patient in enumerate(ids):
        if patient.lower() in MISSING:
            if any(column[row].strip() for column in table.columns) and row not in table.ragged:
                problems.append(
                    error(
                        "missing-value",
                        table.place(row),
                        "the PatientID is empty: every row needs its patient.",
                    )
                )
        elif kept.setdefault(patient, row) != row:
            words = f"patient {patient}"
            problems.append(repeated_row(table, row, kept[patient], places["patient"], words, unit="patient"))
    rows = [row for row in kept.values() if row not in table.ragged]
    cells = {
        meaning: tuple(table.columns[place][row].strip() for row in rows)
        for meaning, place in places.items()
        if place is not None and meaning != "patient"
    }
    return PatientCells(tuple(ids[row] for row in rows), cells, tuple(table.place(row) for row in rows))


def near_columns(table: TextTable) -> dict[str, tuple[SuggestedFix, ...]]:
    """Return, for each meaning that no column has, the mends that read another column so."""
    meant = [(plain_name(header), header) for header in table.header]
    known = {name: meaning for meaning, names in COLUMNS.items() for name in names}
    taken = [header for name, header in meant if name in known]
    present = {known[name] for name, _ in meant if name in known}
    return {
        meaning: renamings(table.header, what, names, taken)
        for meaning, (what, names) in NEAR.items()
        if meaning not in present
    }


def _column(table: TextTable, meaning: str, problems: list[Finding]) -> int | None:
    found = [i for i, header in enumerate(table.header) if plain_name(header) in COLUMNS[meaning]]
    if len(found) > 1:
        names = " and ".join(repr(table.header[i]) for i in found)
        problems.append(
            error("duplicate-column", table.header_place, f"columns {names} mean the same: keep one.")
        )
    return found[0] if found else None


def answers(files: SourceFiles, layout: Layout, used: list[str]) -> PatientCells | None:
    """Return a container's JSON files, one value each, as cells; None where there are none. A file that holds
    no bare value gives its text, which nothing accepts."""
    if not layout.answers:
        return None
    ids = tuple(sorted(layout.answers))
    meanings = sorted({meaning for found in layout.answers.values() for meaning in found})
    cells = {
        meaning: tuple(_answer(files, layout.answers[patient].get(meaning), used) for patient in ids)
        for meaning in meanings
    }
    return PatientCells(ids, cells, tuple(files.called(patient) for patient in ids))


def _answer(files: SourceFiles, member: str | None, used: list[str]) -> str:
    if member is None:
        return ""
    if files.sizes[member] > ANSWER_BYTES:
        return f"{files.sizes[member]:,} bytes"
    used.append(member)
    text = files.read(member).decode("utf-8-sig", "replace").strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text or "nothing"
    if isinstance(value, str):
        return value.strip()
    return (
        ""
        if value is None
        else repr(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else text
    )
