"""Child process that decodes untrusted images, and the part of it that `worker` shares.

It imports everything, confines itself, and reports the achieved layers. Then it reads requests from standard
input and writes replies to standard output, both as frames:

    {"op": "decode", "recipe"} + image
        {"ok": true, "seen", "shape"} + pixels
    {"op": "upright", "most_pixels"} + image
        {"ok": true, "seen", "shape", "small", "dropped"} + small copy + pixels
    {"op": "slide", "side", "least_pixels", "part"} + image
        {"ok": true, "box", "seen", "shape", "overview", "levels", "dropped"} + overview + region

Pixels are sent channel by channel, in both directions. A failure is {"ok": false, "code"}; if an image
failed, it also has a "message". The runtime of models is not imported: without it, the process starts sooner
and is smaller.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from scoring.common.arrays import Array
from scoring.inference import image_sanitizer, sandbox, worker_protocol
from scoring.inference.devices import CPU
from scoring.inference.preprocessing import ImageInfo, ImageUnreadable, Recipe, pixels, planes

# Decoders, and the encodings of texts in images, are otherwise imported when first needed; after the
# confinement no file can be opened.
LATE_IMPORTS = (
    "PIL.BmpImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.MpoImagePlugin",
    "PIL.PngImagePlugin",
    "PIL.TiffImagePlugin",
    "PIL.WebPImagePlugin",
    "PIL.ImageCms",
    "PIL.ImageOps",
    "encodings.ascii",
    "encodings.latin_1",
    "encodings.utf_16",
    "encodings.utf_16_be",
    "encodings.utf_16_le",
    "encodings.utf_32",
)

Header = dict[str, Any]
Reply = tuple[Header, list[Array]]
"""Header and arrays of a reply."""


def main(settings: dict[str, Any]) -> None:
    """Decode images until the other side closes the connection; `settings` as in `serve`."""
    serve(settings, answer)


def serve(settings: dict[str, Any], answered: Callable[[Header, list[bytearray]], Reply]) -> None:
    """Confine the process and answer requests until the other side closes the connection.

    Args:
        settings: memory_bytes, cpu_seconds, niceness, device, decoders, frame_bytes and alarm_seconds.
        answered: Function that returns the reply to a request, or raises ImageUnreadable or MemoryError.
    """
    requests, replies = worker_protocol.take_channel()
    for module in (*LATE_IMPORTS, *settings["decoders"]):
        importlib.import_module(module)
    image_sanitizer.register_decoders()
    on_gpu = settings["device"] != CPU
    sandbox.leave_folders()
    layers = sandbox.confine(settings["memory_bytes"], settings["cpu_seconds"], settings["niceness"], on_gpu)
    sandbox.die_with_parent(requests.fileno())
    worker_protocol.write_frame(replies, {"ok": True, "confinement": layers})
    while True:
        try:
            header, parts = worker_protocol.read_frame(requests, settings["frame_bytes"])
        except worker_protocol.BrokenFrame:
            return
        sandbox.set_alarm(settings["alarm_seconds"])
        reply: Header
        payload: list[Array] = []
        try:
            reply, payload = answered(header, parts)
        except ImageUnreadable as unreadable:
            reply = {"ok": False, "code": "image-unreadable", "message": str(unreadable)}
        except MemoryError:
            reply = {"ok": False, "code": "model-out-of-memory"}
        sandbox.set_alarm(0)
        worker_protocol.write_frame(replies, reply, [array.data for array in payload])


def answer(header: Header, parts: list[bytearray]) -> Reply:
    """Return the reply to a request about an image. Raises ImageUnreadable."""
    return {"upright": upright, "slide": slide}.get(header["op"], decode)(header, parts)


def decode(header: Header, parts: list[bytearray]) -> Reply:
    """Prepare the image of a request by its recipe."""
    picture, seen = pixels(bytes(parts.pop()), recipe(header))
    return {"ok": True, "seen": as_list(seen), "shape": picture.shape}, [planes(picture)]


def upright(header: Header, parts: list[bytearray]) -> Reply:
    """Turn the image of a request upright."""
    # Nothing here keeps the file, so that its memory is free for its pixels once they are decoded.
    picture, small, seen, dropped = image_sanitizer.upright(bytes(parts.pop()), int(header["most_pixels"]))
    reply = {
        "ok": True,
        "seen": as_list(seen),
        "shape": picture.shape,
        "small": small.shape,
        "dropped": dropped,
    }
    return reply, [planes(small), np.ascontiguousarray(picture)]


def slide(header: Header, parts: list[bytearray]) -> Reply:
    """Read the region of a slide that a request names. Without a region, also return an overview."""
    reader: Any = sys.modules["scoring.inference.slide"]
    found = reader.opened(memoryview(parts[0]), int(header["least_pixels"]))
    if found is None:
        return {"ok": True, "box": None}, []
    part, arrays, overview = header["part"], [], None
    if part is None:
        overview = reader.overview(found)
        part, arrays = reader.stained(found, overview, int(header["side"])), [planes(overview)]
    region = reader.region(found, tuple(part))
    reply = {
        "ok": True,
        "box": list(part),
        "seen": [*found.size, "RGB", found.format, False, 1, found.micrometres],
        "shape": region.shape,
        "overview": None if overview is None else overview.shape,
        "levels": len(found.levels),
        "magnification": found.magnification,
        "dropped": found.dropped,
    }
    return reply, [*arrays, planes(region)]


def recipe(header: Header) -> Recipe:
    return Recipe(tuple((width, height, name) for width, height, name in header["recipe"]))


def as_list(seen: ImageInfo) -> list[Any]:
    return [seen.width, seen.height, seen.mode, seen.format, seen.alpha, seen.orientation, seen.micrometres]
