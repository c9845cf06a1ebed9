"""Headline, figures and tables of a Melanoma scorecard."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges.classification_views import CalibrationWords, Measure
from scoring.challenges.melanoma import threshold_views
from scoring.challenges.melanoma.formula import THRESHOLD, WEIGHTS
from scoring.challenges.melanoma.threshold import net_benefit, predictive_values, threshold_range
from scoring.challenges.melanoma.threshold_views import CALIBRATION as RELIABILITY
from scoring.challenges.melanoma.threshold_views import MELANOMA, OFFICIAL
from scoring.core.scorecard import ScoreCard
from scoring.core.views import (
    Block,
    Column,
    Fact,
    Facts,
    Figure,
    Headline,
    Section,
    SideBySide,
    Table,
    Text,
    Views,
)
from scoring.presentation.figures import thresholds
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.number_format import decimal, percent, points, span
from scoring.statistics.replicates import CURVE_REPLICATES

NAMES = {"positive": "melanoma", "negative": "other", None: "no prediction"}
"""Class -> its name for readers; None stands for a case without a prediction."""
CONFUSION = MatrixStyle("Which classes are confused?", "both", (MELANOMA.name, MELANOMA.other))
USUAL_THRESHOLDS = (0.03, 0.1, 0.2, 0.5)
CALIBRATION = CalibrationWords(
    RELIABILITY,
    "In each bin: gap between mean score and share of melanomas. Mean over bins, weighted by their cases",
    "Mean of (score − truth)²; 0 to 1",
    "Above the dotted line the scores are too low, below it too high.",
)
MEASURES = (
    Measure("accuracy", "For which patients are the results worse?", "accuracy, share of correct cases"),
    Measure(
        "recall",
        "In which patients does the model miss melanomas?",
        "sensitivity, share of melanomas flagged",
        "melanoma ",
    ),
)
CLASS_COLUMNS = (
    Column("support", "n", "number", 0, full="cases", width=48, lighter=True),
    Column("predicted", "predicted", "number", 0, width=76, lighter=True),
    Column("f1", "F1", "number", better="higher", width=60),
    Column("f1_interval", "95% interval", "interval", full="95% interval of F1", width=112, lighter=True),
    Column("recall", "sens.", "number", better="higher", full="sensitivity", width=64),
    Column("precision", "prec.", "number", better="higher", full="precision", width=64),
    Column("specificity", "spec.", "number", better="higher", full="specificity", width=64),
)


def views(card: ScoreCard) -> Views:
    """Return the views of a scorecard: headline and sections. The blocks of the sections "Threshold",
    "Missed" and "Net benefit" are only for reports; the page shows interactive blocks instead."""
    return Views(
        headline(card),
        (
            Section("Threshold", threshold_views.official(card), detail=True),
            Section("Missed", (calls(card), in_practice(card, None)), detail=True),
            Section("Classes", classes(card)),
            Section("Calibration", shared.calibration(card, CALIBRATION)),
            Section("Net benefit", benefit(card, None), detail=True),
            Section("Subgroups", subgroups(card)),
        ),
    )


def headline(card: ScoreCard) -> Headline:
    """Return the headline: the score, a figure of its parts, and further numbers."""
    positives, interval = card.per_class["positive"]["support"], card.intervals.get("score")
    of_metrics = (
        ("f2", "F2", "60 of 100 points"),
        ("accuracy", "Accuracy", "30 of 100 points"),
        ("auc", "AUC", "10 of 100 points"),
        ("recall", "Sensitivity", "Share of the melanomas that are flagged at 0.5"),
        ("specificity", "Specificity", "Share of the others that are not flagged at 0.5"),
    )
    return Headline(
        Fact(
            "Score of 100 points",
            points(card.score),
            span(interval, 1, 100) if interval else "",
            f"Below: 95% interval. {shared.method(card)}",
        ),
        (
            Fact(
                "Melanomas",
                f"{positives} of {card.n_cases}",
                f"prevalence {percent(positives / card.n_cases)}",
            ),
            *(shared.measure(card, key, name, explain) for key, name, explain in of_metrics),
        ),
        replace(shared.score_strip(card, WEIGHTS), caption=_arithmetic(card)),
    )


def _arithmetic(card: ScoreCard) -> str:
    if card.score is None:
        sentence = "The score is **undefined**: the test set has only one class, but the AUC needs both."
    else:
        summands = " + ".join(
            f"{weight} × {card.metrics[key]:.6f}" for key, (_, _, weight) in WEIGHTS.items()
        )
        sentence = f"({summands}) / 100 = **{card.score!r}**, {shared.authority(card)}."
    return f"{sentence} n = {card.n_cases}."


def calls(card: ScoreCard) -> Text:
    """Return a text that says how many melanomas are missed and how many other lesions are flagged."""
    (quiet, alarms), (missed, flagged) = card.confusion[1]
    return Text(
        f"At 0.5 :red[▲] **{missed} of {missed + flagged}** melanomas are missed, and **{alarms} of "
        f"{alarms + quiet}** others are flagged.",
        question="What does a positive prediction mean?",
    )


def in_practice(card: ScoreCard, prevalence: float | None) -> SideBySide:
    """Return blocks with the predictive values at a prevalence of melanoma, 0..1. None stands for the
    prevalence in the test set."""
    values = predictive_values(card, THRESHOLD, prevalence)

    def lines(*named: tuple[str, str]) -> Text:
        drawn = []
        for name, template in named:
            value, bounds = values[name]
            written = decimal(None if value is None else 100 * value, 1)
            interval = span(bounds, 1, 100) if bounds else "–"
            drawn.append(f"{template.format(written)} :small[:gray[{interval}]]")
        return Text("  \n".join(drawn))

    flagged = lines(
        ("recall", "Of 100 melanomas **{}** are flagged"),
        ("precision", "Of 100 people flagged **{}** have a melanoma"),
    )
    right = lines(
        ("missed_among_cleared", "Of 100 people not flagged **{}** have a melanoma"),
        ("flagged", "Of 100 people **{}** are flagged"),
    )
    return SideBySide(((flagged,), (right,)), (1, 1))


def classes(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks with the confusion matrix and the measures of both classes."""
    labels, counts = card.confusion
    figure = Figure(
        partial(
            confusion_matrix_figure,
            np.asarray(counts)[::-1, ::-1],
            (MELANOMA.name, MELANOMA.other),
            style=CONFUSION,
            risks={MELANOMA.name: "malignant"},
        ),
        f"Number of cases and share of the row, at the threshold 0.5. Outlined: missed melanomas. "
        f"n = {card.n_cases}.",
        shared.counts_by_class(labels, counts),
    )
    of_both = (
        ("balanced_accuracy", "Balanced accuracy"),
        ("f1", "F1"),
        ("precision", "Precision"),
        ("average_precision", "Average precision"),
        ("sensitivity_at_90_specificity", "Sensitivity at 90% specificity"),
        ("specificity_at_90_sensitivity", "Specificity at 90% sensitivity"),
    )
    facts = Facts([shared.measure(card, key, name) for key, name in of_both])
    return (
        SideBySide(((figure,), (_classes_table(card), facts)), (2, 3)),
        shared.counts_table(labels, counts, {}),
    )


def _classes_table(card: ScoreCard) -> Table:
    absent = dict.fromkeys(column.name for column in CLASS_COLUMNS)
    entries = [
        {**absent, "class": NAMES[name], **card.per_class[name]} for name in reversed(list(card.per_class))
    ]
    return Table.of(
        "How well is each class predicted?",
        entries,
        (Column("class", "class", "class", width=84), *CLASS_COLUMNS),
        f"Each row takes its class as the positive class. The interval belongs to F1. –: undefined. "
        f"{shared.method(card)}",
        risks={"melanoma": "malignant"},
        key="classes",
    )


def benefit(card: ScoreCard, prevalence: float | None) -> tuple[Block, ...]:
    """Return blocks that show whether it is better to decide by the model than to treat everybody or nobody.
    `prevalence` is the share of melanomas, 0..1; None: as in the test set."""
    if "reliability_n" not in card.arrays:
        return (
            Text(
                "Net benefit needs scores that are risks from 0 to 1. These scores are logits, or no case "
                "has a score.",
                "note",
            ),
        )
    curves = net_benefit(card, np.linspace(0, 0.6, 61).tolist(), prevalence)
    figure = Figure(
        lambda theme: thresholds.net_benefit(curves, theme, MELANOMA, [OFFICIAL]),
        f"Band: pointwise 95% interval from up to {CURVE_REPLICATES} resamples. Dotted: the "
        f"official threshold 0.5. n = {card.n_cases}. Method: Vickers and Elkin, 2006.",
        {name: values.tolist() for name, values in curves.items()},
    )
    how = Text(
        "Net benefit is the share of people with a detected melanoma, minus the weighted share of people "
        "with a false alarm. The weight is the odds of the threshold: a threshold of 10% risk accepts 9 "
        "false alarms per melanoma. The model is useful at thresholds where its line is the highest.",
        question="How is the net benefit interpreted?",
    )
    return (SideBySide(((figure,), (how, _usual(card, prevalence))), (3, 2)),)


def _usual(card: ScoreCard, prevalence: float | None) -> Table:
    benefits = net_benefit(card, USUAL_THRESHOLDS, prevalence)
    curves = {name: values.tolist() for name, values in benefits.items()}

    def interval(i: int) -> tuple[float, float] | None:
        return (curves["low"][i], curves["high"][i]) if "low" in curves else None

    return Table.of(
        "What is the net benefit at common thresholds?",
        range(len(USUAL_THRESHOLDS)),
        (
            Column(
                "threshold", "threshold, %", "number", 0, width=96, get=lambda i: 100 * USUAL_THRESHOLDS[i]
            ),
            Column("model", "model", "number", better="higher", width=72, get=curves["model"].__getitem__),
            Column("interval", "95% interval", "interval", width=120, lighter=True, get=interval),
            Column("everybody", "everybody", "number", width=84, get=curves["everybody"].__getitem__),
        ),
        "The NICE guideline for primary care recommends action from a risk of 3%.",
        key="benefit",
    )


def subgroups(card: ScoreCard) -> Sequence[Block]:
    """Return blocks with results by age, gender and body site, or a text that says why there are none."""
    if any(card.more["slices"].values()):
        return shared.subgroups(card, MEASURES)
    return (
        Text("The test set has no column for age, gender or body site, so there are no subgroups.", "note"),
    )


def case_score(card: ScoreCard, index: int) -> Figure:
    """Return a figure of the score of one case beside the marked thresholds. `index` is the position of the
    case in `card.cases`."""
    case, ends = card.cases[index], threshold_range(card)
    output = "no prediction" if case["output"] is None else f"raw output {case['output']!r}"
    return Figure(
        lambda theme: thresholds.score_bar(
            case["output"], [OFFICIAL], ends, theme, case["truth"] == "positive"
        ),
        f"Truth: {NAMES[case['truth']]}. Predicted: {NAMES[case['predicted']]}; {output}. Above 0.5, a case "
        "is predicted as melanoma.",
    )
