"""Turns scores of Melanoma into decisions and ranks, and computes every measure that has an interval."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from scoring.challenges.melanoma.formula import BETA, THRESHOLD, WEIGHTS, combined
from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.tables import AGE, GENDER, LOCATION
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, warning
from scoring.common.fixes import editing
from scoring.core.submission import Predictions
from scoring.inputs import number_parsing
from scoring.metrics import (
    auc_and_average_precision,
    binary,
    calibration,
    classification,
    output_kinds,
    subgroups,
)
from scoring.metrics.binary import Decisions
from scoring.metrics.subgroups import SubgroupShare
from scoring.statistics import permutation_test
from scoring.statistics.interval_basis import Basis, QuantityName, beyond, counted, of_areas
from scoring.statistics.permutation_test import Categories

REACHED = 0.9
AT_CHOSEN = AT_SPECIFICITY, AT_SENSITIVITY = "sensitivity_at_90_specificity", "specificity_at_90_sensitivity"
"""Names of two measures: sensitivity at a specificity of 0.9, and specificity at a sensitivity of 0.9."""
RANKED = {
    "auc": auc_and_average_precision.auc,
    "average_precision": auc_and_average_precision.average_precision,
}
WITH_THRESHOLDS = RANKED | {
    AT_SPECIFICITY: lambda curves: binary.sensitivity_at_specificity(curves.counts, REACHED),
    AT_SENSITIVITY: lambda curves: binary.specificity_at_sensitivity(curves.counts, REACHED),
}


def predicted_positive(outputs: Floats) -> Ints:
    """Return the decisions [N] from scores [N, 1]: 1 for melanoma, 0 for other lesions, -1 without a
    score."""
    return np.where(np.isnan(outputs[:, 0]), -1, (outputs[:, 0] > THRESHOLD).astype(int))


LARGEST_LOGIT = 50
"""Scores of a model that look like percent can be logits unless one is larger than this."""


def are_risks(scores: Floats) -> bool:
    """Return whether all scores are in 0..1, within rounding error."""
    return bool(scores.min() >= -output_kinds.TOLERANCE and scores.max() <= 1 + output_kinds.TOLERANCE)


def score_warnings(scores: Floats, where: str, of_table: bool = False) -> Iterator[Finding]:
    """Yield warnings about the finite scores of a model or table. Only a table can be divided by an edit.
    `where` is the name of the model or table."""
    scale = number_parsing.scale_of(scores[:, np.newaxis])
    unclear = not of_table and scale == number_parsing.PERCENT and bool(scores.max() <= LARGEST_LOGIT)
    if scale in number_parsing.WORDS and not unclear:
        message = (
            f"the scores range from {scores.min():.4g} to {scores.max():.4g}. The decision is "
            f'"raw value > 0.5". The scores are {number_parsing.WORDS[scale]}. The official '
            "program does not transform them."
        )
        yield warning(scale, where, message).with_fixes(*number_parsing.OF_RISKS[scale] * of_table)
    elif len(scores) and not are_risks(scores):
        message = (
            f'the scores range from {scores.min():.4g} to {scores.max():.4g}. The decision is "raw value > '
            '0.5", which for a logit means a probability above 0.62. Put a sigmoid into the model'
            f"{', or divide by 100 if these are percent' * unclear}; the official program takes the "
            "numbers as they are."
        )
        fixes = number_parsing.OF_RISKS[number_parsing.LOGITS]
        yield warning("logits", where, message).with_fixes(*fixes)
    if len(scores) > 1 and scores.min() == scores.max():
        message = f"every score is {scores[0]:g}: the scores separate no cases, so the AUC is 0.5."
        pixels = editing("pixels", "255", "Try pixels from 0 to 255, in case the model expects these")
        yield warning("constant-output", where, message).with_fixes(*(pixels,) * (not of_table))


def rank_scores(truth: SafeScanCases, predictions: Predictions) -> Floats:
    """Return the scores [N] for ranking. A case without a score counts as wrong: a positive ranks below, a
    negative above all scores."""
    return np.where(
        predictions.labels < 0, np.where(truth.true_labels == 1, -np.inf, np.inf), predictions.outputs[:, 0]
    )


def decided(truth: SafeScanCases, predictions: Predictions) -> Bools:
    """Return which cases count as predicted positive [N]. A case without a score counts as the opposite of
    its label."""
    calls: Bools = np.where(predictions.labels < 0, truth.true_labels == 0, predictions.labels == 1)
    return calls


def tied_pairs(scores: Floats, positive: Bools) -> int:
    """Count the pairs of a positive and a negative case with equal scores."""
    values, rank = np.unique(scores, return_inverse=True)
    return int(
        np.dot(
            np.bincount(rank[positive], minlength=len(values)),
            np.bincount(rank[~positive], minlength=len(values)),
        )
    )


def quantities(truth: SafeScanCases, predictions: Predictions, weights: Floats) -> dict[QuantityName, Floats]:
    """Return every measure that has an interval, as arrays [B] by name. Classes have names such as ("f1",
    class), subgroups ("slice", column, group, name)."""
    positive, decisions = truth.true_labels == 1, decided(truth, predictions)
    d, ranks = binary.decisions(positive, decisions, weights), rank_scores(truth, predictions)
    inverse = Decisions(d.true_negative, d.false_negative, d.false_positive, d.true_positive)
    areas = auc_and_average_precision.in_chunks(
        auc_and_average_precision.levels(ranks, positive), weights, WITH_THRESHOLDS
    )
    auc, sensitivity, specificity = areas["auc"], binary.recall(d), binary.specificity(d)
    estimates: dict[QuantityName, Floats] = {
        "f2": binary.f_beta(d, BETA),
        "accuracy": binary.accuracy(d),
        "auc": auc,
        "precision": binary.precision(d),
        "recall": sensitivity,
        "specificity": specificity,
        "balanced_accuracy": (sensitivity + specificity) / 2,
        "f1": binary.f_beta(d, 1),
        "average_precision": np.where(np.isnan(auc), np.nan, areas["average_precision"]),
        AT_SPECIFICITY: areas[AT_SPECIFICITY],
        AT_SENSITIVITY: areas[AT_SENSITIVITY],
    }
    estimates |= _risk_quantities(truth, predictions, weights) | {"score": combined(d, auc)}
    estimates |= {("f1", "negative"): binary.f_beta(inverse, 1), ("f1", "positive"): estimates["f1"]}
    estimates |= subgroups.quantities(groups(truth), slice_shares(positive, decisions), weights).items()
    return estimates


def basis(truth: SafeScanCases, predictions: Predictions, units: Ints) -> Basis:
    """Return how many units each quantity of `quantities` depends on. `units` is the unit number of each case
    [N]."""
    positive, decisions = truth.true_labels == 1, decided(truth, predictions)
    shares = slice_shares(positive, decisions)
    more = counted(subgroups.members(groups(truth), shares), units)
    more |= counted({("f1", "negative"): ~positive, ("f1", "positive"): positive}, units)
    of_decisions = basis_of_decisions(positive, decisions, units)
    return replace(of_decisions, units={**of_decisions.units, **more})


def basis_of_decisions(positive: Bools, decisions: Bools, units: Ints) -> Basis:
    """Return how many units each measure depends on: the measures of decisions [N], and the measures of the
    order of scores, such as the AUC."""
    cases: dict[QuantityName, Bools] = {
        **dict.fromkeys(("f2", "f1", "recall"), positive),
        "specificity": ~positive,
        "precision": decisions,
    }
    areas = ("auc", "average_precision")
    both = np.column_stack([positive] * len(areas))
    rests_on = counted(cases, units) | of_areas(areas, both, ~both, units)
    sides = rests_on["recall"], rests_on["specificity"]
    chosen = {
        at: beyond(sides[at == AT_SPECIFICITY], REACHED, sides[at == AT_SENSITIVITY]) for at in AT_CHOSEN
    }
    halves = {"recall": 0.5, "specificity": 0.5}
    parts = {"balanced_accuracy": halves, "score": {"f2": WEIGHTS["f2"][2] / 100}}
    wholes = {name: WEIGHTS[name][2] / 100 for name in ("accuracy", "auc")}
    return Basis(rests_on | chosen, parts, {}, {"score": wholes}, {"auc": 0.5}, frozenset(AT_CHOSEN))


def unit_sums(positive: Bools, decisions: Bools, units: Ints, auc: float, auc_left_out: Floats) -> Floats:
    """Return five values for each unit [n, 5]; the score is computed from their sums over the units. They are
    the four counts of decisions, and the unit's share of the AUC.

    Args:
        units: Unit number of each case [N].
        auc_left_out: The AUC with each unit left out in turn [n].
    """
    cells = np.column_stack(
        [positive & decisions, ~positive & decisions, positive & ~decisions, ~positive & ~decisions]
    ).astype(float)
    shares = permutation_test.pseudo_values(auc, auc_left_out) / len(auc_left_out)
    return np.column_stack([permutation_test.unit_sums(cells, units), shares])


def categories_of_sums() -> Categories:
    """Return for melanomas and for other lesions the positions of their sums among those of `unit_sums`:
    right and wrong decisions."""
    right, wrong = np.array([0, 3]), np.array([2, 1])
    return Categories(right, cases=(right, wrong), gains=(right,), losses=(wrong,), unseen=3.0)


def score_of_sums(sums: Floats) -> Floats:
    """Compute the score from sums [..., 5] of `unit_sums`."""
    *cells, auc = np.moveaxis(sums, -1, 0)
    return combined(Decisions(*cells), auc)


def _risk_quantities(
    truth: SafeScanCases, predictions: Predictions, weights: Floats
) -> dict[QuantityName, Floats]:
    has, undefined = predictions.has_outputs, np.full(len(weights), np.nan)
    scores = predictions.outputs[has, 0]
    positive = truth.true_labels[has] == 1
    w = weights if has.all() else weights[:, has]
    if not has.any() or not are_risks(scores):
        return {"brier_score": undefined, "log_loss": undefined}
    logarithmic = calibration.log_losses(scores, positive.astype(int), 1 - calibration.LEAST_OUTPUT)
    losses = w @ np.column_stack([(scores - positive) ** 2, logarithmic])
    brier_score, log_loss = classification.divide(losses, w.sum(1, dtype=float)[:, None]).T
    return {"brier_score": brier_score, "log_loss": log_loss}


def groups(truth: SafeScanCases) -> subgroups.Groups:
    """Return the subgroups by age, gender and location, for columns that the truth has."""
    present = {"age": AGE, "gender": GENDER, "location": LOCATION}
    return {
        column: members
        for column, members in demographics.subgroups(truth.demographics).items()
        if any(name in truth.columns for name in present[column])
    }


def slice_shares(positive: Bools, decisions: Bools) -> dict[str, SubgroupShare]:
    """Return the two shares that are computed for every subgroup: accuracy, and recall of the positive
    cases."""
    return {
        "accuracy": SubgroupShare(positive == decisions, np.ones(len(positive), bool)),
        "recall": SubgroupShare(positive & decisions, positive, "n_positive"),
    }
