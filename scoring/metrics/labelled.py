"""Metrics of cases with one class each, and of several labels, as the registry calls them.

`average` and `of` say of which classes: `of` names one; "macro" is the plain mean over the classes,
"weighted" the mean weighted by their true cases, "micro" takes all decisions as one. Without either: of two
classes the positive one, of more "macro". A class with neither a case nor a prediction leaves the means.
"""

from collections.abc import Callable

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.metrics import binary, calibration, roc
from scoring.metrics import classification as counted
from scoring.metrics.classification import ClassCounts, divide, mean_of_defined, weighted_mean
from scoring.metrics.task_cases import LabelledCases, MultilabelCases

Which = str | None
"""`average` and `of`, as the module explains them."""
CHUNK_CELLS = 4_000_000
"""Weights of pooled cases, and counts along thresholds, that are held at once."""


def class_counts(cases: LabelledCases, weights: Floats) -> ClassCounts:
    """Count cases, predictions and hits of each class.

    Args:
        cases: Cases with predicted classes.
        weights: Weights of the cases [B, N].
    """
    assert cases.predicted is not None
    return counted.counts(cases.truth, cases.predicted, weights, len(cases.classes))


def accuracy(cases: LabelledCases, weights: Floats) -> Floats:
    """Return the share of cases that are predicted as their class [B]."""
    return counted.accuracy(class_counts(cases, weights))


def balanced_accuracy(cases: LabelledCases, weights: Floats) -> Floats:
    """Return the mean recall of the classes that have a case [B]."""
    c = class_counts(cases, weights)
    return counted.mean_over_present(counted.recall(c), c)


def recall(cases: LabelledCases, weights: Floats, **which: Which) -> Floats:
    """Return recall [B]; of one class NaN where it has no case."""
    c = class_counts(cases, weights)
    return _averaged(cases, c, c.true_positive, c.support, c.support > 0, **which)


def precision(cases: LabelledCases, weights: Floats, **which: Which) -> Floats:
    """Return precision [B]; of one class 0 where it has cases and is never predicted."""
    c = class_counts(cases, weights)
    return _averaged(cases, c, c.true_positive, c.predicted, c.support + c.predicted > 0, **which)


def f_beta(cases: LabelledCases, weights: Floats, beta: float, **which: Which) -> Floats:
    """Return F-beta [B]; of one class NaN where it has neither a case nor a prediction."""
    c, square = class_counts(cases, weights), beta * beta
    hits, total = (1 + square) * c.true_positive, square * c.support + c.predicted
    return _averaged(cases, c, hits, total, total > 0, **which)


def f1(cases: LabelledCases, weights: Floats, **which: Which) -> Floats:
    """Return F-beta with beta = 1 [B]."""
    return f_beta(cases, weights, 1, **which)


def f2(cases: LabelledCases, weights: Floats, **which: Which) -> Floats:
    """Return F-beta with beta = 2 [B]."""
    return f_beta(cases, weights, 2, **which)


def mcc(cases: LabelledCases, weights: Floats) -> Floats:
    """Return Matthews' correlation of K classes (Gorodkin 2004) [B]; 0 where all get one prediction."""
    c = class_counts(cases, weights)
    total = c.total**2
    covariance = c.true_positive.sum(1) * c.total - (c.predicted * c.support).sum(1)
    of_truth, of_guess = (total - (sums**2).sum(1) for sums in (c.support, c.predicted))
    return np.where(of_truth > 0, divide(covariance, np.sqrt(of_truth * of_guess), 0), np.nan)


def kappa(cases: LabelledCases, weights: Floats, power: int = 0) -> Floats:
    """Return Cohen's kappa [B], unweighted (power 0) or with weights |i - j|^power of the classes' places."""
    c = class_counts(cases, weights)
    assert cases.predicted is not None
    places = np.arange(len(cases.classes), dtype=float)
    apart = np.abs(places[:, None] - places)
    costs = apart**power if power else (apart > 0).astype(float)
    observed = weighted_mean(costs[cases.truth, cases.predicted], weights) * c.total
    expected = np.einsum("bi,ij,bj->b", c.support, costs, c.predicted)
    return 1 - divide(observed * c.total, expected)


def linear_kappa(cases: LabelledCases, weights: Floats) -> Floats:
    """Return kappa with weights |i - j| [B]."""
    return kappa(cases, weights, 1)


def quadratic_kappa(cases: LabelledCases, weights: Floats) -> Floats:
    """Return kappa with weights (i - j)^2 [B]."""
    return kappa(cases, weights, 2)


def auc(cases: LabelledCases, weights: Floats, **which: Which) -> Floats:
    """Return the area under the ROC curve [B], of each class against the rest."""
    return _of_curves(cases, weights, roc.auc, **which)


def partial_auc(cases: LabelledCases, weights: Floats, min_sensitivity: float, **which: Which) -> Floats:
    """Return the area under the ROC curve and above a sensitivity [B], 0..1 - `min_sensitivity`."""
    return _of_curves(cases, weights, lambda c: roc.partial_auc(c, min_sensitivity), **which)


def average_precision(cases: LabelledCases, weights: Floats, **which: Which) -> Floats:
    """Return the average precision [B], of each class against the rest."""
    return _of_curves(cases, weights, roc.average_precision, **which)


def sensitivity_at_specificity(
    cases: LabelledCases, weights: Floats, min_specificity: float, **which: Which
) -> Floats:
    """Return the largest sensitivity at which a specificity is reached [B]."""
    return _of_thresholds(
        cases, weights, lambda c: binary.sensitivity_at_specificity(c, min_specificity), **which
    )


def specificity_at_sensitivity(
    cases: LabelledCases, weights: Floats, min_sensitivity: float, **which: Which
) -> Floats:
    """Return the largest specificity at which a sensitivity is reached [B]."""
    return _of_thresholds(
        cases, weights, lambda c: binary.specificity_at_sensitivity(c, min_sensitivity), **which
    )


def log_loss(cases: LabelledCases, weights: Floats) -> Floats:
    """Return the mean log loss [B]; probabilities below 1e-15 count as 1e-15."""
    return weighted_mean(calibration.log_losses(_scores(cases), cases.truth), weights)


def brier(cases: LabelledCases, weights: Floats) -> Floats:
    """Return the mean Brier score [B]: of two classes that of the positive one, 0..1, else the sum, 0..2."""
    per_case = calibration.brier_scores(_scores(cases), cases.truth)
    return weighted_mean(per_case / 2 if len(cases.classes) == 2 else per_case, weights)


def calibration_error(cases: LabelledCases, weights: Floats, bins: int = calibration.BINS) -> Floats:
    """Return the expected calibration error of the largest probability [B]."""
    scores = _scores(cases)
    right = scores.argmax(1) == cases.truth
    return calibration.expected_errors(scores.max(1), right, weights, bins)


def top_k_accuracy(cases: LabelledCases, weights: Floats, k: int) -> Floats:
    """Return the share of cases whose class is among the k of the highest scores [B]; of equal ones the class
    that is listed first."""
    order = np.argsort(-_scores(cases), axis=1, kind="stable")[:, :k]
    return weighted_mean((order == cases.truth[:, None]).any(1), weights)


def over_labels(
    formula: Callable[..., Floats],
    cases: MultilabelCases,
    weights: Floats,
    average: str | None = None,
    of: str | None = None,
    **chosen: float,
) -> Floats:
    """Return a metric of two classes over several labels [B].

    Args:
        formula: The metric, of having a label against not having it.
        cases: The cases.
        weights: Weights of the cases [B, N].
        average: "macro", the plain mean over the labels for which it is defined; "weighted" by their
            positives; "micro", each case with each label as a case of its own. None = "macro".
        of: One label.
        chosen: Other parameters of the metric.
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


def _averaged(
    cases: LabelledCases,
    c: ClassCounts,
    above: Floats,
    below: Floats,
    defined: Bools,
    average: str | None = None,
    of: str | None = None,
) -> Floats:
    """Return ratios [B, K] of one class or over the classes; 0 / 0 counts 0 in a mean, as in scikit-learn."""
    if average == "micro" and of is None:
        return divide(above.sum(1), below.sum(1))
    values = divide(above, below, 0)
    if (single := _single(cases, average, of)) is not None:
        return np.where(defined[:, single], values[:, single], np.nan)
    values = np.where(c.support + c.predicted > 0, values, np.nan)
    return _mean_over_classes(values, c.support, average)


def _single(cases: LabelledCases, average: str | None, of: str | None) -> int | None:
    """Return the number of the class that is meant; None where several are."""
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


def _of_columns(
    cases: LabelledCases,
    weights: Floats,
    formula: Callable[[Floats, Bools, Floats], Floats],
    average: str | None = None,
    of: str | None = None,
) -> Floats:
    """Return a formula of scores [n], positives [n] and weights [B, n] of one class or over the classes."""
    scores, truths = _scores(cases), cases.truth[:, None] == np.arange(len(cases.classes))
    if average == "micro" and of is None:
        return _pooled(lambda w: formula(scores.ravel(), truths.ravel(), w), weights, len(cases.classes))
    if (single := _single(cases, average, of)) is not None:
        return formula(scores[:, single], truths[:, single], weights)
    values = [formula(scores[:, k], truths[:, k], weights) for k in range(len(cases.classes))]
    return _mean_over_classes(np.column_stack(values), weights @ truths.astype(weights.dtype), average)


def _of_curves(
    cases: LabelledCases, weights: Floats, measure: Callable[[roc.RocCurves], Floats], **which: Which
) -> Floats:
    """Return a measure of ROC curves of one class or over the classes."""
    return _of_columns(
        cases,
        weights,
        lambda s, p, w: roc.in_chunks(roc.levels(s, p), w, {"": measure})[""],
        **which,
    )


def _of_thresholds(
    cases: LabelledCases, weights: Floats, measure: Callable[[binary.ThresholdCounts], Floats], **which: Which
) -> Floats:
    """Return a measure of counts at all thresholds of one class or over the classes."""

    def measured(scores: Floats, positive: Bools, w: Floats) -> Floats:
        rows = max(1, CHUNK_CELLS // len(scores))
        starts = range(0, len(w), rows)
        return np.concatenate(
            [measure(binary.count_by_threshold(scores, positive, w[s : s + rows])) for s in starts]
        )

    return _of_columns(cases, weights, measured, **which)
