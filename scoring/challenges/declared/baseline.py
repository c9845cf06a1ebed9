"""Constant baseline: the submission that says the same of every case, which a score has to beat."""

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.prediction_table import prediction_table
from scoring.common.arrays import Floats
from scoring.core.submission import Predictions


def constant_table(declaration: Declaration, truth: DeclaredCases) -> str:
    """Return predictions that are the same for every case, as CSV.

    They are the most frequent class or the shares of the classes, the median (mean absolute error) or the
    mean of a number, and equal risks.

    Args:
        declaration: Of a task of tables.
        truth: The test set.
    """
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
