"""Tabs that every classification challenge shows: classes, curves, calibration, subgroups, all cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.shared import layout
from pages.shared.layout import Fact
from scoring.figures.calibration import LARGEST_OUTPUT, ReliabilityLabels, reliability
from scoring.figures.confusion import confusion_matrix
from scoring.figures.curves import precision_recall_panel, roc_panel
from scoring.figures.intervals import intervals, slice_rows
from scoring.figures.numerals import share, span
from scoring.figures.theme import SYMBOLS, label
from scoring.scorecard import ScoreCard
from scoring.text import markdown

SMALL = "A star marks a class with under 15 cases: read the interval, not the value."


def method(card: ScoreCard) -> str:
    """n, unit, replicates and seed, for captions."""
    source = card.provenance
    if not card.intervals:
        return f"n = {card.n_cases}, no intervals."
    return (
        f"95% {source['interval']} intervals, {source['resamples']} resamples of {source['n_units']} "
        f"units ({markdown(source['unit'])}), seed {source['seed']}. n = {card.n_cases}."
    )


def interval(pair, digits: int = 2) -> str:
    return span(pair, digits) if pair else "–"


def classes(card: ScoreCard, risks: Mapping[str, str]) -> None:
    """How good each class is, and what is taken for what."""
    theme = layout.theme()
    left, right = st.columns([13, 9], gap="medium")
    with left:
        order = sorted(card.per_class, key=lambda c: list(SYMBOLS).index(risks[c]))
        rows = pd.DataFrame([_class_row(c, card.per_class[c], risks) for c in order])
        layout.table(
            "How good is each class?",
            rows,
            {
                "class": layout.words("class", 92),
                "n": layout.words("n", 40, right=True),
                "F1": layout.bar("F1 ↑", theme.accent, width=92),
                "interval": layout.words("95% interval", 88, right=True),
                "recall": layout.number("sens. ↑", 3, 56),
                "precision": layout.number("prec. ↑", 3, 56),
                "specificity": layout.number("spec. ↑", 3, 56),
                "AUC": layout.number("AUC ↑", 3, 56),
                "AP": layout.number("AP ↑", 3, 56),
            },
            f"Interval of F1. {SMALL} –: undefined. {method(card)}",
            lighter=["interval"],
            risks=risks,
            key="classes",
        )
    with right:
        show = st.segmented_control(
            "Cells show",
            ["counts", "shares"],
            key="cells",
            bind="query-params",
            required=True,
            default="counts",
        )
        matrix = card.confusion_matrix
        figure = confusion_matrix(matrix["counts"], matrix["labels"], theme, risks, show)
        numbers = pd.DataFrame(matrix["counts"], index=matrix["labels"], columns=matrix["labels"])
        layout.chart(
            figure,
            f"Rows: truth. Colour: share of the row. Lines part the risk groups. n = {card.n_cases}.",
            numbers,
        )


def _class_row(name: str, entry: Mapping, risks: Mapping[str, str]) -> dict:
    star = "*" if entry["support"] < 15 else ""
    return {
        "class": label(name, risks[name]),
        "n": f"{entry['support']}{star}",
        "F1": entry["f1"],
        "interval": interval(entry.get("f1_interval")),
        "recall": entry["recall"],
        "precision": entry["precision"],
        "specificity": entry["specificity"],
        "AUC": entry["auc"],
        "AP": entry["average_precision"],
    }


def curves(card: ScoreCard, risks: Mapping[str, str]) -> None:
    """One against rest, a small figure per class."""
    theme, arrays = layout.theme(), card.arrays
    if "roc_grid" not in arrays:
        st.info(
            "No curves: the submission holds labels only, or nothing was resampled.",
            icon=":material/show_chart:",
        )
        return
    kind = st.segmented_control(
        "Curve",
        ["ROC", "precision and recall"],
        key="curve",
        bind="query-params",
        required=True,
        default="ROC",
    )
    names = card.confusion_matrix["labels"]
    order = sorted(range(len(names)), key=lambda k: list(SYMBOLS).index(risks[names[k]]))
    cards = [_curve_card(card, k, names[k], risks[names[k]], kind == "ROC", theme) for k in order]
    if kind == "ROC":
        layout.panels(
            "How well is each class told from the rest?",
            cards,
            (
                "Across: 1 − specificity. Up: sensitivity. One against rest on the raw outputs. Band: "
                f"pointwise 95%. n: cases of the class. {method(card)}"
            ),
            "roc",
        )
    else:
        layout.panels(
            "How many of those called a class are of it?",
            cards,
            (
                "Across: recall. Up: precision. Dotted: guessing. Band: pointwise 95%. n: cases of the "
                f"class. {method(card)}"
            ),
            "pr",
        )


def _curve_card(card: ScoreCard, k: int, name: str, risk: str, is_roc: bool, theme) -> tuple:
    entry, a = card.per_class[name], card.arrays
    star = "*" if entry["support"] < 15 else ""
    if is_roc:
        figure = roc_panel(
            name,
            a["roc_grid"],
            a["roc_sensitivity"][k],
            theme,
            risk,
            (a["roc_grid"], a["roc_low"][k], a["roc_high"][k]),
        )
        return (
            f"{layout.class_name(name, risk)}  AUC **{share(entry['auc'])}**",
            figure,
            f"{interval(entry.get('auc_interval'))}, n = {entry['support']}{star}",
        )
    figure = precision_recall_panel(
        name,
        a["pr_grid"],
        a["pr_precision"][k],
        entry["support"] / card.n_cases,
        theme,
        risk,
        (a["pr_grid"], a["pr_low"][k], a["pr_high"][k]),
    )
    return (
        f"{layout.class_name(name, risk)}  AP **{share(entry['average_precision'])}**",
        figure,
        f"n = {entry['support']}{star}",
    )


@dataclass(frozen=True)
class CalibrationWords:
    """How a challenge's calibration is told. figure: of the diagram. gap, brier: what ECE and Brier score
    are. above: what lies above the line."""

    figure: ReliabilityLabels = LARGEST_OUTPUT
    gap: str = "Mean gap between largest output and share right, weighted by n"
    brier: str = "Sum over classes of (output − truth)², mean over cases; 0 to 2"
    above: str = "Above the dotted line the model is too modest, below it too sure."


def calibration(card: ScoreCard, words: CalibrationWords = CalibrationWords()) -> None:
    """Whether outputs can be taken at their word."""
    a = card.arrays
    if "reliability_n" not in a:
        st.info(
            "Calibration is not defined here: the outputs are not probabilities (labels only, "
            "logits, or rows that do not sum to 1). "
            "It is not in the score.",
            icon=":material/balance:",
        )
        return
    said, right, low, high, n = (a[f"reliability_{part}"] for part in ("said", "right", "low", "high", "n"))
    left, beside = st.columns([3, 2], gap="large")
    with left:
        numbers = pd.DataFrame(
            {"mean output": said, words.figure.observed: right, "low": low, "high": high, "n": n}
        )
        layout.chart(
            reliability(said, right, low, high, n, layout.theme(), words.figure),
            (
                f"Dots: {words.figure.observed} with Wilson 95% interval, at the bin's mean output. Dotted: "
                f"perfect. n = {int(n.sum())}."
            ),
            numbers,
        )
    with beside:
        layout.heading("How far off is it?")
        m, i = card.metrics, card.intervals
        gap = (
            m["expected_calibration_error"]
            if "calibration" not in card.more
            else card.more["calibration"]["expected_calibration_error"]
        )
        further = {
            "brier_score": ("Brier score ↓", words.brier),
            "log_loss": ("Log loss ↓", "Mean of −ln of the true class's output"),
        }
        layout.facts(
            [
                Fact("Calibration error (ECE) ↓", share(gap), "10 equal bins", words.gap),
                *(
                    Fact(name, share(m[key]), interval(i.get(key), 3), explain)
                    for key, (name, explain) in further.items()
                    if key in m
                ),
            ]
        )
        st.markdown(f"{words.above} Calibration is not in the score.")


@dataclass(frozen=True)
class Measure:
    """A share by group. metric: its name in slices and metrics. of: which cases of the group it is counted
    on, in words."""

    metric: str
    question: str
    axis: str
    of: str = ""


RISK_MEASURES = (
    Measure("accuracy", "Which patients does it serve worse?", "accuracy, share right"),
    Measure(
        "malignant_sensitivity",
        "Whose malignant lesions does it miss?",
        "malignant sensitivity",
        "malignant ",
    ),
)


def subgroups(card: ScoreCard, measures: Sequence[Measure] = RISK_MEASURES) -> None:
    """Shares by age, gender and body site."""
    groups = sum(len(found) for found in card.more["slices"].values())
    for place, measure in zip(st.columns(len(measures), gap="large"), measures, strict=True):
        with place:
            rows = slice_rows(card.more["slices"], measure.metric)
            numbers = pd.DataFrame(
                [
                    {
                        "group": r.name,
                        measure.metric: r.value,
                        "low": (r.interval or [None] * 2)[0],
                        "high": (r.interval or [None] * 2)[1],
                        "n": r.n,
                    }
                    for r in rows
                ]
            )
            figure = intervals(
                rows,
                layout.theme(),
                measure.question,
                measure.axis,
                reference=card.metrics.get(measure.metric),
            )
            line = f"Line: all {card.n_cases} cases. " if card.metrics.get(measure.metric) is not None else ""
            layout.chart(
                figure,
                f"{line}n: {measure.of}cases of the group. {groups} groups looked at: one may stand apart "
                f"by chance. Grey: under 15 cases. {method(card)}",
                numbers,
            )
