"""Prepares images for models: decodes, resizes and converts them to tensors. The result equals that of the
official programs to the last bit.

It runs in the worker process, because hostile files attack decoders.
"""

import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from scoring.inference import resampling

Pixels = NDArray[np.uint8]
"""RGB, uint8 (height, width, 3)."""

FORMATS = ("JPEG", "PNG", "TIFF", "BMP", "WEBP", "GIF")
CASE_FORMATS = "JPEG, PNG, TIFF, BMP, WebP and GIF"
"""Names of the formats that are read for cases, as text. The page of single images reads more formats
(`image_sanitizer.READ_FORMATS`)."""
MOST_PIXELS = 178_956_970
OVERVIEW_PIXELS = 1_500_000
"""Maximum number of pixels of the overview of a slide."""
RESAMPLED = 40_000_000
"""Images with more pixels than this are resized by Pillow, because `resampling` needs three more bytes per
pixel."""
FIT = "fit"
FILTERS = {
    "lanczos": Image.Resampling.LANCZOS,
    "bicubic": Image.Resampling.BICUBIC,
    "bilinear": Image.Resampling.BILINEAR,
}
_ORIENTATION = 274
REGION = "export the region of interest as PNG, at full resolution"
TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
"""Magic numbers of TIFF files; most whole slides are TIFF files too."""
_OTHERS = (
    (b"%!PS", "PostScript"),
    (b"\xc5\xd0\xd3\xc6", "PostScript"),
    (b"%PDF", "a PDF"),
    (b"<svg", "an SVG drawing"),
    (b"<?xml", "an XML or SVG text"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x00\x00\x00\x0cjP", "a JPEG 2000 image"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 image"),
    (b"8BPS", "a Photoshop file"),
)
_BARE_DICOM = re.compile(rb"([\2\x08]\0[\0-\x20]\0|\0[\2\x08]\0[\0-\x20])(CS|UI|UL|DA|OB|..\0\0)", re.DOTALL)
"""First tag of DICOM without the part before the mark DICM."""


class ImageUnreadable(Exception):
    """Raised for an image that cannot be decoded. Its text is one sentence for visitors."""


@dataclass(frozen=True)
class Recipe:
    """How a decoded image is resized to the pixels that a model receives.

    Each step resizes the uint8 pixels of the previous one, without keeping the aspect ratio. A step to the
    size that the image has already changes nothing. The filter "fit" is for display: it keeps the aspect
    ratio, shrinks to within width x height, and never enlarges.

    Attributes:
        steps: (width, height, filter) of each step, with filters of `FILTERS`.
    """

    steps: tuple[tuple[int, int, str], ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "steps", tuple((int(width), int(height), str(name)) for width, height, name in self.steps)
        )
        if not all(
            width > 0 and height > 0 and name in (*FILTERS, FIT) for width, height, name in self.steps
        ):
            raise ValueError(f"not a recipe: {self.steps}")


@dataclass(frozen=True)
class ImageInfo:
    """Information about an image file.

    Attributes:
        alpha: Whether the image has transparency.
        orientation: EXIF orientation, 1..8.
        micrometres: Micrometres per pixel; 0 if unknown.
    """

    width: int
    height: int
    mode: str
    format: str
    alpha: bool
    orientation: int
    micrometres: float = 0.0


TOO_MUCH_MEMORY = "Decoding the image needs more memory than is allowed: save a smaller copy."


def pixels(data: bytes, recipe: Recipe) -> tuple[Pixels, ImageInfo]:
    """Return the pixels that a model receives for an image file, and information about the file.

    Decoding follows the challenges' pipelines: first frame, `convert("RGB")` without EXIF rotation, alpha
    dropped without compositing, no colour profile. Only six photograph formats are opened, because other
    decoders can start programs (EPS starts Ghostscript).

    Raises:
        ImageUnreadable: If the file is no such image, is truncated, or exceeds Pillow's limit of 178,956,970
            pixels.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                info = image_info(image)
                if info.width * info.height > MOST_PIXELS:
                    raise Image.DecompressionBombError
                image.load()
                picture = image if image.mode == "RGB" else image.convert("RGB")
        return prepared(picture, recipe.steps), info
    # Decoders raise anything on damaged files, and a damaged file is the sender's fault, not ours.
    except Exception as fault:
        raise unreadable(fault, data) from None


def unreadable(fault: Exception, data: bytes, formats: str = CASE_FORMATS) -> ImageUnreadable:
    """Return the exception for an image whose decoder raised `fault`. `formats` are the accepted formats."""
    if isinstance(fault, Image.DecompressionBombError):
        fix = REGION if bytes(data[:4]) in TIFF else "save a smaller copy"
        return ImageUnreadable(f"The image has more than {MOST_PIXELS:,} pixels: {fix}.")
    if isinstance(fault, UnidentifiedImageError):
        return ImageUnreadable(_what_it_is(data, formats))
    if isinstance(fault, MemoryError):
        return ImageUnreadable(TOO_MUCH_MEMORY)
    if "MAX_TEXT_CHUNK" in str(fault):
        sentence = (
            "A text or the colour profile in the PNG unpacks to more than 1 MB: save the image without it."
        )
        return ImageUnreadable(sentence)
    if "MAX_TEXT_MEMORY" in str(fault):
        return ImageUnreadable("The texts in the PNG unpack to more than 67 MB: save the image without them.")
    if "truncated" in str(fault).lower():
        return ImageUnreadable("The image is cut off before its end: copy or export it again.")
    return ImageUnreadable(
        "The image cannot be decoded: it is damaged, very large, or of an unsupported kind. Export a smaller "
        "copy as JPEG or PNG."
    )


def stretch(image: Image.Image, steps: Sequence[tuple[int, int, str]]) -> Image.Image:
    """Resize an image in steps, each with its horizontal pass first.

    Each step makes two calls of Pillow. From version 13 on, a single call of Pillow may start vertically,
    which changes pixels by up to 45 of 255.
    """
    for width, height, name in steps:
        if name == FIT:
            image.thumbnail((width, height), FILTERS["lanczos"])
            continue
        image = image.resize((width, image.height), FILTERS[name]).resize((width, height), FILTERS[name])
    return image


def stretched(pixels: Pixels, recipe: Recipe) -> Pixels:
    """Return decoded pixels resized by `recipe`. They equal the result from the image file to the last
    bit."""
    return prepared(Image.fromarray(pixels), recipe.steps)


@dataclass
class _Known:
    """Known facts about images of one size under one recipe: how many came, and whether `resampling` gives
    them as Pillow does; None before it was tried."""

    images: int = 0
    same: bool | None = None


@lru_cache(maxsize=256)
def _known(size: tuple[int, int], steps: tuple[tuple[int, int, str], ...]) -> _Known:
    return _Known()


def prepared(image: Image.Image, steps: tuple[tuple[int, int, str], ...]) -> Pixels:
    """Return the pixels of an RGB image after the steps, in any memory order. The result equals that of
    `stretch` to the last bit.

    Pillow resizes the first image of a size. The second image of a size is resized by both Pillow and
    `resampling`. If both agree, only `resampling` resizes later images. For a single image, computing its
    weights would take too long.
    """
    known = _known(image.size, steps)
    known.images += 1
    is_large = image.width * image.height > RESAMPLED
    if known.images == 1 or known.same is False or is_large or any(name == FIT for _, _, name in steps):
        return np.array(stretch(image, steps))
    try:
        picture = _resampled(image, steps)
    except resampling.TooClose:
        known.same = False
        return np.array(stretch(image, steps))
    if known.same is None:
        by_pillow = np.array(stretch(image, steps))
        known.same = np.array_equal(picture, by_pillow)
        return by_pillow
    return picture


def _resampled(image: Image.Image, steps: Sequence[tuple[int, int, str]]) -> Pixels:
    raw = (np.frombuffer(image.tobytes("raw", colour), np.uint8) for colour in "RGB")
    colours: resampling.OfColours = [plane.reshape(image.height, image.width) for plane in raw]
    for width, height, name in steps:
        before_height, before_width = colours[0].shape
        if width != before_width:
            colours = resampling.along_width(colours, resampling.weights(before_width, width, name))
        if height != before_height:
            colours = resampling.along_height(colours, resampling.weights(before_height, height, name))
    return np.asarray(colours).transpose(1, 2, 0)


def planes(picture: Pixels) -> NDArray[np.uint8]:
    """Return pixels channel by channel, uint8 (3, height, width), C-contiguous. In this order they become a
    tensor in less than half the time."""
    return np.ascontiguousarray(picture.transpose(2, 0, 1))


def of_planes(data: bytes | bytearray, shape: Sequence[int]) -> Pixels:
    """Return pixels of `shape` (height, width, 3) from memory in channel order, without a copy. Raises
    ValueError if the shape does not fit the data."""
    height, width, colours = shape
    return np.frombuffer(data, np.uint8).reshape(colours, height, width).transpose(1, 2, 0)


def tensor(picture: Pixels) -> NDArray[np.float32]:
    """Return pixels as float32 (1, 3, height, width) in 0..1, C-contiguous: float32(value) / float32(255)."""
    result = np.empty((1, 3, *picture.shape[:2]), np.float32)
    result[0] = picture.transpose(2, 0, 1)
    result /= np.float32(255)
    return result


def image_info(image: Image.Image) -> ImageInfo:
    """Return information about an opened image file."""
    alpha = image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info
    return ImageInfo(image.width, image.height, image.mode, image.format or "", alpha, _orientation(image))


def _orientation(image: Image.Image) -> int:
    """Return the EXIF orientation, 1 if there is none; a damaged EXIF block does not stop the challenges'
    pipelines, so it must not stop this one."""
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except Exception:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _what_it_is(data: bytes, formats: str) -> str:
    start = bytes(data[:64]).lstrip()
    if not data:
        return "The file is empty (0 bytes): the upload may have been cut off, drop it again."
    if bytes(data[4:8]) == b"ftyp":
        return "The file is a HEIC, AVIF or video file: save it as JPEG or PNG."
    for magic, name in _OTHERS:
        if start.lower().startswith(magic.lower()):
            return f"The file is {name}, which is not read here: save it as JPEG or PNG."
    if _BARE_DICOM.match(data):
        return "The file is DICOM without its first 132 bytes: export it again, or as JPEG or PNG."
    if bytes(data[:4]) in TIFF:
        return f"The TIFF is damaged, or stored in a way that is not read here: {REGION}."
    return f"The file is not an image in a readable format ({formats})."
