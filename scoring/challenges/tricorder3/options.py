"""Options of TRICORDER-3."""

import math

from scoring.options import Option


def _size_problem(size: float) -> str | None:
    if math.isfinite(size) and size >= 0:
        return None
    return f"{size} is not a size: give the MiB (bytes / 1048576), 0 or more."


MISSING = Option(
    name="missing",
    help="cases without a usable prediction: refuse (default), or count them as wrong",
    default="refuse",
    values=("refuse", "wrong"),
    metavar="HOW",
    stages=("predictions", "score"),
    label="Cases without a prediction",
    value_labels={"refuse": "refuse the file", "wrong": "count as wrong"},
)
MODEL_SIZE = Option(
    name="model_size_mib",
    help="size of the model in MiB, where only predictions are given",
    type=float,
    metavar="X",
    per_team=True,
    predictions_only="a model brings its own size: leave the option out, or score predictions.",
    label="Size of its model in MiB",
    problem=_size_problem,
)
OPTIONS = (MISSING, MODEL_SIZE)
