"""Options of ISIC."""

from dataclasses import dataclass
from typing import Any

from scoring.challenges.isic.categories import MALIGNANT
from scoring.challenges.isic.measures import RANKED_BY
from scoring.core.options import Option, Values

PAGE_RULES = "milk10k-page"

GROUP = Option(
    name="group",
    help="column of the truth that names the unit, so that it is not read as a category",
    metavar="COLUMN",
    stages=("truth",),
)
METRIC = Option(
    name="metric",
    help=f"metric that ranks: {', '.join(RANKED_BY)} (default balanced_accuracy)",
    values=tuple(RANKED_BY),
    label="Ranked by",
    value_labels={
        None: "balanced accuracy",
        "auc": "macro AUC",
        "ap": "macro average precision",
        "dice": "macro F1",
    },
    explain="2018 and 2019 rank by balanced accuracy, MILK10k by macro F1.",
)
MALIGNANT_CATEGORIES = Option(
    name="malignant",
    help="the malignant categories (default: those of the truth among " + ", ".join(MALIGNANT) + ")",
    metavar="A,B,...",
)
RULES = Option(
    name="rules",
    help="official (default: above 0.5 is positive), or milk10k-page (0.5 itself too)",
    default="official",
    values=("official", PAGE_RULES),
    label="Positive is a score",
    value_labels={"official": "above 0.5, official", PAGE_RULES: "0.5 and above, MILK10k page"},
    explain=(
        "This file holds scores of exactly 0.5. The MILK10k page counts these scores as positive (≥ 0.5), "
        "but every version of the MILK10k scorer does not (> 0.5)."
    ),
)
CATEGORIES = Option(
    name="categories",
    help=(
        "names of the model's outputs in order (default: the model's entry `categories`, or the preset with "
        "the same number of categories)"
    ),
    metavar="A,B,...",
    stages=("predict",),
)
OPTIONS = (GROUP, METRIC, MALIGNANT_CATEGORIES, RULES, CATEGORIES)
MEANS = {
    "balanced_accuracy": "recalls",
    "auc": "areas under the ROC curve",
    "ap": "average precisions",
    "dice": "F1, positive {} 0.5",
}
"""Metric -> measure of a category. The metric is the unweighted mean of this measure over the categories."""


def formula(values: Values) -> str:
    """Return the formula of the score as one line of text."""
    metric = values.get(METRIC.name) or "balanced_accuracy"
    name = METRIC.value_labels.get(metric) or METRIC.value_labels[None]
    above = "at or above" if values.get(RULES.name) == PAGE_RULES else "above"
    return f"{name}: the plain mean of the categories' {MEANS[metric].format(above)}"


@dataclass(frozen=True)
class IsicOptions:
    """The options that change a score.

    Attributes:
        metric: Official name of the metric that ranks submissions; None if it is not given.
        rules: "official" or "milk10k-page".
    """

    metric: str | None
    malignant: tuple[str, ...]
    rules: str

    @property
    def ranked_by(self) -> str:
        return self.metric or "balanced_accuracy"

    @property
    def inclusive(self) -> bool:
        """Whether a score of exactly 0.5 is positive."""
        return self.rules == PAGE_RULES

    def as_dict(self) -> dict[str, Any]:
        return {"metric": self.ranked_by, "malignant": list(self.malignant), "rules": self.rules}
