"""Comparisons of TRICORDER-3: metrics, tests, other weights, sizes of models."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.tricorder3.formula import (
    CLASSES,
    FREE_MIB,
    FULL_MIB,
    GROUPS,
    MISSING,
    MODEL_SIZE,
    RISK_WEIGHTS,
)
from scoring.challenges.tricorder3.measures import categories_of_sums, score_of_sums
from scoring.core.comparison_spec import (
    ComparisonSpec,
    FormulaParameter,
    SizeRule,
    Value,
    WeightMap,
    WhatIf,
    correct_labels,
    mean_of_parts,
    of_labels,
)
from scoring.core.scorecard import ScoreCard
from scoring.statistics.mcnemar_delong_wilcoxon import Sample

OF_RISKS = ("f1_malignant", "f1_medium", "f1_benign")
RISK_SHARES = {risk: weight / sum(RISK_WEIGHTS.values()) for risk, weight in RISK_WEIGHTS.items()}
PARAMETERS = (
    *(FormulaParameter(risk, f"{risk} classes", weight, 0, 10) for risk, weight in RISK_WEIGHTS.items()),
    FormulaParameter("accuracy", "points for accuracy", 45, 0, 100),
    FormulaParameter("weighted_f1", "points for weighted F1", 45, 0, 100),
    FormulaParameter("efficiency_score", "points for efficiency", 10, 0, 100),
)


def rescore(value: Value, parameters: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the score with other weights of the risk groups and of its parts; NaN if they sum to 0."""
    of_groups = sum(parameters[risk] for risk in RISK_WEIGHTS)
    if of_groups <= 0:
        return np.full_like(value("accuracy"), np.nan)
    of_risks = (parameters[risk] * value(f"f1_{risk}") for risk in RISK_WEIGHTS)
    weighted = sum(of_risks, np.zeros_like(value("accuracy")))

    def part(name: str) -> NDArray[np.float64]:
        return weighted / of_groups if name == "weighted_f1" else value(name)

    return mean_of_parts(("accuracy", "weighted_f1", "efficiency_score"), part, parameters)


def sample(card: ScoreCard, metric: str) -> Sample | None:
    """Return the data of a test: McNemar's for shares of cases, DeLong's for the AUC of a class."""
    return of_labels(card, metric, GROUPS["malignant"], CLASSES)


COMPARISON = ComparisonSpec(
    offered=MISSING.name,
    metrics=("accuracy", "weighted_f1", *OF_RISKS, "macro_auc", "balanced_accuracy"),
    class_measures=("f1",),
    correct=correct_labels,
    sample=sample,
    score_of_sums=lambda _card: score_of_sums,
    categories=lambda _card: categories_of_sums(),
    slice_measures={
        "accuracy": ("accuracy", "n"),
        "malignant_sensitivity": ("malignant_sensitivity", "n_malignant"),
    },
    what_if=WhatIf(PARAMETERS, rescore),
    weight_map=WeightMap(
        OF_RISKS,
        (RISK_SHARES["malignant"], RISK_SHARES["medium"], RISK_SHARES["benign"]),
        share=0.45,
        by_rank=False,
        others="accuracy and efficiency",
    ),
    size=SizeRule(MODEL_SIZE.name, "efficiency", (FREE_MIB, FULL_MIB)),
)
