"""The cases of a class with a team's result for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.core.scorecard import ScoreCard


@dataclass(frozen=True)
class ClassMember:
    """A case of a class. index: its place in the card. value: 0..1, how right the team was (1 = right, or F1
    or Dice of the class in this case), None where that is undefined. called: the team's label, None where it
    gave none or the class is found, not called."""

    index: int
    case: str
    value: float | None
    called: str | None


def members(card: ScoreCard, name: str) -> tuple[ClassMember, ...]:
    """Return all cases of class `name`, the team's worst results first."""
    found = [
        ClassMember(index, str(row["case"]), *verdict)
        for index, row in enumerate(card.cases)
        if (verdict := _verdict(row, name)) is not None
    ]
    return tuple(sorted(found, key=lambda member: (member.value is None, member.value or 0.0)))


def _verdict(row: Mapping[str, Any], name: str) -> tuple[float | None, str | None] | None:
    """Return value and label of one case; None where it is not of the class."""
    for truth, called in (("truth", "predicted"), ("t_truth", "t_prediction"), ("n_truth", "n_prediction")):
        if truth in row and row[truth] == name:
            return float(row.get(called) == name), row.get(called)
    if isinstance(row.get("f1"), Mapping):
        return (row["f1"][name], None) if name in row["f1"] else None
    dice = f"dice_{name.lower()}"
    return (row[dice], None) if dice in row else None
