"""A model's worker as a thread of the tests' own process: half a second less for each model.

It answers frame by frame as the real one does, and is neither confined nor limited: see tests/inference.
"""

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from scoring.inference import sandbox, timed_worker, worker, worker_protocol
from scoring.inference.model_process import achieved_layers

_own = threading.local()
"""The streams of requests and replies of the worker that runs in this thread, and the layers it states."""


def _or_in_thread(module: ModuleType, name: str, answer: Callable[[], Any]) -> None:
    """Let a function of a process only `answer` in threads of workers. This is never undone: threads
    outlive the tests that started them, and would confine or end the process of the tests."""
    of_process = getattr(module, name)

    def function(*arguments: Any) -> Any:
        return answer() if hasattr(_own, "streams") else of_process(*arguments)

    setattr(module, name, function)


_or_in_thread(worker_protocol, "take_channel", lambda: _own.streams)
_or_in_thread(sandbox, "confine", lambda: _own.layers)
for _name in ("leave_folders", "die_with_parent", "set_alarm"):
    _or_in_thread(sandbox, _name, lambda: None)


class _Worker:
    """What `timed_worker` starts, in place of a process."""

    def __init__(self, settings: dict[str, Any], layers: Sequence[str]) -> None:
        self._here, there = socket.socketpair()
        self.stdin, self.stdout = self._here.makefile("wb", 0), self._here.makefile("rb", 0)
        threading.Thread(target=self._run, args=(settings, layers, there), daemon=True).start()

    def _run(self, settings: dict[str, Any], layers: Sequence[str], there: socket.socket) -> None:
        with there, there.makefile("rb", 0) as requests, there.makefile("wb", 0) as replies:
            _own.streams, _own.layers = (requests, replies), layers
            with suppress(OSError):  # nobody hears the last reply
                worker.main(settings)

    def poll(self) -> int:
        """End the connection, as `timed_worker` asks only before it ends the process: there is none."""
        with suppress(OSError):
            self._here.shutdown(socket.SHUT_RDWR)
        return 0

    def wait(self, timeout: float | None = None) -> int:
        return 0


@contextmanager
def models_run_here() -> Iterator[None]:
    """Start workers of models as threads, which say that they are as confined as a process is here."""
    layers = achieved_layers()

    def started(command: Sequence[str], **options: Any) -> Any:
        *program, settings = command
        if tuple(program) != timed_worker.WORKER:
            return subprocess.Popen(command, **options)
        return _Worker(json.loads(settings), layers)

    known = {name: getattr(subprocess, name) for name in ("PIPE", "DEVNULL", "TimeoutExpired")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timed_worker, "subprocess", SimpleNamespace(Popen=started, **known))
        yield
