"""Masks that other programs write and that are not read: other volumes, and other labels."""

import json

from scoring.challenges.hecktor2026.submitted_masks import SubmissionLayout
from scoring.common.findings import Finding, error

OTHER_VOLUMES = (".nrrd", ".mhd", ".dcm", ".hdr", ".gipl", ".mgz", ".npy", ".npz", ".h5", ".tif", ".tiff")
"""Endings of volumes that are not read."""
LABELS, LABELS_BYTES = "dataset.json", 100_000
"""Where nnU-Net lists the labels of masks."""


def of_other_kinds(contents: SubmissionLayout) -> list[Finding]:
    """Return `mask-elsewhere` where no mask was found but volumes of kinds that are not read, `label-order`
    where the list of labels that nnU-Net keeps beside its masks has others than the challenge."""
    layout, files = contents.layout, contents.files
    others = [member for member in files.members if member.lower().endswith(OTHER_VOLUMES)]
    if others and not layout.masks:
        message = (
            f"no mask was found, but {len(others)} file{'s' * (len(others) > 1)} of other kinds "
            f"({', '.join(others[:3])}{', ...' * (len(others) > 3)}): save masks as PatientID.nii.gz or "
            "PatientID.mha, with GTVp as 1 and GTVn as 2."
        )
        return [error("mask-elsewhere", files.called(others[0]), message)]
    listing = next((member for member in files.members if member.rpartition("/")[2] == LABELS), None)
    if listing is None or not layout.masks or files.sizes[listing] > LABELS_BYTES:
        return []
    try:
        labels = json.loads(files.read(listing))["labels"]
        pairs = {(str(name).lower(), str(number).lower()) for name, number in labels.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    pairs |= {(number, name) for name, number in pairs}  # nnU-Net 1 wrote number: name
    swapped = {("gtvn", "1"), ("gtvp", "2")} & pairs
    if not swapped:
        return []
    written = " and ".join(f"{name.upper()[:3]}{name[3]} is {number}" for name, number in sorted(swapped))
    message = f"it says that {written}: in masks write GTVp as 1 and GTVn as 2, or fix this list."
    return [error("label-order", files.called(listing), message)]
