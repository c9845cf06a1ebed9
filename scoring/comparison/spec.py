"""What a challenge tells comparisons about itself: `COMPARISON` in its package."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.scorecard import ScoreCard
from scoring.statistics.paired import BinarySample, Sample, ScoreSample

Value = Callable[[str], np.ndarray]
"""Gives a metric by name: [1] of the test set itself or [B] of its replicates."""

Groups = Mapping[str, Mapping[str, Mapping]]
"""Column -> group -> row of measures."""


@dataclass(frozen=True)
class Parameter:
    """A number of a score's formula that one may ask "what if" about. usual: the challenge's own; low, high:
    what is offered."""

    name: str
    label: str
    usual: float
    low: float
    high: float


@dataclass(frozen=True)
class WhatIf:
    """A score under other numbers. recombined: (metrics of one team, knobs by name) -> the score, shaped as
    the metrics; NaN where undefined.

    Constants of the formula (a model's size) are asked for as metrics and hold in every replicate.
    """

    knobs: tuple[Parameter, ...]
    rescore: Callable[[Value, Mapping[str, float]], np.ndarray]


@dataclass(frozen=True)
class WeightMap:
    """Three parts of the score whose weights sum to 1. metrics: their names, larger is better; share: what
    all three are worth in the score, 0..1.

    by_rank: whether the challenge also ranks by weighted ranks of the parts.
    """

    metrics: tuple[str, str, str]
    weights: tuple[float, float, float]
    share: float
    by_rank: bool


def of_slices(card: ScoreCard) -> Groups:
    """What the card's `slices` hold, nothing where it has none."""
    return card.more.get("slices", {})


@dataclass(frozen=True)
class ComparisonSpec:
    """metrics: those worth ranking by alone, larger is better, the score's parts first. class_measures: which
    entry of `per_class` compares a class: the first that its row has; replicates are kept under (measure,
    class). slices: a card's column -> group -> row; slice_measures: those of a row that are compared, each
    with the metric that is the same of all cases and the row's number of cases that it counts.

    right: a card's value of each case [N] that is 1 where the team is right and less where it is not, NaN for
    a case that does not count. sample: what a paired test takes of a card for a metric; None where the
    bootstrap is the test.
    """

    metrics: tuple[str, ...]
    class_measures: tuple[str, ...]
    right: Callable[[ScoreCard], np.ndarray]
    sample: Callable[[ScoreCard, str], Sample | None]
    slice_measures: Mapping[str, tuple[str, str]]
    slices: Callable[[ScoreCard], Groups] = of_slices
    what_if: WhatIf | None = None
    weight_map: WeightMap | None = None


def right_labels(card: ScoreCard) -> np.ndarray:
    """1 where the label is that of the truth, else 0; NaN for a case without a true label or without weight
    [N]."""
    truth, predicted = card.arrays["truth"], card.arrays["predicted"]
    counts = (truth >= 0) & (card.arrays.get("score_weights", np.ones(len(truth))) > 0)
    return np.where(counts, truth == predicted, np.nan).astype(float)


def of_labels(
    card: ScoreCard, metric: str, malignant: Sequence[int] = (), classes: Sequence[str] = ()
) -> Sample | None:
    """The sample of a metric of labelled cases: accuracy, recall/CLASS, auc/CLASS, malignant_sensitivity,
    malignant_specificity.

    None for any other, and where cases weigh differently or lack outputs.
    """
    truth, predicted = card.arrays["truth"], card.arrays["predicted"]
    if np.ptp(card.arrays.get("score_weights", np.ones(len(truth)))) > 0:
        return None
    kind, _, name = metric.partition("/")
    ill, called = np.isin(truth, malignant), np.isin(predicted, malignant)
    if metric == "accuracy":
        return BinarySample((truth == predicted)[truth >= 0])
    if kind == "recall" and name in classes:
        return BinarySample((truth == predicted)[truth == classes.index(name)])
    if metric == "malignant_sensitivity":
        return BinarySample(called[ill])
    if metric == "malignant_specificity":
        return BinarySample(~called[~ill])
    if kind == "auc" and name in classes and not np.isnan(card.arrays["outputs"]).any():
        place = classes.index(name)
        return ScoreSample(card.arrays["outputs"][:, place], truth == place)
    return None
