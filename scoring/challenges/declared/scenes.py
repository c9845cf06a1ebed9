"""What viewers show of a case: true and predicted masks over images; points and boxes marked as hits, misses
and false alarms."""

from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.mask_readers import MaskPredictions
from scoring.challenges.declared.object_readers import Detections
from scoring.common.arrays import Array, Ints
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.label_maps import is_of_images, read_label_map
from scoring.inputs.masks.nifti_and_metaimage import stem_of
from scoring.inputs.scenes import Scene, read_scene
from scoring.inputs.volumes import MOST_LABELLED, LabelVoxels
from scoring.metrics.detection_matching import object_marks

MOST_CODES = 15
"""Maximum number of different labels in the viewer."""


def label_names(declaration: Declaration) -> tuple[str, ...]:
    """Return the names of the labels in a scene, background first. Each mask value has a label, named after
    the regions that contain it. Values beyond the maximum number share the last label."""
    names = [
        " + ".join(region for region, wanted in declaration.regions.items() if value in wanted)
        for value in _values(declaration)
    ]
    return "none", *(names if len(names) <= MOST_CODES else [*names[: MOST_CODES - 1], "others"])


def labels_of_regions(declaration: Declaration) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the labels that belong to each region."""
    codes = _codes(declaration)
    return tuple(
        (name, tuple(sorted(set(codes[list(wanted)].tolist()))))
        for name, wanted in declaration.regions.items()
    )


def _values(declaration: Declaration) -> list[int]:
    return sorted({value for wanted in declaration.regions.values() for value in wanted})


def _codes(declaration: Declaration) -> Ints:
    """Return the label in the 3D scene for each mask value; 0 for values that belong to no region."""
    values = _values(declaration)
    code_of = np.zeros(max(values) + 1, np.uint8)
    code_of[values] = np.minimum(np.arange(len(values)) + 1, MOST_CODES)
    return code_of


def scene(declaration: Declaration, truth: DeclaredCases, predictions: MaskPredictions, index: int) -> Scene:
    """Return the images of a case with its true and predicted masks. Raises InputRefused as `read_scene`
    does, if the true mask cannot be read or the box is too large to show."""
    case, code_of = truth.ids[index], _codes(declaration)
    opener, read = partial(truth.files.open, truth.masks[case]), partial(_labelled, code_of)
    return read_scene(case, opener, predictions.masks.get(case), images_of(truth, case), read=read)


def _labelled(code_of: Ints, opener: Opener, reference: Grid | None) -> LabelVoxels:
    """Return the voxels of a mask that are in a region, with the codes of their values."""
    labels, grid = read_label_map(opener, reference)
    codes = np.where(labels < len(code_of), code_of[np.minimum(labels, len(code_of) - 1)], 0)
    places = np.argwhere(codes)
    if len(places) > MOST_LABELLED:
        raise MaskError(
            "unreadable-file", f"the mask labels more than {MOST_LABELLED:,} voxels, too many to show."
        )
    return LabelVoxels(grid, places, codes[tuple(places.T)].astype(np.uint8))


def images_of(truth: DeclaredCases, case: str) -> dict[str, Opener]:
    """Return name of an image -> function that opens it. The name is the end of the file name: "flair" for
    `CASE_flair.nii.gz`."""
    masks, found, beside = {*truth.masks.values()}, dict[str, Opener](), truth.pictures is truth.files
    for member in truth.pictures.members:
        if beside and (member in masks or not is_of_images(member)):
            continue
        stem = stem_of(PurePosixPath(member).name) or ""
        if stem.startswith(case) and stem[len(case) : len(case) + 1] in ("", "_", "-", "."):
            found[stem.removeprefix(case).strip("_-.") or "image"] = partial(truth.pictures.open, member)
    return found


def are_flat(declaration: Declaration) -> bool:
    """Return whether the objects are in 2D images: they are boxes, or points with two coordinates."""
    return declaration.task == "boxes" or len(declaration.truth.places) == 2


def marks(
    declaration: Declaration, truth: DeclaredCases, predictions: Detections, index: int
) -> dict[str, Array]:
    """Return true objects and detections of an image in the form of `object_marks`; the first metric of the
    score decides which match."""
    true, found, use = truth.objects[index], predictions.objects[index], declaration.score[0]
    radius = None if declaration.task == "boxes" else use.option("radius")
    return object_marks(true, found, use.metric.measure(true, found, **use.options), radius)
