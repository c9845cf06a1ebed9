"""Input of metrics: the cases of a task, with one Python class for each family of tasks."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """Cases with one class each, for classification and ordinal tasks.

    Attributes:
        truth: True class number of each case [N], 0..K-1.
        predicted: Predicted class number [N], 0..K-1; None if only scores are known.
        scores: Score of each case for each class [N, K]; None if only classes are known. With two classes and
            no probabilities, only the column of the positive class is used.
        classes: Names of the classes, in ascending order if the task is ordinal.
        positive: Number of the positive class if there are two classes; None: the second.
    """

    truth: Ints
    predicted: Ints | None
    scores: Floats | None
    classes: tuple[str, ...]
    positive: int | None = None

    @property
    def the_positive(self) -> int | None:
        """Number of the positive class; None for more than two classes."""
        return (1 if self.positive is None else self.positive) if len(self.classes) == 2 else None


@dataclass(frozen=True, eq=False)
class MultilabelCases:
    """Cases with any number of labels each.

    Attributes:
        truth: Which labels each case has [N, L].
        predicted: Which labels are predicted for each case [N, L]; None if only scores are known.
        scores: Score of each case for each label [N, L]; None if only labels are known.
    """

    truth: Bools
    predicted: Bools | None
    scores: Floats | None
    classes: tuple[str, ...]

    def of_label(self, label: int) -> LabelledCases:
        """Return the cases for one label: class 1 if a case has the label, class 0 if it has not."""
        return self._two_classes(lambda array: array[:, label])

    def pooled(self) -> LabelledCases:
        """Return every pair of one of N cases and one of L labels as a separate case [N * L]."""
        return self._two_classes(np.ravel)

    def _two_classes(self, column_of: Callable[[Array], Array]) -> LabelledCases:
        labels = None if self.predicted is None else column_of(self.predicted).astype(int)
        score = None if self.scores is None else column_of(self.scores)
        columns = None if score is None else np.column_stack([1 - score, score])
        return LabelledCases(column_of(self.truth).astype(int), labels, columns, ("no", "yes"), 1)


@dataclass(frozen=True, eq=False)
class ValueCases:
    """Cases with one number each: regression.

    Attributes:
        truth: True value of each case [N].
        predicted: Predicted value [N].
    """

    truth: Floats
    predicted: Floats


@dataclass(frozen=True, eq=False)
class SurvivalCases:
    """Patients with right censoring.

    Attributes:
        time: Time of observation of each patient [N], at least 0.
        event: Whether the patient had the event at that time [N].
        risk: Score of each patient [N]; a higher score means a worse prognosis; NaN = no score.
    """

    time: Floats
    event: Bools
    risk: Floats


@dataclass(frozen=True, eq=False)
class RegionCases:
    """Segmented cases; `Metric.measure` measures one case at a time.

    Attributes:
        measured: Measurements of each case and structure [N, S, Q].
        missing: Cases without a mask, which get the worst value [N]; None: there are none.
    """

    measured: Floats
    classes: tuple[str, ...]
    missing: Bools | None = None


@dataclass(frozen=True, eq=False)
class Objects:
    """Points or boxes of one image, true or detected.

    Attributes:
        places: Coordinates of points [n, dimensions], or x, y, width and height of boxes [n, 4].
        kinds: Class number of each [n], 0..K-1.
        scores: Score of each detection [n]; None if there are none, as in the truth.
        radii: Allowed distance of a detection from each true point [n], in the unit of the coordinates; None:
            the metric's `radius`.
    """

    places: Floats
    kinds: Ints
    scores: Floats | None = None
    radii: Floats | None = None


@dataclass(frozen=True, eq=False)
class DetectionCases:
    """Hits and false alarms in N images; `Metric.measure` matches one image at a time.

    Attributes:
        image: Number of the image of each hit or false alarm [D], 0..N-1, ascending.
        kind: Class number of each hit or false alarm [D], 0..K-1.
        score: Score of each hit or false alarm [D].
        hit: Whether each is a hit, at each of T thresholds for a match [D, T].
        objects: Number of true objects of each image and class [N, K].
    """

    image: Ints
    kind: Ints
    score: Floats
    hit: Bools
    objects: Ints
    classes: tuple[str, ...]


Cases = LabelledCases | MultilabelCases | ValueCases | SurvivalCases | RegionCases | DetectionCases


def some_of(cases: Cases, members: Bools) -> Cases:
    """Return a subset of the cases, in their order.

    Args:
        members: Whether each case is in the subset, bool [N].
    """
    if isinstance(cases, DetectionCases):
        rows, number = members[cases.image], np.cumsum(members) - 1
        image, objects = number[cases.image[rows]], cases.objects[members]
        kind, score, hit = cases.kind[rows], cases.score[rows], cases.hit[rows]
        return DetectionCases(image, kind, score, hit, objects, cases.classes)
    arrays = {entry.name: getattr(cases, entry.name) for entry in fields(cases)}
    some = {name: value[members] for name, value in arrays.items() if isinstance(value, np.ndarray)}
    return cast(Cases, replace(cast(Any, cases), **some))
