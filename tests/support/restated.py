"""The metrics of TRICORDER-3 once more, in plain loops over cases and with scikit-learn, as its definition
reads."""

import math
from collections.abc import Sequence

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.support.lesion_tables import CLASSES, RISKS


def mean(values: Sequence[float]) -> float | None:
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None


def counts(truth: Sequence[str], predicted: Sequence[str | None]) -> dict[str, tuple[int, int, int]]:
    """Support, predicted and true positives of every class; a case predicted as None is nobody's."""
    pairs = list(zip(truth, predicted, strict=True))
    return {
        c: (sum(y == c for y, _ in pairs), sum(p == c for _, p in pairs), sum(y == p == c for y, p in pairs))
        for c in CLASSES
    }


def f1_scores(truth, predicted) -> dict[str, float]:
    return {
        c: 2 * hits / (support + called) if support + called else 0.0
        for c, (support, called, hits) in counts(truth, predicted).items()
    }


def group_f1(f1: dict[str, float]) -> dict[str, float]:
    return {risk: sum(f1[c] for c in members) / len(members) for risk, members in RISKS.items()}


def weighted_f1(groups: dict[str, float]) -> float:
    return (3 * groups["malignant"] + 2 * groups["medium"] + groups["benign"]) / 6


def weighted_f1_present(truth, predicted) -> float:
    f1, total, weights = f1_scores(truth, predicted), 0.0, 0
    for risk, weight in (("malignant", 3), ("medium", 2), ("benign", 1)):
        present = [f1[c] for c in RISKS[risk] if c in truth]
        if present:
            total, weights = total + weight * sum(present) / len(present), weights + weight
    return total / weights


def efficiency(size_mib: float | None) -> float:
    if size_mib is None or size_mib <= 50:
        return 1.0
    return 0.0 if size_mib >= 150 else 1 - (size_mib - 50) / 100


def label_metrics(
    truth: Sequence[str], predicted: Sequence[str | None], size_mib: float | None = None
) -> dict[str, float | None]:
    n, f1, table = len(truth), f1_scores(truth, predicted), counts(truth, predicted)
    groups, w, e = group_f1(f1), weighted_f1(group_f1(f1)), efficiency(size_mib)
    accuracy = sum(y == p for y, p in zip(truth, predicted, strict=True)) / n
    pairs = list(zip(truth, predicted, strict=True))
    ill = [(y, p) for y, p in pairs if y in RISKS["malignant"]]
    well = [(y, p) for y, p in pairs if y not in RISKS["malignant"]]
    return {
        "accuracy": accuracy,
        "weighted_f1": w,
        **{f"f1_{risk}": value for risk, value in groups.items()},
        "efficiency_score": e,
        "prediction_score": 0.5 * round(accuracy, 6) + 0.5 * round(w, 6),
        "precision_weighted": sum(s * (h / c if c else 0) for s, c, h in table.values()) / n,
        "recall_weighted": sum(s * (h / s if s else 0) for s, c, h in table.values()) / n,
        "f1_support_weighted": sum(table[c][0] * f1[c] for c in CLASSES) / n,
        "balanced_accuracy": mean([h / s for s, _, h in table.values() if s]),
        "macro_f1_present": mean([f1[c] for c in CLASSES if table[c][0]]),
        "weighted_f1_present": weighted_f1_present(truth, predicted),
        "malignant_sensitivity": ratio(sum(p in RISKS["malignant"] for _, p in ill), len(ill)),
        "malignant_specificity": ratio(sum(p not in RISKS["malignant"] for _, p in well), len(well)),
    }


def score(truth, predicted, size_mib: float | None = None) -> float:
    found = label_metrics(truth, predicted, size_mib)
    a, w, e = (round(found[name], 6) for name in ("accuracy", "weighted_f1", "efficiency_score"))
    return 0.9 * (0.5 * a + 0.5 * w) + 0.1 * e


def area_under_curve(truth, outputs: np.ndarray, name: str) -> float | None:
    positive = [y == name for y in truth]
    return (
        float(roc_auc_score(positive, outputs[:, CLASSES.index(name)]))
        if any(positive) and not all(positive)
        else None
    )


def average_precision(truth, outputs: np.ndarray, name: str) -> float | None:
    positive = [y == name for y in truth]
    return (
        float(average_precision_score(positive, outputs[:, CLASSES.index(name)]))
        if any(positive) and not all(positive)
        else None
    )


def output_metrics(truth, predicted, outputs: np.ndarray) -> dict[str, float | None]:
    """truth, predicted: of the cases that have outputs [N, 11]; nothing to be predicted means nothing is
    defined."""
    found = {
        "macro_auc": mean([area_under_curve(truth, outputs, c) for c in CLASSES]),
        "macro_average_precision": mean([average_precision(truth, outputs, c) for c in CLASSES]),
    }
    probabilities = len(outputs) and all(
        abs(sum(row) - 1) <= 1e-3 and min(row) >= -1e-6 and max(row) <= 1 + 1e-6 for row in outputs.tolist()
    )
    if not probabilities:
        return found | {"log_loss": None, "brier_score": None, "expected_calibration_error": None}
    losses, squares, bins = [], [], [[] for _ in range(10)]
    for y, p, row in zip(truth, predicted, outputs.tolist(), strict=True):
        losses.append(-math.log(max(row[CLASSES.index(y)], 1e-15)))
        squares.append(sum((value - (c == y)) ** 2 for c, value in zip(CLASSES, row, strict=True)))
        bins[min(max(math.ceil(10 * max(row)) - 1, 0), 9)].append((max(row), y == p))
    error = sum(
        len(b) / len(outputs) * abs(sum(right for _, right in b) / len(b) - sum(v for v, _ in b) / len(b))
        for b in bins
        if b
    )
    return found | {
        "log_loss": mean(losses),
        "brier_score": mean(squares),
        "expected_calibration_error": error,
    }
