"""Options that both challenges have."""

from scoring.core.options import Option


def missing_option(noun: str) -> Option:
    """Return the option for cases without a usable prediction. noun: the challenge's word for a
    prediction."""
    return Option(
        name="missing",
        help=f"cases without a usable {noun}: refuse (default), or count them as wrong",
        default="refuse",
        values=("refuse", "wrong"),
        metavar="HOW",
        stages=("predictions", "score"),
        label="Cases without a prediction",
        value_labels={"refuse": "refuse the file", "wrong": "count as wrong"},
    )
