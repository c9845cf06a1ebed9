"""The table of patients in a source."""

from pathlib import PurePosixPath

from scoring.challenges.hecktor2026.submitted_masks import Layout
from scoring.challenges.hecktor2026.tables import COLUMNS, is_numbering, patient_of, plain_name
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs import tables
from scoring.inputs.joined_tables import joined_table
from scoring.inputs.sources import SourceFiles
from scoring.inputs.tables import TextTable


def find_table(files: SourceFiles, layout: Layout, standard: str, used: list[str]) -> TextTable | None:
    """Return the table called `standard`, else the only one called so but for its ending, else the only one
    with a patient column, else None where there is no table.

    used gains the members that were read. Raises InputRefused (`ambiguous-table`, `missing-column`,
    `unreadable-file`).
    """
    named = [m for m in layout.tables if m.rsplit("/", 1)[-1].lower() == standard]
    alike = [m for m in layout.tables if PurePosixPath(m).stem.lower() == PurePosixPath(standard).stem]
    if named or len(alike) == 1 or files.kind == "file":
        return _read(files, (named or alike or layout.tables)[0], used)
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
    ids = [[patient_of(cell) for cell in table.cells(_place(table))] for table, _ in fit]
    numbered = [any(is_numbering(names, own) for own in ids) for names in ids]
    fit = [one for one, is_numbered in zip(fit, numbered, strict=True) if not is_numbered]
    joined = joined_table([table for table, _ in fit], "PatientID", plain_name, patient_of)
    if len(fit) > 1 and joined is not None:
        used += [member for _, read in fit for member in read]
        return joined
    if len(fit) > 1:
        names = ", ".join(table.name for table, _ in fit)
        sentence = f"{len(fit)} tables have a PatientID column ({names}): join them to one {standard}."
        raise InputRefused([error("ambiguous-table", files.name, sentence)])
    if problems and not fit:
        raise InputRefused(problems)
    if not fit:
        return None
    used += fit[0][1]
    return fit[0][0]


def _read(files: SourceFiles, member: str, used: list[str]) -> TextTable:
    used.append(member)
    return files.read_table(member)[1]


def _place(table: TextTable) -> int:
    return [*map(plain_name, table.header)].index(COLUMNS["patient"][0])
