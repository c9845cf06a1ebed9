"""Query of the page: image, model and vector, with the model's output and the test set that it is compared
with."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import session_state
from pages.single_image_sections.chosen_image import ChosenImage
from scoring.inference.single_image_task import ModelTask
from scoring.presentation.figures import single_image as figures
from scoring.single_image.abstention import Withheld, least_score, reasons
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews, predict, turned, views
from scoring.single_image.model import OpenModel
from scoring.single_image.model_card import ModelCard, model_card
from scoring.single_image.quality import Quality, QualityBadge
from scoring.single_image.similar_cases import ClassSet, Reference, class_set

PATIENCE_MS = 1500
"""Time for turning and mirroring that is spent without a click."""


@dataclass(frozen=True)
class Setup:
    """An image, and the model that it is given to.

    Attributes:
        test_set: Where the cases lie that the answer is compared with.
        model: Where the model lies.
        vector: Age, sex and site as the model receives them, None without.
    """

    task: ModelTask
    test_set: ChosenInput
    model: ChosenInput
    truth: Any
    image: ChosenImage
    opened: OpenModel
    vector: np.ndarray | None

    @property
    def label(self) -> int:
        """Class number of an image that is a case of the test set; -1 of any other."""
        return -1 if self.image.case is None else int(self.truth.labels[self.image.case])


@dataclass(frozen=True)
class Query:
    """An image, a model, and its answer.

    Attributes:
        held: The model's answers to the test set; None while it runs, or where it cannot.
        withheld: How often there is no answer on the test set, None until that is known.
        unknown: Why the model's answers to the test set, or their counts, are not known; "" where they are.
        similar: Places in the test set of the images that look most like this one.
        other_chips: Facts about each of the further photographs of the lesion.
    """

    setup: Setup
    answer: ImagePrediction
    held: Reference | None
    quality: Quality
    chips: tuple[QualityBadge, ...]
    model_name: str = ""
    withheld: Withheld | None = None
    unknown: str = ""
    similar: tuple[int, ...] = ()
    other_chips: tuple[tuple[QualityBadge, ...], ...] = ()

    @property
    def key(self) -> tuple:
        """Names the question in this session; nothing of an own image is in it."""
        vector = None if self.answer.vector is None else tuple(self.answer.vector.tolist())
        return (self.setup.task.challenge, self.setup.model.key, self.setup.image.token, vector)

    @property
    def views(self) -> TurnedViews | None:
        """The answers to the image turned and mirrored, where that is quick or wanted, and did not fail."""
        quick = self.answer.cpu_ms * self.other_views <= PATIENCE_MS
        return self.turned().value if quick or session_state.held("views", self.view_key) else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why there is no answer; empty where there is one."""
        views, failed = self.views, ""
        if views is None and session_state.held("views", self.view_key):
            refused = self.turned().refused
            failed = refused.problems[0].message if refused else ""
        least = None if self.held is None else least_score(self.held)
        return reasons(float(self.answer.probabilities.max()), least, views, self.chips, failed)

    @property
    def other_views(self) -> int:
        """In how many other ways the image can be turned and mirrored: a run of the model each."""
        return len(turned(self.answer.prepared)) - 1

    def turned(self) -> Outcome:
        """Run the model on the image turned and mirrored, once."""
        return session_state.cached(
            "views", self.view_key, lambda: scoring_run.attempt(views, self.setup.opened, self.answer)
        )

    @property
    def view_key(self) -> tuple:
        return (*self.key, self.answer.kind)

    @property
    def classes(self) -> ClassSet | None:
        """The classes that are possible for this image."""
        held = self.held
        if held is None or not len(held):
            return None
        key = (*self.key, self.setup.test_set.key)
        return session_state.cached("classes", key, lambda: class_set(held, self.answer.probabilities))

    @property
    def card(self) -> ModelCard | None:
        """How good the model is on the test set."""
        setup = self.setup
        return None if self.held is None else model_card(self.held, setup.task.malignant, setup.truth.columns)

    @property
    def preview(self) -> bytes:
        return preview(self.setup.image)


def preview(image: ChosenImage) -> bytes:
    """Return the image for the eye, as JPEG."""
    name = "preview" if image.case is not None else f"preview {image.name}"
    return session_state.cached(name, image.token, lambda: figures.preview(image.photograph.small))


def answer_of(setup: Setup, held: Reference | None) -> ImagePrediction:
    """Return the model's answer, run once for a question. held: of the test set. Raises InputRefused."""
    vector, opened = setup.vector, setup.opened
    key = (
        setup.model.key,
        opened.task.challenge,
        opened.task.classes,
        setup.image.token,
        None if vector is None else tuple(vector.tolist()),
    )
    against = None if held is None else setup.test_set.key
    return session_state.cached(
        "answer", (key, against), lambda: predict(opened, setup.image.photograph, vector, held)
    )
