"""Marks for the points or boxes of one image: outlines, hits, false alarms and misses as columns."""

import numpy as np

from scoring.common.arrays import Array, Floats
from scoring.metrics.detection_matching import DetectionMatches, box_iou
from scoring.metrics.task_cases import Objects

TRUTH, PREDICTION = 0, 1
HIT, FALSE_ALARM, MISSED = 0, 1, 2
VERTICES = 32
"""Number of vertices of the circle around a point."""


def object_marks(
    true: Objects, found: Objects, matched: DetectionMatches, radius: float | None
) -> dict[str, Array]:
    """Return objects and detections of an image as columns [n], true objects first.

    Args:
        true: True objects.
        found: Detections.
        matched: Matches between both.
        radius: Allowed distance of a detection from a point, if the truth does not state it; None for boxes.

    Returns:
        xy [v, 2] and start [n + 1], the vertices of all outlines and where each outline starts; centroids [n,
        2]; kind (0 truth, 1 prediction), cls, status (0 hit, 1 false alarm, 2 missed), partner (row of the
        matched object or detection, -1 for none), number, score, distance and, for boxes, iou.
    """
    n_true, n_found = len(true.places), len(found.places)
    hit = matched.hit[:, 0]
    detections, objects = n_true + matched.rows[hit], matched.partner[hit]
    partner, alarms = np.full(n_true + n_found, -1), np.zeros(n_true + n_found, bool)
    partner[detections], partner[objects] = objects, detections
    alarms[n_true + matched.rows[~hit]] = True
    missed = (partner < 0) & (np.arange(len(partner)) < n_true)
    status = np.select([missed, alarms], [MISSED, FALSE_ALARM], HIT)
    centroids = np.vstack([_centres(true, radius), _centres(found, radius)])
    pairs = np.flatnonzero(partner >= 0)
    distance, iou = np.full(len(partner), np.nan), np.full(len(partner), np.nan)
    distance[pairs] = np.linalg.norm(centroids[pairs] - centroids[partner[pairs]], axis=1)
    if radius is None:
        outlines = _corners(true) + _corners(found)
        whole = np.vstack([true.places, found.places])
        pairs_of_rows = zip(pairs, partner[pairs], strict=True)
        iou[pairs] = [box_iou(whole[[i]], whole[[k]])[0, 0] for i, k in pairs_of_rows]
    else:
        outlines = _circles(true, radius) + [np.zeros((0, 2))] * n_found
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
        "score": np.r_[np.ones(n_true), np.ones(n_found) if found.scores is None else found.scores],
        "distance": distance,
        "iou": iou,
    }


def _centres(objects: Objects, radius: float | None) -> Floats:
    """Return the middles [n, 2]."""
    if radius is not None:
        return objects.places.reshape(-1, 2)
    places = objects.places.reshape(-1, 4)
    return places[:, :2] + places[:, 2:] / 2


def _corners(boxes: Objects) -> list[Floats]:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    return [place[:2] + corners * place[2:] for place in boxes.places]


def _circles(points: Objects, radius: float) -> list[Floats]:
    """Return the circle in which a detection matches each point of the truth."""
    radii = np.full(len(points.places), radius) if points.radii is None else points.radii
    turn = np.linspace(0, 2 * np.pi, VERTICES, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return [place + r * circle for place, r in zip(points.places, radii, strict=True)]
