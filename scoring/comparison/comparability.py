"""Whether submissions can be compared: refused and identical submissions, and the test set and options that
must be equal."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scoring.common.arrays import Array
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard
from scoring.core.submission import fingerprint


@dataclass(frozen=True)
class Excluded:
    """A refused submission.

    Attributes:
        team: Name of the team, or of the folder or zip that cannot be read.
        findings: Warnings and notes found before the refusal.
    """

    team: str
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def reason(self) -> str:
        """The first problem as text, with the number of further problems."""
        first, *others = self.problems
        more = f" (and {len(others)} more problem{'s' * (len(others) > 1)})" if others else ""
        where = "" if first.where == self.team else f"{first.where}: "
        return f"{where}{first.message}{more}"

    def of_team(self, entries: Iterable[Finding]) -> list[Finding]:
        """Return the findings about the submission; each location begins with the team's name."""
        return [
            entry if entry.where == self.team else replace(entry, where=f"{self.team}: {entry.where}")
            for entry in (entry.of_team(self.team) for entry in entries)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of `comparison.json` as a dictionary."""
        return {
            "team": self.team,
            "problems": [f.as_dict() for f in self.problems],
            "findings": [f.as_dict() for f in self.findings],
        }


def of_refusal(team: str, refused: InputRefused) -> Excluded:
    """Return a refused submission as the entry of an excluded team."""
    return Excluded(team, refused.problems, refused.findings)


def of_team(name: str, entries: Iterable[Finding]) -> list[Finding]:
    """Return findings whose locations begin with the team's name."""
    return [replace(f.of_team(name), where=f"{name}: {f.where}") for f in entries]


def excluded_warnings(excluded: Iterable[Excluded]) -> Iterator[Finding]:
    """Yield a warning for each excluded submission, with its reason."""
    for entry in excluded:
        yield warning(
            "excluded-submission",
            entry.team,
            f"this submission was refused, so it has no rank: {entry.reason}",
        )


def identical_groups(cards: Mapping[str, ScoreCard]) -> tuple[tuple[str, ...], ...]:
    """Return groups of teams whose predictions are identical."""
    groups: dict[bytes, list[str]] = {}
    for name, card in cards.items():
        groups.setdefault(_fingerprint(card).tobytes(), []).append(name)
    return tuple(tuple(names) for names in groups.values() if len(names) > 1)


def _fingerprint(card: ScoreCard) -> Array:
    """Return the fingerprint of a card's predictions, which cards of earlier versions may lack."""
    if card.is_bare:
        sent = f"{card.provenance['predictions_sha256']}{card.provenance['model_sha256']}"
        return np.frombuffer(sent.encode(), np.uint8)
    known = card.arrays.get("aligned")
    return fingerprint(card.arrays["outputs"], card.arrays["predicted"]) if known is None else known


def identical_findings(
    cards: Mapping[str, ScoreCard], same: tuple[tuple[str, ...], ...]
) -> Iterator[Finding]:
    """Yield findings about teams with identical predictions. `same` is the result of `identical_groups`."""
    for names in same:
        equal = len({cards[name].score for name in names}) == 1
        rest = (
            "their difference is exactly 0"
            if equal
            else "their scores differ because of additional facts, such as a model's size"
        )
        message = f"{len(names)} teams sent the same predictions; {rest}."
        yield warning("identical-submissions", ", ".join(names), message)


MAY_DIFFER = ("group", "metadata_sha256")
"""Options that may differ between compared cards. Both define the unit of resampling, which is compared
itself."""
EQUAL = ("unit", "n_units", "seed", "resamples")
"""Entries of the provenance that must be equal in all compared cards."""


def shared_options(challenge: Challenge[Any, Any], cards: Mapping[str, ScoreCard]) -> dict[str, Any]:
    """Return the options of all teams. If teams differ in an option, its value is None, and each team's value
    is listed."""
    first, *others = (card.provenance["options"] for card in cards.values())
    own = {option.name for option in challenge.options if option.per_team}
    return {
        name: None if name in own and any(other[name] != value for other in others) else value
        for name, value in first.items()
    }


def options_by_team(challenge: Challenge[Any, Any]) -> set[str]:
    """Return the names of options that may differ between teams: those for model sizes and for the reading of
    files."""
    own = (o.name for o in challenge.options if o.per_team or "predictions" in o.stages)
    return {*MAY_DIFFER, *own}


def unequal(cards: Mapping[str, ScoreCard], may_differ: set[str]) -> Iterator[Finding]:
    """Yield errors for cards whose cases, labels, options, units or replicates differ from those of the first
    card."""
    (first, model), *others = cards.items()
    for name, card in others:
        same = [row["case"] for row in card.cases] == [row["case"] for row in model.cases]
        if not same or not np.array_equal(card.arrays.get("truth", ()), model.arrays.get("truth", ())):
            sentence = f"{name} and {first} were scored on different cases: score both on the same truth."
            yield error("different-test-set", name, sentence)
        for key in EQUAL:
            if card.provenance[key] != model.provenance[key]:
                message = (
                    f"{key} is {card.provenance[key]!r}, but for {first} it is {model.provenance[key]!r}: "
                    "score both with the same options."
                )
                yield error("different-replicates", name, message)
        for option, value in model.provenance["options"].items():
            if option not in may_differ and card.provenance["options"].get(option) != value:
                message = (
                    f"{option} is {card.provenance['options'].get(option)!r}, but for {first} it is "
                    f"{value!r}: score both with the same options."
                )
                yield error("different-options", name, message)
