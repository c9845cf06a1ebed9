"""Comparisons of Melanoma: metrics, tests, another beta and other weights."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.melanoma.formula import BETA, MISSING, WEIGHTS
from scoring.challenges.melanoma.measures import categories_of_sums, score_of_sums
from scoring.core.comparison_spec import (
    ComparisonSpec,
    FormulaParameter,
    Value,
    WhatIf,
    correct_labels,
    mean_of_parts,
    of_labels,
)
from scoring.core.scorecard import ScoreCard
from scoring.metrics.classification import divide
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, Sample, ScoreSample

PARAMETERS = (
    FormulaParameter("beta", "beta of F", BETA, 0.25, 4),
    *(
        FormulaParameter(name, f"points for {label}", points, 0, 100)
        for name, (label, _, points) in WEIGHTS.items()
    ),
)


def rescore(value: Value, parameters: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the score with another beta and other weights; NaN if the weights sum to 0. A part with weight 0
    may be undefined."""
    # Nothing called positive, or nothing to be found, gives F 0.
    precision, recall = (np.nan_to_num(value(name)) for name in ("precision", "recall"))
    square = parameters["beta"] ** 2
    f_beta = np.asarray(divide((1 + square) * precision * recall, square * precision + recall, 0), np.float64)
    values = {"f2": f_beta, "accuracy": value("accuracy"), "auc": value("auc")}
    return mean_of_parts(tuple(WEIGHTS), values.__getitem__, parameters)


def sample(card: ScoreCard, metric: str) -> Sample | None:
    """Return data for McNemar's test (accuracy, recall and specificity) or DeLong's test (AUC)."""
    truth, predicted = card.arrays["truth"], card.arrays["predicted"]
    if metric == "recall":
        return BinarySample(predicted[truth == 1] == 1)
    if metric == "specificity":
        return BinarySample(predicted[truth == 0] == 0)
    if metric == "auc":
        return ScoreSample(card.arrays["rank_scores"], truth == 1)
    return of_labels(card, metric)


COMPARISON = ComparisonSpec(
    offered=MISSING.name,
    metrics=(*WEIGHTS, "recall", "specificity", "balanced_accuracy", "average_precision"),
    class_measures=("f1",),
    correct=correct_labels,
    sample=sample,
    score_of_sums=lambda _card: score_of_sums,
    categories=lambda _card: categories_of_sums(),
    slice_measures={"accuracy": ("accuracy", "n"), "recall": ("recall", "n_positive")},
    what_if=WhatIf(PARAMETERS, rescore),
)
