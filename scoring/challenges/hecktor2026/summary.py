"""What a scorecard comes to, in the words of a headline: parts of the sum, what was lacking, pairs, and how
the scores were read."""

from dataclasses import dataclass

from scoring.challenges.hecktor2026.formula import WEIGHTS
from scoring.challenges.hecktor2026.prognosis import KINDS, chosen
from scoring.challenges.hecktor2026.submission import Submission
from scoring.scorecard import ScoreCard

LACKING = {
    "n_missing_masks": "missing mask",
    "n_malformed_masks": "malformed mask",
    "n_missing_t": "missing T stage",
    "n_missing_n": "missing N stage",
    "n_missing_risk": "missing score",
    "n_unknown_patients": "unknown patient",
}
"""Metrics that count what was not usable, and what one of it is."""


@dataclass(frozen=True)
class Part:
    """A subtask in the weighted sum. weight, value: 0..1. won: their product. value and won are None where
    the subtask is undefined."""

    metric: str
    name: str
    weight: float
    value: float | None
    won: float | None


@dataclass(frozen=True)
class Direction:
    """How scores were read. column: what the column that counted holds by its name, "risk" or "time".
    reading: as what it was read.

    other: the other reading. forced: whether an option said so.
    """

    column: str
    reading: str
    other: str
    forced: bool


def parts(card: ScoreCard) -> tuple[Part, ...]:
    """The summands of the score."""
    found = []
    for metric, (name, _, points) in WEIGHTS.items():
        weight, value = points / 100, card.metrics[metric]
        found.append(Part(metric, name, weight, value, None if value is None else weight * value))
    return tuple(found)


def lacking(card: ScoreCard) -> dict[str, int]:
    """How many of each kind were missing, malformed or unknown, by what one of it is; zeros too."""
    return {words: card.metrics[metric] for metric, words in LACKING.items()}


def credit_of_empty(card: ScoreCard) -> float | None:
    """The part of the score that patients earned in whom truth and prediction are both empty; None without a
    truth mask."""
    credit = card.metrics["dice_from_empty_cases"]
    return None if credit is None else WEIGHTS["segmentation"][2] / 100 * credit


def pairs(card: ScoreCard) -> dict[str, int]:
    """The comparable pairs by what the scores make of them; they sum to `comparable_pairs`."""
    found = {
        name: card.metrics[f"{metric}_pairs"]
        for name, metric in (("concordant", "concordant"), ("tied", "tied_risk"))
    }
    missing = card.metrics["missing_pairs"]
    return {
        **found,
        "discordant": card.metrics["comparable_pairs"] - sum(found.values()) - missing,
        "missing": missing,
    }


def direction(card: ScoreCard, submission: Submission) -> Direction | None:
    """Which column counted and as what; None without a column of scores."""
    option = card.provenance["options"]["prognosis_direction"]
    column = chosen(submission.scores, option)
    if column is None:
        return None
    reading = column if option == "auto" else option
    return Direction(column, reading, next(kind for kind in KINDS if kind != reading), option != "auto")
