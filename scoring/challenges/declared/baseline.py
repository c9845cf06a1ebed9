"""Files that Benchside writes: a table of predictions, a submission with the same prediction for all cases,
and an example."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.declared import mask_readers, object_readers, table_readers
from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.common.arrays import Floats
from scoring.common.file_opening import zipped
from scoring.common.text import csv_text
from scoring.core.challenge import Context
from scoring.core.submission import NamedCases, Predictions
from scoring.inputs.masks.label_maps import read_label_map
from scoring.inputs.masks.writing import box_mask


def prediction_table(
    declaration: Declaration, cases: NamedCases | Sequence[str], predictions: Predictions
) -> str:
    """Return predictions as CSV, not rounded, with one row for each case that has a prediction.

    Args:
        cases: The N cases, or their ids.
        predictions: Predictions with outputs by class [N, C] or one number per case [N, 1], and class numbers
            [N].
    """
    wanted, classes = declaration.predictions, declaration.classes
    ids = cases if isinstance(cases, Sequence) else cases.ids
    has, outputs = predictions.has_outputs, predictions.outputs
    columns: dict[str, Sequence[object]] = {}
    if wanted.label:
        has = predictions.labels >= 0
        columns[wanted.label] = [classes[k] for k in predictions.labels.tolist()]
    if wanted.scores:
        columns |= dict(zip(classes, outputs.T.tolist(), strict=True))
    if wanted.score:
        columns[wanted.score] = outputs[:, declaration.positive_place].tolist()
    columns |= {number: outputs[:, 0].tolist() for number in (wanted.value, wanted.risk) if number}
    rows = zip(ids, *columns.values(), strict=True)
    there = zip(rows, has.tolist(), strict=True)
    return csv_text([wanted.case, *columns], (row for row, is_there in there if is_there))


def constant(declaration: Declaration, truth: DeclaredCases) -> Predictions:
    """Return the same prediction for every case. Masks are empty; for other tasks see `constant_table`."""
    if declaration.task == "segmentation":
        return mask_readers.nothing(declaration, truth)
    reader: Any = object_readers if declaration.truth.places else table_readers
    table, context = constant_table(declaration, truth).encode(), Context("the constant submission")
    submitted: Predictions = reader.read_predictions(declaration, table, truth, context)
    return submitted


def constant_table(declaration: Declaration, truth: DeclaredCases) -> str:
    """Return a table (CSV) that predicts the same for every case.

    - Classes: the most frequent class, or the class frequencies.
    - Numbers: the median if the score is the mean absolute error, else the mean.
    - Survival: equal risks.
    - Points and boxes: one object at the median position in every image.
    """
    if declaration.truth.places:
        places = np.vstack([found.places for found in truth.objects])
        middle = np.median(places, axis=0) if len(places) else np.ones(places.shape[1])
        kinds = np.concatenate([found.kinds for found in truth.objects])
        return _one_each(declaration, truth.ids, middle, int(np.bincount(kinds, minlength=1).argmax()), 1)
    answer = np.zeros(1)
    if declaration.task == "regression":
        of_middle = np.median if declaration.score[0].metric.name == "mae" else np.mean
        answer = np.array([of_middle(truth.values[:, 0])])
    elif declaration.is_graded:
        answer = np.bincount(truth.labels, minlength=len(declaration.classes)) / len(truth)
    elif declaration.task == "multilabel":
        answer = truth.values.mean(0)
    same = Predictions("", np.tile(answer, (len(truth), 1)), np.full(len(truth), int(answer.argmax())))
    return prediction_table(declaration, truth.ids, same)


def example(declaration: Declaration, truth: DeclaredCases) -> tuple[str, bytes]:
    """Return name and bytes of an example submission that depends only on case ids and image grids. Every
    metric has a value for this example."""
    ids, n_classes = sorted(truth.ids), max(1, len(declaration.classes))
    if declaration.task == "segmentation":
        label = next(iter(declaration.regions.values()))[0]
        grids = ((case, read_label_map(partial(truth.files.open, truth.masks[case]))[1]) for case in ids)
        return "example.zip", zipped((f"{case}.mha", box_mask(grid, label)) for case, grid in grids)
    if declaration.truth.places:
        place = np.repeat([0.0, 1.0], 2) if declaration.task == "boxes" else np.zeros(3)
        return "example.csv", _one_each(declaration, ids, place, 0, 0.5).encode()
    numbers = np.arange(len(ids))
    outputs = (numbers % 10 + 1.0)[:, None]
    if declaration.classes:
        outputs = 0.5 / n_classes + 0.5 * (np.arange(n_classes) == numbers[:, None] % n_classes)
    predictions = Predictions("example.csv", outputs, numbers % n_classes)
    return "example.csv", prediction_table(declaration, ids, predictions).encode()


def _one_each(declaration: Declaration, ids: Sequence[str], place: Floats, kind: int, score: float) -> str:
    """Return a table with one object in every image. `place` is a point (x, y), or a box (x, y, width,
    height)."""
    if declaration.task == "boxes" and declaration.truth.boxes == "corners":
        place = np.r_[place[:2], place[:2] + place[2:]]
    names = [name for name, _ in table_readers.number_columns(declaration)]
    row: list[object] = [*place[: len(names) - 1].tolist(), score]
    if label := table_readers.label_column(declaration):
        names.append(label[0][0])
        row.append(declaration.classes[kind])
    return csv_text([declaration.predictions.case, *names], ([case, *row] for case in ids))
