"""Metrics of points and boxes by the names of the registry: F1, FROC, average precision, COCO's mAP.

Without `of` they are the mean over the classes that have an object in the truth.
"""

from collections.abc import Callable

import numpy as np

from scoring.common.arrays import Floats, Ints
from scoring.metrics import roc
from scoring.metrics.classification import divide, f_score, mean_of_defined
from scoring.metrics.found_objects import COCO_LIMITS
from scoring.metrics.task_cases import DetectionCases

RATES = {"luna16": 2.0 ** np.arange(-3, 4), "camelyon16": 2.0 ** np.arange(-2, 4)}
"""False alarms per image at which sensitivity is read."""
RECALLS = np.linspace(0, 1, 101)
CHUNK_CELLS = 2_000_000
OfClass = Callable[[Ints, Floats, Floats], Floats]
"""A metric [b] of one class, of its rows, its objects [b] and the weights of the images [b, N]."""


def f1(
    cases: DetectionCases, weights: Floats, average: str | None = None, of: str | None = None, **_: object
) -> Floats:
    """Return F1 of the detections of all images [B]."""
    kinds = list(range(len(cases.classes))) if of is None else [cases.classes.index(of)]
    found, hits = (np.zeros(cases.objects.shape) for _ in range(2))
    np.add.at(found, (cases.image, cases.kind), 1)
    np.add.at(hits, (cases.image, cases.kind), cases.hit[:, 0])
    objects, found, hits = (weights.astype(float) @ sums[:, kinds] for sums in (cases.objects, found, hits))
    if average == "micro":
        return f_score(hits.sum(1), objects.sum(1), found.sum(1))
    return mean_of_defined(f_score(hits, objects, found))


def froc(cases: DetectionCases, weights: Floats, rates: str, of: str | None = None, **_: object) -> Floats:
    """Return the mean sensitivity at some numbers of false alarms per image [B], on straight lines between
    the points of the FROC curve."""

    def of_class(rows: Ints, objects: Floats, w: Floats) -> Floats:
        levels = roc.levels(cases.score[rows], cases.hit[rows, 0])
        curve = roc.curve(levels, w[:, cases.image[rows]])
        start, before = np.zeros((1, len(w))), np.vstack([np.zeros((1, len(w))), curve.reached])
        # To each level leads a line of false alarms between it and the level above, and one of its ties.
        alarms = np.stack([curve.alarms - curve.tied, curve.alarms], axis=1).reshape(-1, len(w))
        reached = np.stack([before[:-1], curve.reached], axis=1).reshape(-1, len(w))
        x = divide(np.vstack([start, alarms, curve.negatives]), w.sum(1))
        y = divide(np.vstack([start, reached, before[-1:]]), objects)
        return np.array([np.interp(RATES[rates], *xy).mean() for xy in zip(x.T, y.T, strict=True)])

    return _over_classes(of_class, cases, weights, of)


def average_precision(cases: DetectionCases, weights: Floats, of: str | None = None, **_: object) -> Floats:
    """Return the sum over the distinct scores of precision x step of recall [B], not interpolated."""

    def of_class(rows: Ints, objects: Floats, w: Floats) -> Floats:
        levels = roc.levels(cases.score[rows], cases.hit[rows, 0])
        curve = roc.curve(levels, w[:, cases.image[rows]])
        # Without a hit the curve has no precision: the sum is 0.
        return divide(np.nan_to_num(roc.average_precision(curve)) * curve.positives, objects)

    return _over_classes(of_class, cases, weights, of)


def ap(cases: DetectionCases, weights: Floats, of: str | None = None, **_: object) -> Floats:
    """Return COCO's average precision at one limit of the overlap [B], interpolated at 101 recalls."""
    return _over_classes(lambda *of_class: _coco(cases, 0, *of_class), cases, weights, of)


def coco_map(cases: DetectionCases, weights: Floats, of: str | None = None, **_: object) -> Floats:
    """Return COCO's mean average precision over ten limits of the overlap [B]."""
    return _over_classes(
        lambda *of_class: np.mean([_coco(cases, t, *of_class) for t in range(len(COCO_LIMITS))], axis=0),
        cases,
        weights,
        of,
    )


def _coco(cases: DetectionCases, limit: int, rows: Ints, objects: Floats, w: Floats) -> Floats:
    order = rows[np.argsort(-cases.score[rows], kind="stable")]
    own, hit = w[:, cases.image[order]], cases.hit[order, limit]
    hits, found = np.cumsum(own * hit, axis=1), np.cumsum(own, axis=1)
    precision = divide(hits, found, 0)
    highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    recall = divide(hits, objects[:, None])
    values = np.zeros(len(w))
    for b in range(len(w)):
        at = np.searchsorted(recall[b], RECALLS)
        values[b] = highest[b, at[at < len(order)]].sum() / len(RECALLS)
    return values


def _over_classes(of_class: OfClass, cases: DetectionCases, weights: Floats, of: str | None) -> Floats:
    """Return the mean of a metric over the classes that have an object, some replicates at a time."""
    kinds = range(len(cases.classes)) if of is None else [cases.classes.index(of)]
    values = np.full((len(weights), len(kinds)), np.nan)
    for column, kind in enumerate(kinds):
        rows = np.flatnonzero(cases.kind == kind)
        step = max(1, CHUNK_CELLS // max(1, len(rows)))
        for start in range(0, len(weights), step):
            chunk = weights[start : start + step].astype(float)
            objects: Floats = chunk @ cases.objects[:, kind].astype(float)
            found = of_class(rows, objects, chunk) if len(rows) else np.zeros(len(chunk))
            values[start : start + step, column] = np.where(objects > 0, found, np.nan)
    return mean_of_defined(values)
