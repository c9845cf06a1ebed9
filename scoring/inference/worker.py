"""Child process that opens untrusted models. It answers the requests of `image_worker`, and these:

    {"op": "load"} + model
        {"ok": true, "facts"}
    {"op": "run", "recipe", "shape", "pixels"} + image [+ vector]
        {"ok": true, "outputs", "seen", "shape", "cpu_ms"} + arrays

If loading failed, the reply also has a "message". The runtime's messages about running a model are not passed
on, because they can quote the data.
"""

import os
import re
import time
from typing import Any

import numpy as np
import onnxruntime

from scoring.common.arrays import Array, Floats
from scoring.inference import image_worker, worker_protocol
from scoring.inference.adapters import Adapter
from scoring.inference.devices import CPU, PROVIDERS
from scoring.inference.image_worker import Header, Reply
from scoring.inference.onnx_scan import ModelRefused, scan
from scoring.inference.preprocessing import Pixels, of_planes, pixels, planes, tensor
from scoring.inference.worker_results import Tensor

NUMBERS = "biuf"
NO_FOLDER = os.path.join(os.devnull, "none")
"""Folder in which the runtime looks for files beside a model; it is empty and nobody can write to it."""
MOST_OUTPUTS = worker_protocol.PARTS - 2
"""Maximum number of outputs that are sent for an image. Challenges use only the first outputs; all others are
sent as null."""
_MEMORY = re.compile(r"bad_?\s?alloc|failed to allocate|out of memory|AllocateRaw", re.IGNORECASE)
_SOURCE = re.compile(
    r"^(\[ONNXRuntimeError\] : \d+ : \w+ : )?(Exception during initialization: )?(/\S+:\d+ .*?\) (?=[A-Z]))?"
)


class RunFailed(Exception):
    """Raised if a run gives no outputs. Its text is only the code of the reason."""


def main(settings: dict[str, Any]) -> None:
    """Answer requests until the other side closes the connection; `settings` as in `image_worker.serve`, and
    output_bytes."""
    onnxruntime.set_default_logger_severity(4)
    onnxruntime.disable_telemetry_events()
    session = None

    def answered(header: Header, parts: list[bytearray]) -> Reply:
        nonlocal session
        try:
            if header["op"] == "load":
                session, reply = load(bytes(parts.pop()), settings["device"])
                return reply, []
            if header["op"] == "run":
                return run(session, header, parts, settings["output_bytes"])
        except ModelRefused as refused:
            return {"ok": False, "code": refused.code, "message": refused.message}, []
        except RunFailed as failed:
            return {"ok": False, "code": str(failed)}, []
        return image_worker.answer(header, parts)

    image_worker.serve(settings, answered)


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


def _picture(header: Header, part: bytearray) -> tuple[Pixels, list[Any] | None]:
    if header["shape"] is not None:
        return of_planes(part, header["shape"]), None
    picture, seen = pixels(bytes(part), image_worker.recipe(header))
    return planes(picture).transpose(1, 2, 0), image_worker.as_list(seen)


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
