"""Finds cases of a test set for which the model gives similar outputs as for one image, and how often it is
right on them. Also computes the set of possible classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.core.submission import Predictions
from scoring.inference.single_image_task import ModelTask
from scoring.inputs.sources import SourceFiles
from scoring.metrics import calibration, classification, conformal
from scoring.metrics.output_kinds import kind, probabilities
from scoring.metrics.submission_agreement import hellinger, nearest
from scoring.single_image.patients_and_lesions import patients_and_lesions
from scoring.statistics.intervals import Share, share

NEAREST = 6
MISS = 0.1
"""For at most this share of a class's cases, the set of possible classes may lack the class."""
TIE = 1e-6
"""Maximum difference of two scores that count as equal, because of rounding errors of float32."""
NEIGHBOURS = 30
"""Number of cases with a similar highest score that are used. If there are fewer than twice as many cases,
all are used."""


@dataclass(frozen=True)
class FailedCases:
    """The m cases of a test set with a true class and an image for which the model gave no valid output.

    Attributes:
        indices: Positions of the cases in the test set [m].
        truth: Class numbers [m].
        units: Unit numbers [m].
    """

    indices: Ints
    truth: Ints
    units: Ints

    def __len__(self) -> int:
        return len(self.indices)

    def only(self, kept: Bools) -> "FailedCases":
        """Return only the cases for which `kept` [m] is True."""
        return FailedCases(self.indices[kept], self.truth[kept], self.units[kept])


NO_CASES = np.zeros(0, int)


@dataclass(frozen=True)
class Reference:
    """The n cases of a test set that have a true class and a model's output.

    Attributes:
        generated: Whether the images of the test set are computer-generated.
        indices: Positions of the cases in the test set [n].
        truth: Class numbers [n].
        outputs: Outputs of the model [n, k].
        kind: Kind of the outputs (`output_kinds.kind`).
        probabilities: Probabilities [n, K].
        units: Unit numbers [n]; cases of the same patient share a number.
        failed: Cases without a valid output.
        refused: Why the official challenge refuses the scale of the outputs; "" if it does not.
        official: Class numbers [n] by the challenge's own decision on raw outputs, -1 for none; None if
            unknown.
        rule: What the challenge predicts, and when (`OfficialRule.words`).
        warnings: Warnings of the challenge about the model and its outputs.
        apart: Number of other cases that are left out because they show the patient or lesion of the image.
    """

    name: str
    generated: bool
    classes: tuple[str, ...]
    ids: tuple[str, ...]
    indices: np.ndarray
    truth: np.ndarray
    outputs: np.ndarray
    kind: str
    probabilities: np.ndarray
    units: np.ndarray
    failed: FailedCases = field(default_factory=lambda: FailedCases(NO_CASES, NO_CASES, NO_CASES))
    refused: str = ""
    official: Ints | None = None
    rule: str = ""
    warnings: tuple[str, ...] = ()
    apart: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def support(self) -> np.ndarray:
        """Number of cases of each class [K]."""
        return np.bincount(self.truth, minlength=len(self.classes))

    @cached_property
    def temperature(self) -> float:
        """Temperature fitted on the cases, for scaling probabilities."""
        return calibration.fit_temperature(self.probabilities, self.truth)

    @cached_property
    def highest(self) -> Floats:
        """Highest score of each case [n]."""
        highest: Floats = self.probabilities.max(1)
        return highest

    @cached_property
    def right(self) -> Bools:
        """Whether the model is right on each case [n]."""
        right: Bools = self.probabilities.argmax(1) == self.truth
        return right

    @cached_property
    def tied(self) -> Bools:
        """Whether several classes share the highest score of each case [n]."""
        tied: Bools = (self.probabilities >= self.highest[:, None] - TIE).sum(1) > 1
        return tied

    @cached_property
    def coverage(self) -> conformal.Coverage:
        """How often prediction sets contain the true class."""
        return conformal.coverage(self.probabilities, self.truth, MISS, self.units)


@dataclass(frozen=True)
class SimilarCase:
    """A case of the test set with similar scores.

    Attributes:
        index: Position in the test set.
        label: Class number.
        probabilities: Probabilities [K].
        distance: Distance to the image, 0..1.
    """

    index: int
    id: str
    label: int
    probabilities: np.ndarray
    distance: float


@dataclass(frozen=True)
class RightShare:
    """How often the model is right on cases of the test set.

    Attributes:
        similar: Share of right cases among those with a similar highest score, including ties. If there are
            few cases, all are used, and cases without a valid output count as wrong.
        low: Smallest highest score of these cases; NaN without cases.
        every: Whether all cases are used because there are few.
        of_class: Share of right cases among those that get the same class as the image.
        tied: Number of the cases of `of_class` in which another class has the same highest score.
        left_out: Number of further cases in which several classes, with the image's class, share the highest
            score, so that the challenge predicts no class.
    """

    similar: Share
    low: float
    high: float
    every: bool
    of_class: Share
    tied: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class ClassSet:
    """The set of possible classes for one image.

    Attributes:
        members: Whether each class is in the set, bool [K]; the highest-scoring class always is.
        miss: Share of each class's cases whose set may lack the class.
        always: Classes with too few cases to be excluded, bool [K].
        coverage: How often such sets contain the true class of cases that were not used for their
            calibration.
        fewest: Number of cases that a class needs before it can be excluded.
        top_added: Whether the highest-scoring class is in the set only because it always is: its score is too
            low for its class.
        absent: Classes without a case in the test set, bool [K]; False if unknown.
    """

    members: np.ndarray
    miss: float
    always: np.ndarray
    coverage: conformal.Coverage
    fewest: int
    top_added: bool = False
    absent: Bools = field(default_factory=lambda: np.zeros(1, bool))


class Labelled(Protocol):
    """A test set with a class number and an image for each case [N]; -1 without a class, None without an
    image."""

    def __len__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def id_column(self) -> str: ...
    @property
    def files(self) -> SourceFiles: ...
    @property
    def labels(self) -> Array: ...
    @property
    def images(self) -> Sequence[str | None]: ...


def reference(
    task: ModelTask,
    truth: Labelled,
    predictions: Predictions,
    generated: bool = False,
    units: np.ndarray | None = None,
    name: str | None = None,
    refused: str = "",
    warnings: tuple[str, ...] = (),
) -> Reference:
    """Return the cases of a test set that have a class and outputs.

    Args:
        truth: The test set, as read for the challenge.
        predictions: The predictions, as read or run for the challenge.
        units: Unit numbers [N]; by default those of `patients_and_lesions`.
        refused: Why the official challenge refuses the scale of the outputs; "" if it does not.
        warnings: Warnings of the challenge about the model and its outputs.
    """
    if units is None:
        units, unread = patients_and_lesions(truth)
        warnings = (*warnings, unread) if unread else warnings
    labels, units, usable = np.asarray(truth.labels), np.asarray(units), predictions.has_outputs
    rows_kept = np.flatnonzero((labels >= 0) & usable)
    has_image = np.array([image is not None for image in truth.images], bool)
    failed = np.flatnonzero((labels >= 0) & ~usable & has_image)
    outputs = np.ascontiguousarray(predictions.outputs[rows_kept, : task.outputs])
    output_kind = kind(outputs)
    rows = probabilities(outputs, output_kind) if len(outputs) else np.empty((0, len(task.classes)))
    return Reference(
        name or truth.name,
        generated,
        task.classes,
        tuple(truth.ids[i] for i in rows_kept),
        rows_kept,
        labels[rows_kept],
        outputs,
        output_kind,
        rows,
        units[rows_kept],
        FailedCases(failed, labels[failed], units[failed]),
        refused,
        task.official.decide(outputs),
        task.official.words,
        warnings,
    )


def without(reference: Reference, index: int) -> Reference:
    """Return a copy without a test case and all cases of its unit. The copy is used for an image that is this
    test case."""
    failed = reference.failed
    units = np.concatenate([reference.units, failed.units])
    own = units[np.concatenate([reference.indices, failed.indices]) == index]
    if not len(own):
        return reference
    others = reference.units != own[0]
    rows = {
        name: getattr(reference, name)[others]
        for name in ("indices", "truth", "outputs", "probabilities", "units", "official")
        if getattr(reference, name) is not None
    }
    ids = tuple(name for name, keep in zip(reference.ids, others, strict=True) if keep)
    apart = int((units == own[0]).sum()) - 1
    return replace(reference, ids=ids, failed=failed.only(failed.units != own[0]), apart=apart, **rows)


def alike(reference: Reference, row: np.ndarray, count: int = NEAREST) -> tuple[SimilarCase, ...]:
    """Return the cases whose probabilities have the smallest Hellinger distance to those of an image [K],
    nearest first. If more cases than `count` have exactly its probabilities, the returned ones are spread
    over the test set."""
    equal = _equal(reference, row)
    chosen = nearest(row, reference.probabilities, count)
    if len(equal) > count:
        chosen = equal[np.linspace(0, len(equal) - 1, count).round().astype(int)]
    distances = hellinger(row, reference.probabilities[chosen])
    return tuple(
        SimilarCase(
            int(reference.indices[i]),
            reference.ids[i],
            int(reference.truth[i]),
            reference.probabilities[i],
            float(d),
        )
        for i, d in zip(chosen, distances, strict=True)
    )


def _equal(reference: Reference, row: np.ndarray) -> Ints:
    """Return the positions of the cases whose probabilities are those of an image."""
    equal: Ints = np.flatnonzero(np.abs(reference.probabilities - row).max(1, initial=0) <= TIE)
    return equal


def tied_line(reference: Reference, row: np.ndarray, count: int = NEAREST) -> str:
    """Return how many cases have exactly the scores of an image, as a sentence; "" if all of them are
    shown."""
    equal = len(_equal(reference, row))
    return f"{equal} cases have exactly these scores; {count} of them are shown." if equal > count else ""


def right_alike(reference: Reference, row: Floats) -> RightShare:
    """Return how often the model is right on cases whose highest score is similar to that of `row` [K]."""
    highest, right, every = reference.highest, reference.right, len(reference) < 2 * NEIGHBOURS
    chosen, top = np.ones(len(highest), bool), int(np.argmax(row))
    if not every:
        away = np.abs(highest - row[top])
        chosen = away <= np.partition(away, NEIGHBOURS - 1)[NEIGHBOURS - 1] + TIE
    no_class = reference.tied & (False if reference.official is None else reference.official < 0)
    same = (reference.probabilities.argmax(1) == top) & ~no_class
    left_out = no_class & (reference.probabilities[:, top] >= highest - TIE)
    scores = highest[chosen] if chosen.any() else np.array([np.nan])
    hits, units = right[chosen], reference.units[chosen]
    if every:
        hits = np.concatenate([hits, np.zeros(len(reference.failed), bool)])
        units = np.concatenate([units, reference.failed.units])
    return RightShare(
        share(hits, units),
        float(scores.min()),
        float(scores.max()),
        every,
        share(right[same], reference.units[same]),
        int(reference.tied[same].sum()),
        int(left_out.sum()),
    )


def class_set(reference: Reference, row: Floats) -> ClassSet:
    """Return the set of possible classes for an image with probabilities `row` [K]. The highest-scoring class
    is always included."""
    cuts = conformal.thresholds(reference.probabilities, reference.truth, MISS)
    members, top = conformal.members(row, cuts), int(np.argmax(row))
    added = not members[top]
    members[top] = True
    fewest = conformal.fewest_cases(MISS)
    absent = reference.support == 0
    return ClassSet(members, MISS, np.isinf(cuts), reference.coverage, fewest, added, absent)


def reweighted(reference: Reference, row: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Adapt probabilities `row` [K] to other class frequencies `wanted` [K] (on any scale): p x wanted /
    share of the class in the test set, scaled so that the sum is 1.

    A class that is missing in the test set keeps the probability 0 (Saerens 2002).
    """
    weights = classification.divide(np.asarray(wanted, float), reference.support.astype(float), 0)
    total = float((row * weights).sum())
    return row * weights / total if total > 0 else np.full(len(row), np.nan)


def malignant_at(reference: Reference, malignant: np.ndarray, prevalence: float) -> np.ndarray:
    """Return class frequencies [K] with sum 1, in which malignant classes have the share `prevalence` (0..1).
    Within malignant and other classes, the proportions are those of the test set."""
    shares = reference.support.astype(float)
    groups = np.where(malignant, shares[malignant].sum(), shares[~malignant].sum())
    return classification.divide(shares, groups, 0) * np.where(malignant, prevalence, 1 - prevalence)
