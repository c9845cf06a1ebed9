"""The measures of ISIC once more, in plain loops over cases and with scikit-learn, as the specification
reads."""

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import auc as area_under
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

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


def mean(values: Sequence[float | None]) -> float | None:
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def ratio(numerator: float, denominator: float, otherwise: float | None = None) -> float | None:
    return numerator / denominator if denominator else otherwise


def label(row: Sequence[float]) -> int | None:
    """The place of the largest value, None where it is shared."""
    return list(row).index(max(row)) if list(row).count(max(row)) == 1 else None


def true_label(row: Sequence[bool]) -> int | None:
    return list(row).index(True) if sum(row) == 1 else None


def areas(positive: np.ndarray, scores: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    kept = w > 0
    x, y, _ = roc_curve(positive[kept], scores[kept], sample_weight=w[kept], drop_intermediate=False)
    first = int(np.argmax(y >= 0.8))
    start = np.interp(0.8, y[first - 1 : first + 1], x[first - 1 : first + 1])
    return roc_auc_score(positive[kept], scores[kept], sample_weight=w[kept]), area_under(
        [start, *x[first:]], [0.8, *y[first:]]
    )


def category(
    k: int, positives: np.ndarray, outputs: np.ndarray, w: np.ndarray, inclusive: bool = False
) -> dict[str, float | None]:
    cells = {"TP": 0.0, "FP": 0.0, "FN": 0.0, "TN": 0.0}
    right, all_of_k = 0.0, 0.0
    for truth, row, weight in zip(positives, outputs, w, strict=True):
        called = row[k] > 0.5 or (inclusive and row[k] == 0.5)
        cells[("T" if called == truth[k] else "F") + ("P" if called else "N")] += weight
        if true_label(truth) == k:
            all_of_k += weight
            right += weight * (label(row) == k)
    tp, fp, fn, tn = cells.values()
    there, others = tp + fn > 0, fp + tn > 0
    auc, right_of_80 = areas(positives[:, k], outputs[:, k], w) if there and others else (None, None)
    return {
        "support": sum(1 for truth, weight in zip(positives, w, strict=True) if truth[k] and weight > 0),
        "recall": ratio(right, all_of_k),
        "sensitivity": ratio(tp, tp + fn),
        "specificity": ratio(tn, tn + fp),
        "accuracy": ratio(tp + tn, tp + tn + fp + fn),
        "ppv": ratio(tp, tp + fp, 1.0) if there else None,
        "npv": ratio(tn, tn + fn, 1.0) if others else None,
        "f1": ratio(2 * tp, 2 * tp + fp + fn) if there else None,
        "auc": auc,
        "auc_sens_80": right_of_80,
        "average_precision": average_precision_score(positives[:, k], outputs[:, k], sample_weight=w)
        if there
        else None,
    }


def malignant_auc(
    categories: Sequence[str],
    malignant: Sequence[str],
    positives: np.ndarray,
    outputs: np.ndarray,
    w: np.ndarray,
) -> float | None:
    ill, scores, weights = [], [], []
    for truth, row, weight in zip(positives, outputs.tolist(), w, strict=True):
        y = true_label(truth)
        if y is None or not weight or (categories[y] == "UNK" and "UNK" not in malignant):
            continue
        ill.append(categories[y] in malignant)
        scores.append(round(sum(p for p, name in zip(row, categories, strict=True) if name in malignant), 12))
        weights.append(weight)
    return roc_auc_score(ill, scores, sample_weight=weights) if any(ill) and not all(ill) else None


def metrics(
    categories: Sequence[str],
    malignant: Sequence[str],
    positives: np.ndarray,
    outputs: np.ndarray,
    w: np.ndarray,
    inclusive: bool = False,
) -> tuple[dict[str, float | None], dict[str, dict]]:
    """All metrics but the validation score, and the measures per category."""
    rows = {name: category(k, positives, outputs, w, inclusive) for k, name in enumerate(categories)}
    found = {name: mean([row[measure] for row in rows.values()]) for name, measure in MEANS.items()}
    labels = [
        (true_label(truth), label(row), weight)
        for truth, row, weight in zip(positives, outputs.tolist(), w, strict=True)
    ]
    found["accuracy"] = ratio(
        sum(weight for y, p, weight in labels if y is not None and y == p),
        sum(weight for y, _, weight in labels if y is not None),
    )
    return found | {
        "mean_auc": found["macro_auc"],
        "malignant_auc": malignant_auc(categories, malignant, positives, outputs, w),
    }, rows
