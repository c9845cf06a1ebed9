"""Query of the page: image, model and vector, with the model's output and the test set for comparison."""

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

NOT_RUN = "The model could not be run on the test set: {}"
NO_OUTPUT = "There is no valid answer for another case of this test set."
STILL_RUNS = "The model was still running on the test set."
PATIENCE_MS = 1500
"""Maximum time for turning and mirroring without a click."""


@dataclass(frozen=True)
class Setup:
    """An image and a model that runs on it.

    Attributes:
        test_set: Source of the cases that the answer is compared with.
        model: Source of the model.
        vector: Age, sex and site as the model's input, None without.
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
        """Class number of an image that is a test case; -1 for any other."""
        return -1 if self.image.case is None else int(self.truth.labels[self.image.case])


@dataclass(frozen=True)
class Query:
    """An image, a model, and its answer.

    Attributes:
        held: The model's outputs for the test set; None while they are computed or if they cannot be.
        withheld: How often there is no answer on the test set, None until known.
        unknown: Why the outputs for the test set, or their counts, are unknown; "" if they are known.
        similar: Positions in the test set of the images that look most similar.
        other_chips: Badges of each of the further photographs of the lesion.
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
        """Identifies the query in this session, without data of a visitor's image."""
        vector = None if self.answer.vector is None else tuple(self.answer.vector.tolist())
        return (self.setup.task.challenge, self.setup.model.key, self.setup.image.token, vector)

    @property
    def runs(self) -> bool:
        """Whether the model still runs on the test set."""
        return self.held is None and not self.unknown

    @property
    def views(self) -> TurnedViews | None:
        """The answers to the turned and mirrored image, if they are quick or requested and did not fail."""
        quick = self.answer.cpu_ms * self.other_views <= PATIENCE_MS
        return self.turned().value if quick or session_state.held("views", self.view_key) else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons why there is no answer; empty if there is one."""
        views, failed = self.views, ""
        if views is None and session_state.held("views", self.view_key):
            refused = self.turned().refused
            failed = refused.problems[0].message if refused else ""
        least = None if self.held is None else least_score(self.held)
        return reasons(float(self.answer.probabilities.max()), least, views, self.chips, failed)

    @property
    def other_views(self) -> int:
        """Number of other ways to turn and mirror the image, one model run each."""
        return len(turned(self.answer.prepared)) - 1

    def turned(self) -> Outcome:
        """Run the model on the turned and mirrored image, once."""
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
        """Performance of the model on the test set."""
        setup = self.setup
        return None if self.held is None else model_card(self.held, setup.task.malignant, setup.truth.columns)

    @property
    def preview(self) -> bytes:
        return preview(self.setup.image)


def preview(image: ChosenImage) -> bytes:
    """Return the image for display, as JPEG."""
    name = "preview" if image.case is not None else f"preview {image.name}"
    return session_state.cached(name, image.token, lambda: figures.preview(image.photograph.small))


def answer_of(setup: Setup, held: Reference | None) -> ImagePrediction:
    """Return the model's answer, computed once per query. held: outputs for the test set. Raises
    InputRefused."""
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
