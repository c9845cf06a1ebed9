"""Cases of a declared challenge: the truth as arrays, and truth with predictions in the form that metrics
take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from scoring.challenges.declared.declaration import Declaration
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding
from scoring.core.submission import Predictions
from scoring.inputs.case_images import ImagesByName
from scoring.inputs.sources import SourceFiles
from scoring.metrics import task_cases
from scoring.metrics.task_cases import Cases, LabelledCases, Objects


@dataclass(frozen=True)
class DeclaredCases(ImagesByName):
    """The N cases of a test set, in file order.

    Attributes:
        digest_of: File name -> SHA-256, of the files that were read.
        columns: Header (as `tables.key` returns it) -> cells [N] of the table.
        labels: Class number of each case [N] (classification, ordinal), else -1.
        values: [N, C] values of the truth: 0 or 1 for each label (multilabel), the value (regression), or
            time and event (survival).
        masks: Name in `files` of the mask of each case (segmentation).
        objects: True points or boxes of each image.
    """

    per_case: ClassVar[tuple[str, ...]] = ("ids", "columns", "labels", "values", "objects")
    name: str
    ids: tuple[str, ...]
    files: SourceFiles
    pictures: SourceFiles
    digest_of: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]
    id_column: str
    labels: Ints
    values: Floats
    findings: tuple[Finding, ...] = ()
    masks: Mapping[str, str] = field(default_factory=dict)
    objects: tuple[Objects, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def strata(self) -> Floats:
        """Values besides `labels` [N, C]. A split of the test set keeps their distribution similar in both
        parts."""
        return self.values


def has_prediction(declaration: Declaration, predictions: Predictions) -> Bools:
    """Return which cases have a usable prediction [N]."""
    has_label = predictions.labels >= 0
    if declaration.task == "segmentation":
        return np.asarray(has_label)
    return predictions.has_outputs | (has_label & declaration.is_graded)


def as_metric_cases(declaration: Declaration, truth: DeclaredCases, predictions: Predictions) -> Cases:
    """Return the cases in the form that the metrics take. A case without a prediction gets the worst possible
    prediction."""
    has, outputs = has_prediction(declaration, predictions), predictions.outputs
    if declaration.is_graded:
        return _labelled(declaration, truth.labels, predictions, has)
    if declaration.task == "multilabel":
        positive = truth.values == 1
        low, high = _ends(declaration, outputs)
        scores = np.where(has[:, None], outputs, np.where(positive, low, high))
        called = np.where(has[:, None], outputs > (declaration.predictions.threshold or 0), ~positive)
        return task_cases.MultilabelCases(positive, called, scores, declaration.classes)
    if declaration.task == "survival":
        risk = np.where(has, outputs[:, 0], 0.0)
        return task_cases.SurvivalCases(truth.values[:, 0], truth.values[:, 1] == 1, risk)
    return task_cases.ValueCases(truth.values[:, 0], np.where(has, outputs[:, 0], truth.values[:, 0]))


def _labelled(declaration: Declaration, truth: Ints, predictions: Predictions, has: Bools) -> LabelledCases:
    classes = declaration.classes
    n = len(classes)  # wrong is of ordered classes the farthest, else the next in the list
    wrong = np.where(truth >= n / 2, 0, n - 1) if declaration.task == "ordinal" else (truth + 1) % n
    called = np.where(predictions.labels >= 0, predictions.labels, wrong)
    low, high = _ends(declaration, predictions.outputs)
    worst = np.where(np.arange(n) == wrong[:, None], high, low)
    scores = None if predictions.labels_only else np.where(has[:, None], predictions.outputs, worst)
    return LabelledCases(truth, called, scores, classes, declaration.positive_place)


def _ends(declaration: Declaration, outputs: Floats) -> tuple[float, float]:
    """Return a low and a high score for cases without a score. Both lie beyond all other scores; for
    probabilities they are 0 and 1."""
    known = outputs[np.isfinite(outputs)]
    if not len(known) or any(use.metric.needs == "probabilities" for use in declaration.uses):
        return 0.0, 1.0
    return float(known.min()) - 1, float(known.max()) + 1
