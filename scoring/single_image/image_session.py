"""Session of images: each decoded and given to one model, for a reader to look at."""

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
from scoring.single_image.abstention import ImageAnswer, answered, least_score
from scoring.single_image.model import OpenModel
from scoring.single_image.model_card import ModelCard
from scoring.single_image.photograph import HELD_BYTES, PHOTOGRAPH_PIXELS, WHOLE_PIXELS, received
from scoring.single_image.quality import MeasuredImages, QualityBadge, chips_of, of_photograph, seen_parts
from scoring.single_image.reader_study import MOST_IMAGES, UNSURE
from scoring.single_image.similar_cases import Reference
from scoring.single_image.wording import cautions

NOT_KEPT = "This image could not be read from the test set."
NO_PIXELS = np.zeros((0, 0, 3), np.uint8)


@dataclass(frozen=True)
class SourceImage:
    """An image to read.

    Attributes:
        picture: Gives its bytes, None where there are none.
        case: Its place in the test set, None for an own one.
        vector: What the model receives besides; None where it takes the image alone, or is to be asked.
        truth: Its class; UNSURE where it is not known.
        size: Bytes that `picture` holds on to.
    """

    name: str
    picture: Callable[[], bytes | None]
    case: int | None = None
    vector: Array | None = None
    truth: int = UNSURE
    size: int = 0


@dataclass(frozen=True)
class SessionImage:
    """An image of a session: no more of it is kept than a picture for the eye and, until the model was asked,
    what that receives.

    Attributes:
        source: Where it came from.
        preview: JPEG; b"" where the file was refused.
        prepared: Pixels as the model receives them; None where the file was refused or the model was asked.
        answer: The model's; None where it needs age, sex and body site first, or where it failed.
        refused: Why the file was refused, "" where it was not.
        failed: Why the model failed, "" where it did not.
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
        """Bytes of memory that its pixels take."""
        return len(self.preview) + (0 if self.prepared is None else self.prepared.nbytes)

    def remarks(self, card: ModelCard | None = None) -> str:
        """Return why there is no answer, or what to be careful about; "" where neither is known. card: how
        good the model is on the test set."""
        if self.answer is None:
            return self.failed
        return " ".join(self.answer.reasons) or ", ".join(cautions(self.chips, self.answer.views, card))


class ImageQueue:
    """Images of a session by number, from 1: those that wait, and those that are done. Used on any thread.

    It holds `MOST_IMAGES` and `HELD_BYTES` at most: the oldest make room.

    Attributes:
        token: Names it.
        added: How many images came.
        left_out: How many of them made room.
        basis: What answers them; None while none was asked.
        rounds: How often work on it ended before more images came.
    """

    def __init__(self, token: str) -> None:
        self.token, self.added, self.left_out, self.rounds = token, 0, 0, 0
        self.basis: object = None
        self._lock = threading.Lock()
        self._waiting: dict[int, SourceImage] = {}
        self._done: dict[int, SessionImage] = {}

    def add(self, source: SourceImage) -> None:
        """Put an image at the end."""
        with self._lock:
            self.added += 1
            self._waiting[self.added] = source
            while len(self._numbers()) > MOST_IMAGES or self._bytes() > HELD_BYTES:
                oldest = self._numbers()[0]
                self._waiting.pop(oldest, None)
                self._done.pop(oldest, None)
                self.left_out += 1

    def keep(self, number: int, image: SessionImage) -> None:
        """Put an image that is done in its place, unless it made room meanwhile."""
        with self._lock:
            if self._waiting.pop(number, None) or number in self._done:
                self._done[number] = image

    @property
    def done(self) -> dict[int, SessionImage]:
        """Images that are done, by number."""
        with self._lock:
            return dict(sorted(self._done.items()))

    @property
    def waiting(self) -> dict[int, SourceImage]:
        """Images that wait, by number."""
        with self._lock:
            return dict(self._waiting)

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that its images take."""
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
    """Decode the images that wait, and ask the model, where it takes the image alone or `vector` is known.

    Args:
        opening: Opens the model: again after an image on which it ended.
        reference: The model's answers to the test set, None where they are not known.
        measured: Quality and appearance of the test set's images, None where they are not known.
        progress: Called with the images done and their number.
        cancelled: Whether to stop.

    Raises:
        Cancelled: Within one image; those done are kept.
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
        photograph = received(data, process, PHOTOGRAPH_PIXELS if source.case is None else WHOLE_PIXELS)
    except InputRefused as refused:
        return SessionImage(own, refused=refused.problems[0].message)
    quality, parts = of_photograph(photograph), seen_parts(photograph)
    chips = chips_of(quality, parts, model.task.shortest_side, measured, source.case)
    return SessionImage(own, preview(photograph.small), model.prepared(photograph.pixels), chips)


def with_answer(model: OpenModel, image: SessionImage, reference: Reference | None) -> SessionImage:
    """Return an image with the model's answer, or why there is none, without the pixels that it received.

    Args:
        image: An image that could be decoded, with `vector` where the model takes one.
        reference: The model's answers to the test set, None where they are not known.
    """
    assert image.prepared is not None
    least = None if reference is None else least_score(reference)
    asked = replace(image, prepared=None)
    try:
        answer = answered(model, image.prepared, image.source.vector, reference, least, image.chips)
    except InputRefused as refused:
        return replace(asked, failed=refused.problems[0].message)
    prediction = replace(answer.prediction, prepared=NO_PIXELS)
    return replace(asked, answer=replace(answer, prediction=prediction))
