"""Every quantity of HECKTOR 2026 on many test sets at once: row b of weights [B, N] says how often each
patient is in test set b."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.challenges.hecktor2026 import stages
from scoring.challenges.hecktor2026.formula import STAGES, STRUCTURES, SUBTASKS, unweighted, weighted
from scoring.challenges.hecktor2026.missing import stage_truth
from scoring.challenges.hecktor2026.options import HecktorOptions
from scoring.challenges.hecktor2026.prognosis import oriented
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats, Ints
from scoring.metrics import classification, overlap, survival
from scoring.metrics.classification import ClassCounts
from scoring.metrics.survival import ConcordancePairs
from scoring.statistics import permutation_test
from scoring.statistics.replicates import QuantityName

WITH_INTERVAL = (
    "score",
    "segmentation",
    "dice_gtvp",
    "dice_gtvn",
    "staging",
    "balanced_accuracy_t",
    "balanced_accuracy_n",
    "c_index",
)
OF_CENTERS = (
    "segmentation",
    "dice_gtvp",
    "dice_gtvn",
    "balanced_accuracy_t",
    "balanced_accuracy_n",
    "c_index",
)
"""What is said of each center by itself."""


EVERYBODY = True
"""As `among`: all patients. Else bool [N], the patients that take part at all."""


def quantities(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    weights: Floats,
    among: Bools | bool = EVERYBODY,
) -> dict[QuantityName, Floats]:
    """Return every quantity of `WITH_INTERVAL`, and those of a class under (measure, class).

    [B] each, NaN where undefined.
    """
    found: dict[QuantityName, Floats] = {
        f"dice_{s}": overlap.mean_dice(dice(truth, submission, options, s, among), weights)
        for s in STRUCTURES
    }
    of_classes: dict[QuantityName, Floats] = {
        ("mean_dice", name): found[f"dice_{s}"] for s, (name, _) in STRUCTURES.items()
    }
    found["segmentation"] = (found["dice_gtvp"] + found["dice_gtvn"]) / 2
    for kind in STAGES:
        counts = stage_counts(truth, submission, options, kind, weights, among)
        recall = classification.recall(counts)
        found[f"balanced_accuracy_{kind}"] = classification.mean_over_present(recall, counts)
        of_classes |= {("recall", name): recall[:, k] for k, name in enumerate(STAGES[kind])}
    found["staging"] = (found["balanced_accuracy_t"] + found["balanced_accuracy_n"]) / 2
    found["c_index"] = survival.c_index(
        pairs(truth, submission, options, weights, among), options.missing_risk
    )
    found["score"] = weighted(found["segmentation"], found["staging"], found["c_index"])
    return found | of_classes


def unit_sums(
    dices: Sequence[Floats],
    staged: Sequence[tuple[Ints, Ints]],
    units: Ints,
    c_index: float,
    c_index_left_out: Floats,
) -> Floats:
    """Return what the score is made of, by unit [n, 23]: sum and number of the Dice values of both
    structures, hits and patients of each T and N stage, and the share in the C-index.

    From the patients [N] and their unit numbers. dices: of `dice` for each structure. staged: true and
    submitted codes for each kind of stage. c_index_left_out: the C-index without each unit [n].
    """
    columns = [np.column_stack([np.nan_to_num(values), np.isfinite(values)]) for values in dices]
    for (true, submitted), names in zip(staged, STAGES.values(), strict=True):
        is_true = classification.one_hot(true, len(names), float)
        columns += [is_true * classification.one_hot(submitted, len(names), float), is_true]
    shares = permutation_test.pseudo_values(c_index, c_index_left_out) / len(c_index_left_out)
    return np.column_stack([permutation_test.unit_sums(np.hstack(columns), units), shares])


def score_of_sums(sums: Floats) -> Floats:
    """Return the score of the sums [..., 23] of `unit_sums`."""
    places = np.cumsum([2, 2, *(width for names in STAGES.values() for width in (len(names),) * 2)])
    gtvp, gtvn, t_hits, t_support, n_hits, n_support, c_index = np.split(sums, places, axis=-1)
    segmentation = sum(classification.divide(part[..., 0], part[..., 1]) for part in (gtvp, gtvn)) / 2
    staging = (
        classification.mean_of_defined(classification.divide(t_hits, t_support))
        + classification.mean_of_defined(classification.divide(n_hits, n_support))
    ) / 2
    return weighted(np.asarray(segmentation), staging, c_index[..., 0])


def centers(truth: HecktorTruth) -> dict[str, Bools]:
    """Return the members (bool [N]) of every center that is named, by name."""
    named = np.array(truth.center, dtype=object)
    return {center: named == center for center in sorted({c for c in truth.center if c})}


def dice(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    structure: str,
    among: Bools | bool = EVERYBODY,
) -> Floats:
    """Return the Dice of every patient [N].

    NaN without a truth mask, and of a pair that is left out because both are empty.
    """
    found = overlap.dice(*voxels(submission.masks.tables, structure), options.empty_masks)
    return np.where(truth.has_mask & among, found, np.nan)


def voxels(tables: Ints, structure: str) -> tuple[Ints, Ints, Ints]:
    """Return the voxels [N] of a structure in both masks, in the truth and in the submission."""
    return overlap.overlap(tables, STRUCTURES[structure][1])


def true_stages(
    truth: HecktorTruth, options: HecktorOptions, kind: str, among: Bools | bool = EVERYBODY
) -> Ints:
    """Return true stages as codes [N], `stages.MISSING` for patients who do not take part."""
    return np.where(among, stage_truth(truth, kind, options), stages.MISSING)


def submitted_stages(submission: HecktorSubmission, kind: str) -> Ints:
    """Return submitted stages as codes [N]; all missing without such a column."""
    codes = submission.stages[kind]
    return np.full(len(submission.ids), stages.MISSING) if codes is None else codes


def stage_counts(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    kind: str,
    weights: Floats,
    among: Bools | bool = EVERYBODY,
) -> ClassCounts:
    """Count support, predictions and hits per stage over the patients with a true one.

    No usable prediction is no class.
    """
    true = true_stages(truth, options, kind, among)
    predicted = np.where(true >= 0, submitted_stages(submission, kind), stages.MISSING)
    return classification.counts(true, predicted, weights, len(STAGES[kind]))


def risks(truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions) -> Floats:
    """Return oriented scores [N], the higher the worse; NaN = none."""
    return oriented(submission.scores, options.prognosis_direction, len(truth))


def pairs(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    weights: Floats,
    among: Bools | bool = EVERYBODY,
) -> ConcordancePairs:
    """Count comparable pairs and what the scores make of them, over the patients with time and event."""
    known = truth.has_survival & among
    risk = risks(truth, submission, options)[known]
    return survival.pairs(truth.time[known], truth.event[known] == 1, risk, weights[:, known])


def combined(values: Mapping[str, float]) -> dict[str, float]:
    """Return the three numbers that join the subtasks, undefined (NaN) where one of them is."""
    segmentation, staging, c_index = (values[name] for name in SUBTASKS)
    total = weighted(segmentation, staging, c_index)
    plain = unweighted(segmentation, staging, c_index)
    return {"weighted_score": total, "unweighted_score": plain, "consistency": abs(total - plain)}
