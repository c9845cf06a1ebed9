"""The declaration that comparisons of teams need of a challenge: `Challenge.comparison`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.findings import Finding
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, Sample, ScoreSample
from scoring.statistics.permutation_test import Categories, Score

Value = Callable[[str], NDArray[np.float64]]
"""Gives a metric by name: [1] of the test set itself or [B] of its replicates."""

Groups = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Column -> group -> row of measures."""


@dataclass(frozen=True)
class FormulaParameter:
    """A number in a score's formula that can be changed to ask "what if".

    Attributes:
        name: Its key.
        label: Its name on a page.
        usual: The challenge's own value.
        low: Lowest value that is offered.
        high: Highest value that is offered.
    """

    name: str
    label: str
    usual: float
    low: float
    high: float


@dataclass(frozen=True)
class WhatIf:
    """A score under other parameters.

    Attributes:
        rescore: (metrics of one team, parameters by name) -> the score, shaped as the metrics; NaN where
            undefined. Constants of the formula (a model's size) are read as metrics and hold in every
            replicate.
    """

    parameters: tuple[FormulaParameter, ...]
    rescore: Callable[[Value, Mapping[str, float]], NDArray[np.float64]]


def mean_of_parts(names: Sequence[str], value: Value, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the weighted mean of the parts of a score; NaN if the weights sum to 0. A part
    without weight may be undefined.

    Args:
        names: Of the parts.
        value: Gives a part by its name.
        weights: Weights by name, at least 0.
    """
    total, nothing = sum(weights[name] for name in names), np.zeros_like(value(names[0]))
    if total <= 0:
        return np.full_like(nothing, np.nan)
    return np.asarray(sum((weights[name] * value(name) for name in names if weights[name]), nothing) / total)


@dataclass(frozen=True)
class WeightMap:
    """Three parts of the score whose weights sum to 1.

    Attributes:
        metrics: Their names in `metrics`.
        share: What all three are worth in the score, 0 to 1.
        others: The rest of the score, in words; empty where there is none.
        by_rank: Whether the challenge also ranks by weighted ranks of the parts.
    """

    metrics: tuple[str, str, str]
    weights: tuple[float, float, float]
    share: float
    by_rank: bool
    others: str = ""


@dataclass(frozen=True)
class Ranking:
    """An order of teams that the challenge defines itself.

    Attributes:
        ranks: Rank by team; teams that share a rank are 1, 1, 3.
        of_teams: Further entries of each team in `comparison.json`.
        options: How teams were ordered, for the provenance.
        findings: Findings about the order.
        places: int [B] by team, its place in the replicates in which every scored team has a score; None
            where ranks are as certain as the scores are separated.
        name: What the order goes by, in words ("weighted rank"); empty where it goes by the score.
        values: That quantity by team, the smaller the better; empty where the order goes by the score.
    """

    ranks: Mapping[str, int]
    of_teams: Mapping[str, Mapping[str, Any]]
    more: Mapping[str, Any]
    options: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()
    places: Mapping[str, NDArray[np.int_]] | None = None
    words: str = ""
    name: str = ""
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class RankedBy:
    """What orders teams besides the score. words: a sentence; metrics: the names of what it takes; in_cases:
    whether it takes them of every case by itself."""

    words: str
    metrics: tuple[str, ...]
    in_cases: bool = False


def slices_of(card: ScoreCard) -> Groups:
    """Return the card's `slices`, nothing where it has none."""
    slices: Groups = card.more.get("slices", {})
    return slices


@dataclass(frozen=True)
class SizeRule:
    """How the size of a model counts in a score.

    Attributes:
        option: Name of the option of `score` that gives the size where only a team's predictions are known.
        part: The part of the score that the size makes, in words ("efficiency").
        limits_mib: Sizes from which the score falls, and at which all that size can cost is lost.
    """

    option: str
    part: str
    limits_mib: tuple[float, float]


@dataclass(frozen=True)
class ComparisonSpec:
    """What can be compared between teams of one challenge.

    Attributes:
        metrics: Metrics worth ranking by alone, the score's parts first; `Scoring.metrics` has their
            direction.
        class_measures: Which entry of `per_class` compares a class: the first that its row has. Replicates
            are kept under (measure, class).
        correct: A card's value of each case [N]: 1 where the team is right, less where it is not, NaN for a
            case that does not count.
        parts: Like `correct`, of parts of the score that it does not see; asked where a truth changed.
        case_value: Direction and range of `correct`, where that is not a degree of being right (an error in
            years).
        sample: What a paired test takes of a card for a metric; None where the bootstrap is the test.
        slice_measures: Measures of a row of `slices` that are compared, each with the metric that is the
            same for all cases and the row's number of cases that it counts.
        score_of_sums: From a card, the score of sums over units [..., K] of what `arrays["unit_sums"]` holds,
            up to a constant of the team; for telling teams apart. None: nobody is told apart.
        categories: From a card, which of these sums count the answers to categories that the score averages,
            however few cases they hold; None: there are none.
        slices: A card's column -> group -> row.
        what_if: The score under other parameters, where its formula has any.
        weight_map: Three weighted parts of the score, where it has them.
        size: How the size of a model counts in the score; None: it does not.
        tie_break: The metric that orders equal scores; None: they share a rank.
        rank: An order of its own, from the cards and the options of `compare`; None: by score.
        ranked_by: The metrics of that order, where their values tell it; None: not by metrics alone.
        offered: Name of the option that the page of comparisons offers for all teams; empty: none.
    """

    metrics: tuple[str, ...]
    class_measures: tuple[str, ...]
    correct: Callable[[ScoreCard], NDArray[np.float64]]
    sample: Callable[[ScoreCard, str], Sample | None]
    slice_measures: Mapping[str, tuple[str, str]]
    score_of_sums: Callable[[ScoreCard], Score | None] | None = None
    categories: Callable[[ScoreCard], Categories | None] | None = None
    slices: Callable[[ScoreCard], Groups] = slices_of
    what_if: WhatIf | None = None
    weight_map: WeightMap | None = None
    parts: tuple[Callable[[ScoreCard], NDArray[np.float64]], ...] = ()
    case_value: Quantity = SHARE
    size: SizeRule | None = None
    tie_break: str | None = None
    rank: Callable[[Mapping[str, ScoreCard], Values], Ranking] | None = None
    ranked_by: RankedBy | None = None
    offered: str = ""

    @property
    def order(self) -> str:
        """What orders the teams where their ranks do: a sentence after a blank; "" elsewhere."""
        return f" {self.ranked_by.words}" if self.ranked_by else ""


def correct_labels(card: ScoreCard) -> NDArray[np.float64]:
    """Return 1 where the label is that of the truth, else 0; NaN for a case without a true label or without
    weight [N]."""
    truth, predicted = card.arrays["truth"], card.arrays["predicted"]
    counts = (truth >= 0) & (card.arrays.get("score_weights", np.ones(len(truth))) > 0)
    return np.where(counts, truth == predicted, np.nan).astype(float)


def of_labels(
    card: ScoreCard, metric: str, malignant: Sequence[int] = (), classes: Sequence[str] = ()
) -> Sample | None:
    """Return the sample of a metric of labelled cases, for a paired test.

    Args:
        metric: "accuracy", "recall/CLASS", "auc/CLASS", "malignant_sensitivity" or "malignant_specificity".
        malignant: Numbers of the malignant classes.
        classes: Names of the classes, by number.

    Returns:
        The sample; None for any other metric, and where cases weigh differently or lack outputs.
    """
    truth, predicted = card.arrays["truth"], card.arrays["predicted"]
    if np.ptp(card.arrays.get("score_weights", np.ones(len(truth)))) > 0:
        return None
    kind, _, name = metric.partition("/")
    ill, flagged = np.isin(truth, malignant), np.isin(predicted, malignant)
    if metric == "accuracy":
        return BinarySample((truth == predicted)[truth >= 0])
    if kind == "recall" and name in classes:
        return BinarySample((truth == predicted)[truth == classes.index(name)])
    if metric == "malignant_sensitivity":
        return BinarySample(flagged[ill])
    if metric == "malignant_specificity":
        return BinarySample(~flagged[~ill])
    if kind == "auc" and name in classes and not np.isnan(card.arrays["outputs"]).any():
        number = classes.index(name)
        return ScoreSample(card.arrays["outputs"][:, number], truth == number)
    return None
