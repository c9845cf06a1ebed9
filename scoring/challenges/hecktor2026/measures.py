"""Further measures of HECKTOR 2026: sums by unit for the swap test, results by center, combined subtasks,
survival of risk groups."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.evaluation import HecktorEvaluation
from scoring.challenges.hecktor2026.formula import STAGES, SUBTASKS, unweighted, weighted
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats, Ints
from scoring.metrics import classification, survival
from scoring.metrics.survival import TERTILES
from scoring.statistics import permutation_test
from scoring.statistics.permutation_test import Categories

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
OF_CENTERS = tuple(name for name in WITH_INTERVAL if name not in ("score", "staging"))
"""Metrics that the table of centers shows."""


def unit_sums(
    dices: Sequence[Floats],
    staged: Sequence[tuple[Ints, Ints]],
    units: Ints,
    c_index: float,
    c_index_left_out: Floats,
) -> Floats:
    """Return 23 values for each unit [n, 23]; the score is computed from their sums over the units.

    The values are the sum and the number of Dice values of each structure, and the numbers of correct
    predictions and of patients for each T and N stage. The last value is the unit's share of the C-index.

    Args:
        dices: Dice of each patient for each structure [N].
        staged: True and submitted codes [N] for each kind of stage.
        units: Unit number of each patient [N].
        c_index_left_out: The C-index with each unit left out in turn [n].
    """
    columns = [np.column_stack([np.nan_to_num(values), np.isfinite(values)]) for values in dices]
    for (true, submitted), names in zip(staged, STAGES.values(), strict=True):
        is_true = classification.one_hot(true, len(names), float)
        columns += [is_true * classification.one_hot(submitted, len(names), float), is_true]
    shares = permutation_test.pseudo_values(c_index, c_index_left_out) / len(c_index_left_out)
    return np.column_stack([permutation_test.unit_sums(np.hstack(columns), units), shares])


def _parts(sums: Floats | Ints) -> list[Any]:
    """Split sums [..., 23] into those of both structures, hits and patients of both kinds of stages, and the
    C-index."""
    widths = [2, 2, *(width for names in STAGES.values() for width in (len(names),) * 2)]
    return np.split(sums, np.cumsum(widths), axis=-1)


def categories_of_sums() -> Categories:
    """Return for each T and N stage the positions of its sums among those of `unit_sums`: right predictions
    and patients."""
    _, _, t_hits, t_support, n_hits, n_support, _ = _parts(np.arange(23))
    hits, support = np.concatenate([t_hits, n_hits]), np.concatenate([t_support, n_support])
    return Categories(hits, cases=(support,), gains=(hits,))


def score_of_sums(sums: Floats) -> Floats:
    """Compute the score from sums [..., 23] of `unit_sums`."""
    gtvp, gtvn, t_hits, t_support, n_hits, n_support, c_index = _parts(sums)
    segmentation = sum(classification.divide(part[..., 0], part[..., 1]) for part in (gtvp, gtvn)) / 2
    staging = (
        classification.mean_of_defined(classification.divide(t_hits, t_support))
        + classification.mean_of_defined(classification.divide(n_hits, n_support))
    ) / 2
    return weighted(np.asarray(segmentation), staging, c_index[..., 0])


def centers(truth: HecktorTruth) -> dict[str, Bools]:
    """Return the patients of each named center, bool [N]."""
    named = np.array(truth.center, dtype=object)
    return {center: named == center for center in sorted({c for c in truth.center if c})}


def combined(values: Mapping[str, float]) -> dict[str, float]:
    """Return the three numbers that combine the subtasks, such as the score; NaN if one of the subtasks is
    undefined."""
    segmentation, staging, c_index = (values[name] for name in SUBTASKS)
    total = weighted(segmentation, staging, c_index)
    plain = unweighted(segmentation, staging, c_index)
    return {"weighted_score": total, "unweighted_score": plain, "consistency": abs(total - plain)}


STEPS = (7, 30, 90, 180, 365, 730, 1825, 3650)
MOST_TICKS = 9


def survival_groups(evaluation: HecktorEvaluation) -> dict[str, Any]:
    """Return the entry `survival` of the scorecard: number of patients and of events in each risk group, and
    the log-rank test between groups with patients."""
    time, event, group = _grouped(evaluation)
    test = survival.log_rank(time, event, group)
    return {
        "groups": [
            {"name": name, "n": int((group == k).sum()), "events": int(event[group == k].sum())}
            for k, name in enumerate(TERTILES)
        ],
        "log_rank_chi2": test.chi2 if test else None,
        "log_rank_p": test.p if test else None,
    }


def curves(evaluation: HecktorEvaluation) -> dict[str, np.ndarray]:
    """Return Kaplan-Meier curves of each risk group as arrays.

    The keys of the arrays begin with the name of the group, such as `survival_low`. `_time`, `_probability`,
    `_at_risk`, `_events` and `_censored` have one entry per distinct time. `_number_at_risk` has one entry
    for each of `survival_moments` (days).
    """
    time, event, group = _grouped(evaluation)
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


def _grouped(evaluation: HecktorEvaluation) -> tuple[Floats, Bools, Ints]:
    """Time, event and group of the patients that have all of time, event and score."""
    truth, risk = evaluation.truth, evaluation.risks
    complete = truth.has_survival & ~np.isnan(risk)
    return truth.time[complete], truth.event[complete] == 1, survival.tertiles(risk[complete])


def _moments(longest: float) -> np.ndarray:
    """Days at which numbers at risk are given: 0 and at most eight steps of a usual length."""
    step = next((s for s in STEPS if longest / s < MOST_TICKS - 1), longest / (MOST_TICKS - 1))
    return np.arange(0, longest + 1e-9, step)
