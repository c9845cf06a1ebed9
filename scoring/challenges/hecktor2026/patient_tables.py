"""Finds the table of patients in a source."""

from dataclasses import replace
from pathlib import PurePosixPath

from scoring.challenges.hecktor2026.submitted_masks import TABLES_BESIDE_MASKS, Layout
from scoring.challenges.hecktor2026.tables import COLUMNS, is_numbering, patient_of, plain_name
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs import tables
from scoring.inputs.foreign_table_shapes import joined_table
from scoring.inputs.grand_challenge_jobs import LISTING, json_rows
from scoring.inputs.sources import SourceFiles
from scoring.inputs.tables import TextTable, read_table

PATIENT = "PatientID"
ANSWERED = ("t", "n")
"""Names of stages in JSON files; names of columns are accepted too."""
MOST_TABLES = 8
"""Maximum number of tables that are examined if there are several."""


def find_table(files: SourceFiles, layout: Layout, standard: str, used: list[str]) -> TextTable | None:
    """Return the patient table of a source, or None.

    The first that exists of these is used: the table named `standard`; the only table with this name and
    another extension; the only table with a column of patients, or several with different columns, joined;
    JSON files of patients. Tables in folders are used only if there is no other.

    Args:
        used: Collection to which the names of files that were read are added.

    Raises:
        InputRefused: With `ambiguous-table`, `missing-column` or `unreadable-file`.
    """
    members = layout.tables or tables_in_folders(files)
    named = [m for m in layout.tables if m.rsplit("/", 1)[-1].lower() == standard]
    alike = [m for m in members if PurePosixPath(m).stem.lower() == PurePosixPath(standard).stem]
    if named or len(alike) == 1 or files.kind == "file":
        return _read(files, (named or alike or layout.tables)[0], used)
    fit: list[tuple[TextTable, list[str]]] = []
    problems: list[Finding] = []
    for member in members:
        read: list[str] = []
        try:
            table = _read(files, member, read)
        except InputRefused as refused:
            problems += refused.problems
            continue
        if COLUMNS["patient"][0] in map(plain_name, table.header):
            fit.append((table, read))
        elif layout.tables:
            problems.append(tables.missing_column(table, "the patient", ("PatientID",), "text"))
    ids = [[patient_of(cell) for cell in table.cells(_place(table))] for table, _ in fit]
    numbered = [any(is_numbering(names, own) for own in ids) for names in ids]
    fit = [one for one, is_numbered in zip(fit, numbered, strict=True) if not is_numbered]
    joined = joined_table([table for table, _ in fit], PATIENT, plain_name, patient_of)
    if len(fit) > 1 and joined is not None:
        used += [member for _, read in fit for member in read]
        return joined
    if len(fit) > 1:
        names = ", ".join(table.name for table, _ in fit)
        sentence = f"{len(fit)} tables have a PatientID column ({names}): join these tables as {standard}."
        raise InputRefused([error("ambiguous-table", files.name, sentence)])
    if problems and not fit:
        raise InputRefused(problems)
    if not fit:
        return None if layout.answers else _of_json(files, layout, used)
    used += fit[0][1]
    return fit[0][0]


def tables_in_folders(files: SourceFiles) -> list[str]:
    """Return the tables in folders, those nearest to the top first. Empty if there are many tables, such as
    one per patient."""
    endings = tuple(ending for ending in TABLES_BESIDE_MASKS if ending != LISTING)
    members = [m for m in files.members if "/" in m and m.lower().endswith(endings)]
    return sorted(members, key=lambda member: member.count("/")) if len(members) <= MOST_TABLES else []


def _of_json(files: SourceFiles, layout: Layout, used: list[str]) -> TextTable | None:
    """Return a row for each JSON file of a patient with a mask; None if they hold something else."""
    patient_of_member: dict[str, str] = {}
    for member in files.members:
        path = PurePosixPath(member)
        patient = next((name for name in (path.stem, path.parent.name) if name in layout.masks), None)
        if patient is not None and path.suffix.lower() == ".json":
            patient_of_member[member] = patient
    if len({*patient_of_member.values()}) < max(2, len(patient_of_member)):
        return None
    data = json_rows(files, patient_of_member, PATIENT)
    table = read_table(data, files.name) if data else None
    meant = {*ANSWERED, *(name for names in COLUMNS.values() for name in names)} - {COLUMNS["patient"][0]}
    if table is None or not meant & {*map(plain_name, table.header)}:
        return None
    used += patient_of_member
    form = f"JSON of {len(patient_of_member)} patients"
    return replace(table, written=replace(table.written, other_format=form))


def _read(files: SourceFiles, member: str, used: list[str]) -> TextTable:
    used.append(member)
    return files.read_table(member)[1]


def _place(table: TextTable) -> int:
    return [*map(plain_name, table.header)].index(COLUMNS["patient"][0])
