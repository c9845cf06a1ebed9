"""Headline, figures and tables of a TRICORDER-3 scorecard."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from scoring.challenges import classification_views as shared
from scoring.challenges import preflight_views as preflight
from scoring.challenges.tricorder3.formula import RISK_WEIGHTS, WEIGHTS
from scoring.common.text import markdown
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
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.number_format import points, span
from scoring.presentation.figures.theme import SHAPES

CLASS_COLUMNS = (
    Column("support", "n", "count", full="cases", width=40),
    Column("f1", "F1", "bar", better="higher", width=92),
    Column("f1_interval", "95% interval", "interval", 2, full="95% interval of F1", width=88, lighter=True),
    Column("recall", "sens.", "number", better="higher", full="sensitivity", width=56),
    shared.estimated("recall_interval"),
    Column("precision", "prec.", "number", better="higher", full="precision", width=56),
    Column("specificity", "spec.", "number", better="higher", full="specificity", width=56),
    Column("auc", "AUC", "number", better="higher", width=56),
    shared.estimated("auc_interval"),
    Column("average_precision", "AP", "number", better="higher", full="average precision", width=56),
    shared.estimated("predicted"),
    shared.estimated("score_worth"),
    shared.estimated("score_lost"),
)

RISK_CONFUSION = MatrixStyle("Which risk groups were confused?", "both", ("malignant", "benign"))


def views(card: ScoreCard) -> Views:
    """Return the views of a scorecard: headline and sections."""
    return Views(
        headline(card),
        (
            Section("Points", (SideBySide(((shared.points_lost_figure(card),), (parts(card),)), (3, 2)),)),
            Section("Risk", risk(card)),
            Section("Classes", classes(card)),
            Section("Curves", shared.curves(card)),
            Section("Calibration", shared.calibration(card)),
            Section("Subgroups", shared.subgroups(card)),
            Section("Preflight", validator(card)),
        ),
    )


def headline(card: ScoreCard) -> Headline:
    """Return the headline: the score beside its possible maximum, and the metrics that make it up."""
    m, best, size = card.metrics, card.more["best_possible_score"], card.more["model_size_mib"]
    interval = card.intervals.get("score")
    facts = (
        Fact(
            "Ceiling",
            points(best),
            "if every case were right",
            "The score if every case were right, with this model's size. Below 100 where a "
            "class has no case in this test set or the model is large.",
        ),
        shared.measure(card, "accuracy", "Accuracy"),
        shared.measure(
            card,
            "weighted_f1",
            "Weighted F1",
            "Risk-weighted 3 : 2 : 1; not the support-weighted F1 that the board calls fbeta",
        ),
        shared.measure(
            card,
            "efficiency_score",
            "Efficiency",
            "1 for models up to 50 MiB, 0 from 150 MiB. 1 MiB is 1 MB of the challenge",
            "size unknown" if size is None else f"{size:.2f} MiB",
        ),
        shared.measure(
            card,
            "malignant_sensitivity",
            "Malignant sensitivity",
            "Malignant cases predicted as any malignant class",
            "no malignant case" if m["malignant_sensitivity"] is None else None,
        ),
    )
    return Headline(
        Fact(
            "Score of 100 points",
            points(card.score),
            span(interval, 1, 100) if interval else "",
            shared.method(card),
        ),
        facts,
        shared.score_strip(card, WEIGHTS, best),
        notes=_absent(card),
    )


def _absent(card: ScoreCard) -> tuple[Text, ...]:
    absent = [name for name, entry in card.per_class.items() if not entry["support"]]
    if not absent:
        return ()
    lost = sum(card.per_class[name]["score_worth"] for name in absent)
    return (
        Text(
            f":orange-badge[▲ {len(absent)} class{'es' * (len(absent) > 1)} without a case] "
            f"{', '.join(map(markdown, absent))}: the official code counts their F1 as 0, so "
            f"**{points(lost)} points cannot be won** here, not even with accuracy 1.0. The best possible "
            f"score is {points(card.more['best_possible_score'])}."
        ),
    )


def parts(card: ScoreCard) -> Table:
    """Return a table of the parts of the score, in points out of 100."""
    m = card.metrics
    summands = (
        ("accuracy", 45.0, m["accuracy"]),
        *((f"{SHAPES[r]} {r} F1", 45 * k / 6, m[f"f1_{r}"]) for r, k in RISK_WEIGHTS.items()),
        ("efficiency", 10.0, m["efficiency_score"]),
    )
    return Table.of(
        "Which part can gain the most points?",
        [(name, worth, value or 0.0) for name, worth, value in summands],
        (
            Column("part", "part", get=lambda part: part[0]),
            Column("value", "value", "number", better="higher", get=lambda part: part[2]),
            Column("won", "won", "number", 2, get=lambda part: part[1] * part[2]),
            Column("lost", "lost", "number", 2, better="lower", get=lambda part: part[1] - part[1] * part[2]),
            Column("of", "of", "number", 2, lighter=True, get=lambda part: part[1]),
        ),
        f"Points out of 100. One more correct case adds {45 / card.n_cases:.2f} through accuracy alone; "
        "raising one malignant class from F1 0.4 to 0.5 adds 0.56.",
        key="parts",
    )


def risk(card: ScoreCard) -> tuple[SideBySide, Table]:
    """Return blocks with the confusion matrix of risk groups, and with a table of cancers that were predicted
    as benign."""
    matrix = card.more["risk_matrix"]
    labels, counts = matrix["labels"], matrix["counts"]
    figure = Figure(
        partial(
            confusion_matrix_figure,
            counts,
            labels,
            style=RISK_CONFUSION,
            risks={group: group for group in labels},
        ),
        f"Cases and share of the row. Outlined: malignant cases predicted as benign. n = {card.n_cases}.",
        shared.counts_by_class(labels, counts),
    )
    missed = [c for c in card.cases if (c["truth_risk"], c["predicted_risk"]) == ("malignant", "benign")]
    return (
        SideBySide(((figure,), (_harm(card, missed), _missed(card, missed))), (2, 3)),
        shared.counts_table(labels, counts, {group: group for group in labels}, "risks"),
    )


def _harm(card: ScoreCard, missed: list[Mapping[str, Any]]) -> Text:
    counts = card.more["risk_matrix"]["counts"]
    unanswered = sum(c["truth_risk"] == "malignant" and c["predicted"] is None for c in card.cases)
    sure = (
        f", **{sum(max(c['outputs'] or [0]) > 0.5 for c in missed)}** of them with an output above 0.5"
        if are_probabilities(card)
        else ""
    )
    return Text(
        f":red[▲] **{len(missed)} of {sum(counts[0]) + unanswered}** malignant lesions were predicted as "
        f":green[●] benign{sure}. Another **{counts[0][1]}** were predicted as :orange[◆] medium. Of "
        f"{sum(counts[2])} benign lesions **{counts[2][0]}** were predicted as malignant.",
        question="Which cancers were predicted as benign?",
    )


def _missed(card: ScoreCard, missed: list[Mapping[str, Any]]) -> Table:
    risks = shared.risks_of(card)
    kinds = [
        {"class": name, "missed": sum(c["truth"] == name for c in missed), "n": entry["support"]}
        for name, entry in card.per_class.items()
        if risks[name] == "malignant"
    ]

    def missed_share(kind: Mapping[str, Any]) -> float | None:
        return 100 * kind["missed"] / kind["n"] if kind["n"] else None

    return Table.of(
        "Which malignant classes were missed most?",
        kinds,
        (
            Column("class", "class", "class"),
            Column("missed", "predicted as benign", "number", 0, better="lower"),
            Column("n", "of", "number", 0, lighter=True),
            Column(
                "share", "share", "bar", 0, "lower", unit="%", most=100, colour="malignant", get=missed_share
            ),
        ),
        "Predicted as any of the four benign classes.",
        risks=risks,
        key="missed",
    )


def are_probabilities(card: ScoreCard) -> bool:
    """Return whether the outputs are probabilities. If they are, the largest output of a case is the model's
    confidence."""
    return "reliability_n" in card.arrays


def classes(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks with the results of each class and, beside them, the confusion matrix."""
    cells, counts = shared.confusion(card)
    table = shared.classes_table(card, CLASS_COLUMNS)
    return (SideBySide(((table,), (cells,)), (13, 9)), counts)


def validator(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks that say what the official validator does with the files and the model."""
    model, size = card.more.get("model"), card.more["model_size_mib"]
    verdict = preflight.verdict(
        card,
        "What would the official validator report?",
        {
            "official-run-cancelled": "would cancel the whole run",
            "official-score-zero": "would give every model the score 0",
            "official-other-table": "would read another table",
            "image-elsewhere": "would not find images in other folders, and give every model the score 0",
            "images-not-opened": "would give every model the score 0 where it cannot open an image",
            "ir-version": "would refuse the model (IR version)",
            "opset-version": "would refuse the model (opset)",
            "adapted-input": "would refuse the model (its input)",
            "single-input": "would run it, though the rules ask for both inputs",
        },
        "The validator **would read this test set** without "
        f"errors{' and **run this model**' if model else ''}.",
    )
    if model is None:
        unknown = "The submission is a prediction file, so only the model size that you entered is known."
        return (verdict, Text(unknown))
    room = f"{150 - size:.2f} MiB below 150" if size < 150 else "150 and more: efficiency 0"
    codes = ("demographics-probe", "demographics-ignored", "model-size", "small-image", "alpha-dropped")
    return (
        verdict,
        Facts((Fact("Size", f"{size:.2f} MiB", room), *preflight.format_facts(model))),
        preflight.tensors(model),
        *preflight.remarks(card, codes),
    )
