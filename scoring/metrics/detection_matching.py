"""Matches of the detections of one image, as FROC, F1 of points and mAP of boxes use them.

For nuclei of PUMA see `scoring.challenges.puma.nuclei_matching`.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints
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
        rows: Number of the detection of each match [d]; a detection that hits several objects occurs once for
            each.
        hit: Whether it is a hit at each of T thresholds [d, T].
        partner: Row of the object that it hits, at the first threshold [d]; -1 for false alarms.
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
    """Match points one to one: each true point in turn takes the nearest free detection within its radius, or
    the free detection with the highest score.

    Args:
        radius: Largest distance of a match, for points without their own radius.
        prefer: "nearest" or "score".
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        confidence = _scores(detected)[guess] if prefer == "score" else np.zeros(len(guess))
        pairs = _near(truth, detected, true, guess, radius, inclusive=True)
        rows, detections = point_pairs.choose(pairs, confidence)
        return _one_to_one(true[pairs.truth[rows]], guess, detections)

    return _by_kind(truth, detected, match)


def ranked_points(truth: Objects, detected: Objects, radius: float) -> DetectionMatches:
    """Match points one to one: each detection, highest score first, takes the nearest free true point whose
    radius contains it.

    Args:
        radius: Largest distance of a match, for points without their own radius.
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        score = _scores(detected)[guess]
        pairs = _near(truth, detected, true, guess, radius, inclusive=True)
        order = np.lexsort((pairs.truth, pairs.distance, pairs.prediction, -score[pairs.prediction]))
        rows = match_in_order(pairs.prediction, pairs.truth, order)[0]
        return _one_to_one(true[pairs.truth[rows]], guess, pairs.prediction[rows])

    return _by_kind(truth, detected, match)


def froc_points(truth: Objects, detected: Objects, radius: float) -> DetectionMatches:
    """Give each true point the highest score of the detections within its radius; a detection outside all
    radii is a false alarm (LUNA16).

    Args:
        radius: Distance below which a detection counts, for points without their own radius.
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        pairs = _near(truth, detected, true, guess, radius, inclusive=False)
        return _best_of_each(true[pairs.truth], pairs.prediction, _scores(detected)[guess], guess)

    return _by_kind(truth, detected, match)


def froc_boxes(truth: Objects, detected: Objects, iou: float) -> DetectionMatches:
    """Give each true box the highest score of the detections that overlap it enough; a detection that
    overlaps no box enough is a false alarm.

    Args:
        iou: Minimum intersection over union.
    """

    def match(true: Ints, guess: Ints) -> DetectionMatches:
        first, second = np.nonzero(box_iou(truth.places[true], detected.places[guess]) >= iou)
        return _best_of_each(true[first], second, _scores(detected)[guess], guess)

    return _by_kind(truth, detected, match)


def coco_boxes(truth: Objects, detected: Objects, iou: float | None = None) -> DetectionMatches:
    """Match boxes as COCO does: each detection, highest score first, takes the free true box that it overlaps
    most.

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
