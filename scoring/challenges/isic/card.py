"""Makes the scorecard of an ISIC Challenge: numbers, findings about the score, and arrays for figures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.challenges.isic import measures
from scoring.challenges.isic.categories import ID, malignant, preset
from scoring.challenges.isic.measures import MEANS, RANKED_BY
from scoring.challenges.isic.official_program import IsicEvaluation, findings, official
from scoring.challenges.isic.official_rejections import first_refusal
from scoring.challenges.isic.options import MALIGNANT_CATEGORIES, IsicOptions
from scoring.challenges.isic.truth import IsicCases, subgroups
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import InputRefused, error
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import Predictions, provenance, truth_digest
from scoring.inputs.case_tables import UNIT_COLUMNS, find_units, joined_columns
from scoring.metrics import auc_and_average_precision, calibration, classification, output_kinds
from scoring.metrics import subgroups as shares
from scoring.metrics.calibration import Reliability
from scoring.metrics.thresholds import HALF
from scoring.statistics import permutation_test
from scoring.statistics.replicates import Replicates, replicate

UNDECIDED = "undecided"
MEASURES = (
    "recall",
    "sensitivity",
    "specificity",
    "accuracy",
    "ppv",
    "npv",
    "f1",
    "auc",
    "auc_sens_80",
    "average_precision",
)
WITH_INTERVAL = ("auc", "recall", "f1", "average_precision")


def score(truth: IsicCases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions [N, K], 0..1. Raises InputRefused for problems of the predictions (it lists all of
    them), for options that are not allowed, and for unreadable metadata or unit columns."""
    used = malignant(truth.categories, settings.options["malignant"])
    known = ", ".join(truth.categories)
    problems = [
        *settings.problems,
        *(
            error(
                "bad-option",
                MALIGNANT_CATEGORIES.flag,
                f"{name!r} is not a category of this test set: choose from {known}.",
            )
            for name in used
            if name not in truth.categories
        ),
    ]
    if predictions.faults or problems:
        raise InputRefused([*predictions.faults, *problems], [*truth.findings, *predictions.findings])
    statistics, metadata = settings.statistics, settings.metadata
    columns = joined_columns(truth, metadata, repeated=truth.id_column != "image")
    unit, units = find_units(columns, len(truth), UNIT_COLUMNS, truth.id_column, statistics.group)
    groups = measures.slices(subgroups(columns), truth.weights.score) if metadata is not None else {}
    options = IsicOptions(settings.options["metric"], used, settings.options["rules"])
    e = IsicEvaluation(truth, predictions, options, groups)
    replicates = replicate(e.quantities, e.point, units, statistics, truth.weights.score, e.basis)
    digest = truth_digest(truth, predictions)
    source = provenance(digest, predictions, options.as_dict(), statistics, metadata, unit, units)
    return _card(e, replicates, units, source)


def _card(e: IsicEvaluation, replicates: Replicates, units: Ints, source: Mapping[str, Any]) -> ScoreCard:
    truth, predictions = e.truth, e.predictions
    metrics, score = _metrics(e), float(e.point["score"][0])
    reliable = _reliability(e)
    slices = {"slices": shares.rows(e.groups, e.shares, e.point, replicates.intervals)} if e.groups else {}
    return ScoreCard(
        ID,
        plain(score),
        plain(metrics),
        plain(_per_class(e, replicates)),
        len(truth),
        _cases(truth, predictions),
        (*truth.findings, *predictions.findings, *findings(e, metrics, replicates), *replicates.findings),
        source,
        _confusion(e),
        {name: value for name, value in replicates.intervals.items() if isinstance(name, str)},
        plain({**_more(e), **_calibration(reliable), **slices, **_model(predictions)}),
        {
            **_arrays(e, units, reliable),
            **replicates.arrays,
            **permutation_test.card_arrays(bool(replicates.values), units, lambda: _unit_sums(e, units)),
        },
        official=official(e, score),
    )


def _unit_sums(e: IsicEvaluation, units: Ints) -> Floats:
    score = float(e.point["score"][0])
    return measures.unit_sums(e.answers, units, e.truth.weights.score, e.options.ranked_by, score)


def _metrics(e: IsicEvaluation) -> dict[str, float]:
    named = {name: float(values[0]) for name, values in e.point.items() if isinstance(name, str)}
    score, weights = named.pop("score"), e.truth.weights
    if weights.in_file or weights.validation_in_file:
        score = measures.ranked_value(e.answers, weights.validation, e.options.ranked_by)
    return {**named, "validation_score": score}


def _more(e: IsicEvaluation) -> dict[str, Any]:
    message = first_refusal([*e.truth.findings, *e.predictions.findings])
    return {
        "n_scored": int(e.scored.sum()),
        "preset": preset(e.truth.categories),
        "malignant": list(e.options.malignant),
        "scores_at_half": scores_at_half(e.predictions),
        "official_check": {"accepted": message is None, "message": message},
    }


def _model(predictions: Predictions) -> dict[str, Any]:
    model = predictions.model
    return {"model": {k: v for k, v in model.items() if k != "size_mib"}} if model else {}


def scores_at_half(predictions: Predictions) -> int:
    """Return how many scores are exactly 0.5."""
    return int((predictions.outputs == HALF).sum())


def _per_class(e: IsicEvaluation, replicates: Replicates) -> dict[str, Any]:
    """Return the row of each class: its measures, and the share of the score that its mistakes cost
    (`score_lost`)."""
    point, ranking = e.point, MEANS[RANKED_BY[e.options.ranked_by]]
    defined = sum(not np.isnan(point[ranking, name][0]) for name in e.supports)
    rows: dict[str, dict[str, Any]] = {}
    for name, support in e.supports.items():
        value = float(point[ranking, name][0])
        worth = np.nan if np.isnan(value) else 1 / defined
        rows[name] = {
            "support": support,
            **{m: float(point[m, name][0]) for m in MEASURES},
            "score_worth": worth,
            "score_lost": worth * (1 - value),
        }
        if replicates.values:
            rows[name] |= {f"{m}_interval": replicates.intervals[m, name] for m in WITH_INTERVAL}
    return rows


def _confusion(e: IsicEvaluation) -> dict[str, Any]:
    a, k = e.answers, len(e.answers.categories)
    y, p = (np.where(labels >= 0, labels, k)[e.scored] for labels in (a.labels, a.predicted))
    counts = classification.confusion_matrix(y, p, k + 1)
    size = k + bool((y == k).any() or (p == k).any())
    return {"labels": [*a.categories, UNDECIDED][:size], "counts": counts[:size, :size].tolist()}


def _cases(truth: IsicCases, predictions: Predictions) -> tuple[dict[str, Any], ...]:
    names, labels = (*truth.categories, UNDECIDED), truth.labels  # -1 is the last
    scores = np.where(labels >= 0, predictions.outputs[np.arange(len(labels)), labels], np.nan).tolist()
    rows = [
        {
            "case": case,
            "truth": names[y],
            "predicted": names[p],
            "correct": y == p if y >= 0 else None,
            "truth_score": score if y >= 0 else None,
        }
        for case, y, p, score in zip(
            truth.ids, labels.tolist(), predictions.labels.tolist(), scores, strict=True
        )
    ]
    if truth.weights.in_file:
        for row, weight in zip(rows, truth.weights.score.tolist(), strict=True):
            row["weight"] = weight
    return tuple(rows)


def _reliability(e: IsicEvaluation) -> Reliability | None:
    """Return ten bins of the largest score, of the cases with a truth label and a weight; None unless every
    row sums to 1."""
    a = e.answers
    if output_kinds.output_kind(a.outputs) != "probabilities":
        return None
    counted = e.scored & (a.labels >= 0)
    return calibration.reliability(a.outputs[counted].max(1), a.labels[counted] == a.predicted[counted])


def _calibration(reliability: Reliability | None) -> dict[str, Any]:
    if reliability is None:
        return {}
    bins = [
        {"n": int(n), "mean_score": float(predicted), "accuracy": float(observed)}
        for n, predicted, observed in zip(
            reliability.n, reliability.predicted, reliability.observed, strict=True
        )
    ]
    return {
        "calibration": {"bins": bins, "expected_calibration_error": reliability.expected_calibration_error}
    }


def _arrays(e: IsicEvaluation, units: Ints, reliable: Reliability | None) -> dict[str, np.ndarray]:
    """Return what is drawn and too fine for JSON, read-only: scores, positives, labels, weights, units, and
    the curves of `auc_and_average_precision.polyline` padded with NaN.

    roc_x, roc_y, roc_threshold, pr_precision [K, points] (recall is roc_y); malignant_x, malignant_y,
    malignant_threshold [points]. reliability_predicted, _observed, _low, _high, _n [10], where there is a
    calibration.
    """
    a, weights = e.answers, e.truth.weights.score[None]
    lines, precisions = [], []
    for levels in a.levels:
        c = auc_and_average_precision.curve(levels, weights)
        lines.append(auc_and_average_precision.polyline(levels, c))
        precisions.append(
            auc_and_average_precision.precisions(
                lines[-1][0], lines[-1][1], float(c.positives[0]), float(c.negatives[0])
            )
        )
    malignant = auc_and_average_precision.polyline(
        a.malignancy.levels,
        auc_and_average_precision.curve(a.malignancy.levels, weights[:, a.malignancy.members]),
    )
    arrays = {
        "outputs": a.outputs,
        "positives": a.positives,
        "truth": a.labels,
        "predicted": a.predicted,
        "score_weights": e.truth.weights.score,
        "units": units,
        "pr_precision": _padded(precisions),
        **{
            f"roc_{name}": _padded([line[i] for line in lines])
            for i, name in enumerate(("x", "y", "threshold"))
        },
        **{f"malignant_{name}": line for name, line in zip(("x", "y", "threshold"), malignant, strict=True)},
        **(reliable.arrays if reliable else {}),
    }
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def malignant_curve(scored: ScoreCard, malignant: Sequence[str]) -> dict[str, Any]:
    """Return the ROC curve of malignant against benign cases, with a chosen set of malignant categories.

    Returns:
        "auc" (None if undefined), and the points of the curve: "x" (1 - specificity), "y" (sensitivity) and
        "threshold".
    """
    m = measures.malignancy(
        tuple(scored.per_class), scored.arrays["truth"], scored.arrays["outputs"], malignant
    )
    c = auc_and_average_precision.curve(m.levels, scored.arrays["score_weights"][None, m.members])
    return {
        "auc": plain(float(auc_and_average_precision.auc(c)[0])),
        **dict(zip(("x", "y", "threshold"), auc_and_average_precision.polyline(m.levels, c), strict=True)),
    }


def _padded(lines: Sequence[np.ndarray]) -> np.ndarray:
    width = max(len(line) for line in lines)
    return np.array([np.r_[line, np.full(width - len(line), np.nan)] for line in lines])
