"""Reader pool: confined processes, started in advance and shared, that run the readers which
`scoring.common.transport` marks as isolated."""

import threading
from collections import OrderedDict
from contextlib import suppress
from time import monotonic
from typing import Any

from scoring.common import transport
from scoring.common.findings import InputRefused, error
from scoring.inference.timed_worker import READER, RUNNING, Limits, WorkerProcess
from scoring.inference.worker_protocol import MALFORMED
from scoring.inference.worker_results import ModelFailed

MODULES = (
    "scoring.core.file_contents",
    "scoring.inputs.grand_challenge_jobs",
    "scoring.inputs.tables",
    "scoring.inputs.table_edits",
    "scoring.inputs.parquet",
    "scoring.inputs.workbooks",
    "scoring.inputs.nuclei.reader",
    "scoring.inputs.nuclei.rewriting",
    "scoring.inputs.nuclei.tile_readers",
    "scoring.inputs.nuclei.tiles",
    "scoring.inference.model_edits",
)
"""Modules with isolated readers that the processes import."""
SECONDS, MEMORY_BYTES, RESULT_BYTES = 20, 1_000_000_000, 600_000_000
"""Limits for reading one file: time in seconds, memory of the process, and bytes of the result that the
server accepts."""
MOST, WARM = 8, 2
"""Maximum number of processes, and number of idle processes that wait for the next file."""
LARGE_BYTES = 8_000_000
"""A process that needed more bytes than this for a file is replaced by a new one, which uses less memory."""
REMEMBERED, REMEMBERED_SECONDS = 32, 60
"""Number of files that exceeded these limits and are remembered, and seconds for which they are. A page reads
a file twice, to recognise and to score it; a remembered file is refused at once."""
LIMITS = Limits(memory_bytes=MEMORY_BYTES, run_seconds=SECONDS, decoders=MODULES)
_PLAINER = "Save the file again with only the table or list, or split the file."
_MESSAGES = {
    RUNNING: f"reading it took longer than {SECONDS} s and was stopped.",
    "model-out-of-memory": f"it needs more than {MEMORY_BYTES / 1e9:g} GB of memory to be read.",
}
_ENDED = "the process that read it ended unexpectedly."


class ReaderPool:
    """Runs isolated readers (`scoring.common.transport`) in confined processes, for all threads. `fix` is a
    sentence that says what to do if a file cannot be read."""

    def __init__(self, limits: Limits = LIMITS, warm: int = WARM, fix: str = _PLAINER):
        self._warm, self._fix = warm, fix
        self._limits, self._room, self._lock = limits, threading.BoundedSemaphore(MOST), threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._failures: OrderedDict[tuple[object, ...], tuple[float, str]] = OrderedDict()

    def warm(self) -> None:
        """Start processes in advance, so that the first file does not wait for one."""
        self._keep(WorkerProcess(self._limits, READER))

    def run(self, reader: str, arguments: tuple[Any, ...]) -> Any:
        """Call a reader in a confined process and return its result. The first two arguments are the file and
        its name.

        Raises:
            InputRefused: If the reader refuses the file; or with `unreadable-file`, if it took too long, used
                too much memory, or ended.
        """
        data, *others = arguments
        file_key = (reader, hash(data), len(data), repr(others))
        failed_at, message = self._failures.get(file_key, (0.0, ""))
        if message and monotonic() - failed_at < REMEMBERED_SECONDS:
            raise self._refused(arguments[1], message)
        parts = transport.encode(arguments)
        with self._room:
            try:
                worker = self._take()
                header, payload = worker.request(
                    {"reader": reader}, parts, self._limits.run_seconds, RUNNING, RESULT_BYTES
                )
                value = transport.decode(payload)
            except ModelFailed as failed:
                message = _MESSAGES.get(failed.code, _ENDED)
                self._remember(file_key, message)
                raise self._refused(arguments[1], message) from failed
            except MALFORMED as fault:
                worker.close()
                raise self._refused(arguments[1], _ENDED) from fault
            if sum(map(len, parts)) > LARGE_BYTES and self._warm:
                worker.close()
                threading.Thread(target=self._refill, daemon=True).start()
            else:
                self._keep(worker)
        if header.get("refused"):
            problems, findings = value
            raise InputRefused(problems, findings)
        return value

    def _remember(self, file_key: tuple[object, ...], message: str) -> None:
        with self._lock:
            self._failures[file_key] = (monotonic(), message)
            while len(self._failures) > REMEMBERED:
                self._failures.popitem(last=False)

    def _refill(self) -> None:
        with suppress(ModelFailed):  # the next file starts one, and says why it cannot
            self.warm()

    def close(self) -> None:
        """End all processes that wait for a file."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def _take(self) -> WorkerProcess:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if not worker.ended:
                    return worker
        return WorkerProcess(self._limits, READER)

    def _keep(self, worker: WorkerProcess) -> None:
        with self._lock:
            if len(self._idle) < self._warm and not worker.ended:
                self._idle.append(worker)
                return
        worker.close()

    def _refused(self, name: str, message: str) -> InputRefused:
        return InputRefused([error("unreadable-file", name, f"{message} {self._fix}")])
