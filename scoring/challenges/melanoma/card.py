"""The scorecard of Melanoma, and the score that the challenge's own code gives for the same files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.melanoma.formula import CLASSES, ID, SMALL_CLASS, THRESHOLD, WEIGHTS
from scoring.challenges.melanoma.measures import (
    are_risks,
    decided,
    groups,
    quantities,
    rank_scores,
    slice_shares,
    tied_pairs,
    unit_sums,
)
from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.official_score import missing_words, of_files
from scoring.challenges.safe_scan.tables import CODES
from scoring.common.arrays import Array, Floats, Ints
from scoring.common.findings import Finding, InputRefused, note, ordered, warning
from scoring.core.challenge import ScoreSettings
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.core.submission import Predictions, grade, provenance, truth_digest
from scoring.inputs.case_tables import UNIT_COLUMNS, find_units, joined_columns
from scoring.metrics import binary, calibration, curves, subgroups
from scoring.statistics import permutation_test
from scoring.statistics.replicates import Quantities, Replicates, replicate, replicate_weights

CURVE_REPLICATES = 300


@dataclass(frozen=True)
class MelanomaScoring:
    """Predictions that are scored on a truth.

    Attributes:
        truth: The N cases.
        predictions: Their predictions.
        point: Quantities on the test set itself, [1] each.
        replicates: The same quantities on the replicates.
        units: Unit number of each case [N].
        source: `provenance` of the scorecard.
    """

    truth: SafeScanCases
    predictions: Predictions
    point: Quantities
    replicates: Replicates
    units: Ints
    source: Mapping[str, Any]


def score(truth: SafeScanCases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions on a truth. Raises InputRefused with every fault that `missing` does not allow."""
    statistics, metadata = settings.statistics, settings.metadata
    hard, soft = grade(predictions.faults, settings.options["missing"])
    read = [*truth.findings, *ordered([*predictions.findings, *soft], CODES)]
    if hard or settings.problems:
        raise InputRefused([*hard, *settings.problems], read)
    columns = joined_columns(truth, metadata)
    unit, units = find_units(columns, len(truth), UNIT_COLUMNS, truth.id_column, statistics.group)
    evaluate = partial(quantities, truth, predictions)
    point = evaluate(np.ones((1, len(truth)), np.float32))
    source = provenance(
        truth_digest(truth, predictions), predictions, settings.options, statistics, metadata, unit, units
    )
    scored = MelanomaScoring(
        truth, predictions, point, replicate(evaluate, point, units, statistics), units, source
    )
    return _card(scored, read, settings.with_curves)


def _card(scored: MelanomaScoring, read: list[Finding], with_curves: bool) -> ScoreCard:
    truth, predictions, point, replicates = scored.truth, scored.predictions, scored.point, scored.replicates
    reached, counts = _reliability(truth, predictions), _counts(truth, predictions)
    measured = {
        name: float(values[0]) for name, values in point.items() if isinstance(name, str) and name != "score"
    }
    # In the official order of operations: nothing is rounded.
    number = 0.6 * measured["f2"] + 0.3 * measured["accuracy"] + 0.1 * measured["auc"]
    calibration_error = reached.expected_calibration_error if reached else None
    return ScoreCard(
        ID,
        plain(number),
        plain({**measured, "expected_calibration_error": calibration_error}),
        plain(_per_class(counts, point, replicates)),
        len(truth),
        _cases(truth, predictions),
        (*read, *_score_findings(truth, predictions, counts, replicates)),
        scored.source,
        {"labels": list(CLASSES), "counts": counts},
        {name: value for name, value in replicates.intervals.items() if isinstance(name, str)},
        plain(_more(scored, measured)),
        {
            **_arrays(scored, reached, with_curves),
            **replicates.arrays,
            **permutation_test.kept(bool(replicates.values), scored.units, lambda: _unit_sums(scored)),
        },
        official=official(number, predictions, read),
        incomplete=missing_words(predictions.labels),
    )


def _unit_sums(scored: MelanomaScoring) -> Floats:
    decisions = decided(scored.truth, scored.predictions)
    auc, left_out = float(scored.point["auc"][0]), scored.replicates.left_out["auc"]
    return unit_sums(scored.truth.true_labels == 1, decisions, scored.units, auc, left_out)


def _counts(truth: SafeScanCases, predictions: Predictions) -> list[list[int]]:
    """Return the confusion matrix [[TN, FP], [FN, TP]]."""
    d = binary.decisions(truth.true_labels == 1, decided(truth, predictions), np.ones((1, len(truth))))
    return [
        [int(d.true_negative[0]), int(d.false_positive[0])],
        [int(d.false_negative[0]), int(d.true_positive[0])],
    ]


def _more(scored: MelanomaScoring, measured: Mapping[str, float]) -> dict[str, Any]:
    truth, predictions = scored.truth, scored.predictions
    shares = slice_shares(truth.true_labels == 1, decided(truth, predictions))
    more: dict[str, Any] = {
        "n_missing": int((predictions.labels < 0).sum()),
        "points": {name: weight / 100 * measured[name] for name, (_, _, weight) in WEIGHTS.items()},
        "slices": subgroups.rows(groups(truth), shares, scored.point, scored.replicates.intervals),
    }
    if predictions.model:
        more["model"] = dict(predictions.model)
    return more


def _per_class(
    counts: list[list[int]], point: Quantities, replicates: Replicates
) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    n = sum(map(sum, counts))
    for k, name in enumerate(CLASSES):
        support, predicted, hits = sum(counts[k]), counts[0][k] + counts[1][k], counts[k][k]
        others = n - support
        rows[name] = {
            "support": support,
            "predicted": predicted,
            "precision": hits / predicted if predicted else None,
            "recall": hits / support if support else None,
            "f1": float(point["f1", name][0]),
            "specificity": (others - predicted + hits) / others if others else None,
        }
        if replicates.values:
            rows[name]["f1_interval"] = replicates.intervals["f1", name]
    return rows


def _cases(truth: SafeScanCases, predictions: Predictions) -> tuple[dict[str, Any], ...]:
    rows, about = [], demographics.described(truth.demographics)
    for i, (y, p) in enumerate(zip(truth.true_labels, predictions.labels, strict=True)):
        rows.append(
            {
                "case": truth.ids[i],
                "truth": CLASSES[y],
                "predicted": CLASSES[p] if p >= 0 else None,
                "correct": bool(y == p),
                "output": float(predictions.outputs[i, 0]) if p >= 0 else None,
                **about[i],
            }
        )
    return tuple(rows)


def _score_findings(
    truth: SafeScanCases, predictions: Predictions, counts: list[list[int]], replicates: Replicates
) -> Iterator[Finding]:
    supports = {"negative": sum(counts[0]), "positive": sum(counts[1])}
    if 0 in supports.values():
        kind = "positives" if supports["positive"] else "negatives"
        yield warning(
            "one-class-truth",
            "auc",
            f"the truth has {kind} only: AUC and score are undefined (null); the official code yields NaN.",
        )
    if counts[0][1] + counts[1][1] == 0:
        yield warning(
            "never-predicted",
            "positive",
            f"no score is above {THRESHOLD}: no case is called melanoma, the precision is undefined.",
        )
    tied = tied_pairs(
        predictions.outputs[predictions.has_outputs, 0], truth.true_labels[predictions.has_outputs] == 1
    )
    if tied:
        yield note(
            "tied-scores",
            predictions.name,
            f"{tied} pairs of a melanoma and another case have the same score; each counts half in the AUC.",
        )
    if replicates.values:
        for name, support in supports.items():
            if 0 < support < SMALL_CLASS:
                yield warning(
                    "few-cases-in-class",
                    name,
                    (
                        f"{support} case{'s' * (support > 1)}: interval of F1 too narrow below "
                        f"{SMALL_CLASS} cases."
                    ),
                )
    yield from replicates.findings


def _reliability(truth: SafeScanCases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    scores = predictions.outputs[has, 0]
    return (
        calibration.reliability(scores, truth.true_labels[has] == 1)
        if has.any() and are_risks(scores)
        else None
    )


def _arrays(
    scored: MelanomaScoring, reached: calibration.Reliability | None, with_curves: bool
) -> dict[str, Array]:
    """Return what figures need and JSON does not hold: scores as they rank, labels, units, the reliability
    bins, ROC and precision-recall curves with bands."""
    predictions, source, labels = scored.predictions, scored.source, scored.truth.true_labels
    ranks = rank_scores(scored.truth, predictions)
    arrays: dict[str, Array] = {
        "outputs": predictions.outputs,
        "rank_scores": ranks,
        "truth": labels,
        "predicted": predictions.labels,
        "units": scored.units,
    }
    if reached:
        arrays |= {
            f"reliability_{name}": getattr(reached, name)
            for name in ("predicted", "observed", "low", "high", "n")
        }
    if source["resamples"] and with_curves:
        arrays |= curves.banded_curves(
            ranks[:, None], np.where(labels == 1, 0, 1), curve_weights(scored.units, source)
        )
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def curve_weights(units: Ints, source: Mapping[str, Any]) -> Floats:
    """Return replicates [B, N] for bands of curves: the first of the card's own."""
    return np.concatenate(
        list(replicate_weights(units, min(source["resamples"], CURVE_REPLICATES), source["seed"]))
    )


def official(score: float | None, predictions: Predictions, findings: Sequence[Finding]) -> Official:
    """Return what the challenge's own code gives.

    Args:
        score: The score here, 0..1; None or NaN where it is undefined.
        predictions: What was scored.
        findings: Those of truth and predictions.
    """
    codes, reasons = {finding.code for finding in findings}, of_files(findings)
    if "input-size" in codes:
        reasons.stops.append("The challenge feeds 224 x 224 pixels, and this model would have failed there.")
    if missing := missing_words(predictions.labels):
        reasons.zero.append(f"{missing}: the official code gives 0 as soon as one is missing.")
    if "label-spelling" in codes:
        reasons.unknown.append("The official code takes positives that are not written True for negatives.")
    if "several-score-columns" in codes:
        reasons.unknown.append("The official code takes the first column of scores, whatever it holds.")
    return reasons.official(score)
