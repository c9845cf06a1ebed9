"""Marks of declared points and boxes on one image: each object and detection, with the result of it."""

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.object_readers import Detections
from scoring.common.arrays import Array, Floats
from scoring.metrics.detection_matching import box_iou
from scoring.metrics.task_cases import Objects

TRUTH, PREDICTION = 0, 1
HIT, FALSE_ALARM, MISSED = 0, 1, 2
VERTICES = 32
"""Of the circle within which a point is found."""


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

    Args:
        truth: The test set.
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
    """Return the corners of boxes; for a point of the truth, those of the circle in which a detection
    matches it."""
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
