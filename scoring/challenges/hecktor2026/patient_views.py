"""What is shown of one patient beside its slices."""

from collections.abc import Sequence

from scoring.challenges.hecktor2026 import patients
from scoring.challenges.hecktor2026.formula import STAGES
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Fact, Facts, Table, Text
from scoring.presentation.figures.numerals import UNDEFINED, decimal

NAMED = 12
"""Patients that a line names at most."""
UNUSABLE = {
    "missing": " The mask is missing: it counts as empty.",
    "malformed": " The mask is malformed: it counts as empty.",
}
RELAPSE = {1: "yes", 0: "no", None: UNDEFINED}
VOXEL_COLUMNS = (
    Column("of", "", width=50),
    Column("dice", "Dice", "number", better="higher"),
    Column("right", "TP", "number", 2, help="In truth and prediction"),
    Column("spurious", "FP", "number", 2, "lower", help="In the prediction only"),
    Column("missed", "FN", "number", 2, "lower", help="In the truth only"),
    Column(
        "renamed",
        "label",
        "number",
        2,
        "lower",
        help="In both, under the other label; of one structure, part of its FP or FN",
    ),
)


def patient(card: ScoreCard, index: int, volumes: Sequence[patients.Volumes]) -> Sequence[Block]:
    """Return one patient in numbers. index: in truth order. volumes: of its voxels, empty without a mask."""
    voxels = (_voxels(card, index, volumes),) if volumes else ()
    return (*voxels, _known(card, index), *_discordant(card, index))


def _voxels(card: ScoreCard, index: int, volumes: Sequence[patients.Volumes]) -> Table:
    row = card.cases[index]
    dice = {"GTVp": row["dice_gtvp"], "GTVn": row["dice_gtvn"]}
    return Table(
        "What became of its voxels?",
        VOXEL_COLUMNS,
        {
            "of": [volume.structure for volume in volumes],
            "dice": [dice.get(volume.structure) for volume in volumes],
            "right": [volume.right for volume in volumes],
            "spurious": [volume.spurious for volume in volumes],
            "missed": [volume.missed for volume in volumes],
            "renamed": [volume.renamed for volume in volumes],
        },
        f"In mL. The viewer says the same, slice by slice.{UNUSABLE.get(row['mask'], '')}",
        key="voxels",
    )


def _known(card: ScoreCard, index: int) -> Facts:
    row = card.cases[index]
    lost = patients.lost_pairs(row)
    stages = [
        Fact(
            f"{kind.upper()} stage",
            row[f"{kind}_truth"] or UNDEFINED,
            f"predicted {row[f'{kind}_prediction'] or 'none'}",
        )
        for kind in STAGES
    ]
    others = (
        Fact("Relapse", RELAPSE[row["event"]], "" if row["time"] is None else f"day {row['time']:g}"),
        Fact("Risk", decimal(row["risk"], 3), "as read, higher is worse"),
        Fact(
            "Pairs lost",
            UNDEFINED if lost is None else str(lost),
            "" if lost is None else f"of {row['comparable_pairs']}",
            better="lower",
        ),
        Fact("Center", row["center"] or UNDEFINED),
    )
    return Facts((*stages, *others), "What else is known?")


def _discordant(card: ScoreCard, index: int) -> Sequence[Text]:
    names = [card.cases[i]["case"] for i in patients.discordant_with(card, index)]
    if not names:
        return ()
    listed = ", ".join(markdown(name, 40) for name in names[:NAMED])
    return (Text(f":small[:gray[Out of order with {listed}{' and more' * (len(names) > NAMED)}.]]"),)
