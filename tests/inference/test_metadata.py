"""What a file holds besides its picture is named, wherever it lies; a file of pixels alone holds nothing."""

import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.inference.image_sanitizer import KINDS, hidden_metadata, upright
from tests.support.photographs import encoded, phone, quarters

JPEG, PNG, WEBP = (encoded(quarters(64, 48), kind) for kind in ("JPEG", "PNG", "WEBP"))
NOTE = b"Jane Doe"


def segment(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def within(marker: int, body: bytes) -> bytes:
    return JPEG[:2] + segment(marker, body) + JPEG[2:]


@pytest.mark.parametrize(
    ("data", "dropped"),
    [
        (JPEG, ()),
        (PNG, ()),
        (WEBP, ()),
        (JPEG + b"\0\0", ()),
        (JPEG + NOTE, ("data after the picture",)),
        (JPEG + NOTE + b"\xff\xd9", ("data after the picture",)),
        (JPEG + JPEG, ("data after the picture",)),
        (within(0xEB, b"JP\0\0" + NOTE), ("other data",)),
        (within(0xED, NOTE), ("other data",)),
        (within(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + NOTE), ("other data",)),
        (JPEG[:-2] + segment(0xFE, NOTE) + JPEG[-2:], ("name or comment",)),
        (within(0xE0, b"JFIF\0\1\1\0\0\1\0\1\1\1" + bytes(3)), ("preview picture",)),
        (PNG + NOTE, ("data after the picture",)),
        (PNG + NOTE + PNG[-12:], ("data after the picture",)),
        (PNG[:33] + chunk(b"jaNe", NOTE) + PNG[33:], ("other data",)),
        (PNG[:-12] + chunk(b"jaNe", NOTE) + PNG[-12:], ("other data",)),
        (
            PNG[:33] + chunk(b"tIME", struct.pack(">H5B", 2026, 11, 20, 1, 2, 3)) + PNG[33:],
            ("date and time",),
        ),
        (PNG[:-12] + chunk(b"tEXt", b"Author\0" + NOTE) + PNG[-12:], ("name or comment",)),
        (WEBP + NOTE, ("data after the picture",)),
    ],
)
def test_what_lies_besides_the_picture_is_named_and_dropped(data, dropped):
    pixels, small, _, found = upright(data)
    assert tuple(found) == dropped
    assert NOTE not in pixels.tobytes() + small.tobytes()


@settings(max_examples=40)
@given(st.sampled_from(["JPEG", "PNG"]), st.integers(0, 4000), st.binary(min_size=0, max_size=6))
def test_any_bytes_are_read_to_their_end(kind, place, scrap):
    data = {"JPEG": phone(quarters(64, 48)), "PNG": PNG}[kind]
    assert hidden_metadata(data[: place % len(data)] + scrap, kind) <= set(KINDS)
