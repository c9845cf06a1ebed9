"""What a pathologist would count, from truth and from prediction: densities, lymphocytes, distances."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.puma import tissue_statistics
from scoring.challenges.puma.image_views import count_of_images
from scoring.challenges.puma.names import CLASSES
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Figure, SideBySide, Table, Text
from scoring.presentation.figures import detection as figures
from scoring.presentation.figures.numerals import percent

SIDES = ("truth", "predicted")
TIL = figures.AxisLabels(
    "Is the share of lymphocytes (TIL) right?", "truth: lymphocytes of all nuclei", "predicted"
)
NEAREST = figures.AxisLabels(
    "How far is the nearest lymphocyte from a tumour nucleus?",
    "µm to the nearest lymphocyte",
    "tumour nuclei",
)
INTRODUCTION = Text(
    "What a pathologist would count, from truth and from prediction. Not ranked, and **no diagnosis**."
)


def tissue(card: ScoreCard) -> tuple[Text, SideBySide, SideBySide]:
    """Return what a pathologist would count, from truth and from prediction."""
    return (
        INTRODUCTION,
        SideBySide(((densities(card),), (lymphocyte_shares(card),)), (1, 1)),
        SideBySide(((distances(card),), (distance_table(card),)), (1, 1)),
    )


def densities(card: ScoreCard) -> Figure:
    """Return nuclei per mm² of each class."""
    true, found = (
        np.array([entry[f"per_mm2_{side}"] for entry in card.per_class.values()]) for side in SIDES
    )
    return Figure(
        partial(figures.densities, CLASSES, true, found),
        f"● truth, ◆ predicted, per mm² of all images together. n = {count_of_images(card.n_cases)}.",
        {"class": CLASSES, "truth": true.tolist(), "predicted": found.tolist()},
    )


def lymphocyte_shares(card: ScoreCard) -> Figure:
    """Return lymphocytes of all nuclei, a dot per image."""
    names = [row["case"] for row in card.cases]
    true, found = (np.array([row[f"til_share_{side}"] for row in card.cases], float) for side in SIDES)
    together = [f"{words} {percent(card.metrics[f'til_share_{words}'])}" for words in SIDES]
    return Figure(
        partial(figures.shares, names, true, found, TIL),
        f"A dot per image. All together: {', '.join(together)}. "
        f"n = {int((np.isfinite(true) & np.isfinite(found)).sum())}.",
        {"image": names, "truth": true.tolist(), "predicted": found.tolist()},
        key="til_share",
        cases=True,
    )


def distances(card: ScoreCard) -> Figure:
    """Return how many tumour nuclei have a lymphocyte within so many µm."""
    away = [card.arrays[f"um_{side}"] for side in SIDES]
    within = tissue_statistics.drawn_within(*away)
    true, found = (tissue_statistics.cumulative(values, within) for values in away)
    counted = [(card.more[f"tumor_lymphocyte_um_{side}"] or {"n": 0})["n"] for side in SIDES]
    drawn = {
        side: values.tolist() for side, values in zip(SIDES, (true, found), strict=True) if values is not None
    }
    return Figure(
        partial(figures.distances, within, true, found, tissue_statistics.NEAR_MICROMETRES, NEAREST),
        f"Tumour nuclei of images that hold a lymphocyte: {counted[0]:,} in the truth, {counted[1]:,} "
        "predicted. Dotted: 20 and 50 µm.",
        {"µm": within.tolist(), **drawn},
    )


def distance_table(card: ScoreCard) -> Table:
    """Return the distance from tumour nuclei to the nearest lymphocyte, of all images and of each."""
    columns = [Column("image", "image", width=182)]
    for key, label, digits, width in (
        ("median", "median µm", 1, 80),
        *((f"within_{reach}", f"≤ {reach} µm", 2, 58) for reach in tissue_statistics.NEAR_MICROMETRES),
    ):
        columns += [
            Column(f"{key}_truth", label, "number", digits, width=width),
            Column(
                f"{key}_predicted",
                "pred.",
                "number",
                digits,
                full=f"{label}, predicted",
                width=52,
                lighter=True,
            ),
        ]
    rows = [_distances("all images", card.more), *(_distances(row["case"], row) for row in card.cases)]
    return Table(
        "What is the distance in each image?",
        columns,
        {column.name: [row.get(column.name) for row in rows] for column in columns},
        "From every tumour nucleus to the nearest lymphocyte, truth beside prediction. –: the image lacks "
        "one of them.",
        key="distances",
    )


def _distances(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "image": name,
        **{
            f"{key}_{side}": value
            for side in SIDES
            for key, value in (entry[f"tumor_lymphocyte_um_{side}"] or {}).items()
        },
    }
