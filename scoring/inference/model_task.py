"""What a challenge expects of a model that is shown a single photograph."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Bools
from scoring.inference.preflight import Contract
from scoring.inference.preprocessing import Recipe
from scoring.inference.results import ModelFacts


@dataclass(frozen=True)
class ModelTask:
    """What a model answers about one photograph.

    Attributes:
        challenge: Id of the challenge.
        classes: As the challenge writes them.
        names: In full, for people.
        risk: "malignant", "medium", "benign" or "" of each class.
        outputs: Numbers that the model gives; 1 for a single risk.
        contract: What its inputs and outputs must be.
        recipe_for: How a photograph is prepared for it.
        shortest_side: Pixels below which the challenge refuses a photograph, 0 where it does not.
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
    def malignant(self) -> Bools:
        """Which classes are malignant, bool [K]."""
        return np.array([risk == "malignant" for risk in self.risk])
