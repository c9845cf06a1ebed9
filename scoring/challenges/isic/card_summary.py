"""Numbers that the views of an ISIC scorecard need. No official number depends on them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.challenges.isic.measures import MEANS, RANKED_BY, malignancy
from scoring.challenges.isic.official_rejections import REFUSES
from scoring.common.findings import Finding
from scoring.core.scorecard import ScoreCard
from scoring.core.submission import table_of

NO_CALL = {"ppv": "sensitivity", "npv": "specificity"}
"""Predictive value -> measure that is 0 if there are no predictions behind this value. Without a positive (or
negative) prediction, the official rule sets the predictive value to 1."""


def ranking(card: ScoreCard) -> tuple[str, str]:
    """Return the metric that is the score, such as "macro_f1", and the measure of which it is the mean over
    the categories, such as "f1"."""
    metric = RANKED_BY[card.provenance["options"]["metric"]]
    return metric, MEANS[metric]


def chance(card: ScoreCard) -> float | None:
    """Return the score of guessing: 1/K for balanced accuracy, 1/2 for the area under the ROC curve. None if
    the score depends on how one guesses."""
    return {"recall": 1 / len(card.per_class), "auc": 0.5}.get(ranking(card)[1])


def smallest(card: ScoreCard) -> tuple[str, int] | None:
    """Return the category with the fewest cases, and its number of cases. Categories without cases are
    ignored; None if all are."""
    supports = {name: entry["support"] for name, entry in card.per_class.items() if entry["support"]}
    return min(supports.items(), key=lambda item: item[1]) if supports else None


def case_worth(card: ScoreCard) -> dict[str, float]:
    """Return for each category how many points one more correct case adds to the score, largest first. Empty
    if the score is not a mean of recalls, or if cases have different weights."""
    weights = card.arrays["score_weights"]
    if ranking(card)[1] != "recall" or np.ptp(weights[weights > 0]) > 0:
        return {}
    worth = {
        name: entry["score_worth"] / entry["support"]
        for name, entry in card.per_class.items()
        if entry["recall"] is not None
    }
    return dict(sorted(worth.items(), key=lambda item: -item[1]))


def absent(card: ScoreCard) -> list[str]:
    """Return the categories without cases."""
    return [name for name, entry in card.per_class.items() if not entry["support"]]


def risks(card: ScoreCard) -> dict[str, str]:
    """Return the risk group of each malignant category; other categories have none."""
    return dict.fromkeys(card.more["malignant"], "malignant")


def no_call(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the measures of a category that are 1 only because nothing was predicted: ppv if there is no
    positive prediction, npv if there is no negative one."""
    return tuple(name for name, missed in NO_CALL.items() if entry[name] == 1 and entry[missed] == 0)


def points_at_half(card: ScoreCard) -> dict[str, dict[str, tuple[float, float] | None]]:
    """Return for each category the points on its curves at the threshold 0.5; None if undefined.

    Returns:
        "roc": (1 - specificity, sensitivity); "pr": (recall, precision).
    """
    points = {}
    for name, entry in card.per_class.items():
        sensitivity, specificity = entry["sensitivity"], entry["specificity"]
        roc = None if sensitivity is None or specificity is None else (1 - specificity, sensitivity)
        points[name] = {
            "roc": roc,
            "pr": None if sensitivity is None or "ppv" in no_call(entry) else (sensitivity, entry["ppv"]),
        }
    return points


def prevalence(card: ScoreCard, malignant: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of malignant and benign cases for a chosen set of malignant categories."""
    grouping = malignancy(tuple(card.per_class), card.arrays["truth"], card.arrays["outputs"], malignant)
    positive = grouping.positive[card.arrays["score_weights"][grouping.members] > 0]
    return int(positive.sum()), int((~positive).sum())


def to_fix(card: ScoreCard) -> list[Finding]:
    """Return findings about files that Benchside can read but the official scorer refuses."""
    return [finding for finding in card.findings if REFUSES in finding.message]


def fixed_predictions(card: ScoreCard, id_name: str) -> str:
    """Return predictions as a file that the official scorer accepts: normalised ids, categories of the truth,
    plain numbers."""
    return table_of([c["case"] for c in card.cases], card.arrays["outputs"], list(card.per_class), id_name)
