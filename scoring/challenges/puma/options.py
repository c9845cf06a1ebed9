"""Options of PUMA."""

import math

from scoring.challenges.puma.formula import RADIUS, RULE_NAMES, RULES
from scoring.challenges.puma.nucleus_classes import map_problem
from scoring.core.options import Option, Values


def _radius_problem(radius: float) -> str | None:
    if math.isfinite(radius) and radius > 0:
        return None
    return f"{radius:g} px is not a radius: give a number above 0 ({RADIUS:g} is the challenge's)."


def _confidence_problem(confidence: float) -> str | None:
    if math.isfinite(confidence):
        return None
    return f"{confidence:g} is not a number: leave the option out to keep every prediction."


RULE = Option(
    name="rules",
    help="rule for the macro F1 that is the score: description (default), grand-challenge or pooled",
    default="description",
    values=RULES,
    label="Whose macro F1",
    value_labels=dict(RULE_NAMES.items()),
)
MATCHING_RADIUS = Option(
    name="radius",
    help="how far a prediction may lie from its nucleus (default 15)",
    type=float,
    default=RADIUS,
    metavar="PX",
    label="Matching radius",
    problem=_radius_problem,
)
MIN_CONFIDENCE = Option(
    name="min_confidence",
    help="leave out predictions with a confidence below (default: keep every prediction)",
    type=float,
    metavar="C",
    label="Smallest confidence",
    problem=_confidence_problem,
)
UNKNOWN_CLASSES = Option(
    name="unknown_classes",
    help="nuclei of other classes than the ten: refuse (default), or ignore (leave them out)",
    default="refuse",
    values=("refuse", "ignore"),
    metavar="HOW",
    stages=("truth", "predictions", "score"),
    label="Nuclei of other classes",
    value_labels={"refuse": "refuse the file", "ignore": "leave them out"},
)
CLASS_MAP = Option(
    name="class_map",
    help="class for nuclei whose class is not among the ten, or ignore (leave them out)",
    metavar="NAME=CLASS,...",
    stages=("truth", "predictions", "score"),
    label="Other names of classes",
    problem=map_problem,
)
OUTLINES = Option(
    name="outlines",
    help="measure the outlines of nuclei too: panoptic quality, IoU and Dice (never in the score)",
    default=False,
    type=bool,
    label="Quality of outlines",
    explain=(
        "Panoptic quality of each class, and IoU and Dice of the nuclei that the score matches. This never "
        "changes the score, which uses only the centres of nuclei."
    ),
)
OPTIONS = (RULE, MATCHING_RADIUS, MIN_CONFIDENCE, UNKNOWN_CLASSES, CLASS_MAP, OUTLINES)
MEANS = {
    "description": "the mean over ten classes of nuclei of the mean F1 of the images that hold the class",
    "grand-challenge": "the mean over the classes that occur of the sum of the images' F1 / all images",
    "pooled": "the mean over the classes that occur of the F1 of the counts of all images together",
}
"""The macro F1 of each rule."""


def formula(values: Values) -> str:
    """Return the score in one line, by the options."""
    radius, least = values.get(MATCHING_RADIUS.name) or RADIUS, values.get(MIN_CONFIDENCE.name)
    parts = [
        f"macro F1: {MEANS[values.get(RULE.name) or RULE.default]}",
        *([f"matched within {radius:g} px"] * (radius != RADIUS)),
        *([f"predictions below a confidence of {least:g} left out"] if least is not None else []),
    ]
    return "; ".join(parts)
