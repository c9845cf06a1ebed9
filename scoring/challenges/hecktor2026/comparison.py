"""HECKTOR 2026 in comparisons."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.hecktor2026.formula import STAGES, STRUCTURES, SUBTASKS, WEIGHTS
from scoring.challenges.hecktor2026.measures import OF_CENTERS, score_of_sums
from scoring.challenges.hecktor2026.options import ORDER
from scoring.challenges.hecktor2026.ranking import rank
from scoring.core.comparison_spec import ComparisonSpec, Groups, Parameter, Value, WeightMap, WhatIf
from scoring.core.scorecard import ScoreCard
from scoring.statistics.paired_tests import BinarySample, Sample, ValueSample

DICE = tuple(f"dice_{structure}" for structure in STRUCTURES)
PARAMETERS = tuple(
    Parameter(name, f"weight of {label.lower()}", points / 100, 0, 1)
    for name, (label, _, points) in WEIGHTS.items()
)


def rescore(value: Value, parameters: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the score under other weights of the subtasks; NaN where they sum to 0. A subtask without weight
    may be undefined."""
    total = sum(parameters[name] for name in SUBTASKS)
    if total <= 0:
        return np.full_like(value(SUBTASKS[0]), np.nan)
    return np.asarray(sum(parameters[name] * value(name) for name in SUBTASKS if parameters[name]) / total)


def correct(card: ScoreCard) -> NDArray[np.float64]:
    """Return the mean Dice of both structures of each patient [N]; NaN without a truth mask."""
    return np.asarray(np.mean([_of_patients(card, name) for name in DICE], axis=0))


def sample(card: ScoreCard, metric: str) -> Sample | None:
    """Wilcoxon over patients for the Dice of a structure, McNemar for the recall of a stage."""
    measure, _, name = metric.partition("/")
    wanted = {
        f"mean_dice/{label}": dice for dice, (label, _) in zip(DICE, STRUCTURES.values(), strict=True)
    }.get(metric, metric)
    if wanted in DICE:
        values = _of_patients(card, wanted)
        return ValueSample(values[~np.isnan(values)])
    kind = next((kind for kind, names in STAGES.items() if measure == "recall" and name in names), None)
    if kind is None:
        return None
    return BinarySample(
        np.array(
            [row[f"{kind}_prediction"] == name for row in card.cases if row[f"{kind}_truth"] == name], bool
        )
    )


def _of_patients(card: ScoreCard, metric: str) -> NDArray[np.float64]:
    return np.array([np.nan if row[metric] is None else row[metric] for row in card.cases])


def of_centers(card: ScoreCard) -> Groups:
    """Return the rows of `per_center`, where the truth names centers."""
    rows = card.more.get("per_center")
    return {"center": rows} if rows else {}


COMPARISON = ComparisonSpec(
    offered=ORDER.name,
    rank=rank,
    metrics=(*SUBTASKS, *DICE, *(f"balanced_accuracy_{kind}" for kind in STAGES)),
    class_measures=("recall", "mean_dice"),
    correct=correct,
    sample=sample,
    score_of_sums=lambda _card: score_of_sums,
    slice_measures={
        name: (name, "comparable_pairs" if name == "c_index" else "n_cases") for name in OF_CENTERS
    },
    slices=of_centers,
    what_if=WhatIf(PARAMETERS, rescore),
    weight_map=WeightMap(SUBTASKS, (0.25, 0.35, 0.40), share=1.0, by_rank=True),
)
