"""Checks whether a JPEG or PNG is complete, without decoding it."""

JPEG, PNG = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"
END_OF_JPEG, SCAN, ALONE = b"\xff\xd9", 0xDA, {0x01, *range(0xD0, 0xD8)}
"""JPEG markers: the end of the image, the start of the pixels, and the markers without a length."""


def is_whole(data: bytes) -> bool:
    """Return whether the bytes are a complete JPEG or PNG; False for other formats."""
    if data.startswith(JPEG):
        return _jpeg_ends(data)
    return data.startswith(PNG) and _png_ends(data)


def _jpeg_ends(data: bytes) -> bool:
    at = 2
    while at + 4 <= len(data) and data[at] == END_OF_JPEG[0]:
        marker = data[at + 1]
        if marker == SCAN:  # no such marker stands among pixels
            return data.find(END_OF_JPEG, at) >= 0
        if marker == END_OF_JPEG[0]:
            at += 1
        else:
            at += 2 if marker in ALONE else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return False


def _png_ends(data: bytes) -> bool:
    at = len(PNG)
    while at + 12 <= len(data):
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    return False
