"""Scenes of cases for viewers: masks of truth and prediction over the images that are beside, and marks of
points and boxes with their results."""

from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.mask_readers import MaskPredictions
from scoring.challenges.declared.object_readers import Detections
from scoring.common.arrays import Array, Floats, Ints
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.label_maps import read_label_map
from scoring.inputs.masks.mask_folders import is_of_images
from scoring.inputs.masks.nifti_and_metaimage import stem_of
from scoring.inputs.scenes import Scene, read_scene
from scoring.inputs.volumes import MOST_LABELLED, LabelVoxels
from scoring.metrics.detection_matching import box_iou
from scoring.metrics.task_cases import Objects

MOST_CODES = 15
"""Maximum number of different labels in a scene."""
TRUTH, PREDICTION = 0, 1
HIT, FALSE_ALARM, MISSED = 0, 1, 2
VERTICES = 32
"""Of the circle within which a point is found."""


def label_names(declaration: Declaration) -> tuple[str, ...]:
    """Return what a viewer calls the labels of a scene, the background first: a label for each value of a
    mask, called by the regions that it is in; the values beyond the last share one."""
    names = [
        " + ".join(region for region, wanted in declaration.regions.items() if value in wanted)
        for value in _values(declaration)
    ]
    return "none", *(names if len(names) <= MOST_CODES else [*names[: MOST_CODES - 1], "others"])


def labels_of_regions(declaration: Declaration) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return each region with its labels in a scene."""
    codes = _codes(declaration)
    return tuple(
        (name, tuple(sorted(set(codes[list(wanted)].tolist()))))
        for name, wanted in declaration.regions.items()
    )


def _values(declaration: Declaration) -> list[int]:
    return sorted({value for wanted in declaration.regions.values() for value in wanted})


def _codes(declaration: Declaration) -> Ints:
    """Return the label in a scene of each value of a mask, 0 of one that is in no region."""
    values = _values(declaration)
    code_of = np.zeros(max(values) + 1, np.uint8)
    code_of[values] = np.minimum(np.arange(len(values)) + 1, MOST_CODES)
    return code_of


def scene(declaration: Declaration, truth: DeclaredCases, predictions: MaskPredictions, index: int) -> Scene:
    """Return the masks of a case and its images. Raises InputRefused."""
    case, code_of = truth.ids[index], _codes(declaration)
    opener, read = partial(truth.files.open, truth.masks[case]), partial(_labelled, code_of)
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
    """Return what opens the images of a case, by the rest of their names: `CASE_flair.nii.gz` is "flair"."""
    masks, found, beside = {*truth.masks.values()}, dict[str, Opener](), truth.pictures is truth.files
    for member in truth.pictures.members:
        if beside and (member in masks or not is_of_images(member)):
            continue
        stem = stem_of(PurePosixPath(member).name) or ""
        if stem.startswith(case) and stem[len(case) : len(case) + 1] in ("", "_", "-", "."):
            found[stem.removeprefix(case).strip("_-.") or "image"] = partial(truth.pictures.open, member)
    return found


def are_flat(declaration: Declaration) -> bool:
    """Return whether objects are in a picture: boxes, and points of two coordinates."""
    return declaration.task == "boxes" or len(declaration.truth.places) == 2


def marks(
    declaration: Declaration, truth: DeclaredCases, predictions: Detections, index: int
) -> dict[str, Array]:
    """Return the objects and detections of an image as columns [n], the truth first.

    They are: xy [v, 2] and start [n + 1], vertices of outlines one after the other; centroids [n, 2]; kind
    (0 truth, 1 prediction), cls, status (0 hit, 1 false alarm, 2 missed, by the first metric of the score),
    partner (row of the object or detection that it is matched with, -1 for none), number, score, distance
    and, of boxes, iou.
    """
    true, found = truth.objects[index], predictions.objects[index]
    n_true, n_found, use = len(true.places), len(found.places), declaration.score[0]
    matched = use.metric.measure(true, found, **use.options)
    hit = matched.hit[:, 0]
    detections, objects = n_true + matched.rows[hit], matched.partner[hit]
    partner, alarms = np.full(n_true + n_found, -1), np.zeros(n_true + n_found, bool)
    partner[detections], partner[objects] = objects, detections
    alarms[n_true + matched.rows[~hit]] = True
    missed = (partner < 0) & (np.arange(len(partner)) < n_true)
    status = np.select([missed, alarms], [MISSED, FALSE_ALARM], HIT)
    outlines = [*_outlines(declaration, true, of_truth=True), *_outlines(declaration, found, of_truth=False)]
    centroids = np.vstack([_centres(declaration, true), _centres(declaration, found)])
    pairs = np.flatnonzero(partner >= 0)
    distance, iou = np.full(len(partner), np.nan), np.full(len(partner), np.nan)
    distance[pairs] = np.linalg.norm(centroids[pairs] - centroids[partner[pairs]], axis=1)
    if declaration.task == "boxes":
        whole = np.vstack([true.places, found.places])
        pairs_of_rows = zip(pairs, partner[pairs], strict=True)
        iou[pairs] = [box_iou(whole[[i]], whole[[k]])[0, 0] for i, k in pairs_of_rows]
    scores = np.ones(n_found) if found.scores is None else found.scores
    return {
        "xy": np.concatenate([np.zeros((0, 2)), *outlines]),
        "start": np.cumsum([0, *map(len, outlines)]),
        "centroids": centroids,
        "kind": np.repeat([TRUTH, PREDICTION], [n_true, n_found]),
        "cls": np.r_[true.kinds, found.kinds],
        "status": status,
        "reason": np.zeros(len(partner), int),
        "partner": partner,
        "number": np.r_[np.arange(n_true), np.arange(n_found)] + 1,
        "score": np.r_[np.ones(n_true), scores],
        "distance": distance,
        "iou": iou,
    }


def _centres(declaration: Declaration, objects: Objects) -> Floats:
    """Return the middles [n, 2]."""
    places = objects.places.reshape(-1, 4 if declaration.task == "boxes" else 2)
    return places[:, :2] + places[:, 2:] / 2 if declaration.task == "boxes" else places


def _outlines(declaration: Declaration, objects: Objects, of_truth: bool) -> list[Floats]:
    """Return corners of boxes; of a point of the truth, the circle in which a detection matches it."""
    if declaration.task == "boxes":
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
        return [place[:2] + corners * place[2:] for place in objects.places]
    if not of_truth:
        return [np.zeros((0, 2))] * len(objects.places)
    radius = declaration.score[0].option("radius")
    radii = np.full(len(objects.places), radius) if objects.radii is None else objects.radii
    turn = np.linspace(0, 2 * np.pi, VERTICES, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return [place + r * circle for place, r in zip(objects.places, radii, strict=True)]
