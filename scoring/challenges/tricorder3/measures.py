"""Computes the measures of TRICORDER-3 that have an interval, on many replicates at once. Also makes findings
about outputs."""

from collections.abc import Iterator

import numpy as np

from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.tricorder3.formula import (
    CLASSES,
    GROUPS,
    RISK_WEIGHTS,
    RISKS,
    WORTH,
    final_score,
    weighted_f1,
)
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, note, warning
from scoring.core.submission import Predictions
from scoring.inputs import number_parsing
from scoring.metrics import calibration, classification, curves, output_kinds, subgroups
from scoring.metrics.classification import divide, mean_of_defined
from scoring.metrics.subgroups import SubgroupShare
from scoring.statistics import permutation_test
from scoring.statistics.interval_basis import Basis, QuantityName, counted, mean, of_areas
from scoring.statistics.permutation_test import Categories
from scoring.statistics.replicates import Quantities

UNITS_OF_PRESENT = 12
"""Minimum number of units for an interval of the macro F1 over classes that have cases. With 6 units, this
interval would contain the true value in only 88 % of test sets, because classes without cases change the
macro F1 strongly."""


def published(point: Quantities, efficiency_score: float) -> dict[QuantityName, Floats]:
    """Return the values [1] that the challenge publishes, which are computed from rounded parts. Intervals
    are centred on the published values."""
    accuracy, f1 = float(point["accuracy"][0]), float(point["weighted_f1"][0])
    return {
        "score": np.array([final_score(accuracy, f1, efficiency_score)]),
        "prediction_score": np.array([0.5 * round(accuracy, 6) + 0.5 * round(f1, 6)]),
    }


def quantities(
    truth: SafeScanCases, predictions: Predictions, weights: Floats, efficiency_score: float
) -> dict[QuantityName, Floats]:
    """Return every measure that has an interval, as arrays [B] by name. Classes have names such as ("f1",
    class), subgroups ("slice", column, group, name)."""
    y, p = truth.true_labels, predictions.labels
    c = classification.counts(y, p, weights, len(CLASSES))
    f1, recall, precision = classification.f1(c), classification.recall(c), classification.precision(c)
    estimates: dict[QuantityName, Floats] = {
        "accuracy": classification.accuracy(c),
        "weighted_f1": weighted_f1(f1),
    }
    estimates |= {f"f1_{risk}": f1[:, members].mean(1) for risk, members in GROUPS.items()}
    estimates["prediction_score"] = 0.5 * estimates["accuracy"] + 0.5 * estimates["weighted_f1"]
    estimates["score"] = 0.9 * estimates["prediction_score"] + 0.1 * efficiency_score
    estimates |= {
        "precision_weighted": classification.support_weighted(precision, c),
        "recall_weighted": classification.support_weighted(recall, c),
        "f1_support_weighted": classification.support_weighted(f1, c),
        "balanced_accuracy": mean_of_defined(recall),
        "macro_f1_present": classification.mean_over_present(f1, c),
        "weighted_f1_present": _weighted_f1_present(f1, c),
    }
    estimates |= _risk_quantities(y, p, weights) | _probability_quantities(truth, predictions, weights)
    estimates |= {("f1", name): f1[:, k] for k, name in enumerate(CLASSES)}
    estimates |= {("recall", name): recall[:, k] for k, name in enumerate(CLASSES)}
    estimates |= subgroups.quantities(
        demographics.subgroups(truth.demographics), slice_shares(truth, p), weights
    ).items()
    return estimates


def basis(truth: SafeScanCases, predictions: Predictions, units: Ints) -> Basis:
    """Return how many units each quantity of `quantities` depends on. `units` contains the unit number of
    each case [N]."""
    y, p = truth.true_labels, predictions.labels
    is_true = y[:, None] == np.arange(len(CLASSES))
    cases: dict[QuantityName, Bools] = {
        (measure, name): is_true[:, k] for measure in ("f1", "recall") for k, name in enumerate(CLASSES)
    }
    ill = _malignant(y)
    cases |= {"malignant_sensitivity": ill, "malignant_specificity": ~ill}
    cases |= subgroups.members(demographics.subgroups(truth.demographics), slice_shares(truth, p)).items()
    has = predictions.has_outputs
    rests_on = counted(cases, units) | of_areas(
        [("auc", name) for name in CLASSES], is_true & has[:, None], ~is_true & has[:, None], units
    )
    if len(np.unique(units)) < UNITS_OF_PRESENT:
        rests_on["macro_f1_present"] = 0
    f1 = {name: ("f1", name) for name in CLASSES}
    parts = {f"f1_{risk}": {f1[c]: 1 / len(members) for c in members} for risk, members in RISKS.items()}
    weighted = {f1[c]: worth / 0.45 for c, worth in WORTH.items()}
    return Basis(
        rests_on,
        {
            **parts,
            "weighted_f1": weighted,
            "prediction_score": {name: weight / 2 for name, weight in weighted.items()},
            "score": {name: 0.45 * weight for name, weight in weighted.items()},
            "balanced_accuracy": mean([("recall", name) for name in CLASSES], rests_on),
            "macro_f1_present": mean(f1.values(), rests_on),
            "macro_auc": mean([("auc", name) for name in CLASSES], rests_on),
        },
        worst={"auc": 0.5},
    )


def unit_sums(truth: Ints, predicted: Ints, units: Ints) -> Floats:
    """Return counts per unit [n, 33] from which the score is computed: correct predictions, predictions and
    cases of each class.

    Args:
        truth: True class numbers [N]; `predicted` are the predicted ones.
        units: Unit numbers [N].
    """
    is_true = classification.one_hot(truth, len(CLASSES), float)
    is_predicted = classification.one_hot(predicted, len(CLASSES), float)
    return permutation_test.unit_sums(np.hstack([is_true * is_predicted, is_predicted, is_true]), units)


def categories_of_sums() -> Categories:
    """Return for each class the positions of its three sums among those of `unit_sums`: right predictions,
    all predictions, and cases."""
    hits = np.arange(len(CLASSES))
    predicted, support = hits + len(CLASSES), hits + 2 * len(CLASSES)
    return Categories(hits, cases=(support,), gains=(hits, predicted), unseen=0.75)


def score_of_sums(sums: Floats) -> Floats:
    """Compute the part of the score that depends on predictions, 0..0.9, from sums [..., 33] of
    `unit_sums`."""
    hits, predicted, support = np.split(sums.reshape(-1, sums.shape[-1]), 3, axis=1)
    c = classification.ClassCounts(support, predicted, hits, support.sum(1))
    score = 0.45 * (classification.accuracy(c) + weighted_f1(classification.f1(c)))
    return score.reshape(sums.shape[:-1])


def _weighted_f1_present(f1: Floats, c: classification.ClassCounts) -> Floats:
    present = np.where(c.support > 0, f1, np.nan)
    means = np.column_stack([mean_of_defined(present[:, members]) for members in GROUPS.values()])
    shares = np.where(np.isnan(means), 0, [RISK_WEIGHTS[r] for r in GROUPS])
    return divide((np.nan_to_num(means) * shares).sum(1), shares.sum(1))


def _malignant(labels: Ints) -> Bools:
    return np.isin(labels, GROUPS["malignant"])


def _risk_quantities(y: Ints, p: Ints, weights: Floats) -> dict[QuantityName, Floats]:
    ill, predicted = _malignant(y), _malignant(p)
    sums = (
        weights @ np.column_stack([ill, ill & predicted, ~ill, ~ill & ~predicted]).astype(weights.dtype)
    ).astype(float)
    return {
        "malignant_sensitivity": divide(sums[:, 1], sums[:, 0]),
        "malignant_specificity": divide(sums[:, 3], sums[:, 2]),
    }


def _probability_quantities(
    truth: SafeScanCases, predictions: Predictions, weights: Floats
) -> dict[QuantityName, Floats]:
    """Return the AUC per class and its mean; log loss and Brier score where the outputs are probabilities.
    Cases without outputs are left out."""
    has, b = predictions.has_outputs, len(weights)
    undefined: Floats = np.full(b, np.nan)
    outputs, y = predictions.outputs[has], truth.true_labels[has]
    w = weights if has.all() else weights[:, has]
    classes = np.arange(len(CLASSES))
    areas = (
        curves.resampled_aucs(outputs, y[:, None] == classes, w)
        if has.any()
        else np.column_stack([undefined] * len(CLASSES))
    )
    estimates: dict[QuantityName, Floats] = {"macro_auc": mean_of_defined(areas)}
    estimates |= {("auc", name): areas[:, k] for k, name in enumerate(CLASSES)}
    if has.any() and output_kinds.output_kind(outputs) == "probabilities":
        losses = w @ np.column_stack(
            [calibration.log_losses(outputs, y), calibration.brier_scores(outputs, y)]
        )
        log_loss, brier_score = divide(losses, w.sum(1, dtype=float)[:, None]).T
        return estimates | {"log_loss": log_loss, "brier_score": brier_score}
    return estimates | {"log_loss": undefined, "brier_score": undefined}


def slice_shares(truth: SafeScanCases, p: Ints) -> dict[str, SubgroupShare]:
    """Return the measures that are computed for every subgroup. Each is a share of the subgroup's cases."""
    y = truth.true_labels
    ill, right = _malignant(y), np.equal(y, p)
    return {
        "accuracy": SubgroupShare(right, np.ones(len(truth), bool)),
        "malignant_sensitivity": SubgroupShare(ill & _malignant(p), ill, "n_malignant"),
    }


def output_findings(outputs: Floats, where: str) -> Iterator[Finding]:
    """Yield findings about outputs [rows, 11]: whether they are probabilities, and in how many rows several
    classes share the largest output. Scoring does not normalise outputs."""
    kind = output_kinds.output_kind(outputs)
    scale = number_parsing.scale_of(outputs)
    if scale in number_parsing.WORDS:
        message = (
            f"the outputs range from {outputs.min():.4g} to {outputs.max():.4g}. This does not "
            "change the score, but calibration is not defined. These are "
            f"{number_parsing.WORDS[scale]}."
        )
        yield warning(scale, where, message)
    elif kind == "logits":
        message = (
            f"the outputs range from {outputs.min():.4g} to {outputs.max():.4g}: these are "
            "logits, not probabilities. This does not change the score, but calibration is not "
            "defined. The challenge demands a softmax."
        )
        yield warning("logits", where, message)
    elif kind == "not-normalised":
        sums = outputs.sum(1)
        message = (
            f"the outputs of each row sum to {sums.min():.4g} to {sums.max():.4g}, not 1, because "
            "of sigmoids or rounding. This does not change the score, but calibration is not "
            "defined."
        )
        yield warning("not-normalised", where, message)
    if len(outputs):
        tied = int(((outputs == outputs.max(1, keepdims=True)).sum(1) > 1).sum())
        if tied:
            message = (
                f"{tied} row{'s have' if tied > 1 else ' has'} several largest values: the "
                "prediction is the first of these classes in the challenge's order, as in the official code."
            )
            yield note("tied-maximum", where, message)
