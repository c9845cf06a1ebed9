"""Who falls ill again, and when: an invented hazard, Weibull times, and follow-up that ends."""

from dataclasses import dataclass

import numpy as np

WEIBULL_SHAPE = 1.1
SCALE_DAYS = 3900  # at a log hazard of zero
FIRST_DAYS = 60  # treatment takes that long
FOLLOW_UP_DAYS = (420, 2700)


@dataclass(frozen=True)
class Course:
    """days: recurrence-free survival. relapsed: whether it ended in a recurrence, not in the end of
    follow-up."""

    days: int
    relapsed: bool


def log_hazard(tumour_ml: float, t_stage: int, n_stage: int, hpv: bool, performance: int, age: int) -> float:
    """Larger is worse. Stages as numbers; performance status 0 to 2; years."""
    stages = 0.28 * (t_stage - 2) + 0.30 * (n_stage - 1)
    return (
        0.45 * (np.log1p(tumour_ml) - 2.5)
        + stages
        - 0.9 * (hpv - 0.5)
        + 0.4 * (performance - 0.5)
        + 0.02 * (age - 61)
    )


def course(hazard: float, visit_days: int, random: np.random.Generator) -> Course:
    """visit_days: times are known to this many days, as where patients are seen at visits; then some are
    equal."""
    relapse = FIRST_DAYS + SCALE_DAYS * (-np.log(random.random()) / np.exp(hazard)) ** (1 / WEIBULL_SHAPE)
    end = random.uniform(*FOLLOW_UP_DAYS)
    return Course(
        max(visit_days, int(visit_days * round(min(relapse, end) / visit_days))), bool(relapse <= end)
    )
