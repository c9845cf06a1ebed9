"""Read the replies of a worker, with care: the worker may be in the hands of the model."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.inference.image_upload import KINDS
from scoring.inference.preprocessing import ImageInfo, Pixels, of_planes
from scoring.inference.results import (
    Graph,
    ModelFacts,
    ModelOutput,
    PreparedImage,
    RandomOperator,
    Tensor,
    Upright,
)

MALFORMED = (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError)
"""What the functions here raise for a reply that is malformed."""
_NUMBER_TYPES = ("<f4", "<f8")

Header = dict[str, Any]


def model_facts(header: Header, model: bytes, confinement: tuple[str, ...]) -> ModelFacts:
    """Return what a reply to "load" tells of a model, with the size and SHA-256 of its bytes."""
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
    )
    return ModelFacts(
        graph,
        _tensors(facts["inputs"]),
        _tensors(facts["outputs"]),
        len(model),
        hashlib.sha256(model).hexdigest(),
        confinement,
        str(facts["device"]),
    )


def answer(header: Header, payload: list[bytearray]) -> ModelOutput:
    """Return the outputs in a reply to "run"."""
    outputs = tuple(None if entry is None else _array(entry, payload) for entry in header["outputs"])
    pixels = None if header["shape"] is None else _pixels(of_planes(payload.pop(0), header["shape"]))
    seen = None if header["seen"] is None else _seen(header["seen"])
    return ModelOutput(outputs, pixels, float(header["cpu_ms"]), seen)


def picture(header: Header, payload: list[bytearray]) -> PreparedImage:
    """Return the pixels in a reply to "decode"."""
    return PreparedImage(_pixels(of_planes(payload.pop(), header["shape"])), _seen(header["seen"]))


def upright(header: Header, payload: list[bytearray]) -> Upright:
    """Return the photograph in a reply to "upright"."""
    found, small = picture(header, payload), _pixels(of_planes(payload.pop(), header["small"]))
    dropped = header["dropped"]
    kinds = tuple(kind for kind in KINDS if isinstance(dropped, list) and kind in dropped)
    return Upright(found.pixels, small, found.seen, kinds)


def checked(pixels: Pixels) -> Pixels:
    """Return pixels that are uint8 (height, width, 3). Raises ValueError for others."""
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


def _pixels(found: Pixels) -> Pixels:
    pixels = checked(found)
    pixels.flags.writeable = False
    return pixels


def _plain(text: str, most: int = 80) -> str:
    """Return a name of the file for messages: printable ASCII, cut short."""
    return "".join(character if " " <= character <= "~" else "?" for character in str(text)[:most])


def _seen(entry: Sequence[Any]) -> ImageInfo:
    width, height, mode, kind, alpha, orientation = entry
    return ImageInfo(int(width), int(height), str(mode)[:20], str(kind)[:20], bool(alpha), int(orientation))
