"""The nuclei of all cases in one list each, and which of them lie near each other: all that matching needs,
whatever the rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from scoring.challenges.puma.formula import RADIUS
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.nuclei import Nuclei
from scoring.metrics import detection
from scoring.metrics.detection import NearbyPairs

MOST_PAIRS = 10_000_000


@dataclass(frozen=True)
class Side:
    """The nuclei of one side of all cases, one after the other in the truth's order of cases.

    first: int64 [N + 1], where the nuclei of each case begin. classes: int8 [n]. points: float64 [n, 2], px.
    numbers: int32 [n], position in the file's own list.
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
class Detections:
    """Truth and predicted nuclei of all cases, and which of them lie near each other.

    confidence, score: of predictions, float64 [m], as `Nuclei` has them. twins: int32 [m], number of the
    group of predictions of a case and class at the same place, -1 = alone. pairs: every truth and prediction
    of a case at most `reach` px apart. missing: bool [N], no prediction for the case.
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
        """The arrays of a scorecard that hold all this, read-only; `from_arrays` is the same again."""
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
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "Detections":
        """Return what the arrays of a scorecard hold."""
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
    """Return the case of each nucleus from where the cases begin [N + 1]."""
    return np.repeat(np.arange(len(first) - 1), np.diff(first))


def detections(truth: PumaTruth, predictions: NucleiPredictions, radius: float = RADIUS) -> Detections:
    """Return the nuclei, and the pairs up to `radius` px. Raises InputRefused (`too-large`) where those are
    too many to be matched."""
    if predictions.ids != truth.ids:
        raise ValueError("predictions have to be read against the truth that they are scored on")
    true, found = truth.nuclei, predictions.nuclei
    pairs = detection.near_pairs(
        [n.centroids for n in true], [n.centroids for n in found], radius, MOST_PAIRS
    )
    if pairs is None:
        raise InputRefused([crowded(predictions.name, radius)])
    predicted = _side(found)
    return Detections(
        _side(true),
        predicted,
        np.concatenate([n.confidences for n in found]),
        np.concatenate([n.scores for n in found]),
        detection.same_place(predicted.points, predicted.case * len(CLASSES) + predicted.classes),
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


def reaching(d: Detections, radius: float, most: int = MOST_PAIRS) -> Detections | None:
    """Return the same with all pairs up to a radius, None where there are more than `most` of them."""
    if radius <= d.reach:
        return d
    places = (
        [d.truth.points[a:b] for a, b in pairwise(d.truth.first)],
        [d.predicted.points[a:b] for a, b in pairwise(d.predicted.first)],
    )
    pairs = detection.near_pairs(*places, radius, most)
    if pairs is None:
        return None
    return replace(d, pairs=pairs, reach=float(radius))


def crowded(name: str, radius: float) -> Finding:
    """Return the refusal of nuclei so crowded that no picture of cells can show them."""
    words = (
        f"more than {MOST_PAIRS:,} pairs of a truth and a predicted nucleus lie within {radius:g} px of "
        "each other."
    )
    return error("too-large", name, f"{words} Check the coordinates, or choose a smaller --radius.")
