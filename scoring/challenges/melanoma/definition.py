"""The definition of Melanoma."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.melanoma.formula import BETA, ID, MISSING, OPTIONS, WEIGHTS
from scoring.challenges.melanoma.measures import categories_of_sums, score_of_sums
from scoring.challenges.safe_scan import definition as shared
from scoring.core.challenge import Challenge, Words
from scoring.core.challenge_parts import Sample
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
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, PairedSample, ScoreSample

PARAMETERS = (
    FormulaParameter("beta", "beta of F", BETA, 0.25, 4),
    *(
        FormulaParameter(name, f"points for {label}", points, 0, 100)
        for name, (label, _, points) in WEIGHTS.items()
    ),
)


def rescore(value: Value, parameters: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the score with another beta of the F score and other weights of the parts; NaN if the weights
    sum to 0. A part with weight 0 may be undefined."""
    # Nothing called positive, or nothing to be found, gives F 0.
    precision, recall = (np.nan_to_num(value(name)) for name in ("precision", "recall"))
    square = parameters["beta"] ** 2
    f_beta = np.asarray(divide((1 + square) * precision * recall, square * precision + recall, 0), np.float64)
    values = {"f2": f_beta, "accuracy": value("accuracy"), "auc": value("auc")}
    return mean_of_parts(tuple(WEIGHTS), values.__getitem__, parameters)


def sample(card: ScoreCard, metric: str) -> PairedSample | None:
    """Return the data of a paired test: DeLong's test for the AUC, McNemar's test for accuracy, recall and
    specificity. None for all other metrics."""
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


RULE = """
| part | weight | definition |
|---|--:|---|
| F2 | 60 | 5 TP / (5 TP + 4 FN + FP) at the threshold: a missed melanoma costs four times a false alarm |
| accuracy | 30 | correct cases / all cases at the threshold |
| AUC | 10 | share of pairs of a melanoma and another case in which the melanoma has the higher score (ties count half) |

A case is predicted as melanoma if its score is **strictly greater than 0.5**. Nothing is rounded.
"""

CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="Melanoma, risk from a photograph",
        about="One number from 0 to 1 for a phone photograph. A missed melanoma costs more than a false "
        "alarm.",
        formula="60 × F2 + 30 × accuracy + 10 × AUC",
        rule=RULE,
        citations=shared.citations("safescan_melanoma", "Melanoma competition"),
        official_source="as the challenge's own code computes it",
    ),
    options=OPTIONS,
    inputs=shared.inputs(("score",)),
    readers=shared.readers(ID),
    scoring=shared.scoring(ID, WEIGHTS),
    comparison=COMPARISON,
    samples=(Sample("sample", "melanoma", "Sample: 150 drawn lesions, 45 melanomas"),),
    model=shared.model_support(ID, ("score",)),
    display=shared.display(ID, condition=("melanoma", "melanomas")),
)
