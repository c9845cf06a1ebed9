"""Scoring of a challenge: direction and range, parts, settings, and the scorer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

from scoring.common.direction_and_range import SCORE, SHARE, Better, Quantity
from scoring.common.findings import Finding
from scoring.core.challenge_files import OutputFile
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import Source
from scoring.statistics.interval_options import StatisticsOptions


class Input(Protocol):
    """Something that was read: a truth, or predictions."""

    @property
    def name(self) -> str: ...
    @property
    def findings(self) -> Sequence[Finding]: ...


class TestSet(Input, Protocol):
    """A truth: its length is the number of cases."""

    def __len__(self) -> int: ...


Truth = TypeVar("Truth", bound=TestSet)
Predictions = TypeVar("Predictions", bound=Input)


class ScoreBreakdownPart(NamedTuple):
    """A part of a score that is a weighted sum. weight: the points of 100 that it decides."""

    name: str
    short_name: str
    weight: float


@dataclass(frozen=True)
class ScoreSettings:
    """How predictions are scored.

    Attributes:
        statistics: Replicates, seed, unit and kind of interval.
        metadata: A table joined to the truth by case id, for slices and units.
        with_curves: Whether the card keeps curves with bands; comparisons need none.
        ranges: Lowest and highest possible value of the score and of metrics, where that is not 0 and 1: what
            intervals need to know (`scoring.statistics.interval_basis.Basis`).
        problems: `bad-option` for options that are not allowed: to be refused together with everything else
            that is wrong.
    """

    options: Values
    statistics: StatisticsOptions
    metadata: Source | None = None
    with_curves: bool = True
    problems: tuple[Finding, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scoring(Generic[Truth, Predictions]):
    """How predictions of a challenge are scored.

    Attributes:
        score: (truth, predictions, settings) -> everything that is shown anywhere.
        range: Lowest and highest possible score; infinite where there is none.
        metrics: Direction and range of metrics and class measures by name, of those that are not from 0 to 1
            with higher ones better.
        parts: The weighted parts of the score by metric; empty where it is not a weighted sum.
        as_points: Whether the score 0..1 is shown as points of 100.
        outputs: Further files of the command `score`.
        unit: Column of the cases that belong together, such as a patient; None: the usual ones.
        bounded_by_labels: Whether somebody who only guesses gains little, in all that teams are ranked by,
            while little is told of the labels: shares of right cases, F scores, AUC and average precision of
            classes. Not so precision, which one known case brings to 1, correlations, errors, survival and
            objects.
    """

    score: Callable[[Truth, Predictions, ScoreSettings], ScoreCard]
    better: Better = "higher"
    range: tuple[float, float] = SHARE.range
    metrics: Mapping[str, Quantity] = field(default_factory=dict)
    parts: Mapping[str, ScoreBreakdownPart] = field(default_factory=dict)
    as_points: bool = False
    outputs: tuple[OutputFile, ...] = ()
    unit: str | None = None
    bounded_by_labels: bool = False

    @property
    def direction(self) -> str:
        """The direction of the score in words: "higher is better"."""
        return f"{self.better} is better"

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest possible value of the score and of metrics that have a range of their own."""
        return {SCORE: self.range, **{name: quantity.range for name, quantity in self.metrics.items()}}

    def quantity(self, name: str = SCORE) -> Quantity:
        """Return direction and range of a number.

        Args:
            name: "score", a name of `metrics` of a card, or MEASURE/CLASS.
        """
        if name == SCORE:
            return Quantity(self.better, self.range)
        return self.metrics.get(name) or self.metrics.get(name.partition("/")[0], SHARE)
