"""Scenes of declared masks for a viewer: truth and prediction of a case, over the images that are beside."""

from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.mask_readers import MaskPredictions, is_of_images
from scoring.common.arrays import Ints
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.label_maps import read_label_map
from scoring.inputs.masks.nifti_and_metaimage import stem_of
from scoring.inputs.scenes import Scene, read_scene
from scoring.inputs.volumes import MOST_LABELLED, LabelVoxels

MOST_CODES = 15
"""Maximum number of different labels in a scene."""


def label_names(declaration: Declaration) -> tuple[str, ...]:
    """Return what a viewer calls the labels of a scene, the background first: a label for each value of a
    mask, called by the regions that it is in; the values beyond the last share one."""
    names = [
        " + ".join(region for region, wanted in declaration.regions.items() if value in wanted)
        for value in _values(declaration)
    ]
    shown = names if len(names) <= MOST_CODES else [*names[: MOST_CODES - 1], "others"]
    return "none", *shown


def _values(declaration: Declaration) -> list[int]:
    return sorted({value for wanted in declaration.regions.values() for value in wanted})


def scene(declaration: Declaration, truth: DeclaredCases, predictions: MaskPredictions, index: int) -> Scene:
    """Return the masks of a case and its images. Raises InputRefused.

    Args:
        truth: The test set.
    """
    case, values = truth.ids[index], _values(declaration)
    code_of = np.zeros(max(values) + 1, np.uint8)
    code_of[values] = np.minimum(np.arange(len(values)) + 1, MOST_CODES)
    opener = partial(truth.files.open, truth.masks[case])
    read = partial(_labelled, code_of)
    return read_scene(case, opener, predictions.masks.get(case), images_of(truth, case), read=read)


def _labelled(code_of: Ints, opener: Opener, reference: Grid | None) -> LabelVoxels:
    """Return the voxels of a mask that are in a region, with the codes of their values."""
    labels, grid = read_label_map(opener, reference)
    codes = np.where(labels < len(code_of), code_of[np.minimum(labels, len(code_of) - 1)], 0)
    places = np.argwhere(codes)
    if len(places) > MOST_LABELLED:
        raise MaskError("unreadable-file", f"it labels more than {MOST_LABELLED:,} voxels, too many to show.")
    return LabelVoxels(grid, places, codes[tuple(places.T)].astype(np.uint8))


def images_of(truth: DeclaredCases, case: str) -> dict[str, Opener]:
    """Return what opens the images of a case, by the rest of their names: `CASE_flair.nii.gz` is "flair".

    Args:
        truth: The test set.
    """
    masks, found = set(truth.masks.values()), dict[str, Opener]()
    for member in truth.pictures.members:
        if truth.pictures is truth.files and (member in masks or not is_of_images(member)):
            continue
        stem = stem_of(PurePosixPath(member).name) or ""
        if stem.startswith(case) and stem[len(case) : len(case) + 1] in ("", "_", "-", "."):
            found[stem.removeprefix(case).strip("_-.") or "image"] = partial(truth.pictures.open, member)
    return found
