"""Direction (is higher better?) and range of a number."""

import math
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from scoring.common.arrays import Floats

SCORE = "score"
"""Name under which the score is listed among the metrics."""
Better = Literal["higher", "lower"]
Values = TypeVar("Values", float, Floats)


@dataclass(frozen=True)
class Quantity:
    """Direction and range of a number.

    Attributes:
        range: Lowest and highest possible value; infinite without a limit.
    """

    better: Better = "higher"
    range: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        """Check the fields. Raises ValueError for an unknown direction, or for a range that does not have two
        different ends."""
        low, high = self.range
        if self.better not in ("higher", "lower"):
            raise ValueError(f'better is "higher" or "lower", not {self.better!r}')
        if not low < high:
            raise ValueError(f"a range goes from a lower to a higher number, not from {low} to {high}")

    @property
    def sign(self) -> int:
        """1 if higher is better, else -1."""
        return 1 if self.better == "higher" else -1

    @property
    def superlative(self) -> str:
        """Word for the best of several values: "highest" or "lowest"."""
        return "highest" if self.better == "higher" else "lowest"

    @property
    def is_bounded(self) -> bool:
        """Whether the range has both limits."""
        return math.isfinite(self.range[0]) and math.isfinite(self.range[1])

    @property
    def best(self) -> float:
        """The best possible value, which may be infinite."""
        return self.range[self.better == "higher"]

    @property
    def worst(self) -> float:
        """The worst possible value, which may be infinite."""
        return self.range[self.better == "lower"]

    @property
    def words(self) -> str:
        """The range as text: "from 0 to 1", "0 or more"."""
        low, high = self.range
        if self.is_bounded:
            return f"from {low:g} to {high:g}"
        if math.isfinite(low):
            return f"{low:g} or more"
        return f"{high:g} or less" if math.isfinite(high) else "any number"

    def oriented(self, values: Values) -> Values:
        """Return values [...] with the sign changed if lower is better, so that larger is better."""
        return self.sign * values

    def goodness(self, values: Floats) -> Floats:
        """Map values [...] to 0 (worst end of the range) to 1 (best end), for colours. If a limit of the
        range is missing, the worst or best of the values is used instead. NaN stays NaN."""
        finite = values[np.isfinite(values)]
        worst, best = self.worst, self.best
        if not self.is_bounded and len(finite):
            ends = [float(finite.min()), float(finite.max())]
            worst, best = ends if self.better == "higher" else reversed(ends)
        if worst == best:
            return np.where(np.isnan(values), np.nan, 1.0)
        return (values - worst) / (best - worst)

    def order(self, value: float | None) -> float:
        """Return a key for sorting. A larger key is better; the key of an undefined value (None, NaN) is the
        worst."""
        return -math.inf if value is None or value != value else float(self.sign * value)

    def improves(self, value: float, on: float | None, step: float = 0.0) -> bool:
        """Return whether a value is better than another by more than a step; every value counts as better
        than None."""
        return on is None or self.order(value) > self.order(on) + step

    def holds(self, value: float, rounding: float = 0.0) -> bool:
        """Return whether a value lies in the range, within rounding error."""
        return self.range[0] - rounding <= value <= self.range[1] + rounding


SHARE = Quantity()
"""Quantity of a share: from 0 to 1, higher is better."""
COUNT = Quantity(range=(0.0, math.inf))
"""Quantity of a count, such as a number of cases: 0 or more; its direction is not used."""
LOSS = Quantity("lower", (0.0, math.inf))
"""Quantity of a loss: 0 or more, lower is better."""
