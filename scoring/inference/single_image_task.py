"""Tasks of models that receive a single photograph or tile."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding
from scoring.inference.model_contract import Contract
from scoring.inference.model_process import LoadedModel
from scoring.inference.preprocessing import Pixels, Recipe
from scoring.inference.worker_results import ModelFacts
from scoring.inputs.nuclei.reader import Nuclei

OutputOrder = tuple[int, ...] | None
"""For each class, the number of its output; None if outputs are in the order of the classes."""
UNKNOWN_WORD = "unknown"
"""Label of an unknown age, gender or body site."""


@dataclass(frozen=True)
class PatientFields:
    """Age, gender and body site as a model's second input [3].

    Attributes:
        genders: Spelling of a gender -> code.
        locations: Body sites, whose codes are 1, 2, ... in this order.
        sweep: Function from (age, gender, location) as codes to field -> inputs [n, 3] in which only this
            field changes.
    """

    genders: Mapping[str, int]
    locations: tuple[str, ...]
    unknown: int
    sweep: Callable[[float, float, float], Mapping[str, Floats]]

    def described(self, vector: Sequence[float] | Array) -> Mapping[str, float | str]:
        """Return age, gender and location of a vector [3] in readable form. The age is the number that the
        model receives."""
        age, gender, location = vector
        return {
            "age": float(age),
            "gender": {1: "male", 0: "female"}.get(int(gender), UNKNOWN_WORD),
            "location": self.locations[int(location) - 1] if location > 0 else UNKNOWN_WORD,
        }


@dataclass(frozen=True)
class OfficialRule:
    """How an official challenge decides from a model's raw outputs.

    Attributes:
        decide: Function from outputs [n, k] to class numbers [n]; -1 stands for no class.
        words: What the challenge predicts, and when.
    """

    decide: Callable[[Floats], Ints]
    words: str


@dataclass(frozen=True)
class ModelTask:
    """Contract of a model for one photograph.

    Attributes:
        risk: "malignant", "medium", "benign" or "" of each class.
        outputs: Number of the model's outputs; 1 for a single risk.
        shortest_side: Minimum pixels of a photograph's shorter side; 0: no minimum.
        patient: Fields of the model's second input; None if the model takes only the image.
        order_for: (metadata of a model, its name in messages) -> the order of its outputs and findings about
            it; raises InputRefused if the metadata name other classes.
    """

    challenge: str
    classes: tuple[str, ...]
    names: tuple[str, ...]
    risk: tuple[str, ...]
    outputs: int
    contract: Contract
    recipe_for: Callable[[ModelFacts], Recipe]
    official: OfficialRule
    shortest_side: int = 0
    patient: PatientFields | None = None
    order_for: Callable[[Mapping[str, str], str], tuple[OutputOrder, tuple[Finding, ...]]] = (
        lambda _metadata, _where: (None, ())
    )

    @property
    def malignant(self) -> Bools:
        """Whether each class is malignant, bool [K]."""
        return np.array([risk == "malignant" for risk in self.risk])


@dataclass(frozen=True)
class TileSupport:
    """Functions for nuclei in one tile of stained tissue.

    Attributes:
        til_share: Number of nuclei of each class [K] -> lymphocytes / all nuclei.
        examine: (loaded model, its name in messages) -> the dense model; raises InputRefused if the model
            does not fit the challenge, ModelFailed if it fails.
        detect: (loaded model, dense model, pixels, their name in messages) -> nuclei; raises InputRefused if
            the outputs cannot be used, ModelFailed if the model fails.
        read: (prediction file, its name) -> nuclei; raises InputRefused with every problem of the file.
    """

    challenge: str
    classes: tuple[str, ...]
    micrometres_per_pixel: float
    til_share: Callable[[Array], Array]
    examine: Callable[[LoadedModel, str], Any]
    detect: Callable[[LoadedModel, Any, Pixels, str], Nuclei]
    read: Callable[[bytes, str], Nuclei]
