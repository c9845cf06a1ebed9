"""Results of a scored submission at thresholds other than 0.5, as tables and figures. Also writes a
prediction file in which the threshold 0.5 has the effect of the chosen thresholds."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.isic import card_summary, measures
from scoring.challenges.isic.category_views import COLUMNS
from scoring.challenges.isic.options import PAGE_RULES
from scoring.challenges.isic.predictions import label
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import table_of
from scoring.core.views import Column, Fact, Facts, Figure, Table, Text
from scoring.metrics import classification
from scoring.metrics import thresholds as cuts
from scoring.metrics.binary import Decisions, decisions_along
from scoring.metrics.classification import mean_of_defined
from scoring.metrics.thresholds import HALF
from scoring.presentation.figures.number_format import decimal, share, span
from scoring.presentation.figures.thresholds import Mark, threshold_lines

SHOWN = ("sensitivity", "specificity", "ppv", "npv", "f1")
GRID = np.linspace(0, 1, 201)
FOLDING_SEED = 0


def sweep(card: ScoreCard, category: str, grid: np.ndarray = GRID) -> dict[str, np.ndarray]:
    """Return measures of a category at every threshold t of the grid [T]. A case is positive if its score >
    t; under `PAGE_RULES`, if its score ≥ t.

    Returns:
        "sensitivity", "specificity", "ppv", "npv" and the F1 by name, [T] each; and "threshold", the grid.
    """
    k = list(card.per_class).index(category)
    measured = measures.of_counts(
        decisions_along(
            card.arrays["outputs"][:, k],
            card.arrays["positives"][:, k],
            grid,
            card.arrays["score_weights"][None],
            _inclusive(card),
        )
    )
    return {"threshold": grid, **{name: measured[name][0] for name in SHOWN}}


def at(card: ScoreCard, chosen: Mapping[str, float]) -> dict[str, Any]:
    """Return the results at chosen thresholds; a category without a chosen threshold has 0.5.

    Returns:
        "per_class": category -> the measures in `SHOWN`; "macro_f1" at these thresholds; "balanced_accuracy"
        of the rescaled predictions.
    """
    decisions = cuts.decided(card.arrays["outputs"], _array(card, chosen), _inclusive(card))
    measured = _measures(card, decisions)
    per_class = {name: {m: float(measured[m][k]) for m in SHOWN} for k, name in enumerate(card.per_class)}
    found_at: dict[str, Any] = plain(
        {
            "per_class": per_class,
            "macro_f1": float(mean_of_defined(measured["f1"])),
            "balanced_accuracy": _balanced_accuracy(card, rescaled(card, chosen)),
        }
    )
    return found_at


def best(card: ScoreCard) -> dict[str, float]:
    """Return the threshold with the highest F1 of each category. The F1 at the chosen threshold is too
    optimistic, because it is measured on the same cases."""
    a = card.arrays
    return {
        name: cuts.best(a["outputs"][:, k], a["positives"][:, k], a["score_weights"], _inclusive(card))
        for k, name in enumerate(card.per_class)
    }


def compared(card: ScoreCard) -> dict[str, float | None]:
    """Return the macro F1 for three ways of choosing thresholds.

    Returns:
        "half": all thresholds are 0.5. "same_rows": the best thresholds, on the cases on which they were
        chosen. "cross_validated": thresholds chosen on four folds and applied to the fifth, with counts of
        all folds pooled; None with fewer than five units.
    """
    a = card.arrays
    parts = cuts.folds(a["truth"], a["units"], FOLDING_SEED)
    honest = (
        None
        if parts is None
        else cuts.cross_validated(a["outputs"], a["positives"], a["score_weights"], parts, _inclusive(card))[
            0
        ]
    )
    decisions = {
        "half": cuts.decided(a["outputs"], HALF, _inclusive(card)),
        "cross_validated": honest,
        "same_rows": cuts.decided(a["outputs"], _array(card, best(card)), _inclusive(card)),
    }
    return {
        name: None if c is None else plain(float(mean_of_defined(_measures(card, c)["f1"])))
        for name, c in decisions.items()
    }


def rescaled(card: ScoreCard, chosen: Mapping[str, float]) -> np.ndarray:
    """Rescale scores [N, K] so that the threshold 0.5 gives the same decisions as the chosen thresholds;
    categories without a chosen threshold stay unchanged. The order of scores within a category stays the
    same, but labels can change."""
    return cuts.rescaled(card.arrays["outputs"], _array(card, chosen))


def rescaled_table(card: ScoreCard, chosen: Mapping[str, float], id_name: str = "image") -> str:
    """Return the rescaled scores as a prediction file that the official scorer accepts."""
    return table_of([c["case"] for c in card.cases], rescaled(card, chosen), list(card.per_class), id_name)


def _inclusive(card: ScoreCard) -> bool:
    return bool(card.provenance["options"]["rules"] == PAGE_RULES)


def _array(card: ScoreCard, chosen: Mapping[str, float]) -> np.ndarray:
    return np.array([chosen.get(name, HALF) for name in card.per_class], float)


def _measures(card: ScoreCard, decisions: np.ndarray) -> dict[str, np.ndarray]:
    positives, weights = card.arrays["positives"], card.arrays["score_weights"]
    cells = (positives & decisions, ~positives & decisions, positives & ~decisions, ~positives & ~decisions)
    return measures.of_counts(Decisions(*(weights @ cell for cell in cells)))


def _balanced_accuracy(card: ScoreCard, outputs: np.ndarray) -> float:
    counted = classification.counts(
        card.arrays["truth"], label(outputs), card.arrays["score_weights"][None], len(card.per_class)
    )
    return float(mean_of_defined(classification.recall(counted))[0])


def tuning(card: ScoreCard) -> tuple[Facts, Text] | tuple[Facts]:
    """Return blocks with the results of tuned thresholds: estimated for new cases, and on the cases on which
    they were tuned."""
    scores = compared(card)
    half, honest, same_rows = scores["half"], scores["cross_validated"], scores["same_rows"]
    facts = Facts(
        (
            Fact("Macro F1 at 0.5", share(half), span(card.intervals.get("macro_f1"), 3), better="higher"),
            Fact(
                "Macro F1, tuned, cross-validated",
                share(honest),
                "use this estimate" if honest is not None else "needs at least five units",
                "Five times, thresholds are chosen on four fifths of the units and applied to the other "
                "fifth; the counts are summed",
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
            f"Tuned thresholds would change macro F1 by **{decimal(gain, 3, sign=True)}** on new cases. On "
            "the cases on which they were chosen, the change is "
            f"{decimal(same_rows - half, 3, sign=True)}, which is too optimistic."
        )
    else:
        sentence = (
            f"Tuned thresholds would **not** raise macro F1 on new cases ({decimal(gain, 3, sign=True)}). "
            "They raise macro F1 only on the cases on which they were chosen."
        )
    return facts, Text(sentence)


def table_at(card: ScoreCard, chosen: Mapping[str, float]) -> tuple[Facts, Table]:
    """Return blocks with the results at chosen thresholds. `chosen` is category -> threshold, for every
    category."""
    results = at(card, chosen)
    now = {name: share(card.metrics[name]) for name in ("macro_f1", "balanced_accuracy")}
    facts = (
        Fact("Macro F1", share(results["macro_f1"]), f"{now['macro_f1']} at 0.5", better="higher"),
        Fact(
            "Balanced accuracy",
            share(results["balanced_accuracy"]),
            f"{now['balanced_accuracy']} before rescaling",
            "Balanced accuracy of the rescaled file below",
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
            *(Column(name, COLUMNS[name].label, "number") for name in SHOWN),
        ),
        "Positive: the score is above the threshold. PPV and NPV: positive and negative predictive value. "
        f"–: undefined. n = {card.more['n_scored']}.",
        risks=card_summary.risks(card),
        key="moved",
        written=True,
    )
    return Facts(facts, "What would the score be?"), table


def sweep_blocks(
    card: ScoreCard, curves: Mapping[str, np.ndarray], category: str, threshold: float
) -> Figure:
    """Return a figure of the results of a category at every threshold.

    Args:
        curves: Result of `sweep`.
        threshold: The chosen threshold.
    """
    names = {name: COLUMNS[name].label for name in SHOWN}
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
        f"Solid vertical line: your threshold. Dotted: 0.5. n = {card.more['n_scored']}.",
        {name: values.tolist() for name, values in curves.items()},
    )
