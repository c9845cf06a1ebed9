"""The scorecard of TRICORDER-3."""

from collections.abc import Iterator, Mapping

import numpy as np

from scoring.challenge import ScoreSettings
from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import Cases
from scoring.challenges.safe_scan.codes import CODES
from scoring.challenges.tricorder3.formula import (
    CLASSES,
    FULL_MIB,
    GROUPS,
    ID,
    RISK,
    RISKS,
    SMALL_CLASS,
    WORTH,
    efficiency,
    final_score,
    weighted_f1,
)
from scoring.challenges.tricorder3.measures import published, quantities, slice_shares
from scoring.challenges.tricorder3.options import MODEL_SIZE
from scoring.findings import Finding, InputRefused, error, ordered, warning
from scoring.metrics import calibration, classification, curves, subgroups
from scoring.metrics.classification import mean_of_defined
from scoring.readers.case_tables import joined_columns
from scoring.readers.units import find_units
from scoring.scorecard import ScoreCard, plain
from scoring.statistics import resampling
from scoring.statistics.replicates import Replicates, replicate
from scoring.submission import Predictions, grade, provenance, truth_digest

UNIT_COLUMNS = ("patient_id", "lesion_id")
CURVE_REPLICATES = 300


def score(truth: Cases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
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

    def measured(weights: np.ndarray) -> dict:
        return quantities(truth, predictions, weights, efficiency(size))

    point = measured(np.ones((1, len(truth)), np.float32))
    found = replicate(measured, point | published(point, efficiency(size)), units, statistics)
    source = provenance(
        truth_digest(truth, predictions),
        predictions,
        settings.options,
        statistics,
        metadata,
        unit,
        units,
    )
    return _card(truth, predictions, size, point, found, read, source, units, settings.with_curves)


def _of_model(size: float | None, predictions: Predictions) -> Iterator[Finding]:
    """Yield `bad-option` where a size is given with a model."""
    if size is not None and predictions.model is not None:
        yield error("bad-option", MODEL_SIZE.flag, MODEL_SIZE.predictions_only)


def _card(
    truth: Cases,
    predictions: Predictions,
    size: float | None,
    point: Mapping,
    found: Replicates,
    read: list[Finding],
    source: Mapping,
    units: np.ndarray,
    with_curves: bool,
) -> ScoreCard:
    y, p = truth.labels, predictions.labels
    matrix = classification.confusion_matrix(y, p, len(CLASSES))
    support, predicted = (
        np.bincount(y, minlength=len(CLASSES)),
        np.bincount(p[p >= 0], minlength=len(CLASSES)),
    )
    e = efficiency(size)
    metrics = {
        name: float(values[0]) for name, values in point.items() if isinstance(name, str) and name != "score"
    }
    a, w = round(metrics["accuracy"], 6), round(metrics["weighted_f1"], 6)
    metrics |= {
        "efficiency_score": e,
        "prediction_score": 0.5 * a + 0.5 * w,
        **_rank_metrics(truth, predictions),
    }
    reached = _reliability(truth, predictions)
    metrics["expected_calibration_error"] = reached.expected_calibration_error if reached else None
    best = final_score(1.0, float(weighted_f1((support > 0).astype(float))), e)
    more = {
        "n_missing": int((p < 0).sum()),
        "model_size_mib": size,
        "best_possible_score": best,
        "points": {"accuracy": 0.45 * a, "weighted_f1": 0.45 * w, "efficiency_score": 0.1 * round(e, 6)},
        "risk_matrix": {
            "labels": list(RISKS),
            "counts": [
                [int(matrix[np.ix_(rows, columns)].sum()) for columns in GROUPS.values()]
                for rows in GROUPS.values()
            ],
        },
        "slices": subgroups.rows(
            demographics.subgroups(truth.demographics), slice_shares(truth, p), point, found.intervals
        ),
    }
    if predictions.model:
        more["model"] = {k: v for k, v in predictions.model.items() if k != "size_mib"}
    findings = [*read, *_score_findings(support, predicted, predictions, size, found)]
    shown = {name: value for name, value in found.intervals.items() if isinstance(name, str)}
    per_class = _per_class(truth, predictions, matrix, support, predicted, point, found)
    return ScoreCard(
        ID,
        final_score(metrics["accuracy"], metrics["weighted_f1"], e),
        plain(metrics),
        plain(per_class),
        len(truth),
        _cases(truth, predictions),
        tuple(findings),
        source,
        {"labels": list(CLASSES), "counts": matrix.tolist()},
        shown,
        plain(more),
        {**_arrays(truth, predictions, reached, source, units, with_curves), **found.arrays},
    )


def _rank_metrics(truth: Cases, predictions: Predictions) -> dict:
    values = np.array(list(_average_precisions(truth, predictions).values()))
    return {"macro_average_precision": float(mean_of_defined(values))}


def _average_precisions(truth: Cases, predictions: Predictions) -> dict[str, float]:
    has = predictions.has_outputs
    return {
        name: curves.average_precision(predictions.outputs[has, k], truth.labels[has] == k)
        for k, name in enumerate(CLASSES)
    }


def _per_class(truth, predictions, matrix, support, predicted, point, found: Replicates) -> dict:
    n, average_precision = len(truth), _average_precisions(truth, predictions)
    rows = {}
    for k, name in enumerate(CLASSES):
        hits, f1 = int(matrix[k, k]), float(point["f1", name][0])
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
        if found.values:
            rows[name] |= {
                f"{what}_interval": found.intervals.get((what, name)) for what in ("f1", "recall", "auc")
            }
    return rows


def _cases(truth: Cases, predictions: Predictions) -> tuple[dict, ...]:
    encoded, about, rows = truth.demographics.encoded.tolist(), demographics.described(truth.demographics), []
    for i, (y, p) in enumerate(zip(truth.labels, predictions.labels, strict=True)):
        outputs = None if np.isnan(predictions.outputs[i]).any() else predictions.outputs[i].tolist()
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


def _score_findings(
    support: np.ndarray,
    predicted: np.ndarray,
    predictions: Predictions,
    size: float | None,
    found: Replicates,
) -> Iterator[Finding]:
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
            "the model's size is unknown: efficiency counts 1.0. Give --model-size-mib.",
        )
    elif predictions.model is None and size >= FULL_MIB:
        yield warning(
            "size-score-zero",
            predictions.name,
            f"{size:g} MiB: from {FULL_MIB} MiB on efficiency is 0 and 10 points are lost.",
        )
    if found.values:
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
    yield from found.findings


def _reliability(truth: Cases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    outputs = predictions.outputs[has]
    if not has.any() or calibration.output_kind(outputs) != "probabilities":
        return None
    return calibration.reliability(outputs.max(1), truth.labels[has] == predictions.labels[has])


def _arrays(
    truth: Cases,
    predictions: Predictions,
    reached: calibration.Reliability | None,
    source: Mapping,
    units: np.ndarray,
    with_curves: bool,
) -> dict[str, np.ndarray]:
    """What is drawn and too fine for JSON: outputs, labels, the reliability bins, ROC and precision-recall
    curves with bands."""
    arrays = {"outputs": predictions.outputs, "truth": truth.labels, "predicted": predictions.labels}
    if reached:
        arrays |= {
            f"reliability_{name}": getattr(reached, name)
            for name in ("predicted", "observed", "low", "high", "n")
        }
    has = predictions.has_outputs
    if has.any() and source["resamples"] and with_curves:
        weights = np.concatenate(
            list(
                resampling.replicate_weights(
                    units, min(source["resamples"], CURVE_REPLICATES), source["seed"]
                )
            )
        )
        arrays |= curves.banded_curves(predictions.outputs[has], truth.labels[has], weights[:, has])
    for array in arrays.values():
        array.flags.writeable = False
    return arrays
