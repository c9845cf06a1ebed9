"""What is shown of confusions and of each category, or the malignant ones, against the rest."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges.classification_views import class_name
from scoring.challenges.isic import card_summary
from scoring.challenges.isic.card import malignant_curve
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Choice, Data, Fact, Facts, Figure, Panel, Panels, SideBySide, Table, Text
from scoring.presentation.figures import categories as figures
from scoring.presentation.figures.categories import Line
from scoring.presentation.figures.curves import ClassCurve, precision_recall_panel, roc_panel
from scoring.presentation.figures.numerals import share, span

WANTED = 0.8
"""The sensitivity from which on the challenge takes an area of its own."""


def confusion(card: ScoreCard, show: str = "counts", chosen: tuple[str, str] | None = None) -> Figure:
    """Return which category is taken for which.

    show: "counts" or "shares" of the row. chosen: the framed cell (truth, called).
    """
    labels, counts = card.confusion
    return Figure(
        partial(
            figures.confusion_matrix, counts, labels, risks=card_summary.risks(card), show=show, chosen=chosen
        ),
        f"Rows: truth. Colour: share of the row.{' Choose a cell to see its cases.' * (chosen is not None)} "
        f"n = {card.more['n_scored']}.",
        shared.counts_by_class(labels, counts),
    )


def counts(card: ScoreCard) -> Table:
    return shared.counts_table(*card.confusion, card_summary.risks(card))


def curves(card: ScoreCard) -> Choice:
    """Return one category against the rest: a small figure for each, or all of them in one."""
    a, cut = card.arrays, card_summary.points_at_half(card)
    kinds = {
        "roc": (a["roc_x"], a["roc_y"], "auc"),
        "pr": (a["roc_y"], a["pr_precision"], "average_precision"),
    }
    lines = {
        kind: [
            Line(name, x[k], y[k], a["roc_threshold"][k], _area(entry, measure), cut[name][kind])
            for k, (name, entry) in enumerate(card.per_class.items())
        ]
        for kind, (x, y, measure) in kinds.items()
    }
    how = "and its 95% interval. Circle: the cut at 0.5."
    roc = Figure(
        partial(figures.roc, lines["roc"], level=WANTED),
        f"Beside each name: AUC {how} Dotted: chance. {shared.method(card)}",
        _drawn(lines["roc"], "1 - specificity", "sensitivity"),
    )
    precision = Figure(
        partial(figures.precision_recall, lines["pr"]),
        f"Beside each name: average precision {how} {shared.method(card)}",
        _drawn(lines["pr"], "recall", "precision"),
    )
    n = f"n: cases of the category. {shared.method(card)}"
    small = {
        "ROC": Panels(
            "How well is each category told from the rest?",
            [_panel(card, line, "AUC") for line in lines["roc"]],
            f"Across: 1 − specificity. Up: sensitivity. Dotted: chance. {n}",
        ),
        "precision and recall": Panels(
            "How many of those called a category are of it?",
            [_panel(card, line, "AP") for line in lines["pr"]],
            f"Across: sensitivity (recall). Up: precision. Dotted: guessing. {n}",
        ),
    }
    both = SideBySide(((roc,), (precision,)), (1, 1))
    return Choice("Curve", "curve", {**small, "all in one": both}, printed=len(small))


def _panel(card: ScoreCard, line: Line, area: str) -> Panel:
    """Return the curve of one category. area: what the area under it is called."""
    support, (_, x, y) = card.per_class[line.name]["support"], line.drawn()
    risk = card_summary.risks(card).get(line.name)
    curve = ClassCurve(line.name, x, y, risk)
    build = partial(roc_panel, curve)
    if area == "AP":
        build = partial(precision_recall_panel, curve, support / card.more["n_scored"])
    value, _, interval = line.legend.partition(" ")
    cases = f"{support} case{'s' * (support != 1)}"
    below = ", ".join(filter(None, (interval.strip("()"), cases)))
    return Panel(f"{class_name(line.name, risk)}  {area} **{value}**", build, below)


def _area(entry: Mapping[str, Any], measure: str) -> str:
    value, interval = share(entry[measure]), entry.get(f"{measure}_interval")
    return f"{value} ({span(interval, 2)})" if interval else value


def _drawn(lines: Sequence[Line], x: str, y: str) -> Data:
    """Return the points of all curves below one another, those that are drawn."""
    columns: dict[str, list[Any]] = {"category": [], "threshold": [], x: [], y: []}
    for line in lines:
        drawn = np.isfinite(line.x) & np.isfinite(line.y) & ~np.isnan(line.thresholds)
        columns["category"] += [line.name] * int(drawn.sum())
        for name, values in (("threshold", line.thresholds), (x, line.x), (y, line.y)):
            columns[name] += values[drawn].tolist()
    return columns


def malignant(card: ScoreCard, chosen: Sequence[str]) -> tuple[Facts, Text, Figure]:
    """Return how well the chosen categories together are told from the others."""
    found, (ill, well) = malignant_curve(card, chosen), card_summary.prevalence(card, chosen)
    interval = span(card.intervals.get("malignant_auc"), 3)
    usual = set(chosen) == set(card.more["malignant"])
    auc = Fact("Malignant AUC", share(found["auc"]), interval if usual else "your grouping", better="higher")
    before = Fact("By the usual grouping", share(card.metrics["malignant_auc"]), interval)
    sizes = Fact("Cases", f"{ill} and {well}", "malignant and benign")
    why = (
        "A case's score is the **sum** of its malignant scores. Cases of UNK are left out unless UNK is "
        "chosen: none of the above is no benign diagnosis. No official page says what counts as malignant, "
        "so the grouping is a choice; actinic keratoses count here."
    )
    curve = Figure(
        partial(figures.malignant_roc, found["x"], found["y"], found["threshold"], level=WANTED),
        f"{', '.join(map(markdown, chosen)) or 'Nothing'} against the others. Dotted: chance. "
        f"n = {ill + well}.",
        {
            "threshold": found["threshold"].tolist(),
            "1 - specificity": found["x"].tolist(),
            "sensitivity": found["y"].tolist(),
        },
    )
    return Facts((auc, sizes) if usual else (auc, before, sizes)), Text(why), curve
