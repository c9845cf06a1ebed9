"""Find what an image file holds besides its pixels and besides what Pillow reports: segments, chunks, and
bytes after the end.

Sources: ITU-T T.81 annex B (JPEG markers); the PNG specification (W3C, third edition), section 5; the WebP
container specification.
"""

import re
import struct

COMMENT, DATE, PREVIEW, OTHER, AFTER = (
    "name or comment",
    "date and time",
    "preview picture",
    "other data",
    "data after the picture",
)
_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
"""A JPEG marker that a length follows, or the end; within the image data a 255 is followed by 0 or by one of
those left out."""
_END_OF_IMAGE, _JFIF, _COMMENT = 0xD9, 0xE0, 0xFE
_JFIF_BYTES = 14
_REPORTED = {
    _JFIF: (b"JFIF\0",),
    0xE1: (b"Exif\0", b"http://ns.adobe.com/xap/1.0/\0"),
    0xE2: (b"ICC_PROFILE\0", b"MPF\0"),
    0xED: (b"Photoshop 3.0\0",),
    0xEE: (b"Adobe",),
}
"""Application segments of JPEG, by their start, that describe the pixels or are reported by Pillow."""
_PNG_SIGNATURE = 8
_PNG_REPORTED = frozenset(
    (
        b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD pHYs hIST cICP mDCV cLLI iCCP "
        b"tEXt zTXt iTXt eXIf acTL fcTL fdAT"
    ).split()
)


def hidden_metadata(data: bytes, image_format: str | None) -> set[str]:
    """Return which of `image_upload.KINDS` the bytes of an image file hold, by its format as Pillow names it;
    nothing for GIF, TIFF and BMP."""
    readers = {"JPEG": _of_jpeg, "MPO": _of_jpeg, "PNG": _of_png, "WEBP": _of_webp}
    return readers[image_format](data) if image_format in readers else set()


def _of_jpeg(data: bytes) -> set[str]:
    found: set[str] = set()
    place = 2
    while marker := _MARKER.search(data, place):
        code, start = marker[1][0], marker.end()
        if code == _END_OF_IMAGE:
            return found | ({AFTER} if data[start:].strip(b"\0") else set())
        length = max(2, int.from_bytes(data[start : start + 2], "big"))
        body = data[start + 2 : start + length]
        if code == _COMMENT:
            found.add(COMMENT)
        elif code == _JFIF and body.startswith(_REPORTED[_JFIF]) and len(body) > _JFIF_BYTES:
            found.add(PREVIEW)
        elif _JFIF <= code < _JFIF + 16 and not body.startswith(_REPORTED.get(code, ())):
            found.add(OTHER)
        place = start + length
    return found


def _of_png(data: bytes) -> set[str]:
    found: set[str] = set()
    place = _PNG_SIGNATURE
    while place + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, place)
        if name not in _PNG_REPORTED:
            found.add(DATE if name == b"tIME" else OTHER)
        place += 12 + length
        if name == b"IEND":
            return found | ({AFTER} if len(data) > place else set())
    return found


def _of_webp(data: bytes) -> set[str]:
    return {AFTER} if len(data) > struct.unpack("<I", data[4:8])[0] + 9 else set()
