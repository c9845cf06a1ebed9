"""The masks of all patients: read through one by one, counted against the truth's, never held."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.challenges.hecktor2026.layouts import MASK_ENDINGS, Layout
from scoring.findings import Finding, error, note, warning
from scoring.models.pool import Cancelled
from scoring.readers.masks.blocks import Opener
from scoring.readers.masks.counting import Mask, count, examine
from scoring.readers.masks.faults import Malformed
from scoring.readers.masks.lesions import lesions
from scoring.readers.sources import Files, Source, open_source

TABLE_BYTES = 20_000_000
MISSING, NO_TRUTH = "missing", "no-truth"
NOTES = {
    "float-mask": "values that are not whole numbers, within 0.01 of 0, 1 or 2, were rounded",
    "reoriented-mask": "stored in another orientation than the truth's: reoriented, nothing was resampled",
}

Progress = Callable[[int, int], None] | None
Cancel = Callable[[], bool] | None


@dataclass(frozen=True)
class Counted:
    """Masks of a submission by patient. states: "ok", "missing", "malformed", or "no-truth". tables: int64
    [N, 3, 3], voxels by true (rows) and submitted label, a missing or malformed mask counting as empty; zeros
    where there is no truth. digests: SHA-256 of the labels of usable masks.

    nodes: int64 [N, 3], lesions of GTVn in the truth, in the submission, and matched; None where they were
    not asked for.
    """

    states: tuple[str, ...]
    tables: np.ndarray
    digests: tuple[bytes, ...]
    nodes: np.ndarray | None = None


def open_files(source: Source, name: str | None) -> Files:
    """A source whose masks are read piece by piece and whose tables have at most 20 MB. Raises
    InputRefused."""
    return open_source(source, name, streamed=MASK_ENDINGS, table_bytes=TABLE_BYTES)


def opener(files: Files, layout: Layout, patient: str) -> Opener | None:
    """What opens a patient's mask; None where there is none."""
    found = layout.masks.get(patient)
    return partial(files.open, found[0]) if found else None


def repeated(files: Files, layout: Layout) -> list[Finding]:
    """`duplicate-case` for every patient with several masks."""
    return [
        error(
            "duplicate-case",
            files.called(found[1]),
            f"patient {patient} has {len(found)} masks ({', '.join(found)}): keep one.",
        )
        for patient, found in layout.masks.items()
        if len(found) > 1
    ]


def misplaced(files: Files, layout: Layout) -> list[Finding]:
    """`mask-elsewhere` where no mask was found but files that end as masks do."""
    if layout.masks or not layout.elsewhere:
        return []
    first = files.called(layout.elsewhere[0])
    words = (
        f"no mask was found where masks belong, but {len(layout.elsewhere)} such files elsewhere: move "
        "them to masks/PatientID.nii.gz."
    )
    return [warning("mask-elsewhere", first, words)]


def examine_all(
    files: Files, layout: Layout, ids: Sequence[str], progress: Progress = None, cancelled: Cancel = None
) -> tuple[tuple[Mask | None, ...], list[tuple[str, Malformed]], list[Finding]]:
    """Every patient's mask by itself, None where there is none or it is malformed; the faults by patient; the
    notes. Raises Cancelled."""
    found, faults, rounded = [], [], []
    for patient in _counted(ids, progress, cancelled):
        mask, written = None, opener(files, layout, patient)
        if written is not None:
            try:
                mask = examine(written)
                rounded += [patient] if mask.notes else []
            except Malformed as fault:
                faults.append((patient, fault))
        found.append(mask)
    return tuple(found), faults, _notes({"float-mask": rounded})


def count_all(
    truth: Sequence[Mask | None],
    ids: Sequence[str],
    files: Files,
    layout: Layout,
    with_nodes: bool,
    progress: Progress = None,
    cancelled: Cancel = None,
) -> tuple[Counted, list[Finding]]:
    """Every patient's mask against the truth's, and what was noticed of them: `malformed-mask` and notes.
    Raises Cancelled.

    with_nodes: whether the lesions of GTVn are counted and matched.
    """
    states, tables, digests, findings = [], np.zeros((len(ids), 3, 3), np.int64), [], []
    nodes = np.zeros((len(ids), 3), np.int64) if with_nodes else None
    noted: dict[str, list[str]] = {code: [] for code in NOTES}
    for i, patient in enumerate(_counted(ids, progress, cancelled)):
        if truth[i] is None:
            states.append(NO_TRUTH)
            digests.append(b"")
            continue
        submitted = opener(files, layout, patient)
        counts = count(truth[i], submitted)
        states.append(counts.state)
        digests.append(counts.digest)
        tables[i] = counts.table
        if nodes is not None:
            found = lesions(truth[i], submitted if counts.state == "ok" else None, STRUCTURES["gtvn"][1])
            nodes[i] = found.truth, found.prediction, found.matched
        for code in counts.notes:
            noted[code].append(patient)
        if counts.fault:
            findings.append(malformed(patient, counts.fault))
    return Counted(tuple(states), tables, tuple(digests), nodes), [*findings, *_notes(noted)]


def malformed(patient: str, fault: Malformed) -> Finding:
    """What is wrong with a submitted mask."""
    return warning("malformed-mask", patient, f"{fault.words} It counts as missing.")


def _notes(noted: dict[str, list[str]]) -> list[Finding]:
    return [
        note(code, "masks", f"{NOTES[code]} ({len(patients)}): {', '.join(patients)}.")
        for code, patients in noted.items()
        if patients
    ]


def _counted(ids: Sequence[str], progress: Progress, cancelled: Cancel) -> Iterator[str]:
    """The patients, telling how far it is after each."""
    for done, patient in enumerate(ids):
        if cancelled is not None and cancelled():
            raise Cancelled
        yield patient
        if progress is not None:
            progress(done + 1, len(ids))
