"""Reads further tables of a submission, and tables with other contents: survival curves and probabilities of
stages."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from scoring.challenges.hecktor2026.formula import STAGES
from scoring.challenges.hecktor2026.patient_tables import MOST_TABLES, PATIENT
from scoring.challenges.hecktor2026.submitted_masks import TABLES_BESIDE_MASKS
from scoring.challenges.hecktor2026.tables import (
    COLUMNS,
    is_numbering,
    patient_of,
    plain_name,
)
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.common.fixes import InputChanges, Pairs, SuggestedFix, editing
from scoring.inputs.case_tables import OF_ROWS
from scoring.inputs.foreign_table_shapes import joined_table
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.reshaping import READINGS, SurvivalCurves, survival_curves
from scoring.inputs.sources import SourceFiles
from scoring.inputs.tables import MISSING, OTHER_FORMAT, TextTable, key
from scoring.metrics import survival

PARTS = (("t",), ("n",), ("risk", "time"))
"""Required contents of a patient table: one column of each tuple must exist."""
OF_STAGE = re.compile(r"(?:.*[^a-z0-9])?([tn][0-4])(?:[^a-z0-9].*)?", re.IGNORECASE)
LEAST_STAGES = 3
BOTH_STAGES = re.compile(
    r"(?P<t>[cp]?t[0-4x][a-d]?)[ ,/]*(?P<n>[cp]?n[0-3x][a-d]?)(?:[ ,/]*[cp]?m[0-1x])?",
    re.IGNORECASE | re.ASCII,
)
SUM_OFF = 0.02
"""The sum of probabilities may differ from 1 by at most this."""


def completed(
    files: SourceFiles, table: TextTable, truth: HecktorTruth | None, used: list[str], findings: list[Finding]
) -> tuple[TextTable, Collection[str]]:
    """Add columns of other patient tables to a table that lacks a part of the score.

    Probabilities of stages are read as the most probable stage.

    Args:
        used: Collection to which the names of files that were read are added.
        findings: List to which notes about files in other forms are added.

    Returns:
        The table, and the headers of the added columns.

    Raises:
        InputRefused: If patient tables can be read in several ways, or cannot be read.
    """
    table = _with_stages(table, findings)
    if _is_complete(table):
        return table, ()
    patient_column = next(
        (k for k, name in enumerate(table.header) if plain_name(name) in COLUMNS["patient"]), None
    )
    own = [patient_of(cell) for cell in table.cells(patient_column)] if patient_column is not None else []
    known = {*own, *(truth.ids if truth else ())}
    _require_no_curves(table, table.name, own, known, truth)
    others: list[TextTable] = []
    for member in _others(files, used) if patient_column is not None else ():
        try:
            other = files.read_table(member)[1]
        except InputRefused:  # named as a file that is not read
            continue
        _require_headings(other, known)
        _require_no_curves(other, table.name, own, known, truth)
        if (named := _with_patients(other, table.name, own, known)) is not None:
            others.append(_with_stages(named, findings))
            used.append(member)
    if not others:
        return table, ()
    joined = joined_table([table, *others], PATIENT, plain_name, patient_of)
    if joined is None:
        names = ", ".join(one.name for one in (table, *others))
        sentence = (
            f"{len(others) + 1} tables list patients ({names}) and have the same columns: join "
            "these tables into one."
        )
        raise InputRefused([error("ambiguous-table", files.name, sentence)])
    findings += joined.notes
    headers = {name for other in others for name in other.header}
    return joined, headers - {PATIENT}


def _is_complete(table: TextTable) -> bool:
    names = {plain_name(header) for header in table.header}
    return all(any(names & {*COLUMNS[meaning]} for meaning in part) for part in PARTS)


def _others(files: SourceFiles, used: Sequence[str]) -> list[str]:
    if files.kind == "file":
        return []
    tables = [m for m in files.members if m.lower().endswith(TABLES_BESIDE_MASKS) and m not in used]
    return sorted(tables, key=lambda member: member.count("/"))[:MOST_TABLES]


def _with_patients(
    table: TextTable, first: str, own: Sequence[str], known: Collection[str]
) -> TextTable | None:
    """Return a table whose column of patients is called so, whatever its name; None for one without patients.
    Raises InputRefused if patients are columns, or numbers of the rows of the first table."""
    if 2 * len({*map(patient_of, table.header)} & {*known}) >= len(known):
        message = "its columns are patients: write a row for each patient, with columns PatientID and Risk."
        raise InputRefused([error("missing-column", table.header_place, message)])
    for place, cells in enumerate(table.columns):
        patients = [patient_of(cell.strip()) for cell in cells]
        if plain_name(table.header[place]) in COLUMNS["patient"]:
            _require_no_numbering(table.name, patients, first, own)
            _require_no_numbering(first, own, table.name, patients)
        if 2 * sum(patient in known for patient in patients) < max(1, len(patients)):
            continue
        header = (*table.header[:place], PATIENT, *table.header[place + 1 :])
        columns = (*table.columns[:place], patients, *table.columns[place + 1 :])
        return replace(table, header=header, keys=tuple(map(key, header)), columns=columns)
    return None


def _require_no_numbering(name: str, names: Sequence[str], other: str, own: Sequence[str]) -> None:
    """Refuse a table whose patients are numbers of rows, with what reads these as the patients of another
    table. Raises InputRefused."""
    if not is_numbering(names, own):
        return
    message = f"its PatientIDs are {names[0]} to {names[-1]}, which are not names of patients.{OF_ROWS}"
    fix = SuggestedFix(f"Rows are in the order of {other}", InputChanges(cases=_in_order(names, own)))
    raise InputRefused([error("no-common-case", name, message).with_fixes(fix)])


def _in_order(names: Sequence[str], own: Sequence[str]) -> Pairs:
    return tuple(zip(names, own, strict=True))


def _require_no_curves(
    table: TextTable, first: str, own: Sequence[str], known: Collection[str], truth: HecktorTruth | None
) -> None:
    """Refuse a table of survival curves of patients, with the numbers of a curve that may count. Raises
    InputRefused."""
    curves = survival_curves(table.header, table.columns)
    if curves is None:
        return
    ids = _of_rows(table, known) if curves.columns else [patient_of(name) for name in curves.ids]
    is_of_rows = not curves.columns and is_numbering(curves.ids, own)
    if not is_of_rows and 2 * len({*ids} & {*known}) < len(ids):
        return
    patients = own if is_of_rows else ids
    rows = f" The columns are called {ids[0]} to {ids[-1]}: no patient has such a name.{OF_ROWS}" * is_of_rows
    message = (
        f"it holds survival curves of {len(patients)} patients at {len(curves.times)} times: the score needs "
        f"one number for each patient.{rows}"
    )
    fixes = [_reading(how, words, curves, patients, truth) for how, words in READINGS.items()]
    if is_of_rows:
        in_order = InputChanges(cases=_in_order(ids, own))
        label = f"{{}}, columns are in the order of {first}"
        fixes = [
            replace(fix, label=label.format(fix.label), changes=fix.changes.joined(in_order)) for fix in fixes
        ]
    raise InputRefused([error("missing-column", table.header_place, message).with_fixes(*fixes)])


def _of_rows(table: TextTable, known: Collection[str]) -> list[str]:
    """Return the patient of each row, from the column that names most patients."""
    columns = ([patient_of(cell.strip()) for cell in cells] for cells in table.columns)
    return max(columns, key=lambda cells: sum(cell in known for cell in cells))


def _reading(
    how: str, words: str, curves: SurvivalCurves, patients: Sequence[str], truth: HecktorTruth | None
) -> SuggestedFix:
    told = _c_index_words(truth, patients, -curves.numbers(how))
    return editing("survival", how, f"Read each curve as its {words}{told}")


def with_c_index(problem: Finding, table: TextTable, truth: HecktorTruth | None) -> Finding:
    """Return a problem that asks which column is the prognosis, with fixes whose labels state the C-index of
    each column."""
    names = [plain_name(header) for header in table.header]
    if truth is None or COLUMNS["patient"][0] not in names:
        return problem
    patients = [patient_of(cell) for cell in table.cells(names.index(COLUMNS["patient"][0]))]
    signs = {"Risk": 1, "RFS": -1}
    fixes = []
    for fix in problem.fixes:
        ((old, new), *more) = fix.changes.columns or (("", ""),)
        if not more and new in signs and old in table.header:
            read = parse_numbers(table.columns[table.header.index(old)], table.delimiter != ",")
            told = _c_index_words(truth, patients, signs[new] * read.values)
            fix = replace(fix, label=f"{fix.label}{told}")
        fixes.append(fix)
    return replace(problem, fixes=tuple(fixes))


def _c_index_words(truth: HecktorTruth | None, patients: Sequence[str], risks: Floats) -> str:
    if truth is None:
        return ""
    risk_of = dict(zip(patients, risks.tolist(), strict=True))
    risk = np.array([risk_of.get(patient, np.nan) for patient in truth.ids])
    known = truth.has_survival
    time, event = truth.time[known], truth.event[known] == 1
    pairs = survival.pairs(time, event, risk[known], np.ones((1, len(time))))
    return f": C-index {survival.c_index(pairs)[0]:.4f}" if pairs.comparable[0] else ""


def _with_each_stage(table: TextTable, findings: list[Finding]) -> TextTable:
    """Return a table with a column of T and one of N stages, where one column holds both: T2N1M0. Raises
    InputRefused where several do, or one beside a column of T or N alone."""
    names = {plain_name(header) for header in table.header}
    alone = [kind for kind in STAGES if names & {*COLUMNS[kind]}]
    both = [place for place, cells in enumerate(table.columns) if _holds_both_stages(cells)]
    if not both or len(alone) == len(STAGES):
        return table
    if alone or len(both) > 1:
        listing = " and ".join(repr(table.header[place]) for place in both)
        message = f"T and N stages are in one cell in column {listing}: write a column for T and one for N."
        raise InputRefused([error("missing-column", table.header_place, message)])
    written = [BOTH_STAGES.fullmatch(cell.strip()) for cell in table.columns[both[0]]]
    header = (*table.header, "T-stage", "N-stage")
    columns = [[match[kind] if match else "" for match in written] for kind in STAGES]
    message = (
        f"column {table.header[both[0]]!r} holds T and N stages in one cell; both are read, but official "
        "programs need a column for T and one for N."
    )
    findings.append(note(OTHER_FORMAT, table.name, message))
    return replace(table, header=header, keys=tuple(map(key, header)), columns=[*table.columns, *columns])


def _require_headings(table: TextTable, known: Collection[str]) -> None:
    """Refuse a table whose first line is a patient instead of headings: it would lack that patient."""
    if len(table.header) == 2 and patient_of(table.header[0]) in known:
        message = f"its first line is patient {table.header[0]}: add the headings PatientID and Risk."
        raise InputRefused([error("missing-column", table.header_place, message)])


def _with_stages(table: TextTable, findings: list[Finding]) -> TextTable:
    """Return a table with a column of the most probable T and N stages, where it holds a probability of each
    and no stages. Raises InputRefused if such columns hold anything else."""
    table = _with_each_stage(table, findings)
    names = {plain_name(header) for header in table.header}
    for kind, stages in STAGES.items():
        found = [(m[1].upper(), k) for k, h in enumerate(table.header) if (m := OF_STAGE.fullmatch(h))]
        of_kind = {stage: k for stage, k in found if stage in stages}
        is_each_once = len(of_kind) == sum(stage in stages for stage, _ in found)
        if names & {*COLUMNS[kind]} or len(of_kind) < LEAST_STAGES or not is_each_once:
            continue
        numbers = np.column_stack([parse_numbers(table.columns[k], True).values for k in of_kind.values()])
        is_there: Bools = np.logical_and.reduce(np.isfinite(numbers), axis=1)
        filled = numbers[is_there]
        if not filled.size or (filled < 0).any() or (np.abs(filled.sum(1) - 1) > SUM_OFF).any():
            headers = ", ".join(table.header[k] for k in of_kind.values())
            message = (
                f"columns {headers[:80]} are not probabilities of {kind.upper()} stages that add up to 1: "
                f"write one column {kind.upper()}-stage."
            )
            raise InputRefused([error("missing-column", table.header_place, message)])
        best = np.nan_to_num(numbers).argmax(axis=1)
        named = list(of_kind)
        cells = [
            named[b] if is_row else "" for b, is_row in zip(best.tolist(), is_there.tolist(), strict=True)
        ]
        header = (*table.header, f"{kind.upper()}-stage")
        table = replace(table, header=header, keys=tuple(map(key, header)), columns=[*table.columns, cells])
        message = (
            f"the columns hold probabilities of {kind.upper()} stages ({', '.join(named)}). Benchside takes "
            "the most probable stage (in a tie, the lowest); official programs need a column of stages."
        )
        findings.append(note(OTHER_FORMAT, table.name, message))
    return table


def _holds_both_stages(cells: Sequence[str]) -> bool:
    """Return whether each filled cell is a T and an N stage: T2N1M0."""
    filled = [cell.strip() for cell in cells if cell.strip().lower() not in MISSING]
    return bool(filled) and all(map(BOTH_STAGES.fullmatch, filled))
