"""Metrics of points and boxes under the names of the registry: F1, FROC, average precision, COCO's mAP.

Without the argument `of`, a metric is the mean over the classes that have a true object.
"""

from collections.abc import Callable

import numpy as np

from scoring.common.arrays import Floats, Ints
from scoring.metrics import auc_and_average_precision
from scoring.metrics.classification import divide, f_score, mean_of_defined
from scoring.metrics.detection_matching import COCO_LIMITS
from scoring.metrics.task_cases import DetectionCases

RATES = {"luna16": 2.0 ** np.arange(-3, 4), "camelyon16": 2.0 ** np.arange(-2, 4)}
"""Variant of FROC -> numbers of false alarms per image; the sensitivities at these numbers are averaged."""
RECALLS = np.linspace(0, 1, 101)
CHUNK_CELLS = 2_000_000
OfClass = Callable[..., Floats]
"""Function from the cases, the class's rows, its number of objects [b] and the weights of images [b, N] to
the class's metric [b]."""


def f1(
    cases: DetectionCases, weights: Floats, average: str | None = None, of: str | None = None, **_: object
) -> Floats:
    """Return the F1 of all detections in every replicate [B].

    Args:
        weights: Weights of the images [B, N].
        average: "micro" pools all objects; otherwise the mean over the classes.
        of: Name of the only class that counts; None: all classes.
    """
    kinds = list(range(len(cases.classes))) if of is None else [cases.classes.index(of)]
    predicted, hits = (np.zeros(cases.objects.shape) for _ in range(2))
    np.add.at(predicted, (cases.image, cases.kind), 1)
    np.add.at(hits, (cases.image, cases.kind), cases.hit[:, 0])
    objects, predicted, hits = (
        weights.astype(float) @ sums[:, kinds] for sums in (cases.objects, predicted, hits)
    )
    if average == "micro":
        return f_score(hits.sum(1), objects.sum(1), predicted.sum(1))
    return mean_of_defined(f_score(hits, objects, predicted))


def _over_classes(of_class: OfClass) -> Callable[..., Floats]:
    """Return the mean of a metric over the classes that have an object, some replicates at a time."""

    def formula(
        cases: DetectionCases, weights: Floats, of: str | None = None, rates: str = "", **_: object
    ) -> Floats:
        chosen = {"rates": rates} if rates else {}
        kinds = range(len(cases.classes)) if of is None else [cases.classes.index(of)]
        values = np.full((len(weights), len(kinds)), np.nan)
        for column, kind in enumerate(kinds):
            rows = np.flatnonzero(cases.kind == kind)
            step = max(1, CHUNK_CELLS // max(1, len(rows)))
            for start in range(0, len(weights), step):
                chunk = weights[start : start + step].astype(float)
                objects: Floats = chunk @ cases.objects[:, kind].astype(float)
                reached = of_class(cases, rows, objects, chunk, **chosen) if len(rows) else 0.0
                values[start : start + step, column] = np.where(objects > 0, reached, np.nan)
        return mean_of_defined(values)

    return formula


def _curve(cases: DetectionCases, rows: Ints, w: Floats) -> auc_and_average_precision.RocCurves:
    return auc_and_average_precision.curve(
        auc_and_average_precision.levels(cases.score[rows], cases.hit[rows, 0]), w[:, cases.image[rows]]
    )


def _froc(cases: DetectionCases, rows: Ints, objects: Floats, w: Floats, rates: str) -> Floats:
    """Return the mean sensitivity at some numbers of false alarms per image, on straight lines between the
    points of the FROC curve."""
    curve = _curve(cases, rows, w)
    start, before = np.zeros((1, len(w))), np.vstack([np.zeros((1, len(w))), curve.reached])
    # To each level leads a line of false alarms between it and the level above, and one of its ties.
    alarms = np.stack([curve.alarms - curve.tied, curve.alarms], axis=1).reshape(-1, len(w))
    reached = np.stack([before[:-1], curve.reached], axis=1).reshape(-1, len(w))
    x = divide(np.vstack([start, alarms, curve.negatives]), w.sum(1))
    y = divide(np.vstack([start, reached, before[-1:]]), objects)
    return np.array([np.interp(RATES[rates], *xy).mean() for xy in zip(x.T, y.T, strict=True)])


def _average_precision(cases: DetectionCases, rows: Ints, objects: Floats, w: Floats) -> Floats:
    """Return the sum over the distinct scores of precision x step of recall, not interpolated."""
    curve = _curve(cases, rows, w)
    # Without a hit the curve has no precision: the sum is 0.
    return divide(
        np.nan_to_num(auc_and_average_precision.average_precision(curve)) * curve.positives, objects
    )


def _ap(cases: DetectionCases, rows: Ints, objects: Floats, w: Floats, limit: int = 0) -> Floats:
    """Return COCO's average precision at a limit of the overlap, interpolated at 101 recalls."""
    order = rows[np.argsort(-cases.score[rows], kind="stable")]
    own, hit = w[:, cases.image[order]], cases.hit[order, limit]
    hits, detected = np.cumsum(own * hit, axis=1), np.cumsum(own, axis=1)
    precision = divide(hits, detected, 0)
    highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    recall = divide(hits, objects[:, None])
    values = np.zeros(len(w))
    for b in range(len(w)):
        at = np.searchsorted(recall[b], RECALLS)
        values[b] = highest[b, at[at < len(order)]].sum() / len(RECALLS)
    return values


def _coco_map(cases: DetectionCases, rows: Ints, objects: Floats, w: Floats) -> Floats:
    """Return the mean of COCO's average precisions over its ten limits of the overlap."""
    mean: Floats = np.mean([_ap(cases, rows, objects, w, t) for t in range(len(COCO_LIMITS))], axis=0)
    return mean


froc, average_precision = _over_classes(_froc), _over_classes(_average_precision)
ap, coco_map = _over_classes(_ap), _over_classes(_coco_map)
