"""Every quantity of HECKTOR 2026 on many test sets at once: row b of weights [B, N] says how often each
patient is in test set b."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.formula import STAGES, STRUCTURES, SUBTASKS, T0, unweighted, weighted
from scoring.challenges.hecktor2026.options import HecktorOptions
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.tables import NO_STAGE, oriented
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats, Ints
from scoring.metrics import classification, overlap, survival
from scoring.metrics.classification import ClassCounts
from scoring.metrics.survival import TERTILES, ConcordancePairs
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
    values: dict[QuantityName, Floats] = {
        f"dice_{s}": overlap.mean_dice(dice(truth, submission, options, s, among), weights)
        for s in STRUCTURES
    }
    of_classes: dict[QuantityName, Floats] = {
        ("mean_dice", name): values[f"dice_{s}"] for s, (name, _) in STRUCTURES.items()
    }
    values["segmentation"] = (values["dice_gtvp"] + values["dice_gtvn"]) / 2
    for kind in STAGES:
        counts = stage_counts(truth, submission, options, kind, weights, among)
        recall = classification.recall(counts)
        values[f"balanced_accuracy_{kind}"] = classification.mean_over_present(recall, counts)
        of_classes |= {("recall", name): recall[:, k] for k, name in enumerate(STAGES[kind])}
    values["staging"] = (values["balanced_accuracy_t"] + values["balanced_accuracy_n"]) / 2
    values["c_index"] = survival.c_index(
        pairs(truth, submission, options, weights, among), options.missing_risk
    )
    values["score"] = weighted(values["segmentation"], values["staging"], values["c_index"])
    return values | of_classes


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
    dices = overlap.dice(*voxels(submission.masks.tables, structure), options.empty_masks)
    return np.where(truth.has_mask & among, dices, np.nan)


def voxels(tables: Ints, structure: str) -> tuple[Ints, Ints, Ints]:
    """Return the voxels [N] of a structure in both masks, in the truth and in the submission."""
    return overlap.overlap(tables, STRUCTURES[structure][1])


def stage_truth(truth: HecktorTruth, kind: str, options: HecktorOptions) -> np.ndarray:
    """True stages as codes [N], -1 = the patient does not take part."""
    codes = truth.stages[kind]
    return np.where(codes == T0, NO_STAGE, codes) if kind == "t" and options.t0 == "exclude" else codes


def true_stages(
    truth: HecktorTruth, options: HecktorOptions, kind: str, among: Bools | bool = EVERYBODY
) -> Ints:
    """Return true stages as codes [N], `NO_STAGE` for patients who do not take part."""
    return np.where(among, stage_truth(truth, kind, options), NO_STAGE)


def submitted_stages(submission: HecktorSubmission, kind: str) -> Ints:
    """Return submitted stages as codes [N]; all missing without such a column."""
    codes = submission.stages[kind]
    return np.full(len(submission.ids), NO_STAGE) if codes is None else codes


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
    predicted = np.where(true >= 0, submitted_stages(submission, kind), NO_STAGE)
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


STEPS = (7, 30, 90, 180, 365, 730, 1825, 3650)
MOST_TICKS = 9


def survival_groups(truth: HecktorTruth, risk: np.ndarray) -> dict[str, Any]:
    """`survival` of the scorecard: size and events of the groups, and the log-rank test over those that are
    not empty."""
    time, event, group = _grouped(truth, risk)
    test = survival.log_rank(time, event, group)
    return {
        "groups": [
            {"name": name, "n": int((group == k).sum()), "events": int(event[group == k].sum())}
            for k, name in enumerate(TERTILES)
        ],
        "log_rank_chi2": test.chi2 if test else None,
        "log_rank_p": test.p if test else None,
    }


def curves(truth: HecktorTruth, risk: np.ndarray) -> dict[str, np.ndarray]:
    """Kaplan-Meier curves by group: `survival_low_time`, `_probability`, `_at_risk`, `_events` and
    `_censored` (one entry per distinct time), and the patients still under observation,
    `survival_low_number_at_risk`, at each of `survival_moments` (days)."""
    time, event, group = _grouped(truth, risk)
    moments = _moments(float(time.max(initial=0)))
    columns = {"survival_moments": moments}
    for k, name in enumerate(TERTILES):
        curve = survival.kaplan_meier(time[group == k], event[group == k])
        columns |= {
            f"survival_{name}_time": curve.time,
            f"survival_{name}_probability": curve.survival,
            f"survival_{name}_at_risk": curve.at_risk,
            f"survival_{name}_events": curve.events,
            f"survival_{name}_censored": curve.censored,
            f"survival_{name}_number_at_risk": survival.at_risk(time[group == k], moments),
        }
    return columns


def _grouped(truth: HecktorTruth, risk: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, event and group of the patients that have all of time, event and score."""
    complete = truth.has_survival & ~np.isnan(risk)
    return truth.time[complete], truth.event[complete] == 1, survival.tertiles(risk[complete])


def _moments(longest: float) -> np.ndarray:
    """Days at which numbers at risk are given: 0 and at most eight steps of a usual length."""
    step = next((s for s in STEPS if longest / s < MOST_TICKS - 1), longest / (MOST_TICKS - 1))
    return np.arange(0, longest + 1e-9, step)
