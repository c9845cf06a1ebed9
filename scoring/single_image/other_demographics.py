"""Computes a model's outputs for the same photograph with another age, sex or body site."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.inference.single_image_task import UNKNOWN_WORD, PatientFields
from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.model import OpenModel
from scoring.single_image.saliency import Progress, scores

ZERO_FOR_UNKNOWN = f"{UNKNOWN_WORD} (the model received 0)"
"""Label of an unknown age."""
FIELDS = {"age": "age", "gender": "sex", "location": "body site"}
"""Labels of the fields."""


@dataclass(frozen=True)
class DemographicSweep:
    """Answers of a model while one demographic input changes and the others stay the same.

    Attributes:
        vectors: Field ("age", "gender" or "location") -> second inputs of the model [n, 3].
        probabilities: Field -> probabilities [n, K].
    """

    patient: PatientFields
    vectors: Mapping[str, np.ndarray]
    probabilities: Mapping[str, np.ndarray]

    def values(self, field: str) -> list[float | str]:
        """Return the values that a field takes, as text or numbers: one for each row of its `vectors`."""
        return [self.patient.described(vector)[field] for vector in self.vectors[field]]


def sweep(
    model: OpenModel,
    prediction: ImagePrediction,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> DemographicSweep:
    """Run the model at 19 ages, all genders and all sites, each including "unknown", in 30 runs.

    Raises:
        ValueError: If the model takes no vector.
        Cancelled: If the run is cancelled.
        InputRefused: If the model fails.
    """
    patient = model.task.patient
    if prediction.vector is None or patient is None:
        raise ValueError("the model takes the image only")
    vectors = patient.sweep(*prediction.vector)
    every = np.concatenate(list(vectors.values()))
    inputs = ((prediction.prepared, vector) for vector in every)
    rows = scores(model, prediction, inputs, len(every), progress, cancelled)
    ends = np.cumsum([len(v) for v in vectors.values()])[:-1]
    return DemographicSweep(patient, vectors, dict(zip(vectors, np.split(rows, ends), strict=True)))


def changes(swept: DemographicSweep, prediction: ImagePrediction, classes: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each field of which some values change the highest-scoring class; it names these
    values. If no field changes the class, return a single sentence that says so."""
    sentences = []
    for field, rows in swept.probabilities.items():
        values, tops = swept.values(field), rows.argmax(1)
        others = [f"{classes[tops[i]]} at {_word(values[i])}" for i in np.flatnonzero(tops != prediction.top)]
        if others:
            sentences.append(
                f"With another {FIELDS[field]} the highest class is no longer {classes[prediction.top]}: "
                f"{', '.join(others)}."
            )
    return tuple(sentences) or (
        f"The highest class stays {classes[prediction.top]} at every age, sex and body site.",
    )


def told(patient: PatientFields, vector: np.ndarray, age_unknown: bool) -> dict[str, str]:
    """Return age, gender and location of a vector [3] as text. `age_unknown` says whether the age is unknown,
    so that its number is only a replacement."""
    words = {name: _word(value) for name, value in patient.described(vector).items()}
    return words | {"age": ZERO_FOR_UNKNOWN} if age_unknown else words


def unknown_cautions(
    patient: PatientFields | None, vector: np.ndarray | None, age_unknown: bool
) -> list[str]:
    """Return which of age, sex and body site are unknown, and what the model received instead, as short
    texts."""
    if patient is None or vector is None:
        return []
    described = patient.described(vector)
    return ["age unknown: the model received 0"] * age_unknown + [
        f"{label} unknown: the model received {patient.unknown}"
        for field, label in FIELDS.items()
        if described[field] == UNKNOWN_WORD
    ]


def _word(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else value
