"""Results of submissions on one version of a test set, and which submission of each team is ranked."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.common.direction_and_range import Quantity

NOBODY: Mapping[str, "RankedSubmission"] = MappingProxyType({})
LADDER = "ladder"
"""Name of the rule by which the Ladder decides which submission of a team is ranked."""
MINUTE = 16
"""Number of characters of a timestamp up to and including its minutes."""


@dataclass(frozen=True)
class RankedSubmission:
    """A submission with its result on one version of the test set. `refused` is the first problem, if the
    submission cannot be scored on this version."""

    id: str
    team: str
    name: str
    created: str
    score: float | None
    interval: tuple[float, float] | None
    card: str | None
    excluded: str | None
    refused: str = ""
    phase: str | None = None

    @property
    def minute(self) -> str:
        """Return the time of submission to the minute."""
        return self.created[:MINUTE].replace("T", " ")

    @property
    def is_eligible(self) -> bool:
        """Return whether the submission may be ranked: it has a score and is not excluded."""
        return self.card is not None and self.excluded is None


@dataclass(frozen=True)
class ShownScores:
    """The shown scores of a hidden truth.

    Attributes:
        rules: The current disclosure rules; if the truth is open now, the last rules before it was opened.
        cards: Id of a submission -> SHA-256 of the scorecard from which its shown score comes. While the
            truth is hidden, this scorecard was computed on the version of the test set on which the
            submission was first scored; once the truth is open, on the present version. If the test set is
            split, it was computed on the shown part only.
        scores: Shown score of each submission, also of excluded ones.
    """

    rules: HiddenRules
    cards: Mapping[str, str | None]
    scores: Mapping[str, float | None]
    quantity: Quantity


def baseline(
    entry: RankedSubmission, score: float | None, interval: list[float] | None = None
) -> dict[str, Any]:
    """Return the JSON value of a baseline."""
    known = {"submission": entry.id, "time": entry.created}
    return {"team": entry.team, "score": score, "interval": interval, **known}


def counting(
    entries: Iterable[RankedSubmission],
    rule: str,
    quantity: Quantity,
    before: Mapping[str, RankedSubmission] = NOBODY,
    shown: Mapping[str, float | None] | None = None,
    nominated: Container[str] = frozenset(),
) -> dict[str, RankedSubmission]:
    """Return the ranked submission of each team, by team.

    Args:
        entries: Submissions, oldest first.
        rule: "last"; "best": the best score, and the first submission if several have it; or "ladder": the
            last score that the Ladder showed, which is the best shown.
        before: Team -> its ranked submission before the first of `entries`.
        shown: Shown scores by submission id if the truth is hidden; otherwise the scores themselves decide.
        nominated: Ids of submissions that are ranked regardless of the rule.
    """
    chosen = dict(before)

    def worth(entry: RankedSubmission) -> float:
        return quantity.order(entry.score if shown is None else shown.get(entry.id))

    for entry in entries:
        ranked = chosen.get(entry.team)
        if not entry.is_eligible or (ranked is not None and ranked.id in nominated):
            continue
        if entry.id in nominated:
            chosen[entry.team] = entry
        elif rule == LADDER and worth(entry) == float("-inf"):
            continue
        elif ranked is None or rule != "best" or worth(entry) > worth(ranked):
            chosen[entry.team] = entry
    return chosen


def results(
    rows: Iterable[tuple[Any, Any]], teams: Mapping[str, str] = MappingProxyType({})
) -> tuple[RankedSubmission, ...]:
    """Return submissions with their results, oldest first.

    Args:
        rows: Pairs of `Submission` and `ScoredVersion`.
        teams: Excluded team -> reason.
    """
    entries = (_entry(submission, result, teams.get(submission.team)) for submission, result in rows)
    return tuple(sorted(entries, key=lambda entry: (entry.created, entry.id)))


def _entry(row: Any, result: Any, team: str | None) -> RankedSubmission:
    ends = None if result.low is None or result.high is None else (result.low, result.high)
    problem = str(result.problems[0]["message"]) if result.problems else ""
    known = (row.id, row.team, row.name, row.created, result.score, ends, result.card)
    return RankedSubmission(*known, row.excluded if team is None else team, problem, row.phase)
