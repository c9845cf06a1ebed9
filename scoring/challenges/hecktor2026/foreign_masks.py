"""Masks of other programs that need a fix first: other volume formats, other file names, and other labels."""

import json
import re
from collections.abc import Collection
from dataclasses import replace

from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.challenges.hecktor2026.structures import is_exchanged
from scoring.challenges.hecktor2026.submitted_masks import SubmissionLayout
from scoring.common.arrays import Ints
from scoring.common.findings import Finding, error, note, warning
from scoring.common.fixes import ANY, InputChanges, SuggestedFix, editing
from scoring.inputs.masks.nifti_and_metaimage import stem_of
from scoring.inputs.tables import OTHER_FORMAT

OTHER_VOLUMES = (".dcm", ".gipl", ".mgz", ".npy", ".npz", ".h5", ".tif", ".tiff")
"""Extensions of volumes that cannot be read."""
LABELS, LABELS_BYTES = "dataset.json", 100_000
"""Name of the file in which nnU-Net lists the labels of masks, and its maximum bytes."""
LABEL_LISTS = (".txt", ".label", ".ctbl", ".tsv", ".json", ".yaml", ".yml")
"""Extensions of other files that list labels."""
LABEL_LINE = re.compile(
    r"\W*(?:(\d+)\b.*GTV[-_ ]?([pn])|GTV[-_ ]?([pn])\W+(\d+))\b.{0,200}", re.IGNORECASE | re.ASCII
)
"""Pattern of a line in a list of labels: a number and a structure, in either order."""
SWAPPED = {("gtvn", "1"), ("gtvp", "2")}
FAR_BETTER = 0.2
"""Exchanged labels are reported if exchanging them back raises the Dice by at least this."""


USUAL_ENDINGS = re.compile(
    r"(.+?)(?:[_.-]{1,2}(?:seg|dseg|segmentation|pred|prediction|trans|mask|label|labels|ensemble|CT|PT))+",
    re.IGNORECASE,
)
"""Suffixes that MONAI, TotalSegmentator, ITK-SNAP and others add to the name of a case."""
NUMBERED = re.compile(r"(.+?)([-_ ])([12])")


def with_usual_names(
    contents: SubmissionLayout, ids: Collection[str]
) -> tuple[SubmissionLayout, list[Finding]]:
    """Rename masks whose names consist of the patient and a usual suffix. Nothing is renamed if a patient
    would then have two masks.

    Args:
        ids: The patients; empty if unknown.

    Returns:
        The submission, and notes about files that do not have the form that the challenge prescribes.
    """
    layout, findings = contents.layout, _of_forms(contents)
    new = {
        name: match[1]
        for name in layout.masks
        if name not in ids and (match := USUAL_ENDINGS.fullmatch(name)) and match[1] in ids
    }
    spelled: dict[str, list[str]] = {}
    for patient in ids:  # subjects of BIDS have no marks
        spelled.setdefault("".join(filter(str.isalnum, patient)), []).append(patient)
    new |= {n: spelled[n][0] for n in layout.masks if n not in ids and len(spelled.get(n, ())) == 1}
    patients = [new.get(name, name) for name in layout.masks]
    if not new or len({*patients}) < len(patients):
        return contents, findings
    first = next(iter(new))
    subject = f"{_masks(len(new), 'spells', 'spell')} a patient's name in another way"
    message = f"{subject}: Benchside reads {first} as {new[first]}."
    masks = {new.get(name, name): members for name, members in layout.masks.items()}
    named = replace(contents, layout=replace(layout, masks=masks))
    return named, [*findings, note(OTHER_FORMAT, contents.name, message)]


def _of_forms(contents: SubmissionLayout) -> list[Finding]:
    """Return a note for each other form in which masks are read."""
    forms = [*contents.forms.values()]
    masks = [member for members in contents.layout.masks.values() for member in members]
    counts = (
        (
            ("is", "are"),
            "NRRD; Benchside puts cropped masks back at their position in the image",
            sum(m.lower().endswith(".nrrd") for m in masks),
        ),
        (("has", "have"), "header and voxels in separate files", len(contents.written)),
        (
            ("has", "have"),
            "a channel for each label; Benchside joins the channels, and GTVp wins where both labels are set",
            sum(form.channels > 1 for form in forms),
        ),
        (
            ("states", "state"),
            "in the header that GTVn is 1 or GTVp is 2; Benchside reads the labels accordingly",
            0 if contents.swap else sum(is_exchanged(form.names) for form in forms),
        ),
    )
    official = "official programs take .nii.gz or .mha with GTVp as 1 and GTVn as 2."
    return [
        note(OTHER_FORMAT, contents.name, f"{_masks(count, *verbs)} {what}; {official}")
        for verbs, what, count in counts
        if count
    ]


def _masks(count: int, one: str, several: str) -> str:
    return f"1 mask {one}" if count == 1 else f"{count} masks {several}"


def numbered(contents: SubmissionLayout, ids: Collection[str]) -> list[Finding]:
    """Return a finding `separate-structures` if masks are numbered 1 and 2, but no file says which number is
    which structure."""
    layout, known = contents.layout, {*ids}
    members = [*layout.elsewhere, *(member for several in layout.masks.values() for member in several)]
    matches = [(NUMBERED.fullmatch(stem_of(member.rpartition("/")[2]) or ""), member) for member in members]
    found = {(m[2], m[3], m[1]): member for m, member in matches if m and m[1] in known}
    kinds = {(mark, number) for mark, number, _ in found}
    if {number for _, number in kinds} != {"1", "2"} or len(kinds) > 2 or 2 * len(found) < len(members):
        return []
    (mark, _), first = min(kinds), next(iter(found.values()))
    fixes = [
        SuggestedFix(f"Read {mark}1 as {one} and {mark}2 as {two}", InputChanges(cases=pairs))
        for one, two in (("GTVp", "GTVn"), ("GTVn", "GTVp"))
        if (pairs := ((f"{ANY}{mark}1", f"{ANY}_{one}"), (f"{ANY}{mark}2", f"{ANY}_{two}")))
    ]
    message = (
        f"{len(found)} masks have the numbers 1 and 2 after the patient's name ({first}), a number for each "
        "structure: name these masks PatientID_GTVp and PatientID_GTVn."
    )
    return [error("separate-structures", contents.files.called(first), message).with_fixes(*fixes)]


def of_other_kinds(contents: SubmissionLayout) -> list[Finding]:
    """Return a finding `mask-elsewhere` if there are no masks, but volumes in formats that cannot be read."""
    layout, files = contents.layout, contents.files
    others = [member for member in files.members if member.lower().endswith(OTHER_VOLUMES)]
    if others and not layout.masks:
        message = (
            f"no mask was found, but {len(others)} file{'s' * (len(others) > 1)} of other kinds "
            f"({', '.join(others[:3])}{', ...' * (len(others) > 3)}): save masks as PatientID.nii.gz or "
            "PatientID.mha, with GTVp as 1 and GTVn as 2."
        )
        return [error("mask-elsewhere", files.called(others[0]), message)]
    return []


def label_order(contents: SubmissionLayout, tables: Ints) -> list[Finding]:
    """Return a finding `label-order` if labels 1 and 2 seem to be exchanged: an error if the names of labels
    say so, a warning if only the Dice suggests it.

    Args:
        tables: Number of voxels of each patient by true and submitted label [N, 3, 3]; zeros without a truth.
    """
    if contents.swap or not contents.layout.masks:
        return []
    voxels = tables.sum(0)
    dice, swapped = _dice(voxels), _dice(voxels[:, [0, 2, 1]])
    told = (
        ("", "")
        if not voxels.any()
        else (f": Dice of all voxels {dice:.4f}", f": Dice of all voxels {swapped:.4f}")
    )
    exchange = editing("swap_labels", "yes", f"Read label 1 as GTVn and 2 as GTVp{told[1]}")
    is_exchanged_already = any(is_exchanged(form.names) for form in contents.forms.values())
    if is_exchanged_already:
        exchange = editing("swap_labels", "no", f"Read label 1 as GTVp and 2 as GTVn{told[1]}")
    where, pairs = ("", set()) if is_exchanged_already else _names(contents)
    if SWAPPED & pairs:
        order = " and ".join(f"{n.upper()[:3]}{n[3]} is {number}" for n, number in sorted(pairs & SWAPPED))
        message = (
            f"this list says that {order}: write GTVp as 1 and GTVn as 2 in the masks, or correct the list."
        )
        keep = editing("swap_labels", "no", f"Read label 1 as GTVp and 2 as GTVn{told[0]}")
        return [error("label-order", where, message).with_fixes(exchange, keep)]
    if swapped < dice + FAR_BETTER:
        return []
    message = (
        f"Dice of all voxels is {dice:.4f}, or {swapped:.4f} if labels 1 and 2 are exchanged: does label 1 "
        "mean GTVn?"
    )
    return [warning("label-order", contents.name, message).with_fixes(exchange)]


def _dice(voxels: Ints) -> float:
    """Return the mean Dice of both structures, from voxels [3, 3] by true and submitted label."""
    both = [int(voxels[k].sum() + voxels[:, k].sum()) for k in (1, 2)]
    return sum(2 * int(voxels[k, k]) / max(1, both[k - 1]) for k in (1, 2)) / 2


def _names(contents: SubmissionLayout) -> tuple[str, set[tuple[str, str]]]:
    """Return where names of labels are written, and these in lower case with their numbers: in the list that
    nnU-Net keeps beside its masks, or one with a line for each label, as ITK-SNAP and 3D Slicer write it."""
    files = contents.files
    listing = next((member for member in files.members if member.rpartition("/")[2] == LABELS), None)
    if listing is not None and files.sizes[listing] <= LABELS_BYTES:
        try:
            labels = json.loads(files.read(listing))["labels"]
            pairs = {(str(name).lower(), str(number).lower()) for name, number in labels.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return "", set()
        return files.called(listing), pairs | {(number, name) for name, number in pairs}  # of nnU-Net 1
    for member in files.members:
        if member.lower().endswith(LABEL_LISTS) and files.sizes[member] <= LABELS_BYTES:
            lines = files.read(member).decode("utf-8", "replace").splitlines()
            matches = [match for line in lines if (match := LABEL_LINE.fullmatch(line))]
            if len(matches) == len(STRUCTURES):
                pairs = {(f"gtv{(m[2] or m[3]).lower()}", m[1] or m[4]) for m in matches}
                return files.called(member), pairs
    return "", set()
