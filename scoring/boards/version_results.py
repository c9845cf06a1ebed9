"""Results of a submission on one version of the test set, as rows of the database."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.boards import serialization
from scoring.common.findings import Finding
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import sha256
from scoring.store import schema
from scoring.version import __version__


@dataclass(frozen=True)
class VersionResult:
    """A submission on one version of the test set: its scorecard, or why it is refused. shown: scorecard of
    the shown part if the test set is split; `card` then covers the withheld part."""

    card: ScoreCard | None
    problems: tuple[Finding, ...] = ()
    shown: ScoreCard | None = None

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Return the scorecards as files by SHA-256, the file of `card` first; empty if the submission is
        refused."""
        cards = (serialization.card_to_bytes(card) for card in (self.card, self.shown) if card)
        return {sha256(data): data for data in cards}

    def rows(self, submission_id: str, test_set: schema.TestSetVersion) -> list[schema.Base]:
        """Return the rows of the result, with references to its files; the `ScoredVersion` comes first."""
        of: dict[str, Any] = {"submission_id": submission_id, "board_id": test_set.board_id}
        of["number"] = test_set.number
        findings = [problem.as_dict() for problem in self.problems]
        digests = [*self.files]
        known = {**of, **_numbers(self.card), "card": next(iter(digests), None)}
        row = schema.ScoredVersion(**known, problems=findings, program=__version__)
        if self.shown is None:
            return [row]
        return [row, schema.ShownPart(**of, **_numbers(self.shown), card=digests[-1])]


def _numbers(card: ScoreCard | None) -> dict[str, float | None]:
    """Return score and interval of a scorecard as columns."""
    low, high = (card.intervals.get("score") if card else None) or (None, None)
    return {"score": card.score if card else None, "low": low, "high": high}
