"""What the models of each sample learn: from which images, into which columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sample_data.generator import isic, melanoma, tricorder3
from sample_data.generator.skin_image import SYMBOLS
from sample_data.generator.testset import ClassPlan, Plan
from scoring.inference.preprocessing import Recipe


@dataclass(frozen=True)
class Task:
    """sample: the plan whose view, sizes and quality the training images have. labels: number of the label of
    each class.

    recipe: the challenge's preprocessing, to a square. pool: pixels of it that the filter banks average
    first, each way. small: the preprocessing for the convolutional network. demographics: whether models are
    given age, gender and location. columns: of the output; 1 is the probability of label 1. frequency: how
    often a class is drawn for training, in units of the others.
    """

    sample: Plan
    labels: Mapping[str, int]
    recipe: Recipe
    pool: int
    small: Recipe
    demographics: bool
    columns: int
    frequency: Mapping[str, int] = field(default_factory=dict)
    categories: tuple[str, ...] = ()

    @property
    def side(self) -> int:
        return self.recipe.steps[-1][0]

    def plan(self, per_class: int, first_seed: int) -> Plan:
        """Training images: `per_class` of each of the generator's classes, times its frequency."""
        classes = tuple(
            ClassPlan(symbol, symbol, per_class * self.frequency.get(symbol, 1)) for symbol in SYMBOLS
        )
        plan = self.sample
        return Plan(classes, plan.sizes, plan.shares, first_seed, view=plan.view, quality=plan.quality)

    def numbers(self, symbols: np.ndarray) -> np.ndarray:
        """Labels of class numbers (of SYMBOLS); -1 where the challenge has no such class."""
        return np.array([self.labels.get(symbol, -1) for symbol in SYMBOLS])[symbols]


def _isic(plan: Plan) -> Task:
    stretched = Recipe(((224, 224, "bilinear"),))
    return Task(
        sample=plan,
        labels={a_class.symbol: plan.labels.index(a_class.label) for a_class in plan.classes},
        recipe=stretched,
        pool=2,
        small=stretched,
        demographics=False,
        columns=len(plan.labels),
        frequency=dict.fromkeys(("MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC", "SCCKA"), 3),
        categories=plan.labels,
    )


TASKS = {
    "tricorder3": Task(
        sample=tricorder3.PLAN,
        labels={symbol: number for number, symbol in enumerate(SYMBOLS)},
        recipe=Recipe(((512, 512, "lanczos"),)),
        pool=4,
        small=Recipe(((512, 512, "lanczos"), (160, 160, "lanczos"))),
        demographics=True,
        columns=len(SYMBOLS),
    ),
    "melanoma": Task(
        sample=melanoma.PLAN,
        labels={symbol: int(symbol == "MEL") for symbol in SYMBOLS},
        recipe=Recipe(((224, 224, "bicubic"),)),
        pool=2,
        small=Recipe(((224, 224, "bicubic"),)),
        demographics=False,
        columns=1,
        frequency={"MEL": 5, "NV": 3, "BKL": 2},
    ),
    "isic2018": _isic(isic.SAMPLE_2018.plan),
    "isic2019": _isic(isic.SAMPLE_2019.plan),
}
