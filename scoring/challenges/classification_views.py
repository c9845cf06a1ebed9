"""Views that classification challenges share: classes, confusions, curves, calibration and subgroups of a
scorecard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scoring.common.direction_and_range import SCORE
from scoring.common.findings import SMALL_CLASS
from scoring.common.text import markdown, named
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.views import (
    Block,
    Choice,
    Column,
    Data,
    Fact,
    Facts,
    Figure,
    Panel,
    Panels,
    SideBySide,
    Table,
    Text,
)
from scoring.presentation.figures import score_points
from scoring.presentation.figures.calibration import LARGEST_OUTPUT, ReliabilityLabels, reliability
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.curves import Curve, class_panel
from scoring.presentation.figures.intervals import intervals, slice_rows
from scoring.presentation.figures.number_format import points, share, span
from scoring.presentation.figures.theme import SHAPES, SYMBOLS

RISK_COLOUR = {"malignant": "red", "medium": "orange", "benign": "green"}
CONFUSION = {
    show: MatrixStyle("Which classes are confused?", show, is_grouped=True, is_clickable=True)
    for show in ("counts", "shares")
}
"""Content of cells ("counts" or "shares") -> style of the confusion matrix of all classes."""
STARRED = "A star marks a class with fewer than 15 cases. Its value is uncertain: see the interval."


def method(card: ScoreCard) -> str:
    """Return a caption with the kind of interval, the resamples, the units, the seed and the number of cases.
    Without intervals, it has only the number of cases."""
    source = card.provenance
    if not card.intervals:
        return f"n = {card.n_cases}, no intervals."
    if source["interval"] is None:
        return f"n = {card.n_cases}: too few for intervals."
    return (
        f"95% {source['interval']} intervals from {source['resamples']} resamples of "
        f"{source['n_units']} units (one per {markdown(source['unit'])}), seed {source['seed']}. n = "
        f"{card.n_cases}."
    )


def class_name(name: str, risk: str | None = None) -> str:
    """Return a class name as Markdown, after the coloured symbol of its risk group if `risk` is given."""
    return f":{RISK_COLOUR[risk]}[{SHAPES[risk]}] {markdown(name)}" if risk else markdown(name)


def measure(
    card: ScoreCard, key: str, name: str, explain: str | None = None, below: str | None = None
) -> Fact:
    """Return a metric of a scorecard as a fact. The text below is the interval of the metric, unless another
    text is given. Higher values are better."""
    return Fact(
        name,
        share(card.metrics[key]),
        span(card.intervals.get(key), 3) if below is None else below,
        explain,
        "higher",
    )


def score_strip(
    card: ScoreCard, weights: Mapping[str, tuple[str, str, float]], ceiling: float | None = None
) -> Figure:
    """Return a figure of the parts of the score and their sum.

    Args:
        weights: Metric -> its name, short name and weight in points out of 100.
        ceiling: The score if every case were right, 0..1.
    """
    parts = [
        score_points.ScorePart(name, short, weight, part_value(card, key, weight))
        for key, (name, short, weight) in weights.items()
    ]
    interval = card.intervals.get("score")
    bounds = [100 * v for v in interval] if interval else None
    summands = " + ".join(f"{part.weight:g} × {part.value or 0:.6f}" for part in parts)
    reach = (
        (
            f" With n = {card.n_cases}, the score is uncertain by about "
            f"±{(bounds[1] - bounds[0]) / 2:.0f} points."
        )
        if bounds
        else ""
    )
    return Figure(
        lambda theme: score_points.score_strip(
            parts, theme, bounds, None if ceiling is None else 100 * ceiling
        ),
        f"{summands} = {points(card.score, 6)} points; unrounded **{plain(card.score)!r}**, "
        f"{authority(card)}.{reach}",
    )


def authority(card: ScoreCard) -> str:
    """Return the end of a sentence that says whether the score is official."""
    return "equal to the official number in every digit" if card.official.same else "not the official number"


def part_value(card: ScoreCard, key: str, weight: float) -> float | None:
    """Return the value of a part of the score, rounded if the challenge rounds its parts; None if it is
    undefined."""
    won = card.more.get("points", {}).get(key)
    return card.metrics.get(key) if won is None else 100 * won / weight


def points_lost_figure(card: ScoreCard, name: str = "F1", key: str = "f1") -> Figure:
    """Return a figure that shows how many points of the score the errors in each class cost (`score_lost`).

    Args:
        key: Name of the measure in `per_class`.
    """
    rows = card.per_class
    order = sorted(rows, key=lambda c: -(rows[c]["score_lost"] or 0))
    caption = (
        f"Bar: points lost because the class's {name} is below 1. Pale: the largest possible loss of the "
        "class. Hatched: points of classes without a case in this test set; no model can win these points. "
        f"Number: cases of the class; *: fewer than {SMALL_CLASS}. n = {card.n_cases}."
    )
    data: Data = {
        "class": order,
        "points lost": [_hundredfold(rows[c]["score_lost"]) for c in order],
        "of": [_hundredfold(rows[c]["score_worth"]) for c in order],
        "why": ["mistakes" if rows[c]["support"] else "no case in this test set" for c in order],
        name: [rows[c][key] for c in order],
        "n": [rows[c]["support"] for c in order],
    }
    return Figure(
        lambda theme: score_points.points_lost(rows, theme, (key, name)), caption, data, classes=True
    )


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else 100 * value


def risks_of(card: ScoreCard) -> dict[str, str]:
    """Return the risk group of each class that has one."""
    return {name: entry["risk"] for name, entry in card.per_class.items() if entry.get("risk")}


def in_risk_order(names: Sequence[str], risks: Mapping[str, str]) -> list[str]:
    """Return classes ordered by risk group, the worst group first. Without risk groups, the order is not
    changed."""
    return sorted(names, key=lambda name: list(SYMBOLS).index(risks[name]) if name in risks else 0)


def classes_table(card: ScoreCard, columns: Sequence[Column], caption: str | None = None) -> Table:
    """Return a table of results by class.

    Args:
        columns: Columns for entries in `per_class`; the name of the class comes first.
    """
    risks = risks_of(card)
    order = in_risk_order(list(card.per_class), risks)
    absent = dict.fromkeys(column.name for column in columns)
    entries = [{**absent, "class": name, **card.per_class[name]} for name in order]
    return Table.of(
        "How well is each class predicted?",
        entries,
        (Column("class", "class", "class", width=92), *columns),
        f"The interval belongs to F1. {STARRED} –: undefined. {method(card)}" if caption is None else caption,
        risks=risks,
        key="classes",
    )


def confusion(card: ScoreCard, risks: Mapping[str, str] | None = None) -> list[Block]:
    """Return blocks with the confusion matrix, as counts or as shares of its rows, and a table of all counts.

    Args:
        risks: Class -> risk group, for classes that get a mark; None: the risk groups in the scorecard.
    """
    risks = risks_of(card) if risks is None else risks
    labels, counts = card.confusion
    parted = "Lines separate the risk groups. " if risks.keys() >= set(labels) else ""
    n = card.more.get("n_scored", card.n_cases)
    caption = f"Rows: truth. Colour: share of the row. {parted}n = {n}."

    def drawn(show: str) -> Figure:
        return Figure(
            partial(confusion_matrix_figure, counts, labels, style=CONFUSION[show], risks=risks),
            caption,
            counts_by_class(labels, counts),
            f"confusion {show}",
            classes=True,
        )

    cells = Choice("Cells show", "cells", {show: drawn(show) for show in CONFUSION}, printed=1)
    return [cells, counts_table(labels, counts, risks)]


def counts_by_class(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> dict[str, Sequence[Any]]:
    """Return a count matrix as table columns: the true class, then one column per predicted class."""
    columns = np.asarray(counts).T.tolist()
    return {"truth, predicted →": list(labels), **dict(zip(labels, columns, strict=True))}


def counts_table(
    labels: Sequence[str], counts: Sequence[Sequence[int]], risks: Mapping[str, str], key: str = "counts"
) -> Table:
    """Return a count matrix as the table that reports show below the figure."""
    rows = counts_by_class(labels, counts)
    first, *predicted = rows
    columns = (Column(first, first, "class"), *(Column(name, name, "number", 0) for name in predicted))
    return Table("", columns, rows, risks=risks, key=key, detail=True)


def curves(card: ScoreCard) -> list[Block]:
    """Return blocks with one-versus-rest ROC and precision-recall curves, in a small figure per class. If the
    scorecard has no curves, the only block is a text that says why."""
    if "roc_grid" not in card.arrays:
        return [
            Text(
                "There are no curves, because the submission has only labels or the number of resamples "
                "is 0.",
                "note",
            )
        ]
    roc = Panels(
        "How well is each class separated from the rest?",
        _curve_panels(card, "roc", "roc_sensitivity", "auc"),
        "Horizontal axis: 1 − specificity. Vertical axis: sensitivity. Each class against the "
        "rest, from the raw outputs. Band: pointwise 95% interval. n: cases of the class. "
        f"{method(card)}",
    )
    precision = Panels(
        "How many cases predicted as a class belong to this class?",
        _curve_panels(card, "pr", "pr_precision", "average_precision"),
        "Horizontal axis: recall. Vertical axis: precision. Dotted: guessing. Band: pointwise "
        f"95% interval. n: cases of the class. {method(card)}",
    )
    return [Choice("Curve", "curve", {"ROC": roc, "precision and recall": precision})]


def _curve_panels(card: ScoreCard, kind: str, values: str, area: str) -> list[Panel]:
    """Return a curve per class. kind: "roc" or "pr". values: name of its array. area: of the metric."""
    a, risks, panels = card.arrays, risks_of(card), []
    # A yes or no has one curve, that of its last class, whose area is one of the card's own metrics.
    names = list(card.per_class)[-len(a[values]) :]
    for name in in_risk_order(names, risks):
        entry, k, risk = card.per_class[name], names.index(name), risks.get(name)
        band = (a[f"{kind}_grid"], a[f"{kind}_low"][k], a[f"{kind}_high"][k])
        curve = Curve(name, a[f"{kind}_grid"], a[values][k], risk=risk, band=band)
        is_roc, size = kind == "roc", f"n = {entry['support']}{'*' * (entry['support'] < SMALL_CLASS)}"
        value = share(entry.get(area, card.metrics.get(area)))
        title = f"{class_name(name, risk)}  {'AUC' if is_roc else 'AP'} **{value}**"
        prevalence = None if is_roc else entry["support"] / card.n_cases
        below = f"{span(entry.get('auc_interval'), 2)}, {size}" if is_roc else size
        panels.append(Panel(title, partial(class_panel, curve, prevalence=prevalence), below))
    return panels


@dataclass(frozen=True)
class CalibrationWords:
    """Texts about the calibration of a challenge's outputs."""

    figure: ReliabilityLabels = LARGEST_OUTPUT
    gap: str = (
        "In each bin: gap between mean largest output and share of correct cases. Mean over bins, "
        "weighted by their cases"
    )
    brier: str = "Sum over classes of (output − truth)², mean over cases; 0 to 2"
    above: str = "Above the dotted line the model is under-confident, below it over-confident."


def calibration(card: ScoreCard, wording: CalibrationWords = CalibrationWords()) -> list[Block]:
    """Return figures and texts that show whether outputs can be trusted as probabilities. If calibration is
    not defined for the outputs, the only block is a text that says why."""
    if "reliability_n" not in card.arrays:
        return [
            Text(
                "Calibration is not defined here: the outputs are not probabilities (labels only, "
                "logits, or rows that do not sum to 1). The score does not include calibration.",
                "note",
            )
        ]
    predicted, observed, low, high, n = (
        card.arrays[f"reliability_{part}"] for part in ("predicted", "observed", "low", "high", "n")
    )
    diagram = Figure(
        lambda theme: reliability(predicted, observed, low, high, n, theme, wording.figure),
        f"Dots: {wording.figure.observed} with Wilson 95% interval, at the bin's mean output. "
        f"Dotted: perfect. n = {int(n.sum())}.",
        {
            "mean output": predicted.tolist(),
            wording.figure.observed: observed.tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "n": n.tolist(),
        },
    )
    distance = Facts(_distances(card, wording), "How large is the calibration error?")
    above = Text(f"{wording.above} The score does not include calibration.")
    return [SideBySide(((diagram,), (distance, above)), (3, 2))]


def _distances(card: ScoreCard, wording: CalibrationWords) -> list[Fact]:
    key = "expected_calibration_error"
    gap = card.more["calibration"][key] if "calibration" in card.more else card.metrics[key]
    further = {
        "brier_score": ("Brier score", wording.brier),
        "log_loss": ("Log loss", "Mean of −ln of the true class's output"),
    }
    return [
        Fact("Calibration error (ECE)", share(gap), "10 equal bins", wording.gap, "lower"),
        *(
            Fact(name, share(card.metrics[key]), span(card.intervals.get(key), 3), explain, "lower")
            for key, (name, explain) in further.items()
            if key in card.metrics
        ),
    ]


@dataclass(frozen=True)
class Measure:
    """A measure that is shown for each subgroup.

    Attributes:
        metric: Name of the measure in slices and metrics.
        of: Text that says which cases the measure counts.
    """

    metric: str
    question: str
    axis: str
    of: str = ""


RISK_MEASURES = (
    Measure("accuracy", "For which patients are the results worse?", "accuracy, share of correct cases"),
    Measure(
        "malignant_sensitivity",
        "In which patients does the model miss malignant lesions?",
        "malignant sensitivity",
        "malignant ",
    ),
)


def subgroups(card: ScoreCard, measures: Sequence[Measure] = RISK_MEASURES) -> list[Block]:
    """Return blocks with measures by age, gender, body site and similar groups: a figure, and a table of the
    numbers."""
    drawn = [(_by_group(card, measure),) for measure in measures]
    return [SideBySide(drawn, [1] * len(drawn)), slices_table(card.more["slices"])]


def _by_group(card: ScoreCard, measure: Measure) -> Figure:
    rows = slice_rows(card.more["slices"], measure.metric)
    groups = sum(len(members) for members in card.more["slices"].values())
    overall = card.score if measure.metric == SCORE else card.metrics.get(measure.metric)
    line = f"Line: all {card.n_cases} cases. " if overall is not None else ""
    bounds = [row.interval or (None, None) for row in rows]
    return Figure(
        lambda theme: intervals(rows, theme, measure.question, measure.axis, reference=overall),
        f"{line}n: {measure.of}cases of the group. {groups} groups were compared: one may "
        f"differ by chance. Grey: under 15 cases. {method(card)}",
        {
            "group": [row.name for row in rows],
            measure.metric: [row.value for row in rows],
            "low": [low for low, _ in bounds],
            "high": [high for _, high in bounds],
            "n": [row.n for row in rows],
        },
    )


def slices_table(slices: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Table:
    """Return a table of all subgroup numbers, for reports."""
    entries = [(by, group, entry) for by, groups in slices.items() for group, entry in groups.items()]
    keys = list(dict.fromkeys(key for *_, entry in entries for key in entry))
    rows = [dict.fromkeys(keys) | {"by": by, "group": group} | dict(entry) for by, group, entry in entries]
    columns = [Column("by", "by"), Column("group", "group"), *map(estimated, keys)]
    return Table.of("", rows, columns, key="slices", detail=True)


def estimated(key: str) -> Column:
    """Return the table column for a number, or an interval, in `scorecard.json`. Its key is the heading."""
    label = key.replace("_", " ") if key == "n" or key.startswith("n_") else named(key)
    if key.endswith("_interval"):
        return Column(key, label, "interval", 2, lighter=True, detail=True)
    return Column(key, label, "number", 0 if key.startswith("n_") or key == "n" else 3, detail=True)
