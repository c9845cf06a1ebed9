"""Units and decimals of a challenge's scores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.common.direction_and_range import Better
from scoring.core.challenge import Challenge
from scoring.presentation.figures.number_format import decimal, span


@dataclass(frozen=True)
class Scale:
    """Unit in which scores are shown.

    Attributes:
        factor: Number by which a score is multiplied to give the shown value, such as 100.
        digits: Decimals of a shown score; its intervals have `digits_of_intervals`.
        unit: Name of the unit.
    """

    factor: float
    digits: int
    digits_of_intervals: int
    unit: str
    better: Better = "higher"

    @property
    def too(self) -> str:
        """Direction in which chance moves the best of several scores: "high", or "low" if lower is better."""
        return "high" if self.better == "higher" else "low"

    def number(self, value: float | None, sign: bool = False) -> str:
        return decimal(self.points(value), self.digits, sign)

    def points(self, value: float | None) -> float | None:
        return None if value is None else self.factor * value

    def rough(self, value: float) -> str:
        """Return a value with one significant digit: "0.03", "2"."""
        rounded = float(f"{self.factor * value:.0e}")
        return f"{rounded:.{max(0, -math.floor(math.log10(abs(rounded))))}f}" if rounded else "0"

    def span(self, pair: Sequence[float] | None, sign: bool = False) -> str:
        return span(pair, self.digits_of_intervals, self.factor, sign)

    def scaled(self, pair: Sequence[float] | None) -> list[float] | None:
        return None if pair is None else [self.factor * value for value in pair]

    def words(self, value: float | None) -> str:
        """Return a score with its unit as text, such as "82.87 points of 100"."""
        return (
            f"{self.number(value)} {self.unit}" if self.factor != 1 else f"{self.unit} {self.number(value)}"
        )


def of(challenge: Challenge[Any, Any]) -> Scale:
    """Return the scale of a challenge: points out of 100 if the challenge uses points, otherwise the unit of
    the score itself."""
    better = challenge.scoring.better
    if challenge.scoring.as_points:
        return Scale(100, 2, 1, "points of 100", better)
    return Scale(1, 3, 3, "score", better)
