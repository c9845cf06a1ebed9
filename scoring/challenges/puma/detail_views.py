"""Views of results that are not in the score: tissue statistics and quality of outlines."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges import classification_views as shared
from scoring.challenges.puma import diagnostics
from scoring.challenges.puma.image_views import count_of_images
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Facts, Figure, SideBySide, Table, Text
from scoring.presentation.figures import detection as tissue_figures
from scoring.presentation.figures import intervals
from scoring.presentation.figures.detection import spaced
from scoring.presentation.figures.number_format import percent

SIDES = ("truth", "predicted")
TIL = tissue_figures.AxisLabels(
    "Is the share of lymphocytes (TIL) correct?", "truth: lymphocytes among all nuclei", "predicted"
)
NEAREST = tissue_figures.AxisLabels(
    "How far is the nearest lymphocyte from a tumour nucleus?",
    "µm to the nearest lymphocyte",
    "tumour nuclei",
)
INTRODUCTION = Text(
    "Quantities that a pathologist would count, computed from truth and prediction. These quantities do not "
    "change the ranking and are **no diagnosis**."
)


def tissue(card: ScoreCard) -> tuple[Text, SideBySide, SideBySide]:
    """Return blocks with counts and distances that a pathologist would measure, computed from the truth and
    from the prediction."""
    return (
        INTRODUCTION,
        SideBySide(((densities(card),), (lymphocyte_shares(card),)), (1, 1)),
        SideBySide(((distances(card),), (distance_table(card),)), (1, 1)),
    )


def densities(card: ScoreCard) -> Figure:
    """Return a figure of the density of each class in nuclei per mm²."""
    true, predicted = (
        np.array([entry[f"per_mm2_{side}"] for entry in card.per_class.values()]) for side in SIDES
    )
    return Figure(
        partial(tissue_figures.densities, CLASSES, true, predicted),
        f"● truth, ◆ predicted: nuclei per mm², over all images. n = {count_of_images(card.n_cases)}.",
        {"class": CLASSES, "truth": true.tolist(), "predicted": predicted.tolist()},
    )


def lymphocyte_shares(card: ScoreCard) -> Figure:
    """Return a figure of lymphocytes as a share of all nuclei, with one dot per image."""
    names = [row["case"] for row in card.cases]
    true, predicted = (np.array([row[f"til_share_{side}"] for row in card.cases], float) for side in SIDES)
    together = [f"{side_name} {percent(card.metrics[f'til_share_{side_name}'])}" for side_name in SIDES]
    return Figure(
        partial(tissue_figures.shares, names, true, predicted, TIL),
        f"A dot per image. Over all images: {', '.join(together)}. "
        f"n = {int((np.isfinite(true) & np.isfinite(predicted)).sum())}.",
        {"image": names, "truth": true.tolist(), "predicted": predicted.tolist()},
        key="til_share",
        cases=True,
    )


def distances(card: ScoreCard) -> Figure:
    """Return a figure of the share of tumour nuclei that have a lymphocyte within each distance in µm."""
    away = [card.arrays[f"um_{side}"] for side in SIDES]
    within = diagnostics.drawn_within(*away)
    true, predicted = (diagnostics.cumulative(values, within) for values in away)
    counted = [(card.more[f"tumor_lymphocyte_um_{side}"] or {"n": 0})["n"] for side in SIDES]
    drawn = {
        side: values.tolist()
        for side, values in zip(SIDES, (true, predicted), strict=True)
        if values is not None
    }
    return Figure(
        partial(tissue_figures.distances, within, true, predicted, diagnostics.NEAR_MICROMETRES, NEAREST),
        f"Tumour nuclei of images with a lymphocyte: {counted[0]:,} in the truth, {counted[1]:,} "
        "predicted. Dotted: 20 and 50 µm.",
        {"µm": within.tolist(), **drawn},
    )


def distance_table(card: ScoreCard) -> Table:
    """Return a table of the distance from tumour nuclei to the nearest lymphocyte, in all images together and
    in each image."""
    columns = [Column("image", "image", width=182)]
    for key, label, digits, width in (
        ("median", "median µm", 1, 80),
        *((f"within_{reach}", f"≤ {reach} µm", 2, 58) for reach in diagnostics.NEAR_MICROMETRES),
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
        "How far are tumour nuclei from lymphocytes in each image?",
        columns,
        {column.name: [row.get(column.name) for row in rows] for column in columns},
        "Distance from each tumour nucleus to the nearest lymphocyte, in truth and prediction. –: the image "
        "has no tumour nuclei or no lymphocytes.",
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


WORDS = {
    "pq": "Panoptic quality",
    "sq": "Segmentation quality",
    "rq": "Recognition quality",
    "matched_iou": "IoU, matched nuclei",
    "matched_dice": "Dice, matched nuclei",
}
EXPLAIN = (
    "Panoptic quality PQ = SQ × RQ: two outlines match if their IoU exceeds 0.5. SQ is the mean IoU of the "
    "matched outlines, RQ is the F1 of this matching. IoU and Dice: means over the nuclei that the score "
    "matches by their centres. **Outlines do not change the score.**"
)


def outlines(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks with the quality of outlines for all classes together, for each class, and for each
    image."""
    measured = card.more["outlines"]
    if not measured["n_tiles"]:
        return (
            Text("No tile has outlines in both truth and prediction, so outlines are not measured.", "note"),
        )
    facts = Facts(
        [shared.measure(card, name, label) for name, label in WORDS.items()],
        "How good are the outlines?",
        f"{EXPLAIN} PQ, SQ and RQ: means over the classes that occur. {measured['n_matched']:,} matched "
        f"nuclei of {measured['n_tiles']} of {card.n_cases} tiles. {shared.method(card)}",
    )
    return facts, SideBySide(((by_class(card),), (class_table(card),)), (9, 11)), tile_table(card)


def by_class(card: ScoreCard) -> Figure:
    """Return a figure of the panoptic quality of each class with its interval, best class first."""
    rows = sorted(card.per_class.items(), key=lambda item: -(item[1]["pq"] or 0))
    drawn = [
        intervals.IntervalRow(spaced(name), row["pq"], row.get("pq_interval"), row["images_truth"])
        for name, row in rows
    ]
    return Figure(
        partial(
            intervals.intervals,
            drawn,
            question="Which classes have good outlines?",
            axis_title="panoptic quality ↑",
        ),
        "PQ of each class, from the nuclei of all tiles. n: images that contain the class.",
        {"class": [name for name, _ in rows], "PQ": [row["pq"] for _, row in rows]},
        key="outlines_by_class",
    )


def class_table(card: ScoreCard) -> Table:
    """Return a table of panoptic quality, its parts, and the overlap of matched nuclei for each class."""
    columns = (
        Column("class", "class", width=96),
        Column("pq", "PQ", "bar", better="higher", width=80),
        Column("pq_interval", "95% interval", "interval", 2, width=88, lighter=True),
        Column("sq", "SQ", "number", 2, "higher", "segmentation quality", width=44),
        Column("rq", "RQ", "number", 2, "higher", "recognition quality", width=44),
        Column("matched_iou", "IoU", "number", 2, "higher", "IoU of matched nuclei", width=44),
        Column("matched_dice", "Dice", "number", 2, "higher", "Dice of matched nuclei", width=46),
    )
    return Table.of(
        "How good are the outlines, and how many nuclei are found?",
        [{"pq_interval": None, **row, "class": spaced(name)} for name, row in card.per_class.items()],
        columns,
        "SQ: the mean IoU of outlines that match. RQ: the F1 of the matching. –: undefined.",
        key="outline_classes",
    )


def tile_table(card: ScoreCard) -> Table:
    """Return a table of panoptic quality and overlap for each image, worst first."""
    rows = sorted(card.cases, key=lambda row: (row["matched_iou"] is None, row["matched_iou"] or 0.0))
    columns = (
        Column("case", "image", width=200),
        Column("matched_iou", "IoU", "bar", better="higher", full="IoU of matched nuclei", width=88),
        Column("matched_dice", "Dice", "number", 3, "higher", "Dice of matched nuclei", width=54),
        *(
            Column(name, name.upper(), "number", 3, "higher", WORDS[name], width=54)
            for name in ("pq", "sq", "rq")
        ),
        Column("n_truth", "nuclei", "number", 0, width=54),
    )
    return Table.of(
        "On which tiles are the outlines worst?",
        rows,
        columns,
        "Ordered by the mean IoU of the matched nuclei. The viewer shows the IoU of each nucleus.",
        key="outline_tiles",
        cases="case",
    )
