"""Fair semaphore: gives places to the caller that has used them for the shortest time. For the number of
places for models see `open_models`."""

import threading
from collections.abc import Callable
from time import monotonic

_POLL_SECONDS = 0.05


class Usage:
    """Time for which a caller has used the semaphore.

    Attributes:
        seconds: Time for which the caller's threads held places. A new caller starts with the shortest time
            of all callers.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds


class Ticket:
    """A place in the semaphore that a thread holds or waits for.

    Attributes:
        called: Event that is set when the thread has the place.
        since: Time up to which the thread's use is counted already.
    """

    def __init__(self, share: Usage):
        self.share, self.called, self.since = share, threading.Event(), 0.0


class FairSemaphore:
    """A semaphore that gives its places to the callers that used them for the shortest time.

    Between two pieces of work, a caller calls `pass_on` to let others go first. A caller with pieces of 20 s
    and one with pieces of 20 ms then hold the places for the same time.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._shares: list[Usage] = []
        self._waiting: list[Ticket] = []
        self._lock = threading.Lock()

    @property
    def shares(self) -> int:
        """Number of registered callers."""
        return len(self._shares)

    def join(self) -> Usage:
        """Register a caller. The caller stays registered until `leave`."""
        with self._lock:
            share = Usage(min((other.seconds for other in self._shares), default=0.0))
            self._shares.append(share)
            return share

    def leave(self, share: Usage) -> None:
        """Remove a caller and free all its places."""
        with self._lock:
            self._shares.remove(share)

    def acquire(self, share: Usage, given_up: Callable[[], bool]) -> Ticket | None:
        """Wait for a place and return its ticket. Return None if `given_up` returns True first."""
        turn = self.request(share)
        return turn if self._wait(turn, given_up) else None

    def request(self, share: Usage) -> Ticket:
        """Request a place without waiting; the ticket's event is set when the place is free."""
        turn = Ticket(share)
        with self._lock:
            self._waiting.append(turn)
            if self._free:
                self._free -= 1
                self._hand_on()
        return turn

    def position(self, turn: Ticket) -> int:
        """Return the position of a ticket in the queue, from 1; 0 once it has a place."""
        with self._lock:
            return self._waiting.index(turn) + 1 if turn in self._waiting else 0

    def withdraw(self, turn: Ticket) -> None:
        """Free a place, or cancel its request."""
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return
        self.release(turn)

    def pass_on(self, turn: Ticket, given_up: Callable[[], bool]) -> bool:
        """Free the place if other callers that used less time wait, and wait for a new place. Return False if
        `given_up` returns True first."""
        with self._lock:
            self._count(turn)
            others = [other.share for other in self._waiting if other.share is not turn.share]
            if all(other.seconds > turn.share.seconds for other in others):
                return True
            turn.called = threading.Event()
            self._waiting.append(turn)
            self._hand_on()
        return self._wait(turn, given_up)

    def release(self, turn: Ticket) -> None:
        """Free a place."""
        with self._lock:
            self._count(turn)
            self._hand_on()

    def _count(self, turn: Ticket) -> None:
        now = monotonic()
        turn.share.seconds += now - turn.since
        turn.since = now

    def _hand_on(self) -> None:
        """Give a place that nobody holds to the one who used least, of several to who waits longest."""
        if not self._waiting:
            self._free += 1
            return
        turn = min(self._waiting, key=lambda waiting: waiting.share.seconds)
        self._waiting.remove(turn)
        turn.since = monotonic()
        turn.called.set()

    def _wait(self, turn: Ticket, given_up: Callable[[], bool]) -> bool:
        while not turn.called.wait(_POLL_SECONDS):
            if given_up():
                with self._lock:
                    if not turn.called.is_set():
                        self._waiting.remove(turn)
                        return False
        return True
