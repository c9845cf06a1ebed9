"""Patients one by one: where their Dice lies, and what became of their voxels."""

from dataclasses import dataclass

import numpy as np

from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.challenges.hecktor2026.submission import Submission
from scoring.challenges.hecktor2026.truth import Truth
from scoring.scorecard import ScoreCard


@dataclass(frozen=True)
class Spread:
    """Patients with a truth mask by their Dice of a structure, as places in truth order.

    above: something was found. zero: nothing was, though truth or prediction have something. empty: both are
    empty, whatever Dice that gives.
    """

    above: tuple[int, ...]
    zero: tuple[int, ...]
    empty: tuple[int, ...]


@dataclass(frozen=True)
class Volumes:
    """What became of the voxels of one patient, in mL. structure: "GTVp", "GTVn" or "both".

    right: in both masks, spurious: in the prediction only, missed: in the truth only. renamed: in both, under
    the other label: for a structure part of what is spurious or missed of it, for both a result of its own.
    """

    structure: str
    right: float
    spurious: float
    missed: float
    renamed: float


def spread(card: ScoreCard, structure: str) -> Spread:
    """structure: a key of `STRUCTURES`."""
    groups: dict[str, list[int]] = {"above": [], "zero": [], "empty": []}
    for place, row in enumerate(card.cases):
        if row["mask"] == "no-truth":
            continue
        none = row[f"volume_{structure}_truth_ml"] == row[f"volume_{structure}_prediction_ml"] == 0
        groups["empty" if none else "above" if row[f"dice_{structure}"] else "zero"].append(place)
    return Spread(*(tuple(places) for places in groups.values()))


def volumes(truth: Truth, submission: Submission, index: int) -> tuple[Volumes, ...]:
    """Both structures together, then each; empty without a truth mask. A missing or malformed mask counts as
    empty, as in the score."""
    mask, table = truth.masks[index], submission.masks.tables[index]
    if mask is None:
        return ()
    marked = np.diag(table)[1:].sum(), table[0, 1:].sum(), table[1:, 0].sum(), table[1, 2] + table[2, 1]
    found = [_millilitres("both", marked, mask.grid.voxel_ml)]
    for name, label in STRUCTURES.values():
        right, other = table[label, label], 3 - label
        counts = (
            right,
            table[:, label].sum() - right,
            table[label].sum() - right,
            table[label, other] + table[other, label],
        )
        found.append(_millilitres(name, counts, mask.grid.voxel_ml))
    return tuple(found)


def _millilitres(structure: str, counts: tuple, voxel_ml: float) -> Volumes:
    return Volumes(structure, *(int(n) * voxel_ml for n in counts))
