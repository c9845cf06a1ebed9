"""Confined child process with a time limit for every request, and communication with it.

A child is started with the interpreter itself, not with multiprocessing, which would run the page's script
again in the child, or fork a process with threads.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

from scoring.inference import worker_protocol
from scoring.inference.preprocessing import ImageUnreadable
from scoring.inference.worker_protocol import Part
from scoring.inference.worker_results import ModelFailed

_ROOT = Path(__file__).parents[1]
_POLL_SECONDS = 0.05
_ALARM_MARGIN_SECONDS = 5
_BOOTSTRAP = """
import json, sys, types
settings = json.loads(sys.argv[1])
sys.path += [entry for entry in settings["path"] if entry not in sys.path]
package = types.ModuleType("scoring")
package.__path__ = [settings["root"]]
sys.modules["scoring"] = package
from scoring.inference.{module} import main
main(settings)
"""
# The package's own __init__ is passed over: it imports the challenges, which the worker neither needs nor
# should hold in its address space.
WORKER = (sys.executable, "-I", "-c", _BOOTSTRAP.replace("{module}", "worker"))
DECODER = (sys.executable, "-I", "-c", _BOOTSTRAP.replace("{module}", "image_worker"))
READER = (sys.executable, "-I", "-c", _BOOTSTRAP.replace("{module}", "reader_worker"))
"""Commands that start a child process: for models, for images, and for readers of visitors' files."""


PLAIN_MODEL_BYTES, COPIES = 160 << 20, 5
"""Up to the first number of bytes, a model needs no extra address space. Above it, the second number is that
of extra bytes per byte."""
CPU_SECONDS, NICENESS = 86_400, 10
"""Processor time that a worker may use in total, in seconds, and the increase of its niceness."""


@dataclass(frozen=True)
class Limits:
    """Limits of a worker, in bytes and seconds.

    Attributes:
        decoders: Further modules that the worker imports before confinement.
        every_layer: Whether a model is refused if a layer of confinement is missing. It is also refused then
            if `sandbox_layers.needed` says so.
        device: One of `devices.DEVICES`; None: the result of `devices.wanted`.
    """

    model_bytes: int = 512 << 20
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 20
    picture_bytes: int = 1 << 30
    start_seconds: float = 60
    load_seconds: float = 20
    run_seconds: float = 20
    decoders: tuple[str, ...] = ()
    every_layer: bool = False
    device: str | None = None

    def for_model(self, size: int) -> "Limits":
        """Return the limits for a model of a size. A large model is in memory several times while it is
        loaded."""
        beyond = max(0, size - PLAIN_MODEL_BYTES)
        return replace(self, memory_bytes=self.memory_bytes + COPIES * beyond)


LOADING, RUNNING = "model-timeout", "inference-timeout"
"""Codes of failures: loading a model took too long; running it took too long."""
_LOAD_CODES = ("model-unreadable", "external-data", "no-device")
_RUN_CODES = ("wrong-inputs", "wrong-output", "model-out-of-memory", "stopped")
# Messages about a failed run come from this list and never from the worker, which by then has seen the data.
_MESSAGES = {
    "wrong-inputs": (
        "The model does not accept these inputs: it expects a different number, type or shape of inputs."
    ),
    "wrong-output": "The model's output for one image is too large ({output_bytes:,} bytes are allowed).",
    "stopped": "The model crashed on an image.",
    "model-timeout": (
        "Loading the model took longer than {load_seconds:g} s and was stopped. Simplify the network "
        "before the export."
    ),
    "inference-timeout": (
        "The model took longer than {run_seconds:g} s for one image and was stopped. Make the model faster."
    ),
    "model-out-of-memory": (
        "The model asked for more memory than it is allowed ({memory_gib:.3g} GiB of address space) or than "
        "there is, and was stopped. Make the model smaller."
    ),
    "model-crashed": "The process that ran the model ended unexpectedly. Nothing was scored.",
    "closed": "The model was closed.",
}


def crashed() -> ModelFailed:
    """Return the failure of a worker that sent an invalid reply."""
    return ModelFailed("model-crashed", _MESSAGES["model-crashed"])


def too_large(size: int, most: int) -> str:
    """Return why a model of this size is refused. `size` is 0 if the file does not state it."""
    beginning = f"The file has {size / (1 << 20):,.0f} MiB" if size > most else "The file is too large"
    return f"{beginning}; models of up to {most >> 20:,} MiB are read."


@dataclass
class _Clock:
    """Shared by the requesting and the watching thread: until when the child may work, and why it was
    ended, if it was."""

    deadline: float | None = None
    reason: str | None = None


class WorkerProcess:
    """A confined child process, started immediately."""

    def __init__(self, limits: Limits, command: Sequence[str], stop: threading.Event | None = None):
        self._limits = limits
        try:
            self._child = subprocess.Popen(
                [*command, json.dumps(_settings(limits))],
                cwd=os.sep,
                env=_environment(),
                bufsize=0,
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as fault:
            raise ModelFailed(
                "model-crashed", "This machine could not start a process for the model. Try again later."
            ) from fault
        _widen(self._child.stdin, self._child.stdout)
        # bufsize=0 makes the pipes raw files
        self._requests = cast(worker_protocol.Writer, self._child.stdin)
        self._replies = cast(worker_protocol.Reader, self._child.stdout)
        self._clock = _Clock()
        self._ended = threading.Event()
        self._finish = weakref.finalize(self, _end, self._child, self._ended)
        threading.Thread(
            target=_watch, args=(self._child, self._clock, self._ended, stop), daemon=True
        ).start()
        header, _ = self._exchange(None, (), limits.start_seconds, "model-crashed", most_bytes=0)
        self.confinement = tuple(str(layer) for layer in header.get("confinement", ()))

    @property
    def ended(self) -> bool:
        """Whether the child process has ended."""
        return self._ended.is_set()

    def request(
        self, header: dict[str, Any], parts: Sequence[Part], seconds: float, late: str, most_bytes: int
    ) -> tuple[dict[str, Any], list[bytearray]]:
        """Send a request and return the reply.

        Args:
            parts: Bytes of the request.
            late: Code of the failure if the time limit is exceeded: `LOADING` or `RUNNING`.
            most_bytes: Maximum bytes that the server accepts from the worker.

        Raises:
            ModelFailed: If the child failed, was late, or ended.
            ImageUnreadable: If the image of the request cannot be decoded.
        """
        reply, payload = self._exchange(header, parts, seconds, late, most_bytes)
        if reply.get("ok") is True:
            return reply, payload
        code, sentence = str(reply.get("code")), _plain(str(reply.get("message")))
        if code == "image-unreadable" and late == RUNNING:
            raise ImageUnreadable(sentence)
        if code in _LOAD_CODES and late == LOADING:
            raise ModelFailed(code, sentence)
        raise self._failed(code if code in _RUN_CODES else "model-crashed")

    def close(self) -> None:
        """End the child at once."""
        self._finish()

    def _exchange(
        self, header: dict[str, Any] | None, parts: Sequence[Part], seconds: float, late: str, most_bytes: int
    ) -> tuple[dict[str, Any], list[bytearray]]:
        self._clock.deadline = time.monotonic() + seconds
        try:
            if header is not None:
                worker_protocol.write_frame(self._requests, header, parts)
            return worker_protocol.read_frame(self._replies, most_bytes)
        except (worker_protocol.BrokenFrame, OSError, ValueError) as fault:
            code = self._why(late)
            self.close()
            raise self._failed(code, ended=code not in ("closed", late)) from fault
        except BaseException:
            self.close()  # half a frame may be under way: nobody must read the other half as a reply
            raise
        finally:
            self._clock.deadline = None

    def _failed(self, code: str, ended: bool = False) -> ModelFailed:
        message = _MESSAGES[code].format_map(
            vars(self._limits) | {"memory_gib": self._limits.memory_bytes / (1 << 30)}
        )
        return ModelFailed("model-crashed" if code in ("closed", "stopped") else code, message, ended=ended)

    def _why(self, late: str) -> str:
        """Return the code of an end that was not announced."""
        if self._ended.is_set() or self._clock.reason == "closed":
            return "closed"
        if self._clock.reason == "late":
            return late
        try:
            status = self._child.wait(1)
        except subprocess.TimeoutExpired:
            return "model-crashed"
        codes = {"SIGXCPU": late, "SIGALRM": late, "SIGKILL": "model-out-of-memory"}
        return codes.get(signal.Signals(-status).name, "model-crashed") if status < 0 else "model-crashed"


def _settings(limits: Limits) -> dict[str, Any]:
    """Return the settings of a worker's `main`, and where the child finds the code."""
    return {
        "path": [entry for entry in sys.path if os.path.isabs(entry)],
        "root": str(_ROOT),
        "memory_bytes": limits.memory_bytes,
        "cpu_seconds": CPU_SECONDS,
        "device": limits.device or "cpu",
        "niceness": NICENESS,
        "decoders": limits.decoders,
        "output_bytes": limits.output_bytes,
        "frame_bytes": max(limits.model_bytes, limits.picture_bytes) + (1 << 20),
        "alarm_seconds": max(limits.load_seconds, limits.run_seconds) + _ALARM_MARGIN_SECONDS,
    }


def _watch(
    child: subprocess.Popen[bytes], clock: _Clock, ended: threading.Event, stop: threading.Event | None
) -> None:
    """Kill the child when its time is over. A thread, because neither a blocked pipe nor a running kernel
    listens to anything else."""
    while not ended.wait(_POLL_SECONDS):
        deadline = clock.deadline
        late = deadline is not None and time.monotonic() > deadline
        if late or (stop is not None and stop.is_set()):
            clock.reason = "late" if late else "closed"
            _kill(child)
            return


def _end(child: subprocess.Popen[bytes], ended: threading.Event) -> None:
    ended.set()
    _kill(child)
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            stream.close()


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the whole process group, where there are groups; the child leads its own."""
    if child.poll() is not None:
        return
    try:
        os.killpg(child.pid, signal.SIGKILL) if hasattr(os, "killpg") else child.kill()
    except (ProcessLookupError, PermissionError):
        child.kill()


def _environment() -> dict[str, str]:
    """Return environment variables built from nothing: no secret, proxy or library path of the server reaches
    the child."""
    chosen = {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # large pages: images cost 3 % less
        "ORT_DISABLE_TELEMETRY": "1",
    }
    return chosen | {
        name: os.environ[name]
        for name in ("SYSTEMROOT", "TMPDIR", "PYTHONDONTWRITEBYTECODE")
        if name in os.environ
    }


def _widen(*streams: IO[bytes] | None) -> None:
    """Widen pipes to 1 MiB where the system can: an image then crosses in one go."""
    try:
        import fcntl

        for stream in filter(None, streams):
            fcntl.fcntl(stream.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)
    except (ImportError, AttributeError, OSError):
        return


def _plain(sentence: str, most: int = 600) -> str:
    return "".join(character if " " <= character <= "~" else "?" for character in sentence)[:most]
