"""What a worker of the cluster does: one chunk after another, with the model's confined process kept between
them."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from scoring.inference.cluster.scheduler import own_versions
from scoring.inference.pool import PoolSettings
from scoring.inference.process import ModelProcess

KEPT_SECONDS = 30.0
"""After so long without a chunk a process ends: the other side may be gone."""
_REMEMBERED = 1000

Item = TypeVar("Item")
Common = TypeVar("Common")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Chunk(Generic[Item]):
    """Items that follow each other, the first with the number `start`."""

    start: int
    items: Sequence[Item]


class KeptProcesses:
    """Processes with one model that wait for the next chunk, until the run ends."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._idle: list[ModelProcess] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def open(self, model: bytes, settings: PoolSettings, stop: threading.Event) -> ModelProcess:
        """Return an idle process, or a new one; it outlives `stop`, which only ends a chunk."""
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
        """End all processes, also in the middle of an image."""
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
    """What a worker holds of one run.

    Attributes:
        processes: The model's processes.
    """

    def __init__(self) -> None:
        self.processes = KeptProcesses()
        self._ended = threading.Event()

    def ended(self) -> bool:
        """Return whether nobody wants its results any more."""
        return self._ended.is_set()

    def end(self) -> None:
        """End its work and its processes."""
        self._ended.set()
        self.processes.end()


Function = Callable[[Common, Chunk[Item], WorkerRun], Value]
"""(what all chunks share, a chunk, the run on this worker) -> what is made of the chunk."""

_runs: "OrderedDict[str, WorkerRun]" = OrderedDict()
_lock = threading.Lock()


def perform(
    run: str,
    versions: dict[str, str],
    function: Function[Common, Item, Value],
    common: Common,
    chunk: Chunk[Item],
) -> tuple[dict[str, str] | None, Value | None]:
    """Return what `function` makes of a chunk after None; where the versions here are others than `versions`,
    those and None."""
    own = own_versions()
    return (own, None) if own != versions else (None, function(common, chunk, _run(run)))


def forget(run: str) -> None:
    """End a run here; chunks of it that begin later end at once."""
    _run(run).end()


def _run(name: str) -> WorkerRun:
    """Return a run; those that were not used for longest are ended beyond a thousand."""
    with _lock:
        found = _runs.setdefault(name, WorkerRun())
        _runs.move_to_end(name)
        dropped = [_runs.popitem(last=False)[1] for _ in range(len(_runs) - _REMEMBERED)]
    for old in dropped:
        old.end()
    return found
