"""Match the detections of one image with its true objects, for FROC, F1 of points and mAP of boxes; and
return marks that show the matches.

For nuclei of PUMA see `scoring.challenges.puma.nuclei_matching`.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import InputRefused, error
from scoring.metrics import point_pairs
from scoring.metrics.classification import divide
from scoring.metrics.greedy_matching import match_in_order
from scoring.metrics.metric import Metric
from scoring.metrics.task_cases import DetectionCases, Objects

MOST_PAIRS = 10_000_000
COCO_LIMITS = np.linspace(0.5, 0.95, 10)
COCO_DETECTIONS = 100
"""Maximum detections per class and image that COCO considers, highest scores first."""


class DetectionMatches(NamedTuple):
    """Hits and false alarms of an image.

    Attributes:
        rows: Row of the detection in each entry [d]; a detection that hits several objects has one entry per
            object.
        hit: Whether the entry is a hit at each of T thresholds [d, T].
        partner: Row of the object that is hit at the first threshold [d]; -1 for false alarms.
    """

    rows: Ints
    hit: Bools
    partner: Ints


def detection_cases(
    metric: Metric, images: Iterable[tuple[Objects, Objects]], classes: tuple[str, ...], **chosen: float | str
) -> DetectionCases:
    """Match the detections of images, one image after the other.

    Args:
        images: Objects of the truth and detections of each image.
    """
    counts, parts = [], []
    for number, (truth, detected) in enumerate(images):
        rows, hit, _ = metric.measure(truth, detected, **chosen)
        counts.append(np.bincount(truth.kinds, minlength=len(classes)))
        parts.append((np.full(len(rows), number), detected.kinds[rows], _scores(detected)[rows], hit))
    image, kinds, scores, hits = (np.concatenate(column) for column in zip(*parts, strict=True))
    return DetectionCases(image, kinds, scores, hits, np.array(counts), classes)


def chosen_points(truth: Objects, detected: Objects, radius: float, prefer: str) -> DetectionMatches:
    """Match points one to one. Each true point in turn takes a free detection: the nearest within its radius,
    or the one with the highest score.

    Args:
        radius: Largest distance of a match, for true points without their own radius.
        prefer: "nearest" or "score".
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        confidence = _scores(detected)[guess] if prefer == "score" else np.zeros(len(guess))
        pairs = _near(truth, detected, true, guess, radius, inclusive=True)
        rows, detections = point_pairs.choose(pairs, confidence)
        return _one_to_one(true[pairs.truth[rows]], guess, detections)

    return _by_kind(truth, detected, match)


def ranked_points(truth: Objects, detected: Objects, radius: float) -> DetectionMatches:
    """Match points one to one. Each detection, highest score first, takes the nearest free true point whose
    radius contains the detection.

    Args:
        radius: Largest distance of a match, for true points without their own radius.
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        score = _scores(detected)[guess]
        pairs = _near(truth, detected, true, guess, radius, inclusive=True)
        order = np.lexsort((pairs.truth, pairs.distance, pairs.prediction, -score[pairs.prediction]))
        rows = match_in_order(pairs.prediction, pairs.truth, order)[0]
        return _one_to_one(true[pairs.truth[rows]], guess, pairs.prediction[rows])

    return _by_kind(truth, detected, match)


def froc_points(truth: Objects, detected: Objects, radius: float) -> DetectionMatches:
    """Assign to each true point the highest score of the detections within its radius (LUNA16). A detection
    outside all radii is a false alarm.

    Args:
        radius: A hit is nearer than this distance, for true points without their own radius.
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        pairs = _near(truth, detected, true, guess, radius, inclusive=False)
        return _best_of_each(true[pairs.truth], pairs.prediction, _scores(detected)[guess], guess)

    return _by_kind(truth, detected, match)


def froc_boxes(truth: Objects, detected: Objects, iou: float) -> DetectionMatches:
    """Assign to each true box the highest score of the detections that overlap it enough. A detection that
    overlaps no box enough is a false alarm.

    Args:
        iou: Minimum intersection over union, from 0 to 1.
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        first, second = np.nonzero(box_iou(truth.places[true], detected.places[guess]) >= iou)
        return _best_of_each(true[first], second, _scores(detected)[guess], guess)

    return _by_kind(truth, detected, match)


def coco_boxes(truth: Objects, detected: Objects, iou: float | None = None) -> DetectionMatches:
    """Match boxes as COCO does. Each detection, highest score first, takes the free true box with the largest
    overlap.

    Args:
        iou: Minimum intersection over union; None uses COCO's ten thresholds.
    """
    limits = COCO_LIMITS if iou is None else np.array([iou])

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        ranked = guess[np.argsort(-_scores(detected)[guess], kind="stable")][:COCO_DETECTIONS]
        overlaps = box_iou(detected.places[ranked], truth.places[true])
        hit, partner = np.zeros((len(ranked), len(limits)), bool), np.full(len(ranked), -1)
        for column, limit in enumerate(limits):
            free = np.ones(len(true), bool)
            for row in np.flatnonzero(overlaps.max(1, initial=0) >= min(limit, 1 - 1e-10)):
                shares = np.where(free, overlaps[row], -1)[::-1]
                # Of equal overlaps COCO takes the box that is listed last.
                best = len(shares) - 1 - int(shares.argmax())
                if free[best] and overlaps[row, best] >= min(limit, 1 - 1e-10):
                    hit[row, column], free[best] = True, False
                    partner[row] = partner[row] if column else true[best]
        return DetectionMatches(ranked, hit, partner)

    return _by_kind(truth, detected, match)


def box_iou(first: Floats, second: Floats) -> Floats:
    """Return intersection over union of boxes [n, m].

    Args:
        first: Boxes, x, y, width and height [n, 4].
        second: Other boxes [m, 4].
    """
    sides = []
    for axis in (0, 1):
        low = np.maximum(first[:, None, axis], second[None, :, axis])
        high = np.minimum(
            first[:, None, axis] + first[:, None, axis + 2], second[None, :, axis] + second[None, :, axis + 2]
        )
        sides.append(np.maximum(high - low, 0))
    both = sides[0] * sides[1]
    areas = [boxes[:, 2] * boxes[:, 3] for boxes in (first, second)]
    union = areas[0][:, None] + areas[1] - both
    return divide(both, union, 0)


def _scores(detected: Objects) -> Floats:
    return np.ones(len(detected.places)) if detected.scores is None else np.asarray(detected.scores, float)


def _near(
    truth: Objects, detected: Objects, true: Ints, guess: Ints, radius: float, inclusive: bool
) -> point_pairs.NearbyPairs:
    """Return pairs of some points of the truth and some detections within the radius of the former, by their
    places among these."""
    radii = np.full(len(true), radius) if truth.radii is None else truth.radii[true]
    pairs = point_pairs.near_pairs(
        [truth.places[true]], [detected.places[guess]], float(radii.max(initial=0)), MOST_PAIRS
    )
    if pairs is None:
        advice = (
            f"more than {MOST_PAIRS:,} pairs of an object and a detection are close together: choose a "
            "smaller distance."
        )
        raise InputRefused([error("bad-option", "radius", advice)])
    return pairs[point_pairs.within(pairs.distance, radii[pairs.truth], inclusive)]


def _one_to_one(objects: Ints, guess: Ints, detections: Ints) -> DetectionMatches:
    """Return all detections of a class, some of them, by their places among these, hits of objects."""
    partner = np.full(len(guess), -1)
    partner[detections] = objects
    return DetectionMatches(guess, partner[:, None] >= 0, partner)


def _best_of_each(objects: Ints, detections: Ints, scores: Floats, guess: Ints) -> DetectionMatches:
    """Return a hit for each object that has a detection and a false alarm for each detection without one."""
    order = np.lexsort((-scores[detections], objects))
    found, first = np.unique(objects[order], return_index=True)
    alarms = np.setdiff1d(np.arange(len(guess)), detections)
    partner = np.r_[found, np.full(len(alarms), -1)]
    return DetectionMatches(guess[np.r_[detections[order][first], alarms]], partner[:, None] >= 0, partner)


def _by_kind(
    truth: Objects, detected: Objects, match: Callable[[Ints, Ints], DetectionMatches]
) -> DetectionMatches:
    """Match the objects of each detected class; without detections, those of a class that does not occur."""
    parts = [
        match(np.flatnonzero(truth.kinds == kind), np.flatnonzero(detected.kinds == kind))
        for kind in (np.unique(detected.kinds) if len(detected.kinds) else [-1])
    ]
    return DetectionMatches(*(np.concatenate(column) for column in zip(*parts, strict=True)))


TRUTH, PREDICTION = 0, 1
HIT, FALSE_ALARM, MISSED = 0, 1, 2
VERTICES = 32
"""Number of vertices of the circle around a point."""


def object_marks(
    true: Objects, found: Objects, matched: DetectionMatches, radius: float | None
) -> dict[str, Array]:
    """Return objects and detections of an image as columns [n], true objects first.

    Args:
        matched: Matches of the detections with the true objects.
        radius: Largest distance of a detection from a true point, if the truth does not state it; None for
            boxes.

    Returns:
        xy [v, 2], the vertices of all outlines; start [n + 1], the index in xy at which each outline starts;
        centroids [n, 2]; kind (0 truth, 1 prediction), cls, status (0 hit, 1 false alarm, 2 missed), partner
        (row of the matched object or detection, -1 for none), number, score, distance and, for boxes, iou.
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
