"""Scorecard of HECKTOR 2026."""

from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.evaluation import HecktorEvaluation
from scoring.challenges.hecktor2026.findings import missing_words, official, score_findings
from scoring.challenges.hecktor2026.formula import ID, STAGES, STRUCTURES, HecktorOptions
from scoring.challenges.hecktor2026.measures import (
    OF_CENTERS,
    WITH_INTERVAL,
    centers,
    combined,
    curves,
    survival_groups,
    unit_sums,
)
from scoring.challenges.hecktor2026.stages import stage_name
from scoring.challenges.hecktor2026.submission import HecktorSubmission, with_nodes
from scoring.challenges.hecktor2026.summary import submitted_alone
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats, Ints, Numbers
from scoring.common.findings import InputRefused
from scoring.core import submitted_part
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import provenance
from scoring.inputs.case_tables import find_units, joined_columns
from scoring.metrics import classification, dice_and_panoptic_quality, survival
from scoring.statistics import permutation_test
from scoring.statistics.replicates import evaluate, leave_one_out_weights, replicate


def score(truth: HecktorTruth, predictions: HecktorSubmission, settings: ScoreSettings) -> ScoreCard:
    """Score a submission; the unit of the intervals is the patient, unless an option names another. Raises
    InputRefused if options, metadata or unit are refused."""
    if settings.problems:
        raise InputRefused(settings.problems, [*truth.findings, *predictions.findings])
    options, statistics, metadata = HecktorOptions(**settings.options), settings.statistics, settings.metadata
    if options.lesions:
        predictions = with_nodes(truth, predictions)
    columns = joined_columns(truth, metadata)
    unit, units = find_units(columns, len(truth), (), truth.id_column, statistics.group)
    unit = "patient" if unit == "case" else unit
    evaluation = HecktorEvaluation(truth, predictions, options)
    replicates = replicate(evaluation.quantities, evaluation.point, units, statistics, basis=evaluation.basis)
    metrics = _metrics(evaluation)
    arrays = {
        "units": units,
        **curves(evaluation),
        **replicates.arrays,
        **permutation_test.card_arrays(bool(replicates.values), units, lambda: _unit_sums(evaluation, units)),
    }
    for array in arrays.values():
        array.flags.writeable = False
    card = ScoreCard(
        ID,
        plain(metrics["weighted_score"]),
        plain(metrics),
        plain(_per_class(evaluation)),
        len(truth),
        _cases(evaluation),
        tuple(score_findings(evaluation, metrics, replicates)),
        provenance(truth.digest, predictions, options.as_dict(), statistics, metadata, unit, units),
        intervals={name: replicates.intervals[name] for name in WITH_INTERVAL} if replicates.values else {},
        more=plain(
            {
                "confusion_matrices": {kind.upper(): _confusion(evaluation, kind) for kind in STAGES},
                **({"per_center": _per_center(evaluation)} if any(truth.center) else {}),
                "survival": survival_groups(evaluation),
            }
        ),
        arrays=arrays,
        official=official(evaluation, metrics["weighted_score"]),
        incomplete=missing_words(evaluation, metrics),
    )
    return submitted_part.of_one_metric(card, submitted_alone(card))


def _unit_sums(evaluation: HecktorEvaluation, units: Ints) -> Floats:
    return unit_sums(
        list(evaluation.dices.values()),
        [(evaluation.true_stages[kind], evaluation.submitted_stages[kind]) for kind in STAGES],
        units,
        float(evaluation.point["c_index"][0]),
        evaluate(evaluation.concordance, leave_one_out_weights(units))["c_index"],
    )


def _metrics(evaluation: HecktorEvaluation) -> dict[str, Any]:
    """`metrics` in the order of the definition; NaN if undefined."""
    truth, submission, options = evaluation.truth, evaluation.submission, evaluation.options
    states, counted = np.array(submission.masks.states), evaluation.pairs
    values = {name: float(evaluation.point[name][0]) for name in WITH_INTERVAL}
    joined = combined(values)
    missing = {
        f"n_missing_{kind}": int(((true >= 0) & (evaluation.submitted_stages[kind] < 0)).sum())
        for kind, true in evaluation.true_stages.items()
    }
    return {
        "weighted_score": joined["weighted_score"],
        "segmentation": values["segmentation"],
        **{f"dice_{s}": values[f"dice_{s}"] for s in STRUCTURES},
        **{f"dice_agg_{s}": _aggregated(evaluation, s) for s in STRUCTURES},
        "dice_from_empty_cases": _credit_of_empty(evaluation),
        "staging": values["staging"],
        **{f"balanced_accuracy_{kind}": values[f"balanced_accuracy_{kind}"] for kind in STAGES},
        "c_index": values["c_index"],
        "c_index_flipped": float(survival.c_index_flipped(counted, options.missing_risk)[0]),
        "comparable_pairs": int(counted.comparable[0]),
        "concordant_pairs": int(counted.concordant[0]),
        "tied_risk_pairs": int(counted.tied[0]),
        "missing_pairs": int(counted.missing[0]),
        "unweighted_score": joined["unweighted_score"],
        "consistency": joined["consistency"],
        "n_missing_masks": int((states == "missing").sum()),
        "n_malformed_masks": int((states == "malformed").sum()),
        **missing,
        "n_missing_risk": int((truth.has_survival & np.isnan(evaluation.risks)).sum()),
        "n_unknown_patients": len(submission.unknown),
        **(
            {}
            if submission.masks.nodes is None or not options.lesions
            else _of_nodes(submission.masks.nodes[truth.has_mask])
        ),
    }


def _of_nodes(nodes: Ints) -> dict[str, Any]:
    """Return how well nodes are counted and found, from their numbers in truth and submission and the matched
    ones [N, 3]; never ranked."""
    true, submitted, matched = nodes.T
    return {
        "gtvn_count_error": float(np.abs(true - submitted).mean()) if len(nodes) else np.nan,
        "gtvn_detection_f1": float(classification.divide(2 * matched.sum(), true.sum() + submitted.sum())),
    }


def _credit_of_empty(evaluation: HecktorEvaluation) -> float:
    """Return the part of `segmentation` that pairs earn in which truth and prediction are empty; NaN without
    a truth mask."""
    if not evaluation.truth.has_mask.any():
        return np.nan
    if evaluation.options.empty_masks != "one":
        return 0.0
    return float(np.mean([_both_empty(evaluation, structure).mean() for structure in STRUCTURES]))


def _both_empty(evaluation: HecktorEvaluation, structure: str) -> Bools:
    _, true, submitted = evaluation.scored_voxels[structure]
    return np.asarray((true == 0) & (submitted == 0))


def _aggregated(evaluation: HecktorEvaluation, structure: str) -> float:
    """Return the Dice of all patients taken as one; NaN without a truth mask."""
    both, true, submitted = evaluation.scored_voxels[structure]
    if not len(true):
        return np.nan
    once = np.ones((1, len(true)))
    return float(
        dice_and_panoptic_quality.aggregated_dice(
            both, true, submitted, once, evaluation.options.empty_masks
        )[0]
    )


def _per_class(evaluation: HecktorEvaluation) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    for kind, names in STAGES.items():
        counts = evaluation.stage_counts(kind, evaluation.once)
        recall = classification.recall(counts)[0]
        for code, name in enumerate(names):
            support = int(counts.support[0, code])
            if name != "T0" or support:
                rows[name] = {
                    "support": support,
                    "predicted": int(counts.predicted[0, code]),
                    "recall": float(recall[code]),
                }
    for structure, (name, _) in STRUCTURES.items():
        _, true, predicted = evaluation.scored_voxels[structure]
        of_patients = evaluation.dices[structure][evaluation.truth.has_mask]
        rows[name] = {
            "n_patients": len(true),
            "n_empty_truth": int((true == 0).sum()),
            "n_empty_prediction": int((predicted == 0).sum()),
            "n_both_empty": int(_both_empty(evaluation, structure).sum()),
            "mean_dice": float(evaluation.point[f"dice_{structure}"][0]),
            "mean_dice_nonempty_truth": float(of_patients[true > 0].mean()) if (true > 0).any() else None,
            "dice_agg": _aggregated(evaluation, structure),
        }
    return rows


def _confusion(evaluation: HecktorEvaluation, kind: str) -> dict[str, Any]:
    """Counts by true (rows) and submitted stage, and per row the patients without a usable prediction. T0 is
    a label where it occurs."""
    true, predicted = evaluation.true_stages[kind], evaluation.submitted_stages[kind]
    counts = classification.confusion_matrix(true, predicted, len(STAGES[kind]))
    missing = np.bincount(true[(true >= 0) & (predicted < 0)], minlength=len(STAGES[kind]))
    label_indices = [
        i
        for i, name in enumerate(STAGES[kind])
        if name != "T0" or counts[i].any() or counts[:, i].any() or missing[i]
    ]
    return {
        "labels": [STAGES[kind][i] for i in label_indices],
        "counts": counts[np.ix_(label_indices, label_indices)],
        "missing": missing[label_indices],
    }


def _per_center(evaluation: HecktorEvaluation) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    for center, members in centers(evaluation.truth).items():
        inside = evaluation.among(members)
        rows[center] = {
            "n_cases": int(members.sum()),
            **{name: float(inside.point[name][0]) for name in OF_CENTERS},
            "comparable_pairs": int(inside.pairs.comparable[0]),
        }
    return rows


def _cases(evaluation: HecktorEvaluation) -> tuple[dict[str, Any], ...]:
    """Return one row per patient, built column by column."""
    truth, submission = evaluation.truth, evaluation.submission
    columns = {
        "case": truth.ids,
        "center": [center or None for center in truth.center],
        "mask": submission.masks.states,
    }
    columns |= {f"dice_{s}": _known(dice) for s, dice in evaluation.dices.items()}
    for s, (_, true, submitted) in evaluation.voxels.items():
        columns |= {
            f"volume_{s}_truth_ml": _known(true * truth.voxel_ml),
            f"volume_{s}_prediction_ml": _known(submitted * truth.voxel_ml),
        }
    for kind, codes in submission.stage_codes.items():
        columns[f"{kind}_truth"] = [stage_name(code, kind) for code in truth.stages[kind]]
        columns[f"{kind}_prediction"] = [stage_name(code, kind) for code in codes]
    columns |= {
        "risk": _known(evaluation.risks),
        "time": _known(truth.time),
        "event": _known(truth.event, int),
    }
    columns |= _pairs_of_cases(evaluation)
    if evaluation.options.lesions and submission.masks.nodes is not None:
        nodes = np.where(truth.has_mask[:, None], submission.masks.nodes, np.nan)
        columns |= {
            f"n_gtvn_{whose}": _known(nodes[:, k], int) for k, whose in enumerate(("truth", "prediction"))
        }
    return tuple(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _pairs_of_cases(evaluation: HecktorEvaluation) -> dict[str, list[Any]]:
    """Return how many comparable, discordant and score-less pairs each patient is in; None for those without
    time and event."""
    truth, kinds = evaluation.truth, ("comparable", "discordant", "missing")
    known = truth.has_survival
    pair_counts = survival.pairs_of_patients(
        truth.time[known], truth.event[known] == 1, evaluation.risks[known]
    )
    columns = np.full((len(kinds), len(truth)), np.nan)
    columns[:, known] = [getattr(pair_counts, kind) for kind in kinds]
    return {f"{kind}_pairs": _known(column, int) for kind, column in zip(kinds, columns, strict=True)}


def _known(values: Numbers, kind: type = float) -> list[Any]:
    """Return numbers as JSON holds them, None for NaN."""
    return [None if value != value else kind(value) for value in values.tolist()]
