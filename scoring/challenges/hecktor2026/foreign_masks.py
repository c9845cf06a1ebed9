"""Masks that other programs write and that are not read: other volumes, and other labels."""

import json
import re

from scoring.challenges.hecktor2026.submitted_masks import SubmissionLayout
from scoring.common.arrays import Ints
from scoring.common.findings import Finding, error, warning
from scoring.common.fixes import editing
from scoring.inputs.inflate import gunzipped
from scoring.inputs.masks.blocks import opened
from scoring.inputs.masks.errors import MaskError, reading

OTHER_VOLUMES = (".nrrd", ".mhd", ".dcm", ".hdr", ".gipl", ".mgz", ".npy", ".npz", ".h5", ".tif", ".tiff")
"""Endings of volumes that are not read."""
LABELS, LABELS_BYTES = "dataset.json", 100_000
"""Where nnU-Net lists the labels of masks."""
OF_HEADER = re.compile(rb'<Label [^>]{0,200}?Key="(\d{1,3})"[^>]{0,200}>\s*(?:<!\[CDATA\[)?([^\]<]{1,60})')
"""A label in the extension of a NIfTI header: its number, then its name."""
SWAPPED = {("gtvn", "1"), ("gtvp", "2")}
FAR_BETTER = 0.2
"""Dice that an exchange of labels has to win before it is told."""


def of_other_kinds(contents: SubmissionLayout) -> list[Finding]:
    """Return `mask-elsewhere` where no mask was found but volumes of kinds that are not read."""
    layout, files = contents.layout, contents.files
    others = [member for member in files.members if member.lower().endswith(OTHER_VOLUMES)]
    if others and not layout.masks:
        message = (
            f"no mask was found, but {len(others)} file{'s' * (len(others) > 1)} of other kinds "
            f"({', '.join(others[:3])}{', ...' * (len(others) > 3)}): save masks as PatientID.nii.gz or "
            "PatientID.mha, with GTVp as 1 and GTVn as 2."
        )
        if any(member.lower().endswith(".nrrd") for member in others):
            message += " In 3D Slicer: Segmentations, Export to files, file format NIFTI, one file."
        if any(member.lower().endswith(".mhd") for member in others):
            message += ' In elastix and transformix: (ResultImageFormat "nii.gz").'
        return [error("mask-elsewhere", files.called(others[0]), message)]
    return []


def label_order(contents: SubmissionLayout, tables: Ints) -> list[Finding]:
    """Return `label-order` where labels 1 and 2 seem to stand for each other: an error where names beside the
    masks, or in them, say so, a warning where Dice alone does.

    Args:
        tables: Voxels [N, 3, 3] of each patient by true and submitted label, zeros without a truth.
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
    exchange = editing("swap_labels", "yes", f"Read 1 as GTVn and 2 as GTVp{told[1]}")
    where, pairs = _names(contents)
    if SWAPPED & pairs:
        order = " and ".join(f"{n.upper()[:3]}{n[3]} is {number}" for n, number in sorted(pairs & SWAPPED))
        message = f"it says that {order}: in masks write GTVp as 1 and GTVn as 2, or fix this list."
        keep = editing("swap_labels", "no", f"Read 1 as GTVp and 2 as GTVn{told[0]}")
        return [error("label-order", where, message).with_fixes(exchange, keep)]
    if swapped < dice + FAR_BETTER:
        return []
    message = f"Dice of all voxels is {dice:.4f}, and {swapped:.4f} with labels 1 and 2 exchanged: is 1 GTVn?"
    return [warning("label-order", contents.name, message).with_fixes(exchange)]


def _dice(voxels: Ints) -> float:
    """Return the mean Dice of both structures, from voxels [3, 3] by true and submitted label."""
    both = [int(voxels[k].sum() + voxels[:, k].sum()) for k in (1, 2)]
    return sum(2 * int(voxels[k, k]) / max(1, both[k - 1]) for k in (1, 2)) / 2


def _names(contents: SubmissionLayout) -> tuple[str, set[tuple[str, str]]]:
    """Return where names of labels are written, and these in lower case with their numbers: in the list that
    nnU-Net keeps beside its masks, else in the header of the first mask, as TotalSegmentator writes them."""
    files = contents.files
    listing = next((member for member in files.members if member.rpartition("/")[2] == LABELS), None)
    if listing is not None and files.sizes[listing] <= LABELS_BYTES:
        try:
            labels = json.loads(files.read(listing))["labels"]
            pairs = {(str(name).lower(), str(number).lower()) for name, number in labels.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return "", set()
        return files.called(listing), pairs | {(number, name) for name, number in pairs}  # of nnU-Net 1
    first = next(iter(contents.layout.masks.values()))[0]
    try:
        with opened(lambda: files.open(first)) as file, reading():
            head = gunzipped(file).read(LABELS_BYTES)
    except MaskError:  # said where masks are counted
        return "", set()
    return files.called(first), {
        (name.decode("latin-1").strip().lower(), number.decode()) for number, name in OF_HEADER.findall(head)
    }
