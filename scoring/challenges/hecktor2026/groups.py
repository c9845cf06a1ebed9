"""Survival in three groups of predicted risk: what the Kaplan-Meier chart draws."""

from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.metrics import survival
from scoring.metrics.survival import TERTILES

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
    found = {"survival_moments": moments}
    for k, name in enumerate(TERTILES):
        curve = survival.kaplan_meier(time[group == k], event[group == k])
        found |= {
            f"survival_{name}_time": curve.time,
            f"survival_{name}_probability": curve.survival,
            f"survival_{name}_at_risk": curve.at_risk,
            f"survival_{name}_events": curve.events,
            f"survival_{name}_censored": curve.censored,
            f"survival_{name}_number_at_risk": survival.at_risk(time[group == k], moments),
        }
    return found


def _grouped(truth: HecktorTruth, risk: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, event and group of the patients that have all of time, event and score."""
    kept = truth.has_survival & ~np.isnan(risk)
    return truth.time[kept], truth.event[kept] == 1, survival.tertiles(risk[kept])


def _moments(longest: float) -> np.ndarray:
    """Days at which numbers at risk are given: 0 and at most eight steps of a usual length."""
    step = next((s for s in STEPS if longest / s < MOST_TICKS - 1), longest / (MOST_TICKS - 1))
    return np.arange(0, longest + 1e-9, step)
