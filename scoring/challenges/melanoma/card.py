"""Scorecard of Melanoma, and the score of the challenge's own code for the same files."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.doubtful_results import copied_truth, few_cases
from scoring.challenges.melanoma.formula import CLASSES, ID, THRESHOLD, WEIGHTS
from scoring.challenges.melanoma.measures import (
    are_risks,
    basis,
    decided,
    groups,
    quantities,
    rank_scores,
    slice_shares,
    tied_pairs,
    unit_sums,
)
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.evaluation import SafeScanEvaluation, evaluate
from scoring.challenges.safe_scan.official_program import missing_words, of_files
from scoring.common.arrays import Array, Floats, Ints
from scoring.common.findings import Finding, note, warning
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.file_contents import counted
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.core.submission import Predictions
from scoring.metrics import calibration, classification, curves, subgroups


def score(truth: SafeScanCases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions. Raises InputRefused for problems that the option `missing` does not allow; it lists
    all of them."""
    evaluation = evaluate(
        truth,
        predictions,
        settings,
        partial(quantities, truth, predictions),
        partial(basis, truth, predictions),
    )
    reached = _reliability(truth, predictions)
    counts = _counts(truth, predictions)
    measured = evaluation.measured
    # In the official order of operations: nothing is rounded.
    number = 0.6 * measured["f2"] + 0.3 * measured["accuracy"] + 0.1 * measured["auc"]
    calibration_error = reached.expected_calibration_error if reached else None
    return ScoreCard(
        ID,
        plain(number),
        plain({**measured, "expected_calibration_error": calibration_error}),
        plain(_per_class(evaluation, counts)),
        len(truth),
        _cases(evaluation),
        (*evaluation.read, *_score_findings(evaluation, counts)),
        evaluation.source,
        {"labels": list(CLASSES), "counts": counts},
        evaluation.intervals,
        plain(_more(evaluation, measured)),
        {
            **evaluation.arrays(_ranks(evaluation, settings.with_curves), reached),
            **evaluation.exchange(lambda: _unit_sums(evaluation)),
        },
        official=official(number, evaluation),
        incomplete=missing_words(predictions.labels),
    )


def _unit_sums(evaluation: SafeScanEvaluation) -> Floats:
    truth, decisions = evaluation.truth, decided(evaluation.truth, evaluation.predictions)
    auc, positive = float(evaluation.point["auc"][0]), truth.true_labels == 1
    ranks = rank_scores(truth, evaluation.predictions)
    left_out = curves.auc_without_each_unit(ranks, positive, evaluation.units)
    return unit_sums(positive, decisions, evaluation.units, auc, left_out)


def _counts(truth: SafeScanCases, predictions: Predictions) -> list[list[int]]:
    """Return the confusion matrix [[TN, FP], [FN, TP]]."""
    calls: Ints = decided(truth, predictions).astype(int)
    counts: list[list[int]] = classification.confusion_matrix(truth.true_labels, calls, 2).tolist()
    return counts


def _more(evaluation: SafeScanEvaluation, measured: Mapping[str, float]) -> dict[str, Any]:
    truth, predictions = evaluation.truth, evaluation.predictions
    shares = slice_shares(truth.true_labels == 1, decided(truth, predictions))
    more: dict[str, Any] = {
        "n_missing": evaluation.n_missing,
        "points": {name: weight / 100 * measured[name] for name, (_, _, weight) in WEIGHTS.items()},
        "slices": subgroups.rows(groups(truth), shares, evaluation.point, evaluation.replicates.intervals),
    }
    if predictions.model:
        more["model"] = dict(predictions.model)
    return more


def _per_class(evaluation: SafeScanEvaluation, counts: list[list[int]]) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for k, name in enumerate(CLASSES):
        predicted, f1 = counts[0][k] + counts[1][k], float(evaluation.point["f1", name][0])
        rows[name] = evaluation.class_row(counts[k][k], sum(counts[k]), predicted, f1)
        if evaluation.replicates.values:
            rows[name]["f1_interval"] = evaluation.replicates.intervals["f1", name]
    return rows


def _cases(evaluation: SafeScanEvaluation) -> tuple[dict[str, Any], ...]:
    predictions = evaluation.predictions
    outputs = [
        score if p >= 0 else None
        for score, p in zip(predictions.outputs[:, 0].tolist(), predictions.labels, strict=True)
    ]
    rows = zip(evaluation.case_rows(CLASSES), outputs, strict=True)
    return tuple({**row, "output": output, **about} for (row, about), output in rows)


def _score_findings(evaluation: SafeScanEvaluation, counts: list[list[int]]) -> Iterator[Finding]:
    truth, predictions, replicates = evaluation.truth, evaluation.predictions, evaluation.replicates
    supports = {"negative": sum(counts[0]), "positive": sum(counts[1])}
    if 0 in supports.values():
        kind = "positives" if supports["positive"] else "negatives"
        message = (
            f"the truth has {kind} only: AUC and score are undefined (null); the official code yields NaN."
        )
        yield warning("one-class-truth", "auc", message)
    if counts[0][1] + counts[1][1] == 0:
        message = (
            f"no score is above {THRESHOLD}: no case is predicted as melanoma, so the precision is undefined."
        )
        yield warning("never-predicted", "positive", message)
    tied = tied_pairs(
        predictions.outputs[predictions.has_outputs, 0], truth.true_labels[predictions.has_outputs] == 1
    )
    if tied:
        message = (
            f"{counted(tied, 'pair')} of a melanoma and another case {'has' if tied == 1 else 'have'} the "
            "same score; each counts half in the AUC."
        )
        yield note("tied-scores", predictions.name, message)
    yield from copied_truth(predictions.outputs, truth.true_labels[:, None] == 1, predictions.name)
    if replicates.values:
        yield from few_cases(supports, evaluation.source["interval"])
    yield from replicates.findings


def _reliability(truth: SafeScanCases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    scores = predictions.outputs[has, 0]
    if has.any() and are_risks(scores):
        return calibration.reliability(scores, truth.true_labels[has] == 1)
    return None


def _ranks(evaluation: SafeScanEvaluation, with_curves: bool) -> dict[str, Array]:
    """Return scores as they rank, units, and the curves of these ranks."""
    ranks, labels = rank_scores(evaluation.truth, evaluation.predictions), evaluation.truth.true_labels
    everybody, first = np.ones(len(labels), bool), np.where(labels == 1, 0, 1)
    units, drawn = evaluation.units, dict[str, Array]()
    if with_curves:
        drawn = curves.card_curves(ranks[:, None], first, everybody, units, evaluation.source)
    return {"rank_scores": ranks, "units": units, **drawn}


def official(score: float | None, evaluation: SafeScanEvaluation) -> Official:
    """Return whether the challenge's own code gives the same score. `score` is Benchside's score, 0..1; None
    or NaN if undefined."""
    predictions, codes = evaluation.predictions, {finding.code for finding in evaluation.read}
    reasons = of_files(evaluation.read, evaluation.truth.findings)
    if "input-size" in codes:
        reasons.stops.append("The challenge gives models 224 x 224 pixels, so this model would have failed.")
    if missing := missing_words(predictions.labels):
        reasons.zero.append(f"{missing}: the official code gives 0 if a prediction is missing.")
    if "label-spelling" in codes:
        reasons.unknown.append("The official code reads positives that are not written True as negatives.")
    if "several-score-columns" in codes:
        reasons.unknown.append("The official code uses the first column of scores, whatever its content.")
    return reasons.official(score)
