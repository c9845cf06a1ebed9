"""Sums of a declared score by unit, so that the swap test can tell teams apart: counts of true and
predicted class, and pseudo-values of what is not a function of these."""

from collections.abc import Callable

import numpy as np

from scoring.challenges.declared.declaration import Declaration, MetricUse
from scoring.challenges.declared.measures import Measured
from scoring.common.arrays import Floats, Ints
from scoring.metrics.curves import auc_without_each_unit
from scoring.metrics.task_cases import LabelledCases
from scoring.statistics import swap_test
from scoring.statistics.replicates import leave_one_out_weights

MOST_CELLS = 256
"""Cells of a confusion matrix that are summed by unit, at most."""
MOST_LEFT_OUT = 1_000
"""Units above which several are left out, and exchanged, at once."""


def of_counts(declaration: Declaration) -> tuple[MetricUse, ...]:
    """Return the parts of the score that counts of true and predicted class decide."""
    k = len(declaration.classes)
    if not declaration.is_graded or k * k > MOST_CELLS:
        return ()
    return tuple(use for use in declaration.score if use.metric.needs == "labels")


def unit_sums(declaration: Declaration, measured: Measured, units: Ints) -> Floats:
    """Return sums [n, ...] by unit, or by group of units: the cells of the confusion matrix, and the
    pseudo-values of the rest of the score."""
    counted, columns = of_counts(declaration), []
    rest = tuple(use for use in declaration.score if use not in counted)
    weights, cases = measured.counted.astype(float), measured.cases
    n_units = int(units.max()) + 1
    units = units % MOST_LEFT_OUT if rest and n_units > MOST_LEFT_OUT else units
    if counted and isinstance(cases, LabelledCases):
        k = len(declaration.classes)
        cells = np.zeros((int(units.max()) + 1, k * k))
        np.add.at(cells, (units, cases.truth * k + np.asarray(cases.predicted)), weights)
        columns.append(cells)
    if rest:
        whole = weights[None]
        parts = [use.weight * use.metric.compute(measured.of(use), whole, **use.options) for use in rest]
        point = float(np.sum(parts))
        left = sum(use.weight * _left_out(measured, use, units, weights) for use in rest)
        values = swap_test.pseudo_values(point, np.asarray(left))
        columns.append(values[:, None] / len(values))
    return np.hstack(columns)


def _left_out(measured: Measured, use: MetricUse, units: Ints, weights: Floats) -> Floats:
    """Return a metric without each unit [n]."""
    cases = measured.of(use)
    if use.metric.name == "auc" and not use.options and isinstance(cases, LabelledCases):
        place = cases.the_positive
        if place is not None and cases.scores is not None:
            return auc_without_each_unit(cases.scores[:, place], cases.truth == place, units, weights)
    blocks = leave_one_out_weights(units, weights)
    return np.concatenate([use.metric.compute(cases, block, **use.options) for block in blocks])


def score_of_sums(declaration: Declaration) -> Callable[[Floats], Floats]:
    """Return the function of sums [..., K] that gives the score."""
    counted, k = of_counts(declaration), len(declaration.classes)
    places = np.arange(k)
    cells = LabelledCases(
        np.repeat(places, k),
        np.tile(places, k),
        None,
        declaration.classes,
        declaration.classes.index(declaration.positive) if declaration.positive else None,
    )

    def score(sums: Floats) -> Floats:
        if not counted:
            return np.asarray(sums[..., 0])
        flat = sums[..., : k * k].reshape(-1, k * k)
        total = sum(use.weight * use.metric.compute(cells, flat, **use.options) for use in counted)
        shaped = np.asarray(total).reshape(sums.shape[:-1])
        return shaped + sums[..., k * k] if sums.shape[-1] > k * k else shaped

    return score
