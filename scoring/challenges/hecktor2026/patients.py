"""Results of single patients: Dice and volumes, the worst patients, and masks and images for the slice
viewer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from scoring.challenges.hecktor2026 import submitted_masks
from scoring.challenges.hecktor2026.formula import STAGES, STRUCTURES
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Fact, Facts, Table, Text
from scoring.inputs.scenes import Scene, read_scene
from scoring.presentation.figures.number_format import UNDEFINED, decimal


@dataclass(frozen=True)
class Spread:
    """Indices of the patients with a true mask, in three groups by their Dice of a structure.

    Attributes:
        above: Patients with a Dice above 0.
        zero: Patients with a Dice of 0, although one of the masks is not empty.
        empty: Patients whose two masks are empty, whatever their Dice.
    """

    above: tuple[int, ...]
    zero: tuple[int, ...]
    empty: tuple[int, ...]


@dataclass(frozen=True)
class Volumes:
    """Volumes of one patient in mL.

    Attributes:
        structure: "GTVp", "GTVn" or "both".
        right: Volume in both masks.
        spurious: Volume only in the prediction.
        missed: Volume only in the truth.
        renamed: Volume that is in both masks with different labels. For one structure, it is part of
            `spurious` or `missed`; for "both", it is in neither.
    """

    structure: str
    right: float
    spurious: float
    missed: float
    renamed: float


@dataclass(frozen=True)
class Worst:
    """A patient with a bad result. `index` is the position in the truth, `case` a description of the
    patient."""

    index: int
    case: str
    value: float


def spread(card: ScoreCard, structure: str) -> Spread:
    """Group the patients by the Dice of a structure. `structure` is a key of `STRUCTURES`."""
    groups: dict[str, list[int]] = {"above": [], "zero": [], "empty": []}
    for index, row in enumerate(card.cases):
        if row["mask"] == "no-truth":
            continue
        none = row[f"volume_{structure}_truth_ml"] == row[f"volume_{structure}_prediction_ml"] == 0
        groups["empty" if none else "above" if row[f"dice_{structure}"] else "zero"].append(index)
    return Spread(*(tuple(places) for places in groups.values()))


def volumes(truth: HecktorTruth, submission: HecktorSubmission, index: int) -> tuple[Volumes, ...]:
    """Return the volumes in mL, counted by voxels: of both structures together, then of each structure. The
    result is empty without a true mask. A missing or malformed mask counts as empty, as in the score."""
    mask, table = truth.masks[index], submission.masks.tables[index]
    if mask is None:
        return ()
    marked = np.diag(table)[1:].sum(), table[0, 1:].sum(), table[1:, 0].sum(), table[1, 2] + table[2, 1]
    rows = [_millilitres("both", marked, mask.grid.voxel_ml)]
    for name, label in STRUCTURES.values():
        right, other = table[label, label], 3 - label
        counts = (
            right,
            table[:, label].sum() - right,
            table[label].sum() - right,
            table[label, other] + table[other, label],
        )
        rows.append(_millilitres(name, counts, mask.grid.voxel_ml))
    return tuple(rows)


def _millilitres(structure: str, counts: tuple[np.integer, ...], voxel_ml: float) -> Volumes:
    return Volumes(structure, *(int(n) * voxel_ml for n in counts))


def worst(card: ScoreCard, by: str, most: int = 10) -> tuple[Worst, ...]:
    """Return the patients with the worst values, worst first. `by` is one of `WORST`."""
    sign, value_of = WORST[by]
    candidates = [
        Worst(i, row["case"], value)
        for i, row in enumerate(card.cases)
        if (value := value_of(row)) is not None
    ]
    return tuple(sorted(candidates, key=lambda entry: (sign * entry.value, entry.index))[:most])


def _mean_dice(row: Mapping[str, Any]) -> float | None:
    """Return the mean Dice of both structures, of those that count."""
    values = [row[f"dice_{s}"] for s in STRUCTURES if row[f"dice_{s}"] is not None]
    return sum(values) / len(values) if values else None


def _steps_off(row: Mapping[str, Any]) -> int | None:
    """Return by how many steps the stages are off, T and N together; without a usable prediction as many as
    there can be."""
    if row["t_truth"] is None and row["n_truth"] is None:
        return None
    return sum(_steps(kind, row) for kind in STAGES if row[f"{kind}_truth"] is not None)


def _steps(kind: str, row: Mapping[str, Any]) -> int:
    true = STAGES[kind].index(row[f"{kind}_truth"])
    if row[f"{kind}_prediction"] is None:
        return max(true, len(STAGES[kind]) - 1 - true)
    return abs(true - STAGES[kind].index(row[f"{kind}_prediction"]))


def lost_pairs(row: Mapping[str, Any]) -> int | None:
    """Return in how many comparable pairs of a patient the order is wrong or a score is missing; None for a
    patient who has no comparable pairs."""
    if row["comparable_pairs"] is None:
        return None
    return int(row["discordant_pairs"] + row["missing_pairs"])


WORST: Mapping[str, tuple[int, Callable[[Mapping[str, Any]], float | None]]] = {
    "dice": (1, _mean_dice),
    "stages": (-1, _steps_off),
    "pairs": (-1, lost_pairs),
}
"""Name of an order of patients -> 1 if small values are bad or -1 if large ones are; and the function that
returns a patient's value: mean Dice, error of staging in steps, or number of pairs with a wrong order or
without a score."""


def discordant_with(card: ScoreCard, index: int) -> tuple[int, ...]:
    """Return the indices of the patients that form discordant pairs with a patient."""
    rows = card.cases
    return tuple(
        j
        for j in range(len(rows))
        if _is_discordant(rows[index], rows[j]) or _is_discordant(rows[j], rows[index])
    )


def _is_discordant(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Return whether the first relapsed before the second's time, and has the lower score."""
    if not earlier["event"] or any(
        row[key] is None for row in (earlier, later) for key in ("time", "event", "risk")
    ):
        return False
    before = earlier["time"] < later["time"] or (earlier["time"] == later["time"] and not later["event"])
    return bool(before and earlier["risk"] < later["risk"])


IMAGE_NAMES = {"CT": "CT", "PT": "PET"}
"""Extension of an image file -> its display name, the lowest layer first."""


def scene(truth: HecktorTruth, predictions: HecktorSubmission, index: int) -> Scene | None:
    """Return the masks of one patient, with CT and PET if they are beside the true masks. The result is None
    without a true mask. Raises InputRefused as `read_scene` does."""
    patient = truth.ids[index]
    mask, true = submitted_masks.opener(truth.contents, patient), truth.masks[index]
    if true is None or mask is None:
        return None
    beside = truth.contents.layout.images.get(patient, {})
    images = {
        name: partial(truth.contents.files.open, beside[ending])
        for ending, name in IMAGE_NAMES.items()
        if ending in beside
    }
    submitted = submitted_masks.opener(predictions.contents, patient, true.grid)
    return read_scene(patient, mask, submitted, images)


NAMED = 12
"""Maximum number of patients that a line names."""
UNUSABLE = {
    "missing": " The mask is missing: it counts as empty.",
    "malformed": " The mask is malformed: it counts as empty.",
}
RELAPSE = {1: "yes", 0: "no", None: UNDEFINED}
VOXEL_COLUMNS = (
    Column("right", "TP", "number", 2, help="In truth and prediction"),
    Column("spurious", "FP", "number", 2, "lower", help="In the prediction only"),
    Column("missed", "FN", "number", 2, "lower", help="In the truth only"),
    Column(
        "renamed",
        "label",
        "number",
        2,
        "lower",
        help="In truth and prediction, but with different labels (GTVp, GTVn). A row of one structure counts "
        "these voxels as FP or FN too",
    ),
)


def patient(card: ScoreCard, index: int, volumes: Sequence[Volumes]) -> Sequence[Block]:
    """Return blocks with the results of one patient.

    Args:
        index: Index of the patient in the truth.
        volumes: Volumes of the patient; empty without a mask.
    """
    voxels = (_voxels(card, index, volumes),) if volumes else ()
    return (*voxels, _known(card, index), *_discordant(card, index))


def _voxels(card: ScoreCard, index: int, volumes: Sequence[Volumes]) -> Table:
    row = card.cases[index]
    dice = {"GTVp": row["dice_gtvp"], "GTVn": row["dice_gtvn"]}
    return Table.of(
        "How were the patient's voxels classified?",
        volumes,
        (
            Column("of", "", width=50, get=attrgetter("structure")),
            Column("dice", "Dice", "number", better="higher", get=lambda volume: dice.get(volume.structure)),
            *VOXEL_COLUMNS,
        ),
        f"Volumes in mL. The viewer shows the same voxels slice by slice.{UNUSABLE.get(row['mask'], '')}",
        key="voxels",
    )


def _known(card: ScoreCard, index: int) -> Facts:
    row = card.cases[index]
    lost = lost_pairs(row)
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
        Fact("Risk", decimal(row["risk"], 3), "a higher risk means an earlier relapse"),
        Fact(
            "Pairs lost",
            UNDEFINED if lost is None else str(lost),
            "" if lost is None else f"of {row['comparable_pairs']}",
            better="lower",
        ),
        Fact("Center", row["center"] or UNDEFINED),
    )
    return Facts((*stages, *others), "Which other facts are known about this patient?")


def _discordant(card: ScoreCard, index: int) -> Sequence[Text]:
    names = [card.cases[i]["case"] for i in discordant_with(card, index)]
    if not names:
        return ()
    listed = ", ".join(markdown(name, 40) for name in names[:NAMED])
    return (Text(f":small[:gray[Wrongly ordered with {listed}{' and more' * (len(names) > NAMED)}.]]"),)
