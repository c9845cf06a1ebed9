"""Safe-Scan TRICORDER-3: eleven skin-lesion classes from a photograph and demographics.

Source: the challenge's own description (classes, risk groups, formula) and, where that is silent, the public
validator code of February 2026.
"""

from collections.abc import Sequence

from scoring.challenges.safe_scan.cases import Cases
from scoring.challenges.safe_scan.demographics import LOCATIONS
from scoring.challenges.tricorder3.card import check_options, score
from scoring.challenges.tricorder3.comparison import COMPARISON
from scoring.challenges.tricorder3.formula import (
    CLASSES,
    GROUPS,
    ID,
    NAMES,
    RISK,
    RISK_WEIGHTS,
    RISKS,
    SMALL_CLASS,
    WORTH,
    efficiency,
    final_score,
    weighted_f1,
)
from scoring.challenges.tricorder3.model import (
    SWEEP_AGES,
    TASK,
    inspect,
    predict,
    received,
    recipe_for,
    size_findings,
    sweep,
)
from scoring.challenges.tricorder3.tables import parse_label, read_images, read_predictions, read_truth
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
    "FORMULA",
    "GROUPS",
    "ID",
    "LOCATIONS",
    "NAMES",
    "NOT_COMPARED",
    "RISK",
    "RISKS",
    "RISK_WEIGHTS",
    "RULE",
    "SMALL_CLASS",
    "SWEEP_AGES",
    "TASK",
    "TEAM_ARGUMENTS",
    "TITLE",
    "WEIGHTS",
    "WORTH",
    "check_options",
    "efficiency",
    "final_score",
    "graded",
    "inspect",
    "parse_label",
    "predict",
    "prediction_table",
    "read_images",
    "read_predictions",
    "read_truth",
    "received",
    "recipe_for",
    "score",
    "size_findings",
    "sweep",
    "thumbnails",
    "weighted_f1",
]

TITLE = "TRICORDER-3, 11 skin-lesion classes"
FORMULA = "45 × accuracy + 45 × risk-weighted F1 + 10 × efficiency"
ABOUT = "A photograph and age, gender and body site; malignant classes weigh most, small models are rewarded."
WEIGHTS = {
    "accuracy": ("accuracy", "acc.", 45),
    "weighted_f1": ("weighted F1", "wF1", 45),
    "efficiency_score": ("efficiency", "eff.", 10),
}
AS_POINTS = True
RULE = """
| part | weight | what it is |
|---|--:|---|
| accuracy | 45 | right cases / all cases, rounded to 6 decimals |
| weighted F1 | 45 | (3 × malignant + 2 × medium + 1 × benign) / 6, each the plain mean of its classes' F1, rounded to 6 decimals |
| efficiency | 10 | 1 up to 50 MiB (the challenge's MB), falling to 0 at 150 MiB, rounded to 6 decimals |

A class without a case in the test set counts 0 in its group's mean, so the ceiling can lie below 100 points.
"""
TEAM_ARGUMENTS = ("--model-size-mib",)
NOT_COMPARED = ("with_curves",)
ARGUMENTS = {
    "--missing": {
        "default": "refuse",
        "metavar": "HOW",
        "help": "cases without a usable prediction: refuse (default), or count them as wrong",
    },
    "--model-size-mib": {
        "type": float,
        "metavar": "X",
        "help": "size of the model in MiB, where only predictions are given",
    },
}


def prediction_table(cases: Cases, predictions: Predictions) -> str:
    """The prediction file of a model as CSV: filename and the eleven symbols."""
    return predictions_table(cases, predictions, CLASSES)


def graded(predictions: Predictions, missing: str) -> tuple[list[Finding], list[Finding]]:
    """The faults of predictions as errors and warnings, as `missing` grades them."""
    return grade(predictions.faults, missing)


def thumbnails(truth: Cases, indices: Sequence[int]) -> list[bytes | None]:
    """JPEG thumbnails of cases, turned upright for the eye; None where there is no readable picture."""
    return pictures.thumbnails(truth, indices)
