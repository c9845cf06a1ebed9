"""Frames of the channel between server and worker: a length, a JSON header, then the raw bytes that the
header announces.

Nothing is ever unpickled: a worker that a hostile model has taken over can send bytes, and no more than the
reader allows.
"""

import json
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO

HEADER_BYTES = 16 << 20
PARTS = 64
_LENGTH = struct.Struct("<I")


class BrokenFrame(Exception):
    """The other side ended, or what it sent is no frame."""


def write(stream: BinaryIO, header: dict[str, Any], parts: Sequence[bytes | memoryview] = ()) -> None:
    """Send `header` (JSON values; the key `parts` is taken) and the bytes of `parts`."""
    parts = [memoryview(part).cast("B") for part in parts]
    text = json.dumps(header | {"parts": [part.nbytes for part in parts]}).encode()
    for chunk in (_LENGTH.pack(len(text)) + text, *parts):
        _write_all(stream, memoryview(chunk))
    stream.flush()


def read(stream: BinaryIO, most_bytes: int) -> tuple[dict[str, Any], list[bytearray]]:
    """The next frame. Raises BrokenFrame at the end of the stream, on anything malformed, and for parts above
    `most_bytes` together."""
    (length,) = _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))
    if length > HEADER_BYTES:
        raise BrokenFrame("the header is too long")
    try:
        header = json.loads(_read_exactly(stream, length).decode())
        sizes = header.pop("parts")
        fits = (
            len(sizes) <= PARTS
            and all(type(size) is int and size >= 0 for size in sizes)
            and sum(sizes) <= most_bytes
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise BrokenFrame("the header is malformed") from fault
    if not fits:
        raise BrokenFrame("the parts are too many or too large")
    return header, [_read_exactly(stream, size) for size in sizes]


def _write_all(stream: BinaryIO, chunk: memoryview) -> None:
    while chunk:
        chunk = chunk[stream.write(chunk) :]


def _read_exactly(stream: BinaryIO, size: int) -> bytearray:
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        got = stream.readinto(view)
        if not got:
            raise BrokenFrame("the stream ended")
        view = view[got:]
    return buffer
