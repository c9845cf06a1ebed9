"""PUMA in comparisons of teams."""

from functools import partial

import numpy as np

from scoring.challenges.puma.formula import METRICS, categories_of_sums, score_of_sums
from scoring.challenges.puma.options import RULE
from scoring.core.comparison_spec import ComparisonSpec
from scoring.core.scorecard import ScoreCard
from scoring.metrics.classification import mean_of_defined
from scoring.statistics.mcnemar_delong_wilcoxon import Sample


def correct(card: ScoreCard) -> np.ndarray:
    """Return the mean F1 of the classes in each image [N]; NaN for an image without classes."""
    return mean_of_defined(card.arrays["f1"])


def sample(_card: ScoreCard, _metric: str) -> Sample | None:
    """Return None: no metric of nuclei is a mean over images for a paired test."""
    return None


COMPARISON = ComparisonSpec(
    offered=RULE.name,
    metrics=(*METRICS.values(), "micro_f1", "micro_precision", "micro_recall"),
    class_measures=("f1",),
    correct=correct,
    sample=sample,
    score_of_sums=lambda card: partial(score_of_sums, card.provenance["options"]["rules"]),
    categories=lambda card: categories_of_sums(card.provenance["options"]["rules"], len(card.per_class)),
    slice_measures={},
)
