"""What a challenge asks a model about one photograph, and what the model's numbers stand for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from scoring.challenges import isic, load_challenge, tricorder3
from scoring.challenges.isic import categories as isic_categories
from scoring.challenges.isic import model as isic_model
from scoring.challenges.safe_scan.demographics import GENDERS, LOCATIONS, UNKNOWN
from scoring.findings import Finding, InputRefused, error
from scoring.metrics.calibration import output_kind, softmax
from scoring.models.preflight import Contract
from scoring.models.preprocessing import Recipe
from scoring.models.results import ModelFacts

SKIN_CHALLENGES = ("tricorder3", "melanoma", "isic")
MELANOMA_NAMES = ("another lesion", "melanoma")
OLDEST = 120
UNKNOWN_WORD = "unknown"
KINDS = ("probabilities", "not-normalised", "logits")
LEAST = 1e-12


@dataclass(frozen=True)
class ModelTask:
    """classes: as the challenge writes them. names: in full, for people. risk: "malignant", "medium",
    "benign" or "" of each class.

    outputs: numbers that the model gives, 1 for melanoma's one risk. contract, recipe_for: as of
    `submission.Task`. shortest_side: px below which the challenge refuses a photograph, 0 where it does not.
    """

    challenge: str
    classes: tuple[str, ...]
    names: tuple[str, ...]
    risk: tuple[str, ...]
    outputs: int
    contract: Contract
    recipe_for: Callable[[ModelFacts], Recipe]
    shortest_side: int = 0

    @property
    def malignant(self) -> np.ndarray:
        """Which classes are malignant, bool [K]."""
        return np.array([risk == "malignant" for risk in self.risk])


def subject(challenge_id: str, categories: Sequence[str] | None = None) -> ModelTask:
    """The subject of one of `SKIN_CHALLENGES`. categories: of an ISIC test set or model, in the order of its
    outputs. Raises KeyError."""
    if challenge_id == tricorder3.ID:
        task, risk = tricorder3.TASK, tuple(tricorder3.RISK[name] for name in tricorder3.CLASSES)
        classes, names = tricorder3.CLASSES, tricorder3.NAMES
        return ModelTask(
            challenge_id,
            classes,
            names,
            risk,
            len(classes),
            task.contract,
            task.recipe_for,
            task.shortest_side,
        )
    if challenge_id == isic.ID:
        classes = tuple(categories)
        risk = tuple(
            "malignant"
            if name in isic_categories.MALIGNANT
            else ""
            if name == isic_categories.UNKNOWN
            else "benign"
            for name in classes
        )
        names = tuple(isic_categories.NAMES.get(name, name) for name in classes)
        return ModelTask(
            challenge_id,
            classes,
            names,
            risk,
            len(classes),
            Contract(outputs=len(classes)),
            isic_model.recipe_for,
        )
    task = {"melanoma": load_challenge("melanoma").TASK}[challenge_id]
    classes = load_challenge(challenge_id).CLASSES
    return ModelTask(
        challenge_id,
        classes,
        MELANOMA_NAMES,
        ("benign", "malignant"),
        1,
        task.contract,
        task.recipe_for,
        task.shortest_side,
    )


def kind(outputs: np.ndarray) -> str:
    """What a model's outputs [n, k] are taken for, of `KINDS`: those of all cases are to be given, because
    one row can look like both."""
    if outputs.shape[1] > 1:
        return output_kind(outputs)
    return "logits" if len(outputs) and (outputs.min() < 0 or outputs.max() > 1) else "probabilities"


def probabilities(outputs: np.ndarray, kind: str) -> np.ndarray:
    """Rows [n, K] that sum to 1 from outputs [n, k] of a `kind`; one output is the risk of the second of two
    classes."""
    if outputs.shape[1] == 1:
        risk = expit(outputs[:, 0]) if kind == "logits" else np.clip(outputs[:, 0], 0, 1)
        return np.column_stack([1 - risk, risk])
    if kind == "logits":
        return softmax(outputs)
    rows = np.maximum(outputs, 0)
    sums = rows.sum(1, keepdims=True)
    return np.divide(rows, sums, out=np.full(rows.shape, 1 / rows.shape[1]), where=sums > LEAST)


def vector(age: float | None, gender: str | None, location: str | None) -> np.ndarray:
    """The second input, float32 [3]: years, 1 male or 0 female, 1..7 in the order of `LOCATIONS`; -1 for
    "unknown", which must be said.

    Raises InputRefused with everything that is missing or cannot be: nothing is ever filled in.
    """
    problems = []
    if age is None or not 0 <= age <= OLDEST:
        problems.append(_missing("age", f"give it in years, 0 to {OLDEST}"))
    if gender not in (*GENDERS, UNKNOWN_WORD):
        problems.append(_missing("gender", f"choose one of m, f, {UNKNOWN_WORD}"))
    if location not in (*LOCATIONS, UNKNOWN_WORD):
        problems.append(_missing("location", f"choose one of {', '.join(LOCATIONS)}, {UNKNOWN_WORD}"))
    if problems:
        raise InputRefused(problems)
    place = UNKNOWN if location == UNKNOWN_WORD else LOCATIONS.index(location) + 1
    return np.array([age, GENDERS.get(gender, UNKNOWN), place], np.float32)


def described(encoded: Sequence[float]) -> Mapping[str, float | str]:
    """What a vector [3] says, for people."""
    age, gender, location = encoded
    return {
        "age": float(age),
        "gender": {1: "male", 0: "female"}.get(int(gender), UNKNOWN_WORD),
        "location": LOCATIONS[int(location) - 1] if location > 0 else UNKNOWN_WORD,
    }


def _missing(field: str, mend: str) -> Finding:
    return error(
        "missing-value",
        field,
        f"The model takes {field} as an input, and an empty one would change its answer: {mend}.",
    )
