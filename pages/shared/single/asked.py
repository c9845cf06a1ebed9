"""One question and its answer: this image, this model, this person, and the test set that the answer is held against."""

from dataclasses import dataclass

import numpy as np

from pages.shared import scored
from pages.shared.inputs import Given
from pages.shared.scored import Outcome
from pages.shared.single import memory
from pages.shared.single.intake import Image
from scoring.figures import single as figures
from scoring.single import answer as answers
from scoring.single.answer import Answer, Views
from scoring.single.model import Opened
from scoring.single.quality import Chip, Quality
from scoring.single.reference import ClassSet, Reference, class_set
from scoring.single.subject import Subject

PATIENCE_MS = 1500
"""Time for turning and mirroring that is spent unasked."""


@dataclass(frozen=True)
class Asked:
    """held: None while the test set is being asked, or where it cannot be. truth, test_set: where its cases are."""

    subject: Subject
    given: Given
    opened: Opened
    image: Image
    answer: Answer
    held: Reference | None
    test_set: Given
    truth: object
    quality: Quality
    chips: tuple[Chip, ...]

    @property
    def key(self) -> tuple:
        """Names the question in this session; nothing of an own image is in it."""
        vector = None if self.answer.vector is None else tuple(self.answer.vector.tolist())
        return (self.subject.challenge, self.given.key, self.image.token, vector)

    @property
    def views(self) -> Views | None:
        """The answers to the image turned and mirrored, where that is quick or was asked for, and did not fail."""
        quick = self.answer.cpu_ms * self.other_views <= PATIENCE_MS
        return self.turned().value if quick or memory.held("views", self.view_key) else None

    @property
    def other_views(self) -> int:
        """In how many other ways the image can be turned and mirrored: a run of the model each."""
        return len(answers.turned(self.answer.prepared)) - 1

    def turned(self) -> Outcome:
        """The image turned and mirrored, asked once."""
        return memory.kept("views", self.view_key, lambda: scored.attempt(answers.views, self.opened, self.answer))

    @property
    def view_key(self) -> tuple:
        return (*self.key, self.answer.kind)

    @property
    def classes(self) -> ClassSet | None:
        """The classes that this image cannot be parted from."""
        if self.held is None or not len(self.held):
            return None
        key = (*self.key, self.test_set.key)
        return memory.kept("classes", key, lambda: class_set(self.held, self.answer.probabilities))

    @property
    def preview(self) -> bytes:
        return preview(self.image)


def preview(image: Image) -> bytes:
    """The image for the eye, as JPEG."""
    return memory.kept("preview", image.token, lambda: figures.preview(image.photograph.small))


def answered(opened: Opened, given: Given, image: Image, vector: np.ndarray | None, held: Reference | None, test_set: Given) -> Answer:
    """The model's answer, run once for a question. held: of `test_set`. Raises InputRefused."""
    key = (given.key, opened.subject.challenge, opened.subject.classes, image.token, None if vector is None else tuple(vector.tolist()))
    against = None if held is None else test_set.key
    return memory.kept("answer", (key, against), lambda: answers.answer(opened, image.photograph, vector, held))
