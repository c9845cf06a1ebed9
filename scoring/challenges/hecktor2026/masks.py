"""The masks of all patients: read through one by one, counted against the truth's, never held."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.challenges.hecktor2026.layouts import MASK_ENDINGS, SubmissionLayout, classify_members
from scoring.common.arrays import Ints
from scoring.common.findings import Finding, error, note, warning
from scoring.inference.cancelled import Cancelled
from scoring.inference.cluster.masks import compare_all
from scoring.inputs.jobs import by_case
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.counting import Mask, examine
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.pairs import MaskPair
from scoring.inputs.sources import Source, open_source

TABLE_BYTES = 20_000_000
MISSING, NO_TRUTH = "missing", "no-truth"
NOTES = {
    "float-mask": "values that are not whole numbers, within 0.01 of 0, 1 or 2, were rounded",
    "reoriented-mask": "stored in another orientation than the truth's: reoriented, nothing was resampled",
}


@dataclass(frozen=True)
class Watch:
    """Who follows the reading. progress(done, total) counts patients. cancelled: says whether to stop."""

    progress: Callable[[int, int], object] | None = None
    cancelled: Callable[[], bool] | None = None


@dataclass(frozen=True)
class MaskCounts:
    """Masks of a submission by patient. states: "ok", "missing", "malformed", or "no-truth". tables: int64
    [N, 3, 3], voxels by true (rows) and submitted label, a missing or malformed mask counting as empty; zeros
    where there is no truth. digests: SHA-256 of the labels of usable masks.

    nodes: int64 [N, 3], lesions of GTVn in the truth, in the submission, and matched; None where they were
    not counted.
    """

    states: tuple[str, ...]
    tables: Ints
    digests: tuple[bytes, ...]
    nodes: Ints | None = None


def open_contents(source: Source, name: str | None, container: bool) -> SubmissionLayout:
    """Open a source whose masks are read piece by piece and whose tables have at most 20 MB.

    container: whether a container's output is looked for. Raises InputRefused.
    """
    files = open_source(source, name, streamed=MASK_ENDINGS, table_bytes=TABLE_BYTES)
    if container:
        files, _ = by_case(files)
    return SubmissionLayout(files, classify_members(files, container))


def opener(contents: SubmissionLayout, patient: str) -> Opener | None:
    """Return what opens a patient's mask; None where there is none."""
    found = contents.layout.masks.get(patient)
    return partial(contents.files.open, found[0]) if found else None


def repeated(contents: SubmissionLayout) -> list[Finding]:
    """Return `duplicate-case` for every patient with several masks."""
    return [
        error(
            "duplicate-case",
            contents.files.called(found[1]),
            f"patient {patient} has {len(found)} masks ({', '.join(found)}): keep one.",
        )
        for patient, found in contents.layout.masks.items()
        if len(found) > 1
    ]


def misplaced(contents: SubmissionLayout) -> list[Finding]:
    """Return `mask-elsewhere` where no mask was found but files that end as masks do."""
    layout = contents.layout
    if layout.masks or not layout.elsewhere:
        return []
    first = contents.files.called(layout.elsewhere[0])
    words = (
        f"no mask was found where masks belong, but {len(layout.elsewhere)} such files elsewhere: move "
        "them to masks/PatientID.nii.gz."
    )
    return [warning("mask-elsewhere", first, words)]


def examine_all(
    contents: SubmissionLayout, ids: Sequence[str], watch: Watch = Watch()
) -> tuple[tuple[Mask | None, ...], list[tuple[str, MaskError]], list[Finding]]:
    """Examine every patient's mask by itself.

    Returns masks, None where there is none or it is malformed; the faults by patient; the notes. Raises
    Cancelled.
    """
    found: list[Mask | None] = []
    faults, rounded = [], []
    for patient in _counted(ids, watch):
        mask: Mask | None = None
        written = opener(contents, patient)
        if written is not None:
            try:
                mask = examine(written)
                rounded += [patient] if mask.notes else []
            except MaskError as fault:
                faults.append((patient, fault))
        found.append(mask)
    return tuple(found), faults, _notes({"float-mask": rounded})


def count_all(
    truth: Sequence[Mask | None],
    ids: Sequence[str],
    contents: SubmissionLayout,
    with_nodes: bool,
    watch: Watch = Watch(),
) -> tuple[MaskCounts, list[Finding]]:
    """Count every patient's mask against the truth's. Raises Cancelled.

    Returns the counts, and what was noticed: `malformed-mask` and notes.

    with_nodes: whether the lesions of GTVn are counted and matched.
    """
    states: list[str] = []
    digests: list[bytes] = []
    findings: list[Finding] = []
    tables = np.zeros((len(ids), 3, 3), np.int64)
    nodes = np.zeros((len(ids), 3), np.int64) if with_nodes else None
    noted: dict[str, list[str]] = {code: [] for code in NOTES}
    pairs = [
        None if true is None else MaskPair(true, opener(contents, patient))
        for true, patient in zip(truth, ids, strict=True)
    ]
    label = STRUCTURES["gtvn"][1] if with_nodes else None
    compared = compare_all(pairs, label, watch.progress, watch.cancelled)
    for i, (patient, pair) in enumerate(zip(ids, compared, strict=True)):
        if pair is None:
            states.append(NO_TRUTH)
            digests.append(b"")
            continue
        counts, found = pair
        states.append(counts.state)
        digests.append(counts.digest)
        tables[i] = counts.table
        if nodes is not None and found is not None:
            nodes[i] = found.truth, found.prediction, found.matched
        for code in counts.notes:
            noted[code].append(patient)
        if counts.fault:
            findings.append(malformed(patient, counts.fault))
    return MaskCounts(tuple(states), tables, tuple(digests), nodes), [*findings, *_notes(noted)]


def malformed(patient: str, fault: MaskError) -> Finding:
    """Return what is wrong with a submitted mask."""
    return warning("malformed-mask", patient, f"{fault.words} It counts as missing.")


def _notes(noted: dict[str, list[str]]) -> list[Finding]:
    return [
        note(code, "masks", f"{NOTES[code]} ({len(patients)}): {', '.join(patients)}.")
        for code, patients in noted.items()
        if patients
    ]


def _counted(ids: Sequence[str], watch: Watch) -> Iterator[str]:
    """Yield the patients, telling how far it is after each."""
    for done, patient in enumerate(ids):
        if watch.cancelled is not None and watch.cancelled():
            raise Cancelled
        yield patient
        if watch.progress is not None:
            watch.progress(done + 1, len(ids))
