"""Inputs and outputs of a challenge's models for one photograph."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from scoring.challenges import load_challenge
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, error
from scoring.inference.single_image_task import UNKNOWN_WORD, ModelTask, PatientFields
from scoring.metrics.calibration import output_kind, softmax

OLDEST, UNKNOWN_YEARS = 120, 0.0
LEAST = 1e-12


def model_task(challenge_id: str, categories: Sequence[str] | None = None) -> ModelTask:
    """Return what a challenge expects of a model.

    Args:
        categories: Of an ISIC test set or model, in the order of its outputs.

    Raises:
        KeyError: For any other challenge.
    """
    support = load_challenge(challenge_id).display.single_image
    if support is None or support.task is None:
        raise KeyError(challenge_id)
    return support.task(categories)


def kind(outputs: Floats) -> str:
    """Return what a model's outputs [n, k] are, as `output_kind` names it. Give those of all cases: a single
    row can look like both."""
    if outputs.shape[1] > 1:
        return output_kind(outputs)
    return "logits" if len(outputs) and (outputs.min() < 0 or outputs.max() > 1) else "probabilities"


def probabilities(outputs: Floats, kind: str) -> Floats:
    """Return rows [n, K] that sum to 1 from outputs [n, k] of a `kind`; one output is the risk of the second
    of two classes."""
    if outputs.shape[1] == 1:
        risk = expit(outputs[:, 0]) if kind == "logits" else np.clip(outputs[:, 0], 0, 1)
        return np.column_stack([1 - risk, risk])
    if kind == "logits":
        return softmax(outputs)
    rows = np.maximum(outputs, 0)
    sums = rows.sum(1, keepdims=True)
    shares: Floats = np.divide(rows, sums, out=np.full(rows.shape, 1 / rows.shape[1]), where=sums > LEAST)
    return shares


def vector(
    patient: PatientFields, age: float | str | None, gender: str | None, location: str | None
) -> np.ndarray:
    """Return the second input, float32 [3]: years, then the codes of gender and location. "unknown" has a
    code, too (0 years), and must be given.

    Raises InputRefused with everything that is missing or cannot be: nothing is ever filled in.
    """
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
        f"The model takes {field} as an input, and an empty one would change its answer: {fix}.",
    )
