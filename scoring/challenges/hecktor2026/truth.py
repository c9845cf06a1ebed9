"""Reads a test set: true masks, stages, times and events of the patients."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from scoring.challenges.hecktor2026 import mask_counts, submitted_masks
from scoring.challenges.hecktor2026.formula import STAGES
from scoring.challenges.hecktor2026.patient_tables import find_table
from scoring.challenges.hecktor2026.stages import (
    NO_STAGE,
    UNKNOWN_STAGE,
    folded_note,
    is_not_assessed,
    read_stages,
)
from scoring.challenges.hecktor2026.submitted_masks import SubmissionLayout
from scoring.challenges.hecktor2026.tables import (
    PatientCells,
    plain_name,
    read_rows,
)
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.core.challenge import Context
from scoring.inputs import tables
from scoring.inputs.masks.counting import Mask
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import Source
from scoring.inputs.tables import MISSING, TextTable

TABLE = "clinical.csv"
NO_IMAGES = (
    "the file is not needed: CT and PET are in the folder of the masks, as PatientID__CT and "
    "PatientID__PT. Leave the file out."
)
EVENTS = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}


@dataclass(frozen=True)
class HecktorTruth:
    """The patients of a test set: first the rows of the table, then patients that have only a mask.

    Attributes:
        stages: "t" or "n" -> codes of the stages [N]; -1 if a patient has none.
        time: Days of observation [N]; NaN if unknown.
        event: 1.0 for patients with the event, else 0.0 [N]; NaN if unknown.
        center: Name of each patient's center [N]; "" if unknown.
        masks: The true mask of each patient, with its voxel counts; None without a mask.
        columns: All columns of the table by lower-case name.
    """

    per_case: ClassVar[tuple[str, ...]] = ("ids", "stages", "time", "event", "center", "masks", "columns")
    ids: tuple[str, ...]
    stages: Mapping[str, Ints]
    time: Floats
    event: Floats
    center: tuple[str, ...]
    masks: tuple[Mask | None, ...]
    findings: tuple[Finding, ...]
    contents: SubmissionLayout
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    id_column: str = "patientid"

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def name(self) -> str:
        """Name of the test set in messages."""
        return self.contents.name

    @property
    def digest(self) -> str:
        """SHA-256 of the files that were read."""
        return self.contents.digest or ""

    @property
    def strata(self) -> Floats:
        """Values for a stratified split of the test set: event, stages and days [N, 4]. Their distributions
        are similar in both parts."""
        return np.column_stack((self.event, self.stages["n"], self.stages["t"], self.time))

    @cached_property
    def has_mask(self) -> Bools:
        """Which patients have a mask and therefore take part in segmentation, bool [N]."""
        return np.array([mask is not None for mask in self.masks], bool)

    @cached_property
    def voxel_ml(self) -> Floats:
        """Volume of a voxel in millilitres, for the mask of each patient [N]; NaN without a mask."""
        return np.array([np.nan if mask is None else mask.grid.voxel_ml for mask in self.masks])

    @cached_property
    def has_survival(self) -> Bools:
        """Which patients have a known time and event and therefore take part in prognosis, bool [N]."""
        return np.asarray(~np.isnan(self.time) & ~np.isnan(self.event))


def read_truth(source: Source, images: Source | None, context: Context) -> HecktorTruth:
    """Read a test set: a folder or zip of masks and a table. With a table alone, segmentation cannot be
    scored. Every mask is read completely.

    Args:
        images: Must be None: CT and PET must be beside the masks, so another place is refused.

    Raises:
        InputRefused: If the files have problems; it lists all of them.
        Cancelled: If the user cancels reading.
    """
    contents = submitted_masks.open_contents(source, context.name, container=False)
    files, layout = contents.files, contents.layout
    used: list[str] = []
    problems: list[Finding] = []
    findings: list[Finding] = []
    if images is not None:
        problems.append(error("bad-option", "--images", NO_IMAGES))
    table = None
    try:
        table = find_table(files, layout, TABLE, used)
    except InputRefused as refused:  # its problems join the others
        problems += refused.problems
    rows = read_rows(table, ("t", "n", "event", "time", "center"), problems) if table else None
    rows = rows or PatientCells((), {}, ())
    listed = set(rows.ids)
    ids = (*rows.ids, *sorted(patient for patient in layout.masks if patient not in listed))
    if not ids and not problems:
        sentence = f"there is no patient: no table with a PatientID column ({TABLE}) and no mask."
        problems.append(error("no-table", files.name, sentence))
    stage_codes = {kind: _stages(rows, kind, len(ids), problems, findings) for kind in STAGES}
    time, event = _survival(rows, table, len(ids), problems, findings)
    center = (*map(_text, rows.cells.get("center", [""] * len(rows.ids))), *[""] * (len(ids) - len(rows.ids)))
    problems += submitted_masks.repeated(contents)
    watch = mask_counts.Watch(context.progress, context.cancelled)
    examined, faults, noticed = mask_counts.examine_all(contents, ids, watch)
    problems += [
        error(fault.code, files.called(layout.masks[patient][0]), f"patient {patient}: {fault.words}")
        for patient, fault in faults
    ]
    findings += [*noticed, *submitted_masks.misplaced(contents)]
    if problems:
        raise InputRefused(tables.settled(table, problems) if table else problems, findings)
    return HecktorTruth(
        ids=ids,
        stages=stage_codes,
        time=time,
        event=event,
        center=center,
        masks=examined,
        findings=tuple(findings),
        contents=contents.digested([*used, *(members[0] for members in layout.masks.values())]),
        columns=_columns(table, rows, len(ids)),
        id_column=_id_column(table),
    )


def _id_column(table: TextTable | None) -> str:
    header = table.header if table else ()
    return next((tables.key(name) for name in header if plain_name(name) == "patientid"), "patientid")


def _survival(
    rows: PatientCells, table: TextTable | None, n: int, problems: list[Finding], findings: list[Finding]
) -> tuple[Floats, Floats]:
    """Return time and event of every patient."""
    time, event = _times(rows, table, n, problems, findings), _events(rows, n, problems)
    half = np.flatnonzero(np.isnan(time) != np.isnan(event))
    if half.size and not problems:
        sentence = (
            f"{len(half)} patients have only a time (RFS) or only an event (Relapse), so the prognosis "
            f"leaves them out: {', '.join(rows.ids[i] for i in half)}."
        )
        findings.append(note("truth-incomplete", rows.places[half[0]], sentence))
    return time, event


def _stages(rows: PatientCells, kind: str, n: int, problems: list[Finding], findings: list[Finding]) -> Ints:
    codes, cells = np.full(n, NO_STAGE), rows.cells.get(kind, ())
    read = read_stages(cells, kind)
    codes[: len(cells)] = read.codes
    for row in np.flatnonzero(read.codes == UNKNOWN_STAGE):
        codes[row] = NO_STAGE
        if not is_not_assessed(cells[row], kind):
            message = (
                f"{kind.upper()} stage {cells[row][:40]!r} is none of {', '.join(STAGES[kind])} (or "
                f"{kind.upper()}X for unknown)."
            )
            problems.append(error("bad-label", rows.places[row], f"patient {rows.ids[row]}: {message}"))
    findings += folded_note(read, cells, kind, rows.places)
    return codes


def _times(
    rows: PatientCells, table: TextTable | None, n: int, problems: list[Finding], findings: list[Finding]
) -> Floats:
    times, cells = np.full(n, np.nan), rows.cells.get("time")
    if cells is None or table is None:
        return times
    read = parse_numbers(cells, table.delimiter != ",")
    for row, (value, fault) in enumerate(zip(read.values, read.fault, strict=True)):
        fault_words = (
            "is negative"
            if value < 0
            else "is not finite"
            if fault == "not-finite"
            else "is not a number"
            if fault == "not-a-number"
            else ""
        )
        if fault_words:
            message = f"patient {rows.ids[row]}: RFS {cells[row][:40]!r} {fault_words}: give days, 0 or more."
            problems.append(error(fault or "out-of-range", rows.places[row], message))
    if read.decimal_commas:
        sentence = (
            f"{read.decimal_commas} number{'s have' if read.decimal_commas > 1 else ' has'} a decimal "
            "comma, which is read as a decimal point."
        )
        findings.append(note("decimal-comma", rows.places[0], sentence))
    times[: len(cells)] = read.values
    return times


def _events(rows: PatientCells, n: int, problems: list[Finding]) -> Floats:
    events, cells = np.full(n, np.nan), rows.cells.get("event", ())
    for row, cell in enumerate(cells):
        if cell.lower() in EVENTS:
            events[row] = EVENTS[cell.lower()]
        elif cell.lower() not in MISSING:
            message = f"Relapse {cell[:40]!r} is neither 0 (none) nor 1 (relapse)."
            problems.append(error("bad-label", rows.places[row], f"patient {rows.ids[row]}: {message}"))
    return events


def _columns(table: TextTable | None, rows: PatientCells, n: int) -> dict[str, tuple[str, ...]]:
    """Return all columns of the table by lower-case name, in truth order; "" for patients with a mask only
    and where nothing is known."""
    if table is None:
        return {}
    row_of = {table.place(row): row for row in range(len(table))}
    table_rows = [row_of[row_place] for row_place in rows.places]
    return {
        key: (*(_text(cells[row]) for row in table_rows), *[""] * (n - len(table_rows)))
        for key, cells in zip(table.keys, table.columns, strict=True)
    }


def _text(cell: str) -> str:
    """Return the text of a cell, "" if it means unknown."""
    return "" if cell.strip().lower() in MISSING else cell.strip()
