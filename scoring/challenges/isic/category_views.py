"""Views of categories, confusions, curves and single cases of an ISIC scorecard."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges.classification_views import class_name
from scoring.challenges.isic import card_summary
from scoring.challenges.isic.card import malignant_curve
from scoring.common.findings import SMALL_CLASS
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import (
    Choice,
    Column,
    Data,
    Fact,
    Facts,
    Figure,
    Kind,
    Panel,
    Panels,
    SideBySide,
    Table,
    Text,
)
from scoring.presentation.figures.curves import (
    Curve,
    CurvePoint,
    class_panel,
    precision_recall_figure,
    roc_figure,
)
from scoring.presentation.figures.intervals import IntervalRow, intervals
from scoring.presentation.figures.model_outputs import output_bars
from scoring.presentation.figures.number_format import share, span
from scoring.presentation.figures.theme import label, short
from scoring.presentation.figures.thresholds import Mark


def _measured(name: str, label: str, full: str, explain: str, kind: Kind = "number") -> Column:
    return Column(name, label, kind, better="higher", full=full, help=explain)


COLUMNS = {
    column.name: column
    for column in (
        _measured(
            "recall",
            "recall",
            "recall",
            "Cases of the category with their largest score in this category / cases of the category. The "
            "score is the mean of these values; the official tables do not list them",
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
            "TP / (TP + FP) at 0.5; 1 where nothing is predicted positive, by the official rule. Official: "
            "ppv",
            "written",
        ),
        _measured(
            "npv",
            "npv",
            "negative predictive value",
            "TN / (TN + FN) at 0.5; 1 where everything is predicted positive, by the official rule. "
            "Official: npv",
            "written",
        ),
        _measured("f1", "F1", "F1", "2 TP / (2 TP + FP + FN) at 0.5. Official: dice"),
        _measured("auc", "AUC", "AUC", "Area under the ROC curve, ties half. Official: auc"),
        _measured(
            "auc_sens_80",
            "AUC 80",
            "AUC above 80% sensitivity",
            "Area under the part of the ROC curve where sensitivity is at least 80%: perfect 1, chance 0.18. "
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
"""Columns of the table of categories."""
MEAN_OF = {measure: f"macro_{measure}" for measure in COLUMNS} | {"recall": "balanced_accuracy"}
"""Measure -> the metric that is its mean over the categories."""


def strip(card: ScoreCard) -> Figure:
    """Return a figure of what each category contributes to the score, which is the mean over the
    categories."""
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
    """Return a table with every measure of every category, and with the means over the categories."""
    entries = [_category(entry) for entry in card.per_class.values()]
    columns = dict(COLUMNS)
    return Table(
        "How well is each category predicted?",
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
        "Recall: share of the category's cases in which it has the **largest** score. All other measures "
        "compare the category with the rest, most of them at the threshold 0.5, so recall and sensitivity "
        "differ. The interval belongs to the recall. ▲: counted as malignant. "
        f"{shared.STARRED.replace('class', 'category')} –: undefined, and left out of means. "
        f"{shared.method(card)}",
        card_summary.risks(card),
        "categories",
    )


def _category(entry: Mapping[str, Any]) -> dict[str, Any]:
    free, n = card_summary.no_call(entry), entry["support"]
    return {
        **entry,
        "n": f"{n}{'*' * (n < SMALL_CLASS)}" if n else "0, absent",
        **{name: _with_remark(entry[name], "by rule" * (name in free)) for name in card_summary.NO_CALL},
    }


def _means(card: ScoreCard) -> dict[str, Any]:
    free = {name for entry in card.per_class.values() for name in card_summary.no_call(entry)}
    means = {measure: card.metrics[metric] for measure, metric in MEAN_OF.items()}
    return {
        "category": "mean",
        "n": str(card.more["n_scored"]),
        **means,
        **{f"{measure}_interval": card.intervals.get(metric) for measure, metric in MEAN_OF.items()},
        **{name: _with_remark(means[name], "part by rule" * (name in free)) for name in card_summary.NO_CALL},
    }


def _with_remark(value: float | None, remark: str) -> str:
    """Return a predictive value in words, because some have to say that they are 1 by rule."""
    return f"{remark} {share(value)}".strip()


def _columns(rows: Sequence[Mapping[str, Any]]) -> Data:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def scores(card: ScoreCard, index: int) -> Figure:
    """Return a figure of all scores of a case. `index` is the position of the case in `card.cases`."""
    case, outputs = card.cases[index], card.arrays["outputs"][index].tolist()
    return Figure(
        partial(
            output_bars,
            outputs,
            [short(name) for name in card.per_class],
            risks={short(name): risk for name, risk in card_summary.risks(card).items()},
            truth=short(case["truth"]),
        ),
        f"Truth: {markdown(case['truth'])}. Predicted: {markdown(case['predicted'])}. The largest score "
        "decides; if two categories share the largest score, the case is wrong.",
        {"category": list(card.per_class), "score": outputs},
    )


WANTED = 0.8
"""Sensitivity above which the challenge computes a partial area under the ROC curve."""
AT_HALF = Mark(0.5, "the threshold 0.5", "circle")
TOLD_APART = "How well is each category separated from the rest?"
OF_CALLED = "How many cases predicted as a category belong to it?"


def curves(card: ScoreCard) -> Choice:
    """Return one-versus-rest curves, as a small figure per category or as one figure."""
    a, cut, risks = card.arrays, card_summary.points_at_half(card), card_summary.risks(card)
    kinds = {
        "roc": (a["roc_x"], a["roc_y"], "auc"),
        "pr": (a["roc_y"], a["pr_precision"], "average_precision"),
    }
    lines = {
        kind: [
            Curve(
                name,
                x[k],
                y[k],
                a["roc_threshold"][k],
                _area(entry, measure),
                risks.get(name),
                points=[CurvePoint(AT_HALF, *point) for point in (cut[name][kind],) if point is not None],
            )
            for k, (name, entry) in enumerate(card.per_class.items())
        ]
        for kind, (x, y, measure) in kinds.items()
    }
    how = "and its 95% interval. Circle: the threshold 0.5."
    roc = Figure(
        partial(roc_figure, lines["roc"], question=TOLD_APART, level=WANTED),
        f"Each name is followed by the AUC {how} Dotted: chance. {shared.method(card)}",
        _drawn(lines["roc"], "1 - specificity", "sensitivity"),
    )
    precision = Figure(
        partial(precision_recall_figure, lines["pr"], question=OF_CALLED),
        f"Each name is followed by the average precision {how} {shared.method(card)}",
        _drawn(lines["pr"], "recall", "precision"),
    )
    n = f"n: cases of the category. {shared.method(card)}"
    small = {
        "ROC": Panels(
            TOLD_APART,
            [_panel(card, line, "AUC") for line in lines["roc"]],
            f"Horizontal axis: 1 − specificity. Vertical axis: sensitivity. Dotted: chance. {n}",
        ),
        "precision and recall": Panels(
            OF_CALLED,
            [_panel(card, line, "AP") for line in lines["pr"]],
            f"Horizontal axis: sensitivity (recall). Vertical axis: precision. Dotted: guessing. {n}",
        ),
    }
    both = SideBySide(((roc,), (precision,)), (1, 1))
    return Choice("Curve", "curve", {**small, "all in one figure": both}, printed=len(small))


def _panel(card: ScoreCard, line: Curve, area: str) -> Panel:
    """Return the curve of one category. area: what the area under it is called."""
    support = card.per_class[line.name]["support"]
    build = partial(
        class_panel,
        Curve(line.name, line.x, line.y, risk=line.risk),
        prevalence=support / card.more["n_scored"] if area == "AP" else None,
    )
    value, _, interval = line.legend.partition(" ")
    cases = f"{support} case{'s' * (support != 1)}"
    below = ", ".join(filter(None, (interval.strip("()"), cases)))
    return Panel(f"{class_name(line.name, line.risk)}  {area} **{value}**", build, below)


def _area(entry: Mapping[str, Any], measure: str) -> str:
    value, interval = share(entry[measure]), entry.get(f"{measure}_interval")
    return f"{value} ({span(interval, 2)})" if interval else value


def _drawn(lines: Sequence[Curve], x: str, y: str) -> Data:
    """Return the points of all curves below one another, those that are drawn."""
    columns: dict[str, list[Any]] = {"category": [], "threshold": [], x: [], y: []}
    for line in lines:
        thresholds = np.asarray(line.thresholds)
        drawn = line.drawn & ~np.isnan(thresholds)
        columns["category"] += [line.name] * int(drawn.sum())
        for name, values in (("threshold", thresholds), (x, line.x), (y, line.y)):
            columns[name] += values[drawn].tolist()
    return columns


def malignant(card: ScoreCard, chosen: Sequence[str]) -> tuple[Facts, Text, Figure]:
    """Return blocks that show how well the scores separate the chosen categories from all others."""
    roc, (ill, well) = malignant_curve(card, chosen), card_summary.prevalence(card, chosen)
    interval = span(card.intervals.get("malignant_auc"), 3)
    usual = set(chosen) == set(card.more["malignant"])
    auc = Fact("Malignant AUC", share(roc["auc"]), interval if usual else "your grouping", better="higher")
    before = Fact("By the usual grouping", share(card.metrics["malignant_auc"]), interval)
    sizes = Fact("Cases", f"{ill} and {well}", "malignant and benign")
    why = (
        "A case's score is the **sum** of its malignant scores. UNK cases (“none of the above”) are left "
        "out unless UNK is chosen, because they are not known to be benign. No official page says which "
        "categories are malignant, so you choose the grouping; the default includes actinic keratoses."
    )
    curve = Figure(
        partial(
            roc_figure,
            [Curve("malignant", roc["x"], roc["y"], roc["threshold"], risk="malignant")],
            question="How well is malignant separated from benign?",
            level=WANTED,
        ),
        f"{', '.join(map(markdown, chosen)) or 'Nothing'} against the others. Dotted: chance. "
        f"n = {ill + well}.",
        {
            "threshold": roc["threshold"].tolist(),
            "1 - specificity": roc["x"].tolist(),
            "sensitivity": roc["y"].tolist(),
        },
    )
    return Facts((auc, sizes) if usual else (auc, before, sizes)), Text(why), curve
