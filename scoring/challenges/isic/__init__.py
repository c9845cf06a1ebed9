"""ISIC Challenge lesion classification: balanced accuracy over the categories of the truth file.

Source: the evaluation page of 2019 and, where that is silent, `isic-challenge-scoring` 5.8.0 of July 2025
("the official scorer"). Where that gives a number, ours is that number; where it stops, what is defined is
given and the rest is None.
"""

from collections.abc import Iterable, Mapping, Sequence

from scoring.challenges.isic import card as scorecard
from scoring.challenges.isic import categories, model, official, thresholds, view
from scoring.challenges.isic.comparison import COMPARISON
from scoring.challenges.isic.measures import RANKED_BY
from scoring.challenges.isic.predictions import read_predictions
from scoring.challenges.isic.truth import Cases, read_images, read_truth
from scoring.findings import Finding, InputRefused, error
from scoring.models import pictures
from scoring.models.inspection import declared_size
from scoring.models.preprocessing import Seen
from scoring.readers.sources import Source
from scoring.scorecard import ScoreCard
from scoring.statistics.options import StatisticsOptions
from scoring.submission import Predictions, grade
from scoring.submission import table as predictions_table

__all__ = [
    "ABOUT",
    "ARGUMENTS",
    "AS_POINTS",
    "COMPARISON",
    "FORMULA",
    "ID",
    "PREDICT_ARGUMENTS",
    "RULE",
    "SMALL_CLASS",
    "TIE_BREAK",
    "TITLE",
    "TRUTH_OPTIONS",
    "WEIGHTS",
    "Cases",
    "check_options",
    "graded",
    "inspect",
    "malignant_curve",
    "official_message",
    "predict",
    "prediction_table",
    "read_images",
    "read_predictions",
    "read_truth",
    "received",
    "score",
    "scores_at_half",
    "thresholds",
    "thumbnails",
    "view",
]

ID = "isic"
TITLE = "ISIC Challenge, lesion categories"
FORMULA = "balanced accuracy: the plain mean of the categories' recalls"
ABOUT = (
    "One score per diagnosis category and image; categories come from the truth file (2018, 2019, "
    "MILK10k or your own)."
)
WEIGHTS: Mapping[str, tuple] = {}
AS_POINTS = False
TIE_BREAK = "mean_auc"
RULE = """
| measure | what it is |
|---|---|
| score | plain mean over the categories of: cases of the category whose **largest** score is that category / cases of the category |
| largest score shared | the row is undecided and counts as wrong |
| sensitivity, specificity, F1 ... | each category against the rest, positive where its score is **strictly above 0.5**; recall is not |
| AUC, average precision | each category against the rest, from its score alone |

A category without a case is left out of the means. Another official metric can rank instead: macro AUC, macro average precision, or
macro F1 (MILK10k).
"""
RULES = ("official", scorecard.PAGE_RULES)
TRUTH_OPTIONS = ("group",)
ARGUMENTS = {
    "--metric": {
        "metavar": "NAME",
        "help": f"what ranks: {', '.join(RANKED_BY)} (default balanced_accuracy)",
    },
    "--malignant": {
        "metavar": "A,B,...",
        "help": "the malignant categories (default: those of the truth among "
        + ", ".join(categories.MALIGNANT)
        + ")",
    },
    "--rules": {
        "default": "official",
        "metavar": "NAME",
        "help": "official (default: above 0.5 is positive), or milk10k-page (0.5 itself too)",
    },
}
PREDICT_ARGUMENTS = {
    "--categories": {
        "metavar": "A,B,...",
        "help": (
            "names of the model's outputs in order (default: its own entry `categories`, else the "
            "preset with as many)"
        ),
    }
}

inspect = model.inspect
predict = model.predict
official_message = official.message
SMALL_CLASS = scorecard.SMALL_CLASS


def prediction_table(cases: Cases, predictions: Predictions) -> str:
    """Predictions as a CSV that the official scorer takes: ids as compared and each score as
    `repr(float(x))`. Also mends a file that was read with warnings."""
    names = cases.categories or tuple(predictions.model["categories"])
    return predictions_table(cases, predictions, names, cases.id_name)


def graded(predictions: Predictions) -> tuple[list[Finding], list[Finding]]:
    """The faults of predictions as errors, and no warnings: every case needs its scores."""
    return grade(predictions.faults, "refuse")


def check_options(
    metric: str | None = None,
    malignant: str | Iterable[str] | None = None,
    rules: str = "official",
    has_model: bool = False,
) -> list[Finding]:
    """`bad-option` for every option of this challenge that cannot be, whatever the truth."""
    problems = []
    if metric is not None and metric not in RANKED_BY:
        problems.append(error("bad-option", "--metric", f"{metric!r} is not one of {', '.join(RANKED_BY)}."))
    if rules not in RULES:
        problems.append(error("bad-option", "--rules", f"{rules!r} is not one of {', '.join(RULES)}."))
    return problems


def score(
    truth: Cases,
    predictions: Predictions,
    *,
    metric: str | None = None,
    malignant: str | Iterable[str] | None = None,
    rules: str = "official",
    resamples: int = 1000,
    seed: int = 0,
    group: str | None = None,
    interval: str = "percentile",
    metadata: Source | None = None,
) -> ScoreCard:
    """Score predictions on a truth.

    metric: "balanced_accuracy" (None), "auc", "ap" or "dice" ranks. malignant: the malignant categories, a
    list or names with commas. rules: "official", or "milk10k-page", by which 0.5 itself is positive.
    resamples, seed, group, interval: see `StatisticsOptions`; a `group` of the truth itself has to be named
    to `read_truth` too. metadata: a table joined by case id, for slices and `group`. Raises InputRefused.
    """
    statistics = StatisticsOptions(resamples, seed, group, interval)
    used = categories.malignant(truth.categories, malignant)
    strange = [name for name in used if name not in truth.categories]
    wrong = [
        *check_options(metric, malignant, rules),
        *(
            error("bad-option", "--malignant", f"{name!r} is no category: {', '.join(truth.categories)} are.")
            for name in strange
        ),
        *statistics.problems(),
    ]
    if predictions.faults or wrong:
        raise InputRefused([*predictions.faults, *wrong], [*truth.findings, *predictions.findings])
    return scorecard.card(truth, predictions, scorecard.Options(metric, used, rules), statistics, metadata)


def scores_at_half(predictions: Predictions) -> int:
    """How many scores are exactly 0.5, which the official rules and the page of MILK10k read differently."""
    return scorecard.scores_at_half(predictions)


def malignant_curve(card: ScoreCard, malignant: Sequence[str]) -> dict:
    """Another grouping on a card's cases: "auc" (None where undefined), and "x" (1 - specificity), "y"
    (sensitivity) of its curve. It changes no official number."""
    return scorecard.malignant_curve(card, malignant)


def received(truth: Cases, index: int, described: Mapping | None = None) -> tuple[list[pictures.Stage], Seen]:
    """What a model receives of one case: its first photograph at 224 x 224, or at the size that the model
    (`Inspection.model`) declares."""
    return pictures.received(truth, index, model.recipe_of_size(*declared_size(described)))


def thumbnails(truth: Cases, indices: Sequence[int]) -> list[bytes | None]:
    """JPEG thumbnails of cases, turned upright for the eye; None where there is no readable picture."""
    return pictures.thumbnails(truth, indices)
