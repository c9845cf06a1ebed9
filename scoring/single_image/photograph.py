"""Photograph of a visitor, of which only the pixels are kept. `scoring.inference.image_sanitizer` decodes the
file."""

import math
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from scoring.common.findings import InputRefused, error
from scoring.inference import image_sanitizer
from scoring.inference.model_process import ImageProcess
from scoring.inference.preprocessing import ImageInfo, ImageUnreadable
from scoring.inference.timed_worker import Limits

CALLED = "image 1"
"""Name of the image in messages, because the name of an upload can be a person's name."""
PHOTOGRAPH_PIXELS = 5_000_000
"""Maximum number of pixels that are stored of a visitor's photograph: ten times as many as models receive, 15
MB."""
WHOLE_PIXELS = 26_300_000
"""Maximum number of pixels that are stored of a tile or test case: 79 MB, as the largest tiles of PUMA
need."""
HELD_BYTES = 100_000_000
"""Maximum bytes of pixels of all images of one visitor."""
TILE_TOO_LARGE = (
    f"The tile has more than {WHOLE_PIXELS:,} pixels, and cannot be reduced without losing its scale: cut "
    "out the region of interest."
)

LYING = (5, 6, 7, 8)
"""EXIF orientations in which width and height of the picture are exchanged."""


@dataclass(frozen=True)
class Photograph:
    """A decoded photograph.

    Attributes:
        pixels: uint8 (height, width, 3), upright, read-only.
        small: A copy for measuring and display, 512 px on its shorter side.
        dropped: Other contents of the file that were dropped, from `inference.image_sanitizer.KINDS`.
        framed: Sentences that say how the photograph was reduced, turned and cropped; "" if it was not.
        reduction: Number of pixels in the file per stored pixel along each axis, 1 or more.
        cropped: Whether this is a frame that was cropped by hand.
        of_slide: Whether this is a region of a slide, whose file stays in memory unchanged.
    """

    pixels: np.ndarray
    small: np.ndarray
    seen: ImageInfo
    dropped: tuple[str, ...]
    framed: str = ""
    reduction: float = 1.0
    cropped: bool = False
    of_slide: bool = False

    @property
    def turned(self) -> bool:
        """Whether the pixels in the file have another orientation than this upright picture. The programs of
        the challenges do not turn images."""
        return self.seen.orientation != 1

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that the pixels take."""
        return self.pixels.nbytes + self.small.nbytes


class SpareDecoder:
    """A decoder that is started in advance, because starting one takes longer than decoding. All threads may
    use it. Each decoder reads only one file, so that no file can affect the next."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self._limits = limits
        self._lock, self._starter = threading.Lock(), ThreadPoolExecutor(1)
        self._waiting: Future[ImageProcess] | None = None

    def prepare(self) -> None:
        """Start a decoder in the background, unless one is already waiting."""
        with self._lock:
            if self._waiting is None or not _usable(self._waiting):
                self._waiting = self._starter.submit(ImageProcess, self._limits)

    def take(self) -> ImageProcess:
        """Return a decoder for one file; the caller must close it. Raises ModelFailed if it does not
        start."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        return waiting.result() if waiting is not None and _usable(waiting) else ImageProcess(self._limits)


def _usable(starting: "Future[ImageProcess]") -> bool:
    """Return whether a decoder starts or waits, and did not fail to start."""
    return not starting.done() or starting.exception() is None


SPARE = SpareDecoder()


def received(
    data: bytes, process: ImageProcess | None = None, most_pixels: int = PHOTOGRAPH_PIXELS
) -> Photograph:
    """Decode a photograph in a confined worker, and reduce it if it exceeds `most_pixels`. The bytes of the
    file are not stored.

    Args:
        process: The worker process; None: a new one is started.

    Raises:
        InputRefused: With `image-unreadable` and one sentence, as `inference.image_sanitizer.upright` raises
            it.
    """
    decoders = image_sanitizer.decoders(data)
    if process is None or decoders:
        with ImageProcess(Limits(decoders=decoders)) if decoders else SPARE.take() as own:
            return _received(data, own, most_pixels)
    return _received(data, process, most_pixels)


def _received(data: bytes, process: ImageProcess, most_pixels: int) -> Photograph:
    try:
        decoded = process.upright(data, most_pixels)
    except ImageUnreadable as fault:
        raise InputRefused([error("image-unreadable", CALLED, str(fault))]) from fault
    tall, wide = decoded.pixels.shape[:2]
    width, height = decoded.seen.width, decoded.seen.height
    if decoded.seen.orientation in LYING:
        width, height = height, width
    if tall * wide == width * height:
        return Photograph(decoded.pixels, decoded.small, decoded.seen, decoded.dropped)
    reduction = math.sqrt(max(1, width * height / (tall * wide)))
    sentence = f"Reduced from {width:,} × {height:,} px: models use far fewer pixels."
    return Photograph(decoded.pixels, decoded.small, decoded.seen, decoded.dropped, sentence, reduction)
