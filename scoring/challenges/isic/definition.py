"""The definition of ISIC lesion classification."""

from functools import partial
from operator import attrgetter

import numpy as np

from scoring.challenges.isic.card import score
from scoring.challenges.isic.categories import ID
from scoring.challenges.isic.measures import categories_of_sums, score_of_sums
from scoring.challenges.isic.options import METRIC, OPTIONS, PAGE_RULES, formula
from scoring.challenges.isic.predictions import form, read_predictions
from scoring.challenges.isic.truth import read_images, read_truth
from scoring.common.citation import Citation
from scoring.core.challenge import Challenge, Display, ModelSupport, Readers, SingleImage, Words
from scoring.core.challenge_parts import InputKind, Inputs, Lazy, Sample, Scoring
from scoring.core.comparison_spec import ComparisonSpec, correct_labels, of_labels
from scoring.core.scorecard import ScoreCard
from scoring.core.submission import example_table, faults_by_option
from scoring.metrics.thresholds import HALF, decided
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, PairedSample, ScoreSample
from scoring.statistics.permutation_test import Categories, Score


def sample(card: ScoreCard, metric: str) -> PairedSample | None:
    """Return the data of a paired test: DeLong's test for the AUC of a category, McNemar's test for shares of
    cases. None for all other metrics, and if cases have different weights."""
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


RULE = """
| measure | definition |
|---|---|
| balanced accuracy | plain mean of the categories' recalls; recall: share of a category's cases in which this category has the **largest** score |
| tie for the largest score | the case is undecided and counts as wrong |
| sensitivity, specificity, F1 ... | each category against the rest; a case is positive if the category's score is **strictly above 0.5** (recall uses the largest score instead) |
| AUC, average precision | each category against the rest, from the category's scores alone |

Averages over categories do not include a category without a case. The score is balanced accuracy, or another official metric that you choose: macro AUC,
macro average precision, or macro F1 (MILK10k).
"""


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="ISIC Challenge, lesion categories",
        about=(
            "One score per diagnosis category and image; categories come from the truth file (2018, 2019, "
            "MILK10k or your own)."
        ),
        formula=formula,
        rule=RULE,
        citations=(Citation("isic_challenge", "ISIC Challenge: lesion classification", ("ISIC",)),),
        official_source="as the official scorer computes it",
    ),
    options=OPTIONS,
    inputs=Inputs(
        truth=InputKind("Table with labels, alone or with the images (files or zip)", ("jpg", "jpeg", "png")),
        submission=InputKind("ONNX model, or table of predictions (CSV)", ("onnx",)),
        example=lambda truth: example_table(truth.ids, truth.categories, truth.id_name),
    ),
    readers=Readers(
        truth=read_truth,
        predictions=read_predictions,
        faults=faults_by_option,
        recognise=Lazy("scoring.challenges.isic.tables:recognise"),
        form=form,
    ),
    scoring=Scoring(score=score, bounded_by_labels=True),
    comparison=COMPARISON,
    samples=(
        Sample("isic2019", "isic2019", "Sample as of 2019: 306 generated images, 8 diagnoses"),
        Sample("isic2018", "isic2018", "Sample as of 2018: 250 generated images, 7 diagnoses"),
    ),
    model=ModelSupport(
        read_images,
        Lazy("scoring.challenges.isic.model:inspect"),
        Lazy("scoring.challenges.isic.model:predict"),
        Lazy("scoring.challenges.isic.model:table"),
        Lazy("scoring.inference.classifiers:received"),
    ),
    display=Display(
        views=Lazy("scoring.challenges.isic.views:views"),
        thumbnails=Lazy("scoring.inference.thumbnails:thumbnails"),
        single_image=SingleImage(
            "photograph", Lazy("scoring.challenges.isic.model:image_task"), attrgetter("categories")
        ),
    ),
)
