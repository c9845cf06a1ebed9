"""Balanced accuracy, kappa, MCC, log loss, F-beta and top-k, for cases with one class or several labels.

`average` and `of` choose the classes: `of` names one class. `average` is "macro" for the unweighted mean over
the classes, "weighted" for the mean weighted by their number of true cases, or "micro" to pool all decisions.
Without `average` and `of`, the metric is that of the positive class if there are two classes, and "macro" if
there are more. A class with neither a case nor a prediction is left out of the means.
"""

from collections.abc import Callable

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.metrics import auc_and_average_precision, binary, calibration
from scoring.metrics import classification as counted
from scoring.metrics.classification import ClassCounts, divide, mean_of_defined, weighted_mean
from scoring.metrics.task_cases import LabelledCases, MultilabelCases

Which = str | None
"""`average` and `of`, as explained in the module's docstring."""
Formula = Callable[..., Floats]
CHUNK_CELLS = 4_000_000
"""Maximum number of pooled weights, and of counts at thresholds, that are held in memory at once."""


def _class_counts(cases: LabelledCases, weights: Floats) -> ClassCounts:
    assert cases.predicted is not None
    return counted.counts(cases.truth, cases.predicted, weights, len(cases.classes))


def _of_counts(quantity: Callable[[ClassCounts], Floats]) -> Formula:
    """Return the metric that is a quantity of counts [B]."""
    return lambda cases, weights: quantity(_class_counts(cases, weights))


def _balanced_accuracy(c: ClassCounts) -> Floats:
    return counted.mean_over_present(counted.recall(c), c)


def _mcc(c: ClassCounts) -> Floats:
    """Return Matthews' correlation of K classes (Gorodkin 2004) [B]; 0 if all get one prediction."""
    total = c.total**2
    covariance = c.true_positive.sum(1) * c.total - (c.predicted * c.support).sum(1)
    of_truth, of_guess = (total - (sums**2).sum(1) for sums in (c.support, c.predicted))
    return np.where(of_truth > 0, divide(covariance, np.sqrt(of_truth * of_guess), 0), np.nan)


def _kappa(power: int) -> Formula:
    """Return Cohen's kappa, unweighted (power 0) or with weights |i - j|^power of the classes' places."""

    def formula(cases: LabelledCases, weights: Floats) -> Floats:
        c = _class_counts(cases, weights)
        assert cases.predicted is not None
        places = np.arange(len(cases.classes), dtype=float)
        apart = np.abs(places[:, None] - places)
        costs = apart**power if power else (apart > 0).astype(float)
        observed = weighted_mean(costs[cases.truth, cases.predicted], weights) * c.total
        expected = np.einsum("bi,ij,bj->b", c.support, costs, c.predicted)
        return 1 - divide(observed * c.total, expected)

    return formula


accuracy, balanced_accuracy, mcc = map(_of_counts, (counted.accuracy, _balanced_accuracy, _mcc))
kappa, linear_kappa, quadratic_kappa = map(_kappa, (0, 1, 2))


def _of_ratio(ratio: Callable[..., tuple[Floats, Floats, Bools]]) -> Formula:
    """Return the metric that is a ratio of counts [B, K]: above and below the line, and where it is defined
    of one class; 0 / 0 counts 0 in a mean, as in scikit-learn."""

    def formula(
        cases: LabelledCases, weights: Floats, average: Which = None, of: Which = None, **chosen: float
    ) -> Floats:
        c = _class_counts(cases, weights)
        above, below, defined = ratio(c, **chosen)
        if average == "micro" and of is None:
            return divide(above.sum(1), below.sum(1))
        values = divide(above, below, 0)
        if (single := _single(cases, average, of)) is not None:
            return np.where(defined[:, single], values[:, single], np.nan)
        values = np.where(c.support + c.predicted > 0, values, np.nan)
        return _mean_over_classes(values, c.support, average)

    return formula


def _f_ratio(c: ClassCounts, beta: float = 1) -> tuple[Floats, Floats, Bools]:
    square = beta * beta
    total = square * c.support + c.predicted
    return (1 + square) * c.true_positive, total, total > 0


recall = _of_ratio(lambda c: (c.true_positive, c.support, c.support > 0))
precision = _of_ratio(lambda c: (c.true_positive, c.predicted, c.support + c.predicted > 0))
f_beta = f1 = _of_ratio(_f_ratio)
f2 = _of_ratio(lambda c: _f_ratio(c, 2))


def _of_columns(measured: Callable[..., Floats]) -> Formula:
    """Return the metric that is a formula of scores [n], positives [n] and weights [B, n] of one class, or
    its mean over the classes."""

    def formula(
        cases: LabelledCases, weights: Floats, average: Which = None, of: Which = None, **chosen: float
    ) -> Floats:
        scores, truths = _scores(cases), cases.truth[:, None] == np.arange(len(cases.classes))
        if average == "micro" and of is None:
            flat = scores.ravel(), truths.ravel()
            return _pooled(lambda w: measured(*flat, w, **chosen), weights, len(cases.classes))
        if (single := _single(cases, average, of)) is not None:
            return measured(scores[:, single], truths[:, single], weights, **chosen)
        values = [measured(*columns, weights, **chosen) for columns in zip(scores.T, truths.T, strict=True)]
        return _mean_over_classes(np.column_stack(values), weights @ truths.astype(weights.dtype), average)

    return formula


def _of_curves(measure: Callable[..., Floats]) -> Formula:
    """Return the metric that is a measure of ROC curves."""
    return _of_columns(
        lambda scores, positive, weights, **chosen: auc_and_average_precision.in_chunks(
            auc_and_average_precision.levels(scores, positive),
            weights,
            {"": lambda curves: measure(curves, **chosen)},
        )[""]
    )


def _of_thresholds(measure: Callable[..., Floats]) -> Formula:
    """Return the metric that is a measure of counts at all thresholds."""

    def measured(scores: Floats, positive: Bools, weights: Floats, **chosen: float) -> Floats:
        rows = max(1, CHUNK_CELLS // len(scores))
        chunks = (weights[start : start + rows] for start in range(0, len(weights), rows))
        counts = (binary.count_by_threshold(scores, positive, chunk) for chunk in chunks)
        return np.concatenate([measure(c, **chosen) for c in counts])

    return _of_columns(measured)


auc, average_precision = (
    _of_curves(auc_and_average_precision.auc),
    _of_curves(auc_and_average_precision.average_precision),
)
partial_auc = _of_curves(lambda c, min_sensitivity: auc_and_average_precision.partial_auc(c, min_sensitivity))
sensitivity_at_specificity = _of_thresholds(
    lambda c, min_specificity: binary.sensitivity_at_specificity(c, min_specificity)
)
specificity_at_sensitivity = _of_thresholds(
    lambda c, min_sensitivity: binary.specificity_at_sensitivity(c, min_sensitivity)
)


def _of_cases(value: Callable[..., Floats | Bools]) -> Formula:
    """Return the metric that is the mean of a value of each case [N]."""
    return lambda cases, weights, **chosen: weighted_mean(value(cases, **chosen), weights)


def _brier(cases: LabelledCases) -> Floats:
    """Return Brier scores [N]: of two classes that of the positive one, 0..1, else the sum, 0..2."""
    per_case = calibration.brier_scores(_scores(cases), cases.truth)
    return per_case / 2 if len(cases.classes) == 2 else per_case


def _in_top(cases: LabelledCases, k: int) -> Bools:
    """Return whether the class is among the k highest scores [N]; among equal scores the class that is
    listed first is higher."""
    order = np.argsort(-_scores(cases), axis=1, kind="stable")[:, :k]
    is_in: Bools = (order == cases.truth[:, None]).any(1)
    return is_in


log_loss = _of_cases(lambda cases: calibration.log_losses(_scores(cases), cases.truth))
brier, top_k_accuracy = _of_cases(_brier), _of_cases(_in_top)


def calibration_error(cases: LabelledCases, weights: Floats, bins: int = calibration.BINS) -> Floats:
    """Return the expected calibration error of the largest probability [B].

    Args:
        weights: Weights of the cases [B, N].
    """
    scores = _scores(cases)
    right = scores.argmax(1) == cases.truth
    return calibration.expected_errors(scores.max(1), right, weights, bins)


def over_labels(
    formula: Callable[..., Floats],
    cases: MultilabelCases,
    weights: Floats,
    average: str | None = None,
    of: str | None = None,
    **chosen: float,
) -> Floats:
    """Return the mean of a binary metric over all labels in every replicate [B], for cases with several
    labels.

    Args:
        formula: The metric of one label, which each case has or has not.
        weights: Weights of the cases [B, N].
        average: "macro" (or None): unweighted mean over the labels for which the metric is defined.
            "weighted": mean weighted by their number of positives. "micro": each pair of case and label
            counts as one case.
    """
    if of is not None:
        return formula(cases.of_label(cases.classes.index(of)), weights, **chosen)
    if average == "micro":
        return _pooled(lambda w: formula(cases.pooled(), w, **chosen), weights, len(cases.classes))
    values = np.column_stack(
        [formula(cases.of_label(label), weights, **chosen) for label in range(len(cases.classes))]
    )
    return _mean_over_classes(values, weights @ cases.truth.astype(weights.dtype), average)


def _scores(cases: LabelledCases) -> Floats:
    assert cases.scores is not None
    return cases.scores


def _single(cases: LabelledCases, average: str | None, of: str | None) -> int | None:
    """Return the number of the class that is meant; None if several are."""
    if of is not None:
        return cases.classes.index(of)
    return cases.the_positive if average is None else None


def _mean_over_classes(values: Floats, support: Floats, average: str | None) -> Floats:
    """Return the mean over the classes for which a value [B, K] is defined."""
    if average == "weighted":
        defined = ~np.isnan(values)
        return divide(np.where(defined, values * support, 0).sum(1), (support * defined).sum(1))
    return mean_of_defined(values)


def _pooled(formula: Callable[[Floats], Floats], weights: Floats, repeats: int) -> Floats:
    """Return a formula of cases that each come `repeats` times, some replicates at a time."""
    rows = max(1, CHUNK_CELLS // max(1, repeats * weights.shape[1]))
    starts = range(0, len(weights), rows)
    return np.concatenate([formula(np.repeat(weights[s : s + rows], repeats, axis=1)) for s in starts])
