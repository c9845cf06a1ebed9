"""Comparisons of ISIC: metrics, tests, sums of the score."""

from functools import partial

import numpy as np

from scoring.challenges.isic.measures import categories_of_sums, score_of_sums
from scoring.challenges.isic.options import METRIC, PAGE_RULES
from scoring.core.comparison_spec import ComparisonSpec, correct_labels, of_labels
from scoring.core.scorecard import ScoreCard
from scoring.metrics.thresholds import HALF, decided
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, Sample, ScoreSample
from scoring.statistics.permutation_test import Categories, Score


def sample(card: ScoreCard, metric: str) -> Sample | None:
    """Return data for McNemar's test (accuracy, and recall, sensitivity, specificity and accuracy of a
    category) or DeLong's test (AUC of a category)."""
    measure, _, name = metric.partition("/")
    categories = tuple(card.per_class)
    if name not in categories or measure == "recall":
        return of_labels(card, metric, classes=categories)
    if np.ptp(card.arrays["score_weights"]) > 0:
        return None
    k = categories.index(name)
    outputs, positive = card.arrays["outputs"][:, k], card.arrays["positives"][:, k]
    if measure == "auc":
        return ScoreSample(outputs, positive)
    predicted = decided(outputs, HALF, card.provenance["options"]["rules"] == PAGE_RULES)
    right = {
        "sensitivity": predicted[positive],
        "specificity": ~predicted[~positive],
        "accuracy": predicted == positive,
    }
    return BinarySample(right[measure]) if measure in right else None


def _score_of_sums(card: ScoreCard) -> Score | None:
    """Return the score of the sums that a card keeps; None for average precision, which is none of sums."""
    metric = card.provenance["options"]["metric"]
    return None if metric == "ap" else partial(score_of_sums, metric)


def _categories(card: ScoreCard) -> Categories:
    return categories_of_sums(card.provenance["options"]["metric"], len(card.per_class))


COMPARISON = ComparisonSpec(
    offered=METRIC.name,
    tie_break="mean_auc",
    metrics=(
        "balanced_accuracy",
        "macro_auc",
        "accuracy",
        "macro_average_precision",
        "macro_f1",
        "malignant_auc",
    ),
    class_measures=("recall",),
    correct=correct_labels,
    sample=sample,
    score_of_sums=_score_of_sums,
    categories=_categories,
    slice_measures={"accuracy": ("accuracy", "n")},
)
