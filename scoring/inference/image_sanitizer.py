"""Decoder of uploaded photographs (JPEG, HEIC, AVIF ...): it returns upright pixels without names, places or
other metadata (EXIF, DICOM tags), or refuses the file.

It runs in the worker process. It reports which of the kinds of metadata in `KINDS` a file contained.
"""

import io
import re
import struct
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from scoring.inference.bands import of_bands, reduced
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
    "camera or scanner",
    "program",
    "date and time",
    "name or comment",
    "preview picture",
    "other tags",
    "XMP data",
    "IPTC data",
    "colour profile",
    "further pictures",
    "other data",
    "DICOM tags",
    "data after the picture",
    "transparency",
)
"""Names of the kinds of metadata that are removed."""
READ_FORMATS = "JPEG, PNG, TIFF, BMP, WebP, GIF, HEIC, AVIF and DICOM"
"""Names of the formats that the page of single images reads."""
PHONE_FORMATS = ("HEIF", "AVIF")
DICOM = "DICOM"
DECODERS = {
    b"ftyp": ("pi_heif", "PIL.AvifImagePlugin"),
    b"DICM": (
        "pydicom",
        "pydicom.pixels",
        "pydicom.pixels.decoders",
        "pydicom.pixels.decoders.pillow",
        "pydicom.pixels.decoders.rle",
        "PIL.Jpeg2KImagePlugin",
        "scoring.inference.dicom",
    ),
}
"""First bytes of a file (magic number) -> modules that must be imported before confinement. Other files need
no further modules."""
SLIDE_DECODERS = ("tifffile", "scoring.inference.slide", "PIL.Jpeg2KImagePlugin")
"""Modules to import before confinement for a file that may be a slide."""
SEVERAL_PICTURES = ("MPO", "TIFF", "HEIF")
"""Formats whose additional pictures are depth maps, previews or pages, not frames of a film."""
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
"""EXIF orientation -> the transposition that makes the image upright."""
SMALL_SIDE, SMALL_LONGEST = 512, 8 * 512
_GPS, _EXIF, _PREVIEW = 0x8825, 0x8769, 1
_CAMERA = (0x010F, 0x0110, 0xA430, 0xA431, 0xA433, 0xA434, 0xA435, 0x927C)
_PROGRAM = 0x0131
_DATES = (0x0132, 0x9003, 0x9004, 0x9010, 0x9011)
_WORDS = (0x010E, 0x013B, 0x8298, 0x9286, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F)
_STRUCTURE = frozenset(
    (
        *range(0x00FE, 0x0107),
        *range(0x0111, 0x011E),
        0x0128,
        0x0129,
        *range(0x013D, 0x0146),
        0x014A,
        0x0152,
        0x0153,
        0x015B,
        *range(0x0211, 0x0215),
        0x8769,
    )
)
"""TIFF tags that describe the pixels, not the person or place."""
_BITS_PER_SAMPLE = 0x0102
_DESCRIPTION, _RESOLUTIONS, _RESOLUTION_UNIT = 0x010E, (0x011A, 0x011B), 0x0128
_UNITS = {2: 25_400.0, 3: 10_000.0}
"""TIFF's number of a unit of resolution (inch, centimetre) -> micrometres."""
_NUMBER = r"(\d{1,6}(?:\.\d{1,9})?)(?![\d.])"
_SLIDE = re.compile(rf"\bMPP\s*=\s*{_NUMBER}")
_OME = {axis: re.compile(rf'PhysicalSize{axis}="{_NUMBER}"') for axis in "XY"}
_OME_UNIT = {axis: re.compile(rf'PhysicalSize{axis}Unit="([^"]*)"') for axis in "XY"}
_MICROMETRE = re.compile(r"(µ|μ|u|\?|Âµ|Î¼|&#181;|&#xB5;)m", re.IGNORECASE)
"""Spellings of the unit µm in files, including text that was read in the wrong code page."""
_OTHER_UNITS = {"nm": 1e-3, "mm": 1e3, "cm": 1e4, "Å": 1e-4, "&#197;": 1e-4, "&#xC5;": 1e-4}
"""Unit in OME-TIFF other than µm -> micrometres."""
SQUARE = 0.01
"""A pixel counts as square if its sides differ by at most this share."""
MICROSCOPES = (0.05, 10.0)
"""Plausible range of micrometres per pixel for a microscope. The 72 px per inch of a screen are outside this
range."""


def upright(data: bytes, most_pixels: int = MOST_PIXELS) -> tuple[Pixels, Pixels, ImageInfo, list[str]]:
    """Return the upright first image of a file, without metadata such as EXIF, GPS and names.

    An image with more than `most_pixels` is reduced to this size.

    Returns:
        The pixels, turned by their EXIF orientation; a copy made by `small`; information about the file; and
        the `KINDS` of metadata that were removed.

    Raises:
        ImageUnreadable: With one sentence, if the file is not an image in one of `READ_FORMATS`, or if the
            image is truncated, damaged, larger than 178,956,970 pixels, animated, with 16 bits per channel,
            or in printing colours.
    """
    start = data[:256]  # tells what the file is
    is_phone = _mark(start) == b"ftyp" and "pi_heif" in sys.modules
    try:
        if _mark(start) == b"DICM":
            file = _dicom().read(data)
            del data  # its memory is needed for pixels
            return _of_dicom(file, most_pixels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=PHONE_FORMATS if is_phone else FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise Image.DecompressionBombError
                _refuse(image, data)
                if image.format == "PNG":
                    image.load()  # raises what is wrong with the file; reading its tags hides that
                info = replace(image_info(image), micrometres=micrometres(image))
                dropped = _dropped(image, data, info)
                image.load()
                del data
                turn, picture = UPRIGHT.get(info.orientation), reduced(image, most_pixels)
                picture = picture if turn is None else picture.transpose(turn)
                return np.asarray(picture), np.asarray(small(picture)), info, dropped
    except ImageUnreadable:
        raise
    except Exception as fault:
        if is_phone and isinstance(fault, UnidentifiedImageError):
            sentence = "The file is a video, or a damaged HEIC or AVIF image: save it as JPEG or PNG."
            raise ImageUnreadable(sentence) from None
        raise unreadable(fault, start, READ_FORMATS) from None


def decoders(data: bytes) -> tuple[str, ...]:
    """Return the additional modules that a worker needs to decode a file."""
    return DECODERS.get(_mark(data), ())


def _mark(data: bytes) -> bytes:
    """Return the mark of a file of HEIC's family, or of DICOM; b"" for others."""
    return next((m for m, at in ((b"ftyp", 4), (b"DICM", 128)) if data[at : at + 4] == m), b"")


def register_decoders() -> None:
    """Let Pillow open HEIC and AVIF if this worker has imported their decoders. Decoding uses one thread,
    because a confined process may start only few threads."""
    heif: Any = sys.modules.get("pi_heif")
    if heif is not None:
        heif.register_heif_opener()
        heif.options.DECODE_THREADS = 1
        sys.modules["PIL.AvifImagePlugin"].DEFAULT_MAX_THREADS = 1  # type: ignore[attr-defined]


def _dicom() -> Any:
    """Return the module that reads DICOM. Raises ImageUnreadable if this worker has not imported it."""
    if (module := sys.modules.get("scoring.inference.dicom")) is None:
        raise ImageUnreadable("The file is a DICOM file: export it as JPEG or PNG.")
    return module


def _of_dicom(file: Any, most_pixels: int) -> tuple[Pixels, Pixels, ImageInfo, list[str]]:
    """Return the picture of a DICOM file. Its tags name patient, place and time: all of them are dropped."""
    found = _dicom().picture(file)
    width, height = found.size
    info = ImageInfo(width, height, found.mode, DICOM, False, 1, found.micrometres)
    picture = of_bands(found.size, found.band, most_pixels)
    return np.asarray(picture), np.asarray(small(picture)), info, ["DICOM tags"]


def micrometres(image: Image.Image) -> float:
    """Return the micrometres per pixel of an image, as in `scale_of_tags`."""
    tags: Any = getattr(image, "tag_v2", {})
    resolutions = [float(tags.get(tag) or 0) if image.format == "TIFF" else 0.0 for tag in _RESOLUTIONS]
    return scale_of_tags(str(tags.get(_DESCRIPTION, "")), resolutions, tags.get(_RESOLUTION_UNIT, 2))


def scale_of_tags(described: str, resolutions: Sequence[float], unit: Any) -> float:
    """Return the micrometres per pixel that a scanner recorded; 0 if none are recorded, or if pixels are not
    square.

    The sources are "MPP" of a slide, the physical size in OME, and a resolution that is plausible for a
    microscope.

    Args:
        resolutions: Pixels per unit in x and in y; 0 if the file does not state it.
        unit: TIFF's number of the unit of `resolutions`.
    """
    if found := _SLIDE.search(described):
        return _of_microscope(float(found[1]))
    length = _UNITS.get(unit, 0.0)
    scales = _ome_scales(described) or [length / resolution for resolution in resolutions if resolution]
    if not scales or max(scales) > (1 + SQUARE) * min(scales):
        return 0.0
    return _of_microscope(scales[0])


def _ome_scales(described: str) -> list[float]:
    """Return OME's micrometres per pixel in x and y, as far as the text has them; none with another unit."""
    scales = []
    for axis, size in _OME.items():
        if found := size.search(described):
            written = _OME_UNIT[axis].search(described)
            unit = written[1] if written else "µm"
            micrometres = 1.0 if _MICROMETRE.fullmatch(unit) else _OTHER_UNITS.get(unit, 0.0)
            scales.append(float(found[1]) * micrometres)
    return scales if all(scales) else []


def _of_microscope(scale: float) -> float:
    return scale if MICROSCOPES[0] <= scale <= MICROSCOPES[1] else 0.0


def small(picture: Image.Image) -> Image.Image:
    """Return a copy of the image for measuring and display. Its shorter side has 512 px (enlarged if
    necessary), its longer side at most eight times as many."""
    scale = SMALL_SIDE / min(picture.size)
    width, height = (max(1, min(SMALL_LONGEST, round(length * scale))) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=1.2)


def _refuse(image: Image.Image, data: bytes) -> None:
    if image.format not in SEVERAL_PICTURES and getattr(image, "n_frames", 1) > 1:
        raise ImageUnreadable("The image is animated: save one picture of it as JPEG or PNG.")
    if (bits := _bits(image, data)) > 8:
        raise ImageUnreadable(
            f"The image has {bits} bits per colour, which models were not trained on: save it with 8 bits."
        )
    if image.mode == "CMYK":
        raise ImageUnreadable("The image is in the colours of print (CMYK): save it as RGB.")
    if image.mode not in MODES:
        raise ImageUnreadable(
            "The image's colours are stored in a way that photographs do not use: save it as RGB."
        )


def _bits(image: Image.Image, data: bytes) -> int:
    """Return bits per colour of the file; Pillow silently opens 16 bits of colour as 8."""
    if image.format == "PNG":
        return data[24]
    least = 16 if image.mode.startswith(("I", "F")) else 8
    if image.format == "TIFF":
        tags = image.tag_v2  # type: ignore[attr-defined]  # only TIFF images have it
        return max(least, int(max(np.atleast_1d(tags.get(_BITS_PER_SAMPLE, 8)))))
    return least


def _dropped(image: Image.Image, data: bytes, image_facts: ImageInfo) -> list[str]:
    info, kinds = image.info, _exif_kinds(image)
    if {"comment", "Comment"} & set(info) or getattr(image, "text", None):
        kinds.add("name or comment")
    for name, kind in (
        ("xmp", "XMP data"),
        ("XML:com.adobe.xmp", "XMP data"),
        ("photoshop", "IPTC data"),
        ("icc_profile", "colour profile"),
    ):
        if info.get(name):
            kinds.add(kind)
    if info.get("thumbnails"):
        kinds.add("preview picture")
    if info.get("depth_images") or info.get("aux"):
        kinds.add(FURTHER)
    kinds |= hidden_metadata(data, image.format)
    if getattr(image, "n_frames", 1) > 1:
        kinds = kinds - {AFTER} | {FURTHER}
    if image_facts.alpha:
        kinds.add("transparency")
    return [kind for kind in KINDS if kind in kinds]


def _exif_kinds(image: Image.Image) -> set[str]:
    """Return the kinds in EXIF; a block that cannot be read counts as "other tags"."""
    try:
        exif = image.getexif()
        kinds = kinds_of_tags(set(exif) | set(exif.get_ifd(_EXIF)))
        if exif.get_ifd(_PREVIEW):
            kinds.add("preview picture")
    except Exception:
        return {"other tags"}
    return kinds


def kinds_of_tags(tags: set[int]) -> set[str]:
    """Return the `KINDS` of metadata that tags of TIFF or EXIF contain."""
    named = {
        "camera or scanner": _CAMERA,
        "program": (_PROGRAM,),
        "date and time": _DATES,
        "name or comment": _WORDS,
        "position": (_GPS,),
    }
    kinds = {kind for kind, those in named.items() if tags & set(those)}
    other = tags - _STRUCTURE - {tag for those in named.values() for tag in those}
    return kinds | ({"other tags"} if other else set())


COMMENT, DATE, PREVIEW, OTHER, AFTER, FURTHER = (
    "name or comment",
    "date and time",
    "preview picture",
    "other data",
    "data after the picture",
    "further pictures",
)
_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
"""Pattern of a JPEG marker with a length, or of the end marker. It never matches image data, in which a byte
255 is followed by 0 or by another marker."""
_END_OF_IMAGE, _JFIF, _COMMENT = 0xD9, 0xE0, 0xFE
_JFIF_BYTES = 14
_REPORTED = {
    _JFIF: (b"JFIF\0",),
    0xE1: (b"Exif\0", b"http://ns.adobe.com/xap/1.0/\0"),
    0xE2: (b"ICC_PROFILE\0", b"MPF\0"),
    0xED: (b"Photoshop 3.0\0",),
    0xEE: (b"Adobe",),
}
"""JPEG application marker -> starts of segments that describe the pixels or that Pillow reports."""
_PNG_SIGNATURE = 8
_PNG_REPORTED = frozenset(
    (
        b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD pHYs hIST cICP mDCV cLLI iCCP "
        b"tEXt zTXt iTXt eXIf acTL fcTL fdAT"
    ).split()
)


def hidden_metadata(data: bytes, image_format: str | None) -> set[str]:
    """Return the `KINDS` of metadata in the bytes of an image file, whose format is named as in Pillow.
    Nothing is found in GIF, TIFF and BMP."""
    readers = {"JPEG": _of_jpeg, "MPO": _of_jpeg, "PNG": _of_png, "WEBP": _of_webp}
    return readers[image_format](data) if image_format in readers else set()


def _of_jpeg(data: bytes) -> set[str]:
    kinds: set[str] = set()
    offset = 2
    while marker := _MARKER.search(data, offset):
        code, start = marker[1][0], marker.end()
        if code == _END_OF_IMAGE:
            return kinds | ({AFTER} if data[start:].strip(b"\0") else set())
        length = max(2, int.from_bytes(data[start : start + 2], "big"))
        body = data[start + 2 : start + length]
        if code == _COMMENT:
            kinds.add(COMMENT)
        elif code == _JFIF and body.startswith(_REPORTED[_JFIF]) and len(body) > _JFIF_BYTES:
            kinds.add(PREVIEW)
        elif _JFIF <= code < _JFIF + 16 and not body.startswith(_REPORTED.get(code, ())):
            kinds.add(OTHER)
        offset = start + length
    return kinds


def _of_png(data: bytes) -> set[str]:
    kinds: set[str] = set()
    offset = _PNG_SIGNATURE
    while offset + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, offset)
        if name not in _PNG_REPORTED:
            kinds.add(DATE if name == b"tIME" else OTHER)
        offset += 12 + length
        if name == b"IEND":
            return kinds | ({AFTER} if len(data) > offset else set())
    return kinds


def _of_webp(data: bytes) -> set[str]:
    return {AFTER} if len(data) > struct.unpack("<I", data[4:8])[0] + 9 else set()
