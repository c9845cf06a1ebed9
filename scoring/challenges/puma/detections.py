"""The nuclei of all cases in one list each, and which of them lie near each other: all that matching needs, whatever the rule."""

from dataclasses import dataclass, fields

import numpy as np

from scoring.challenges.puma.formula import RADIUS, RADIUS_RANGE
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import Truth
from scoring.findings import InputRefused, error
from scoring.metrics import detection
from scoring.metrics.detection import Pairs

MOST_PAIRS, MOST_KEPT_PAIRS = 10_000_000, 2_000_000


@dataclass(frozen=True)
class Detections:
    """Truth and predicted nuclei of all cases, one after the other in the truth's order of cases.

    first_truth, first_prediction: int64 [N + 1], where the nuclei of each case begin. truth_class, predicted_class: int8 [n], [m].
    truth_points, predicted_points: float64 [n, 2], [m, 2], px. truth_number, predicted_number: int32, position in the file's own list.
    confidence, score: float64 [m], as `Nuclei` has them. twins: int32 [m], number of the group of predictions of a case and class at the
    same place, -1 = alone. pair_truth, pair_prediction: int32 [P], pair_distance: float64 [P]: every truth and prediction of a case at most
    `reach` px apart. missing: bool [N], no prediction for the case.
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
    """Nuclei and pairs up to `radius` px, or up to the largest radius that a page offers where that is no burden.

    Raises InputRefused (`too-large`) where more than ten million pairs lie within the radius: no picture of cells does that.
    """
    if predictions.ids != truth.ids:
        raise ValueError("predictions have to be read against the truth that they are scored on")
    true, found = truth.nuclei, predictions.nuclei
    reach, pairs = _pairs(truth, predictions, radius)
    first, classes, points = _firsts(found), np.concatenate([n.classes for n in found]), np.concatenate([n.centroids for n in found])
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
        np.array(float(reach)),
    )


def _pairs(truth: Truth, predictions: NucleiPredictions, radius: float) -> tuple[float, Pairs]:
    places = [n.centroids for n in truth.nuclei], [n.centroids for n in predictions.nuclei]
    for reach, most in ((max(radius, RADIUS_RANGE[1]), MOST_KEPT_PAIRS), (radius, MOST_PAIRS)):
        pairs = detection.near_pairs(*places, reach, most)
        if pairs is not None:
            return reach, pairs
    words = f"more than {MOST_PAIRS:,} pairs of a truth and a predicted nucleus lie within {radius:g} px of each other."
    raise InputRefused([error("too-large", predictions.name, f"{words} Check the coordinates, or choose a smaller --radius.")])


def _firsts(nuclei) -> np.ndarray:
    return np.cumsum([0, *map(len, nuclei)])
