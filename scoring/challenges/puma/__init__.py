"""PUMA track 2 task 2: nuclei of ten classes, detected in H&E regions of melanoma.

Source: the challenge's own description; where that is silent or counts otherwise, its official evaluator.
Both are rules here, with a third that sums counts over the images first.
"""

from collections.abc import Mapping, Sequence

from scoring.challenges.puma import clinic, listing, matches, suspicious
from scoring.challenges.puma.card import check_options, of_card, rescore, rule_of, score
from scoring.challenges.puma.comparison import COMPARISON
from scoring.challenges.puma.formula import ID, METRICS, MICROMETRES_PER_PIXEL, RADIUS, RADIUS_RANGE, RULES
from scoring.challenges.puma.matches import REASONS, STATUSES
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions, read_predictions
from scoring.challenges.puma.truth import Truth, read_truth
from scoring.challenges.puma.view import OBSERVERS, along_confidence, along_radius, overlay, worst_first
from scoring.challenges.puma.warnings import SMALL_CLASS
from scoring.models import pictures

TITLE = "PUMA, nuclei in ten classes"
FORMULA = "macro F1: the mean over ten classes of nuclei of the mean F1 of the images that hold the class"
ABOUT = (
    "Detected nuclei of ten classes in H&E regions of melanoma, matched to the pathologists' within 15 "
    "pixels; files are scored, not models."
)
WEIGHTS: Mapping[str, tuple] = {}
AS_POINTS = False
NO_MODEL = "PUMA scores files of detected nuclei, not models: give --predictions."
RULE = """
In each image and class the truth chooses, in file order: of the unused predictions of its class within 15 px (3.45 µm) the one of the highest
confidence, then the nearest. Chosen: a true positive, both are used up. F1 = 2 TP / (2 TP + FP + FN).

| rule | within | value of a class | mean over | best possible |
|---|---|---|---|---|
| `description`, the challenge's own | ≤ 15 px | mean F1 of the images that hold it, in truth or prediction | all ten classes | classes in the truth / 10 |
| `grand-challenge`, the official evaluator | < 15 px | sum of the images' F1 / **all** images | classes that occur | mean share of images that hold a class |
| `pooled`, counts summed first | ≤ 15 px | F1 of TP, FP and FN of all images | classes that occur | 1 |

All three are always computed and differ by a factor of two on real data: a macro F1 says nothing without its rule and its best possible value.
A missing case counts as an empty prediction: all its nuclei are missed.
"""
TRUTH_OPTIONS = READ_OPTIONS = ("unknown_classes",)
ARGUMENTS = {
    "--rules": {
        "default": "description",
        "metavar": "NAME",
        "help": "whose macro F1 is the score: description (default), grand-challenge or pooled",
    },
    "--radius": {
        "type": float,
        "default": RADIUS,
        "metavar": "PX",
        "help": "how far a prediction may lie from its nucleus (default 15)",
    },
    "--min-confidence": {
        "type": float,
        "default": 0.0,
        "metavar": "C",
        "help": "leave out predictions with a confidence below (default 0)",
    },
    "--unknown-classes": {
        "default": "refuse",
        "metavar": "HOW",
        "help": "nuclei of other than the ten classes: refuse (default), or ignore: leave them out",
    },
}
OUTPUTS = {
    "--matches": (
        {"metavar": "FILE.csv", "help": "write what became of every nucleus, a row each"},
        matches.to_csv,
    )
}

__all__ = [
    "ABOUT",
    "ARGUMENTS",
    "AS_POINTS",
    "CLASSES",
    "COMPARISON",
    "FORMULA",
    "ID",
    "METRICS",
    "MICROMETRES_PER_PIXEL",
    "NO_MODEL",
    "OBSERVERS",
    "OUTPUTS",
    "RADIUS",
    "RADIUS_RANGE",
    "READ_OPTIONS",
    "REASONS",
    "RULE",
    "RULES",
    "SMALL_CLASS",
    "STATUSES",
    "TITLE",
    "TRUTH_OPTIONS",
    "WEIGHTS",
    "NucleiPredictions",
    "Truth",
    "along_confidence",
    "along_radius",
    "check_options",
    "clinic",
    "listing",
    "of_card",
    "overlay",
    "read_predictions",
    "read_truth",
    "rescore",
    "rule_of",
    "score",
    "suspicious",
    "thumbnails",
    "worst_first",
]


def thumbnails(truth: Truth, indices: Sequence[int]) -> list[bytes | None]:
    """JPEG thumbnails of the tiles; None where there is no readable picture."""
    return pictures.thumbnails(truth, indices)
