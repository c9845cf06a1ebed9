"""Patients one by one: where their Dice lies, what became of their voxels, who stands out most."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.formula import STAGES, STRUCTURES
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.core.scorecard import ScoreCard


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


@dataclass(frozen=True)
class Worst:
    """A patient and what makes it stand out. index: in truth order."""

    index: int
    case: str
    value: float


def spread(card: ScoreCard, structure: str) -> Spread:
    """Return where the Dice of patients lies. structure: a key of `STRUCTURES`."""
    groups: dict[str, list[int]] = {"above": [], "zero": [], "empty": []}
    for place, row in enumerate(card.cases):
        if row["mask"] == "no-truth":
            continue
        none = row[f"volume_{structure}_truth_ml"] == row[f"volume_{structure}_prediction_ml"] == 0
        groups["empty" if none else "above" if row[f"dice_{structure}"] else "zero"].append(place)
    return Spread(*(tuple(places) for places in groups.values()))


def volumes(truth: HecktorTruth, submission: HecktorSubmission, index: int) -> tuple[Volumes, ...]:
    """Return what became of voxels, of both structures together, then of each; empty without a
    truth mask. A missing or malformed mask counts as empty, as in the score."""
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


def _millilitres(structure: str, counts: tuple[np.integer, ...], voxel_ml: float) -> Volumes:
    return Volumes(structure, *(int(n) * voxel_ml for n in counts))


def worst(card: ScoreCard, by: str, most: int = 10) -> tuple[Worst, ...]:
    """Return the patients that stand out most, of those who have the value. by: one of `WORST`."""
    sign, value_of = WORST[by]
    found = [
        Worst(i, row["case"], value)
        for i, row in enumerate(card.cases)
        if (value := value_of(row)) is not None
    ]
    return tuple(sorted(found, key=lambda entry: (sign * entry.value, entry.index))[:most])


def _dice(row: Mapping[str, Any]) -> float | None:
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
    """Return how many of a patient's comparable pairs are discordant or lack a score."""
    if row["comparable_pairs"] is None:
        return None
    return int(row["discordant_pairs"] + row["missing_pairs"])


WORST: Mapping[str, tuple[int, Callable[[Mapping[str, Any]], float | None]]] = {
    "dice": (1, _dice),
    "stages": (-1, _steps_off),
    "pairs": (-1, lost_pairs),
}
"""What patients are sorted by, and which end is bad (1: small): mean Dice, steps off in staging, pairs that
are discordant or lack a score."""


def discordant_with(card: ScoreCard, index: int) -> tuple[int, ...]:
    """Return the patients with whom one forms pairs that the scores put in the wrong order."""
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
