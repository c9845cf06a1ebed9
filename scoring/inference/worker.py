"""Child process that opens untrusted models and images.

It imports everything, confines itself, and reports the achieved layers. Then it reads requests from standard
input and writes replies to standard output, both as frames:

    {"op": "load"} + model
        {"ok": true, "facts"}
    {"op": "run", "recipe", "shape", "pixels"} + image [+ vector]
        {"ok": true, "outputs", "seen", "shape", "cpu_ms"} + arrays
    {"op": "decode", "recipe"} + image
        {"ok": true, "seen", "shape"} + pixels
    {"op": "upright", "most_pixels"} + image
        {"ok": true, "seen", "shape", "small", "dropped"} + small copy + pixels
    {"op": "slide", "side", "least_pixels", "part"} + image
        {"ok": true, "box", "seen", "shape", "overview", "levels", "dropped"} + overview + region

Pixels are sent channel by channel, in both directions. A failure is {"ok": false, "code"}; if loading or an
image failed, it also has a "message". The runtime's messages about running a model are not passed on, because
they can quote the data.
"""

import importlib
import os
import re
import sys
import time
from typing import Any

import numpy as np
import onnxruntime

from scoring.common.arrays import Array, Floats
from scoring.inference import image_sanitizer, sandbox, worker_protocol
from scoring.inference.adapters import Adapter
from scoring.inference.devices import CPU, PROVIDERS
from scoring.inference.onnx_scan import ModelRefused, scan
from scoring.inference.preprocessing import (
    ImageInfo,
    ImageUnreadable,
    Pixels,
    Recipe,
    of_planes,
    pixels,
    planes,
    tensor,
)
from scoring.inference.worker_results import Tensor

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
NUMBERS = "biuf"
NO_FOLDER = os.path.join(os.devnull, "none")
"""Folder in which the runtime looks for files beside a model; it is empty and nobody can write to it."""
MOST_OUTPUTS = worker_protocol.PARTS - 2
"""Maximum number of outputs that are sent for an image. Challenges use only the first outputs; all others are
sent as null."""
_MEMORY = re.compile(r"bad_?\s?alloc|failed to allocate|out of memory|AllocateRaw", re.IGNORECASE)
_SOURCE = re.compile(r"^(\[ONNXRuntimeError\] : \d+ : \w+ : )?(/\S+:\d+ .*?\) (?=[A-Z]))?")


Header = dict[str, Any]
Reply = tuple[Header, list[Array]]
"""Header and arrays of a reply."""


class RunFailed(Exception):
    """Raised if a run gives no outputs. Its text is only the code of the reason."""


def main(settings: dict[str, Any]) -> None:
    """Answer requests until the other side closes the connection.

    Args:
        settings: memory_bytes, cpu_seconds, niceness, device, output_bytes, decoders, frame_bytes and
            alarm_seconds.
    """
    requests, replies = worker_protocol.take_channel()
    for module in (*LATE_IMPORTS, *settings["decoders"]):
        importlib.import_module(module)
    image_sanitizer.register_decoders()
    onnxruntime.set_default_logger_severity(4)
    onnxruntime.disable_telemetry_events()
    on_gpu = settings["device"] != CPU
    sandbox.leave_folders()
    layers = sandbox.confine(settings["memory_bytes"], settings["cpu_seconds"], settings["niceness"], on_gpu)
    sandbox.die_with_parent(requests.fileno())
    worker_protocol.write_frame(replies, {"ok": True, "confinement": layers})
    session = None
    while True:
        try:
            header, parts = worker_protocol.read_frame(requests, settings["frame_bytes"])
        except worker_protocol.BrokenFrame:
            return
        sandbox.set_alarm(settings["alarm_seconds"])
        reply: Header
        payload: list[Array] = []
        try:
            if header["op"] == "load":
                session, reply = load(bytes(parts.pop()), settings["device"])
            elif header["op"] == "run":
                reply, payload = run(session, header, parts, settings["output_bytes"])
            elif header["op"] == "upright":
                reply, payload = upright(header, parts)
            elif header["op"] == "slide":
                reply, payload = slide(header, parts)
            else:
                reply, payload = decode(header, parts)
        except ModelRefused as refused:
            reply = {"ok": False, "code": refused.code, "message": refused.message}
        except ImageUnreadable as unreadable:
            reply = {"ok": False, "code": "image-unreadable", "message": str(unreadable)}
        except MemoryError:
            reply = {"ok": False, "code": "model-out-of-memory"}
        except RunFailed as failed:
            reply = {"ok": False, "code": str(failed)}
        sandbox.set_alarm(0)
        worker_protocol.write_frame(replies, reply, [array.data for array in payload])


def load(model: bytes, device: str = CPU) -> tuple[Any, Header]:
    """Scan a model and open it in a single-threaded session that cannot read other files. Return the session,
    and facts from scan and session. Raises ModelRefused if the model is not allowed, cannot be opened, or
    cannot run on the device."""
    facts = scan(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", NO_FOLDER)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    scalars = set(facts.pop("scalars"))
    try:
        session = onnxruntime.InferenceSession(model, options, providers=_providers(device))
        facts["inputs"] = [_tensor_facts(value, scalars) for value in session.get_inputs()]
        facts["outputs"] = [_tensor_facts(value, scalars) for value in session.get_outputs()]
    except Exception as fault:  # names that are no UTF-8 raise, too
        raise _load_failure(str(fault), facts) from None
    if PROVIDERS[device] not in session.get_providers():  # the runtime goes on without, silently
        sentence = "The model cannot run on CUDA: its driver or libraries do not fit. Choose cpu or auto."
        raise ModelRefused("no-device", sentence)
    facts["device"] = device
    return session, {"ok": True, "facts": facts}


def _providers(device: str) -> list[str]:
    """Return the providers of the runtime in the order in which they are tried."""
    return list(dict.fromkeys((PROVIDERS[device], PROVIDERS[CPU])))


def run(session: Any, header: Header, parts: list[bytearray], most_bytes: int) -> Reply:
    """Run one image through the model. Inputs are passed by position; outputs that are not numeric tensors
    become null. Raises RunFailed if the run fails, or if the outputs have more than `most_bytes` bytes."""
    start = time.thread_time()
    picture, seen = _picture(header, parts[0])
    arrays = [tensor(picture), *(np.frombuffer(part, np.float32).reshape(1, -1) for part in parts[1:])]
    declared = session.get_inputs()
    adapter = Adapter.of([Tensor(*_tensor_facts(value, set())) for value in declared])
    feed = {value.name: array for value, array in zip(declared, adapter.feed(arrays), strict=False)}
    try:
        outputs = session.run(None, feed)
    except Exception as fault:
        raise RunFailed(_run_code(str(fault), isinstance(fault, ValueError))) from None
    outputs = [
        None if index >= MOST_OUTPUTS or (numbers := _numbers(output)) is None else adapter.first(numbers)
        for index, output in enumerate(outputs)
    ]
    if sum(output.nbytes for output in outputs if output is not None) > most_bytes:
        raise RunFailed("wrong-output")
    reply = {
        "ok": True,
        "outputs": [None if output is None else [output.dtype.str, output.shape] for output in outputs],
        "seen": seen,
        "shape": picture.shape if header["pixels"] else None,
    }
    payload: list[Array] = [output for output in outputs if output is not None and output.size]
    payload += [planes(picture)] if header["pixels"] else []
    return reply | {"cpu_ms": (time.thread_time() - start) * 1000}, payload


def decode(header: Header, parts: list[bytearray]) -> Reply:
    """Prepare the image of a request by its recipe."""
    picture, seen = pixels(bytes(parts.pop()), _recipe(header))
    return {"ok": True, "seen": _as_list(seen), "shape": picture.shape}, [planes(picture)]


def upright(header: Header, parts: list[bytearray]) -> Reply:
    """Turn the image of a request upright."""
    # Nothing here keeps the file, so that its memory is free for its pixels once they are decoded.
    picture, small, seen, dropped = image_sanitizer.upright(bytes(parts.pop()), int(header["most_pixels"]))
    reply = {
        "ok": True,
        "seen": _as_list(seen),
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


def _picture(header: Header, part: bytearray) -> tuple[Pixels, list[Any] | None]:
    if header["shape"] is not None:
        return of_planes(part, header["shape"]), None
    picture, seen = pixels(bytes(part), _recipe(header))
    return planes(picture).transpose(1, 2, 0), _as_list(seen)


def _recipe(header: Header) -> Recipe:
    return Recipe(tuple((width, height, name) for width, height, name in header["recipe"]))


def _as_list(seen: ImageInfo) -> list[Any]:
    return [seen.width, seen.height, seen.mode, seen.format, seen.alpha, seen.orientation, seen.micrometres]


def _numbers(output: Any) -> Floats | None:
    """Return an output as float32 or float64, C-contiguous; None for strings, sequences and maps."""
    if not isinstance(output, np.ndarray) or output.dtype.kind not in NUMBERS:
        return None
    wide = output.dtype.kind in "iu" or output.dtype == np.float64
    numbers: Floats = np.asarray(output, np.float64 if wide else np.float32, order="C")
    return numbers


def _tensor_facts(value: Any, scalars: set[str]) -> list[Any]:
    """Return name, type and shape; the runtime gives [] both for a scalar and for an unknown shape."""
    shape = [size if isinstance(size, int) and size >= 0 else None for size in value.shape]
    return [value.name, value.type, shape if shape or value.name in scalars else None]


def _load_failure(sentence: str, facts: dict[str, Any]) -> ModelRefused:
    if _MEMORY.search(sentence):
        raise MemoryError
    if highest := re.search(r"max supported IR version: (\d+)", sentence):
        return ModelRefused(
            "model-unreadable",
            (
                f"The file has IR version {facts['ir_version']}; up to {highest[1]} is read. Set "
                "model.ir_version = 10 before onnx.save."
            ),
        )
    if highest := re.search(r"till opset (\d+)", sentence):
        return ModelRefused(
            "model-unreadable",
            (
                f"The model uses opset {max(facts['opsets'].values())}; up to {highest[1]} is run. "
                "Export with opset_version=17."
            ),
        )
    plain = _plain_ascii(_SOURCE.sub("", " ".join(sentence.split())))
    return ModelRefused("model-unreadable", f"The runtime refuses the model: {plain}.")


def _run_code(sentence: str, bad_value: bool) -> str:
    """Return the code of a failure; its words never leave the worker."""
    if _MEMORY.search(sentence):
        return "model-out-of-memory"
    return (
        "wrong-inputs"
        if "Non-zero status code" not in sentence and ("INVALID_ARGUMENT" in sentence or bad_value)
        else "stopped"
    )


def _plain_ascii(text: str, most: int = 300) -> str:
    return "".join(character for character in text if " " <= character <= "~")[:most].rstrip(". ")
