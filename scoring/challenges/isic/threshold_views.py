"""Views of thresholds other than 0.5. They are chosen on the page; reports do not contain them."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from scoring.challenges.isic import card_summary, thresholds
from scoring.challenges.isic.category_views import COLUMNS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Fact, Facts, Figure, Table, Text
from scoring.presentation.figures.number_format import decimal, share, span
from scoring.presentation.figures.thresholds import Mark, threshold_lines


def tuning(card: ScoreCard) -> tuple[Facts, Text] | tuple[Facts]:
    """Return the results of tuned thresholds on new cases, beside those on the same cases."""
    scores = thresholds.compared(card)
    half, honest, same_rows = scores["half"], scores["cross_validated"], scores["same_rows"]
    facts = Facts(
        (
            Fact("Macro F1 at 0.5", share(half), span(card.intervals.get("macro_f1"), 3), better="higher"),
            Fact(
                "Macro F1, tuned, cross-validated",
                share(honest),
                "use this estimate" if honest is not None else "needs at least five units",
                "Thresholds chosen on four fifths of the units, applied to the last fifth; counts pooled",
                "higher",
            ),
            Fact(
                "Macro F1, tuned on the same rows",
                share(same_rows),
                "▲ too high: the thresholds were chosen on the rows that are scored",
                better="higher",
            ),
        ),
        "Would tuned thresholds help on new cases?",
    )
    if honest is None or half is None or same_rows is None:
        return (facts,)
    gain = honest - half
    if gain > 0:
        sentence = (
            f"Tuned thresholds would change macro F1 by **{decimal(gain, 3, sign=True)}** on new cases, not "
            f"by the {decimal(same_rows - half, 3, sign=True)} that they gain on the rows on which they "
            "were chosen."
        )
    else:
        sentence = (
            f"Tuned thresholds would **not** raise macro F1 on new cases ({decimal(gain, 3, sign=True)}), "
            "although they raise it on the rows on which they were chosen."
        )
    return facts, Text(sentence)


def table_at(card: ScoreCard, chosen: Mapping[str, float]) -> tuple[Facts, Table]:
    """Return the results of the chosen thresholds. chosen: category -> threshold."""
    results = thresholds.at(card, chosen)
    now = {name: share(card.metrics[name]) for name in ("macro_f1", "balanced_accuracy")}
    facts = (
        Fact("Macro F1", share(results["macro_f1"]), f"{now['macro_f1']} at 0.5", better="higher"),
        Fact(
            "Balanced accuracy",
            share(results["balanced_accuracy"]),
            f"{now['balanced_accuracy']} unchanged",
            "For the rescaled file below",
            "higher",
        ),
    )
    rows = [
        {"category": name, "threshold": chosen[name], **measures}
        for name, measures in results["per_class"].items()
    ]
    table = Table.of(
        "What are the results with a threshold for each category?",
        rows,
        (
            Column("category", "category", "class"),
            Column("threshold", "threshold", "number"),
            *(Column(name, COLUMNS[name].label, "number") for name in thresholds.SHOWN),
        ),
        "Positive: the score is above the threshold. Sensitivity, specificity, positive and negative "
        f"predictive value. –: undefined. n = {card.more['n_scored']}.",
        risks=card_summary.risks(card),
        key="moved",
        written=True,
    )
    return Facts(facts, "What would the score be?"), table


def sweep_blocks(
    card: ScoreCard, curves: Mapping[str, np.ndarray], category: str, threshold: float
) -> Figure:
    """Return the results of every threshold of a category. curves: `thresholds.sweep`. threshold: the chosen
    one."""
    names = {name: COLUMNS[name].label for name in thresholds.SHOWN}
    marks = (Mark(0.5, "0.5", "circle"), Mark(threshold, "your threshold", "diamond", main=True))
    return Figure(
        partial(
            threshold_lines,
            curves,
            names,
            marks,
            main="f1",
            question=f"What does the threshold of {category} change?",
        ),
        f"Solid upright line: your threshold. Dotted: 0.5. n = {card.more['n_scored']}.",
        {name: values.tolist() for name, values in curves.items()},
    )
