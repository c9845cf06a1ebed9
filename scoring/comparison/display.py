"""Comparison as displayed: its units, and which of many teams figures draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.challenges import load_challenge
from scoring.common.text import markdown
from scoring.comparison import score_units as scales
from scoring.comparison import summary_text
from scoring.comparison.compare import Comparison
from scoring.comparison.score_units import Scale

MANY = 15
"""Teams up to which all are drawn; beyond, the first of them and one that is chosen."""
SENTENCE, NAMED = 600, 8
"""Characters of a sentence with names, and teams that an explanation names, at most."""


@dataclass(frozen=True)
class Displayed:
    """A comparison with the teams that figures draw. places: theirs, in `comparison.scored`."""

    comparison: Comparison
    scale: Scale
    places: Sequence[int]

    @property
    def names(self) -> list[str]:
        """Return the teams that are drawn, best first."""
        return [self.comparison.scored[index] for index in self.places]

    @property
    def method(self) -> str:
        """Return which of many teams are drawn, and n, unit, replicates and seed (Markdown)."""
        drawn, total = len(self.places), len(self.comparison.scored)
        if drawn == total:
            few = ""
        elif self.places[-1] < MANY:
            few = f"The first {drawn} of {total} teams are drawn. "
        else:
            few = f"{drawn} of {total} teams are drawn: the first and the chosen one. "
        return few + markdown(summary_text.method(self.comparison))


def of(comparison: Comparison, chosen: str | None = None) -> Displayed:
    """Return what figures draw of a comparison: all teams, or of many the first and the chosen one."""
    places = [index for index, name in enumerate(comparison.scored) if index < MANY or name == chosen]
    return Displayed(comparison, scales.of(load_challenge(comparison.challenge)), places)


def whole(comparison: Comparison) -> Displayed:
    """Return the teams that are drawn if all are."""
    scale = scales.of(load_challenge(comparison.challenge))
    return Displayed(comparison, scale, range(len(comparison.scored)))
