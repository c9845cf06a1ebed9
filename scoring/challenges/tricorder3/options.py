"""Options of TRICORDER-3."""

from scoring.core.options import Option, size_problem

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
    explain="1 MiB = 1,048,576 bytes, the challenge's MB. Up to 50 MiB cost nothing.",
    problem=size_problem,
)
OPTIONS = (MISSING, MODEL_SIZE)
