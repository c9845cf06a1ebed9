"""The scorecard of TRICORDER-3, and the score that the validator gives for the same files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.official_score import missing_words, of_files, only_unusable
from scoring.challenges.safe_scan.tables import CODES
from scoring.challenges.tricorder3.formula import (
    CLASSES,
    FREE_MIB,
    FULL_MIB,
    GROUPS,
    ID,
    MODEL_SIZE,
    RISK,
    RISKS,
    SMALL_CLASS,
    WORTH,
    efficiency,
    final_score,
    weighted_f1,
)
from scoring.challenges.tricorder3.measures import published, quantities, slice_shares, unit_sums
from scoring.common.arrays import Array, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error, ordered, warning
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.core.challenge import ScoreSettings
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.core.submission import Predictions, grade, provenance, truth_digest
from scoring.inputs.case_tables import UNIT_COLUMNS, find_units, joined_columns
from scoring.metrics import calibration, classification, curves, subgroups
from scoring.metrics.classification import mean_of_defined
from scoring.statistics import permutation_test
from scoring.statistics.replicates import Quantities, QuantityName, Replicates, replicate, replicate_weights

CURVE_REPLICATES = 300


@dataclass(frozen=True)
class TricorderScoring:
    """Predictions that are scored on a truth.

    Attributes:
        truth: The N cases.
        predictions: Their predictions.
        size_mib: Size of the model in MiB, None where it is unknown.
        point: Quantities on the test set itself, [1] each.
        replicates: The same quantities on the replicates.
        units: Unit number of each case [N].
        source: `provenance` of the scorecard.
    """

    truth: SafeScanCases
    predictions: Predictions
    size_mib: float | None
    point: Quantities
    replicates: Replicates
    units: Ints
    source: Mapping[str, Any]


@dataclass(frozen=True)
class CountsOfClass:
    """Cases by true and predicted class [K, K], by true class [K], and by predicted class [K]."""

    matrix: Ints
    support: Ints
    predicted: Ints


def score(truth: SafeScanCases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions on a truth. Raises InputRefused with every fault that `missing` does not allow."""
    statistics, metadata = settings.statistics, settings.metadata
    missing, model_size_mib = settings.options["missing"], settings.options["model_size_mib"]
    size = predictions.model["size_mib"] if predictions.model else model_size_mib
    hard, soft = grade(predictions.faults, missing)
    wrong_options = [*settings.problems, *_of_model(model_size_mib, predictions)]
    read = [*truth.findings, *ordered([*predictions.findings, *soft], CODES)]
    if hard or wrong_options:
        raise InputRefused([*hard, *wrong_options], read)
    columns = joined_columns(truth, metadata)
    unit, units = find_units(columns, len(truth), UNIT_COLUMNS, truth.id_column, statistics.group)

    def measured(weights: Floats) -> dict[QuantityName, Floats]:
        return quantities(truth, predictions, weights, efficiency(size))

    point = measured(np.ones((1, len(truth)), np.float32))
    replicates = replicate(measured, point | published(point, efficiency(size)), units, statistics)
    source = provenance(
        truth_digest(truth, predictions),
        predictions,
        settings.options,
        statistics,
        metadata,
        unit,
        units,
    )
    scored = TricorderScoring(truth, predictions, size, point, replicates, units, source)
    return _card(scored, read, settings.with_curves)


def _of_model(size: float | None, predictions: Predictions) -> Iterator[Finding]:
    """Yield `bad-option` where a size is given with a model."""
    if size is not None and predictions.model is not None:
        yield error("bad-option", MODEL_SIZE.flag, MODEL_SIZE.predictions_only)


def _card(scored: TricorderScoring, read: list[Finding], with_curves: bool) -> ScoreCard:
    truth, predictions, point, replicates = scored.truth, scored.predictions, scored.point, scored.replicates
    y, p = truth.true_labels, predictions.labels
    counts = CountsOfClass(
        classification.confusion_matrix(y, p, len(CLASSES)),
        np.bincount(y, minlength=len(CLASSES)),
        np.bincount(p[p >= 0], minlength=len(CLASSES)),
    )
    reached = _reliability(truth, predictions)
    metrics = _metrics(scored, reached)
    findings = [*read, *_score_findings(scored, counts)]
    score = final_score(
        float(point["accuracy"][0]), float(point["weighted_f1"][0]), efficiency(scored.size_mib)
    )
    return ScoreCard(
        ID,
        score,
        plain(metrics),
        plain(_per_class(scored, counts)),
        len(truth),
        _cases(truth, predictions),
        tuple(findings),
        scored.source,
        {"labels": list(CLASSES), "counts": counts.matrix.tolist()},
        {name: value for name, value in replicates.intervals.items() if isinstance(name, str)},
        plain(_more(scored, counts)),
        {
            **_arrays(scored, reached, with_curves),
            **replicates.arrays,
            **permutation_test.kept(
                bool(replicates.values), scored.units, lambda: unit_sums(y, p, scored.units)
            ),
        },
        official=official(score, predictions, read, scored.size_mib),
        incomplete=missing_words(p),
    )


def _metrics(scored: TricorderScoring, reached: calibration.Reliability | None) -> dict[str, float | None]:
    metrics: dict[str, float | None] = {
        name: float(values[0])
        for name, values in scored.point.items()
        if isinstance(name, str) and name != "score"
    }
    a, w = _rounded(scored.point)
    metrics |= {
        "efficiency_score": efficiency(scored.size_mib),
        "prediction_score": 0.5 * a + 0.5 * w,
        "macro_average_precision": _macro_average_precision(scored.truth, scored.predictions),
        "expected_calibration_error": reached.expected_calibration_error if reached else None,
    }
    return metrics


def _rounded(point: Quantities) -> tuple[float, float]:
    """Return accuracy and weighted F1 as the official score rounds them."""
    return round(float(point["accuracy"][0]), 6), round(float(point["weighted_f1"][0]), 6)


def _more(scored: TricorderScoring, counts: CountsOfClass) -> dict[str, Any]:
    truth, p, e = scored.truth, scored.predictions.labels, efficiency(scored.size_mib)
    a, w = _rounded(scored.point)
    more: dict[str, Any] = {
        "n_missing": int((p < 0).sum()),
        "model_size_mib": scored.size_mib,
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
            slice_shares(truth, p),
            scored.point,
            scored.replicates.intervals,
        ),
    }
    if scored.predictions.model:
        more["model"] = {k: v for k, v in scored.predictions.model.items() if k != "size_mib"}
    return more


def _macro_average_precision(truth: SafeScanCases, predictions: Predictions) -> float:
    values = np.array(list(_average_precisions(truth, predictions).values()))
    return float(mean_of_defined(values))


def _average_precisions(truth: SafeScanCases, predictions: Predictions) -> dict[str, float]:
    has = predictions.has_outputs
    return {
        name: curves.average_precision(predictions.outputs[has, k], truth.true_labels[has] == k)
        for k, name in enumerate(CLASSES)
    }


def _per_class(scored: TricorderScoring, counts: CountsOfClass) -> dict[str, dict[str, Any]]:
    point, replicates, support, predicted = scored.point, scored.replicates, counts.support, counts.predicted
    n, average_precision = len(scored.truth), _average_precisions(scored.truth, scored.predictions)
    rows: dict[str, dict[str, Any]] = {}
    for k, name in enumerate(CLASSES):
        hits, f1 = int(counts.matrix[k, k]), float(point["f1", name][0])
        others = n - int(support[k])
        rows[name] = {
            "risk": RISK[name],
            "support": int(support[k]),
            "predicted": int(predicted[k]),
            "precision": hits / predicted[k] if predicted[k] else None,
            "recall": hits / support[k] if support[k] else None,
            "f1": f1,
            "specificity": (others - int(predicted[k]) + hits) / others if others else None,
            "auc": float(point["auc", name][0]),
            "average_precision": average_precision[name],
            "score_worth": WORTH[name],
            "score_lost": WORTH[name] * (1 - f1),
        }
        if replicates.values:
            rows[name] |= {
                f"{measure}_interval": replicates.intervals.get((measure, name))
                for measure in ("f1", "recall", "auc")
            }
    return rows


def _cases(truth: SafeScanCases, predictions: Predictions) -> tuple[dict[str, Any], ...]:
    encoded, about, rows = truth.demographics.encoded.tolist(), demographics.described(truth.demographics), []
    rows_of_outputs, labels = (
        predictions.outputs.tolist(),
        zip(truth.true_labels, predictions.labels, strict=True),
    )
    undefined = set(np.flatnonzero(np.isnan(predictions.outputs).any(axis=1)).tolist())
    for i, (y, p) in enumerate(labels):
        outputs = None if i in undefined else rows_of_outputs[i]
        rows.append(
            {
                "case": truth.ids[i],
                "truth": CLASSES[y],
                "predicted": CLASSES[p] if p >= 0 else None,
                "correct": bool(y == p),
                "truth_risk": RISK[CLASSES[y]],
                "predicted_risk": RISK[CLASSES[p]] if p >= 0 else None,
                **about[i],
                "encoded": encoded[i],
                "outputs": outputs,
                "truth_score": outputs[y] if outputs else None,
            }
        )
    return tuple(rows)


def _score_findings(scored: TricorderScoring, counts: CountsOfClass) -> Iterator[Finding]:
    support, predicted = counts.support, counts.predicted
    predictions, size, replicates = scored.predictions, scored.size_mib, scored.replicates
    for k, name in enumerate(CLASSES):
        if support[k] == 0:
            yield warning(
                "absent-class",
                name,
                (
                    f"no case of {name} in this test set: its F1 counts 0 and {100 * WORTH[name]:.3f} "
                    "points of 100 cannot be won, as in the official code."
                ),
            )
        elif predicted[k] == 0:
            yield warning(
                "never-predicted",
                name,
                f"no case is predicted as {name}; the truth has {support[k]}. Its F1 is 0.",
            )
    if size is None:
        yield warning(
            "model-size-unknown",
            predictions.name,
            "the model's size is unknown: efficiency counts 1, as if it had 50 MiB or less. Give its size.",
        ).with_fixes(SuggestedFix("Give the size of its model", InputChanges(), option=MODEL_SIZE.name))
    elif predictions.model is None and size >= FULL_MIB:
        yield warning(
            "size-score-zero",
            predictions.name,
            f"{size:g} MiB: from {FULL_MIB} MiB on efficiency is 0 and 10 points are lost.",
        )
    if replicates.values:
        for k, name in enumerate(CLASSES):
            if 0 < support[k] < SMALL_CLASS:
                yield warning(
                    "few-cases-in-class",
                    name,
                    (
                        f"{support[k]} case{'s' * int(support[k] > 1)}: interval of F1 too narrow below "
                        f"{SMALL_CLASS} cases."
                    ),
                )
    yield from replicates.findings


def _reliability(truth: SafeScanCases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    outputs = predictions.outputs[has]
    if not has.any() or calibration.output_kind(outputs) != "probabilities":
        return None
    return calibration.reliability(outputs.max(1), np.equal(truth.true_labels[has], predictions.labels[has]))


def _arrays(
    scored: TricorderScoring, reached: calibration.Reliability | None, with_curves: bool
) -> dict[str, Array]:
    """Return what figures need and JSON does not hold: outputs, labels, the reliability bins, ROC and
    precision-recall curves with bands."""
    predictions, source, labels = scored.predictions, scored.source, scored.truth.true_labels
    arrays: dict[str, Array] = {
        "outputs": predictions.outputs,
        "truth": labels,
        "predicted": predictions.labels,
    }
    if reached:
        arrays |= {
            f"reliability_{name}": getattr(reached, name)
            for name in ("predicted", "observed", "low", "high", "n")
        }
    has = predictions.has_outputs
    if has.any() and source["resamples"] and with_curves:
        weights = np.concatenate(
            list(replicate_weights(scored.units, min(source["resamples"], CURVE_REPLICATES), source["seed"]))
        )
        arrays |= curves.banded_curves(predictions.outputs[has], labels[has], weights[:, has])
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


READ_OTHERWISE = frozenset(("age-format", "location-number", "image-elsewhere"))
"""Codes of cells and images that a model receives here and not from the official loader."""


def official(
    score: float, predictions: Predictions, findings: Sequence[Finding], size_mib: float | None
) -> Official:
    """Return what the validator gives.

    Args:
        score: The score here, 0..1.
        predictions: What was scored.
        findings: Those of truth and predictions.
        size_mib: Size of the model in MiB, None where it is unknown.
    """
    reasons = of_files(findings)
    missing = missing_words(predictions.labels)
    if missing and only_unusable(predictions.faults):
        reasons.unknown.append(f"{missing}: the validator takes what is no number for the largest value.")
    elif missing:
        reasons.zero.append(f"{missing}: the validator gives 0 as soon as one is missing.")
    if predictions.model and any(finding.code in READ_OTHERWISE for finding in findings):
        reasons.unknown.append(
            "The validator's loader would give the model other ages, body sites or images."
        )
    if size_mib is None:
        reasons.unknown.append(
            f"The size of the model is unknown: this is its score if it has {FREE_MIB} MiB or less."
        )
    return reasons.official(score)
