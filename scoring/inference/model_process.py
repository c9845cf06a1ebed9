"""Models and image decoders in confined child processes."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from scoring.common.arrays import Floats
from scoring.inference import devices, sandbox_layers, worker_protocol
from scoring.inference.image_sanitizer import SMALL_LONGEST, SMALL_SIDE
from scoring.inference.preprocessing import (
    MOST_PIXELS,
    OVERVIEW_PIXELS,
    TOO_MUCH_MEMORY,
    ImageUnreadable,
    Pixels,
    Recipe,
    planes,
)
from scoring.inference.timed_worker import (
    DECODER,
    LOADING,
    RUNNING,
    WORKER,
    Limits,
    WorkerProcess,
    crashed,
    too_large,
)
from scoring.inference.worker_results import (
    ModelFacts,
    ModelFailed,
    ModelOutput,
    PreparedImage,
    SlideView,
    Upright,
)

Result = TypeVar("Result")
IMAGE_BYTES = 1100 << 20
"""Address space of a process that only decodes images: about 200 MB of it are the program's, of which at most
60 MB are in memory. So the process takes less than 1 GB of memory, whatever the image."""
_DECODING = {
    "inference-timeout": "Decoding the image takes too long: save it again as a plain JPEG or PNG.",
    "model-crashed": "The image crashed the process that decodes it: export the image again.",
    "model-out-of-memory": TOO_MUCH_MEMORY,
}


class RunnableModel(Protocol):
    """A model that can run, as described in `ModelProcess.run`."""

    def run(
        self,
        picture: bytes | Pixels,
        recipe: Recipe,
        vector: Floats | None = None,
        want_pixels: bool = False,
    ) -> ModelOutput: ...


class LoadedModel(RunnableModel, Protocol):
    """A model loaded in a process, as described in `ModelProcess`."""

    @property
    def facts(self) -> ModelFacts: ...

    @property
    def ended(self) -> bool: ...

    def close(self) -> None: ...


class ModelProcess:
    """A model loaded in its own child process.

    The process ends with the context, if the object is used as a context manager; otherwise with `close`, or
    when the object is no longer referenced. Only one thread at a time may call `run`. Any thread may call
    `close`; a `run` that is in progress then raises ModelFailed.
    """

    def __init__(
        self,
        model: bytes,
        limits: Limits = Limits(),
        command: Sequence[str] = WORKER,
        stop: threading.Event | None = None,
    ):
        """Start the child and load `model`. If the event `stop` is set, the child ends, even while it loads.
        Raises ModelFailed if the model cannot be loaded, and TypeError unless `model` is bytes, because a
        text could be read as a path."""
        if not isinstance(model, (bytes, bytearray, memoryview)):
            raise TypeError("a model is bytes")
        if len(model) > limits.model_bytes:
            raise ModelFailed("model-unreadable", too_large(len(model), limits.model_bytes))
        every_layer = limits.every_layer or sandbox_layers.needed(model)
        device = devices.chosen(limits.device or devices.wanted(), every_layer)
        self._limits = limits = replace(limits.for_model(len(model)), device=device)
        self._worker = WorkerProcess(limits, command, stop)
        try:
            sandbox_layers.check(self._worker.confinement, every_layer)
            header, _ = self._worker.request({"op": "load"}, [model], limits.load_seconds, LOADING, 0)
            self.facts = _read(lambda: worker_protocol.model_facts(header, model, self._worker.confinement))
        except BaseException:
            self._worker.close()
            raise

    def run(
        self,
        picture: bytes | Pixels,
        recipe: Recipe,
        vector: Floats | None = None,
        want_pixels: bool = False,
    ) -> ModelOutput:
        """Run the model on one image.

        Inputs are passed by position: first the image as float32 (1, 3, H, W), second `vector` as float32 (1,
        k). A model with only one input does not receive `vector`.

        Args:
            picture: Bytes of an image file, which the child prepares with `recipe`; or prepared pixels.
            vector: Second input [k].
            want_pixels: Whether the result contains the prepared pixels.

        Raises:
            ImageUnreadable: If the image cannot be decoded.
            ModelFailed: If the model failed.
        """
        shape = list(worker_protocol.checked(picture).shape) if isinstance(picture, np.ndarray) else None
        parts = [planes(picture).data if isinstance(picture, np.ndarray) else picture]
        if vector is not None:
            parts.append(np.ascontiguousarray(vector, np.float32).reshape(-1).data)
        request = {"op": "run", "recipe": recipe.steps, "shape": shape, "pixels": want_pixels}
        most_bytes = self._limits.output_bytes + (_largest(recipe) if want_pixels else 0)
        header, payload = self._worker.request(request, parts, self._limits.run_seconds, RUNNING, most_bytes)
        return _read(lambda: worker_protocol.model_output(header, payload))

    def pixels(self, data: bytes, recipe: Recipe) -> PreparedImage:
        """Return an image prepared by `recipe` without running the model; `Recipe(())` keeps the size.

        Raises:
            ImageUnreadable: If the image cannot be decoded.
            ModelFailed: If the child ended.
        """
        request = {"op": "decode", "recipe": recipe.steps}
        header, payload = self._worker.request(
            request, [data], self._limits.run_seconds, RUNNING, _largest(recipe)
        )
        return _read(lambda: worker_protocol.picture(header, payload))

    @property
    def ended(self) -> bool:
        """Whether the child process has ended: closed, or stopped by its time or memory limit. A process that
        has ended cannot be used again."""
        return self._worker.ended

    def close(self) -> None:
        """End the child at once, even during a run."""
        self._worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@cache
def achieved_layers() -> tuple[str, ...]:
    """Return the layers of confinement that a worker achieves on this machine; the result is cached. Raises
    ModelFailed if no worker starts."""
    worker = WorkerProcess(Limits(), WORKER)
    try:
        return worker.confinement
    finally:
        worker.close()


class ImageProcess:
    """A child process without a model that decodes uploaded images for pages, because the server must not
    decode them itself.

    If an image stops the child, for example by its time limit, a new child takes the next image. An image for
    which a used child has too little memory is decoded by a new one, so that earlier images decide nothing.
    """

    def __init__(self, limits: Limits = Limits(), command: Sequence[str] = DECODER):
        memory_bytes = min(limits.memory_bytes, IMAGE_BYTES)
        self._limits, self._command = replace(limits, memory_bytes=memory_bytes), command
        self._worker, self._is_used = WorkerProcess(self._limits, command), False

    def pixels(self, data: bytes, recipe: Recipe) -> PreparedImage:
        """Return the image prepared by `recipe`; `Recipe(())` keeps the size. Raises ImageUnreadable, even if
        decoding only takes too long."""
        request = {"op": "decode", "recipe": recipe.steps}
        return self._decoded(request, data, _largest(recipe), worker_protocol.picture)

    def upright(self, data: bytes, most_pixels: int = MOST_PIXELS) -> Upright:
        """Return an image upright, and which metadata its file contains. The image is reduced if it has more
        than `most_pixels` pixels. Raises ImageUnreadable, see `image_sanitizer.upright`."""
        most_bytes = 3 * (most_pixels + SMALL_SIDE * SMALL_LONGEST)
        request = {"op": "upright", "most_pixels": most_pixels}
        return self._decoded(request, data, most_bytes, worker_protocol.upright)

    def slide(
        self, data: bytes, side: int, least_pixels: int, part: tuple[int, int, int, int] | None = None
    ) -> SlideView | None:
        """Return a part of a slide; None if the file is no slide.

        Args:
            side: Width and height in px of the most stained part, which is returned if `part` is not given.
            least_pixels: A picture in only one resolution is a slide if it has more pixels than this.
            part: Left, top, width and height of the part, px. Without it, the result also has an overview.

        Raises:
            ImageUnreadable: See `slide.opened`.
        """
        width, height = (side, side) if part is None else part[2:]
        most_bytes = 3 * (width * height + OVERVIEW_PIXELS)
        request = {"op": "slide", "side": side, "least_pixels": least_pixels, "part": part}
        return self._decoded(request, data, most_bytes, worker_protocol.slide)

    def _decoded(
        self,
        request: dict[str, Any],
        data: bytes,
        most_bytes: int,
        read: Callable[[dict[str, Any], list[bytearray]], Result],
    ) -> Result:
        was_used, self._is_used = self._is_used and not self._worker.ended, True
        try:
            return self._decoded_once(request, data, most_bytes, read)
        except ImageUnreadable as unreadable:
            if not was_used or str(unreadable) != TOO_MUCH_MEMORY:
                raise
        self._worker.close()
        return self._decoded_once(request, data, most_bytes, read)

    def _decoded_once(
        self,
        request: dict[str, Any],
        data: bytes,
        most_bytes: int,
        read: Callable[[dict[str, Any], list[bytearray]], Result],
    ) -> Result:
        try:
            if self._worker.ended:
                self._worker = WorkerProcess(self._limits, self._command)
            header, payload = self._worker.request(
                request, [data], self._limits.run_seconds, RUNNING, most_bytes
            )
            return _read(lambda: read(header, payload))
        except ModelFailed as failed:
            raise ImageUnreadable(_DECODING.get(failed.code, _DECODING["model-crashed"])) from failed

    def close(self) -> None:
        """End the child process at once."""
        self._worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(read: Callable[[], Result]) -> Result:
    """Return what a reply holds. Raises ModelFailed for a malformed one."""
    try:
        return read()
    except worker_protocol.MALFORMED as fault:
        raise crashed() from fault


def _largest(recipe: Recipe) -> int:
    """Return the bytes of the pixels that a recipe can give."""
    width, height = recipe.steps[-1][:2] if recipe.steps else (MOST_PIXELS, 1)
    return width * height * 3
