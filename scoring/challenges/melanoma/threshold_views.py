"""Views of three thresholds: the official 0.5, the best on these cases, and the one that the visitor chose on
the page."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges.melanoma.formula import THRESHOLD
from scoring.challenges.melanoma.threshold import (
    at_sensitivity,
    at_specificity,
    at_threshold,
    best_threshold,
    counts_at,
    histogram,
    threshold_range,
    thresholds,
)
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Fact, Facts, Figure, SideBySide, Table, Text
from scoring.presentation.figures import thresholds as figures
from scoring.presentation.figures.calibration import risk_labels
from scoring.presentation.figures.curves import Curve, points_at, precision_recall_figure, roc_figure
from scoring.presentation.figures.number_format import decimal, points, share, span
from scoring.presentation.figures.thresholds import Condition, Mark, cut

MELANOMA = Condition("melanoma", "melanomas")
CALIBRATION = risk_labels(MELANOMA)


OFFICIAL = Mark(THRESHOLD, "official 0.5", "circle")
POINTS_DRAWN = 300
QUANTITIES = {
    "score": "score",
    "f2": "F2",
    "accuracy": "accuracy",
    "recall": "sensitivity",
    "specificity": "specificity",
}
MOVED = QUANTITIES | {"precision": "precision"}
QuantityCurves = Mapping[str, np.ndarray]
"""Name of a measure -> its values at all thresholds, as `thresholds` returns them."""


def official(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks with curves on which two thresholds are marked: the official one, and the best one on
    these cases."""
    best = best_threshold(card)
    curve = along(card, None, best)
    drawn = marks(None, best)
    return (lines(card, curve, drawn), chosen_here(card, curve, best), *curves(card, curve, drawn))


def along(card: ScoreCard, threshold: float | None, best: float | None) -> QuantityCurves:
    """Return measures at many thresholds, including the two given ones."""
    return thresholds(card, POINTS_DRAWN, [t for t in (threshold, best) if t is not None])


def marks(threshold: float | None, best: float | None) -> list[Mark]:
    """Return the marks of figures: the official, the chosen and the best threshold."""
    chosen = [] if threshold is None else [Mark(threshold, "your threshold", "diamond", main=True)]
    return [OFFICIAL, *chosen, *([] if best is None else [Mark(best, "best on these cases", "star")])]


def at(card: ScoreCard, threshold: float) -> tuple[Table, Text]:
    """Return a table and a text with the numbers at the official threshold and, beside them, at the chosen
    threshold."""
    reached = at_threshold(card, threshold)
    metrics = {"score": card.score, **card.metrics}
    here = cut(threshold)
    table = Table.of(
        "What would the score be?",
        MOVED,
        (
            Column("what", "quantity", get=MOVED.get),
            Column("official", "at 0.5, official", "number", get=metrics.get),
            Column("here", f"at {here}", "number", get=lambda key: reached[key][0]),
            Column("official_interval", "95% at 0.5", "interval", lighter=True, get=card.intervals.get),
            Column("interval", f"95% at {here}", "interval", lighter=True, get=lambda key: reached[key][1]),
        ),
        shared.method(card),
        key="moved",
        written=True,
    )
    (quiet, alarms), (missed, flagged) = counts_at(card, threshold)
    sentence = (
        f"Above {here}: :red[▲] **{flagged} of {flagged + missed}** melanomas flagged, **{missed}** missed; "
        f"**{alarms} of {alarms + quiet}** others flagged."
    )
    return table, Text(sentence)


def chosen_here(card: ScoreCard, curve: QuantityCurves, best: float | None) -> Text:
    """Return a text that names the best threshold on these cases and says why it is too optimistic."""
    if best is None or card.score is None:
        return Text("The test set has only one class, so the score is undefined and no threshold is best.")
    reached = float(curve["score"][curve["threshold"] == best][0])
    return Text(
        f":orange-badge[▲ chosen on these cases] The best threshold here is **{cut(best)}**: "
        f"{points(reached)} points, {decimal(100 * (reached - card.score), 2)} more than the official "
        f"{points(card.score)}. This threshold was chosen with these labels: expect a lower score on new "
        "cases. The challenge always uses 0.5: to use this threshold, build it into the model."
    )


def lines(card: ScoreCard, curve: QuantityCurves, drawn: Sequence[Mark]) -> Figure:
    """Return a figure of score, F2, accuracy, sensitivity and specificity against the threshold."""
    ends, yours = threshold_range(card), "Solid vertical line: your threshold. "
    return Figure(
        partial(figures.threshold_lines, curve, QUANTITIES, drawn, main="score", ends=ends),
        f"{yours if _chosen(drawn) else ''}Dotted: the official 0.5 and the best threshold on these cases. "
        f"n = {card.n_cases}.",
        _numbers(curve, *curve),
    )


def _chosen(drawn: Sequence[Mark]) -> bool:
    return any(mark.main for mark in drawn)


def _numbers(curve: QuantityCurves, *names: str) -> dict[str, list[float]]:
    return {name: curve[name].tolist() for name in names}


def curves(card: ScoreCard, curve: QuantityCurves, drawn: Sequence[Mark]) -> tuple[Figure, Figure, Figure]:
    """Return a histogram, the ROC curve and the precision-recall curve, each with marked thresholds."""
    prevalence = card.per_class["positive"]["support"] / card.n_cases
    places = (
        f"{'Diamond: your threshold. ' if _chosen(drawn) else ''}Circle: the official 0.5. Star: "
        "the best threshold on these cases. Band: pointwise 95% interval."
    )
    roc = Figure(
        partial(
            roc_figure,
            [_curve(card, "roc", curve, (1 - curve["specificity"], curve["recall"]), drawn)],
            question=f"How well are {MELANOMA.plural} separated from the rest?",
        ),
        f"AUC {_estimate(card, 'auc')}. {places} Dotted: chance. n = {card.n_cases}.",
        _numbers(curve, "threshold", "recall", "specificity"),
    )
    precision_recall = Figure(
        partial(
            precision_recall_figure,
            [_curve(card, "pr", curve, (curve["recall"], curve["precision"]), drawn)],
            question=f"How many of the flagged cases are {MELANOMA.plural}?",
            prevalence=prevalence,
        ),
        f"Average precision {_estimate(card, 'average_precision')}. Dotted: the prevalence, the precision "
        f"of guessing. n = {card.n_cases}.",
        _numbers(curve, "threshold", "recall", "precision"),
    )
    return _histogram(card, drawn), roc, precision_recall


def _estimate(card: ScoreCard, metric: str) -> str:
    return f"{share(card.metrics[metric])} ({span(card.intervals.get(metric), 3)})"


def _curve(
    card: ScoreCard,
    kind: str,
    curve: QuantityCurves,
    points: tuple[np.ndarray, np.ndarray],
    drawn: Sequence[Mark],
) -> Curve:
    """Return a curve of points (x, y) along the thresholds with the marks on it. kind: "roc" or "pr"."""
    a, thresholds = card.arrays, curve["threshold"]
    band = (a[f"{kind}_grid"], a[f"{kind}_low"][0], a[f"{kind}_high"][0]) if f"{kind}_grid" in a else None
    return Curve(MELANOMA.name, *points, thresholds, band=band, points=points_at(drawn, *points, thresholds))


def _histogram(card: ScoreCard, drawn: Sequence[Mark]) -> Figure:
    bins = histogram(card)
    edges, negative, positive = bins["edges"], bins["negative"], bins["positive"]
    return Figure(
        lambda theme: figures.histogram(edges, negative, positive, drawn, theme, MELANOMA),
        f"Right of the {'solid line' if _chosen(drawn) else 'official 0.5'}: predicted as melanoma. "
        f"n = {card.n_cases}.",
        {
            "from": edges[:-1].tolist(),
            "to": edges[1:].tolist(),
            "other": negative.tolist(),
            "melanoma": positive.tolist(),
        },
    )


def chosen(card: ScoreCard, threshold: float, best: float | None) -> tuple[Block, ...]:
    """Return all blocks that depend on the chosen threshold. The numbers stand beside the figure of measures
    and above the ROC curve."""
    curve, drawn = along(card, threshold, best), marks(threshold, best)
    return (
        SideBySide(
            ((*at(card, threshold), chosen_here(card, curve, best)), (lines(card, curve, drawn),)), (1, 1)
        ),
        SideBySide([(figure,) for figure in curves(card, curve, drawn)], (1, 1, 1)),
    )


def cost(card: ScoreCard, wanted: str, value: float) -> Facts | Text:
    """Return the results at the threshold that reaches a required sensitivity or specificity.

    Args:
        wanted: "sensitivity" or "specificity".
        value: The required value, 0..1.
    """
    other, find = {
        "sensitivity": ("specificity", at_sensitivity),
        "specificity": ("sensitivity", at_specificity),
    }[wanted]
    point, bounds = find(card, value)
    if point is None:
        return Text("Undefined: the test set has one class only.", "note")
    reached = {"sensitivity": point.sensitivity, "specificity": point.specificity}
    return Facts(
        (
            Fact(
                other.capitalize(),
                share(reached[other]),
                span(bounds, 3),
                "The interval uses the best threshold of each resample",
                "higher",
            ),
            Fact(f"{wanted.capitalize()} reached", share(reached[wanted])),
            Fact("Threshold", cut(point.threshold), "chosen on these cases"),
        )
    )
