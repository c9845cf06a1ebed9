"""Checks the masks of a submission one by one and compares them with the true masks, voxel by voxel."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.challenges.hecktor2026.submitted_masks import SubmissionLayout, opener
from scoring.common.arrays import Ints
from scoring.common.findings import Cancelled, Finding, note, warning
from scoring.inference.cluster.masks import compare_all
from scoring.inputs.masks.counting import Mask, examine
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.lesions import MaskPair

NO_TRUTH = "no-truth"
MALFORMED, COUNTS_AS_MISSING = "malformed-mask", " It counts as missing."
NOTES = {
    "float-mask": "values that are not whole numbers, within 0.01 of 0, 1 or 2, were rounded",
    "reoriented-mask": "masks in another orientation than the truth's were reoriented without resampling",
}


@dataclass(frozen=True)
class Watch:
    """Functions that are called while files are read.

    Attributes:
        progress: Function progress(done, total) that receives numbers of patients.
        cancelled: Function that returns whether to stop.
    """

    progress: Callable[[int, int], object] | None = None
    cancelled: Callable[[], bool] | None = None


@dataclass(frozen=True)
class MaskCounts:
    """Result of comparing the true and the submitted mask of each patient.

    Attributes:
        states: "ok", "missing", "malformed", or "no-truth".
        tables: Numbers of voxels by true (rows) and submitted label, int64 [N, 3, 3]. A missing or malformed
            mask counts as empty. Zeros without a truth.
        digests: SHA-256 of the labels of each usable mask.
        nodes: Numbers of GTVn lesions in the truth, in the submission, and matched, int64 [N, 3]; None if
            they were not counted.
    """

    per_case: ClassVar[tuple[str, ...]] = ("states", "tables", "digests", "nodes")
    states: tuple[str, ...]
    tables: Ints
    digests: tuple[bytes, ...]
    nodes: Ints | None = None


def examine_all(
    contents: SubmissionLayout, ids: Sequence[str], watch: Watch = Watch()
) -> tuple[tuple[Mask | None, ...], list[tuple[str, MaskError]], list[Finding]]:
    """Check the mask of every patient separately. Raises Cancelled if `watch.cancelled` returns True.

    Returns:
        Masks (None if missing or malformed), problems by patient, and notes.
    """
    masks: list[Mask | None] = []
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
        masks.append(mask)
    return tuple(masks), faults, _notes({"float-mask": rounded})


def count_all(
    truth: Sequence[Mask | None],
    ids: Sequence[str],
    contents: SubmissionLayout,
    with_nodes: bool,
    watch: Watch = Watch(),
) -> tuple[MaskCounts, list[Finding]]:
    """Compare the mask of every patient with the true mask. Raises Cancelled if `watch.cancelled` returns
    True.

    Args:
        with_nodes: Whether lesions of GTVn are counted and matched.

    Returns:
        The counts, and findings: `malformed-mask` and notes.
    """
    states: list[str] = []
    digests: list[bytes] = []
    findings: list[Finding] = []
    tables = np.zeros((len(ids), 3, 3), np.int64)
    nodes = np.zeros((len(ids), 3), np.int64) if with_nodes else None
    noted: dict[str, list[str]] = {code: [] for code in NOTES}
    pairs = [
        None if true is None else MaskPair(true, opener(contents, patient, true.grid))
        for true, patient in zip(truth, ids, strict=True)
    ]
    label = STRUCTURES["gtvn"][1] if with_nodes else None
    compared = compare_all(pairs, label, watch.progress, watch.cancelled)
    for i, (patient, pair) in enumerate(zip(ids, compared, strict=True)):
        if pair is None:
            states.append(NO_TRUTH)
            digests.append(b"")
            continue
        counts, lesions = pair
        states.append(counts.state)
        digests.append(counts.digest)
        tables[i] = counts.table
        if nodes is not None and lesions is not None:
            nodes[i] = lesions.truth, lesions.prediction, lesions.matched
        for code in counts.notes:
            noted[code].append(patient)
        if counts.fault:
            findings.append(malformed(patient, counts.fault))
    return MaskCounts(tuple(states), tables, tuple(digests), nodes), [*findings, *_notes(noted)]


def malformed(patient: str, fault: MaskError) -> Finding:
    """Return the finding about a malformed mask."""
    return warning(MALFORMED, patient, f"{fault.words}{COUNTS_AS_MISSING}")


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
