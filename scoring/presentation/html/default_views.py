"""Views of a card whose challenge has none of its own: everything that the card's own names say."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges import load_challenge
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Fact, Figure, Headline, Panel, Panels, Section, Table, Views
from scoring.presentation.figures.calibration import LARGEST_OUTPUT, risk_labels
from scoring.presentation.figures.confusion import confusion_matrix_figure
from scoring.presentation.figures.curves import Curve, class_panel
from scoring.presentation.figures.numerals import decimal, points, span
from scoring.presentation.figures.numerals import share as written
from scoring.presentation.figures.theme import label
from scoring.presentation.figures.thresholds import Condition

NONE = "none"
"""The label of what was not there, in the matrices of detection challenges."""


def views(card: ScoreCard) -> Views:
    """Return headline and sections of a card."""
    blocks = (*_per_class(card), *_matrices(card), *_curves(card), *_calibration(card), *_slices(card))
    return Views(_headline(card), (Section("All", blocks),))


def _headline(card: ScoreCard) -> Headline:
    challenge = load_challenge(card.challenge)
    interval, ceiling = card.intervals.get("score"), card.more.get("best_possible_score")
    write, digits, scale = (points, 1, 100) if challenge.scoring.as_points else (written, 3, 1)
    facts = () if ceiling is None else (Fact("Ceiling", write(ceiling), "with every case right"),)
    strip = (
        shared.score_strip(card, challenge.scoring.parts, ceiling)
        if challenge.scoring.parts and card.score is not None
        else None
    )
    return Headline(
        Fact(
            "Score of 100 points" if challenge.scoring.as_points else "Score",
            write(card.score),
            span(interval, digits, scale) if interval else "",
            shared.method(card) if card.provenance.get("unit") else None,
        ),
        facts,
        strip,
    )


def _per_class(card: ScoreCard) -> Iterator[Block]:
    if not card.per_class:
        return
    if all("score_lost" in entry for entry in card.per_class.values()):
        yield shared.points_lost(card)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for name, entry in card.per_class.items():
        kinds.setdefault(tuple(key for key in entry if key != "risk"), []).append(name)
    for k, (keys, names) in enumerate(kinds.items()):
        yield Table(
            "" if k else "How good is each class?",
            [Column("class", "class", "class"), *map(shared.estimated, keys)],
            {"class": names, **{key: [card.per_class[name][key] for name in names] for key in keys}},
            risks={name: card.per_class[name]["risk"] for name in names if card.per_class[name].get("risk")},
        )


def _matrices(card: ScoreCard) -> Iterator[Block]:
    risks = {name: entry["risk"] for name, entry in card.per_class.items() if entry.get("risk")}
    matrix = card.confusion_matrix
    if not matrix:
        return
    labels, counts = matrix["labels"], matrix["counts"]
    known = risks if all(name in risks for name in labels) else None
    yield Figure(
        partial(confusion_matrix_figure, counts, labels, style=shared.CONFUSION["counts"], risks=known),
        "Counts; colour is the share of the row. "
        + (
            "Column none: missed; row none: spurious."
            if NONE in labels
            else "Cases without a prediction are in no cell."
        ),
    )
    yield shared.counts_table(labels, counts, known or {})


def _curves(card: ScoreCard) -> Iterator[Block]:
    if "roc_grid" in card.arrays:
        yield from _panels(
            card,
            ("roc", "roc_sensitivity", "auc", "AUC"),
            "How well is each class told from the rest?",
            "Across: 1 − specificity. Up: sensitivity.",
        )
    if "pr_grid" in card.arrays:
        yield from _panels(
            card,
            ("pr", "pr_precision", "average_precision", "AP"),
            "How many of those called it are it?",
            "Across: recall. Up: precision.",
        )


def _panels(
    card: ScoreCard, names: tuple[str, str, str, str], question: str, caption: str
) -> Iterator[Block]:
    kind, values, area, short = names
    if values not in card.arrays:
        return
    grid, curves = card.arrays[f"{kind}_grid"], card.arrays[values]
    low, high = card.arrays.get(f"{kind}_low"), card.arrays.get(f"{kind}_high")
    panels = []
    # A yes or no has one curve, that of its last class, whose area is one of the card's own metrics.
    for k, (name, entry) in enumerate(list(card.per_class.items())[-len(curves) :]):
        if not np.isfinite(curves[k]).any():
            continue
        band = None if low is None or high is None else (grid, low[k], high[k])
        title = (
            f"{markdown(label(name, entry.get('risk')))}  {short} "
            f"{decimal(entry.get(area, card.metrics.get(area)), 3)}, n = {entry.get('support')}"
        )
        curve = Curve(name, grid, curves[k], risk=entry.get("risk"), band=band)
        prevalence = None if kind == "roc" else entry["support"] / card.n_cases
        panels.append(Panel(title, partial(class_panel, curve, prevalence=prevalence)))
    if panels:
        yield Panels(
            question,
            panels,
            f"{caption} One against the rest, on the outputs as they came. Band: pointwise 95%.",
        )


def _calibration(card: ScoreCard) -> Iterator[Block]:
    if "reliability_n" in card.arrays:
        condition = Condition(*load_challenge(card.challenge).display.condition)
        labels = risk_labels(condition) if card.arrays["outputs"].shape[1] == 1 else LARGEST_OUTPUT
        yield from shared.calibration(card, shared.CalibrationWords(labels))


def _slices(card: ScoreCard) -> Iterator[Block]:
    if card.more.get("slices"):
        accuracy = shared.RISK_MEASURES[0]
        yield from shared.subgroups(card, [accuracy])
