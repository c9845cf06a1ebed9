"""What all tabs of the page that compares teams are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.challenge import Challenge
from scoring.comparison import verdict
from scoring.comparison.compare import Comparison
from scoring.comparison.scale import Scale
from scoring.text import markdown


@dataclass(frozen=True)
class Compared:
    """shown: places, in `comparison.scored`, of the teams that are drawn. key: of all that the comparison was
    made of."""

    challenge: Challenge[Any, Any]
    comparison: Comparison
    truth: object
    truth_key: str
    key: tuple
    scale: Scale
    shown: Sequence[int]

    @property
    def names(self) -> list[str]:
        """The teams that are drawn, best first."""
        return [self.comparison.scored[place] for place in self.shown]

    @property
    def method(self) -> str:
        """Which of many teams are drawn, then n, unit, replicates and seed, for captions. Markdown of our
        own."""
        drawn, total = len(self.shown), len(self.comparison.scored)
        few = "" if drawn == total else f"{drawn} of {total} teams are drawn: the first and the chosen one. "
        return few + markdown(verdict.method(self.comparison))
