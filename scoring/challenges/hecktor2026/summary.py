"""Numbers from a scorecard for its views: parts of the weighted sum, missing parts, pairs of patients, and
direction of the prognosis scores."""

from dataclasses import dataclass

from scoring.challenges.hecktor2026.formula import WEIGHTS
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.tables import KINDS, chosen
from scoring.core.scorecard import ScoreCard

UNUSABLE = {
    "n_missing_masks": "missing mask",
    "n_malformed_masks": "malformed mask",
    "n_missing_t": "missing T stage",
    "n_missing_n": "missing N stage",
    "n_missing_risk": "missing score",
    "n_unknown_patients": "unknown patient",
}
"""Metric that counts unusable parts -> noun for one such part."""


@dataclass(frozen=True)
class SubtaskPart:
    """A subtask in the weighted sum.

    Attributes:
        weight: Weight of the subtask, from 0 to 1.
        value: Result of the subtask, from 0 to 1; None if it is undefined.
        won: Weight times value; None if the value is undefined.
    """

    metric: str
    name: str
    weight: float
    value: float | None
    won: float | None


@dataclass(frozen=True)
class Direction:
    """How the column of prognosis scores was interpreted.

    Attributes:
        column: Meaning that the name of the column suggests: "risk" or "time".
        reading: Meaning that was used: "risk" or "time".
        other: The other meaning.
        forced: Whether an option chose the meaning.
    """

    column: str
    reading: str
    other: str
    forced: bool


def parts(card: ScoreCard) -> tuple[SubtaskPart, ...]:
    """Return the subtasks whose weighted sum is the score."""
    summands = []
    for metric, (name, _, points) in WEIGHTS.items():
        weight, value = points / 100, card.metrics[metric]
        summands.append(SubtaskPart(metric, name, weight, value, None if value is None else weight * value))
    return tuple(summands)


def submitted_alone(card: ScoreCard) -> str:
    """Return the metric of the only subtask that was submitted; "" if there are several or none."""
    lacking = {finding.where for finding in card.findings if finding.code == "subtask-missing"}
    of_part = {"segmentation": {"segmentation"}, "staging": {"T stage", "N stage"}, "c_index": {"prognosis"}}
    there = [part for part in parts(card) if not of_part[part.metric] <= lacking]
    return there[0].metric if len(there) == 1 and there[0].value is not None else ""


def unusable(card: ScoreCard) -> tuple[str, ...]:
    """Return the numbers of missing, malformed or unknown parts as text, such as "2 missing masks"."""
    counts = {noun: int(card.metrics[metric] or 0) for metric, noun in UNUSABLE.items()}
    return tuple(f"{n} {noun}{'s' * (n != 1)}" for noun, n in counts.items() if n)


def credit_of_empty(card: ScoreCard) -> float | None:
    """Return how much of the score, 0..1, comes from structures that are empty in truth and prediction; None
    without a true mask."""
    credit = card.metrics["dice_from_empty_cases"]
    return None if credit is None else WEIGHTS["segmentation"][2] / 100 * credit


def pairs(card: ScoreCard) -> dict[str, int]:
    """Return the numbers of comparable pairs that the scores order correctly, wrongly or not at all. The sum
    of these numbers is `comparable_pairs`."""
    comparable, concordant, tied, missing = (
        int(card.metrics[f"{name}_pairs"] or 0)
        for name in ("comparable", "concordant", "tied_risk", "missing")
    )
    return {
        "concordant": concordant,
        "tied": tied,
        "discordant": comparable - concordant - tied - missing,
        "missing": missing,
    }


def direction(card: ScoreCard, submission: HecktorSubmission) -> Direction | None:
    """Return which score column was used and how it was interpreted; None without such a column."""
    option = card.provenance["options"]["prognosis_direction"]
    column = chosen(submission.scores, option)
    if column is None:
        return None
    reading = column if option == "auto" else option
    return Direction(column, reading, next(kind for kind in KINDS if kind != reading), option != "auto")
