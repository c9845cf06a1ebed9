"""Places for work that keeps a processor busy, given in the order in which they are asked for."""

import threading
from collections import deque
from collections.abc import Callable

_POLL_SECONDS = 0.05


class Places:
    """A semaphore whose places go to whoever waits longest.

    Between two pieces of work `pass_on` lets others go first, so that many threads share the places piece by
    piece, however long each of them has work.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def acquire(self, given_up: Callable[[], bool]) -> bool:
        """Wait for a place; false without one once `given_up` returns true."""
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return True
            called = threading.Event()
            self._waiting.append(called)
        return self._wait(called, given_up)

    def release(self) -> None:
        """Give a place back."""
        with self._lock:
            self._next()

    def pass_on(self, given_up: Callable[[], bool]) -> bool:
        """Give the place to whoever waits and wait for another; false without one as in `acquire`."""
        with self._lock:
            if not self._waiting:
                return True
            called = threading.Event()
            self._waiting.append(called)
            self._next()
        return self._wait(called, given_up)

    def _wait(self, called: threading.Event, given_up: Callable[[], bool]) -> bool:
        while not called.wait(_POLL_SECONDS):
            if given_up():
                with self._lock:
                    if not called.is_set():
                        self._waiting.remove(called)
                        return False
        return True

    def _next(self) -> None:
        if self._waiting:
            self._waiting.popleft().set()
        else:
            self._free += 1
