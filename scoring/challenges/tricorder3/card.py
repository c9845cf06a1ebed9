"""Makes the scorecard of TRICORDER-3: the score, a row per class with its points lost, and the validator's
own score."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.doubtful_results import constant_output, few_cases
from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.evaluation import SafeScanEvaluation, evaluate
from scoring.challenges.safe_scan.official_program import missing_words, of_files, only_unusable
from scoring.challenges.tricorder3.formula import (
    CLASSES,
    FREE_MIB,
    FULL_MIB,
    GROUPS,
    ID,
    MODEL_SIZE,
    RISK,
    RISKS,
    WORTH,
    efficiency,
    final_score,
    weighted_f1,
)
from scoring.challenges.tricorder3.measures import basis, published, quantities, slice_shares, unit_sums
from scoring.common.arrays import Array, Ints
from scoring.common.findings import Finding, error, warning
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.core.submission import Predictions
from scoring.metrics import auc_and_average_precision, calibration, classification, curves, subgroups
from scoring.metrics.classification import mean_of_defined
from scoring.statistics.replicates import Quantities


@dataclass(frozen=True)
class CountsOfClass:
    """Number of cases by true and predicted class.

    Attributes:
        matrix: Number of cases by true (rows) and predicted class [K, K].
        support: Number of cases of each true class [K].
        predicted: Number of cases of each predicted class [K].
    """

    matrix: Ints
    support: Ints
    predicted: Ints


def score(truth: SafeScanCases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions. Raises InputRefused for problems that the option `missing` does not allow; it lists
    all of them."""
    given_size = settings.options["model_size_mib"]
    size = predictions.model["size_mib"] if predictions.model else given_size
    e = efficiency(size)
    evaluation = evaluate(
        truth,
        predictions,
        settings,
        lambda weights: quantities(truth, predictions, weights, e),
        lambda units: basis(truth, predictions, units),
        lambda point: published(point, e),
        list(_of_model(given_size, predictions)),
    )
    return _card(evaluation, size, settings.with_curves)


def _of_model(size: float | None, predictions: Predictions) -> Iterator[Finding]:
    """Yield `bad-option` where a size is given with a model."""
    if size is not None and predictions.model is not None:
        yield error("bad-option", MODEL_SIZE.flag, MODEL_SIZE.predictions_only)


def _card(evaluation: SafeScanEvaluation, size_mib: float | None, with_curves: bool) -> ScoreCard:
    truth, predictions, point = evaluation.truth, evaluation.predictions, evaluation.point
    y, p = truth.true_labels, predictions.labels
    counts = CountsOfClass(
        classification.confusion_matrix(y, p, len(CLASSES)),
        np.bincount(y, minlength=len(CLASSES)),
        np.bincount(p[p >= 0], minlength=len(CLASSES)),
    )
    reached = _reliability(truth, predictions)
    score = final_score(float(point["accuracy"][0]), float(point["weighted_f1"][0]), efficiency(size_mib))
    units, drawn, has = evaluation.units, dict[str, Array](), predictions.has_outputs
    if with_curves:
        drawn = curves.card_curves(predictions.outputs, y, has, units, evaluation.source)
    precisions = _average_precisions(truth, predictions)
    return ScoreCard(
        ID,
        score,
        plain(_metrics(evaluation, size_mib, reached, precisions)),
        plain(_per_class(evaluation, counts, precisions)),
        len(truth),
        _cases(evaluation),
        (*evaluation.read, *_score_findings(evaluation, size_mib, counts)),
        evaluation.source,
        {"labels": list(CLASSES), "counts": counts.matrix.tolist()},
        evaluation.intervals,
        plain(_more(evaluation, size_mib, counts)),
        {
            **evaluation.arrays(drawn, reached),
            **evaluation.exchange(lambda: unit_sums(y, p, evaluation.units)),
        },
        official=official(score, evaluation, size_mib),
        incomplete=missing_words(p),
    )


def _metrics(
    evaluation: SafeScanEvaluation,
    size_mib: float | None,
    reached: calibration.Reliability | None,
    precisions: Mapping[str, float],
) -> dict[str, float | None]:
    a, w = _rounded(evaluation.point)
    return {
        **evaluation.measured,
        "efficiency_score": efficiency(size_mib),
        "prediction_score": 0.5 * a + 0.5 * w,
        "macro_average_precision": float(mean_of_defined(np.array(list(precisions.values())))),
        "expected_calibration_error": reached.expected_calibration_error if reached else None,
    }


def _rounded(point: Quantities) -> tuple[float, float]:
    """Return accuracy and weighted F1 as the official score rounds them."""
    return round(float(point["accuracy"][0]), 6), round(float(point["weighted_f1"][0]), 6)


def _more(evaluation: SafeScanEvaluation, size_mib: float | None, counts: CountsOfClass) -> dict[str, Any]:
    truth, model, e = evaluation.truth, evaluation.predictions.model, efficiency(size_mib)
    a, w = _rounded(evaluation.point)
    more: dict[str, Any] = {
        "n_missing": evaluation.n_missing,
        "model_size_mib": size_mib,
        "best_possible_score": final_score(1.0, float(weighted_f1((counts.support > 0).astype(float))), e),
        "points": {"accuracy": 0.45 * a, "weighted_f1": 0.45 * w, "efficiency_score": 0.1 * round(e, 6)},
        "risk_matrix": {
            "labels": list(RISKS),
            "counts": [
                [int(counts.matrix[np.ix_(rows, columns)].sum()) for columns in GROUPS.values()]
                for rows in GROUPS.values()
            ],
        },
        "slices": subgroups.rows(
            demographics.subgroups(truth.demographics),
            slice_shares(truth, evaluation.predictions.labels),
            evaluation.point,
            evaluation.replicates.intervals,
        ),
    }
    if model:
        more["model"] = {k: v for k, v in model.items() if k != "size_mib"}
    return more


def _average_precisions(truth: SafeScanCases, predictions: Predictions) -> dict[str, float]:
    """Return the average precision of each class; NaN if all cases or none are of the class."""
    has, found = predictions.has_outputs, {}
    for k, name in enumerate(CLASSES):
        levels = auc_and_average_precision.levels(predictions.outputs[has, k], truth.true_labels[has] == k)
        curve = auc_and_average_precision.curve(levels, np.ones((1, len(levels.groups))))
        found[name] = (
            float(auc_and_average_precision.average_precision(curve)[0])
            if curve.negatives[0]
            else float("nan")
        )
    return found


def _per_class(
    evaluation: SafeScanEvaluation, counts: CountsOfClass, precisions: Mapping[str, float]
) -> dict[str, dict[str, Any]]:
    """Return the row of each class: its measures, and the share of the score that its mistakes cost
    (`score_lost`)."""
    point, replicates = evaluation.point, evaluation.replicates
    rows: dict[str, dict[str, Any]] = {}
    for k, name in enumerate(CLASSES):
        hits, f1 = int(counts.matrix[k, k]), float(point["f1", name][0])
        rows[name] = {
            "risk": RISK[name],
            **evaluation.class_row(hits, int(counts.support[k]), int(counts.predicted[k]), f1),
            "auc": float(point["auc", name][0]),
            "average_precision": precisions[name],
            "score_worth": WORTH[name],
            "score_lost": WORTH[name] * (1 - f1),
        }
        if replicates.values:
            rows[name] |= {
                f"{measure}_interval": replicates.intervals.get((measure, name))
                for measure in ("f1", "recall", "auc")
            }
    return rows


def _cases(evaluation: SafeScanEvaluation) -> tuple[dict[str, Any], ...]:
    truth, predictions = evaluation.truth, evaluation.predictions
    encoded = truth.demographics.encoded.tolist()
    outputs = [
        values if has else None
        for values, has in zip(predictions.outputs.tolist(), predictions.has_outputs, strict=True)
    ]
    rows = zip(evaluation.case_rows(CLASSES), truth.true_labels.tolist(), encoded, outputs, strict=True)
    return tuple(
        {
            **row,
            "truth_risk": RISK[row["truth"]],
            "predicted_risk": RISK[row["predicted"]] if row["predicted"] else None,
            **about,
            "encoded": received,
            "outputs": values,
            "truth_score": values[y] if values else None,
        }
        for (row, about), y, received, values in rows
    )


def _score_findings(
    evaluation: SafeScanEvaluation, size: float | None, counts: CountsOfClass
) -> Iterator[Finding]:
    support, predicted = counts.support, counts.predicted
    predictions, replicates = evaluation.predictions, evaluation.replicates
    for k, name in enumerate(CLASSES):
        if support[k] == 0:
            message = (
                f"no case of {name} is in this test set: as in the official code, its F1 counts "
                f"as 0, so {100 * WORTH[name]:.3f} points of 100 cannot be won."
            )
            yield warning("absent-class", name, message)
        elif predicted[k] == 0:
            message = f"no case is predicted as {name}; the truth has {support[k]}. Its F1 is 0."
            yield warning("never-predicted", name, message)
    if size is None:
        message = (
            "the model's size is unknown: efficiency counts as 1, as if the model had 50 MiB or "
            "less. Give its size."
        )
        yield warning("model-size-unknown", predictions.name, message).with_fixes(
            SuggestedFix("Give the size of its model", InputChanges(), option=MODEL_SIZE.name)
        )
    elif predictions.model is None and size >= FULL_MIB:
        message = (
            f"the model has {size:g} MiB. From {FULL_MIB} MiB on, efficiency is 0, which costs 10 points."
        )
        yield warning("size-score-zero", predictions.name, message)
    yield from constant_output(predictions.outputs, predictions.name)
    if replicates.values:
        yield from few_cases(dict(zip(CLASSES, support.tolist(), strict=True)), evaluation.source["interval"])
    yield from replicates.findings


def _reliability(truth: SafeScanCases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    right = np.equal(truth.true_labels[has], predictions.labels[has])
    return calibration.of_largest(predictions.outputs[has], right)


READ_OTHERWISE = frozenset(("age-format", "location-number"))
"""Codes of findings about table cells that Benchside can read, but that the official loader treats as
missing."""


def official(score: float, evaluation: SafeScanEvaluation, size_mib: float | None) -> Official:
    """Return whether the official validator gives the same score.

    Args:
        score: Benchside's score, 0..1.
        size_mib: Size of the model in MiB; None if unknown.
    """
    predictions, findings = evaluation.predictions, evaluation.read
    reasons = of_files(findings, evaluation.truth.findings)
    missing = missing_words(predictions.labels)
    if missing and only_unusable(predictions.faults):
        reasons.unknown.append(
            f"{missing}: the validator reads a value that is not a number as the largest value."
        )
    elif missing:
        reasons.zero.append(f"{missing}: the validator gives 0 if a prediction is missing.")
    if predictions.model and any(finding.code in READ_OTHERWISE for finding in findings):
        reasons.unknown.append("The validator's loader would give the model other ages or body sites.")
    if size_mib is None:
        reasons.unknown.append(
            f"The size of the model is unknown: this is the score if the model has {FREE_MIB} MiB or less."
        )
    return reasons.official(score)
