"""The nuclei of one case with what became of each, as the viewer and pictures draw them."""

import numpy as np

from scoring.challenges.puma import matching
from scoring.challenges.puma.card import of_card, rule_of
from scoring.challenges.puma.matches import TRUE_POSITIVE, fates
from scoring.challenges.puma.outlines import matched_iou
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Array
from scoring.core.scorecard import ScoreCard
from scoring.inputs.nuclei import Nuclei

TRUTH, PREDICTION = 0, 1


def overlay(
    truth: PumaTruth, predictions: NucleiPredictions, card: ScoreCard, index: int
) -> dict[str, Array]:
    """Return the nuclei of one case with the outlines that their files hold; columns as of `marks`, and iou:
    of the outlines of a match [n], NaN where there is none or one has no outline."""
    drawn = marks(card, index)
    kept = np.flatnonzero(rule_of(card).keeps(predictions.nuclei[index].confidences))
    sides = _outlines(truth.nuclei[index], slice(None)), _outlines(predictions.nuclei[index], kept)
    return drawn | {
        "xy": np.concatenate([xy for xy, _ in sides]),
        "start": np.cumsum(np.r_[0, *(lengths for _, lengths in sides)]),
        "iou": _iou(drawn, truth.nuclei[index], predictions.nuclei[index], kept),
    }


def _iou(drawn: dict[str, Array], truth: Nuclei, predicted: Nuclei, kept: Array) -> Array:
    """Return the IoU of the outlines of each match, at both of its nuclei [n]."""
    matched = np.flatnonzero((drawn["kind"] == TRUTH) & (drawn["status"] == TRUE_POSITIVE))
    partners = drawn["partner"][matched]
    found = np.full(len(drawn["kind"]), np.nan)
    found[matched] = matched_iou(truth, predicted, (matched, kept[partners - len(truth)]))
    found[partners] = found[matched]
    return found


def marks(card: ScoreCard, index: int) -> dict[str, Array]:
    """Return the nuclei of one case in one list, truth first, without the predictions that the card's
    smallest confidence leaves out.

    Columns, n nuclei: xy float32 [v, 2], px, outlines one after the other, of which a card holds none; start
    [n + 1], where each begins (equal neighbours: there is none); centroids float64 [n, 2], px; kind 0 truth,
    1 prediction; cls: position in CLASSES; status: in STATUSES; reason: in REASONS; partner: row of the
    nucleus that it matches or that the reason is about, -1 = none; number: position in its file's list;
    score: confidence, 1 for the truth; distance: px to the partner, NaN = none.
    """
    d, rule = of_card(card), rule_of(card)
    m = matching.match(d, rule)
    true, found = fates(d, m)
    t, first_prediction, end = (
        slice(*d.truth.first[index : index + 2]),
        *d.predicted.first[index : index + 2],
    )
    p = np.flatnonzero(m.kept[first_prediction:end]) + first_prediction
    n_truth = t.stop - t.start
    row = np.full(len(m.kept) + 1, -1)
    row[p] = np.arange(len(p)) + n_truth
    return {
        "xy": np.empty((0, 2), np.float32),
        "start": np.zeros(n_truth + len(p) + 1, int),
        "centroids": np.r_[d.truth.points[t], d.predicted.points[p]],
        "kind": np.repeat([TRUTH, PREDICTION], [n_truth, len(p)]),
        "cls": np.r_[d.truth.classes[t], d.predicted.classes[p]],
        "status": np.r_[true.status[t], found.status[p]],
        "reason": np.r_[true.reason[t], found.reason[p]],
        "partner": np.r_[
            row[true.partner[t]], np.where(found.partner[p] >= 0, found.partner[p] - t.start, -1)
        ],
        "number": np.r_[d.truth.numbers[t], d.predicted.numbers[p]],
        "score": np.r_[np.ones(n_truth), rule.confidences(d)[p]],
        "distance": np.r_[true.distance[t], found.distance[p]],
    }


def _outlines(nuclei: Nuclei, chosen: slice | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [v, 2] and their number in each outline [n] of the chosen nuclei."""
    lengths, kept = np.diff(nuclei.starts.astype(int)), np.zeros(len(nuclei), bool)
    kept[chosen] = True
    return nuclei.vertices[np.repeat(kept, lengths)], lengths[kept]
