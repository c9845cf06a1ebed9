"""Safe-Scan Melanoma: one risk score per photograph.

Source: the challenge's own description (0.6 F2 + 0.3 accuracy + 0.1 AUC) and, where that is silent, the
public validator code until mid 2025.
"""

from collections.abc import Sequence

from scoring.challenges.melanoma.card import CURVE_REPLICATES, check_options, score
from scoring.challenges.melanoma.comparison import COMPARISON
from scoring.challenges.melanoma.formula import CLASSES, ID, SMALL_CLASS, THRESHOLD, WEIGHTS
from scoring.challenges.melanoma.model import (
    TASK,
    inspect,
    predict,
    received,
    recipe_for,
    recipe_of_size,
    size_findings,
)
from scoring.challenges.melanoma.tables import (
    SCORE_COLUMNS,
    parse_label,
    read_images,
    read_predictions,
    read_truth,
)
from scoring.challenges.melanoma.threshold import (
    at_sensitivity,
    at_specificity,
    at_threshold,
    best_threshold,
    counts_at,
    histogram,
    net_benefit,
    predictive_values,
    threshold_range,
    thresholds,
)
from scoring.challenges.safe_scan.cases import Cases
from scoring.challenges.safe_scan.demographics import LOCATIONS
from scoring.findings import Finding
from scoring.models import pictures
from scoring.submission import Predictions, grade
from scoring.submission import table as predictions_table

__all__ = [
    "ABOUT",
    "ARGUMENTS",
    "AS_POINTS",
    "CLASSES",
    "COMPARISON",
    "CURVE_REPLICATES",
    "FORMULA",
    "ID",
    "LOCATIONS",
    "NOT_COMPARED",
    "RULE",
    "SCORE_COLUMNS",
    "SMALL_CLASS",
    "TASK",
    "THRESHOLD",
    "TITLE",
    "WEIGHTS",
    "at_sensitivity",
    "at_specificity",
    "at_threshold",
    "best_threshold",
    "check_options",
    "counts_at",
    "graded",
    "histogram",
    "inspect",
    "net_benefit",
    "parse_label",
    "predict",
    "prediction_table",
    "predictive_values",
    "read_images",
    "read_predictions",
    "read_truth",
    "received",
    "recipe_for",
    "recipe_of_size",
    "score",
    "size_findings",
    "threshold_range",
    "thresholds",
    "thumbnails",
]

TITLE = "Melanoma, risk from a photograph"
FORMULA = "60 × F2 + 30 × accuracy + 10 × AUC"
ABOUT = "One number 0 to 1 from a phone photograph; missing a melanoma is worse than a false alarm."
AS_POINTS = True
RULE = """
| part | weight | what it is |
|---|--:|---|
| F2 | 60 | 5 TP / (5 TP + 4 FN + FP) at the threshold: a missed melanoma costs four times a false alarm |
| accuracy | 30 | right cases / all cases at the threshold |
| AUC | 10 | share of (melanoma, other) pairs that the scores put in the right order, ties half |

A case is called melanoma where its score is **strictly greater than 0.5**. Nothing is rounded.
"""
NOT_COMPARED = ("with_curves",)
ARGUMENTS = {
    "--missing": {
        "default": "refuse",
        "metavar": "HOW",
        "help": "cases without a usable score: refuse (default), or count them as wrong",
    }
}


def prediction_table(cases: Cases, predictions: Predictions) -> str:
    """The prediction file of a model as CSV: filename and score."""
    return predictions_table(cases, predictions, ("score",))


def graded(predictions: Predictions, missing: str) -> tuple[list[Finding], list[Finding]]:
    """The faults of predictions as errors and warnings, as `missing` grades them."""
    return grade(predictions.faults, missing)


def thumbnails(truth: Cases, indices: Sequence[int]) -> list[bytes | None]:
    """JPEG thumbnails of cases, turned upright for the eye; None where there is no readable picture."""
    return pictures.thumbnails(truth, indices)
