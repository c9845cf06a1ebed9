"""The nuclei of all cases in one list each, and which of them lie near each other: all that matching needs,
whatever the rule."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np

from scoring.challenges.puma.formula import RADIUS
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import Truth
from scoring.findings import Finding, InputRefused, error
from scoring.metrics import detection
from scoring.metrics.detection import Pairs
from scoring.readers.nuclei import Nuclei

MOST_PAIRS = 10_000_000


@dataclass(frozen=True)
class Detections:
    """Truth and predicted nuclei of all cases, one after the other in the truth's order of cases.

    first_truth, first_prediction: int64 [N + 1], where the nuclei of each case begin. truth_class,
    predicted_class: int8 [n], [m]. truth_points, predicted_points: float64 [n, 2], [m, 2], px. truth_number,
    predicted_number: int32, position in the file's own list. confidence, score: float64 [m], as `Nuclei` has
    them. twins: int32 [m], number of the group of predictions of a case and class at the same place, -1 =
    alone. pair_truth, pair_prediction: int32 [P], pair_distance: float64 [P]: every truth and prediction of a
    case at most `reach` px apart. missing: bool [N], no prediction for the case.
    """

    first_truth: np.ndarray
    first_prediction: np.ndarray
    truth_class: np.ndarray
    predicted_class: np.ndarray
    truth_points: np.ndarray
    predicted_points: np.ndarray
    truth_number: np.ndarray
    predicted_number: np.ndarray
    confidence: np.ndarray
    score: np.ndarray
    twins: np.ndarray
    pair_truth: np.ndarray
    pair_prediction: np.ndarray
    pair_distance: np.ndarray
    missing: np.ndarray
    reach: np.ndarray

    def __post_init__(self):
        for array in self.arrays.values():
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.missing)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name; `Detections(**arrays)` is the same again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def pairs(self) -> Pairs:
        """Every pair within reach."""
        return Pairs(self.pair_truth, self.pair_prediction, self.pair_distance)

    @property
    def truth_case(self) -> np.ndarray:
        """The case of each truth nucleus, int64 [n]."""
        return cases_of(self.first_truth)

    @property
    def predicted_case(self) -> np.ndarray:
        """The case of each predicted nucleus, int64 [m]."""
        return cases_of(self.first_prediction)


def cases_of(first: np.ndarray) -> np.ndarray:
    """The case of each nucleus from where the cases begin [N + 1]."""
    return np.repeat(np.arange(len(first) - 1), np.diff(first))


def detections(truth: Truth, predictions: NucleiPredictions, radius: float = RADIUS) -> Detections:
    """The nuclei, and the pairs up to `radius` px. Raises InputRefused (`too-large`) where those are too many
    to be matched."""
    if predictions.ids != truth.ids:
        raise ValueError("predictions have to be read against the truth that they are scored on")
    true, found = truth.nuclei, predictions.nuclei
    pairs = detection.near_pairs(
        [n.centroids for n in true], [n.centroids for n in found], radius, MOST_PAIRS
    )
    if pairs is None:
        raise InputRefused([crowded(predictions.name, radius)])
    first, classes, points = (
        _firsts(found),
        np.concatenate([n.classes for n in found]),
        np.concatenate([n.centroids for n in found]),
    )
    return Detections(
        _firsts(true),
        first,
        np.concatenate([n.classes for n in true]),
        classes,
        np.concatenate([n.centroids for n in true]),
        points,
        np.concatenate([n.numbers for n in true]),
        np.concatenate([n.numbers for n in found]),
        np.concatenate([n.confidences for n in found]),
        np.concatenate([n.scores for n in found]),
        detection.same_place(points, cases_of(first) * len(CLASSES) + classes),
        pairs.truth,
        pairs.prediction,
        pairs.distance,
        predictions.missing.copy(),
        np.array(float(radius)),
    )


def reaching(d: Detections, radius: float, most: int = MOST_PAIRS) -> Detections | None:
    """The same with all pairs up to a radius, None where there are more than `most` of them."""
    if radius <= d.reach:
        return d
    places = (
        [d.truth_points[a:b] for a, b in pairwise(d.first_truth)],
        [d.predicted_points[a:b] for a, b in pairwise(d.first_prediction)],
    )
    pairs = detection.near_pairs(*places, radius, most)
    if pairs is None:
        return None
    return replace(
        d,
        pair_truth=pairs.truth,
        pair_prediction=pairs.prediction,
        pair_distance=pairs.distance,
        reach=np.array(float(radius)),
    )


def crowded(name: str, radius: float) -> Finding:
    """The refusal of nuclei so crowded that no picture of cells can show them."""
    words = (
        f"more than {MOST_PAIRS:,} pairs of a truth and a predicted nucleus lie within {radius:g} px of "
        "each other."
    )
    return error("too-large", name, f"{words} Check the coordinates, or choose a smaller --radius.")


def _firsts(nuclei: Sequence[Nuclei]) -> np.ndarray:
    return np.cumsum([0, *map(len, nuclei)])
