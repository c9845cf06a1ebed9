"""Submissions that are not in a comparison because they were refused."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from scoring.common.findings import Finding, InputRefused, warning


@dataclass(frozen=True)
class Excluded:
    """A refused submission.

    Attributes:
        team: Name of the team, or of the folder or zip that could not be read.
        problems: Why it was refused: errors.
        findings: Warnings and notes that were met on the way.
    """

    team: str
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def reason(self) -> str:
        """The first problem, and how many more there are."""
        first, *others = self.problems
        more = f" (and {len(others)} more problem{'s' * (len(others) > 1)})" if others else ""
        where = "" if first.where == self.team else f"{first.where}: "
        return f"{where}{first.message}{more}"

    def of_team(self, entries: Iterable[Finding]) -> list[Finding]:
        """Return problems or findings of this submission with the team's name before their place."""
        return [
            entry if entry.where == self.team else replace(entry, where=f"{self.team}: {entry.where}")
            for entry in (entry.of_team(self.team) for entry in entries)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of `comparison.json`."""
        return {
            "team": self.team,
            "problems": [f.as_dict() for f in self.problems],
            "findings": [f.as_dict() for f in self.findings],
        }


def of_refusal(team: str, refused: InputRefused) -> Excluded:
    """Return the team of a refusal."""
    return Excluded(team, refused.problems, refused.findings)


def warnings(excluded: Iterable[Excluded]) -> Iterator[Finding]:
    """Yield a warning for each excluded submission, with its reason."""
    for one in excluded:
        yield warning("excluded-submission", one.team, f"refused, so it has no rank: {one.reason}")
