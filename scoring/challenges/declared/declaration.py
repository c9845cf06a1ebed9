"""A challenge as data: the checked content of a file NAME.toml, without code."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.common.arrays import Floats
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.text import unit_of
from scoring.metrics.registry import Metric
from scoring.metrics.task_cases import Cases

FORMAT: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("format.toml").read_text("utf-8"))
"""The parsed `format.toml`: allowed keys, and tasks with their requirements."""
TASKS: Mapping[str, Mapping[str, Any]] = FORMAT["tasks"]
MISSING: Mapping[str, Mapping[str, str]] = FORMAT["missing"]
"""Rule for cases without a usable prediction -> label of the rule, and end of a message about such a case."""
GRADED = ("classification", "ordinal")
"""Tasks with one class per case."""
DIGEST = 10
"""Number of characters of the SHA-256 in the id of a declared challenge."""


@dataclass(frozen=True)
class ChallengeIdentity:
    """Name and origin of a challenge.

    Attributes:
        source: Reference for the scoring rule.
        citation: Keys `doi`, `url` or `text` of a paper.
    """

    id: str
    title: str
    about: str
    source: str = ""
    citation: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TruthColumns:
    """Keys of the section [truth], which `docs/schema/challenge.json` explains. `label` is None if each class
    has a column of 0 and 1."""

    case: str = "case"
    label: str | None = None
    value: str | None = None
    time: str | None = None
    event: str | None = None
    unit: str | None = None
    places: tuple[str, ...] = ()
    boxes: str = "corners"
    radius: str | None = None


@dataclass(frozen=True)
class PredictionColumns:
    """Keys of the section [predictions], which `docs/schema/challenge.json` explains.

    Attributes:
        scores: Whether every class has a column with its score.
        threshold: A class is predicted if its score is above this. None: the class with the largest score
            is predicted.
    """

    case: str
    label: str | None = None
    scores: bool = False
    score: str | None = None
    value: str | None = None
    risk: str | None = None
    threshold: float | None = None
    ties: str = "first"
    missing: str = "refuse"


@dataclass(frozen=True)
class MetricUse:
    """A metric with its options. `key` is the name of the metric in scorecards. `weight` is the weight of the
    metric in the score."""

    metric: Metric
    key: str
    options: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0

    def option(self, name: str) -> Any:
        """Return the value of an option, or its default if the file does not set it."""
        return self.options.get(name, self.metric.parameters[name].default)

    def compute(self, cases: Cases, weights: Floats) -> Floats:
        """Return the metric for every row of weights [B, N]; NaN if undefined."""
        return self.metric.compute(cases, weights, **self.options)

    @property
    def quantity(self) -> Quantity:
        """Direction and range of the metric."""
        return Quantity(self.metric.better, self.metric.range)

    @property
    def title(self) -> str:
        """Standard name of the metric with options and unit, such as "F1 (average macro)"."""
        told = [_told(key, value) for key, value in self.options.items()]
        listing = ", ".join(filter(None, [*told, unit_of(self.metric.name)]))
        return f"{self.metric.title}{f' ({listing})' if listing else ''}"


def _told(key: str, value: object) -> str:
    """Return an option as people write it, such as "tolerance 2 mm". For a class or region, return its
    name."""
    if key == "class":
        return str(value)
    words = key.removesuffix("_mm").replace("_", " ")
    return f"{words} {value}{' mm' * key.endswith('_mm')}"


@dataclass(frozen=True)
class RankingRule:
    """Rule for the order of teams.

    Attributes:
        metrics: Names (in scorecards) of the metrics that rank teams; empty: all metrics.
    """

    by: str = "score"
    ties: str = "min"
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declaration:
    """A challenge as its file declares it.

    Attributes:
        classes: Names of the classes (ascending for ordinal tasks), of the labels, or of the regions of a
            mask.
        regions: Name of a region -> its values in masks.
        score: The metric that is the score, or the metrics of a weighted sum.
        tree: The file as parsed by `tomllib`; boards, bundles, cards and the history store it.
        digest: SHA-256 of the declaration, independent of comments and layout.
    """

    about: ChallengeIdentity
    task: str
    classes: tuple[str, ...]
    positive: str | None
    regions: Mapping[str, tuple[int, ...]]
    truth: TruthColumns
    predictions: PredictionColumns
    subgroups: tuple[str, ...]
    score: tuple[MetricUse, ...]
    report: tuple[MetricUse, ...]
    ranking: RankingRule
    tree: Mapping[str, Any] = field(repr=False)
    digest: str

    @property
    def id(self) -> str:
        """The id of the challenge with a digest of this version of the file, such as
        "camelyon17@1f3a9b20c4"."""
        return f"{self.about.id}@{self.digest[:DIGEST]}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes, or of the regions of a mask."""
        return tuple(self.regions) or self.classes

    @property
    def uses(self) -> tuple[MetricUse, ...]:
        """All metrics, beginning with those of the score."""
        known = {use.key for use in self.score}
        return (*self.score, *(use for use in self.report if use.key not in known))

    @property
    def ranked(self) -> tuple[MetricUse, ...]:
        """The metrics that rank the teams; empty if the score ranks them."""
        wanted = self.ranking.metrics
        return tuple(use for use in self.uses if not wanted or use.key in wanted)

    @property
    def quantity(self) -> Quantity:
        """Direction and range of the score."""
        ends = zip(*([use.weight * end for end in use.metric.range] for use in self.score), strict=True)
        low, high = (round(sum(parts), 12) for parts in ends)
        return Quantity(self.score[0].metric.better, (low, high))

    @property
    def as_points(self) -> bool:
        """Whether the score is a sum of parts from 0 to 1, shown as points out of 100."""
        return len(self.score) > 1 and self.quantity == SHARE

    @property
    def positive_place(self) -> int | None:
        """Number of the positive class; None if the file names none."""
        return self.classes.index(self.positive) if self.positive else None

    @property
    def is_graded(self) -> bool:
        """Whether each case has exactly one of several classes (classification and ordinal tasks)."""
        return self.task in GRADED
