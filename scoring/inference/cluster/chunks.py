"""Chunks of work: they are sent to the workers of a cluster, processed there, and returned as soon as they
are done."""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scoring.inference.cluster import versions
from scoring.inference.cluster.scheduler import CLOSE_SECONDS, Cluster, ClusterUnusable, own_versions, within
from scoring.inference.model_pool import Cancelled, PoolSettings
from scoring.inference.model_process import ModelProcess

if TYPE_CHECKING:
    from distributed import Future

PER_THREAD = 2
"""Maximum number of chunks in progress per thread, so that neither this machine nor a worker holds all
data."""
MOST_ATTEMPTS, RETRIES = 4, 2
GATHER_SECONDS, WATCH_SECONDS, DESERTED_SECONDS = 60.0, 1.0, 8.0
_POLL_SECONDS = 0.01

Item = TypeVar("Item")
Common = TypeVar("Common")
Value = TypeVar("Value")

KEPT_SECONDS = 30.0
"""After this time in seconds without a chunk, a worker's process ends, because the sender may be gone."""
_REMEMBERED = 1000


@dataclass(frozen=True)
class Chunk(Generic[Item]):
    """Consecutive items; `start` is the number of the first item."""

    start: int
    items: Sequence[Item]


class KeptProcesses:
    """Worker processes that have loaded a model and wait for the next chunk until the run ends."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._idle: list[ModelProcess] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def open(self, model: bytes, settings: PoolSettings, stop: threading.Event) -> ModelProcess:
        """Return an idle process or a new one. If the event `stop` is set, only the current chunk ends, not
        the process."""
        with self._lock:
            while self._idle:
                process = self._idle.pop()
                if not process.ended:
                    return process
        return ModelProcess(model, settings.limits, settings.command, self._stop)

    def close(self, process: ModelProcess) -> None:
        """Keep a process for the next chunk."""
        if process.ended:
            return
        with self._lock:
            self._idle.append(process)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(KEPT_SECONDS, self._close_idle)
            self._timer.daemon = True
            self._timer.start()
        if self._stop.is_set():
            self._close_idle()

    def end(self) -> None:
        """End all processes, even in the middle of an image."""
        self._stop.set()
        self._close_idle()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
            if self._timer is not None:
                self._timer.cancel()
        for process in idle:
            process.close()


class WorkerRun:
    """State of one run on a worker."""

    def __init__(self) -> None:
        self.processes = KeptProcesses()
        self._ended = threading.Event()

    def ended(self) -> bool:
        """Return whether the run has ended, so that nobody waits for its results any more."""
        return self._ended.is_set()

    def end(self) -> None:
        """End the work and the processes of the run."""
        self._ended.set()
        self.processes.end()


Function = Callable[[Common, Chunk[Item], WorkerRun], Value]
"""Function that returns the result of a chunk. Arguments: data that all chunks share, the chunk, and the
state that this worker keeps during the run."""

_runs: "OrderedDict[str, WorkerRun]" = OrderedDict()
_lock = threading.Lock()


def perform(
    run: str,
    versions: dict[str, str],
    function: Function[Common, Item, Value],
    common: Common,
    chunk: Chunk[Item],
) -> tuple[dict[str, str] | None, Value | None]:
    """Process a chunk on a worker.

    Returns:
        None and the result of `function`. If the versions of this worker differ from `versions`: the
            differences and None.
    """
    own = own_versions()
    return (own, None) if own != versions else (None, function(common, chunk, _run(run)))


def forget(run: str) -> None:
    """End a run on this worker. If chunks of this run arrive later, they end at once."""
    _run(run).end()


def _run(name: str) -> WorkerRun:
    """Return a run; those that were not used for longest are ended beyond a thousand."""
    with _lock:
        worker_run = _runs.setdefault(name, WorkerRun())
        _runs.move_to_end(name)
        dropped = [_runs.popitem(last=False)[1] for _ in range(len(_runs) - _REMEMBERED)]
    for old in dropped:
        old.end()
    return worker_run


@dataclass
class _Stream(Generic[Common, Item, Value]):
    """Chunks of one call of `streamed` that are under way, each with its attempt. silent_since: when
    something was heard last; deserted_since: since when there is no worker."""

    cluster: Cluster
    function: Function[Common, Item, Value]
    common: Common
    name: str = field(default_factory=lambda: f"benchside-{uuid.uuid4().hex}")
    under_way: "dict[Future[Any], tuple[Chunk[Item], int]]" = field(default_factory=dict)
    places: int = 1
    scattered: Any = None
    silent_since: float = field(default_factory=time.monotonic)
    deserted_since: float | None = None

    def __post_init__(self) -> None:
        from distributed import as_completed  # only a cluster needs it

        self.completed = as_completed(loop=self.cluster.client.loop)

    def scatter(self) -> None:
        """Send the data that all chunks share to every worker."""
        scatter = self.cluster.client.scatter
        self.scattered = self.lasting(lambda: scatter([self.common], broadcast=True, hash=False))[0]

    def send(self, chunk: Chunk[Item], attempt: int = 1) -> None:
        """Send a chunk."""
        future: Future[Any] = self.cluster.client.submit(
            perform,
            self.name,
            self.cluster.versions,
            self.function,
            self.scattered,
            chunk,
            pure=False,
            retries=RETRIES,
        )
        self.under_way[future] = chunk, attempt
        self.completed.add(future)

    def lasting(self, work: Callable[[], Any]) -> Any:
        """Return the result of `work`, which sends data over the network. Raises ClusterUnusable if it takes
        too long."""
        try:
            return within(GATHER_SECONDS, work)
        except Exception as fault:
            self.cluster.threads()  # raises where the scheduler is gone
            sentence = "The workers do not accept or return data: check the workers' logs."
            raise ClusterUnusable(self.cluster.address, sentence) from fault

    def settle(self, future: "Future[Any]") -> tuple[Chunk[Item], Value] | None:
        """Return a chunk and its result; None if the chunk had to be sent again."""
        self.silent_since = time.monotonic()
        chunk, attempt = self.under_way.pop(future)
        if future.status == "finished":
            try:
                other, value = within(GATHER_SECONDS, future.result)
            except Exception:  # its worker ended before the result was taken
                self._again(chunk, attempt)
                return None
            if other is not None:
                different = "; ".join(versions.differences(other, self.cluster.versions))
                sentence = f"A worker differs from this machine: {different}. Install the same version there."
                raise ClusterUnusable(self.cluster.address, sentence)
            return chunk, value
        if future.status != "error":  # cancelled or lost: with the scheduler, or with the worker of its data
            self._again(chunk, attempt)
            return None
        fault = type(future.exception()).__name__
        sentence = (
            "The workers ended repeatedly during the same part of the work: check whether they have "
            "enough memory."
            if fault == "KilledWorker"
            else f"A part of the work failed on a worker ({fault}): check its log."
        )
        raise ClusterUnusable(self.cluster.address, sentence)

    def _again(self, chunk: Chunk[Item], attempt: int) -> None:
        self.cluster.threads()
        if attempt >= MOST_ATTEMPTS:
            sentence = "The same part of the work was lost repeatedly: check the logs of the workers."
            raise ClusterUnusable(self.cluster.address, sentence)
        if self.scattered.status != "finished":
            self.scatter()
        self.send(chunk, attempt + 1)

    def watch(self) -> None:
        """Check scheduler and workers after a time without any result. Raises ClusterUnusable if the
        scheduler does not answer, or if there has been no worker for too long."""
        now = time.monotonic()
        if now - self.silent_since < WATCH_SECONDS:
            return
        self.silent_since = now
        threads = self.cluster.threads()
        self.places = max(1, PER_THREAD * threads)
        if threads:
            self.deserted_since = None
        elif self.deserted_since is None:
            self.deserted_since = now
        elif now - self.deserted_since > DESERTED_SECONDS - WATCH_SECONDS:
            sentence = "All workers ended during the work: start workers and run again."
            raise ClusterUnusable(self.cluster.address, sentence)

    def end(self) -> None:
        """Cancel all unfinished chunks on the workers, and end the workers' processes."""
        futures, client = list(self.under_way), self.cluster.client
        with suppress(Exception):  # where nobody answers nothing can be ended
            if futures:
                within(CLOSE_SECONDS, lambda: client.cancel(futures, force=True))
            within(CLOSE_SECONDS, lambda: client.run(forget, self.name, on_error="ignore"))


@dataclass
class Sizes:
    """Sizes of chunks. The last chunks are small, so that no worker waits long for another.

    Sizes may change while chunks are made; later chunks use the new sizes.

    Attributes:
        total: Number of items in all chunks together.
        most_bytes: A chunk ends when its items have this many bytes together.
    """

    total: int
    threads: int
    most_items: int
    most_bytes: int

    def items(self, start: int) -> int:
        """Return the maximum number of items in the chunk that begins with item `start`."""
        share = (self.total - start) // (PER_THREAD * max(1, self.threads))
        return max(1, min(self.most_items, share))


def packed(items: Iterable[tuple[Item, int]], sizes: Sizes) -> Iterator[Chunk[Item]]:
    """Group items into chunks. A chunk ends at the first limit of `sizes` that it reaches.

    Args:
        items: Items with their sizes in bytes.
    """
    start, held, size = 0, list[Item](), 0
    for item, item_bytes in items:
        held.append(item)
        size += item_bytes
        if len(held) >= sizes.items(start) or size >= sizes.most_bytes:
            yield Chunk(start, tuple(held))
            start, held, size = start + len(held), [], 0
    if held:
        yield Chunk(start, tuple(held))


def streamed(
    cluster: Cluster,
    function: Function[Common, Item, Value],
    common: Common,
    chunks: Iterator[Chunk[Item]],
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[tuple[Chunk[Item], Value]]:
    """Yield every chunk with its result, in the order of completion.

    If a worker stops, another one processes its chunk. At most two chunks per thread are in progress.

    Args:
        function: Function that processes a chunk; it is pickled.
        common: Data that all chunks need, which are sent once to each worker.
        chunks: The chunks. The caller's thread takes the next one when there is room for it.
        cancelled: Called regularly in the caller's thread; True ends the work.

    Raises:
        Cancelled: If `cancelled` returned True.
        ClusterUnusable: If the scheduler or all workers are gone, or if they cannot do the work.
    """
    stream = _Stream(cluster, function, common)
    try:
        stream.places = max(1, PER_THREAD * cluster.threads())
        stream.scatter()
        while True:
            while len(stream.under_way) < stream.places and (chunk := next(chunks, None)) is not None:
                stream.send(chunk)
            if not stream.under_way:
                return
            if cancelled is not None and cancelled():
                raise Cancelled
            finished = stream.completed.next_batch(block=False)
            if not finished:
                time.sleep(_POLL_SECONDS)
                stream.watch()
            for future in finished:
                settled = stream.settle(future)
                if settled is not None:
                    yield settled
    finally:
        stream.end()
