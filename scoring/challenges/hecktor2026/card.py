"""The scorecard of HECKTOR 2026."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.findings import missing_words, official, score_findings
from scoring.challenges.hecktor2026.formula import ID, STAGES, STRUCTURES
from scoring.challenges.hecktor2026.measures import (
    OF_CENTERS,
    WITH_INTERVAL,
    centers,
    combined,
    curves,
    dice,
    pairs,
    quantities,
    risks,
    stage_counts,
    submitted_stages,
    survival_groups,
    true_stages,
    unit_sums,
    voxels,
)
from scoring.challenges.hecktor2026.options import HecktorOptions
from scoring.challenges.hecktor2026.submission import HecktorSubmission, with_nodes
from scoring.challenges.hecktor2026.tables import NO_STAGE, stage_name
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats, Ints, Numbers
from scoring.common.findings import InputRefused
from scoring.core.challenge import ScoreSettings
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import provenance
from scoring.inputs.case_tables import find_units, joined_columns
from scoring.metrics import classification, overlap, survival
from scoring.statistics import permutation_test
from scoring.statistics.replicates import Quantities, Replicates, replicate


def score(truth: HecktorTruth, predictions: HecktorSubmission, settings: ScoreSettings) -> ScoreCard:
    """Score a submission on a truth; the unit is the patient. Raises InputRefused."""
    if settings.problems:
        raise InputRefused(settings.problems, [*truth.findings, *predictions.findings])
    options, statistics, metadata = HecktorOptions(**settings.options), settings.statistics, settings.metadata
    if options.lesions:
        predictions = with_nodes(truth, predictions)
    columns = joined_columns(truth, metadata)
    unit, units = find_units(columns, len(truth), (), truth.id_column, statistics.group)
    unit = "patient" if unit == "case" else unit
    evaluate = partial(quantities, truth, predictions, options)
    point = evaluate(np.ones((1, len(truth)), np.float32))
    replicates = replicate(evaluate, point, units, statistics)
    source = provenance(truth.digest, predictions, options.as_dict(), statistics, metadata, unit, units)
    return _card(truth, predictions, options, point, replicates, source, units)


def _card(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    point: Quantities,
    replicates: Replicates,
    source: Mapping[str, Any],
    units: Ints,
) -> ScoreCard:
    values = {name: float(point[name][0]) for name in WITH_INTERVAL}
    once = np.ones((1, len(truth)), np.float32)
    counted = pairs(truth, submission, options, once)
    metrics = _metrics(truth, submission, options, values, counted)
    groups = survival_groups(truth, risks(truth, submission, options))
    arrays = {
        "aligned": submission.fingerprint,
        "units": units,
        **curves(truth, risks(truth, submission, options)),
        **replicates.arrays,
        **permutation_test.kept(
            bool(replicates.values), units, lambda: _unit_sums(truth, submission, options, replicates, units)
        ),
    }
    for array in arrays.values():
        array.flags.writeable = False
    return ScoreCard(
        ID,
        plain(metrics["weighted_score"]),
        plain(metrics),
        plain(_per_class(truth, submission, options, values)),
        len(truth),
        _cases(truth, submission, options),
        tuple(score_findings(truth, submission, options, metrics, replicates)),
        source,
        intervals={name: replicates.intervals[name] for name in WITH_INTERVAL} if replicates.values else {},
        more=plain(
            {
                "confusion_matrices": {
                    kind.upper(): _confusion(truth, submission, options, kind) for kind in STAGES
                },
                **({"per_center": _per_center(truth, submission, options)} if any(truth.center) else {}),
                "survival": groups,
            }
        ),
        arrays=arrays,
        official=official(truth, submission, options, metrics["weighted_score"]),
        incomplete=missing_words(truth, options, metrics),
    )


def _unit_sums(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    replicates: Replicates,
    units: Ints,
) -> Floats:
    staged = [(true_stages(truth, options, kind), submitted_stages(submission, kind)) for kind in STAGES]
    counted = pairs(truth, submission, options, np.ones((1, len(truth)), np.float32))
    return unit_sums(
        [dice(truth, submission, options, structure) for structure in STRUCTURES],
        staged,
        units,
        float(survival.c_index(counted, options.missing_risk)[0]),
        replicates.left_out["c_index"],
    )


def _metrics(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    values: Mapping[str, float],
    counted: survival.ConcordancePairs,
) -> dict[str, Any]:
    """`metrics` in the order of the definition; NaN where undefined."""
    states, tables = np.array(submission.masks.states), submission.masks.tables[truth.has_mask]
    joined = combined(values)
    missing = {
        f"n_missing_{kind}": int(
            ((true_stages(truth, options, kind) >= 0) & (submitted_stages(submission, kind) < 0)).sum()
        )
        for kind in STAGES
    }
    return {
        "weighted_score": joined["weighted_score"],
        "segmentation": values["segmentation"],
        **{f"dice_{s}": values[f"dice_{s}"] for s in STRUCTURES},
        **{f"dice_agg_{s}": _aggregated(tables, s, options) for s in STRUCTURES},
        "dice_from_empty_cases": _credit_of_empty(tables, options),
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
        "n_missing_risk": int((truth.has_survival & np.isnan(risks(truth, submission, options))).sum()),
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


def _credit_of_empty(tables: Ints, options: HecktorOptions) -> float:
    """Return the part of `segmentation` that pairs earn in which truth and prediction are empty; NaN without
    a truth mask."""
    if not len(tables):
        return np.nan
    if options.empty_masks != "one":
        return 0.0
    return float(np.mean([_both_empty(tables, structure).mean() for structure in STRUCTURES]))


def _both_empty(tables: Ints, structure: str) -> Bools:
    _, true, submitted = voxels(tables, structure)
    return np.asarray((true == 0) & (submitted == 0))


def _aggregated(tables: Ints, structure: str, options: HecktorOptions) -> float:
    """Dice of all patients taken as one; NaN without a truth mask."""
    if not len(tables):
        return np.nan
    return float(
        overlap.aggregated_dice(*voxels(tables, structure), np.ones((1, len(tables))), options.empty_masks)[0]
    )


def _per_class(
    truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions, values: Mapping[str, float]
) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    once = np.ones((1, len(truth)), np.float32)
    for kind, names in STAGES.items():
        counts = stage_counts(truth, submission, options, kind, once)
        recall = classification.recall(counts)[0]
        for code, name in enumerate(names):
            support = int(counts.support[0, code])
            if name != "T0" or support:
                rows[name] = {
                    "support": support,
                    "predicted": int(counts.predicted[0, code]),
                    "recall": float(recall[code]),
                }
    tables = submission.masks.tables[truth.has_mask]
    for structure, (name, _) in STRUCTURES.items():
        _, true, predicted = voxels(tables, structure)
        of_patients = dice(truth, submission, options, structure)[truth.has_mask]
        rows[name] = {
            "n_patients": len(tables),
            "n_empty_truth": int((true == 0).sum()),
            "n_empty_prediction": int((predicted == 0).sum()),
            "n_both_empty": int(_both_empty(tables, structure).sum()),
            "mean_dice": values[f"dice_{structure}"],
            "mean_dice_nonempty_truth": float(of_patients[true > 0].mean()) if (true > 0).any() else None,
            "dice_agg": _aggregated(tables, structure, options),
        }
    return rows


def _confusion(
    truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions, kind: str
) -> dict[str, Any]:
    """Counts by true (rows) and submitted stage, and per row the patients without a usable prediction. T0 is
    a label where it occurs."""
    true = true_stages(truth, options, kind)
    predicted = np.where(true >= 0, submitted_stages(submission, kind), NO_STAGE)
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


def _per_center(
    truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions
) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    once = np.ones((1, len(truth)), np.float32)
    for center, members in centers(truth).items():
        values = quantities(truth, submission, options, once, members)
        rows[center] = {
            "n_cases": int(members.sum()),
            **{name: float(values[name][0]) for name in OF_CENTERS},
            "comparable_pairs": int(pairs(truth, submission, options, once, members).comparable[0]),
        }
    return rows


def _cases(
    truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions
) -> tuple[dict[str, Any], ...]:
    """Return one row per patient, built column by column."""
    risk = risks(truth, submission, options)
    columns = {
        "case": truth.ids,
        "center": [center or None for center in truth.center],
        "mask": submission.masks.states,
    }
    columns |= {f"dice_{s}": _known(dice(truth, submission, options, s)) for s in STRUCTURES}
    for s in STRUCTURES:
        _, true, submitted = voxels(submission.masks.tables, s)
        columns |= {
            f"volume_{s}_truth_ml": _known(true * truth.voxel_ml),
            f"volume_{s}_prediction_ml": _known(submitted * truth.voxel_ml),
        }
    for kind in STAGES:
        columns[f"{kind}_truth"] = [stage_name(code, kind) for code in truth.stages[kind]]
        columns[f"{kind}_prediction"] = [
            stage_name(code, kind) for code in submitted_stages(submission, kind)
        ]
    columns |= {"risk": _known(risk), "time": _known(truth.time), "event": _known(truth.event, int)}
    columns |= _pairs_of_cases(truth, risk)
    if options.lesions and submission.masks.nodes is not None:
        nodes = np.where(truth.has_mask[:, None], submission.masks.nodes, np.nan)
        columns |= {
            f"n_gtvn_{whose}": _known(nodes[:, k], int) for k, whose in enumerate(("truth", "prediction"))
        }
    return tuple(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _pairs_of_cases(truth: HecktorTruth, risk: Floats) -> dict[str, list[Any]]:
    """Return how many comparable, discordant and score-less pairs each patient is in; None for those without
    time and event."""
    known, kinds = truth.has_survival, ("comparable", "discordant", "missing")
    pair_counts = survival.pairs_of_patients(truth.time[known], truth.event[known] == 1, risk[known])
    columns = np.full((len(kinds), len(truth)), np.nan)
    columns[:, known] = [getattr(pair_counts, kind) for kind in kinds]
    return {f"{kind}_pairs": _known(column, int) for kind, column in zip(kinds, columns, strict=True)}


def _known(values: Numbers, kind: type = float) -> list[Any]:
    """Return numbers as JSON holds them, None for NaN."""
    return [None if value != value else kind(value) for value in values.tolist()]
