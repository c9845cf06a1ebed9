"""Reads a team's submission (masks, stages and prognosis scores), and makes an example submission."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from scoring.challenges.hecktor2026 import foreign_masks, mask_counts, submitted_masks
from scoring.challenges.hecktor2026.evaluation import HecktorEvaluation
from scoring.challenges.hecktor2026.findings import missing_findings
from scoring.challenges.hecktor2026.formula import ID, STAGES, T0, HecktorOptions
from scoring.challenges.hecktor2026.other_tables import completed, with_c_index
from scoring.challenges.hecktor2026.patient_tables import find_table
from scoring.challenges.hecktor2026.stages import NO_STAGE, UNKNOWN_STAGE, folded_note, read_stages
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.submitted_masks import Layout, SubmissionLayout, classify_members
from scoring.challenges.hecktor2026.tables import (
    COLUMNS,
    PatientCells,
    PrognosisScores,
    answers,
    plain_name,
    read_rows,
    read_scores,
    unread_columns,
)
from scoring.challenges.hecktor2026.truth import TABLE as TRUTH_TABLE
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.file_opening import zipped
from scoring.common.findings import Finding, InputRefused, error, note, split, warning
from scoring.core import file_contents
from scoring.core.challenge import Context
from scoring.core.file_contents import LIKELY, POSSIBLE, SURE, Candidate, FileContents, case_key
from scoring.core.submission import ignored
from scoring.inputs import case_tables, fix_suggestions, tables
from scoring.inputs.masks.detached import attached
from scoring.inputs.masks.nifti_and_metaimage import stem_of
from scoring.inputs.masks.writing import box_mask
from scoring.inputs.sources import Source, SourceFiles
from scoring.inputs.tables import OTHER_FORMAT, TextTable

TABLE = "predictions.csv"
NAMED = {TRUTH_TABLE: "truth", TABLE: "submission"}
"""Name of a table -> the input to which it belongs."""
JOINED = (
    "separate masks of GTVp and GTVn are joined for {} patients. Voxels in both masks count as GTVp; a "
    "structure without a file is empty. Official programs need one label map per patient."
)
NO_ACCIDENT = 10
"""From this number of unknown names, unusable masks or unusable cells on, the submission is refused. Fewer
count as missing."""


def read_predictions(source: Source, truth: HecktorTruth | None, context: Context) -> HecktorSubmission:
    """Read a submission and compare every mask with the true mask.

    A submission is a folder or zip of masks and a table, the output of a container, or a table alone. Without
    a truth, only structure, labels, columns and stages are checked. The option `lesions` also matches lesions
    of GTVn. Raises Cancelled, and InputRefused with every problem of the submission as a whole. Missing or
    malformed parts of single patients are findings.
    """
    contents = submitted_masks.open_contents(source, context.name, container=True)
    contents, findings = foreign_masks.with_usual_names(contents, truth.ids if truth else ())
    files, layout = contents.files, contents.layout
    used: list[str] = []
    problems: list[Finding] = []
    table, rows, others = _rows(contents, truth, used, problems, findings)
    own = tuple(dict.fromkeys([*rows.ids, *sorted(layout.masks)]))
    ids = truth.ids if truth else own
    known = set(ids)
    unknown = tuple(patient for patient in own if patient not in known)
    apart = submitted_masks.separate_structures(contents) or foreign_masks.numbered(contents, ids)
    misplaced = [replace(finding, level="error") for finding in submitted_masks.misplaced(contents)]
    problems += [
        *submitted_masks.repeated(contents),
        *(apart or misplaced or foreign_masks.of_other_kinds(contents)),
    ]
    problems += _unread_answers(files, layout) if table is None else []
    if not problems:
        problems += _nobody(files, truth, own, unknown) or _most_unknown(contents, rows, truth)
        unread = unread_columns(table, others) if table else []
        problems += [with_c_index(problem, table, truth) for problem in unread if table]
    if problems:
        raise InputRefused(tables.settled(table, problems) if table else problems, findings)
    if unknown:
        findings.append(_left_out(files, unknown, [one for one in ids if one not in layout.masks]))
    row_by_patient = {patient: row for row, patient in enumerate(rows.ids)}
    row_of = np.array([row_by_patient.get(patient, -1) for patient in ids])
    stage_codes = {kind: _stages(rows, kind, row_of, findings) for kind in STAGES}
    scores = read_scores(rows, row_of, table.delimiter != "," if table else False, findings)
    if len(ids) >= NO_ACCIDENT:
        _require_usable_cells(scores, stage_codes, findings)
    if contents.joined:
        findings.append(note(OTHER_FORMAT, files.name, JOINED.format(len(contents.joined))))
    counted, noticed = _counted(truth, ids, contents, context)
    _require_usable_masks(files, counted, noticed, findings)
    findings += _label_order(contents, counted, findings)
    findings += [*noticed, *ignored(files, {*used, *layout.of_patients})]
    masks = (layout.masks[patient] for patient in ids if patient in layout.masks)
    submission = HecktorSubmission(
        ids,
        stage_codes,
        scores=scores,
        masks=counted,
        unknown=unknown,
        read=tuple(findings),
        missing=(),
        contents=contents.digested([*used, *(members[0] for members in masks)]),
    )
    if truth is None:
        return submission
    usual = HecktorEvaluation(truth, submission, HecktorOptions())
    return replace(submission, missing=tuple(missing_findings(usual)))


def _label_order(
    contents: submitted_masks.SubmissionLayout, counted: mask_counts.MaskCounts, findings: list[Finding]
) -> list[Finding]:
    """Return warnings about labels that may be exchanged. Raises InputRefused if the masks say that."""
    wrong, doubtful = split(foreign_masks.label_order(contents, counted.tables))
    if wrong:
        raise InputRefused(wrong, findings)
    return doubtful


def _left_out(files: SourceFiles, unknown: tuple[str, ...], bare: Iterable[str]) -> Finding:
    """Return `unknown-patient`. bare: patients of the truth without a mask, whose names may be meant."""
    message = f"patients that are not in the truth are left out ({len(unknown)}): {', '.join(unknown)}."
    fixes = fix_suggestions.without_affix(unknown, bare)
    return warning("unknown-patient", files.name, message).with_fixes(*fixes)


def _unread_answers(files: SourceFiles, layout: Layout) -> list[Finding]:
    """Return `no-table` for tables and JSON of patients that are not read, where nothing else is said of them
    but masks."""
    tables_elsewhere = [m for m in files.members if m.lower().endswith(f"/{TABLE}")]
    if tables_elsewhere and not layout.answers:
        message = f"tables in folders are not read: put one {TABLE} of all patients beside the folders."
        return [error("no-table", files.called(tables_elsewhere[0]), message)]
    unread = [m for m in files.members if m.lower().endswith(".json") and "/" in m]
    if layout.answers or len(unread) < max(2, len(layout.masks) / 2):
        return []
    message = (
        f"{len(unread)} JSON files are not read ({unread[0]}, ...): write stages and risks as columns of "
        f"{TABLE}, or as t-stage.json, n-stage.json and rfs.json of each patient, or leave these files out."
    )
    return [error("no-table", files.called(unread[0]), message)]


def _require_usable_masks(
    files: SourceFiles,
    counted: mask_counts.MaskCounts,
    noticed: Iterable[Finding],
    findings: list[Finding],
) -> None:
    """Refuse masks of which none, or of many most, cannot be used, with what is wrong with the first of them.
    Raises InputRefused `no-mask`."""
    malformed, usable = (counted.states.count(state) for state in ("malformed", "ok"))
    if not malformed or (usable and (malformed <= usable or malformed < NO_ACCIDENT)):
        return
    first = next(finding for finding in noticed if finding.code == mask_counts.MALFORMED)
    message = (
        f"{malformed} masks cannot be used, too many to count as missing. The first is {first.where}: "
        f"{first.message.removesuffix(mask_counts.COUNTS_AS_MISSING)}"
    )
    raise InputRefused([error("no-mask", files.name, message)], findings)


def absent(submission: HecktorSubmission) -> list[Finding]:
    """Return a finding `no-mask` if no patient has a readable mask."""
    if "ok" in submission.masks.states:
        return []
    message = (
        "no patient has a readable mask: submit a mask for each patient, and an empty mask for a patient "
        "without a tumour."
    )
    return [error("no-mask", submission.name, message)]


def _rows(
    contents: SubmissionLayout,
    truth: HecktorTruth | None,
    used: list[str],
    problems: list[Finding],
    findings: list[Finding],
) -> tuple[TextTable | None, PatientCells, Collection[str]]:
    """Return the table, where there is one, and what it says of patients, else what a container's JSON says;
    and headers that come of other tables."""
    files, layout = contents.files, contents.layout
    table, rows = None, None
    others: Collection[str] = ()
    try:
        table = find_table(files, layout, TABLE, used)
        findings += table.notes if table else []
        if table:
            table, others = completed(files, table, truth, used, findings)
        rows = (
            read_rows(table, ("t", "n", "risk", "time"), problems) if table else answers(files, layout, used)
        )
    except InputRefused as refused:
        problems += refused.problems
    if table and layout.answers:
        sentence = "a table and JSON files both describe patients: only the table counts."
        findings.append(note("table-over-json", table.name, sentence))
    return table, rows or PatientCells((), {}, ()), others


def _nobody(
    files: SourceFiles, truth: HecktorTruth | None, own: tuple[str, ...], unknown: tuple[str, ...]
) -> list[Finding]:
    """`no-table` where there is no patient at all, `no-common-case` where the truth has none of them."""
    if not own:
        message = f"no patient was found: no table with a PatientID column ({TABLE}) and no mask."
        return [error("no-table", files.name, message)]
    if truth is None or len(unknown) < len(own):
        return []
    return [case_tables.nothing_in_common(files.name, "no patient belongs to", unknown, truth)]


def _most_unknown(
    contents: SubmissionLayout, rows: PatientCells, truth: HecktorTruth | None
) -> list[Finding]:
    """Return `unknown-patient` for masks, or rows, that most patients of the truth lack while more are of
    nobody than of them: a score would count as missing what is there."""
    problems = []
    known = set(truth.ids) if truth else set()
    for noun, names in (("masks", tuple(contents.layout.masks)), ("rows", rows.ids)):
        unknown = [name for name in names if name not in known]
        n_known = len(names) - len(unknown)
        if truth is None or len(unknown) <= n_known or 2 * n_known >= len(known):
            continue
        fixes = fix_suggestions.without_affix(unknown, truth.ids)
        if fixes or len(unknown) >= NO_ACCIDENT:
            message = (
                f"{len(unknown)} of {len(names)} {noun} are not names of patients of {truth.name} "
                f"({', '.join(unknown[:3])}): use the names of the truth."
            )
            problems.append(error("unknown-patient", contents.name, message).with_fixes(*fixes))
    return problems


def _stages(rows: PatientCells, kind: str, row_of: np.ndarray, findings: list[Finding]) -> np.ndarray | None:
    """Stages by patient; None without such a column."""
    cells = rows.cells.get(kind)
    if cells is None:
        return None
    read = read_stages(cells, kind)
    findings += folded_note(read, cells, kind, rows.places)
    zeros = np.count_nonzero(read.codes[row_of[row_of >= 0]] == T0) if kind == "t" else 0
    if zeros:
        highest = int(read.codes.max())
        from_zero = f" The numbers are 0 to {highest}: does 0 mean T1? Then write T1 to T4."
        guess = from_zero * (read.as_numbers and highest < len(STAGES[kind]) - 1)
        are = "prediction is" if zeros == 1 else "predictions are"
        message = f"{zeros} {are} T0, a stage that submissions may not predict.{guess}"
        findings.append(warning("t0-answered", rows.places[0], message))
    wrong = [row for row in row_of if row >= 0 and read.codes[row] == UNKNOWN_STAGE]
    if wrong:
        named = ", ".join(f"{rows.ids[row]} {cells[row][:40]!r}" for row in wrong)
        message = (
            f"{kind.upper()} stages that are none of {', '.join(STAGES[kind])} count as wrong "
            f"({len(wrong)}): {named}."
        )
        findings.append(warning("stage-not-recognised", rows.places[wrong[0]], message))
    return np.where(row_of >= 0, read.codes[row_of], NO_STAGE) if len(cells) else None


def _require_usable_cells(
    scores: Mapping[str, PrognosisScores],
    stage_codes: Mapping[str, np.ndarray | None],
    findings: list[Finding],
) -> None:
    """Refuse a column in which each cell that is filled is none of those that count. Raises InputRefused."""
    starts = []
    if scores and not any(np.isfinite(column.values).any() for column in scores.values()):
        starts.append(("risk-not-a-number", ""))
    for kind, codes in stage_codes.items():
        if codes is not None and not (codes >= 0).any():
            starts.append(("stage-not-recognised", kind.upper()))
    unread = [f for f in findings if any(f.code == code and f.message.startswith(of) for code, of in starts)]
    if unread:
        others = [finding for finding in findings if finding not in unread]
        raise InputRefused([replace(finding, level="error") for finding in unread], others)


def _counted(
    truth: HecktorTruth | None, ids: tuple[str, ...], contents: SubmissionLayout, context: Context
) -> tuple[mask_counts.MaskCounts, list[Finding]]:
    """Masks against the truth's; without a truth each by itself."""
    watch = mask_counts.Watch(context.progress, context.cancelled)
    if truth is not None:
        return mask_counts.count_all(truth.masks, ids, contents, context.options["lesions"], watch)
    _, faults, noticed = mask_counts.examine_all(contents, ids, watch)
    none = mask_counts.MaskCounts(
        (mask_counts.NO_TRUTH,) * len(ids), np.zeros((len(ids), 3, 3), np.int64), (b"",) * len(ids)
    )
    return none, [*(mask_counts.malformed(patient, fault) for patient, fault in faults), *noticed]


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield the inputs of HECKTOR 2026 that the files may be: masks, a table of patients, or outputs of a
    container."""
    layout = _layout(contents)
    members = {**layout.masks, **_lone_mask(contents)}
    patient_tables = [table for table in contents.tables if _is_of_patients(table)]
    if not (members or layout.images or layout.answers or patient_tables):
        return
    ids = frozenset(map(case_key, (*members, *layout.answers))).union(
        *(contents.keys_of(table, _column(table, "patient") or 0) for table in patient_tables)
    )
    holds = [
        *([file_contents.counted(len(members), "mask")] if members else []),
        *(["CT and PET"] if layout.images else []),
        *(
            [f"a table of {file_contents.counted(len(patient_tables[0]), 'patient')}"]
            if patient_tables
            else []
        ),
        *([f"JSON of {file_contents.counted(len(layout.answers), 'patient')}"] if layout.answers else []),
    ]
    truth, submission = _certainties(layout, patient_tables)
    description = ", ".join(holds)
    yield Candidate(ID, "submission", f"a submission to HECKTOR 2026: {description}", submission, ids)
    if not layout.answers:
        yield Candidate(ID, "truth", f"a HECKTOR 2026 test set: {description}", truth, ids)


def _layout(contents: FileContents) -> Layout:
    try:
        return classify_members(attached(contents.files)[0], container=True)
    except InputRefused:
        return Layout()


def _lone_mask(contents: FileContents) -> dict[str, tuple[str, ...]]:
    """Return the one mask that was dropped alone."""
    name = contents.files.name
    stem = stem_of(name) if contents.files.kind == "file" else None
    return {stem: (name,)} if stem else {}


def _certainties(layout: Layout, patient_tables: list[TextTable]) -> tuple[int, int]:
    """Return how certain it is that these are a test set, and a submission."""
    if layout.answers:
        return POSSIBLE, SURE
    has = {meaning for table in patient_tables for meaning in COLUMNS if _column(table, meaning) is not None}
    if "event" in has or (layout.images and "risk" not in has):
        return SURE, POSSIBLE
    named = {
        kind for table in patient_tables for name, kind in NAMED.items() if table.name.lower().endswith(name)
    }
    if "submission" in named or "risk" in has:
        return POSSIBLE, SURE
    if "truth" in named:
        return SURE, POSSIBLE
    return (POSSIBLE, LIKELY) if patient_tables else (LIKELY, LIKELY)


def _is_of_patients(table: TextTable) -> bool:
    """Return whether a table says anything of patients that this challenge asks for."""
    meanings = {meaning for meaning in COLUMNS if _column(table, meaning) is not None}
    return "patient" in meanings and bool(meanings - {"patient", "center"})


def _column(table: TextTable, meaning: str) -> int | None:
    return next((i for i, header in enumerate(table.header) if plain_name(header) in COLUMNS[meaning]), None)


def example(truth: HecktorTruth) -> tuple[str, bytes]:
    """Return name and bytes of an example submission (zip) that uses only patient names and grids of the
    truth."""
    grids = {case: mask.grid for case, mask in zip(truth.ids, truth.masks, strict=True) if mask is not None}
    rows = [f"{case},T1,N0,{1000 + number % 10}\n" for number, case in enumerate(sorted(truth.ids))]
    table = "".join(["PatientID,T-stage,N-stage,RFS\n", *rows]).encode()
    masks = ((f"{case}.mha", box_mask(grids[case], 1)) for case in sorted(grids))
    return "example.zip", zipped([(TABLE, table), *masks])
