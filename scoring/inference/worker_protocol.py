"""Protocol between server and worker: how frames are sent and read, and what replies contain.

A frame consists of a length, a JSON header, and the raw bytes that the header announces. Nothing is
unpickled: A worker that a hostile model controls can only send bytes, and only as many as the reader allows.
"""

import hashlib
import io
import json
import os
import struct
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from scoring.common.arrays import Floats
from scoring.inference.adapters import Adapter
from scoring.inference.image_sanitizer import KINDS
from scoring.inference.preprocessing import ImageInfo, Pixels, of_planes
from scoring.inference.worker_results import (
    Graph,
    ModelFacts,
    ModelOutput,
    PreparedImage,
    RandomOperator,
    SlideView,
    Tensor,
    Upright,
)

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
    """Raised if the other side ended or sent an invalid frame."""


def take_channel() -> tuple[io.FileIO, io.FileIO]:
    """Return the streams of requests and replies. The standard descriptors are redirected to nowhere, so that
    output of native code cannot mix with replies."""
    requests, replies = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, replies


def write_frame(stream: Writer, header: dict[str, Any], parts: Sequence[Part] = ()) -> None:
    """Send `header` and the bytes of `parts`. The header consists of JSON values; its key `parts` is
    reserved."""
    views = [memoryview(part).cast("B") for part in parts]
    text = json.dumps(header | {"parts": [view.nbytes for view in views]}).encode()
    chunks = [memoryview(_LENGTH.pack(len(text)) + text), *filter(None, views)]
    sent = _gathered(stream, chunks)
    for chunk in chunks:
        _write_all(stream, chunk[sent:])
        sent = max(0, sent - len(chunk))
    stream.flush()


def read_frame(stream: Reader, most_bytes: int) -> tuple[dict[str, Any], list[bytearray]]:
    """Return the next frame. Raises BrokenFrame at the end of the stream, for malformed data, and if the
    parts exceed `most_bytes`."""
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


MALFORMED = (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError)
"""Exceptions that the functions of this module raise for a malformed reply."""
_NUMBER_TYPES = ("<f4", "<f8")

Header = dict[str, Any]


def model_facts(header: Header, model: bytes, confinement: tuple[str, ...]) -> ModelFacts:
    """Return the facts about a model from a reply to "load", with size and SHA-256 of its bytes."""
    facts = header["facts"]
    graph = Graph(
        int(facts["ir_version"]),
        int(facts["opset"]),
        int(facts["nodes"]),
        tuple(
            RandomOperator(_plain(operator), _plain(name), bool(seeded))
            for operator, name, seeded in facts["random"]
        ),
        {str(name): str(text) for name, text in facts["metadata"].items()},
        bool(facts["from_0_to_1"]),
    )
    declared = _tensors(facts["inputs"])
    adapter = Adapter.of(declared)
    return ModelFacts(
        graph,
        adapter.plain(declared),
        _tensors(facts["outputs"]),
        len(model),
        hashlib.sha256(model).hexdigest(),
        confinement,
        str(facts["device"]),
        adapter.words,
    )


def model_output(header: Header, payload: list[bytearray]) -> ModelOutput:
    """Return the outputs in a reply to "run"."""
    outputs = tuple(None if entry is None else _array(entry, payload) for entry in header["outputs"])
    pixels = None if header["shape"] is None else _pixels(of_planes(payload.pop(0), header["shape"]))
    seen = None if header["seen"] is None else _seen(header["seen"])
    return ModelOutput(outputs, pixels, float(header["cpu_ms"]), seen)


def picture(header: Header, payload: list[bytearray]) -> PreparedImage:
    """Return the pixels in a reply to "decode"."""
    return PreparedImage(_pixels(of_planes(payload.pop(), header["shape"])), _seen(header["seen"]))


def upright(header: Header, payload: list[bytearray]) -> Upright:
    """Return the photograph in a reply to "upright". Its pixels come row by row, because Pillow resizes them
    for a model; the small copy comes channel by channel, because it is measured."""
    pixels = _pixels(np.frombuffer(payload.pop(), np.uint8).reshape(header["shape"]))
    small = _pixels(of_planes(payload.pop(), header["small"]))
    return Upright(pixels, small, _seen(header["seen"]), _kinds(header))


def slide(header: Header, payload: list[bytearray]) -> SlideView | None:
    """Return the region in a reply to "slide"; None if the file is no slide."""
    if header["box"] is None:
        return None
    left, top, width, height = map(int, header["box"])
    region, overview = picture(header, payload), None
    if header["overview"] is not None:
        overview = _pixels(of_planes(payload.pop(), header["overview"]))
    levels, magnification = int(header["levels"]), float(header["magnification"])
    box = (left, top, width, height)
    return SlideView(region.pixels, box, region.seen, overview, levels, magnification, _kinds(header))


def _kinds(header: Header) -> tuple[str, ...]:
    dropped = header["dropped"]
    return tuple(kind for kind in KINDS if isinstance(dropped, list) and kind in dropped)


def checked(pixels: Pixels) -> Pixels:
    """Check that pixels are uint8 (height, width, 3) and return them. Raises ValueError otherwise."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError("pixels are uint8 (height, width, 3)")
    return pixels


def _tensors(entries: Sequence[Any]) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(
            str(name),
            str(dtype),
            None if shape is None else tuple(None if size is None else int(size) for size in shape),
        )
        for name, dtype, shape in entries
    )


def _array(entry: Sequence[Any], payload: list[bytearray]) -> Floats:
    dtype, shape = entry
    if dtype not in _NUMBER_TYPES:
        raise ValueError("no number type")
    array: Floats = np.frombuffer(payload.pop(0) if 0 not in shape else b"", dtype).reshape(shape)
    array.flags.writeable = False
    return array


def _pixels(array: Pixels) -> Pixels:
    pixels = checked(array)
    pixels.flags.writeable = False
    return pixels


def _plain(text: str, most: int = 80) -> str:
    """Return a name of the file for messages: printable ASCII, cut short."""
    return "".join(character if " " <= character <= "~" else "?" for character in str(text)[:most])


def _seen(entry: Sequence[Any]) -> ImageInfo:
    width, height, mode, kind, alpha, orientation, micrometres = entry
    size, words = (int(width), int(height)), (str(mode)[:20], str(kind)[:20])
    return ImageInfo(*size, *words, bool(alpha), int(orientation), float(micrometres))
