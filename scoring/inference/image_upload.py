"""Uploaded photographs: refused in one sentence, or turned upright and rebuilt from their pixels, with a list
of what else the file held.

Runs in the worker. Of a file's metadata nothing leaves it but the kinds in `KINDS`.
"""

import io
import sys
import warnings
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from scoring.inference.metadata import AFTER, hidden_metadata
from scoring.inference.preprocessing import (
    FORMATS,
    MOST_PIXELS,
    ImageInfo,
    ImageUnreadable,
    Pixels,
    image_info,
    unreadable,
)

KINDS = (
    "position",
    "camera",
    "date and time",
    "name or comment",
    "preview picture",
    "other camera data",
    "XMP data",
    "IPTC data",
    "colour profile",
    "further pictures",
    "other data",
    "DICOM tags",
    "data after the picture",
    "transparency",
)
"""Kinds of metadata that are dropped, in words for people."""
DICOM = "DICOM"
DECODERS = {
    b"ftyp": ("scoring.inference.phone_formats",),
    b"DICM": (
        "pydicom",
        "pydicom.pixels",
        "pydicom.pixels.decoders",
        "pydicom.pixels.decoders.pillow",
        "pydicom.pixels.decoders.rle",
        "scoring.inference.dicom",
    ),
}
"""What a worker imports before it is confined, by the mark of the file: only for files that need it."""
SEVERAL_PICTURES = ("MPO", "TIFF", "HEIF")
"""Formats whose further pictures are depths, previews or pages, not the frames of a film."""
MODES = ("1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "YCbCr", "HSV")
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""EXIF orientation -> the transposition that turns the image upright."""
SMALL_SIDE, SMALL_LONGEST = 512, 8 * 512
_GPS, _EXIF, _PREVIEW = 0x8825, 0x8769, 1
_CAMERA = (0x010F, 0x0110, 0x0131, 0xA430, 0xA431, 0xA433, 0xA434, 0xA435, 0x927C)
_DATES = (0x0132, 0x9003, 0x9004, 0x9010, 0x9011)
_WORDS = (0x010E, 0x013B, 0x8298, 0x9286, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F)
_STRUCTURE = frozenset(
    (
        *range(0x00FE, 0x0107),
        *range(0x0111, 0x011E),
        0x0128,
        0x0129,
        *range(0x013D, 0x0146),
        0x0152,
        0x0153,
        0x015B,
        *range(0x0211, 0x0215),
        0x8769,
    )
)
"""TIFF tags that describe the pixels, and not who took them."""
_BITS_PER_SAMPLE = 0x0102


def upright(data: bytes) -> tuple[Pixels, Pixels, ImageInfo, list[str]]:
    """Return the first image of a file turned by its EXIF orientation, a copy of it by `small`, what the file
    was, and which `KINDS` are dropped.

    Raises ImageUnreadable, in one sentence: not an image of `preprocessing.FORMATS`, cut off, damaged, above
    178,956,970 pixels, animated, of 16 bits, or in the colours of print.
    """
    try:
        if _mark(data) == b"DICM":
            return _of_dicom(data)
        formats = _formats_of_phones() if _mark(data) else FORMATS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=formats) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise Image.DecompressionBombError
                _refuse(image, data)
                what = image_info(image)
                dropped = _dropped(image, data, what)
                image.load()
                picture = image if image.mode == "RGB" else image.convert("RGB")
                turn = UPRIGHT.get(what.orientation)
                picture = picture if turn is None else picture.transpose(turn)
                return np.asarray(picture), np.asarray(small(picture)), what, dropped
    except ImageUnreadable:
        raise
    except Exception as fault:
        if (
            _mark(data)
            and "scoring.inference.phone_formats" in sys.modules
            and isinstance(fault, UnidentifiedImageError)
        ):
            words = "The file is a video, or a damaged HEIC or AVIF image: save it as JPEG or PNG."
            raise ImageUnreadable(words) from None
        raise unreadable(fault, data) from None


def decoders(data: bytes) -> tuple[str, ...]:
    """Return the modules that a worker needs, besides those that it always has, to decode a file."""
    return DECODERS.get(_mark(data), ())


def _mark(data: bytes) -> bytes:
    """Return the mark of a file of HEIC's family, or of DICOM; b"" for others."""
    return next((m for m, at in ((b"ftyp", 4), (b"DICM", 128)) if data[at : at + 4] == m), b"")


def _formats_of_phones() -> tuple[str, ...]:
    """Return HEIC and AVIF where this worker was started for them."""
    formats: Any = sys.modules.get("scoring.inference.phone_formats")
    return FORMATS if formats is None else formats.FORMATS


def _of_dicom(data: bytes) -> tuple[Pixels, Pixels, ImageInfo, list[str]]:
    """Return the picture of a DICOM file. Its tags name patient, place and time: all of them are dropped."""
    dicom: Any = sys.modules.get("scoring.inference.dicom")
    if dicom is None:
        raise ImageUnreadable("The file is a DICOM file: export it as JPEG or PNG.")
    image = dicom.picture(data)
    what = ImageInfo(image.width, image.height, image.mode, DICOM, False, 1)
    picture = image.convert("RGB")
    return np.asarray(picture), np.asarray(small(picture)), what, ["DICOM tags"]


def small(picture: Image.Image) -> Image.Image:
    """Return the image with 512 px on its shorter side, enlarged if need be, the longer one at most eight
    times that: to measure and to show."""
    scale = SMALL_SIDE / min(picture.size)
    width, height = (max(1, min(SMALL_LONGEST, round(length * scale))) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=1.2)


def _refuse(image: Image.Image, data: bytes) -> None:
    if image.format not in SEVERAL_PICTURES and getattr(image, "n_frames", 1) > 1:
        raise ImageUnreadable("The image is animated: save one picture of it as JPEG or PNG.")
    if _bits(image, data) > 8:
        raise ImageUnreadable(
            "The image has 16 bits per colour, which models were not trained on: save it with 8 bits."
        )
    if image.mode == "CMYK":
        raise ImageUnreadable("The image is in the colours of print (CMYK): save it as RGB.")
    if image.mode not in MODES:
        raise ImageUnreadable(
            "The image's colours are stored in a way that is no photograph's: save it as RGB."
        )


def _bits(image: Image.Image, data: bytes) -> int:
    """Return bits per colour of the file; Pillow silently opens 16 bits of colour as 8."""
    if image.mode.startswith(("I", "F")):
        return 16
    if image.format == "PNG":
        return data[24]
    if image.format == "TIFF":
        tags = image.tag_v2  # type: ignore[attr-defined]  # only TIFF images have it
        return int(max(np.atleast_1d(tags.get(_BITS_PER_SAMPLE, 8))))
    return 8


def _dropped(image: Image.Image, data: bytes, what: ImageInfo) -> list[str]:
    info, found = image.info, _exif_kinds(image)
    if {"comment", "Comment"} & set(info) or getattr(image, "text", None):
        found.add("name or comment")
    for name, kind in (
        ("xmp", "XMP data"),
        ("XML:com.adobe.xmp", "XMP data"),
        ("photoshop", "IPTC data"),
        ("icc_profile", "colour profile"),
    ):
        if info.get(name):
            found.add(kind)
    if info.get("thumbnails"):
        found.add("preview picture")
    if info.get("depth_images") or info.get("aux"):
        found.add("further pictures")
    found |= hidden_metadata(data, image.format)
    if getattr(image, "n_frames", 1) > 1:
        found = found - {AFTER} | {"further pictures"}
    if what.alpha:
        found.add("transparency")
    return [kind for kind in KINDS if kind in found]


def _exif_kinds(image: Image.Image) -> set[str]:
    """Return the kinds in EXIF; a block that cannot be read counts as "other camera data"."""
    try:
        exif = image.getexif()
        tags = set(exif) | set(exif.get_ifd(_EXIF))
        found = {
            kind
            for kind, those in (("camera", _CAMERA), ("date and time", _DATES), ("name or comment", _WORDS))
            if tags & set(those)
        }
        if _GPS in tags:
            found.add("position")
        if exif.get_ifd(_PREVIEW):
            found.add("preview picture")
        if tags - _STRUCTURE - {_GPS, *_CAMERA, *_DATES, *_WORDS}:
            found.add("other camera data")
    except Exception:
        return {"other camera data"}
    return found
