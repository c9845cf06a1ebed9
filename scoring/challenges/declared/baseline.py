"""Constant baseline: the submission that says the same of every case, which a score has to beat."""

import csv
import io

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.common.arrays import Floats


def constant_table(declaration: Declaration, truth: DeclaredCases) -> str:
    """Return predictions that are the same for every case, as CSV.

    They are the most frequent class or the shares of the classes, the median (mean absolute error) or the
    mean of a number, and equal risks.

    Args:
        declaration: Of a task of tables.
        truth: The test set.
    """
    wanted = declaration.predictions
    if declaration.task == "survival":
        columns: dict[str, object] = {str(wanted.risk): 0}
    elif declaration.task == "regression":
        middle = np.median if declaration.score[0].metric.name == "mae" else np.mean
        columns = {str(wanted.value): float(middle(truth.values[:, 0]))}
    else:
        columns = _of_classes(declaration, _shares(declaration, truth))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([wanted.case, *columns])
    writer.writerows([case, *columns.values()] for case in truth.ids)
    return text.getvalue()


def _shares(declaration: Declaration, truth: DeclaredCases) -> Floats:
    """Return the share of cases of each class or label [C]."""
    if not declaration.is_graded:
        return np.asarray(truth.values.mean(0))
    return np.bincount(truth.labels, minlength=len(declaration.classes)) / len(truth)


def _of_classes(declaration: Declaration, shares: Floats) -> dict[str, object]:
    wanted, classes = declaration.predictions, declaration.classes
    columns: dict[str, object] = {}
    if wanted.label:
        columns[wanted.label] = classes[int(shares.argmax())]
    if wanted.scores:
        columns |= dict(zip(classes, shares.tolist(), strict=True))
    if wanted.score:
        columns[wanted.score] = float(shares[classes.index(str(declaration.positive))])
    return columns
