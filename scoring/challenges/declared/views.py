"""Headline, figures and tables of a scorecard of a declared challenge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges import preflight_views
from scoring.challenges.classification_views import Measure
from scoring.challenges.declared.declaration import Declaration
from scoring.common.direction_and_range import SCORE
from scoring.common.text import named
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Fact, Facts, Figure, Headline, Section, Table, Views
from scoring.metrics import binary
from scoring.presentation.figures.number_format import points, share, span
from scoring.presentation.figures.score_points import predicted_by_truth
from scoring.presentation.figures.thresholds import Mark, threshold_lines

WORST_CASES = 30
COUNTS = {"support": "cases", "predicted": "predicted"}
"""Key of a count in `per_class` -> its name in tables."""
ALONG = {"recall": "sensitivity", "specificity": "specificity", "precision": "precision", "f1": "F1"}
"""Measure that is drawn against the threshold -> its name."""
CUTS = np.linspace(0, 1, 201)
"""Thresholds of the figure, as quantiles of the scores."""


def views(declaration: Declaration, card: ScoreCard) -> Views:
    """Return the views of a scorecard: headline and sections."""
    axis = declaration.score[0].metric.title if len(declaration.score) == 1 else "score"
    of_groups, model = Measure(SCORE, "For which groups are the results worse?", axis), card.more.get("model")
    sections: Sequence[tuple[str, Sequence[Block]]] = (
        ("Metrics", [_metrics(declaration, card)]),
        ("Classes", list(_classes(card))),
        ("Curves", shared.curves(card) if "roc_grid" in card.arrays else []),
        ("Thresholds", list(_thresholds(declaration, card))),
        ("Errors", list(_errors(card))),
        ("Calibration", shared.calibration(card) if "reliability_n" in card.arrays else []),
        ("Subgroups", shared.subgroups(card, [of_groups]) if card.more.get("slices") else []),
        ("Cases", [_worst(card)]),
        ("Model", _model(model) if model else []),
    )
    filled = tuple(Section(name, blocks) for name, blocks in sections if blocks)
    return Views(_headline(declaration, card), filled)


def _model(model: Mapping[str, Any]) -> Sequence[Block]:
    return [Facts(preflight_views.format_facts(model, there=False)), preflight_views.tensors(model)]


def _headline(declaration: Declaration, card: ScoreCard) -> Headline:
    bounds, uses, in_points = card.intervals.get(SCORE), declaration.score, declaration.as_points
    name = "Score of 100 points" if in_points else uses[0].metric.title if len(uses) == 1 else "Score"
    summands = " + ".join(f"{use.weight:.4g} × {share(card.metrics[use.key])}" for use in uses)
    weights = {use.key: (use.metric.title, use.metric.title, 100 * use.weight) for use in uses}
    strip = shared.score_strip(card, weights) if in_points and card.score is not None else None
    below = {use.key: span(card.intervals.get(use.key), 3) for use in declaration.uses}
    facts = [
        Fact(use.title, share(card.metrics[use.key]), below[use.key], use.metric.pitfall, use.metric.better)
        for use in declaration.uses
        if len(uses) > 1 or use is not uses[0]
    ]
    value = points(card.score) if in_points else share(card.score)
    interval = span(bounds, 1, 100) if in_points and bounds else span(bounds, 3)
    return Headline(
        Fact(name, value, interval, shared.method(card), declaration.quantity.better),
        facts[:5],
        strip,
        f"{summands} = {share(card.score)}" if len(uses) > 1 and strip is None else "",
    )


def _metrics(declaration: Declaration, card: ScoreCard) -> Table:
    weight = {use.key: use.weight for use in declaration.score}
    intervals: Mapping[str, Any] = card.intervals
    bounds = partial(Column, "interval", "95% interval", "interval", lighter=True)
    columns = (
        Column("metric", "metric", get=lambda use: use.title),
        Column("value", "value", "number", get=lambda use: card.metrics[use.key]),
        bounds(get=lambda use: intervals.get(use.key)),
        Column("better", "better", get=lambda use: use.metric.better),
        Column("weight", "in the score", "number", 2, get=lambda use: weight.get(use.key)),
        Column("pitfall", "pitfall", get=lambda use: use.metric.pitfall, detail=True),
    )
    question = "What are the values of the metrics?"
    return Table.of(question, declaration.uses, columns, shared.method(card), key="metrics")


def _classes(card: ScoreCard) -> Iterator[Block]:
    if not card.per_class:
        return
    first = next(iter(card.per_class.values()))
    shown = "f1" if "f1" in first else next(key for key in first if key not in COUNTS)
    columns = [_of_classes(key, shown) for key in first]
    starred = f"{shared.STARRED} " if "support" in first else ""
    yield shared.classes_table(card, columns, starred + shared.method(card))
    if card.confusion_matrix:
        yield from shared.confusion(card)


def _thresholds(declaration: Declaration, card: ScoreCard) -> Iterator[Block]:
    """Yield blocks that show the results at other thresholds of the positive class. Empty without scores, or
    with more than two classes."""
    place, arrays = declaration.positive_place, card.arrays
    if place is None or len(declaration.classes) != 2 or not declaration.is_graded:
        return
    has = ~np.isnan(arrays["outputs"][:, place]) & (arrays["score_weights"] > 0)
    scores, positive = arrays["outputs"][has, place], arrays["truth"][has] == place
    if not len(scores):
        return
    used = 0.5 if declaration.predictions.threshold is None else declaration.predictions.threshold
    cuts = np.unique([*np.quantile(scores, CUTS), *([used] if scores.min() <= used <= scores.max() else ())])
    at = binary.decisions_along(scores, positive, cuts, np.ones((1, len(scores))))
    values = binary.recall(at), binary.specificity(at), binary.precision(at), binary.f_beta(at, 1)
    curve = {"threshold": cuts, **{name: v[0] for name, v in zip(ALONG, values, strict=True)}}
    marks, ends = [Mark(used, "threshold of the score", "circle")], (cuts[0], cuts[-1])
    draw = partial(threshold_lines, curve, ALONG, marks, main="f1", ends=ends)
    caption = (
        f"{declaration.positive} is predicted if the score is above the threshold. Dotted line: "
        f"the threshold {used:g}, which the score uses. "
    )
    caption += f"A threshold that is chosen on these cases looks too good. n = {len(scores)}."
    yield Figure(draw, caption, {name: along.tolist() for name, along in curve.items()})


def _of_classes(key: str, shown: str) -> Column:
    """Return a table column for one measure of each class. `shown` is the measure whose interval is shown
    too."""
    if key in COUNTS:
        return Column(key, COUNTS[key], "count" if key == "support" else "number", 0, width=64)
    return replace(shared.estimated(key), detail=key.endswith("_interval") and key != f"{shown}_interval")


def _errors(card: ScoreCard) -> Iterator[Block]:
    """Yield a figure of predicted against true values of a regression."""
    values = card.arrays.get("values")
    if values is None or values.shape[1] != 1:
        return
    truth, predicted = values[:, 0], card.arrays["outputs"][:, 0]
    names = [str(row["case"]) for row in card.cases]
    data = {"case": names, "truth": truth.tolist(), "predicted": predicted.tolist()}
    caption = f"One dot per case; dotted line: no error. n = {card.n_cases}."
    yield Figure(partial(predicted_by_truth, names, truth, predicted), caption, data)


def worst_first(card: ScoreCard) -> list[int]:
    """Return the indices of the cases in a scorecard, ordered by decreasing error."""
    errors = card.arrays.get("case_errors")
    if errors is None:
        right = np.array([bool(row.get("correct")) for row in card.cases], float)
        own = np.array([row.get("truth_score") or 0.0 for row in card.cases], float)
        errors = 1 - right - 0.5 * own
    order: list[int] = np.argsort(-np.nan_to_num(errors, nan=-np.inf), kind="stable").tolist()
    return order


def _worst(card: ScoreCard) -> Table:
    """Return the cases that are most wrong."""
    rows = [card.cases[i] for i in worst_first(card)[:WORST_CASES]]
    keys = [key for key in rows[0] if key != "correct"]  # which the order says already
    numbers = {key for key in keys if isinstance(rows[0][key], float)}
    columns = [Column(key, named(key), "number" if key in numbers else "text") for key in keys]
    caption = f"The {len(rows)} cases with the largest errors, worst first. n = {card.n_cases}."
    return Table.of("Which cases are worst?", rows, columns, caption, key="worst", cases="case")
