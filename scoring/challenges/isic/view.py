"""Closer looks at a scored submission of an ISIC Challenge: what a page needs and no official number depends
on."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.challenges.isic.card import SMALL_CLASS
from scoring.challenges.isic.measures import MEANS, RANKED_BY, malignancy
from scoring.challenges.isic.tables import REFUSES
from scoring.findings import Finding
from scoring.scorecard import ScoreCard
from scoring.submission import table_of

CALLED_NOTHING = {"ppv": "sensitivity", "npv": "specificity"}
"""Measures that are 1 by the official rule where nothing is called positive (negative), and the one that is 0
then."""


def ranking(card: ScoreCard) -> tuple[str, str]:
    """The metric that is the score ("macro_f1"), and the measure of each category whose mean it is ("f1")."""
    metric = RANKED_BY[card.provenance["options"]["metric"]]
    return metric, MEANS[metric]


def chance(card: ScoreCard) -> float | None:
    """The score of guessing: 1/K of balanced accuracy, 1/2 of the area under the ROC curve; None where it
    depends on how one guesses."""
    return {"recall": 1 / len(card.per_class), "auc": 0.5}.get(ranking(card)[1])


def smallest(card: ScoreCard) -> tuple[str, int] | None:
    """The category with the fewest cases, and how many; those without a case are left out."""
    supports = {name: entry["support"] for name, entry in card.per_class.items() if entry["support"]}
    return min(supports.items(), key=lambda item: item[1]) if supports else None


def case_worth(card: ScoreCard) -> dict[str, float]:
    """What one more case right of a category adds to the score, most first.

    Empty where the score is no mean of recalls, or cases weigh differently.
    """
    weights = card.arrays["score_weights"]
    if ranking(card)[1] != "recall" or np.ptp(weights[weights > 0]) > 0:
        return {}
    found = {
        name: entry["score_worth"] / entry["support"]
        for name, entry in card.per_class.items()
        if entry["recall"] is not None
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def absent(card: ScoreCard) -> list[str]:
    """The categories without a case."""
    return [name for name, entry in card.per_class.items() if not entry["support"]]


def few(card: ScoreCard) -> list[str]:
    """The categories with 1 to 14 cases, too few for an honest interval."""
    return [name for name, entry in card.per_class.items() if 0 < entry["support"] < SMALL_CLASS]


def unearned(entry: Mapping) -> tuple[str, ...]:
    """The measures of a category that are 1 only because nothing was called positive (ppv) or negative
    (npv)."""
    return tuple(name for name, missed in CALLED_NOTHING.items() if entry[name] == 1 and entry[missed] == 0)


def commonest_mistake(card: ScoreCard) -> tuple[str, str]:
    """The cell of the confusion matrix (truth, called) with the most cases off the diagonal; its first cell
    where there is no mistake."""
    labels, counts = card.confusion_matrix["labels"], np.array(card.confusion_matrix["counts"])
    np.fill_diagonal(counts, 0)
    row, column = np.unravel_index(counts.argmax(), counts.shape)
    return labels[row], labels[column]


def cell(card: ScoreCard, truth: str, called: str) -> list[int]:
    """Places in `card.cases` of the cases of one cell of the confusion matrix, the highest score of their own
    first."""
    largest, weights = card.arrays["outputs"].max(1), card.arrays["score_weights"]
    places = [
        i
        for i, c in enumerate(card.cases)
        if c["truth"] == truth and c["predicted"] == called and weights[i] > 0
    ]
    return sorted(places, key=lambda i: -largest[i])


def points_at_half(card: ScoreCard) -> dict[str, dict[str, tuple[float, float] | None]]:
    """Where the cut at 0.5 stands on each category's curves, None where undefined.

    "roc": (1 - specificity, sensitivity); "pr": (recall, precision).
    """
    found = {}
    for name, entry in card.per_class.items():
        sensitivity, specificity = entry["sensitivity"], entry["specificity"]
        roc = None if sensitivity is None or specificity is None else (1 - specificity, sensitivity)
        found[name] = {
            "roc": roc,
            "pr": None if sensitivity is None or "ppv" in unearned(entry) else (sensitivity, entry["ppv"]),
        }
    return found


def prevalence(card: ScoreCard, malignant: Sequence[str]) -> tuple[int, int]:
    """Numbers of malignant and of benign cases that take part in the malignant curve of a grouping."""
    found = malignancy(tuple(card.per_class), card.arrays["truth"], card.arrays["outputs"], malignant)
    positive = found.positive[card.arrays["score_weights"][found.members] > 0]
    return int(positive.sum()), int((~positive).sum())


def to_mend(card: ScoreCard) -> list[Finding]:
    """What was read here and the official scorer refuses."""
    return [finding for finding in card.findings if REFUSES in finding.message]


def mended(card: ScoreCard, id_name: str) -> str:
    """The predictions as a file that the official scorer takes: ids as compared, the truth's categories,
    plain numbers."""
    return table_of([c["case"] for c in card.cases], card.arrays["outputs"], list(card.per_class), id_name)
