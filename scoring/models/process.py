"""The server's side of the worker: one confined child process per model, with a clock on everything that it
is asked.

A child is started afresh with the interpreter itself, not with multiprocessing: that would run the page's
script again in the child, or fork a process that has threads.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from scoring.models import frames
from scoring.models.image_upload import KINDS, SMALL_LONGEST, SMALL_SIDE
from scoring.models.preprocessing import MOST_PIXELS, ImageUnreadable, Recipe, Seen

Kept = TypeVar("Kept")
_ROOT = Path(__file__).parents[1]
_POLL_SECONDS = 0.05
_ALARM_MARGIN_SECONDS = 5
_NUMBER_TYPES = ("<f4", "<f8")
_BOOTSTRAP = """
import json, sys, types
settings = json.loads(sys.argv[1])
sys.path += [entry for entry in settings["path"] if entry not in sys.path]
package = types.ModuleType("scoring")
package.__path__ = [settings["root"]]
sys.modules["scoring"] = package
from scoring.models.worker import main
main(settings)
"""
# The package's own __init__ is passed over: it imports the challenges, which the worker neither needs nor
# should hold in its address space.
WORKER = (sys.executable, "-I", "-c", _BOOTSTRAP)


@dataclass(frozen=True)
class Limits:
    """What one model may take. Bytes and seconds; run_seconds is the wall time of one image, cpu_seconds that
    of the whole process."""

    model_bytes: int = 512 << 20
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 20
    picture_bytes: int = 1 << 30
    start_seconds: float = 60
    load_seconds: float = 20
    run_seconds: float = 20
    cpu_seconds: int = 86_400
    niceness: int = 10


class ModelFailed(Exception):
    """The model cannot be used. `code` as in the contract, `message` for people and without a word of data.

    `picture` is the index of the picture on which it failed, None where that has no meaning. `ended`: the
    process was gone, without an answer and without being stopped for its time; a second try may be worth it.
    """

    def __init__(self, code: str, message: str, picture: int | None = None, ended: bool = False):
        super().__init__(code, message, picture, ended)
        self.code, self.message, self.picture, self.ended = code, message, picture, ended

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True)
class Tensor:
    """An input or output as the model declares it.

    dtype: as the runtime writes it, e.g. "tensor(float)". shape: None per free axis, None altogether if it is
    unknown.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True)
class ModelFacts:
    """What is known of a model that was loaded.

    opset is that of the default domain; confinement the layers that the worker achieved; metadata the file's
    own entries, in its author's words.
    """

    ir_version: int
    opset: int
    opsets: dict[str, int]
    nodes: int
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    size_bytes: int
    sha256: str
    confinement: tuple[str, ...]
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Picture:
    """Prepared pixels, read-only uint8 (height, width, 3), and what the file was."""

    pixels: np.ndarray
    seen: Seen


@dataclass(frozen=True)
class Upright:
    """A photograph turned upright: pixels and a small copy (`intake.small`), read-only uint8 (height, width,
    3); what the file was; which of `intake.KINDS` it held besides."""

    pixels: np.ndarray
    small: np.ndarray
    seen: Seen
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What a model said to one picture.

    outputs: every output in the model's order, read-only float32 or float64; None for one that is no tensor
    of numbers. pixels: those the model received, read-only, if asked for. cpu_ms: processor time for
    decoding, preparing and running. seen: None where pixels were given.
    """

    outputs: tuple[np.ndarray | None, ...]
    pixels: np.ndarray | None
    cpu_ms: float
    seen: Seen | None


class ModelProcess:
    """A model, loaded in a child process of its own. Use it as a context manager; without, it ends with
    `close` or when nobody holds it.

    One thread at a time may call `run`; any thread may call `close`, which makes a call under way raise
    ModelFailed.
    """

    def __init__(
        self,
        model: bytes,
        limits: Limits = Limits(),
        command: Sequence[str] = WORKER,
        stop: threading.Event | None = None,
    ):
        """Start the child and load `model`; `stop` ends the child when it is set, also while it loads.

        Raises ModelFailed; TypeError for anything but bytes, because a text would be taken for a path.
        """
        if not isinstance(model, (bytes, bytearray, memoryview)):
            raise TypeError("a model is bytes")
        if len(model) > limits.model_bytes:
            raise ModelFailed(
                "model-unreadable",
                (
                    f"The file has {len(model) / (1 << 20):,.0f} MiB; models of up to "
                    f"{limits.model_bytes >> 20:,} MiB are read."
                ),
            )
        self._limits = limits
        self._worker = _Worker(limits, command, stop)
        try:
            header, _ = self._worker.ask({"op": "load"}, [model], limits.load_seconds, _LOADING, most_bytes=0)
            self.facts = _facts(header, model, self._worker.confinement)
        except BaseException:
            self._worker.close()
            raise

    def run(
        self,
        picture: bytes | np.ndarray,
        recipe: Recipe,
        vector: np.ndarray | None = None,
        want_pixels: bool = False,
    ) -> Answer:
        """The model's answer to one picture: the bytes of an image file, prepared in the child by `recipe`,
        or prepared uint8 pixels.

        Inputs go by position: first the picture as float32 (1, 3, H, W), second `vector` as float32 (1, k); a
        model with one input is not given the second. Raises ImageUnreadable, ModelFailed.
        """
        shape = list(_checked(picture).shape) if isinstance(picture, np.ndarray) else None
        parts = [np.ascontiguousarray(picture) if shape else picture]
        if vector is not None:
            parts.append(np.ascontiguousarray(vector, np.float32).reshape(-1))
        request = {"op": "run", "recipe": recipe.steps, "shape": shape, "pixels": want_pixels}
        most_bytes = self._limits.output_bytes + (_largest(recipe) if want_pixels else 0)
        header, payload = self._worker.ask(request, parts, self._limits.run_seconds, _RUNNING, most_bytes)
        return _answer(header, payload)

    @property
    def ended(self) -> bool:
        """Whether the child is gone: closed, or stopped for its time or memory. It can be asked nothing
        more."""
        return self._worker.ended

    def close(self) -> None:
        """End the child at once, whatever it is doing."""
        self._worker.close()

    def __enter__(self) -> "ModelProcess":
        return self

    def __exit__(self, *_) -> None:
        self.close()


class ImageProcess:
    """The same child without a model: for pages that show an uploaded image, which must not be decoded in the
    server either.

    A child that one picture brought down, by its time for example, is replaced for the next.
    """

    def __init__(self, limits: Limits = Limits(), command: Sequence[str] = WORKER):
        self._limits, self._command = limits, command
        self._worker = _Worker(limits, command)

    def pixels(self, data: bytes, recipe: Recipe) -> Picture:
        """The image prepared by `recipe`; Recipe(()) leaves its size. Raises ImageUnreadable, also for one
        that takes too long."""
        return self._asked({"op": "decode", "recipe": recipe.steps}, data, _largest(recipe), _picture)

    def upright(self, data: bytes) -> Upright:
        """The image turned upright, and what its file held besides pixels. Raises ImageUnreadable, see
        `intake.upright`."""
        most_bytes = _largest(Recipe(())) + 3 * SMALL_SIDE * SMALL_LONGEST
        return self._asked({"op": "upright"}, data, most_bytes, _upright)

    def _asked(
        self, request: dict, data: bytes, most_bytes: int, taken: Callable[[dict, list[bytearray]], Kept]
    ) -> Kept:
        try:
            if self._worker.ended:
                self._worker = _Worker(self._limits, self._command)
            header, payload = self._worker.ask(
                request, [data], self._limits.run_seconds, _RUNNING, most_bytes
            )
            return taken(header, payload)
        except ModelFailed as failed:
            raise ImageUnreadable(_DECODING.get(failed.code, _DECODING["model-crashed"])) from failed
        except (KeyError, IndexError, ValueError, TypeError) as fault:
            raise ImageUnreadable(_DECODING["model-crashed"]) from fault

    def close(self) -> None:
        """End the child at once."""
        self._worker.close()

    def __enter__(self) -> "ImageProcess":
        return self

    def __exit__(self, *_) -> None:
        self.close()


_LOADING, _RUNNING = "model-timeout", "inference-timeout"
_LOAD_CODES = ("model-unreadable", "external-data")
_RUN_CODES = ("wrong-inputs", "wrong-output", "model-out-of-memory", "stopped")
# What a run says about a failure comes from this list and never from the worker, which by then has seen the
# data.
_MESSAGES = {
    "wrong-inputs": "The model does not take the inputs that it is given: their number, type or shape is another.",
    "wrong-output": "The model gives more than it should for one image ({output_bytes:,} bytes are taken).",
    "stopped": "The model loads, but stops with an error while it runs on an image.",
    "model-timeout": (
        "Loading the model took longer than {load_seconds:g} s and was stopped. Simplify the network "
        "before the export."
    ),
    "inference-timeout": "The model took longer than {run_seconds:g} s for one image and was stopped. Make it faster.",
    "model-out-of-memory": "The model asked for more memory than it is allowed ({memory_gib:.3g} GiB of address space) or "
    "than there is, "
    "and was stopped. Make it smaller.",
    "model-crashed": "The process that held the model ended unexpectedly. Nothing was scored.",
    "closed": "The model was closed.",
}
_DECODING = {
    "inference-timeout": "Decoding the image takes too long: save it again as a plain JPEG or PNG.",
    "model-crashed": "Decoding the image ended the process that did it: export it again.",
    "model-out-of-memory": "Decoding the image needs more memory than is allowed: save a smaller copy.",
}


@dataclass
class _Clock:
    """What the watching thread and the asking thread share about one child: until when it may work, and why
    it was ended, if it was."""

    deadline: float | None = None
    reason: str | None = None


class _Worker:
    """A confined child process and the channel to it."""

    def __init__(self, limits: Limits, command: Sequence[str], stop: threading.Event | None = None):
        self._limits = limits
        self._folder = tempfile.TemporaryDirectory(prefix="benchside-", ignore_cleanup_errors=True)
        settings = {
            "path": [entry for entry in sys.path if os.path.isabs(entry)],
            "root": str(_ROOT),
            "memory_bytes": limits.memory_bytes,
            "cpu_seconds": limits.cpu_seconds,
            "niceness": limits.niceness,
            "output_bytes": limits.output_bytes,
            "frame_bytes": max(limits.model_bytes, limits.picture_bytes) + (1 << 20),
            "alarm_seconds": max(limits.load_seconds, limits.run_seconds) + _ALARM_MARGIN_SECONDS,
        }
        try:
            self._child = subprocess.Popen(
                [*command, json.dumps(settings)],
                cwd=self._folder.name,
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
        self._clock = _Clock()
        self._ended = threading.Event()
        self._finish = weakref.finalize(self, _end, self._child, self._ended, self._folder)
        threading.Thread(
            target=_watch, args=(self._child, self._clock, self._ended, stop), daemon=True
        ).start()
        header, _ = self._exchange(None, (), limits.start_seconds, "model-crashed", most_bytes=0)
        self.confinement = tuple(str(layer) for layer in header.get("confinement", ()))

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def ask(
        self, request: dict, parts: Sequence, seconds: float, late: str, most_bytes: int
    ) -> tuple[dict, list[bytearray]]:
        """The answer to a request. Raises ModelFailed with the code `late` after `seconds`, or with what the
        worker or its end says.

        most_bytes bounds what the server takes into its own memory, whatever the worker sends.
        """
        header, payload = self._exchange(request, parts, seconds, late, most_bytes)
        if header.get("ok") is True:
            return header, payload
        code, words = str(header.get("code")), _plain(str(header.get("message")))
        if code == "image-unreadable" and late == _RUNNING:
            raise ImageUnreadable(words)
        if code in _LOAD_CODES and late == _LOADING:
            raise ModelFailed(code, words)
        raise self._failed(code if code in _RUN_CODES else "model-crashed")

    def _exchange(
        self, request: dict | None, parts: Sequence, seconds: float, late: str, most_bytes: int
    ) -> tuple[dict, list[bytearray]]:
        self._clock.deadline = time.monotonic() + seconds
        try:
            if request is not None:
                frames.write(self._child.stdin, request, parts)
            return frames.read(self._child.stdout, most_bytes)
        except (frames.BrokenFrame, OSError, ValueError) as fault:
            code = self._why(late)
            self.close()
            raise self._failed(code, ended=code not in ("closed", late)) from fault
        except BaseException:
            self.close()  # half a frame may be under way: nobody must read the other half as an answer
            raise
        finally:
            self._clock.deadline = None

    def _failed(self, code: str, ended: bool = False) -> ModelFailed:
        message = _MESSAGES[code].format_map(
            vars(self._limits) | {"memory_gib": self._limits.memory_bytes / (1 << 30)}
        )
        return ModelFailed("model-crashed" if code in ("closed", "stopped") else code, message, ended=ended)

    def _why(self, late: str) -> str:
        """The code of an end that was not announced."""
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

    def close(self) -> None:
        self._finish()


def _watch(
    child: subprocess.Popen, clock: _Clock, ended: threading.Event, stop: threading.Event | None
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


def _end(child: subprocess.Popen, ended: threading.Event, folder: tempfile.TemporaryDirectory) -> None:
    ended.set()
    _kill(child)
    child.wait()
    for stream in (child.stdin, child.stdout):
        stream.close()
    folder.cleanup()


def _kill(child: subprocess.Popen) -> None:
    """The whole process group, where there are groups; the child leads its own."""
    if child.poll() is not None:
        return
    try:
        os.killpg(child.pid, signal.SIGKILL) if hasattr(os, "killpg") else child.kill()
    except (ProcessLookupError, PermissionError):
        child.kill()


def _environment() -> dict[str, str]:
    """Built from nothing: no secret, proxy or library path of the server reaches the child."""
    chosen = {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    return chosen | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


def _widen(*streams) -> None:
    """Pipes of 1 MiB where the system has them: a picture then crosses in one go."""
    try:
        import fcntl

        for stream in streams:
            fcntl.fcntl(stream.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)
    except (ImportError, AttributeError, OSError):
        return


def _plain(words: str, most: int = 600) -> str:
    return "".join(character if " " <= character <= "~" else "?" for character in words)[:most]


def _facts(header: dict, model: bytes, confinement: tuple[str, ...]) -> ModelFacts:
    try:
        facts = header["facts"]
        opsets = {str(name): int(version) for name, version in facts["opsets"].items()}
        return ModelFacts(
            int(facts["ir_version"]),
            int(facts["opset"]),
            opsets,
            int(facts["nodes"]),
            _tensors(facts["inputs"]),
            _tensors(facts["outputs"]),
            len(model),
            hashlib.sha256(model).hexdigest(),
            confinement,
            {str(name): str(text) for name, text in facts["metadata"].items()},
        )
    except (KeyError, ValueError, TypeError, AttributeError) as fault:
        raise ModelFailed("model-crashed", _MESSAGES["model-crashed"]) from fault


def _largest(recipe: Recipe) -> int:
    """Bytes of the pixels that a recipe can give."""
    width, height = recipe.steps[-1][:2] if recipe.steps else (MOST_PIXELS, 1)
    return width * height * 3


def _tensors(entries: list) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(
            str(name),
            str(dtype),
            None if shape is None else tuple(None if size is None else int(size) for size in shape),
        )
        for name, dtype, shape in entries
    )


def _answer(header: dict, payload: list[bytearray]) -> Answer:
    """Taken apart with care: the child may be in the hands of the model."""
    try:
        outputs = tuple(None if entry is None else _array(*entry, payload) for entry in header["outputs"])
        picture = None if header["shape"] is None else _pixels(header, payload.pop(0))
        return Answer(
            outputs,
            picture,
            float(header["cpu_ms"]),
            None if header["seen"] is None else _seen(header["seen"]),
        )
    except (KeyError, IndexError, ValueError, TypeError) as fault:
        raise ModelFailed("model-crashed", _MESSAGES["model-crashed"]) from fault


def _array(dtype: str, shape: Sequence[int], payload: list[bytearray]) -> np.ndarray:
    if dtype not in _NUMBER_TYPES:
        raise ValueError("no number type")
    array = np.frombuffer(payload.pop(0) if 0 not in shape else b"", dtype).reshape(shape)
    array.flags.writeable = False
    return array


def _pixels(header: dict, part: bytearray) -> np.ndarray:
    picture = _checked(np.frombuffer(part, np.uint8).reshape(header["shape"]))
    picture.flags.writeable = False
    return picture


def _picture(header: dict, payload: list[bytearray]) -> Picture:
    return Picture(_pixels(header, payload.pop()), _seen(header["seen"]))


def _upright(header: dict, payload: list[bytearray]) -> Upright:
    found, small = _picture(header, payload), _pixels({"shape": header["small"]}, payload.pop())
    said = header["dropped"]
    return Upright(
        found.pixels,
        small,
        found.seen,
        tuple(kind for kind in KINDS if isinstance(said, list) and kind in said),
    )


def _checked(picture: np.ndarray) -> np.ndarray:
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
        raise ValueError("pixels are uint8 (height, width, 3)")
    return picture


def _seen(entry: list) -> Seen:
    width, height, mode, kind, alpha, orientation = entry
    return Seen(int(width), int(height), str(mode)[:20], str(kind)[:20], bool(alpha), int(orientation))
