"""Reads tables of HECKTOR 2026: finds columns under various names, handles missing cells, and reads prognosis
scores."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from scoring.challenges.hecktor2026.stages import WRITTEN
from scoring.challenges.hecktor2026.submitted_masks import Layout
from scoring.common.findings import Finding, error, note, warning
from scoring.common.fixes import ANY, InputChanges, SuggestedFix, editing
from scoring.inputs import fix_suggestions, tables
from scoring.inputs.case_ids import as_written, case_parts
from scoring.inputs.fix_suggestions import MOST, read_as, renamings
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS
from scoring.inputs.number_parsing import parse_numbers, two_readings
from scoring.inputs.reshaping import INFINITE
from scoring.inputs.sources import SourceFiles
from scoring.inputs.tables import TextTable, repeated_row

COLUMNS = {
    "patient": ("patientid",),
    "t": ("tstage",),
    "n": ("nstage",),
    "event": ("relapse",),
    "time": ("rfs", "rfsdays"),
    "risk": ("risk", "prediction"),
    "center": ("centerid",),
}
"""Meaning of a column -> its names, in lower case with only letters and digits."""
ANSWER_BYTES = 10_000
NEAR = {
    "t": ("the T stage", ("T-stage", "T")),
    "n": ("the N stage", ("N-stage", "N")),
    "risk": ("the risk", ("Risk", "Prediction", "Score")),
    "time": ("the time to relapse", ("RFS",)),
}
"""Meaning of a column of predictions -> its description, and words that its name may contain."""
OF_TIME = ("surv", "time", "rfs", "month", "days", "year", "expectation")
OF_RISK = ("risk", "hazard")
OF_PROGNOSIS = (
    *(*OF_TIME, *OF_RISK, "score", "progn", "recurr", "relapse"),
    *("output", "value", "pred", "prob", "logit"),
)
"""Parts of column names that survival programs write, in three groups: a higher number is a better prognosis,
it is a worse one, or the direction is unknown."""
LATEST = "1000000"
"""Number of days that is read instead of an infinite median survival."""
LINEAR_PREDICTOR = "lp"
"""Name of the column with the risk (linear predictor) in tables that R writes."""
PARTS = (("t", ("t",)), ("n", ("n",)), ("prognosis", ("risk", "time")))
"""Part of the score -> meanings of the columns that it uses."""
PREDICTED = re.compile("^pred|pred(icted|iction)?$|predicted")
"""Pattern of column names that say that the column is predicted."""
OF_STAGES = "(?:c|p|clin(?:ical)?|path(?:ological)?|pred(?:icted)?)?(?:{0}|{1}(?=.))(?:stage|category|pred)?"
WORDS = {"t": "tumou?r", "n": "nod(?:e|al)"}
"""Words that stand for T and N in column names."""


@dataclass(frozen=True)
class PatientCells:
    """Cells of a table by patient.

    Attributes:
        ids: Patients [n].
        cells: Meaning of a column that exists -> its cells [n].
        places: Location of each row [n] for messages.
    """

    ids: tuple[str, ...]
    cells: Mapping[str, tuple[str, ...]]
    places: tuple[str, ...]


def plain_name(header: str) -> str:
    """Return the name of a column for comparison: in lower case, with only letters and digits."""
    return re.sub(r"[^a-z0-9]", "", header.lower())


def read_rows(table: TextTable, meanings: Sequence[str], problems: list[Finding]) -> PatientCells | None:
    """Return the cells of the existing columns; None if there is no patient column.

    Empty rows, repeated rows and rows of the wrong length are left out. Problems with the codes `row-length`,
    `duplicate-column`, `missing-column`, `missing-value` and `duplicate-case` are added to `problems`.
    """
    problems += table.problems
    columns = {meaning: _column(table, meaning, problems) for meaning in ("patient", *meanings)}
    if columns["patient"] is None:
        problems.append(tables.missing_column(table, "the patient", ("PatientID",), "text"))
        return None
    ids = [patient_of(cell) for cell in table.cells(columns["patient"])]
    row_of: dict[str, int] = {}
    for row, patient in enumerate(ids):
        if patient.lower() in tables.MISSING:
            if any(column[row].strip() for column in table.columns) and row not in table.ragged:
                sentence = "the PatientID is empty: every row needs a PatientID."
                problems.append(error("missing-value", table.place(row), sentence))
        elif row_of.setdefault(patient, row) != row:
            name = f"patient {patient}"
            problems.append(
                repeated_row(table, row, row_of[patient], columns["patient"], name, unit="patient")
            )
    rows = [row for row in row_of.values() if row not in table.ragged]
    cells = {
        meaning: tuple(table.columns[column][row].strip() for row in rows)
        for meaning, column in columns.items()
        if column is not None and meaning != "patient"
    }
    return PatientCells(tuple(ids[row] for row in rows), cells, tuple(table.place(row) for row in rows))


def patient_of(cell: str) -> str:
    """Return the patient that a cell names. If the cell is the path of a volume, return the name of the
    volume."""
    _, patient, ending = case_parts(as_written(cell))
    return patient if ending in MASK_ENDINGS else cell


def is_numbering(names: Sequence[str], own: Sequence[str]) -> bool:
    """Return whether the names in a table are only row numbers from 0 or 1, although the patients have other
    names."""
    numbers = [str(k) for k in range(len(own) + 1)]
    return len(own) > 1 and list(names) in (numbers[:-1], numbers[1:]) and not {*names} & {*own}


def unread_columns(table: TextTable, joined: Collection[str] = ()) -> list[Finding]:
    """Return a finding `missing-column` if a part of the score has no column, but a column that was not used
    may contain it. Otherwise this part of every patient would count as missing.

    Args:
        joined: Headers of columns that were added from other tables.
    """
    known = {name: meaning for meaning, names in COLUMNS.items() for name in names}
    meanings = [known.get(plain_name(header), "") for header in table.header]
    reserved = [header for header, meaning in zip(table.header, meanings, strict=True) if meaning]
    columns = zip(table.header, table.columns, strict=True)
    free = [(header, cells) for header, cells in columns if header and header not in reserved]
    if rivals := _rivals(table, free, meanings):
        return [rivals]
    fixes_of: dict[str, list[SuggestedFix]] = {}
    for part, wanted in PARTS:
        if {*wanted} & {*meanings}:
            continue
        likely = [header for header, cells in free if _may_be(part, header, cells)]
        if part == "prognosis" and not likely:  # columns without a name, as pandas numbers them, and all of
            # a table that holds nothing else
            bare = [h for h, cells in free if (h.isdecimal() or h in joined) and _is_numeric(cells)]
            likely = bare[:MOST]
        plain = [plain_name(header) for header in likely]
        is_risk = any(mark in name for name in plain for mark in OF_RISK)
        is_time = not is_risk and any(mark in name for name in plain for mark in OF_TIME)
        fixes = [
            read_as(header, NEAR[meaning][0], NEAR[meaning][1][0])
            for header in likely
            for meaning in (wanted[::-1] if is_time else wanted)
        ]
        fixes += [fix for meaning in wanted for fix in renamings(table.header, *NEAR[meaning], reserved)]
        if fixes:
            fixes_of[part] = list({fix.changes: fix for fix in fixes}.values())
    problems = [_unread(table, part, fixes) for part, fixes in fixes_of.items()]
    if len(problems) > 1:  # all of them at once
        pairs = tuple(pair for fixes in fixes_of.values() for pair in fixes[0].changes.columns)
        label = f"Read {', '.join(f'“{old[:60]}” as {new}' for old, new in pairs)}"
        together = SuggestedFix(label, InputChanges(columns=pairs))
        problems[0] = replace(problems[0], fixes=(together, *problems[0].fixes))
    return problems


def _rivals(
    table: TextTable, free: Sequence[tuple[str, Sequence[str]]], meanings: Sequence[str]
) -> Finding | None:
    """Return the question which columns are the prediction, where others are called so beside columns of
    known names, as in a table that was joined to the truth; None for a table without."""
    pairs: list[tuple[str, str]] = []
    for part, wanted in PARTS if "risk" not in meanings else PARTS[:2]:
        known = [h for h, meaning in zip(table.header, meanings, strict=True) if meaning in wanted]
        called = [h for h, cells in free if PREDICTED.search(plain_name(h)) and _may_be(part, h, cells)]
        if len(called) == 1:
            pairs += [*((h, "") for h in known), (called[0], NEAR[wanted[0]][1][0])]
    read = [(old, new) for old, new in pairs if new]
    if not read or len(read) == len(pairs):
        return None
    listing = ", ".join(f"“{old[:60]}” as {new}" for old, new in read)
    fixes = (
        SuggestedFix(f"Read {listing}", InputChanges(columns=tuple(pairs))),
        SuggestedFix("Leave these columns out", InputChanges(columns=tuple((old, "") for old, _ in read))),
    )
    called, known = ([repr(old) for old, new in pairs if bool(new) == is_read] for is_read in (True, False))
    message = (
        f"the table has {', '.join(called)} as predictions, and also {', '.join(known)}: are these columns "
        "the truth?"
    )
    return error("duplicate-column", table.header_place, message).with_fixes(*fixes)


def _may_be(part: str, header: str, cells: Sequence[str]) -> bool:
    """Return whether a column belongs to a part of the score: "t" or "n" stages, or "prognosis"."""
    filled = [cell.strip() for cell in cells if cell.strip().lower() not in tables.MISSING]
    plain = plain_name(header)
    if part != "prognosis":
        stages = [*map(WRITTEN.fullmatch, filled)]
        of_stages = bool(stages) and all(s and s["stage"][0].lower() == part for s in stages)
        return of_stages or re.fullmatch(OF_STAGES.format(part, WORDS[part]), plain) is not None
    is_named = plain == LINEAR_PREDICTOR or any(mark in plain for mark in OF_PROGNOSIS)
    return is_named and _is_numeric(filled)


def _is_numeric(cells: Sequence[str]) -> bool:
    finite = [c.strip() for c in cells if c.strip().lower() not in tables.MISSING]
    finite = [cell for cell in finite if not INFINITE.fullmatch(cell)]
    return bool(finite) and all(map(fix_suggestions.NUMERIC.fullmatch, finite))


def _unread(table: TextTable, part: str, fixes: Sequence[SuggestedFix]) -> Finding:
    """Return `missing-column` for columns that may be of a part of the score."""
    name, wanted = {
        "t": ("of T stages", "T-stage"),
        "n": ("of N stages", "N-stage"),
        "prognosis": ("of the prognosis", "Risk (a higher value means an earlier relapse) or RFS (a time)"),
    }[part]
    headers = dict.fromkeys(fix.changes.columns[0][0] for fix in fixes)
    written = " or ".join(repr(header) for header in [*headers][:MOST])
    message = (
        f"no column {name} was found, but {written} may be that column. Rename it to {wanted}, or "
        "leave it out."
    )
    leaving = tuple((header, "") for header in headers if ANY not in header)
    dropped = SuggestedFix("Leave the column out", InputChanges(columns=leaving))
    return error("missing-column", table.header_place, message).with_fixes(*fixes, dropped)


def _column(table: TextTable, meaning: str, problems: list[Finding]) -> int | None:
    indices = [i for i, header in enumerate(table.header) if plain_name(header) in COLUMNS[meaning]]
    if len(indices) > 1:
        names = " and ".join(repr(table.header[i]) for i in indices)
        problems.append(
            error("duplicate-column", table.header_place, f"columns {names} mean the same: keep one column.")
        )
    return indices[0] if indices else None


def answers(files: SourceFiles, layout: Layout, used: list[str]) -> PatientCells | None:
    """Return the single-value JSON files of a container as cells; None if there are none. A file without a
    single value is returned as text, which later checks refuse."""
    if not layout.answers:
        return None
    ids = tuple(sorted(layout.answers))
    meanings = sorted({meaning for members in layout.answers.values() for meaning in members})
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
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    return text


KINDS = ("risk", "time")


@dataclass(frozen=True)
class PrognosisScores:
    """A column of prognosis scores.

    Attributes:
        values: Score of each patient as it is written [N]; NaN if there is none.
        unusable: Which patients have a cell that is not a finite number, bool [N].
    """

    per_case: ClassVar[tuple[str, ...]] = ("values", "unusable")
    values: np.ndarray
    unusable: np.ndarray


def read_scores(
    rows: PatientCells, row_of: np.ndarray, decimal_comma: bool, findings: list[Finding]
) -> dict[str, PrognosisScores]:
    """Read the score columns that exist and return them by kind.

    Args:
        row_of: Row of each patient [N]; -1 if there is none.
    """
    scores = {}
    for kind in (k for k in KINDS if rows.cells.get(k)):
        cells = rows.cells[kind]
        read = parse_numbers(cells, decimal_comma)
        wrong = np.isin(read.fault, ("not-a-number", "not-finite"))
        has = row_of >= 0
        found_wrong = [row for row in row_of[has] if wrong[row]]
        if found_wrong:
            named = ", ".join(f"{rows.ids[row]} {cells[row][:40]!r}" for row in found_wrong)
            message = f"scores that are no finite number count as missing ({len(found_wrong)}): {named}."
            finding = warning("risk-not-a-number", rows.places[found_wrong[0]], message)
            strange = [cells[row] for row in found_wrong]
            fixes = fix_suggestions.fixes_of(strange)
            if kind == "time" and any(map(INFINITE.fullmatch, strange)):
                fixes += (editing("infinite", LATEST, f"Read inf as {LATEST} days, later than all others"),)
            findings.append(finding.with_fixes(*fixes))
        if read.decimal_commas:
            sentence = (
                f"{read.decimal_commas} number{'s have' if read.decimal_commas > 1 else ' has'} a "
                "decimal comma, which is read as a decimal point."
            )
            findings.append(note("decimal-comma", rows.places[0], sentence))
        if decimal_comma and (reading := two_readings(cells)):
            sentence = f"{reading}; the column has whole numbers too. Benchside uses the first meaning."
            findings.append(warning("ambiguous-number", rows.places[0], sentence))
        scores[kind] = PrognosisScores(np.where(has, read.values[row_of], np.nan), has & wrong[row_of])
    if len(scores) == len(KINDS):
        sentence = "the table has a risk and a time: Benchside uses the risk (--prognosis-direction auto)."
        findings.append(note("two-prognosis-columns", rows.places[0], sentence))
    if scores:
        meaning = {
            "risk": "a risk (a higher value is worse)",
            "time": "a time to relapse (a lower value is worse)",
        }[chosen(scores, "auto") or "risk"]
        sentence = (
            f"the column is read as {meaning}. To read it in the other direction, use --prognosis-direction."
        )
        findings.append(note("direction-assumed", "prognosis", sentence))
    return scores


def chosen(scores: Mapping[str, PrognosisScores], direction: str) -> str | None:
    """Return the kind of the score column to use; None without a column. A column of the kind `direction` is
    used if it exists; with "auto", a column of risks."""
    preferred = (direction, *KINDS) if direction in KINDS else KINDS
    return next((kind for kind in preferred if kind in scores), None)


def oriented(scores: Mapping[str, PrognosisScores], direction: str, n: int) -> np.ndarray:
    """Return scores [N] of which a higher one is a worse prognosis; times are therefore negated. NaN without
    scores.

    Args:
        direction: "risk" or "time" sets the meaning of the column. With "auto", its name decides.
    """
    kind = chosen(scores, direction)
    if kind is None:
        return np.full(n, np.nan)
    reading = kind if direction == "auto" else direction
    return scores[kind].values if reading == "risk" else -scores[kind].values
