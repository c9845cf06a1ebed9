"""Table of matches, with a row per nucleus: its outcome and the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.puma.nuclei_matching import Matching, PairedNuclei
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.arrays import Array
from scoring.common.text import csv_text
from scoring.core.scorecard import ScoreCard
from scoring.metrics import point_pairs

STATUSES = ("TP", "FP", "FN")
TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE = range(3)
REASONS = ("", "missing-case", "taken", "other-class", "nothing-near")
FOUND, MISSING_CASE, TAKEN, OTHER_CLASS, NOTHING_NEAR = range(5)
NONE = -1


@dataclass(frozen=True)
class NucleusOutcomes:
    """What happened to the nuclei of one side (truth or prediction), [n] each, in the order of
    `PairedNuclei`.

    Attributes:
        status: Index in STATUSES; -1 for a prediction that is left out.
        reason: Index in REASONS.
        partner: The matching nucleus of the other side, or the nucleus that the reason is about; -1 if there
            is none.
        distance: Distance to the partner in px; NaN if there is none.
    """

    status: np.ndarray
    reason: np.ndarray
    partner: np.ndarray
    distance: np.ndarray


def outcomes(d: PairedNuclei, m: Matching) -> tuple[NucleusOutcomes, NucleusOutcomes]:
    """Return the outcomes of true nuclei and of predictions.

    The reason of an error is the first of these that applies: the case has no prediction; the nearest nucleus
    of the same class within the radius has another match; the nearest nucleus within the radius has another
    class; no nucleus is near.
    """
    near, classes = m.near, (d.truth.classes, d.predicted.classes)
    truth = _outcomes_of(m.prediction, FALSE_NEGATIVE, (near.truth, near.prediction), near.distance, classes)
    truth.reason[(m.prediction < 0) & d.missing[d.truth.case]] = MISSING_CASE
    pairs = near.prediction, near.truth
    predicted = _outcomes_of(m.truth, FALSE_POSITIVE, pairs, near.distance, classes[::-1])
    predicted.status[~m.confident] = NONE
    truth.distance[m.prediction >= 0] = m.distance[m.prediction >= 0]
    predicted.distance[m.truth >= 0] = m.distance[m.truth[m.truth >= 0]]
    return truth, predicted


def _outcomes_of(
    matched: Array, unmatched: int, pairs: tuple[Array, Array], distance: Array, classes: tuple[Array, Array]
) -> NucleusOutcomes:
    """Return the result of one side. pairs: near nuclei of this and of the other side; classes: of both."""
    n, alone, (points, others) = len(matched), matched < 0, pairs
    rows = np.flatnonzero(alone[points])
    same = rows[classes[0][points[rows]] == classes[1][others[rows]]]
    outcomes = NucleusOutcomes(
        np.where(alone, unmatched, TRUE_POSITIVE),
        np.where(alone, NOTHING_NEAR, FOUND),
        matched.copy(),
        np.full(n, np.nan),
    )
    for reason, candidates in ((OTHER_CLASS, rows), (TAKEN, same)):
        row = point_pairs.nearest(points[candidates], others[candidates], distance[candidates], n)
        has = np.flatnonzero(row >= 0)
        chosen = candidates[row[has]]
        outcomes.reason[has] = reason
        outcomes.partner[has], outcomes.distance[has] = others[chosen], distance[chosen]
    return outcomes


def table(
    d: PairedNuclei, m: Matching, ids: Sequence[str], confidence: Array, iou: Array | None = None
) -> dict[str, Array]:
    """Return the columns of `ScoreCard.matches`, read-only. Rows are ordered by case. In each case, the true
    nuclei come first, both sides in the order of their file.

    Columns of texts, "" if there is none: case, truth_class, predicted_class, status, reason. Columns of
    positions in the list of a file, -1 if there is none: truth, prediction, near. Columns of numbers, NaN if
    there is none: confidence of the prediction, distance of a match (px), near_distance to `near` (px), and,
    if `iou` is given, iou of matched outlines.

    Args:
        confidence: Confidence of each prediction, as the rule defines it [m].
        iou: IoU of the outlines of each match [n], if the truth has outlines.
    """
    truth, predicted = outcomes(d, m)
    alone = np.flatnonzero(predicted.status == FALSE_POSITIVE)
    order = np.argsort(np.r_[d.truth.case, d.predicted.case[alone]], kind="stable")
    match, near = m.prediction, np.where(m.prediction < 0, truth.partner, NONE)
    nobody, undefined = np.full(len(alone), NONE), np.full(len(alone), np.nan)

    def column(of_truth: Array, of_predictions: Array) -> Array:
        return np.concatenate([of_truth, of_predictions])[order]

    columns = {
        "case": _named(ids, column(d.truth.case, d.predicted.case[alone])),
        "truth": column(d.truth.numbers, nobody),
        "prediction": column(_at(d.predicted.numbers, match, NONE), d.predicted.numbers[alone]),
        "truth_class": _named(CLASSES, column(d.truth.classes, nobody)),
        "predicted_class": _named(
            CLASSES, column(_at(d.predicted.classes, match, NONE), d.predicted.classes[alone])
        ),
        "confidence": column(_at(confidence, match, np.nan), confidence[alone]),
        "distance": column(m.distance, undefined),
        "status": _named(STATUSES, column(truth.status, predicted.status[alone])),
        "reason": _named(REASONS[1:], column(truth.reason, predicted.reason[alone]) - 1),
        "near": column(
            _at(d.predicted.numbers, near, NONE), _at(d.truth.numbers, predicted.partner[alone], NONE)
        ),
        "near_distance": column(np.where(match < 0, truth.distance, np.nan), predicted.distance[alone]),
    }
    if iou is not None:
        columns["iou"] = column(iou, undefined)
    for values in columns.values():
        values.setflags(write=False)
    return columns


def _at(values: np.ndarray, positions: np.ndarray, none: float) -> np.ndarray:
    """Return the values at positions, `none` where the position is -1."""
    values_there: Array = np.r_[values, none][positions]
    return values_there


def _named(names: Sequence[str], codes: np.ndarray) -> np.ndarray:
    """Texts that all rows share, so that a row costs no object; "" for -1."""
    texts: Array = np.array([*names, ""], object)[codes]
    return texts


def to_csv(card: ScoreCard) -> str:
    """Return the matches as CSV, not rounded, with empty cells for missing values."""
    columns = card.matches or {}
    return csv_text(columns, zip(*map(cells, columns.values()), strict=True))


def cells(column: Array) -> list[Any]:
    """Return a column of the matches as texts and numbers; missing values become ""."""
    if column.dtype == object:
        return list(column.tolist())
    empty = np.isnan(column) if column.dtype == float else column == NONE
    return list(np.where(empty, "", column.astype(object)).tolist())
