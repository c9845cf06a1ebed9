"""A photograph from its file: pixels and nothing else."""

from dataclasses import dataclass

import numpy as np

from scoring.common.findings import InputRefused, error
from scoring.inference import image_upload
from scoring.inference.preprocessing import ImageInfo, ImageUnreadable
from scoring.inference.process import ImageProcess
from scoring.inference.worker_process import Limits

CALLED = "image 1"
"""What messages call the image: the name of an upload can be a person's."""


@dataclass(frozen=True)
class Photograph:
    """A photograph.

    Attributes:
        pixels: uint8 (height, width, 3), upright, read-only.
        small: A copy to measure and to show, 512 px on its shorter side.
        seen: What the file was.
        dropped: Of `models.image_upload.KINDS`, what else it held.
        framed: How it was turned and cropped by hand, a sentence; "" where it was not.
    """

    pixels: np.ndarray
    small: np.ndarray
    seen: ImageInfo
    dropped: tuple[str, ...]
    framed: str = ""

    @property
    def turned(self) -> bool:
        """Whether the file's pixels lay otherwise than they do here; the challenges' programs do not turn
        them."""
        return self.seen.orientation != 1

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.pixels.shape[1], self.pixels.shape[0]


def received(data: bytes, process: ImageProcess | None = None) -> Photograph:
    """Return the photograph in a file, decoded in the confined worker (`process`, else one for this file
    alone). The bytes are not kept.

    Raises InputRefused (`image-unreadable`) with one sentence, see `models.image_upload.upright`.
    """
    decoders = image_upload.decoders(data)
    if process is None or decoders:
        with ImageProcess(Limits(decoders=decoders)) as own:
            return _received(data, own)
    return _received(data, process)


def _received(data: bytes, process: ImageProcess) -> Photograph:
    try:
        decoded = process.upright(data)
    except ImageUnreadable as fault:
        raise InputRefused([error("image-unreadable", CALLED, str(fault))]) from fault
    return Photograph(decoded.pixels, decoded.small, decoded.seen, decoded.dropped)
