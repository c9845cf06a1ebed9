"""Pool of worker processes that run one model on many images, with one single-threaded process per core.

Measurements showed that batches, and more threads within the runtime, are slower. Challenges run one image at
a time, too.
"""

import os
import threading
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Cancelled as Cancelled
from scoring.common.findings import InputRefused
from scoring.inference import image_cache as image_cache
from scoring.inference.fair_semaphore import FairSemaphore, Usage
from scoring.inference.model_process import ModelProcess
from scoring.inference.preprocessing import ImageInfo, ImageUnreadable, Recipe
from scoring.inference.timed_worker import WORKER, Limits
from scoring.inference.worker_results import ModelFacts, ModelFailed, ModelOutput, PreparedImage

_POLL_SECONDS = 0.05
Result = TypeVar("Result")


class Answered(NamedTuple, Generic[Result]):
    """The result for one image. `seen` is information about the image file, `cpu_ms` the processor time in
    milliseconds."""

    result: Result
    seen: ImageInfo | None
    cpu_ms: float


Work = Callable[[ModelProcess, bytes, int, "PoolSettings"], Answered[Result]]
"""Function from (model, image file, number of the image, settings) to a result. The function is called in
other threads, and is pickled to run on other machines."""


@dataclass(frozen=True)
class Results(Generic[Result]):
    """A model's results per image.

    Attributes:
        outputs: The result of each image, or the reason why there is none: an ImageUnreadable, an
            InputRefused, or None for a missing image.
        seen: Information about each image file; None if it cannot be read.
        cpu_ms: Processor time per image in milliseconds [N]; NaN for an image without output.
    """

    facts: ModelFacts
    outputs: tuple[Result | Exception | None, ...]
    seen: tuple[ImageInfo | None, ...]
    cpu_ms: Floats


@dataclass(frozen=True)
class Outputs(Results[Floats]):
    """First output of each image, float64 without a leading axis of 1. `recipe` says how the images were
    prepared."""

    recipe: Recipe


class Processes(Protocol):
    """Source of the worker processes of a call."""

    def open(self, model: bytes, settings: "PoolSettings", stop: threading.Event) -> ModelProcess:
        """Return a process that has loaded the model. The event `stop` signals the end of the call. Raises
        ModelFailed if the model cannot be loaded."""
        ...

    def close(self, process: ModelProcess) -> None:
        """Take back a process that the call no longer needs."""
        ...


class OwnProcesses:
    """Source of processes that start and end with a call."""

    def open(self, model: bytes, settings: "PoolSettings", stop: threading.Event) -> ModelProcess:
        return ModelProcess(model, settings.limits, settings.command, stop)

    def close(self, process: ModelProcess) -> None:
        process.close()


@dataclass(frozen=True)
class PoolSettings:
    """Settings of a run on images; they do not affect the outputs.

    Attributes:
        workers: Number of worker processes. None: one per core, shared with other calls that run at the same
            time.
        cache: Cache of prepared images; None: no cache.
        run: Function that does the work on all images; None: `run_on_all`, which uses this machine.
    """

    workers: int | None = None
    cache: image_cache.PictureCache | None = image_cache.PICTURES
    limits: Limits = field(default_factory=Limits)
    command: Sequence[str] = WORKER
    processes: Processes = field(default_factory=OwnProcesses)
    run: "RunOnAll | None" = None


class RunOnAll(Protocol):
    """Function like `run_on_all` that runs on this machine or on others."""

    def __call__(
        self,
        model: bytes,
        pictures: Sequence[Callable[[], bytes] | None],
        work: Work[Result],
        *,
        progress: Callable[[int, int], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
        settings: PoolSettings = PoolSettings(),
    ) -> Results[Result]: ...


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_PLACES = FairSemaphore(cores())


class _Progress(Generic[Result]):
    """Results of the images so far. failures: of the model, by number of the image; -1 before any."""

    def __init__(self, total: int):
        self.outputs: list[Result | Exception | None] = [None] * total
        self.seen: list[ImageInfo | None] = [None] * total
        self.cpu_ms: Floats = np.full(total, np.nan)
        self.done = 0
        self.loaded: ModelFacts | None = None
        self.failures: dict[int, Exception] = {}


@dataclass
class _Job(Generic[Result]):
    """What the threads of one call share; `lock` guards all that changes."""

    model: bytes
    pictures: Sequence[Callable[[], bytes] | None]
    work: Work[Result]
    settings: PoolSettings
    share: Usage
    state: _Progress[Result]
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    begun: int = 0

    def needs_no_more(self) -> bool:
        """Return whether a waiting thread can stop, because no work is left for it."""
        ended = self.stop.is_set() or bool(self.state.failures)
        return ended or (self.state.loaded is not None and self.begun >= len(self.pictures))


def predict(
    model: bytes,
    pictures: Sequence[Callable[[], bytes] | None],
    vectors: Floats | None,
    recipe_for: Callable[[ModelFacts], Recipe],
    *,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    settings: PoolSettings = PoolSettings(),
) -> Outputs:
    """Run a model on every image and return its first outputs.

    Args:
        pictures: Functions that read the image files, called in other threads; None for a missing image.
        vectors: Second inputs [N, k], for models with a second input.
        recipe_for: Function that returns the recipe by which images are prepared for the model. It is called
            in other threads.
        progress: Called with (done, total) in the caller's thread.
        cancelled: Called regularly in the caller's thread; True ends the work within about 0.3 s.

    Raises:
        ModelFailed: If the model fails as a whole; of several failures, that on the earliest image.
        Cancelled: If `cancelled` returned True.
    """
    if vectors is not None:
        vectors = np.asarray(vectors, np.float32)
        if vectors.ndim != 2 or len(vectors) != len(pictures):
            raise ValueError("one row of vectors per picture")

    work = _FirstOutput(vectors, recipe_for)
    run = settings.run or run_on_all
    results = run(model, pictures, work, progress=progress, cancelled=cancelled, settings=settings)
    return Outputs(results.facts, results.outputs, results.seen, results.cpu_ms, recipe_for(results.facts))


@dataclass(frozen=True)
class _FirstOutput:
    """The work of `predict` on one image."""

    vectors: Floats | None
    recipe_for: Callable[[ModelFacts], Recipe]

    def __call__(
        self, process: ModelProcess, data: bytes, index: int, settings: PoolSettings
    ) -> Answered[Floats]:
        vector = self.vectors[index] if self.vectors is not None and len(process.facts.inputs) > 1 else None
        result, seen = _run(process, data, self.recipe_for(process.facts), vector, settings.cache)
        return Answered(first_output(result), seen, result.cpu_ms)


def run_on_all(
    model: bytes,
    pictures: Sequence[Callable[[], bytes] | None],
    work: Work[Result],
    *,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    settings: PoolSettings = PoolSettings(),
) -> Results[Result]:
    """Open a model in worker processes and do the same work on every image. Arguments and errors are those of
    `predict`.

    All calls together use at most one worker per core and share the time fairly, image by image. A call
    starts fewer workers while other calls run. All workers of a call end with it.
    """
    total, share = len(pictures), _PLACES.join()
    state: _Progress[Result] = _Progress(total)
    job = _Job(model, pictures, work, settings, share, state)
    threads = [
        threading.Thread(target=_work, args=(job,), daemon=True)
        for _ in range(max(1, min(settings.workers or cores() // _PLACES.shares, total)))
    ]
    try:
        for thread in threads:
            thread.start()
        _wait(job, threads, progress, cancelled)
    finally:
        job.stop.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        _PLACES.leave(share)
    if state.failures:
        raise state.failures[min(state.failures)]
    assert state.loaded is not None
    return Results(state.loaded, tuple(state.outputs), tuple(state.seen), state.cpu_ms)


def _wait(
    job: _Job[Result],
    threads: Sequence[threading.Thread],
    progress: Callable[[int, int], object] | None,
    cancelled: Callable[[], bool] | None,
) -> None:
    """Report progress until no thread works any more. Raises Cancelled."""
    reported = -1
    while True:
        working = [thread for thread in threads if thread.is_alive()]
        if progress is not None and job.state.done != reported:
            reported = job.state.done
            progress(reported, len(job.pictures))
        if not working:
            return
        if cancelled is not None and cancelled():
            raise Cancelled
        working[0].join(_POLL_SECONDS)


def _work(job: _Job[Result]) -> None:
    """Keep one worker process busy as long as there are images."""
    index, process = -1, None
    placed, turn = True, _PLACES.acquire(job.share, job.needs_no_more)
    if turn is None:
        return
    try:
        process = _open(job)
        while (following := _next(job)) is not None:
            index = following
            try:
                _run_image(job, index, process)
            except ModelFailed as failed:
                if not failed.ended:
                    raise
                # The system may have ended the process for want of memory: one second try, and a model that
                # crashes does so again.
                process = _open(job)
                _run_image(job, index, process)
            with job.lock:
                job.state.done += 1
            if not (placed := _PLACES.pass_on(turn, job.needs_no_more)):
                return
    except Exception as fault:  # kept for the caller's thread, which raises the one of the earliest picture
        with job.lock:
            if not job.stop.is_set():
                job.state.failures.setdefault(index, _of_picture(fault, index))
            if index < 0:
                job.stop.set()
    finally:
        if process is not None:
            job.settings.processes.close(process)
        if placed:
            _PLACES.release(turn)


def _open(job: _Job[Result]) -> ModelProcess:
    process = job.settings.processes.open(job.model, job.settings, job.stop)
    with job.lock:
        job.state.loaded = process.facts
    return process


def _next(job: _Job[Result]) -> int | None:
    """Return the next image to begin; None after a failure, so that the earliest one is known."""
    with job.lock:
        if job.stop.is_set() or job.state.failures or job.begun >= len(job.pictures):
            return None
        job.begun += 1
        return job.begun - 1


def _run_image(job: _Job[Result], index: int, process: ModelProcess) -> None:
    read, state = job.pictures[index], job.state
    if read is None:
        return
    try:
        results = job.work(process, read_file(read), index, job.settings)
    except (ImageUnreadable, InputRefused) as unusable:
        state.outputs[index] = unusable
        return
    state.outputs[index], state.seen[index], state.cpu_ms[index] = results


def decoded(
    process: ModelProcess, data: bytes, recipe: Recipe, settings: PoolSettings = PoolSettings()
) -> PreparedImage:
    """Return the pixels of an image file prepared by a recipe, from the cache if it has them. Raises
    ImageUnreadable, ModelFailed."""
    if settings.cache is None:
        return process.pixels(data, recipe)
    key = image_cache.key(data, recipe)
    picture = settings.cache.get(key)
    if picture is None:
        picture = process.pixels(data, recipe)
        settings.cache.put(key, picture)
    return picture


def _run(
    process: ModelProcess,
    data: bytes,
    recipe: Recipe,
    vector: Floats | None,
    cache: image_cache.PictureCache | None,
) -> tuple[ModelOutput, ImageInfo | None]:
    if cache is None:
        result = process.run(data, recipe, vector)
        return result, result.seen
    key = image_cache.key(data, recipe)
    picture = cache.get(key)
    if picture is not None:
        return process.run(picture.pixels, recipe, vector), picture.seen
    result = process.run(data, recipe, vector, want_pixels=True)
    if result.pixels is not None and result.seen is not None:
        cache.put(key, PreparedImage(result.pixels, result.seen))
    return result, result.seen


def read_file(read: Callable[[], bytes]) -> bytes:
    """Return the bytes of an image file. Raises ImageUnreadable if the file is gone, or InputRefused."""
    try:
        return read()
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as fault:
        raise ImageUnreadable(
            "The file can no longer be read from its location: drop or name it again."
        ) from fault


def first_output(result: ModelOutput) -> Floats:
    """Return the first output as float64 without a leading axis of 1. Raises ModelFailed if it is not a
    tensor."""
    if not result.outputs or result.outputs[0] is None:
        raise ModelFailed(
            "wrong-output",
            "The first output is not a tensor of numbers. Models from scikit-learn: convert with "
            "zipmap=False, and put the probabilities first.",
        )
    output = result.outputs[0].astype(np.float64)
    return output[0] if output.ndim and output.shape[0] == 1 else output


def _of_picture(fault: Exception, index: int) -> Exception:
    if isinstance(fault, ModelFailed) and index >= 0:
        return ModelFailed(fault.code, fault.message, index)
    return fault
