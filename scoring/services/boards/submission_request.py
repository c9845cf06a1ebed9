"""What a team sends to a board, and what it is told."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.common.findings import Finding


@dataclass(frozen=True)
class SubmissionRequest:
    """What a team sends.

    Attributes:
        team: Name of the team.
        name: Of the file.
        data: Its bytes.
        options: Options of this submission alone.
        created: When it was submitted, as whoever imports it says; None: now, by the clock of this machine.
        id: Made by the sender: the same id twice is one submission.
        phase: Name of the phase that the sender means; None: the one that is open.
    """

    team: str
    name: str
    data: bytes
    options: Mapping[str, Any] = field(default_factory=dict)
    created: str | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    phase: str | None = None


@dataclass(frozen=True)
class Receipt:
    """What became of a submission. again: whether the team had submitted the same file before. findings: what
    was noticed about it, besides what was noticed about the test set."""

    id: str
    team: str
    created: str
    score: float | None
    interval: tuple[float, float] | None
    again: bool = False
    findings: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of the JSON that `board submit` writes."""
        return {
            "submission": self.id,
            "team": self.team,
            "time": self.created,
            "score": self.score,
            "interval": list(self.interval) if self.interval else None,
            "submitted_before": self.again,
            "findings": [finding.as_dict() for finding in self.findings],
        }
