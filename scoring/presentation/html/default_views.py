"""Default views of a scorecard, used if its challenge defines no views."""

from collections.abc import Iterator
from functools import partial

from scoring.challenges import classification_views as shared
from scoring.challenges import load_challenge
from scoring.common.text import named
from scoring.comparison import score_units as scales
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Fact, Figure, Headline, Section, Table, Views, directed
from scoring.presentation.figures.calibration import LARGEST_OUTPUT, risk_labels
from scoring.presentation.figures.confusion import confusion_matrix_figure
from scoring.presentation.figures.thresholds import Condition

NONE = "none"
"""Label for "not present" in the matrices of detection challenges."""


def views(card: ScoreCard) -> Views:
    """Return default views of a scorecard: headline and sections."""
    curves = shared.curves(card) if "roc_grid" in card.arrays else ()
    blocks = (
        *_metrics(card),
        *_per_class(card),
        *_matrices(card),
        *curves,
        *_calibration(card),
        *_slices(card),
    )
    return Views(_headline(card), (Section("All", blocks),))


def _headline(card: ScoreCard) -> Headline:
    challenge = load_challenge(card.challenge)
    interval, ceiling = card.intervals.get("score"), card.more.get("best_possible_score")
    scale = scales.of(challenge)
    facts = () if ceiling is None else (Fact("Ceiling", scale.number(ceiling), "if every case were right"),)
    strip = (
        shared.score_strip(card, challenge.scoring.parts, ceiling)
        if challenge.scoring.parts and card.score is not None
        else None
    )
    return Headline(
        Fact(
            "Score of 100 points" if challenge.scoring.as_points else "Score",
            scale.number(card.score),
            scale.span(interval) if interval else "",
            shared.method(card) if card.provenance.get("unit") else None,
            challenge.scoring.better if challenge.scoring.better == "lower" else None,
        ),
        facts,
        strip,
    )


def _metrics(card: ScoreCard) -> Iterator[Block]:
    quantity, known = load_challenge(card.challenge).scoring.quantity, card.metrics
    if not known:
        return
    yield Table.of(
        "What are the values of the metrics?",
        known,
        [
            Column("metric", "metric", get=lambda name: directed(named(name), quantity(name).better)),
            Column("value", "value", "number", get=known.__getitem__),
            Column("interval", "95% interval", "interval", lighter=True, get=card.intervals.get),
        ],
        f"An arrow says which direction is better. {shared.method(card)}",
        key="metrics",
    )


def _per_class(card: ScoreCard) -> Iterator[Block]:
    if not card.per_class:
        return
    if all("score_lost" in entry for entry in card.per_class.values()):
        yield shared.points_lost_figure(card)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for name, entry in card.per_class.items():
        kinds.setdefault(tuple(key for key in entry if key != "risk"), []).append(name)
    for k, (keys, names) in enumerate(kinds.items()):
        yield Table(
            "" if k else "How well is each class predicted?",
            [Column("class", "class", "class"), *map(shared.estimated, keys)],
            {"class": names, **{key: [card.per_class[name][key] for name in names] for key in keys}},
            risks=shared.risks_of(card),
        )


def _matrices(card: ScoreCard) -> Iterator[Block]:
    risks, matrix = shared.risks_of(card), card.confusion_matrix
    if not matrix:
        return
    labels, counts = matrix["labels"], matrix["counts"]
    known = risks if all(name in risks for name in labels) else None
    yield Figure(
        partial(confusion_matrix_figure, counts, labels, style=shared.CONFUSION["counts"], risks=known),
        "Counts; colour is the share of the row. "
        + (
            "Column “none”: missed; row “none”: spurious."
            if NONE in labels
            else "Cases without a prediction are not counted in the cells."
        ),
    )
    yield shared.counts_table(labels, counts, known or {})


def _calibration(card: ScoreCard) -> Iterator[Block]:
    if "reliability_n" in card.arrays:
        condition = Condition(*load_challenge(card.challenge).display.condition)
        labels = risk_labels(condition) if card.arrays["outputs"].shape[1] == 1 else LARGEST_OUTPUT
        yield from shared.calibration(card, shared.CalibrationWords(labels))


def _slices(card: ScoreCard) -> Iterator[Block]:
    rows = [row for groups in card.more.get("slices", {}).values() for row in groups.values()]
    measured = load_challenge(card.challenge).comparison.slice_measures
    known = [name for name in measured or ("accuracy",) if rows and all(name in row for row in rows)]
    if known:
        measures = [shared.Measure(n, f"Which subgroups differ in {named(n)}?", named(n)) for n in known]
        yield from shared.subgroups(card, measures)
