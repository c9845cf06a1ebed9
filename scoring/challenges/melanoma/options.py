"""Options of melanoma."""

from scoring.core.options import Option

MISSING = Option(
    name="missing",
    help="cases without a usable score: refuse (default), or count them as wrong",
    default="refuse",
    values=("refuse", "wrong"),
    metavar="HOW",
    stages=("predictions", "score"),
    label="Cases without a prediction",
    value_labels={"refuse": "refuse the file", "wrong": "count as wrong"},
)
OPTIONS = (MISSING,)
