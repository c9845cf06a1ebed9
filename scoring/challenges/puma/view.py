"""What a page draws of a scorecard: the nuclei of one case with what became of them, and the score along
radius and confidence."""

from dataclasses import replace

import numpy as np

from scoring.challenges.puma import matching
from scoring.challenges.puma.card import of_card, rule_of
from scoring.challenges.puma.detections import Detections, reaching
from scoring.challenges.puma.formula import RADIUS_RANGE, class_values, macro_f1, sums
from scoring.challenges.puma.matches import fates
from scoring.challenges.puma.matching import Rule
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import Truth
from scoring.readers.nuclei import Nuclei
from scoring.scorecard import ScoreCard

OBSERVERS = {
    "between observers": {"f1": 0.8020, "precision": 0.8034, "recall": 0.8062},
    "one observer twice": {"f1": 0.8566, "precision": 0.8489, "recall": 0.8645},
}
"""How well pathologists agree in detecting nuclei, on 12 regions; source: the challenge's own description. To
be held against micro F1 and detection F1, never against a macro F1."""
TRUTH, PREDICTION = 0, 1
MOST_DRAWN_PAIRS = 2_000_000


def overlay(
    truth: Truth, predictions: NucleiPredictions, card: ScoreCard, index: int
) -> dict[str, np.ndarray]:
    """The nuclei of one case with their outlines, as far as their files hold any: columns as of `marks`."""
    drawn = marks(card, index)
    kept = np.flatnonzero(predictions.nuclei[index].confidences >= rule_of(card).min_confidence)
    sides = _outlines(truth.nuclei[index], slice(None)), _outlines(predictions.nuclei[index], kept)
    return drawn | {
        "xy": np.concatenate([xy for xy, _ in sides]),
        "start": np.cumsum(np.r_[0, *(lengths for _, lengths in sides)]),
    }


def marks(card: ScoreCard, index: int) -> dict[str, np.ndarray]:
    """The nuclei of one case in one list, truth first, without the predictions that the card's smallest
    confidence leaves out.

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
        slice(*d.first_truth[index : index + 2]),
        *d.first_prediction[index : index + 2],
    )
    p = np.flatnonzero(m.kept[first_prediction:end]) + first_prediction
    n_truth = t.stop - t.start
    row = np.full(len(m.kept) + 1, -1)
    row[p] = np.arange(len(p)) + n_truth
    return {
        "xy": np.empty((0, 2), np.float32),
        "start": np.zeros(n_truth + len(p) + 1, int),
        "centroids": np.r_[d.truth_points[t], d.predicted_points[p]],
        "kind": np.repeat([TRUTH, PREDICTION], [n_truth, len(p)]),
        "cls": np.r_[d.truth_class[t], d.predicted_class[p]],
        "status": np.r_[true.status[t], found.status[p]],
        "reason": np.r_[true.reason[t], found.reason[p]],
        "partner": np.r_[
            row[true.partner[t]], np.where(found.partner[p] >= 0, found.partner[p] - t.start, -1)
        ],
        "number": np.r_[d.truth_number[t], d.predicted_number[p]],
        "score": np.r_[np.ones(n_truth), rule.confidences(d)[p]],
        "distance": np.r_[true.distance[t], found.distance[p]],
    }


def _outlines(nuclei: Nuclei, chosen: slice | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [v, 2] and their number in each outline [n] of the chosen nuclei."""
    lengths, kept = np.diff(nuclei.starts.astype(int)), np.zeros(len(nuclei), bool)
    kept[chosen] = True
    return nuclei.vertices[np.repeat(kept, lengths)], lengths[kept]


def worst_first(card: ScoreCard) -> tuple[int, ...]:
    """Places of the cases by macro F1, the lowest first; equal ones by what they miss and invent, images
    empty on both sides last."""

    def rank(i: int) -> tuple:
        row = card.cases[i]
        return row["macro_f1"] is None, row["macro_f1"] or 0.0, -(row["fp"] + row["fn"])

    return tuple(sorted(range(len(card.cases)), key=rank))


def widest(card: ScoreCard) -> Detections:
    """The nuclei of a card with their pairs up to 30 px; where nuclei are crowded, up to the card's own
    radius."""
    d = of_card(card)
    return reaching(d, RADIUS_RANGE[1], MOST_DRAWN_PAIRS) or d


def along_radius(card: ScoreCard, steps: int = 30) -> dict[str, np.ndarray]:
    """The score by the card's rule at radii from 1 to 30 px, its smallest confidence unchanged; "x" in px,
    "y". Where nuclei are crowded it ends at the card's own radius."""
    rule, x, d = rule_of(card), np.linspace(*RADIUS_RANGE, steps), widest(card)
    x = x[x <= d.reach]
    return _along(d, x, [replace(rule, radius=float(radius)) for radius in x])


def along_confidence(card: ScoreCard, steps: int = 30) -> dict[str, np.ndarray]:
    """The score by the card's rule when predictions below a confidence are left out, its radius unchanged;
    "x": evenly spread among the confidences that occur, 0 first where all are above it, "y"."""
    rule, values = rule_of(card), np.unique(np.r_[card.arrays["confidence"], 0.0])
    x = values[np.unique(np.rint(np.linspace(0, len(values) - 1, steps)).astype(int))]
    return _along(of_card(card), x, [replace(rule, min_confidence=float(least)) for least in x])


def _along(d: Detections, x: np.ndarray, rules: list[Rule]) -> dict[str, np.ndarray]:
    return {"x": x, "y": np.array([_score(d, rule) for rule in rules])}


def _score(d: Detections, rule: Rule) -> float:
    counted = matching.tallies(d, matching.match(d, rule))
    values = class_values(rule.name, sums(counted, np.ones((1, len(d)))))
    return float(macro_f1(rule.name, values, int(counted.occurs.any(0).sum()))[0])
