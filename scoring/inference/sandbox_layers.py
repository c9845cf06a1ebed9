"""Confinement report: the layers that untrusted models require, and the layers that a worker lacks (`sandbox`
applies them)."""

import hashlib
import os
from collections.abc import Iterable

from scoring.inference.worker_results import ModelFailed

LAYERS = {
    "rlimits": "limits of memory, time and files",
    "no-new-privileges": "no new privileges",
    "landlock": "Landlock (Linux 5.13 or newer)",
    "seccomp": "the filter of system calls (x86-64 and aarch64)",
}
"""Layers that a worker must achieve to run untrusted models. Namespaces are not among them, because
containers often forbid them."""
ACCEPTED = "BENCHSIDE_UNCONFINED_MODELS"
"""Environment variable. If the operator sets it to "accepted", missing layers are accepted."""

_required = False
_known: frozenset[str] = frozenset()


def require(known: Iterable[str] = ()) -> None:
    """From now on, refuse models in this process if their worker lacks a layer of confinement, unless the
    operator accepted this. `known` contains the SHA-256 of trusted models."""
    global _required, _known
    _required, _known = os.environ.get(ACCEPTED) != "accepted", frozenset(known)


def required() -> bool:
    """Return whether this process refuses models if a layer of confinement is missing."""
    return _required


def missing(achieved: Iterable[str]) -> tuple[str, ...]:
    """Return the layers of `LAYERS` that a worker lacks. Version numbers, as in "landlock-7", are ignored."""
    names = {layer.split("-")[0] if layer.startswith("landlock") else layer for layer in achieved}
    return tuple(layer for layer in LAYERS if layer not in names)


def needed(model: bytes) -> bool:
    """Return whether a model may run only with every layer of confinement."""
    return _required and hashlib.sha256(model).hexdigest() not in _known


def check(achieved: Iterable[str], every_layer: bool) -> None:
    """Raise ModelFailed (`not-confined`) if a model requires every layer of confinement and some are
    missing."""
    lacking = missing(achieved) if every_layer else ()
    if lacking:
        raise ModelFailed(
            "not-confined",
            "Other machines can reach this server, but the server cannot confine models fully: it lacks "
            f"{', '.join(LAYERS[layer] for layer in lacking)}. Send predictions instead of the model, or ask "
            "the operator of the server.",
        )
