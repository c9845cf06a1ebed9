"""Photograph of a visitor: pixels and nothing else; `scoring.inference.image_sanitizer` decodes its file."""

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
"""What messages call the image: the name of an upload can be a person's."""
PHOTOGRAPH_PIXELS = 5_000_000
"""Pixels of a visitor's photograph that are kept: ten times what models see, and 15 MB."""
WHOLE_PIXELS = 26_300_000
"""Pixels of a tile, or of a case of the test set, that are kept: 79 MB, and the largest tiles of PUMA."""
HELD_BYTES = 100_000_000
"""Bytes of pixels that one visitor's images may take together."""
TILE_TOO_LARGE = (
    f"The tile has more than {WHOLE_PIXELS:,} pixels, and cannot be reduced without losing its scale: cut "
    "out the region of interest."
)

LYING = (5, 6, 7, 8)
"""EXIF orientations of files whose width is the height of the upright picture."""


@dataclass(frozen=True)
class Photograph:
    """A photograph.

    Attributes:
        pixels: uint8 (height, width, 3), upright, read-only.
        small: A copy to measure and to show, 512 px on its shorter side.
        dropped: Of `inference.image_sanitizer.KINDS`, what else it held.
        framed: How it was reduced, and turned and cropped by hand, in sentences; "" where it was not.
        reduction: Pixels of the file along one pixel that was kept, 1 or more.
    """

    pixels: np.ndarray
    small: np.ndarray
    seen: ImageInfo
    dropped: tuple[str, ...]
    framed: str = ""
    reduction: float = 1.0

    @property
    def turned(self) -> bool:
        """Whether the file's pixels lay otherwise than they do here; the challenges' programs do not turn
        them."""
        return self.seen.orientation != 1

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that its pixels take."""
        return self.pixels.nbytes + self.small.nbytes


class SpareDecoder:
    """A decoder that waits for the next file: to start one takes longer than to decode. Each reads one file
    alone, so that no file can reach the next. Used on any thread."""

    def __init__(self) -> None:
        self._lock, self._starter = threading.Lock(), ThreadPoolExecutor(1)
        self._waiting: Future[ImageProcess] | None = None

    def prepare(self) -> None:
        """Start a decoder in the background, unless one waits."""
        with self._lock:
            if self._waiting is None or not _usable(self._waiting):
                self._waiting = self._starter.submit(ImageProcess)

    def take(self) -> ImageProcess:
        """Return a decoder for one file; the caller closes it. Raises ModelFailed."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        return waiting.result() if waiting is not None and _usable(waiting) else ImageProcess()


def _usable(starting: "Future[ImageProcess]") -> bool:
    """Return whether a decoder starts or waits, and did not fail to start."""
    return not starting.done() or starting.exception() is None


SPARE = SpareDecoder()


def received(
    data: bytes, process: ImageProcess | None = None, most_pixels: int = PHOTOGRAPH_PIXELS
) -> Photograph:
    """Return the photograph in a file, decoded in the confined worker (`process`, else one for this file
    alone), and reduced where it has more than `most_pixels`. The bytes are not kept.

    Raises InputRefused (`image-unreadable`) with one sentence, see `inference.image_sanitizer.upright`.
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
