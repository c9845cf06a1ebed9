"""Which truth nucleus is found by which prediction, under each rule."""

from dataclasses import dataclass, replace

import numpy as np

from scoring.challenges.puma.detections import Detections
from scoring.challenges.puma.formula import RADIUS, Tallies
from scoring.challenges.puma.names import CLASSES
from scoring.metrics import detection
from scoring.metrics.detection import NearbyPairs

K = len(CLASSES)


@dataclass(frozen=True)
class MatchingRule:
    """name: one of RULES. radius: px. min_confidence: predictions below are left out; None keeps every one,
    also of a confidence below 0."""

    name: str = "description"
    radius: float = RADIUS
    min_confidence: float | None = None

    @property
    def inclusive(self) -> bool:
        """Whether the circle itself is within the radius."""
        return self.name != "grand-challenge"

    def keeps(self, confidences: np.ndarray) -> np.ndarray:
        """Return which predictions are not left out, bool [m], by their confidences [m]."""
        least = self.min_confidence
        return np.ones(len(confidences), bool) if least is None else confidences >= least

    def confidences(self, d: Detections) -> np.ndarray:
        """Return the confidence of each prediction [m] as the rule reads it."""
        return d.score if self.name == "grand-challenge" else d.confidence


@dataclass(frozen=True)
class Matching:
    """prediction: of each truth nucleus, int [n], -1 = missed. truth: of each prediction, int [m], -1 =
    spurious. distance: float64 [n], px, NaN where missed. kept: bool [m], the predictions that the smallest
    confidence leaves. near: all pairs of kept predictions within the radius."""

    prediction: np.ndarray
    truth: np.ndarray
    distance: np.ndarray
    kept: np.ndarray
    near: NearbyPairs


def match(d: Detections, rule: MatchingRule) -> Matching:
    """Match every case and class at once: nuclei of other cases or classes never meet in a pair."""
    if rule.radius > d.reach:
        raise ValueError(f"pairs are known up to {d.reach:g} px only")
    kept = rule.keeps(d.confidence)
    near = d.pairs[detection.within(d.pairs.distance, rule.radius, rule.inclusive) & kept[d.pairs.prediction]]
    same = near[d.truth.classes[near.truth] == d.predicted.classes[near.prediction]]
    twins = d.twins if rule.name == "grand-challenge" else None
    rows, used = detection.choose(same, rule.confidences(d), twins)
    prediction, truth = np.full(len(d.truth.classes), -1), np.full(len(kept), -1)
    distance = np.full(len(prediction), np.nan)
    prediction[same.truth[rows]], truth[used], distance[same.truth[rows]] = (
        used,
        same.truth[rows],
        same.distance[rows],
    )
    return Matching(prediction, truth, distance, kept, near)


def match_all(d: Detections, rule: MatchingRule) -> dict[str, Matching]:
    """Return the matching of every rule, with the radius and smallest confidence of `rule`."""
    description, platform = (replace(rule, name=name) for name in ("description", "grand-challenge"))
    matched = match(d, description)
    # Nothing on the circle itself, no twins and no confidence under another key: then the rules choose alike.
    alike = (
        not (d.pairs.distance == rule.radius).any()
        and (d.twins < 0).all()
        and (d.score == d.confidence).all()
    )
    return {
        "description": matched,
        "grand-challenge": matched if alike else match(d, platform),
        "pooled": matched,
    }


def tallies(d: Detections, m: Matching) -> Tallies:
    """Counts [N, 10] of a matching."""
    true, found = d.truth.case * K + d.truth.classes, d.predicted.case * K + d.predicted.classes
    return Tallies(*(_counted(d, cells) for cells in (true[m.prediction >= 0], true, found[m.kept])))


def _counted(d: Detections, cells: np.ndarray) -> np.ndarray:
    return np.bincount(cells, minlength=len(d) * K).reshape(len(d), K)


def confusion(d: Detections, m: Matching) -> np.ndarray:
    """Counts [11, 11], rows = truth, the last row and column = none: matches, then what is left over paired
    whatever its class, nearest first."""
    rows = detection.pair_off(
        leftover := m.near[(m.prediction[m.near.truth] < 0) & (m.truth[m.near.prediction] < 0)]
    )
    called = np.full(len(m.prediction), K)
    hit = m.prediction >= 0
    called[hit] = d.predicted.classes[m.prediction[hit]]
    called[leftover.truth[rows]] = d.predicted.classes[leftover.prediction[rows]]
    paired = np.zeros(len(m.truth), bool)
    paired[leftover.prediction[rows]] = True
    spurious = m.kept & (m.truth < 0) & ~paired
    counts = np.bincount(d.truth.classes.astype(int) * (K + 1) + called, minlength=(K + 1) ** 2).reshape(
        K + 1, K + 1
    )
    counts[K, :K] += np.bincount(d.predicted.classes[spurious], minlength=K)
    return counts
