"""Long work beside the page: a queue that goes on while pages are drawn anew, shows how far it is, and can be
stopped."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import streamlit as st

KEPT_JOBS = 64
ABANDONED_SECONDS = 600
POLL_SECONDS = 0.5


@dataclass
class Job:
    """One piece of work.

    Attributes:
        done: Steps that are done, of `total`; 0 of 0 while that is not known.
        total: Steps in all.
        begun: When it began (`time.monotonic`), None while it waits.
        seen: When a page last showed it.
        stop: Set to make it end.
        future: Its result; set by the queue that it is submitted to.
    """

    done: int = 0
    total: int = 0
    begun: float | None = None
    seen: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)
    future: Future[object] = field(init=False, repr=False, compare=False)

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def cancelled(self) -> bool:
        """Return whether somebody stopped it, or everybody left long ago."""
        return self.stop.is_set() or time.monotonic() - self.seen > ABANDONED_SECONDS

    @property
    def seconds_left(self) -> float | None:
        if self.begun is None or not self.done:
            return None
        return (time.monotonic() - self.begun) / self.done * (self.total - self.done)


class JobQueue:
    """Runs one job after another. A key belongs to a session and to what is computed, so that nobody stops
    another's work."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="job")
        self._jobs: OrderedDict[tuple, Job] = OrderedDict()
        self._lock = threading.Lock()

    def submit(self, key: tuple, work: Callable[[Job], object]) -> Job:
        """Start `work(job)` once per key; asking again gives the same job, also one that was stopped (see
        `forget`)."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = Job()
                job.future = self._pool.submit(self._run, job, work)
                self._drop_finished()
            job.seen = time.monotonic()
            return job

    def forget(self, key: tuple) -> None:
        """The next `submit` of this key starts anew."""
        with self._lock:
            self._jobs.pop(key, None)

    def ahead_of(self, job: Job) -> int:
        """How many unfinished jobs stand before this one."""
        with self._lock:
            before = list(self._jobs.values())
            return (
                sum(not other.future.done() for other in before[: before.index(job)]) if job in before else 0
            )

    def _drop_finished(self) -> None:
        for key in [k for k, job in self._jobs.items() if job.future.done()][
            : max(0, len(self._jobs) - KEPT_JOBS)
        ]:
            del self._jobs[key]

    @staticmethod
    def _run(job: Job, work: Callable[[Job], object]) -> object:
        job.begun = time.monotonic()
        return work(job)


@st.cache_resource
def queue() -> JobQueue:
    """The one queue of this server."""
    return JobQueue()


def session_id() -> str:
    """A random name of this session, for keys."""
    return st.session_state.setdefault("_session", secrets.token_hex(8))


def watch(job: Job, key: tuple, what: str) -> None:
    """Show how far a running job is, with a button that stops it; draw the whole page again when it has
    ended."""

    @st.fragment(run_every=POLL_SECONDS)
    def progress() -> None:
        job.seen = time.monotonic()
        if job.future.done():
            st.rerun()
        waiting = queue().ahead_of(job) if job.begun is None else 0
        left = job.seconds_left
        if waiting:
            words = f"Waiting for {waiting} other run{'s' * (waiting > 1)}"
        else:
            words = (f"{job.done} of {job.total} {what}" if job.total else "Starting ...") + (
                f", about {left:.0f} s left" if left is not None else ""
            )
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.progress(min(1.0, job.done / max(job.total, 1)), words)
            if st.button("Cancel", key=f"cancel_{abs(hash(key))}", icon=":material/stop_circle:"):
                job.stop.set()

    progress()
