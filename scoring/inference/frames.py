"""Frames of the channel between server and worker: a length, a JSON header, then the raw bytes that the
header announces.

Nothing is ever unpickled: a worker that a hostile model has taken over can send bytes, and no more than the
reader allows.
"""

import io
import json
import os
import struct
from collections.abc import Sequence
from typing import Any, Protocol

HEADER_BYTES = 16 << 20
PARTS = 64
_LENGTH = struct.Struct("<I")

Part = bytes | bytearray | memoryview


class Writer(Protocol):
    def fileno(self) -> int: ...
    def write(self, data: memoryview, /) -> int | None: ...
    def flush(self) -> None: ...


class Reader(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


class BrokenFrame(Exception):
    """The other side ended, or what it sent is no frame."""


def write(stream: Writer, header: dict[str, Any], parts: Sequence[Part] = ()) -> None:
    """Send `header` (JSON values; the key `parts` is taken) and the bytes of `parts`."""
    views = [memoryview(part).cast("B") for part in parts]
    text = json.dumps(header | {"parts": [view.nbytes for view in views]}).encode()
    chunks = [memoryview(_LENGTH.pack(len(text)) + text), *filter(None, views)]
    sent = _gathered(stream, chunks)
    for chunk in chunks:
        _write_all(stream, chunk[sent:])
        sent = max(0, sent - len(chunk))
    stream.flush()


def read(stream: Reader, most_bytes: int) -> tuple[dict[str, Any], list[bytearray]]:
    """Return the next frame. Raises BrokenFrame at the end of the stream, on anything malformed, and for
    parts above `most_bytes` together."""
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


def _gathered(stream: Writer, chunks: Sequence[memoryview]) -> int:
    """Send what a pipe takes of all chunks in one call, and return how many bytes that was: a reader that is
    woken by the header would wait for the rest with a busy processor."""
    try:
        return os.writev(stream.fileno(), chunks[: PARTS + 1])
    except (AttributeError, io.UnsupportedOperation):
        return 0  # no pipe, or a system that cannot


def _write_all(stream: Writer, chunk: memoryview) -> None:
    while chunk:
        chunk = chunk[stream.write(chunk) or 0 :]


def _read_exactly(stream: Reader, size: int) -> bytearray:
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        got = stream.readinto(view)
        if not got:
            raise BrokenFrame("the stream ended")
        view = view[got:]
    return buffer
