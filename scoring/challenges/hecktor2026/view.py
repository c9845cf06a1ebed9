"""What a page draws beside the scorecard: other readings of the rules, the patients that cost most, one
patient's masks and images."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from scoring.challenges.hecktor2026 import masks
from scoring.challenges.hecktor2026.formula import STAGES, SUBTASKS
from scoring.challenges.hecktor2026.measures import OF_CENTERS, centers, combined, quantities
from scoring.challenges.hecktor2026.options import CHOICES, Options
from scoring.challenges.hecktor2026.submission import Submission
from scoring.challenges.hecktor2026.truth import Truth
from scoring.readers.scenes import Scene, read_scene
from scoring.scorecard import ScoreCard
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import replicate

IMAGE_NAMES = {"CT": "CT", "PT": "PET"}
"""How images are called by the ending of their files, the lower one first."""


@dataclass(frozen=True)
class Reading:
    """The score under another value of one option, and how far it is from the card's; None where one of them
    is undefined.

    parts: the subtasks under it, None where undefined.
    """

    option: str
    value: str
    score: float | None
    difference: float | None
    parts: dict[str, float | None]


@dataclass(frozen=True)
class Worst:
    """A patient and what makes it stand out. index: in truth order."""

    index: int
    case: str
    value: float


def readings(truth: Truth, predictions: Submission, card: ScoreCard) -> tuple[Reading, ...]:
    """The score under every other value of every option that changes it, one option at a time."""
    usual = options_of(card)
    return tuple(
        _reading(truth, predictions, card, replace(usual, **{name: value}), name, value)
        for name, allowed in CHOICES.items()
        for value in allowed
        if value != getattr(usual, name)
    )


def _reading(
    truth: Truth, predictions: Submission, card: ScoreCard, options: Options, name: str, value: str
) -> Reading:
    found = quantities(truth, predictions, options, np.ones((1, len(truth)), np.float32))
    values = {part: float(found[part][0]) for part in SUBTASKS}
    score = combined(values)["weighted_score"]
    known = not np.isnan(score)
    return Reading(
        name,
        value,
        score if known else None,
        score - card.score if known and card.score is not None else None,
        {part: None if np.isnan(v) else v for part, v in values.items()},
    )


def center_intervals(
    truth: Truth, predictions: Submission, card: ScoreCard
) -> dict[str, dict[str, list[float] | None]]:
    """95 % intervals of what `per_center` says, by center and name, on the card's own replicates; {} without
    replicates."""
    source = card.provenance
    statistics = StatisticsOptions(source["resamples"], source["seed"], None, source["interval"])
    once = np.ones((1, len(truth)), np.float32)
    found = {}
    for center, members in centers(truth).items():
        evaluate = partial(quantities, truth, predictions, options_of(card), among=members)
        drawn = replicate(evaluate, evaluate(once), card.arrays["units"], statistics)
        if drawn.values:
            found[center] = {name: drawn.intervals[name] for name in OF_CENTERS}
    return found


def options_of(card: ScoreCard) -> Options:
    """The options that a scorecard was made under."""
    return Options(**{name: card.provenance["options"][name] for name in CHOICES})


def worst(card: ScoreCard, by: str, most: int = 10) -> tuple[Worst, ...]:
    """The patients that stand out most. by: one of `WORST`; patients of whom it says nothing are left out."""
    sign, value_of = WORST[by]
    found = [
        Worst(i, row["case"], value)
        for i, row in enumerate(card.cases)
        if (value := value_of(row)) is not None
    ]
    return tuple(sorted(found, key=lambda entry: (sign * entry.value, entry.index))[:most])


def _dice(row: dict) -> float | None:
    """The mean Dice of both structures, of those that count."""
    values = [row[f"dice_{s}"] for s in ("gtvp", "gtvn") if row[f"dice_{s}"] is not None]
    return sum(values) / len(values) if values else None


def _steps_off(row: dict) -> int | None:
    """Steps by which the stages are off, T and N together; without a usable prediction as many as there can
    be."""
    if row["t_truth"] is None and row["n_truth"] is None:
        return None
    return sum(_steps(kind, row) for kind in STAGES if row[f"{kind}_truth"] is not None)


def _steps(kind: str, row: dict) -> int:
    true = STAGES[kind].index(row[f"{kind}_truth"])
    if row[f"{kind}_prediction"] is None:
        return max(true, len(STAGES[kind]) - 1 - true)
    return abs(true - STAGES[kind].index(row[f"{kind}_prediction"]))


WORST: dict[str, tuple[int, Callable[[dict], float | None]]] = {
    "dice": (1, _dice),
    "stages": (-1, _steps_off),
    "pairs": (
        -1,
        lambda row: (
            None if row["comparable_pairs"] is None else row["discordant_pairs"] + row["missing_pairs"]
        ),
    ),
}
"""What patients are sorted by, and which end is bad (1: small): mean Dice, steps off in staging, pairs that
are discordant or lack a score."""


def discordant_with(card: ScoreCard, index: int) -> tuple[int, ...]:
    """The patients with whom one forms pairs that its scores put in the wrong order, in truth order."""
    rows = card.cases
    return tuple(
        j
        for j in range(len(rows))
        if _is_discordant(rows[index], rows[j]) or _is_discordant(rows[j], rows[index])
    )


def _is_discordant(earlier: dict, later: dict) -> bool:
    """Whether the first relapsed before the second's time, and has the lower score."""
    if (
        None
        in (earlier["time"], earlier["event"], earlier["risk"], later["time"], later["event"], later["risk"])
        or not earlier["event"]
    ):
        return False
    before = earlier["time"] < later["time"] or (earlier["time"] == later["time"] and not later["event"])
    return before and earlier["risk"] < later["risk"]


def scene(truth: Truth, predictions: Submission, index: int) -> Scene | None:
    """The masks of one patient and, where they lie beside the truth's, CT and PET; None without a true mask.
    Raises InputRefused."""
    patient = truth.ids[index]
    if truth.masks[index] is None:
        return None
    beside = truth.layout.images.get(patient, {})
    images = {
        name: partial(truth.files.open, beside[ending])
        for ending, name in IMAGE_NAMES.items()
        if ending in beside
    }
    submitted = masks.opener(predictions.files, predictions.layout, patient)
    return read_scene(patient, masks.opener(truth.files, truth.layout, patient), submitted, images)
