"""What is shown of the quality of outlines, beside the score."""

from functools import partial

from scoring.challenges import classification_views as shared
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Facts, Figure, SideBySide, Table, Text
from scoring.presentation.figures import intervals as figures
from scoring.presentation.figures.detection import spaced

WORDS = {
    "pq": "Panoptic quality",
    "sq": "Segmentation quality",
    "rq": "Recognition quality",
    "matched_iou": "IoU, matched nuclei",
    "matched_dice": "Dice, matched nuclei",
}
EXPLAIN = (
    "Panoptic quality PQ = SQ × RQ: outlines match where their IoU exceeds 0.5; SQ is the mean IoU of these, "
    "RQ their F1. IoU and Dice: of the nuclei that the score matches by their middles. **None of it is in "
    "the score.**"
)


def outlines(card: ScoreCard) -> tuple[Block, ...]:
    """Return how good the outlines are: of all classes, of each class, of each tile."""
    measured = card.more["outlines"]
    if not measured["n_tiles"]:
        return (Text("No tile has outlines on both sides: there is nothing to measure.", "note"),)
    facts = Facts(
        [shared.measure(card, name, words) for name, words in WORDS.items()],
        "How good are the outlines?",
        f"{EXPLAIN} PQ, SQ and RQ: means over the classes that occur. {measured['n_matched']:,} matched "
        f"nuclei of {measured['n_tiles']} of {card.n_cases} tiles. {shared.method(card)}",
    )
    return facts, SideBySide(((by_class(card),), (class_table(card),)), (9, 11)), tile_table(card)


def by_class(card: ScoreCard) -> Figure:
    """Return the panoptic quality of each class with its interval, the best class first."""
    rows = sorted(card.per_class.items(), key=lambda item: -(item[1]["pq"] or 0))
    drawn = [
        figures.IntervalRow(spaced(name), row["pq"], row.get("pq_interval"), row["images_truth"])
        for name, row in rows
    ]
    return Figure(
        partial(
            figures.intervals,
            drawn,
            question="Of which classes are the outlines good?",
            axis_title="panoptic quality ↑",
        ),
        "n: images that hold the class. Summed over all tiles.",
        {"class": [name for name, _ in rows], "PQ": [row["pq"] for _, row in rows]},
        key="outlines_by_class",
    )


def class_table(card: ScoreCard) -> Table:
    """Return panoptic quality with its parts, and the overlap of matched nuclei, of each class."""
    columns = (
        Column("class", "class", width=96),
        Column("pq", "PQ", "bar", better="higher", width=80),
        Column("pq_interval", "95% interval", "interval", 2, width=88, lighter=True),
        Column("sq", "SQ", "number", 2, "higher", "segmentation quality", width=44),
        Column("rq", "RQ", "number", 2, "higher", "recognition quality", width=44),
        Column("matched_iou", "IoU", "number", 2, "higher", "IoU of matched nuclei", width=44),
        Column("matched_dice", "Dice", "number", 2, "higher", "Dice of matched nuclei", width=46),
    )
    rows = {column.name: [row.get(column.name) for row in card.per_class.values()] for column in columns} | {
        "class": [spaced(name) for name in card.per_class]
    }
    return Table(
        "How well are they drawn, and how well found?",
        columns,
        rows,
        "SQ: the mean IoU of outlines that match. RQ: their F1. –: undefined.",
        key="outline_classes",
    )


def tile_table(card: ScoreCard) -> Table:
    """Return panoptic quality and overlap of each tile, the worst first."""
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
    return Table(
        "On which tiles are the outlines worst?",
        columns,
        {column.name: [row[column.name] for row in rows] for column in columns},
        "By the mean IoU of the nuclei that the score matches. The viewer says the IoU of each.",
        key="outline_tiles",
        cases="case",
    )
