"""PUMA's macro F1 under three rules, its possible maximum, and every measure that has an interval. Also the
options."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.challenges.puma.nucleus_classes import CLASSES, map_problem
from scoring.common.arrays import Bools, Floats, Ints
from scoring.core.options import Option, Values
from scoring.metrics.classification import divide, f_score, mean_of_defined
from scoring.statistics import permutation_test
from scoring.statistics.interval_basis import Basis, QuantityName, counted
from scoring.statistics.permutation_test import Categories

ID = "puma"
RULE_NAMES = {
    "description": "challenge description",
    "grand-challenge": "Grand Challenge evaluator",
    "pooled": "pooled",
}
"""Rule -> its name for readers."""
RULES = tuple(RULE_NAMES)
METRICS = {
    "description": "macro_f1",
    "grand-challenge": "macro_f1_grand_challenge",
    "pooled": "macro_f1_pooled",
}
"""Rule -> name of the macro F1 that is the score under this rule."""
RADIUS, RADIUS_RANGE = 15.0, (1.0, 30.0)
"""Radius of the challenge in px, and the range of radii that a page offers."""
MICROMETRES_PER_PIXEL = 0.23


@dataclass(frozen=True)
class Tallies:
    """Number of true nuclei, predictions and matches per image and class, int [N, K]."""

    true_positive: np.ndarray
    support: np.ndarray
    predicted: np.ndarray

    @property
    def occurs(self) -> Bools:
        """Whether the class occurs in the image, in truth or prediction, bool [N, K]."""
        occurs: Bools = self.support + self.predicted > 0
        return occurs

    @property
    def f1(self) -> np.ndarray:
        """F1 of each class in each image [N, K]; NaN if the class does not occur."""
        return f_score(self.true_positive, self.support, self.predicted)


@dataclass(frozen=True)
class Sums:
    """Sums over the images in each replicate, from which all macro F1s are computed: [B, K] by class, but
    `weight` is [B].

    Attributes:
        f1: Sum of the F1 of the images.
        occurs: Number of images with the class.
    """

    true_positive: np.ndarray
    support: np.ndarray
    predicted: np.ndarray
    f1: np.ndarray
    occurs: np.ndarray
    weight: np.ndarray


def image_sums(tallies: Sequence[np.ndarray], weights: Floats) -> list[Floats]:
    """Return the weighted sum over images [B, K] of each array of counts [N, K], for weights [B, N]."""
    columns = np.hstack(tallies).astype(float)
    total = np.zeros((len(weights), columns.shape[1]))
    # Image by image and not as a matrix product, whose order of additions depends on the processor: the same
    # bytes everywhere.
    for weight, row in zip(weights.T.astype(float), columns, strict=True):
        total += weight[:, None] * row
    return np.split(total, len(tallies), axis=1)


def sums(tallies: Tallies, weights: np.ndarray) -> Sums:
    """Return sums over the images for every row of weights [B, N]."""
    counted = (tallies.true_positive, tallies.support, tallies.predicted)
    hits, support, predicted, f1, occurs = image_sums(
        [*counted, np.nan_to_num(tallies.f1), tallies.occurs], weights
    )
    return Sums(hits, support, predicted, f1, occurs, weights.sum(1, dtype=float))


def unit_sums(rules: str, tallies: Tallies, units: Ints) -> np.ndarray:
    """Return values for each unit [n, ...]; the macro F1 is computed from their sums over the units. Rule
    "pooled": numbers of matches, true nuclei and predictions of each class. Other rules: sum of the F1 of the
    images, number of images with the class, and number of all images."""
    if rules == "pooled":
        columns = np.hstack([tallies.true_positive, tallies.support, tallies.predicted])
    else:
        columns = np.column_stack([np.nan_to_num(tallies.f1), tallies.occurs, np.ones(len(units))])
    return permutation_test.unit_sums(columns.astype(float), units)


def categories_of_sums(rules: str, number: int) -> Categories:
    """Return for each class the positions of its sums among those of `unit_sums`. Which sums these are
    depends on the rule."""
    classes = np.arange(number)
    gains = (classes, classes + 2 * number) if rules == "pooled" else (classes,)
    return Categories(classes, cases=(classes + number,), gains=gains)


def score_of_sums(rules: str, sums: np.ndarray, in_data: int | None = None) -> np.ndarray:
    """Compute the macro F1 under a rule from sums [..., K] of `unit_sums`.

    Args:
        in_data: Number of classes that occur, as in `macro_f1`; None if each row of sums is a whole test set
            with its own classes.
    """
    rows = sums.reshape(-1, sums.shape[-1])
    nothing = np.zeros((len(rows), 0))
    if rules == "pooled":
        matches, support, predicted = np.split(rows, 3, axis=1)
        counted = Sums(matches, support, predicted, nothing, nothing, nothing)
    else:
        f1, occurs = np.split(rows[:, :-1], 2, axis=1)
        counted = Sums(nothing, nothing, nothing, f1, occurs, rows[:, -1])
    values = class_values(rules, counted)
    scores = macro_f1(rules, values, (~np.isnan(values)).sum(1) if in_data is None else in_data)
    return scores.reshape(sums.shape[:-1])


def class_values(rules: str, s: Sums) -> np.ndarray:
    """Return the value of each class [B, K] under a rule; NaN if no image with the class has a weight above
    0. Rule "description": mean F1 of the images with the class. Rule "grand-challenge": sum of F1, divided by
    the number of all images. Rule "pooled": F1 of the summed counts.
    """
    if rules == "pooled":
        return f_score(s.true_positive, s.support, s.predicted)
    images = s.occurs if rules == "description" else s.weight[:, None]
    return np.where(s.occurs > 0, divide(s.f1, images), np.nan)


def macro_f1(rules: str, values: np.ndarray, in_data: int | Ints) -> np.ndarray:
    """Return the mean over classes [B]; NaN if no class occurs.

    The rules "grand-challenge" and "pooled" average the classes that occur. The rule "description" averages
    all K classes. If a replicate lacks a class that occurs in the test set, the class is left out and the
    mean is scaled accordingly.

    Args:
        values: Result of `class_values` [B, K].
        in_data: Number of classes that occur in some image of the test set.
    """
    mean = mean_of_defined(values)
    return mean * (in_data / values.shape[1]) if rules == "description" else mean


def perfect(tallies: Tallies) -> Tallies:
    """Return the counts that perfect predictions of the same images would have."""
    return Tallies(tallies.support, tallies.support, tallies.support)


def quantities(rules: str, counted: Mapping[str, Tallies], weights: Floats) -> dict[QuantityName, Floats]:
    """Return every measure as arrays [B] by name, for weights [B, N]; NaN if undefined.

    The F1 of a class under the chosen rule has the key ("f1", class).

    Args:
        counted: Rule -> counts. The counts of "description" and "pooled" are equal.
    """
    added = {name: sums(tallies, weights) for name, tallies in counted.items() if name != "pooled"}
    added["pooled"] = added["description"]
    values = {name: class_values(name, added[name]) for name in METRICS}
    result: dict[QuantityName, Floats] = {
        METRICS[name]: macro_f1(name, values[name], int(counted[name].occurs.any(0).sum()))
        for name in METRICS
    }
    total = added["description"]
    hits, support, predicted = (a.sum(1) for a in (total.true_positive, total.support, total.predicted))
    result |= {
        "micro_f1": f_score(hits, support, predicted),
        "micro_precision": divide(hits, predicted),
        "micro_recall": divide(hits, support),
        "score": result[METRICS[rules]],
    }
    return result | {("f1", name): values[rules][:, k] for k, name in enumerate(CLASSES)}


def basis_of_classes(tallies: Tallies, units: Ints) -> Basis:
    """Return the number of units on which the F1 of each class depends: those that have an image with the
    class."""
    held = {("f1", name): images for name, images in zip(CLASSES, tallies.occurs.T, strict=True)}
    return Basis(counted(held, units), worst={"f1": 0.0})


def _radius_problem(radius: float) -> str | None:
    if math.isfinite(radius) and radius > 0:
        return None
    return f"{radius:g} px is not a radius: give a number above 0 ({RADIUS:g} in the challenge)."


def _confidence_problem(confidence: float) -> str | None:
    if math.isfinite(confidence):
        return None
    return f"{confidence:g} is not a number: leave the option out to keep every prediction."


RULE = Option(
    name="rules",
    help="rule for the macro F1 that is the score: description (default), grand-challenge or pooled",
    default="description",
    values=RULES,
    label="Rule of macro F1",
    value_labels=dict(RULE_NAMES.items()),
)
MATCHING_RADIUS = Option(
    name="radius",
    help="how far a prediction may lie from its nucleus (default 15)",
    type=float,
    default=RADIUS,
    metavar="PX",
    label="Matching radius",
    problem=_radius_problem,
)
MIN_CONFIDENCE = Option(
    name="min_confidence",
    help="leave out predictions with a confidence below (default: keep every prediction)",
    type=float,
    metavar="C",
    label="Smallest confidence",
    problem=_confidence_problem,
)
UNKNOWN_CLASSES = Option(
    name="unknown_classes",
    help="nuclei of other classes than the ten: refuse (default), or ignore (leave them out)",
    default="refuse",
    values=("refuse", "ignore"),
    metavar="HOW",
    stages=("truth", "predictions", "score"),
    label="Nuclei of other classes",
    value_labels={"refuse": "refuse the file", "ignore": "leave them out"},
)
CLASS_MAP = Option(
    name="class_map",
    help="class for nuclei whose class is not among the ten, or ignore (leave them out)",
    metavar="NAME=CLASS,...",
    stages=("truth", "predictions", "score"),
    label="Other names of classes",
    problem=map_problem,
)
OUTLINES = Option(
    name="outlines",
    help="measure the outlines of nuclei too: panoptic quality, IoU and Dice (never in the score)",
    default=False,
    type=bool,
    label="Quality of outlines",
    explain=(
        "Panoptic quality of each class, and IoU and Dice of the nuclei that the score matches. Outlines "
        "never change the score, which uses only the centres of nuclei."
    ),
)
OPTIONS = (RULE, MATCHING_RADIUS, MIN_CONFIDENCE, UNKNOWN_CLASSES, CLASS_MAP, OUTLINES)
MEANS = {
    "description": "the mean over ten classes; for each class, the mean F1 of the images that contain it",
    "grand-challenge": "the mean over the classes that occur; for each class, sum of the images' F1 / "
    "number of all images",
    "pooled": "the mean over the classes that occur; for each class, F1 from the counts of all images",
}
"""Rule -> definition of the rule's macro F1."""


def formula(values: Values) -> str:
    """Return the formula of the score as one line of text."""
    radius, least = values.get(MATCHING_RADIUS.name) or RADIUS, values.get(MIN_CONFIDENCE.name)
    parts = [
        f"macro F1: {MEANS[values.get(RULE.name) or RULE.default]}",
        *([f"matched within {radius:g} px"] * (radius != RADIUS)),
        *([f"predictions below a confidence of {least:g} left out"] if least is not None else []),
    ]
    return "; ".join(parts)
