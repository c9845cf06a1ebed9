"""The definition of TRICORDER-3."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.safe_scan import definition as shared
from scoring.challenges.tricorder3.formula import (
    CLASSES,
    FREE_MIB,
    FULL_MIB,
    GROUPS,
    ID,
    MISSING,
    MODEL_SIZE,
    OPTIONS,
    RISK,
    RISK_WEIGHTS,
    WEIGHTS,
)
from scoring.challenges.tricorder3.measures import categories_of_sums, score_of_sums
from scoring.core.challenge import Challenge, Words
from scoring.core.challenge_parts import Lazy, Sample
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
from scoring.statistics.mcnemar_delong_wilcoxon import PairedSample

OF_RISKS = ("f1_malignant", "f1_medium", "f1_benign")
RISK_SHARES = {risk: weight / sum(RISK_WEIGHTS.values()) for risk, weight in RISK_WEIGHTS.items()}
PARAMETERS = (
    *(FormulaParameter(risk, f"{risk} classes", weight, 0, 10) for risk, weight in RISK_WEIGHTS.items()),
    FormulaParameter("accuracy", "points for accuracy", 45, 0, 100),
    FormulaParameter("weighted_f1", "points for weighted F1", 45, 0, 100),
    FormulaParameter("efficiency_score", "points for efficiency", 10, 0, 100),
)


def rescore(value: Value, parameters: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the score with other weights of the risk groups and of the parts of the score. The score is NaN
    if the weights sum to 0."""
    of_groups = sum(parameters[risk] for risk in RISK_WEIGHTS)
    if of_groups <= 0:
        return np.full_like(value("accuracy"), np.nan)
    of_risks = (parameters[risk] * value(f"f1_{risk}") for risk in RISK_WEIGHTS)
    weighted = sum(of_risks, np.zeros_like(value("accuracy")))

    def part(name: str) -> NDArray[np.float64]:
        return weighted / of_groups if name == "weighted_f1" else value(name)

    return mean_of_parts(("accuracy", "weighted_f1", "efficiency_score"), part, parameters)


def sample(card: ScoreCard, metric: str) -> PairedSample | None:
    """Return the data of a paired test: McNemar's test for shares of cases, DeLong's test for the AUC of a
    class. None for all other metrics, and for an AUC if outputs are missing."""
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


RULE = """
| part | weight | definition |
|---|--:|---|
| accuracy | 45 | correct cases / all cases, rounded to 6 decimals |
| weighted F1 | 45 | (3 × malignant + 2 × medium + 1 × benign) / 6, rounded to 6 decimals; each of the three is the plain mean of the F1 of the group's classes |
| efficiency | 10 | 1 up to 50 MiB (the challenge's MB), falling to 0 at 150 MiB, rounded to 6 decimals |

A class without a case in the test set counts 0 in its group's mean, so the best possible score can be below 100 points.
"""

CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="TRICORDER-3, 11 skin-lesion classes",
        about=(
            "A photograph with age, gender and body site. Malignant classes have the largest weights. Small "
            "models get more points."
        ),
        formula="45 × accuracy + 45 × risk-weighted F1 + 10 × efficiency",
        rule=RULE,
        citations=shared.citations("tricorder3", "TRICORDER-3: skin lesion classification based on images"),
        official_source="as the validator computes it",
    ),
    options=OPTIONS,
    inputs=shared.inputs(CLASSES),
    readers=shared.readers(ID),
    scoring=shared.scoring(ID, WEIGHTS),
    comparison=COMPARISON,
    samples=(Sample("sample", "tricorder3", "Sample: 220 drawn lesions, 11 classes"),),
    model=shared.model_support(ID, CLASSES, Lazy("scoring.challenges.tricorder3.model:sweep")),
    display=shared.display(ID, class_risks=RISK),
)
