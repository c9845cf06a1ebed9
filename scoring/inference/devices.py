"""Devices on which models run: the processor, or a GPU through CUDA.

A GPU needs device files, calls to its driver and more address space than a confined process has. For a model
on a GPU, only two layers remain: the limit of processor time and the ban on new privileges. It runs without
limits of memory and files, without Landlock and without a filter of system calls. A model runs on a GPU only
if the operator named the GPU or accepted unconfined models, and never if every layer of confinement is
required.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

DEVICES = ("auto", "cpu", "cuda")
CPU, CUDA = "cpu", "cuda"
PROVIDERS = {CPU: "CPUExecutionProvider", CUDA: "CUDAExecutionProvider"}
"""Device -> its name in ONNX Runtime."""
_LIBRARIES = ("libonnxruntime_providers_cuda.so", "onnxruntime_providers_cuda.dll")
_GPU = Path("/dev/nvidiactl")

_wanted = "auto"


@contextmanager
def running_on(device: str) -> Iterator[None]:
    """Context manager within which models of this process run on one of `DEVICES`. "auto" uses a GPU if there
    is one and unconfined models are accepted, otherwise the CPU. Raises ValueError for any other name."""
    global _wanted
    if device not in DEVICES:
        raise ValueError(f"unknown device {device!r}")
    before, _wanted = _wanted, device
    try:
        yield
    finally:
        _wanted = before


def wanted() -> str:
    """Return the device of the innermost `running_on` context; "auto" outside any context."""
    return _wanted


def missing() -> str:
    """Return what is missing for using CUDA on this machine; "" if nothing is."""
    spec = find_spec("onnxruntime")
    places = [Path(folder) / "capi" for folder in (spec.submodule_search_locations or ())] if spec else []
    if not any((folder / name).exists() for folder in places for name in _LIBRARIES):
        return "this ONNX Runtime has no CUDA: install onnxruntime-gpu"
    return "" if os.name == "nt" or _GPU.exists() else "this machine has no GPU of NVIDIA"


def chosen(device: str, every_layer: bool) -> str:
    """Return the device to use, `CPU` or `CUDA`.

    Args:
        device: One of `DEVICES`.
        every_layer: Whether the model requires every layer of confinement.

    Raises:
        ModelFailed: With `no-device`, if CUDA was named but cannot be used.
    """
    from scoring.inference import sandbox_layers
    from scoring.inference.worker_results import ModelFailed

    if device == CUDA:
        if lacking := missing():
            raise ModelFailed("no-device", f"The model cannot run on CUDA: {lacking}. Choose cpu or auto.")
        if every_layer:
            sentence = "this server requires full confinement, which CUDA does not allow"
            raise ModelFailed("no-device", f"The model cannot run on CUDA: {sentence}. Choose cpu or auto.")
        return CUDA
    accepted = os.environ.get(sandbox_layers.ACCEPTED) == "accepted"
    return CUDA if device == "auto" and accepted and not every_layer and not missing() else CPU
