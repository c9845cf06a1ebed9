"""What a challenge's models receive for one photograph: their contract, and age, sex and body site as a
vector."""

from collections.abc import Sequence

import numpy as np

from scoring.challenges import load_challenge
from scoring.common.findings import Finding, InputRefused, error
from scoring.inference.single_image_task import UNKNOWN_WORD, ModelTask, PatientFields

OLDEST, UNKNOWN_YEARS = 120, 0.0


def model_task(challenge_id: str, categories: Sequence[str] | None = None) -> ModelTask:
    """Return what a challenge requires of a model for single images.

    Args:
        categories: Categories of an ISIC test set or model, in the order of its outputs.

    Raises:
        KeyError: If the challenge offers no single photographs.
    """
    support = load_challenge(challenge_id).display.single_image
    if support is None or support.task is None:
        raise KeyError(challenge_id)
    return support.task(categories)


def vector(
    patient: PatientFields, age: float | str | None, gender: str | None, location: str | None
) -> np.ndarray:
    """Return the second input of a model, float32 [3]: years, then the codes of gender and location.
    "unknown" has a code too (0 for the age) and must be given explicitly. Raises InputRefused with every
    missing or invalid value; no value is filled in."""
    problems, years = [], UNKNOWN_YEARS if age == UNKNOWN_WORD else age
    if years is None or isinstance(years, str) or not 0 <= years <= OLDEST:
        problems.append(_missing("age", f"give it in years, 0 to {OLDEST}"))
    if gender not in (*patient.genders, UNKNOWN_WORD):
        problems.append(_missing("gender", f"choose one of m, f, {UNKNOWN_WORD}"))
    if location not in (*patient.locations, UNKNOWN_WORD):
        problems.append(_missing("location", f"choose one of {', '.join(patient.locations)}, {UNKNOWN_WORD}"))
    if problems:
        raise InputRefused(problems)
    site = patient.unknown if location == UNKNOWN_WORD else patient.locations.index(location or "") + 1
    return np.array([years, patient.genders.get(gender or "", patient.unknown), site], np.float32)


def _missing(field: str, fix: str) -> Finding:
    return error(
        "missing-value",
        field,
        f"The model takes {field} as an input. A missing value would change the model's answer: {fix}.",
    )
