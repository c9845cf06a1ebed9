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
    """Something that was read: a truth or predictions."""

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
    """A part of a score that is a weighted sum. weight: its points out of 100."""

    name: str
    short_name: str
    weight: float


@dataclass(frozen=True)
class ScoreSettings:
    """Settings for scoring predictions.

    Attributes:
        statistics: Number of replicates, seed, unit and kind of interval.
        metadata: A table joined to the truth by case id, with columns for subgroups and units.
        with_curves: Whether the card contains curves with bands; comparisons need none.
        ranges: Lowest and highest possible value of the score and of metrics, if not 0 and 1. Intervals need
            them (`scoring.statistics.interval_basis.Basis`).
        problems: `bad-option` for options that are not allowed; they are reported together with all other
            problems.
    """

    options: Values
    statistics: StatisticsOptions
    metadata: Source | None = None
    with_curves: bool = True
    problems: tuple[Finding, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scoring(Generic[Truth, Predictions]):
    """How a challenge scores predictions.

    Attributes:
        score: (truth, predictions, settings) -> the scorecard.
        range: Lowest and highest possible score; infinite if there is no limit.
        metrics: Direction and range by name, for metrics and class measures that are not "0 to 1, higher is
            better".
        parts: The weighted parts of the score by metric; empty if the score is not a weighted sum.
        as_points: Whether a score of 0 to 1 is shown as 0 to 100 points.
        outputs: Additional files that the command `score` can write.
        unit: Column that says which cases belong together, such as those of a patient; None: the usual
            columns.
        bounded_by_labels: Whether guessing gains little in every ranking metric as long as little is known of
            the labels. This holds for shares of correct cases, F scores, AUC and average precision of
            classes. It does not hold for precision (one known case brings it to 1), correlations, errors,
            survival and objects.
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
        """Direction of the score as text: "higher is better"."""
        return f"{self.better} is better"

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest possible value of the score, and of metrics with their own range."""
        return {SCORE: self.range, **{name: quantity.range for name, quantity in self.metrics.items()}}

    def quantity(self, name: str = SCORE) -> Quantity:
        """Return direction and range of the score or a metric.

        Args:
            name: "score", a name in the card's `metrics`, or MEASURE/CLASS.
        """
        if name == SCORE:
            return Quantity(self.better, self.range)
        return self.metrics.get(name) or self.metrics.get(name.partition("/")[0], SHARE)
