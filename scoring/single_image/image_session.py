"""Session of several images: each is decoded and given to one model, and the reader then looks at them."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np

from scoring.common.arrays import Array
from scoring.common.findings import InputRefused
from scoring.inference.model_pool import Cancelled
from scoring.inference.model_process import ImageProcess
from scoring.inference.preprocessing import Pixels
from scoring.presentation.figures.single_image import preview
from scoring.single_image import whole_slide
from scoring.single_image.abstention import ImageAnswer, answered, least_score, unstable
from scoring.single_image.likeness import chips_of
from scoring.single_image.model import OpenModel
from scoring.single_image.model_card import ModelCard
from scoring.single_image.photograph import HELD_BYTES, PHOTOGRAPH_PIXELS, WHOLE_PIXELS, received
from scoring.single_image.quality import MeasuredImages, QualityBadge, of_photograph, seen_parts
from scoring.single_image.reader_study import MOST_IMAGES, UNSURE
from scoring.single_image.similar_cases import Reference
from scoring.single_image.wording import SCALE_UNKNOWN, cautions

NOT_KEPT = "This image could not be read from the test set."
NO_PIXELS = np.zeros((0, 0, 3), np.uint8)


@dataclass(frozen=True)
class SourceImage:
    """An image that waits for the model.

    Attributes:
        picture: Function that returns the bytes of the image, or None if there is no image.
        case: Position of the image in the test set; None for a visitor's image.
        vector: The model's second input; None if the model takes only the image, or if the visitor has not
            entered the input yet.
        truth: True class of the image; UNSURE if unknown.
        size: Number of bytes that `picture` keeps in memory.
        file_name: Name of a visitor's file. Only this visitor may see it, because it may contain a person's
            name.
        unknown: Which of age, sex and body site are unknown, as short texts.
    """

    name: str
    picture: Callable[[], bytes | None]
    case: int | None = None
    vector: Array | None = None
    truth: int = UNSURE
    size: int = 0
    file_name: str = ""
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionImage:
    """An image of a session. Only a preview is stored and, until the model has run, the model's input.

    Attributes:
        preview: JPEG; b"" if the file was refused.
        prepared: The model's input pixels; None if the file was refused or the model has run already.
        answer: The model's answer; None if the model still needs age, sex and body site, or if it failed.
        refused: Why the file was refused; "" if it was not.
        failed: Why the model failed; "" if it did not.
    """

    source: SourceImage
    preview: bytes = b""
    prepared: Pixels | None = None
    chips: tuple[QualityBadge, ...] = ()
    answer: ImageAnswer | None = None
    refused: str = ""
    failed: str = ""

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that the pixels take."""
        return len(self.preview) + (0 if self.prepared is None else self.prepared.nbytes)

    def remarks(self, card: ModelCard | None = None) -> str:
        """Return why there is no answer, then the reasons for caution; "" if there are none. `card` is the
        performance of the model on the test set."""
        reasons = (self.failed,) * bool(self.failed) if self.answer is None else self.answer.reasons
        answer, views = self.answer, None if self.answer is None else self.answer.views
        if views is not None and unstable(views):
            views = None  # a reason names them
        prediction = None if answer is None or reasons else answer.prediction
        found = ", ".join(cautions(self.chips, views, card, prediction, further=self.source.unknown))
        return " ".join([*reasons, *[f"Caution: {found}."] * bool(found)]) if reasons else found


class ImageQueue:
    """Waiting and finished images of a session, numbered from 1. All threads may use the queue.

    The queue contains at most `MOST_IMAGES` images and `HELD_BYTES` bytes; the oldest images are removed.

    Attributes:
        basis: Identifies the model that answers; None before the first run.
        rounds: Number of finished rounds. A round ends when no image waits for the model; images that arrive
            later begin a new round.
    """

    def __init__(self, token: str) -> None:
        self.token, self.added, self.left_out, self.rounds = token, 0, 0, 0
        self.basis: object = None
        self._lock = threading.Lock()
        self._waiting: dict[int, SourceImage] = {}
        self._done: dict[int, SessionImage] = {}

    def add(self, source: SourceImage) -> None:
        """Add an image at the end."""
        with self._lock:
            self.added += 1
            self._waiting[self.added] = source
            while len(self._numbers()) > MOST_IMAGES or self._bytes() > HELD_BYTES:
                oldest = self._numbers()[0]
                self._waiting.pop(oldest, None)
                self._done.pop(oldest, None)
                self.left_out += 1

    def keep(self, number: int, image: SessionImage) -> None:
        """Store a finished image, unless it was removed in the meantime."""
        with self._lock:
            if self._waiting.pop(number, None) or number in self._done:
                self._done[number] = image

    @property
    def done(self) -> dict[int, SessionImage]:
        """Finished images, by number."""
        with self._lock:
            return dict(sorted(self._done.items()))

    @property
    def waiting(self) -> dict[int, SourceImage]:
        """Waiting images, by number."""
        with self._lock:
            return dict(self._waiting)

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that the images take."""
        with self._lock:
            return self._bytes()

    def _numbers(self) -> list[int]:
        return sorted([*self._waiting, *self._done])

    def _bytes(self) -> int:
        held = sum(image.held_bytes for image in self._done.values())
        return held + sum(source.size for source in self._waiting.values())


def answer_waiting(
    opening: Callable[[], AbstractContextManager[OpenModel]],
    queue: ImageQueue,
    reference: Reference | None,
    measured: MeasuredImages | None,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> None:
    """Decode the waiting images and run the model on them. If the model needs a `vector` and it is unknown,
    an image is only decoded.

    Args:
        opening: Function that opens the model; it is called again if an image ended the model's process.
        reference: The model's outputs for the test set, None if unknown.
        measured: Quality and appearance of the test set's images, None if unknown.
        progress: Called with the numbers of finished and of all images.
        cancelled: Function that says whether to stop.

    Raises:
        Cancelled: Raised within the time of one image; finished images are kept.
    """
    done = 0
    with ImageProcess() as process:
        while queue.waiting:
            with opening() as model:
                while not model.ended and (waiting := queue.waiting):
                    if cancelled and cancelled():
                        raise Cancelled
                    number, source = next(iter(waiting.items()))
                    queue.keep(number, _session_image(model, source, reference, measured, process))
                    done += 1
                    if progress:
                        progress(done, done + len(queue.waiting))


def _session_image(
    model: OpenModel,
    source: SourceImage,
    reference: Reference | None,
    measured: MeasuredImages | None,
    process: ImageProcess,
) -> SessionImage:
    image = _decoded(model, source, measured, process)
    waits = model.takes_vector and source.vector is None
    return image if image.refused or waits else with_answer(model, image, reference)


def _decoded(
    model: OpenModel, source: SourceImage, measured: MeasuredImages | None, process: ImageProcess
) -> SessionImage:
    own = replace(source, picture=lambda: None, size=0)  # lets go of the bytes
    data = source.picture()
    if data is None:
        return SessionImage(own, refused=NOT_KEPT)
    try:
        if source.case is None:
            whole_slide.opened(data, is_tile=False)
        photograph = received(data, process, PHOTOGRAPH_PIXELS if source.case is None else WHOLE_PIXELS)
    except InputRefused as refused:
        return SessionImage(own, refused=refused.problems[0].message)
    quality, parts = of_photograph(photograph), seen_parts(photograph)
    chips = chips_of(quality, parts, model.task.shortest_side, measured, source.case)
    return SessionImage(own, preview(photograph.small), model.prepared(photograph.pixels), chips)


def with_answer(model: OpenModel, image: SessionImage, reference: Reference | None) -> SessionImage:
    """Run the model on a decoded image. Return the image with the answer, or with the reason for withholding
    it, and without the input pixels.

    Args:
        image: A decoded image, with `vector` if the model takes one.
        reference: The model's outputs for the test set, None if unknown.
    """
    assert image.prepared is not None
    least = None if reference is None else least_score(reference)
    asked = replace(image, prepared=None)
    try:
        answer = answered(model, image.prepared, image.source.vector, reference, least, image.chips)
    except InputRefused as refused:
        return replace(asked, failed=refused.problems[0].message)
    if not answer.prediction.scale_known:
        return replace(asked, failed=SCALE_UNKNOWN)
    prediction = replace(answer.prediction, prepared=NO_PIXELS)
    return replace(asked, answer=replace(answer, prediction=prediction))
