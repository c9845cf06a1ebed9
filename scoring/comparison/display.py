"""How a comparison is displayed: the unit of its scores, and which teams figures draw if there are many."""

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
"""Up to this number of teams, all are drawn. If there are more, only the first ones and one chosen team are
drawn."""
SENTENCE, NAMED = 600, 8
"""Maximum number of characters of a sentence that names teams, and of teams that an explanation names."""


@dataclass(frozen=True)
class Displayed:
    """A comparison, and the teams that figures show. `places` contains the positions of these teams in
    `comparison.scored`."""

    comparison: Comparison
    scale: Scale
    places: Sequence[int]

    @property
    def names(self) -> list[str]:
        """Return the drawn teams, best first."""
        return [self.comparison.scored[index] for index in self.places]

    @property
    def method(self) -> str:
        """Return a caption (Markdown) that names the drawn teams, the number of cases, the unit, the
        replicates and the seed."""
        drawn, total = len(self.places), len(self.comparison.scored)
        if drawn == total:
            few = ""
        elif self.places[-1] < MANY:
            few = f"The first {drawn} of {total} teams are drawn. "
        else:
            few = f"{drawn} of {total} teams are drawn: the first and the chosen one. "
        return few + markdown(summary_text.method(self.comparison))


def of(comparison: Comparison, chosen: str | None = None) -> Displayed:
    """Return the comparison for figures. If there are many teams, figures show only the first ones and the
    chosen team."""
    places = [index for index, name in enumerate(comparison.scored) if index < MANY or name == chosen]
    return Displayed(comparison, scales.of(load_challenge(comparison.challenge)), places)


def whole(comparison: Comparison) -> Displayed:
    """Return the comparison for figures with all teams."""
    scale = scales.of(load_challenge(comparison.challenge))
    return Displayed(comparison, scale, range(len(comparison.scored)))
