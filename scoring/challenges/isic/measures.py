"""Computes balanced accuracy (the score) and other measures of ISIC for many replicates at once: row b of the
weights [B, N] is one test set.

Source: `isic-challenge-scoring` 5.8.0 (metrics.py, classification.py); the evaluation page of 2019 for the
area under the malignant curve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.isic.categories import UNKNOWN
from scoring.challenges.isic.truth import IsicCases
from scoring.core.submission import Predictions
from scoring.metrics import auc_and_average_precision, binary, classification, curves
from scoring.metrics.auc_and_average_precision import Levels
from scoring.metrics.classification import divide, mean_of_defined
from scoring.metrics.thresholds import HALF, decided
from scoring.statistics import permutation_test
from scoring.statistics.interval_basis import Basis, QuantityName, beyond, counted, mean, of_areas
from scoring.statistics.permutation_test import Categories

SENSITIVITY = 0.8
DECIMALS_OF_A_SUM = 12
AREAS = {
    "auc": auc_and_average_precision.auc,
    "auc_sens_80": lambda c: auc_and_average_precision.auc_above_sensitivity(c, SENSITIVITY),
    "average_precision": auc_and_average_precision.average_precision,
}
MEANS = {
    "balanced_accuracy": "recall",
    "macro_sensitivity": "sensitivity",
    "macro_specificity": "specificity",
    "macro_accuracy": "accuracy",
    "macro_auc": "auc",
    "macro_auc_sens_80": "auc_sens_80",
    "macro_average_precision": "average_precision",
    "macro_f1": "f1",
    "macro_ppv": "ppv",
    "macro_npv": "npv",
}
RANKED_BY = {
    "balanced_accuracy": "balanced_accuracy",
    "auc": "macro_auc",
    "ap": "macro_average_precision",
    "dice": "macro_f1",
}
OF_POSITIVES = ("sensitivity", "f1", "ppv", "auc", "auc_sens_80", "average_precision")
OF_NEGATIVES = ("specificity", "npv", "auc", "auc_sens_80")


@dataclass(frozen=True)
class Malignancy:
    """Malignant against benign cases.

    Attributes:
        members: Included cases, bool [N].
        positive: Whether each included case is malignant [n].
        scores: Scores of the included cases [n].
        levels: The same scores, sorted into levels for ROC curves.
        left_out: Cases of the category UNK that are left out, bool [N].
    """

    members: np.ndarray
    positive: np.ndarray
    scores: np.ndarray
    levels: Levels
    left_out: np.ndarray


@dataclass(frozen=True)
class CategoryScores:
    """Truth and scores of the same cases.

    Attributes:
        positives: True categories, bool [N, K].
        labels: True category numbers [N]; -1 if undecided.
        outputs: Scores [N, K].
        predicted: Predicted category numbers [N]; -1 if undecided.
        predicted_positive: Predicted categories, bool [N, K].
    """

    categories: tuple[str, ...]
    positives: np.ndarray
    labels: np.ndarray
    outputs: np.ndarray
    predicted: np.ndarray
    predicted_positive: np.ndarray
    levels: tuple[Levels, ...]
    malignancy: Malignancy


def answers(
    truth: IsicCases, predictions: Predictions, malignant: Sequence[str], inclusive: bool
) -> CategoryScores:
    """Match truth and scores for computing measures. `inclusive` says whether a score of exactly 0.5 is
    positive."""
    outputs, labels, names = predictions.outputs, truth.labels, tuple(truth.categories)
    return CategoryScores(
        names,
        truth.positives,
        labels,
        outputs,
        predictions.labels,
        decided(outputs, HALF, inclusive),
        tuple(
            auc_and_average_precision.levels(outputs[:, k], truth.positives[:, k]) for k in range(len(names))
        ),
        malignancy(names, labels, outputs, malignant),
    )


def malignancy(
    categories: Sequence[str], labels: np.ndarray, outputs: np.ndarray, malignant: Sequence[str]
) -> Malignancy:
    """Divide the cases that have a true label into malignant and benign ones. The category UNK is left out
    unless it counts as malignant.

    The score of a case is the sum of its scores for malignant categories, in column order. The sum is rounded
    to 12 decimals, so that 0.1 + 0.2 equals 0.3.
    """
    places = [k for k, name in enumerate(categories) if name in malignant]
    unknown = [k for k, name in enumerate(categories) if name == UNKNOWN and name not in malignant]
    left_out = np.isin(labels, unknown)
    members = (labels >= 0) & ~left_out
    total = np.zeros(int(members.sum()))
    for k in places:
        total += outputs[members, k]
    scores, positive = np.round(total, DECIMALS_OF_A_SUM), np.isin(labels[members], places)
    return Malignancy(members, positive, scores, auc_and_average_precision.levels(scores, positive), left_out)


def malignant_auc(m: Malignancy, weights: np.ndarray) -> np.ndarray:
    """Return the area under the malignant curve [B] for weights [B, N]. NaN without malignant or without
    benign cases."""
    return auc_and_average_precision.in_chunks(
        m.levels, weights[:, m.members], {"auc": auc_and_average_precision.auc}
    )["auc"]


def counts(a: CategoryScores, weights: np.ndarray) -> binary.Decisions:
    """Return one-versus-rest counts [B, K] at the threshold 0.5."""
    y, p = a.positives, a.predicted_positive
    cells = [y & p, ~y & p, y & ~p, ~y & ~p]
    sums = (weights @ np.hstack(cells).astype(weights.dtype)).astype(float)
    return binary.Decisions(*np.split(sums, 4, axis=1))


def of_counts(d: binary.Decisions) -> dict[str, np.ndarray]:
    """Compute measures from one-versus-rest counts of any shape.

    As in the official scorer, ppv is 1.0 without positive predictions, and npv is 1.0 without negative
    predictions. Measures are NaN if there are no positive or no negative cases.
    """
    measures = {
        "sensitivity": binary.recall(d),
        "specificity": binary.specificity(d),
        "accuracy": binary.accuracy(d),
        "ppv": divide(d.true_positive, d.true_positive + d.false_positive, 1),
        "npv": divide(d.true_negative, d.true_negative + d.false_negative, 1),
        "f1": binary.f_beta(d, 1),
    }
    absent, everywhere = d.true_positive + d.false_negative == 0, d.true_negative + d.false_positive == 0
    return {
        name: np.where(
            (absent & (name in OF_POSITIVES)) | (everywhere & (name in OF_NEGATIVES)), np.nan, values
        )
        for name, values in measures.items()
    }


def _counts(a: CategoryScores, weights: np.ndarray) -> classification.ClassCounts:
    return classification.counts(a.labels, a.predicted, weights, len(a.categories))


def per_category(a: CategoryScores, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Return every measure of every category as arrays [B, K]; NaN if undefined."""
    measures = {
        "recall": classification.recall(_counts(a, weights)),
        **of_counts(counts(a, weights)),
    }
    areas = auc_and_average_precision.all_in_chunks(a.levels, weights, AREAS)
    return measures | {name: np.column_stack([area[name] for area in areas]) for name in AREAS}


def quantities(a: CategoryScores, weights: np.ndarray, metric: str) -> dict[Any, np.ndarray]:
    """Return every quantity that has an interval, as arrays [B] by name. Measures of a category have the key
    (measure, category)."""
    measures = per_category(a, weights)
    estimates = {name: mean_of_defined(measures[measure]) for name, measure in MEANS.items()}
    decided_cases = _counts(a, weights)
    estimates |= {
        "mean_auc": estimates["macro_auc"],
        "malignant_auc": malignant_auc(a.malignancy, weights),
        "score": estimates[RANKED_BY[metric]],
        "accuracy": divide(decided_cases.true_positive.sum(1), decided_cases.support.sum(1)),
    }
    return estimates | {
        (measure, name): values[:, k]
        for measure, values in measures.items()
        for k, name in enumerate(a.categories)
    }


def basis(a: CategoryScores, units: np.ndarray, metric: str) -> Basis:
    """Return how many units each quantity of `quantities` depends on. `units` contains the unit number of
    each case [N]."""
    sides = {
        **dict.fromkeys(("recall", "sensitivity", "f1"), a.positives),
        "specificity": ~a.positives,
        "ppv": a.predicted_positive & a.positives.any(0),
        "npv": ~a.predicted_positive,
    }
    cases: dict[QuantityName, np.ndarray] = {
        (measure, name): side[:, k] for measure, side in sides.items() for k, name in enumerate(a.categories)
    }
    rests_on = counted(cases, units)
    for measure in AREAS:
        names = [(measure, name) for name in a.categories]
        rests_on |= of_areas(names, a.positives, ~a.positives, units)
    m = a.malignancy
    malignant = np.zeros((len(a.labels), 2), bool)
    malignant[np.flatnonzero(m.members)] = np.column_stack([m.positive, ~m.positive])
    rests_on |= of_areas(["malignant_auc"], malignant[:, :1], malignant[:, 1:], units)
    parts = {
        name: mean([(measure, category) for category in a.categories], rests_on)
        for name, measure in MEANS.items()
        if measure not in ("specificity", "accuracy", "npv")
    }
    supports = [rests_on["sensitivity", name] for name in a.categories]
    rests_on["macro_auc_sens_80"] = beyond(max(supports), SENSITIVITY, len(units))
    ranked = RANKED_BY[metric]
    parts |= {"mean_auc": parts["macro_auc"], "score": parts[ranked]}
    return Basis(rests_on, parts, worst=dict.fromkeys(("auc", "auc_sens_80", "malignant_auc"), 0.5))


def unit_sums(
    a: CategoryScores, units: np.ndarray, weights: np.ndarray, metric: str, score: float
) -> np.ndarray:
    """Return values for each unit [n, ...]; the score is computed from their sums over the units.

    For balanced accuracy and macro F1, the values are counts per category; for the mean AUC, they are shares.
    Average precision cannot be written as such a sum; its values are NaN.

    Args:
        weights: Weights of the cases [N].
    """
    if metric == "balanced_accuracy":
        k = len(a.categories)
        is_true = classification.one_hot(a.labels, k, float)
        hits = is_true * classification.one_hot(a.predicted, k, float)
        return permutation_test.unit_sums(np.hstack([hits, is_true]), units, weights)
    if metric == "dice":
        y, p = a.positives, a.predicted_positive
        cells = [y & p, ~y & p, y & ~p]
        return permutation_test.unit_sums(np.hstack(cells).astype(float), units, weights)
    if metric != "auc":
        return np.full((int(units.max()) + 1, 1), np.nan)
    columns = zip(a.outputs.T, a.positives.T, strict=True)
    areas = [curves.auc_without_each_unit(*column, units, weights) for column in columns]
    left_out = mean_of_defined(np.stack(areas, axis=-1))
    return permutation_test.pseudo_values(score, left_out)[:, None] / len(left_out)


def categories_of_sums(metric: str, number: int) -> Categories:
    """Return for each category the positions of its sums among those of `unit_sums`, such as right answers
    and cases. For the mean AUC there is only one sum, of shares instead of counts."""
    hits = np.arange(number)
    if metric == "balanced_accuracy":
        return Categories(hits, cases=(hits + number,), gains=(hits,))
    if metric == "dice":
        misses = hits + 2 * number
        return Categories(hits, cases=(hits, misses), gains=(hits,), losses=(misses,), unseen=1.5)
    return Categories(hits[:1], cases=(), gains=(hits[:1],), unseen=0.5)


def score_of_sums(metric: str, sums: np.ndarray) -> np.ndarray:
    """Compute the score from sums [..., K] of `unit_sums`."""
    if metric == "balanced_accuracy":
        hits, support = np.split(sums, 2, axis=-1)
        return mean_of_defined(divide(hits, support))
    if metric == "dice":
        hits, alarms, misses = np.split(sums, 3, axis=-1)
        return mean_of_defined(of_counts(binary.Decisions(hits, alarms, misses, np.ones_like(hits)))["f1"])
    return np.asarray(sums[..., 0])


def ranked_value(a: CategoryScores, weights: np.ndarray, metric: str) -> float:
    """Return the value of the ranking metric for weights [N]; NaN if undefined."""
    measure = MEANS[RANKED_BY[metric]]
    if measure == "recall":
        return float(mean_of_defined(classification.recall(_counts(a, weights[None])))[0])
    if measure == "f1":
        return float(mean_of_defined(of_counts(counts(a, weights[None]))["f1"])[0])
    return float(mean_of_defined(_areas(a, weights, measure)))


def _areas(a: CategoryScores, weights: np.ndarray, measure: str) -> np.ndarray:
    """Return one of the areas in AREAS for every category [K], with weights [N]."""
    area = {measure: AREAS[measure]}
    return np.array(
        [auc_and_average_precision.in_chunks(levels, weights[None], area)[measure][0] for levels in a.levels]
    )


def by_position(a: CategoryScores, weights: np.ndarray, order: np.ndarray, metric: str) -> float:
    """Return the number that the official scorer prints if the truth is not sorted by id; NaN if it prints
    none.

    The official scorer sorts truth and scores by id (`order` [N]), but not the weights [N]. It therefore
    applies most weights to wrong cases; only the denominators of the recalls are right.
    """
    moved = np.empty_like(weights)
    moved[order] = weights
    if metric in ("ap", "dice"):
        return _with_empty_categories(a, moved, metric)
    if metric == "auc":
        return ranked_value(a, moved, metric)
    hits, support = _counts(a, moved[None]).true_positive, _counts(a, weights[None]).support
    return float(mean_of_defined(divide(hits, support))[0])


def _with_empty_categories(a: CategoryScores, weights: np.ndarray, metric: str) -> float:
    """Return the official mean of `ap` or `dice` for weights [N]: a category without a positive case counts
    there, 0 as `ap`, and as `dice` 1 if nothing is predicted positive either, else 0. NaN if it stops."""
    if metric == "ap":
        areas = _areas(a, weights, "average_precision")
        return float(np.nan_to_num(areas).mean()) if weights.any() else float("nan")
    d = counts(a, weights[None])
    twice = 2 * d.true_positive
    return float(divide(twice, twice + d.false_positive + d.false_negative, 1).mean())


def swapped(
    labels: np.ndarray, predicted: np.ndarray, present: np.ndarray, categories: Sequence[str], least: float
) -> tuple[float, list[tuple[str, str]]] | None:
    """Find out whether the columns of the predictions were probably interchanged.

    R[j, k] is the share of cases of category j that were labelled k. The permutation p of the columns with
    the largest sum of R[j, p(j)] is compared with the given order.

    Args:
        present: Which cases count, bool [N].
        least: Minimum gain in balanced accuracy that is reported.

    Returns:
        The gain in balanced accuracy if the columns are put in the order p; and each moved category with the
        column that seems to contain its scores. None if the gain is below `least`.
    """
    n = len(categories)
    counted = present & (labels >= 0)
    support = np.bincount(labels[counted], minlength=n)
    confusion = classification.confusion_matrix(labels[counted], predicted[counted], n)
    shares = divide(confusion, support[:, None], 0)
    there = int((support > 0).sum())
    if not there or shares.max(1).sum() - np.trace(shares) < (least - 1e-12) * there:
        return None
    from scipy.optimize import linear_sum_assignment  # slow to import, and almost never needed

    rows, columns = linear_sum_assignment(shares, maximize=True)
    gain = float((shares[rows, columns].sum() - np.trace(shares)) / there)
    moved = [
        (categories[j], categories[k])
        for j, k in zip(rows.tolist(), columns.tolist(), strict=True)
        if j != k and support[j]
    ]
    return (gain, moved) if gain >= least - 1e-12 else None


def slices(
    groups: Mapping[str, Mapping[str, np.ndarray]], weights: np.ndarray
) -> dict[str, dict[str, np.ndarray]]:
    """Return the members of each group, bool [N], without cases of weight 0. Groups without members are left
    out."""
    counted = {
        column: {name: members & (weights > 0) for name, members in of_column.items()}
        for column, of_column in groups.items()
    }
    return {
        column: {name: members for name, members in of_column.items() if members.any()}
        for column, of_column in counted.items()
    }
