"""What is shown of how good each category is."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from scoring.challenges import classification_views as shared
from scoring.challenges.isic import card_summary
from scoring.challenges.isic.score_findings import SMALL_CLASS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Data, Figure, Kind, Table
from scoring.presentation.figures.intervals import IntervalRow, intervals
from scoring.presentation.figures.numerals import share
from scoring.presentation.figures.theme import label


def _measured(name: str, label: str, full: str, explain: str, kind: Kind = "number") -> Column:
    return Column(name, label, kind, better="higher", full=full, help=explain)


COLUMNS = {
    column.name: column
    for column in (
        _measured(
            "recall",
            "recall",
            "recall",
            "Cases of the category whose largest score it is / cases of the category. The score's own "
            "measure; not in the official tables",
        ),
        _measured(
            "sensitivity",
            "sens.",
            "sensitivity",
            "TP / (TP + FN) at 0.5, one against rest. Official: sensitivity",
        ),
        _measured(
            "specificity",
            "spec.",
            "specificity",
            "TN / (TN + FP) at 0.5, one against rest. Official: specificity",
        ),
        _measured(
            "accuracy", "acc.", "accuracy", "(TP + TN) / all at 0.5, one against rest. Official: accuracy"
        ),
        _measured(
            "ppv",
            "ppv",
            "positive predictive value",
            "TP / (TP + FP) at 0.5; 1 where nothing is called, by the official rule. Official: ppv",
            "written",
        ),
        _measured(
            "npv",
            "npv",
            "negative predictive value",
            "TN / (TN + FN) at 0.5; 1 where everything is called, by the official rule. Official: npv",
            "written",
        ),
        _measured("f1", "F1", "F1", "2 TP / (2 TP + FP + FN) at 0.5. Official: dice"),
        _measured("auc", "AUC", "AUC", "Area under the ROC curve, ties half. Official: auc"),
        _measured(
            "auc_sens_80",
            "AUC 80",
            "AUC above 80% sensitivity",
            "Area under the ROC curve right of 80% sensitivity, at full height: perfect 1, chance 0.18. "
            "Official: auc_sens_80",
        ),
        _measured(
            "average_precision",
            "AP",
            "average precision",
            "Sum of precision × step of recall, not interpolated. Official: ap",
        ),
    )
}
"""The measures of a category."""
MEAN_OF = {measure: f"macro_{measure}" for measure in COLUMNS} | {"recall": "balanced_accuracy"}
"""Measure -> the metric that is its mean over the categories."""


def strip(card: ScoreCard) -> Figure:
    """Return what each category adds to the score, which is their mean, with the arithmetic of the score."""
    measure = card_summary.ranking(card)[1]
    word, marked = COLUMNS[measure].label, card_summary.risks(card)
    rows = [
        IntervalRow(
            label(name, marked.get(name)), entry[measure], entry.get(f"{measure}_interval"), entry["support"]
        )
        for name, entry in card.per_class.items()
    ]
    counted = [f"{row.value:.3f}" for row in rows if row.value is not None]
    ends = [row.interval or (None, None) for row in rows]
    return Figure(
        partial(
            intervals,
            rows,
            question="Where does the score come from?",
            axis_title=word,
            digits=3,
            reference=card.score,
        ),
        f"({' + '.join(counted)}) / {len(counted)} = **{card.score!r}**, {shared.authority(card)}: the plain "
        f"mean of {word} over {len(counted)} categories. Line: the score. Grey: under {SMALL_CLASS} cases.",
        {
            "category": list(card.per_class),
            word: [row.value for row in rows],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "n": [row.n for row in rows],
        },
    )


def categories(card: ScoreCard) -> Table:
    """Return every measure of every category, and their means."""
    entries = [_category(entry) for entry in card.per_class.values()]
    columns = dict(COLUMNS)
    return Table(
        "How good is each category?",
        (
            Column("category", "category", "class", width=92),
            Column("n", "n", "written", full="cases", width=64, lighter=True),
            columns.pop("recall"),
            Column("recall_interval", "95% interval", "interval", 2, width=96, lighter=True),
            *columns.values(),
            *(shared.estimated(f"{name}_interval") for name in ("f1", "auc", "average_precision")),
            shared.estimated("score_worth"),
            shared.estimated("score_lost"),
        ),
        _columns(
            [{"category": name} | entry for name, entry in zip(card.per_class, entries, strict=True)]
            + [_means(card)]
        ),
        "Recall asks whether the category has the **largest** score; all other measures compare it with the "
        "rest, most of them cut at 0.5. So recall and sensitivity differ. Interval of recall. ▲ counted as "
        f"malignant. {shared.STARRED.replace('class', 'category')} –: undefined, and in no mean. "
        f"{shared.method(card)}",
        card_summary.risks(card),
        "categories",
    )


def _category(entry: Mapping[str, Any]) -> dict[str, Any]:
    free, n = card_summary.no_call(entry), entry["support"]
    return {
        **entry,
        "n": f"{n}{'*' * (n < SMALL_CLASS)}" if n else "0, absent",
        **{name: _with_remark(entry[name], "none called" * (name in free)) for name in card_summary.NO_CALL},
    }


def _means(card: ScoreCard) -> dict[str, Any]:
    free = {name for entry in card.per_class.values() for name in card_summary.no_call(entry)}
    means = {measure: card.metrics[metric] for measure, metric in MEAN_OF.items()}
    return {
        "category": "mean",
        "n": str(card.more["n_scored"]),
        **means,
        **{f"{measure}_interval": card.intervals.get(metric) for measure, metric in MEAN_OF.items()},
        **{name: _with_remark(means[name], "partly free" * (name in free)) for name in card_summary.NO_CALL},
    }


def _with_remark(value: float | None, remark: str) -> str:
    """Return a predictive value in words, because some have to say that they are 1 by rule."""
    return f"{remark} {share(value)}".strip()


def _columns(rows: Sequence[Mapping[str, Any]]) -> Data:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
