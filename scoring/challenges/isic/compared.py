"""ISIC in comparisons."""

import numpy as np

from scoring.comparable import Comparable, of_labels, right_labels
from scoring.scorecard import ScoreCard
from scoring.statistics.paired import Ordered, Sample


def sample(card: ScoreCard, metric: str) -> Sample | None:
    """McNemar for accuracy and the recall of a category, DeLong for the AUC of a category."""
    kind, _, name = metric.partition("/")
    categories = tuple(card.per_class)
    if kind == "auc" and name in categories and np.ptp(card.arrays["score_weights"]) == 0:
        place = categories.index(name)
        return Ordered(card.arrays["outputs"][:, place], card.arrays["positives"][:, place])
    return of_labels(card, metric, classes=categories)


COMPARABLE = Comparable(
    metrics=("balanced_accuracy", "macro_auc", "accuracy", "macro_average_precision", "macro_f1", "malignant_auc"),
    class_measures=("recall",),
    right=right_labels,
    sample=sample,
    slice_measures={"accuracy": ("accuracy", "n")},
)
