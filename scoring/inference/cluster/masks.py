"""Compares masks with the truth: on the cluster if one is named and the masks are large enough, otherwise on
this machine."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from scoring.common.findings import InputRefused
from scoring.inference.cluster.chunks import Chunk, Sizes, WorkerRun, packed, streamed
from scoring.inference.cluster.scheduler import Scheduler, connected, on_cluster_or_here
from scoring.inference.model_pool import Cancelled
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.counting import VoxelCounts
from scoring.inputs.masks.lesions import Lesions, MaskPair, compared

WORTH_VOXELS = 5_000_000_000
"""Minimum number of voxels of all true masks together (about 3 s of work) from which on a cluster is
faster."""
CHUNK_PAIRS, CHUNK_BYTES = 12, 8 << 20
"""Maximum number of pairs, and of bytes, of a chunk. Larger files are not sent but read on this machine."""

Compared = tuple[VoxelCounts, Lesions | None]
Progress = Callable[[int, int], object]


def compare_all(
    pairs: Sequence[MaskPair | None],
    label: int | None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> list[Compared | None]:
    """Compare masks with the truth on a cluster. The results are those of `compared` for each pair.

    Args:
        pairs: The pairs of masks; None for a case without a true mask.
        label: The label whose lesions are counted and matched; None: no lesions.
        progress: Called with (done, total).
        cancelled: Called regularly; True ends the work.

    Returns:
        The result for each pair; None for each None in `pairs`.

    Raises:
        InputRefused: If the file of a truth changed since it was examined.
        Cancelled: If `cancelled` returned True.
        ClusterUnusable: If the cluster cannot do the work.
    """
    here = partial(_here, pairs, label, progress, cancelled)
    voxels = sum(pair.truth.grid.voxels for pair in pairs if pair is not None and pair.submitted is not None)
    if voxels < WORTH_VOXELS:
        return here()
    return on_cluster_or_here(
        lambda scheduler: _on_cluster(scheduler, pairs, label, progress, cancelled), here
    )


def _here(
    pairs: Sequence[MaskPair | None],
    label: int | None,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
) -> list[Compared | None]:
    comparisons: list[Compared | None] = []
    for pair in pairs:
        if cancelled is not None and cancelled():
            raise Cancelled
        comparisons.append(None if pair is None else compared(pair, label))
        if progress is not None:
            progress(len(comparisons), len(pairs))
    return comparisons


def _on_cluster(
    scheduler: Scheduler,
    pairs: Sequence[MaskPair | None],
    label: int | None,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
) -> list[Compared | None]:
    comparisons: list[Compared | None] = [None] * len(pairs)
    done = 0
    with connected(scheduler) as cluster:
        sizes = Sizes(len(pairs), cluster.threads(), CHUNK_PAIRS, CHUNK_BYTES)
        chunks = packed(_files(pairs, label, comparisons), sizes)
        for chunk, values in streamed(cluster, _compare, label, chunks, cancelled):
            if isinstance(values, InputRefused):
                raise values
            for i, value in enumerate(values, chunk.start):
                comparisons[i] = comparisons[i] if value is None else value
            done += len(chunk.items)
            if progress is not None:
                progress(done, len(pairs))
    return comparisons


def _files(
    pairs: Sequence[MaskPair | None], label: int | None, comparisons: list[Compared | None]
) -> Iterator[tuple[MaskPair | None, int]]:
    """Yield pairs whose files are held in memory, and their bytes; what cannot be sent is compared here, into
    `found`."""
    for i, pair in enumerate(pairs):
        held, size = (None, 0) if pair is None else _held(pair)
        if pair is not None and held is None:
            comparisons[i] = compared(pair, label)
        yield held, size


def _held(pair: MaskPair) -> tuple[MaskPair | None, int]:
    """Return a pair with its files in memory and their bytes; None for files that are too large, or cannot be
    read to their end as they lie."""
    truth = b"" if pair.truth.runs is not None else _bytes(pair.truth.opener)
    submitted = b"" if pair.submitted is None else _bytes(pair.submitted)
    if truth is None or submitted is None:
        return None, 0
    opener = None if pair.submitted is None else partial(io.BytesIO, submitted)
    held = replace(pair.truth, opener=partial(io.BytesIO, truth))
    return MaskPair(held, opener), len(truth) + len(submitted)


def _bytes(opener: Opener) -> bytes | None:
    try:
        with opener() as file:
            data = file.read(CHUNK_BYTES + 1)
    except Exception:  # the reader of masks says what is wrong with it
        return None
    return data if len(data) <= CHUNK_BYTES else None


def _compare(
    label: int | None, chunk: Chunk[MaskPair | None], run: WorkerRun
) -> list[Compared | None] | InputRefused:
    """Compare a chunk on a worker."""
    try:
        return _here(chunk.items, label, None, run.ended)
    except InputRefused as refused:
        return refused
