"""Runs a model on many images: on the Dask cluster if one is named, otherwise on this machine."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from scoring.common.findings import InputRefused
from scoring.inference import devices, model_pool, sandbox_layers
from scoring.inference.cluster.chunks import Chunk, Sizes, WorkerRun, packed, streamed
from scoring.inference.cluster.scheduler import Scheduler, connected, on_cluster_or_here
from scoring.inference.model_pool import Answered, PoolSettings, Results, Work
from scoring.inference.model_process import ModelProcess
from scoring.inference.preprocessing import ImageUnreadable
from scoring.inference.timed_worker import Limits
from scoring.inference.worker_results import ModelFailed

FIRST_IMAGES, CHUNK_IMAGES, CHUNK_BYTES = 5, 50, 8 << 20
"""Number of images in the first chunks, maximum number in later chunks, and maximum bytes of a chunk."""
CHUNK_MS = 400.0
"""Intended processor time of a chunk in milliseconds. With short chunks, progress is visible for slow models
too."""

Result = TypeVar("Result")
Pictures = Sequence[Callable[[], bytes] | None]


@dataclass(frozen=True)
class _Model(Generic[Result]):
    """What all chunks share. work: made of each image."""

    data: bytes
    work: Work[Result]
    limits: Limits


def run_on_all(
    model: bytes,
    pictures: Pictures,
    work: Work[Result],
    *,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    settings: PoolSettings = PoolSettings(),
) -> Results[Result]:
    """Process every image with a model on a cluster. Arguments and results are those of
    `model_pool.run_on_all`.

    The calling machine reads the images. `progress` receives numbers of returned results; chunks take about
    half a second.

    Raises:
        ModelFailed: As in `model_pool.run_on_all`; likewise Cancelled.
        ClusterUnusable: If the cluster cannot do the work.
    """
    here = partial(
        model_pool.run_on_all,
        model,
        pictures,
        work,
        progress=progress,
        cancelled=cancelled,
        settings=settings,
    )
    if not pictures:
        return here()
    device = devices.CUDA if devices.wanted() == devices.CUDA else devices.CPU  # the same on every worker
    limits = replace(settings.limits, every_layer=sandbox_layers.needed(model), device=device)
    shared = _Model(model, work, limits)
    return on_cluster_or_here(
        lambda scheduler: _on_cluster(scheduler, shared, pictures, progress, cancelled), here
    )


def _on_cluster(
    scheduler: Scheduler,
    model: _Model[Result],
    pictures: Pictures,
    progress: Callable[[int, int], object] | None,
    cancelled: Callable[[], bool] | None,
) -> Results[Result]:
    total, done = len(pictures), 0
    outputs: list[Result | Exception | None] = [None] * total
    parts: dict[int, Results[Result]] = {}
    failures: dict[int, ModelFailed] = {}
    if progress is not None:
        progress(0, total)
    with connected(scheduler) as cluster:
        sizes = Sizes(total, cluster.threads(), FIRST_IMAGES, CHUNK_BYTES)
        chunks = packed(_files(pictures, outputs, failures), sizes)
        for chunk, results in streamed(cluster, _infer, model, chunks, cancelled):
            done += len(chunk.items)
            if isinstance(results, ModelFailed):
                failures[-1 if results.picture is None else results.picture] = results
                continue
            parts[chunk.start] = results
            sizes.most_items = _next_images(results, sizes.most_items)
            for i, output in enumerate(results.outputs, chunk.start):
                outputs[i] = output if chunk.items[i - chunk.start] is not None else outputs[i]
            if progress is not None:
                progress(done, total)
    if failures:
        raise failures[min(failures)]
    ordered = [parts[start] for start in sorted(parts)]
    seen = tuple(seen for part in ordered for seen in part.seen)
    return Results(ordered[0].facts, tuple(outputs), seen, np.concatenate([part.cpu_ms for part in ordered]))


def _next_images(results: Results[Result], before: int) -> int:
    """Return how many images the next chunks have, by what the last one took. before: those had."""
    milliseconds = results.cpu_ms[~np.isnan(results.cpu_ms)]
    return (
        int(np.clip(CHUNK_MS / max(milliseconds.mean(), 1.0), 1, CHUNK_IMAGES))
        if len(milliseconds)
        else before
    )


def _files(
    pictures: Pictures, outputs: list[Result | Exception | None], failures: dict[int, ModelFailed]
) -> Iterator[tuple[bytes | None, int]]:
    """Yield image files and their bytes until the model failed on one; why a file cannot be read goes to
    `outputs`."""
    for i, read in enumerate(pictures):
        if failures:
            return
        data = None
        try:
            data = model_pool.read_file(read) if read is not None else None
        except (ImageUnreadable, InputRefused) as unusable:
            outputs[i] = unusable
        yield data, len(data or b"")


def _infer(
    model: _Model[Result], chunk: Chunk[bytes | None], run: WorkerRun
) -> Results[Result] | ModelFailed:
    """Run a chunk on a worker through one confined process."""

    def work(process: ModelProcess, data: bytes, index: int, settings: PoolSettings) -> Answered[Result]:
        return model.work(process, data, chunk.start + index, settings)

    pictures = [None if data is None else partial(bytes, data) for data in chunk.items]
    settings = PoolSettings(workers=1, cache=None, limits=model.limits, processes=run.processes)
    try:
        return model_pool.run_on_all(model.data, pictures, work, cancelled=run.ended, settings=settings)
    except ModelFailed as failed:
        picture = None if failed.picture is None else chunk.start + failed.picture
        return ModelFailed(failed.code, failed.message, picture)
