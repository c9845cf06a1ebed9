"""Send chunks of work to the workers of a cluster and take what they make of them."""

import queue
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scoring.inference.cluster import on_worker, versions
from scoring.inference.cluster.on_worker import Chunk, Function
from scoring.inference.cluster.scheduler import CLOSE_SECONDS, Cluster, ClusterUnusable, within
from scoring.inference.pool import Cancelled

if TYPE_CHECKING:
    from distributed import Future

PER_THREAD = 2
"""Chunks of one thread that are under way, so that neither side holds all bytes."""
MOST_ATTEMPTS, RETRIES = 4, 2
GATHER_SECONDS, WATCH_SECONDS, DESERTED_SECONDS = 60.0, 1.0, 8.0
_POLL_SECONDS = 0.05

Item = TypeVar("Item")
Common = TypeVar("Common")
Value = TypeVar("Value")


@dataclass
class _UnderWay(Generic[Item]):
    """A chunk that was sent."""

    chunk: Chunk[Item]
    future: "Future[Any]"
    attempt: int


@dataclass
class _Stream(Generic[Common, Item, Value]):
    """What one call of `streamed` holds. silent_since: when something was heard last; deserted_since: since
    when there is no worker."""

    cluster: Cluster
    function: Function[Common, Item, Value]
    common: Common
    name: str = field(default_factory=lambda: f"benchside-{uuid.uuid4().hex}")
    arrived: "queue.SimpleQueue[str]" = field(default_factory=queue.SimpleQueue)
    under_way: dict[str, _UnderWay[Item]] = field(default_factory=dict)
    places: int = 1
    scattered: Any = None
    silent_since: float = field(default_factory=time.monotonic)
    deserted_since: float | None = None

    def scatter(self) -> None:
        """Send what all chunks share to every worker."""
        scatter = self.cluster.client.scatter
        self.scattered = self.lasting(lambda: scatter([self.common], broadcast=True, hash=False))[0]

    def send(self, chunk: Chunk[Item], attempt: int = 1) -> None:
        """Send a chunk."""
        future: Future[Any] = self.cluster.client.submit(
            on_worker.perform,
            self.name,
            self.cluster.versions,
            self.function,
            self.scattered,
            chunk,
            pure=False,
            retries=RETRIES,
        )
        self.under_way[future.key] = _UnderWay(chunk, future, attempt)
        future.add_done_callback(lambda done: self.arrived.put(done.key))

    def lasting(self, work: Callable[[], Any]) -> Any:
        """Return what takes as long as bytes need to cross; ClusterUnusable where they do not."""
        try:
            return within(GATHER_SECONDS, work)
        except Exception as fault:
            self.cluster.threads()  # raises where the scheduler is gone
            words = "The workers do not take or give data: look at their logs."
            raise ClusterUnusable(self.cluster.address, words) from fault

    def settle(self, key: str) -> tuple[Chunk[Item], Value] | None:
        """Return a chunk and what was made of it; None where it was sent again."""
        self.silent_since = time.monotonic()
        sent = self.under_way.pop(key)
        status = sent.future.status
        if status == "finished":
            try:
                other, value = within(GATHER_SECONDS, sent.future.result)
            except Exception:  # its worker ended before the result was taken
                self._again(sent)
                return None
            if other is not None:
                different = "; ".join(versions.differences(other, self.cluster.versions))
                words = f"A worker does not hold what is here: {different}. Install the same there."
                raise ClusterUnusable(self.cluster.address, words)
            return sent.chunk, value
        if status != "error":  # cancelled or lost: with the scheduler, or with the worker that held its data
            self._again(sent)
            return None
        fault = type(sent.future.exception()).__name__
        words = (
            "The workers ended again and again during the same part of the work: look at their memory."
            if fault == "KilledWorker"
            else f"A part of the work failed on a worker ({fault}): look at its log."
        )
        raise ClusterUnusable(self.cluster.address, words)

    def _again(self, sent: _UnderWay[Item]) -> None:
        self.cluster.threads()
        if sent.attempt >= MOST_ATTEMPTS:
            words = "A part of the work was lost again and again: look at the logs of the workers."
            raise ClusterUnusable(self.cluster.address, words)
        if self.scattered.status != "finished":
            self.scatter()
        self.send(sent.chunk, sent.attempt + 1)

    def watch(self) -> None:
        """Look after scheduler and workers when nothing was heard for a while. Raises ClusterUnusable."""
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
            words = "All workers ended during the work: start some and run again."
            raise ClusterUnusable(self.cluster.address, words)

    def end(self) -> None:
        """Let the workers drop what is under way, and end their processes."""
        futures = [sent.future for sent in self.under_way.values()]
        client = self.cluster.client
        with suppress(Exception):  # where nobody answers nothing can be ended
            if futures:
                within(CLOSE_SECONDS, lambda: client.cancel(futures, force=True))
            within(CLOSE_SECONDS, lambda: client.run(on_worker.forget, self.name, on_error="ignore"))


@dataclass
class Sizes:
    """How large chunks are: the last ones small, so that no worker waits long for another's last.

    May be changed while chunks are made; those that follow are as large as it then says.

    Attributes:
        total: Items of all chunks together.
        threads: Threads of all workers.
        most_items: Items of a chunk, at most.
        most_bytes: Bytes with which a chunk ends.
    """

    total: int
    threads: int
    most_items: int
    most_bytes: int

    def items(self, start: int) -> int:
        """Return how many items the chunk has at most that begins with the item `start`."""
        share = (self.total - start) // (PER_THREAD * max(1, self.threads))
        return max(1, min(self.most_items, share))


def packed(items: Iterable[tuple[Item, int]], sizes: Sizes) -> Iterator[Chunk[Item]]:
    """Yield chunks of items that come with their bytes; a chunk ends with the first limit that is reached."""
    start, held, size = 0, list[Item](), 0
    for item, taken in items:
        held.append(item)
        size += taken
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
    """Yield every chunk with what a worker makes of it, in the order in which they are done.

    A chunk whose worker ends is done by another. At most two chunks for each thread are under way.

    Args:
        cluster: Where the work is done.
        function: Does it; pickled.
        common: What all chunks share; sent once to each worker.
        chunks: The work; taken when there is room for it, in the caller's thread.
        cancelled: Called now and then in the caller's thread; true ends the work.

    Raises:
        Cancelled: `cancelled` returned true.
        ClusterUnusable: Scheduler or workers are gone, or cannot do the work.
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
            try:
                settled = stream.settle(stream.arrived.get(timeout=_POLL_SECONDS))
            except queue.Empty:
                stream.watch()
                continue
            if settled is not None:
                yield settled
    finally:
        stream.end()
