"""Folders with one mask file per case, with any labels: the case of each mask, and its values."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.converted import form_of
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.label_maps import read_label_map
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS, stem_of
from scoring.inputs.sources import SourceFiles

ExaminedMask = tuple[str, set[int], Grid]
"""Member, its values, and its grid."""


def masks_of_truth(files: SourceFiles) -> tuple[dict[str, str], list[ExaminedMask]]:
    """Return the masks by case, and as examined; images are ignored. Raises InputRefused."""
    masks, problems = masks_by_case(files, [member for member in files.members if not is_of_images(member)])
    masks, problems = (masks, problems) if masks else masks_by_case(files, files.members)
    if not masks:
        message = f"it holds no mask: a folder or zip with a file per case ({', '.join(MASK_ENDINGS)})."
        problems.append(error("no-table", files.name, message))
    read = list(examined_masks(files, masks, problems))
    if problems:
        raise InputRefused(problems)
    return masks, read


def is_of_images(member: str) -> bool:
    """Return whether a member is in a folder of images."""
    return any(part.lower().startswith("image") for part in PurePosixPath(member).parts[:-1])


def masks_by_case(files: SourceFiles, members: Sequence[str]) -> tuple[dict[str, str], list[Finding]]:
    """Return the mask of each case by its name, and `duplicate-case` if there are several."""
    masks: dict[str, str] = {}
    problems = []
    for member in members:
        parts = PurePosixPath(member).parts
        if (stem := stem_of(parts[-1])) is None:
            continue
        case = parts[0] if len(parts) > 2 and parts[1] == "output" else stem
        if case in masks:
            message = f"case {case} has several masks ({masks[case]}, {member}): keep one."
            problems.append(error("duplicate-case", files.called(member), message))
        masks.setdefault(case, member)
    return dict(sorted(masks.items())), problems


def examined_masks(
    files: SourceFiles, masks: Mapping[str, str], problems: list[Finding]
) -> Iterator[ExaminedMask]:
    """Yield each mask with its values and its grid; add unreadable ones to `problems`."""
    for case, member in masks.items():
        try:
            labels, grid = read_label_map(partial(files.open, member))
            yield member, label_values(labels), grid
        except MaskError as fault:
            problems.append(error(fault.code, files.called(member), f"{case}: {fault.words}"))


def label_values(labels: Ints) -> set[int]:
    """Return the values that occur in a label map."""
    return set(np.flatnonzero(np.bincount(labels.ravel(order="K"))).tolist())


def other_names(regions: Mapping[str, Sequence[int]], masks: Mapping[str, Opener]) -> Iterator[Finding]:
    """Yield `label-order` for each mask whose header gives a region another value.

    Args:
        regions: Values by region; one of several values has none of its own.
        masks: Masks by their names in messages.
    """
    value_of = {name.lower(): str(values[0]) for name, values in regions.items() if len(values) == 1}
    for where, opener in masks.items():
        named = sorted(form_of(opener).names)
        others = [(name, number) for name, number in named if value_of.get(name, number) != number]
        if others:
            told = " and ".join(f"{name} is {number}, here {value_of[name]}" for name, number in others)
            yield error("label-order", where, f"in its header, {told}: use the values of the challenge.")
