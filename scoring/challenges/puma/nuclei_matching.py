"""Matches nuclei within a radius: finds nearby pairs, and the matches under each rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from scoring.challenges.puma.formula import RADIUS, Tallies
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error
from scoring.core.scorecard import ScoreCard
from scoring.inputs.nuclei.reader import Nuclei
from scoring.metrics import point_pairs
from scoring.metrics.greedy_matching import match_in_order
from scoring.metrics.point_pairs import NearbyPairs

MOST_PAIRS = 10_000_000


@dataclass(frozen=True)
class Side:
    """Nuclei of one side (truth or prediction), case after case in the order of the truth.

    Attributes:
        first: Index of the first nucleus of each case, int64 [N + 1].
        classes: Index of each nucleus's class in CLASSES, int8 [n].
        points: Positions in px, float64 [n, 2].
        numbers: Position in the list of its file, int32 [n].
    """

    first: Ints
    classes: Ints
    points: Floats
    numbers: Ints

    @property
    def case(self) -> Ints:
        """The case of each nucleus, int64 [n]."""
        return cases_of(self.first)


@dataclass(frozen=True)
class PairedNuclei:
    """True and predicted nuclei of all cases, and the pairs that are near each other.

    Attributes:
        confidence: Confidence of each prediction, as in `Nuclei`, float64 [m]; `score` is its key `score`.
        twins: Group number of predictions with the same case, class and position, int32 [m]; -1 if alone.
        pairs: All pairs of a true nucleus and a prediction of the same case at most `reach` px apart.
        missing: Cases without prediction, bool [N].
    """

    truth: Side
    predicted: Side
    confidence: Floats
    score: Floats
    twins: Ints
    pairs: NearbyPairs
    missing: Bools
    reach: float

    def __len__(self) -> int:
        return len(self.missing)

    @property
    def arrays(self) -> dict[str, Array]:
        """Read-only arrays from which `from_arrays` restores the object."""
        named: dict[str, Array] = {
            "first_truth": self.truth.first,
            "first_prediction": self.predicted.first,
            "truth_class": self.truth.classes,
            "predicted_class": self.predicted.classes,
            "truth_points": self.truth.points,
            "predicted_points": self.predicted.points,
            "truth_number": self.truth.numbers,
            "predicted_number": self.predicted.numbers,
            "confidence": self.confidence,
            "score": self.score,
            "twins": self.twins,
            "pair_truth": self.pairs.truth,
            "pair_prediction": self.pairs.prediction,
            "pair_distance": self.pairs.distance,
            "missing": self.missing,
            "reach": np.array(self.reach),
        }
        for array in named.values():
            array.setflags(write=False)
        return named

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "PairedNuclei":
        """Restore nuclei and pairs from the arrays of a scorecard."""
        truth, predicted = (
            Side(arrays[first], *(arrays[f"{side}_{name}"] for name in ("class", "points", "number")))
            for side, first in (("truth", "first_truth"), ("predicted", "first_prediction"))
        )
        return cls(
            truth,
            predicted,
            arrays["confidence"],
            arrays["score"],
            arrays["twins"],
            NearbyPairs(*(arrays[f"pair_{name}"] for name in ("truth", "prediction", "distance"))),
            arrays["missing"],
            float(arrays["reach"]),
        )


def cases_of(first: Ints) -> Ints:
    """Return the case of each nucleus. `first` is the index of the first nucleus of each case [N + 1]."""
    return np.repeat(np.arange(len(first) - 1), np.diff(first))


def detections(truth: PumaTruth, predictions: NucleiPredictions, radius: float = RADIUS) -> PairedNuclei:
    """Return all nuclei, and their pairs up to `radius` px. Raises InputRefused (`too-large`) if there are
    too many pairs, and ValueError if the predictions were not read for this truth."""
    if predictions.ids != truth.ids:
        raise ValueError("predictions have to be read against the truth that they are scored on")
    true, predicted_nuclei = truth.nuclei, predictions.nuclei
    pairs = point_pairs.near_pairs(
        [n.centroids for n in true], [n.centroids for n in predicted_nuclei], radius, MOST_PAIRS
    )
    if pairs is None:
        raise InputRefused([crowded(predictions.name, radius)])
    predicted = _side(predicted_nuclei)
    return PairedNuclei(
        _side(true),
        predicted,
        np.concatenate([n.confidences for n in predicted_nuclei]),
        np.concatenate([n.scores for n in predicted_nuclei]),
        point_pairs.same_place(predicted.points, predicted.case * len(CLASSES) + predicted.classes),
        pairs,
        predictions.missing.copy(),
        float(radius),
    )


def _side(nuclei: Sequence[Nuclei]) -> Side:
    return Side(
        np.cumsum([0, *map(len, nuclei)]),
        np.concatenate([n.classes for n in nuclei]),
        np.concatenate([n.centroids for n in nuclei]),
        np.concatenate([n.numbers for n in nuclei]),
    )


def reaching(d: PairedNuclei, radius: float, most: int = MOST_PAIRS) -> PairedNuclei | None:
    """Return the nuclei with all pairs of a true and a predicted nucleus that are at most `radius` px apart;
    None if there are more than `most` pairs."""
    if radius <= d.reach:
        return d
    places = (
        [d.truth.points[a:b] for a, b in pairwise(d.truth.first)],
        [d.predicted.points[a:b] for a, b in pairwise(d.predicted.first)],
    )
    pairs = point_pairs.near_pairs(*places, radius, most)
    if pairs is None:
        return None
    return replace(d, pairs=pairs, reach=float(radius))


def crowded(name: str, radius: float) -> Finding:
    """Return the finding about nuclei that are more crowded than real cells can be."""
    message = (
        f"more than {MOST_PAIRS:,} pairs of a truth and a predicted nucleus lie within {radius:g} px of "
        "each other."
    )
    return error("too-large", name, f"{message} Check the coordinates, or choose a smaller --radius.")


K = len(CLASSES)


@dataclass(frozen=True)
class MatchingRule:
    """How nuclei are matched.

    Attributes:
        name: One of RULES.
        radius: Maximum distance in px.
        min_confidence: Predictions with a lower confidence are left out; None keeps all, even those with a
            negative confidence.
    """

    name: str = "description"
    radius: float = RADIUS
    min_confidence: float | None = None

    @property
    def inclusive(self) -> bool:
        """Whether a distance equal to the radius counts."""
        return self.name != "grand-challenge"

    def keeps(self, confidences: np.ndarray) -> np.ndarray:
        """Return which predictions are kept, bool [m]."""
        least = self.min_confidence
        return np.ones(len(confidences), bool) if least is None else confidences >= least

    def confidences(self, d: PairedNuclei) -> np.ndarray:
        """Return the confidence of each prediction [m], as the rule defines it."""
        return d.score if self.name == "grand-challenge" else d.confidence


@dataclass(frozen=True)
class Matching:
    """Result of a matching.

    Attributes:
        prediction: Index of the prediction that matches each true nucleus, int [n]; -1 if it is missed.
        truth: Index of the true nucleus that matches each prediction, int [m]; -1 if it is spurious.
        distance: Distance in px of each true nucleus to its match, float64 [n]; NaN if it is missed.
        confident: Predictions at or above the smallest confidence, bool [m].
        near: All pairs of confident predictions within the radius.
    """

    prediction: np.ndarray
    truth: np.ndarray
    distance: np.ndarray
    confident: np.ndarray
    near: NearbyPairs


def of_card(card: ScoreCard) -> PairedNuclei:
    """Return the nuclei and pairs from which a scorecard was computed."""
    return PairedNuclei.from_arrays(card.arrays)


def rule_of(card: ScoreCard) -> MatchingRule:
    """Return the matching rule of a scorecard."""
    options = card.provenance["options"]
    return MatchingRule(options["rules"], options["radius"], options["min_confidence"])


def match(d: PairedNuclei, rule: MatchingRule) -> Matching:
    """Match the nuclei of all cases and classes. Nuclei of different cases or classes never match. Raises
    ValueError if the radius of `rule` is larger than that of the known pairs."""
    if rule.radius > d.reach:
        raise ValueError(f"pairs are known up to {d.reach:g} px only")
    counting = rule.keeps(d.confidence)
    near = d.pairs[
        point_pairs.within(d.pairs.distance, rule.radius, rule.inclusive) & counting[d.pairs.prediction]
    ]
    same = near[d.truth.classes[near.truth] == d.predicted.classes[near.prediction]]
    twins = d.twins if rule.name == "grand-challenge" else None
    rows, used = point_pairs.choose(same, rule.confidences(d), twins)
    prediction, truth = np.full(len(d.truth.classes), -1), np.full(len(counting), -1)
    distance = np.full(len(prediction), np.nan)
    matched = same.truth[rows]
    prediction[matched], truth[used], distance[matched] = used, matched, same.distance[rows]
    return Matching(prediction, truth, distance, counting, near)


def match_all(d: PairedNuclei, rule: MatchingRule) -> dict[str, Matching]:
    """Return the matching under every rule, with the radius and the smallest confidence of `rule`."""
    matched, platform = (match(d, replace(rule, name=name)) for name in ("description", "grand-challenge"))
    return {"description": matched, "grand-challenge": platform, "pooled": matched}


def tallies(d: PairedNuclei, m: Matching) -> Tallies:
    """Count true nuclei, predictions and matches by image and class [N, 10]."""
    true, predicted = d.truth.case * K + d.truth.classes, d.predicted.case * K + d.predicted.classes
    cells = true[m.prediction >= 0], true, predicted[m.confident]
    return Tallies(*(np.bincount(c, minlength=len(d) * K).reshape(len(d), K) for c in cells))


def confusion(d: PairedNuclei, m: Matching) -> np.ndarray:
    """Return the confusion matrix [11, 11]. Rows are true classes; the last row and column mean "none".

    Matched nuclei are counted first. The remaining nuclei are then paired regardless of class, nearest first.
    """
    leftover = m.near[(m.prediction[m.near.truth] < 0) & (m.truth[m.near.prediction] < 0)]
    order = np.lexsort((leftover.prediction, leftover.truth, leftover.distance))
    rows, _ = match_in_order(leftover.truth, leftover.prediction, order)
    predicted_class = np.full(len(m.prediction), K)
    hit = m.prediction >= 0
    predicted_class[hit] = d.predicted.classes[m.prediction[hit]]
    predicted_class[leftover.truth[rows]] = d.predicted.classes[leftover.prediction[rows]]
    paired = np.zeros(len(m.truth), bool)
    paired[leftover.prediction[rows]] = True
    spurious = m.confident & (m.truth < 0) & ~paired
    counts = np.bincount(
        d.truth.classes.astype(int) * (K + 1) + predicted_class, minlength=(K + 1) ** 2
    ).reshape(K + 1, K + 1)
    counts[K, :K] += np.bincount(d.predicted.classes[spurious], minlength=K)
    return counts
