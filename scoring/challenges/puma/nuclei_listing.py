"""The nuclei of one case, with outlines and outcomes for the viewer, and as rows of a table."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.challenges.puma import nuclei_matching
from scoring.challenges.puma.match_table import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    REASONS,
    STATUSES,
    TRUE_POSITIVE,
    outcomes,
)
from scoring.challenges.puma.nuclei_matching import of_card, rule_of
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.outline_quality import matched_iou
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Array
from scoring.core.scorecard import ScoreCard
from scoring.inputs.nuclei.reader import Nuclei

TRUTH, PREDICTION = 0, 1


def overlay(
    truth: PumaTruth, predictions: NucleiPredictions, card: ScoreCard, index: int
) -> dict[str, Array]:
    """Return the nuclei of one case with the outlines from their files, in the columns of `marks`. The
    additional column iou [n] is the IoU of matched outlines; NaN without a match or an outline."""
    drawn = marks(card, index)
    counting = np.flatnonzero(rule_of(card).keeps(predictions.nuclei[index].confidences))
    sides = _outlines(truth.nuclei[index], slice(None)), _outlines(predictions.nuclei[index], counting)
    return drawn | {
        "xy": np.concatenate([xy for xy, _ in sides]),
        "start": np.cumsum(np.r_[0, *(lengths for _, lengths in sides)]),
        "iou": _iou(drawn, truth.nuclei[index], predictions.nuclei[index], counting),
    }


def _iou(drawn: dict[str, Array], truth: Nuclei, predicted: Nuclei, counting: Array) -> Array:
    """Return the IoU of the outlines of each match, at both of its nuclei [n]."""
    matched = np.flatnonzero((drawn["kind"] == TRUTH) & (drawn["status"] == TRUE_POSITIVE))
    partners = drawn["partner"][matched]
    iou = np.full(len(drawn["kind"]), np.nan)
    iou[matched] = matched_iou(truth, predicted, (matched, counting[partners - len(truth)]))
    iou[partners] = iou[matched]
    return iou


def marks(card: ScoreCard, index: int) -> dict[str, Array]:
    """Return the nuclei of one case as one list, truth first, without predictions below the smallest
    confidence of the scorecard.

    Columns for n nuclei:

    - xy: all outlines one after the other, float32 [v, 2], px; empty in a scorecard.
    - start: first vertex of each outline [n + 1]; equal neighbours mean no outline.
    - centroids: float64 [n, 2], px.
    - kind: 0 truth, 1 prediction.
    - cls, status, reason: positions in CLASSES, STATUSES and REASONS.
    - partner: row of the matching nucleus or of the one that the reason is about, or -1.
    - number: position in the list of its file.
    - score: confidence; 1 for the truth.
    - distance: px to the partner, or NaN.
    """
    d, rule = of_card(card), rule_of(card)
    m = nuclei_matching.match(d, rule)
    true, predicted = outcomes(d, m)
    t = slice(*d.truth.first[index : index + 2])
    (first_prediction, end) = d.predicted.first[index : index + 2]
    p = np.flatnonzero(m.confident[first_prediction:end]) + first_prediction
    n_truth = t.stop - t.start
    row = np.full(len(m.confident) + 1, -1)
    row[p] = np.arange(len(p)) + n_truth
    return {
        "xy": np.empty((0, 2), np.float32),
        "start": np.zeros(n_truth + len(p) + 1, int),
        "centroids": np.r_[d.truth.points[t], d.predicted.points[p]],
        "kind": np.repeat([TRUTH, PREDICTION], [n_truth, len(p)]),
        "cls": np.r_[d.truth.classes[t], d.predicted.classes[p]],
        "status": np.r_[true.status[t], predicted.status[p]],
        "reason": np.r_[true.reason[t], predicted.reason[p]],
        "partner": np.r_[
            row[true.partner[t]], np.where(predicted.partner[p] >= 0, predicted.partner[p] - t.start, -1)
        ],
        "number": np.r_[d.truth.numbers[t], d.predicted.numbers[p]],
        "score": np.r_[np.ones(n_truth), rule.confidences(d)[p]],
        "distance": np.r_[true.distance[t], predicted.distance[p]],
    }


def _outlines(nuclei: Nuclei, chosen: slice | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [v, 2] and their number in each outline [n] of the chosen nuclei."""
    lengths, is_chosen = np.diff(nuclei.starts.astype(int)), np.zeros(len(nuclei), bool)
    is_chosen[chosen] = True
    return nuclei.vertices[np.repeat(is_chosen, lengths)], lengths[is_chosen]


LISTS = {
    "errors": (FALSE_POSITIVE, FALSE_NEGATIVE),
    "FP": (FALSE_POSITIVE,),
    "FN": (FALSE_NEGATIVE,),
    "TP": (TRUE_POSITIVE,),
    "all": (TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE),
}
"""Name of a list of nuclei -> the statuses that the list shows."""
SIDES = ("truth", "prediction")
MOST = 2000
"""Maximum number of rows of a list, because a browser needs seconds for 100,000 rows."""


@dataclass(frozen=True)
class NucleusRow:
    """A true nucleus with its match, or a prediction without a match.

    Attributes:
        side: Whether it is a nucleus of the truth or of the prediction.
        number: Position in the list of the nucleus's file.
        centroid: x, y in px.
        distance: Distance in px to the match, or to the nucleus that `why` is about; None if there is
            neither.
        partner: Number of the matching prediction; None if there is none.
        iou: IoU of the outlines of a match; None if unknown.
    """

    status: str
    name: str
    side: str
    number: int
    centroid: tuple[float, float]
    confidence: float | None
    distance: float | None
    partner: int | None
    why: str
    iou: float | None = None


@dataclass(frozen=True)
class Listing:
    """The first `MOST` rows, and the total number of rows."""

    rows: tuple[NucleusRow, ...]
    total: int

    def place(self, side: str, number: int) -> int | None:
        """Return the index of the row that shows a nucleus; None if no row does. A matched prediction is in
        the row of its true nucleus."""
        for index, row in enumerate(self.rows):
            if (row.side, row.number) == (side, number) or (
                side == "prediction" and row.side == "truth" and row.partner == number
            ):
                return index
        return None


def listing(drawn: Mapping[str, np.ndarray], which: str, radius: float, most: int = MOST) -> Listing:
    """Return the rows of one case, truth first, each side in file order.

    Args:
        drawn: Result of `overlay`.
        which: One of LISTS.
        radius: Radius of the matching in px.
    """
    alone = (drawn["kind"] == TRUTH) | (drawn["status"] != TRUE_POSITIVE)
    chosen = np.flatnonzero(alone & np.isin(drawn["status"], LISTS[which]))
    return Listing(tuple(_row(drawn, i, radius) for i in chosen[:most].tolist()), len(chosen))


def nucleus_row(drawn: Mapping[str, np.ndarray], side: str, number: int, radius: float) -> NucleusRow | None:
    """Return the row of a nucleus; None if the case has no such nucleus. A matched prediction has the row of
    its true nucleus."""
    here = np.flatnonzero((drawn["kind"] == SIDES.index(side)) & (drawn["number"] == number))
    if not len(here):
        return None
    i = int(here[0])
    matched = drawn["kind"][i] == PREDICTION and drawn["status"][i] == TRUE_POSITIVE
    return _row(drawn, int(drawn["partner"][i]) if matched else i, radius)


def _row(drawn: Mapping[str, np.ndarray], i: int, radius: float) -> NucleusRow:
    status, partner = int(drawn["status"][i]), int(drawn["partner"][i])
    predicted = drawn["kind"][i] == PREDICTION
    matched = status == TRUE_POSITIVE
    told = i if predicted else partner if matched else -1
    x, y = drawn["centroids"][i].tolist()
    return NucleusRow(
        STATUSES[status],
        CLASSES[drawn["cls"][i]],
        SIDES[int(predicted)],
        int(drawn["number"][i]),
        (x, y),
        float(drawn["score"][told]) if told >= 0 else None,
        float(drawn["distance"][i]) if partner >= 0 else None,
        int(drawn["number"][partner]) if matched else None,
        _why(drawn, i, radius),
        None if np.isnan(drawn["iou"][i]) else float(drawn["iou"][i]),
    )


def _why(drawn: Mapping[str, np.ndarray], i: int, radius: float) -> str:
    reason, partner = REASONS[drawn["reason"][i]], int(drawn["partner"][i])
    there = SIDES[1 - int(drawn["kind"][i])]
    if reason == "nothing-near":
        return f"no {there} within {radius:g} px"
    if reason == "missing-case":
        return "this image has no prediction"
    if not reason:
        return "matched"
    away = f"{drawn['distance'][i]:.1f} px away"
    if reason == "taken":
        return f"the {there} of this class, {away}, is matched with another nucleus"
    return f"the nearest {there}, {away}, is {CLASSES[drawn['cls'][partner]].replace('_', ' ')}"
