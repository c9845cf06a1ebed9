"""Whether a score of ISIC is what the official scorer gives for the same files."""

from collections.abc import Iterator
from dataclasses import replace
from operator import le

import numpy as np

from scoring.challenges.isic import measures
from scoring.challenges.isic.categories import preset
from scoring.challenges.isic.measures import CategoryScores
from scoring.challenges.isic.official_float_parsing import ROUNDING
from scoring.challenges.isic.official_rejections import first_refusal
from scoring.challenges.isic.options import METRIC, IsicOptions
from scoring.challenges.isic.truth import IsicCases
from scoring.common.arrays import Ints
from scoring.core.scorecard import Official
from scoring.core.submission import Predictions
from scoring.metrics.thresholds import HALF, decided

GOALS = {"2018": "balanced_accuracy", "2019": "balanced_accuracy", "milk10k": "dice"}
"""Preset -> the metric that its site ranks by."""
ROUNDED = (
    "Ties hang on the last of 16 and more digits here, and the official scorer's reader takes that digit "
    "otherwise."
)
YEARS = {"2018": "ISIC 2018", "2019": "ISIC 2019", "milk10k": "MILK10k"}


def official(
    truth: IsicCases, predictions: Predictions, a: CategoryScores, score: float | None, options: IsicOptions
) -> Official:
    """Return what the official scorer gives, by the metric that the site of the year ranks by.

    Args:
        truth: The test set.
        predictions: What was scored.
        a: Truth and scores side by side.
        score: The score here; None or NaN where it is undefined.
        options: What it was scored by.
    """
    goal = GOALS.get(preset(truth.categories) or "", options.ranked_by)
    stops, order = list(_stops(truth, predictions, a)), out_of_order(truth)
    rounded = any(finding.code == ROUNDING for finding in predictions.findings)
    reasons = [*stops, *([ROUNDED] * rounded), *_otherwise(truth, options, goal, order is not None)]
    if stops or rounded or not reasons:
        return Official.compare(score, None, *reasons)
    as_there = a if not options.inclusive else strictly_above(a)
    weights = truth.weights.score
    if order is not None:
        return Official.compare(score, measures.by_position(as_there, weights, order, goal), *reasons)
    return Official.compare(score, measures.ranked_value(as_there, weights, goal), *reasons)


def out_of_order(truth: IsicCases) -> Ints | None:
    """Return the places [N] of the cases sorted by id, where the official scorer applies the weights to
    other rows; None where it does not."""
    varying = any(np.ptp(w) > 0 for w in (truth.weights.score, truth.weights.validation))
    if not varying or all(map(le, truth.ids, truth.ids[1:])):
        return None
    return np.array(sorted(range(len(truth)), key=truth.ids.__getitem__))


def strictly_above(a: CategoryScores) -> CategoryScores:
    """Return the answers with a score of 0.5 itself as negative, as the official scorer takes it."""
    return replace(a, called=decided(a.outputs, HALF, False))


def _stops(truth: IsicCases, predictions: Predictions, a: CategoryScores) -> Iterator[str]:
    refusal = first_refusal([*truth.findings, *predictions.findings])
    if refusal:
        yield f"The official scorer refuses the files: {refusal}"
    scored = truth.weights.score > 0
    absent = [name for k, name in enumerate(a.categories) if not (a.positives[:, k] & scored).any()]
    if absent:
        yield f"The official scorer stops with an error: there is no case of {', '.join(absent)}."


def _otherwise(truth: IsicCases, options: IsicOptions, goal: str, moved: bool) -> Iterator[str]:
    if goal != options.ranked_by:
        year, (there, here) = YEARS[preset(truth.categories) or ""], map(_name, (goal, options.ranked_by))
        yield f"{year} is ranked by {there}, and this is {here}."
    if options.inclusive:
        yield "0.5 itself counts as positive here; the official scorer takes scores above 0.5."
    if moved:
        yield (
            "The official scorer sorts the rows by id and applies the weights in file order, to other rows."
        )


def _name(metric: str) -> str:
    return METRIC.value_labels.get(metric) or METRIC.value_labels[None]
