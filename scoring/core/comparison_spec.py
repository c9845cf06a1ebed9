"""Declaration of what comparisons of teams need from a challenge: `Challenge.comparison`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.findings import Finding
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, PairedSample, ScoreSample
from scoring.statistics.permutation_test import Categories, Score

Value = Callable[[str], NDArray[np.float64]]
"""Function from the name of a metric to its values: [1] on the test set itself, or [B] on the replicates."""

Groups = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Column of subgroups -> group -> measures of the group."""


@dataclass(frozen=True)
class FormulaParameter:
    """A parameter of a score's formula that visitors can change to ask "what if".

    Attributes:
        label: Its name on a page.
        usual: The value that the challenge uses.
        low: Lowest value that the page offers.
        high: Highest value that the page offers.
    """

    name: str
    label: str
    usual: float
    low: float
    high: float


@dataclass(frozen=True)
class WhatIf:
    """How a score is computed with other parameters of its formula.

    Attributes:
        rescore: (metrics of one team, parameters by name) -> the score, in the shape of the metrics; NaN if
            undefined. Constants of a team (such as its model's size) are passed as metrics and are equal in
            all replicates.
    """

    parameters: tuple[FormulaParameter, ...]
    rescore: Callable[[Value, Mapping[str, float]], NDArray[np.float64]]


def mean_of_parts(names: Sequence[str], value: Value, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the weighted mean of the parts of a score; NaN if the weights sum to 0. A part with weight 0 may
    be undefined.

    Args:
        value: Function that returns a part by its name.
        weights: Weights by name, 0 or more.
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
        share: Share of these three parts in the score, 0 to 1.
        others: Description of the rest of the score; empty if there is none.
        by_rank: Whether the challenge also ranks teams by weighted ranks of the parts.
    """

    metrics: tuple[str, str, str]
    weights: tuple[float, float, float]
    share: float
    by_rank: bool
    others: str = ""


@dataclass(frozen=True)
class Ranking:
    """A ranking rule that the challenge defines itself.

    Attributes:
        ranks: Rank by team; if two teams share the first rank, ranks are 1, 1, 3.
        of_teams: Additional entries of each team in `comparison.json`.
        options: Settings of the ranking, for the provenance.
        places: int [B] by team: its rank in each replicate in which every team has a score. None if score
            differences already show how certain the ranks are.
        name: Name of the quantity that orders the teams ("weighted rank"); empty if it is the score.
        values: This quantity by team, lower is better; empty if the score orders the teams.
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
    """Metrics that order the teams instead of the score.

    Attributes:
        in_cases: Whether teams are ranked on each case separately.
    """

    words: str
    metrics: tuple[str, ...]
    in_cases: bool = False


def slices_of(card: ScoreCard) -> Groups:
    """Return the card's `slices`; empty if it has none."""
    slices: Groups = card.more.get("slices", {})
    return slices


@dataclass(frozen=True)
class SizeRule:
    """How the size of a model affects the score.

    Attributes:
        option: Name of the `score` option for the size, for teams that submit only predictions.
        part: Name of the part of the score that depends on the size ("efficiency").
        limits_mib: Two model sizes in MiB: at the first this part begins to fall, at the second it is at its
            minimum.
    """

    option: str
    part: str
    limits_mib: tuple[float, float]


@dataclass(frozen=True)
class ComparisonSpec:
    """What can be compared between the teams of a challenge.

    Attributes:
        metrics: Metrics each of which can rank teams, the score's parts first; `Scoring.metrics` has their
            direction.
        class_measures: Names in `per_class` by which teams are compared in a class; the first that the class
            has is used. Replicates are stored under (measure, class).
        correct: Function from a card to the value of each case [N]: 1 if the prediction is right, lower if
            not, NaN for a case that does not count.
        parts: Like `correct`, for parts of the score that `correct` does not cover; used to show the effect
            of a corrected truth.
        case_value: Direction and range of `correct`, if its values are not from 0 (wrong) to 1 (right) but,
            for example, errors in years.
        sample: Function that returns the data of a metric for a paired test; None if the bootstrap is the
            test.
        slice_measures: Measures of a row of `slices` that are compared. Each has two names: of the metric
            that equals it on all cases, and of its number of cases in the row.
        score_of_sums: Function from a card to another function, which computes the score, up to a constant
            per team, from sums over units [..., K] of `arrays["unit_sums"]`. The swap test uses it to decide
            which teams differ. None: no teams are called different.
        categories: Function from a card to the sums that count right answers and cases in each category that
            the score averages; None: there are none.
        slices: Function from a card to column -> group -> row.
        what_if: The score with other parameters, if its formula has parameters.
        weight_map: Three weighted parts of the score, if it has them.
        size: How the size of a model affects the score; None: it does not.
        tie_break: The metric that orders equal scores; None: teams with equal scores share a rank.
        rank: Function from the cards and the options of `compare` to the challenge's own ranking; None: teams
            are ranked by score.
        ranked_by: The metrics of `rank`, if only metrics decide the ranks; None otherwise.
        offered: Name of the option that visitors can set for all teams on the page of comparisons; empty: no
            option.
    """

    metrics: tuple[str, ...]
    class_measures: tuple[str, ...]
    correct: Callable[[ScoreCard], NDArray[np.float64]]
    sample: Callable[[ScoreCard, str], PairedSample | None]
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
        """Sentence that says how ranks order the teams, with a blank before it; "" if the score orders
        them."""
        return f" {self.ranked_by.words}" if self.ranked_by else ""


def correct_labels(card: ScoreCard) -> NDArray[np.float64]:
    """Return 1 if the label equals the truth, else 0; NaN for a case without a true label or without weight
    [N]."""
    truth, predicted = card.arrays["truth"], card.arrays["predicted"]
    counts = (truth >= 0) & (card.arrays.get("score_weights", np.ones(len(truth))) > 0)
    return np.where(counts, truth == predicted, np.nan).astype(float)


def of_labels(
    card: ScoreCard, metric: str, malignant: Sequence[int] = (), classes: Sequence[str] = ()
) -> PairedSample | None:
    """Return the data of a classification metric for a paired test.

    Args:
        metric: "accuracy", "recall/CLASS", "auc/CLASS", "malignant_sensitivity" or "malignant_specificity".
        malignant: Numbers of the malignant classes.

    Returns:
        The data; None for any other metric, and if cases have different weights or lack outputs.
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
