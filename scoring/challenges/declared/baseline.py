"""Constant baseline: the submission that says the same of every case, which a score has to beat."""

import csv
import io
from typing import Any

import numpy as np

from scoring.challenges.declared import masks, objects, reading
from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.prediction_table import prediction_table
from scoring.common.arrays import Floats
from scoring.core.challenge import Context
from scoring.core.submission import Predictions


def constant(declaration: Declaration, truth: DeclaredCases) -> Predictions:
    """Return the constant submission: of masks an empty one for every case, else what `constant_table` says.

    Args:
        declaration: Of any task.
        truth: The test set.
    """
    if declaration.task == "segmentation":
        return masks.nothing(declaration, truth)
    reader: Any = objects if declaration.truth.places else reading
    table, context = constant_table(declaration, truth).encode(), Context("the constant submission")
    submitted: Predictions = reader.read_predictions(declaration, table, truth, context)
    return submitted


def constant_table(declaration: Declaration, truth: DeclaredCases) -> str:
    """Return predictions that are the same for every case, as CSV.

    They are the most frequent class or the shares of the classes, the median (mean absolute error) or the
    mean of a number, and equal risks; of points and boxes one at the median place in every image.

    Args:
        declaration: Of a task of tables.
        truth: The test set.
    """
    if declaration.truth.places:
        return _one_object(declaration, truth)
    answer, n = _answer(declaration, truth), len(truth)
    same = Predictions("", np.tile(answer, (n, 1)), np.full(n, int(answer.argmax())))
    return prediction_table(declaration, truth.ids, same)


def _answer(declaration: Declaration, truth: DeclaredCases) -> Floats:
    """Return what is said of every case: the share of each class or label [C], or one number [1]."""
    if declaration.task == "survival":
        return np.zeros(1)
    if declaration.task == "regression":
        middle = np.median if declaration.score[0].metric.name == "mae" else np.mean
        return np.array([middle(truth.values[:, 0])])
    if not declaration.is_graded:
        return np.asarray(truth.values.mean(0))
    return np.bincount(truth.labels, minlength=len(declaration.classes)) / len(truth)


def _one_object(declaration: Declaration, truth: DeclaredCases) -> str:
    """Return a table with one object in every image, of the most frequent class."""
    places = np.vstack([found.places for found in truth.objects])
    middle = np.median(places, axis=0) if len(places) else np.ones(places.shape[1])
    if declaration.task == "boxes" and declaration.truth.boxes == "corners":
        middle[2:] += middle[:2]
    row: list[object] = list(middle)
    names = [name for name, _ in reading.number_columns(declaration)]
    row += [1] * (len(names) - len(row))
    if label := reading.label_column(declaration):
        kinds = np.concatenate([found.kinds for found in truth.objects])
        names.append(label[0][0])
        row.append(declaration.classes[int(np.bincount(kinds, minlength=1).argmax())])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([declaration.predictions.case, *names])
    writer.writerows([case, *row] for case in truth.ids)
    return text.getvalue()
