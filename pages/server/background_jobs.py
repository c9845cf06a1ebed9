"""Queue of long background jobs: progress, position in the queue, remaining time, stop."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import monotonic

import streamlit as st

from pages.server.streamlit_internals import presence
from scoring.inference.model_pool import Cancelled

RUNNING_JOBS, LONG_JOBS = 4, 8
"""Maximum number of short jobs at the same time, one per session; and the number of further jobs, if jobs
have run or waited for long. Jobs with models take turns image by image."""
LONG_SECONDS, ENDED_SECONDS = 20, 60
"""Time after which a running job counts as long, and a waiting job starts although short jobs run. Time
after which the longest job ends, if too many jobs run."""
KEPT_JOBS = 64
GONE_SECONDS, UNSEEN_SECONDS = 30, 600
"""Time after which a job ends if its session left, or if no page of the session shows it."""
BUDGET_SECONDS = 3600
"""Maximum time of a job while other sessions wait."""
POLL_SECONDS = 0.5


@dataclass
class Owner:
    """The session that started a job.

    Attributes:
        present: Whether it is connected.
        met: When it was last connected.
    """

    present: Callable[[], bool] = lambda: True
    met: float = field(default_factory=lambda: monotonic())

    def is_gone(self) -> bool:
        """Return whether it left long ago."""
        now = monotonic()
        if self.present():
            self.met = now
        return now - self.met > GONE_SECONDS


@dataclass
class Job:
    """A piece of work.

    Attributes:
        done: Number of finished steps of `total`; 0 of 0 if unknown.
        asked: Time of submission (`time.monotonic`).
        begun: Start time, None while it waits.
        seen: When a page last showed it.
        crowded: Whether jobs of other sessions wait.
        overdue: Whether it was ended because it exceeded the time limit while others waited.
    """

    done: int = 0
    total: int = 0
    asked: float = field(default_factory=lambda: monotonic())
    begun: float | None = None
    seen: float = field(default_factory=lambda: monotonic())
    stop: threading.Event = field(default_factory=threading.Event)
    owner: Owner = field(default_factory=Owner, repr=False, compare=False)
    crowded: Callable[[], bool] = field(default=lambda: False, repr=False, compare=False)
    overdue: bool = False
    future: Future[object] = field(default_factory=Future, repr=False, compare=False)

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def cancelled(self) -> bool:
        """Return whether it was stopped, everybody left, or it exceeded its time limit."""
        late = self.seconds > BUDGET_SECONDS
        if late and not self.overdue and self.crowded():
            self.overdue = True
        return self.stop.is_set() or self.abandoned or self.overdue

    @property
    def abandoned(self) -> bool:
        """Whether its session left, or no page of the session has shown the job for long."""
        return self.owner.is_gone() or monotonic() - self.seen > UNSEEN_SECONDS

    @property
    def seconds(self) -> float:
        """Running time so far."""
        return 0.0 if self.begun is None else monotonic() - self.begun

    @property
    def seconds_left(self) -> float | None:
        if self.begun is None or not self.done:
            return None
        return self.seconds / self.done * (self.total - self.done)


Work = Callable[[Job], object]


class JobQueue:
    """Runs a few jobs at the same time, one per session; the session that waited longest is next. A key
    contains the session and the computation, so that no session can stop another's work."""

    def __init__(self, running: int = RUNNING_JOBS) -> None:
        self._most = running
        self._jobs: OrderedDict[tuple, Job] = OrderedDict()
        self._waiting: OrderedDict[str, list[tuple[Job, Work]]] = OrderedDict()
        self._running: dict[str, Job] = {}
        self._lock = threading.RLock()

    def submit(self, key: tuple, work: Work) -> Job:
        """Start `work(job)` once per key; later calls return the same job, also a stopped one (see
        `forget`)."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = Job(owner=Owner(presence()), crowded=lambda: self._others_wait(key[0]))
                self._jobs[key] = job
                self._waiting.setdefault(key[0], []).append((job, work))
                self._start()
                self._drop_finished()
            job.seen = monotonic()
            return job

    def forget(self, key: tuple) -> None:
        """Let the next `submit` with this key start again."""
        with self._lock:
            self._jobs.pop(key, None)

    def replace(self, key: tuple) -> bool:
        """Stop the job of a key because another replaces it; the next `submit` with this key starts again.

        Returns:
            Whether it was still active.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.future.done() or job.cancelled():
                return False
            self.stop(job)
            self.forget(key)
            return True

    def stop(self, job: Job) -> None:
        """End a job; a waiting job ends at once."""
        job.stop.set()
        with self._lock:
            self._leave()

    def ahead_of(self, job: Job) -> int:
        """Return the number of running and waiting jobs before a waiting job."""
        with self._lock:
            self._start()
            if job.begun is not None:
                return 0
            ahead = min(len(self._running), self._most)
            return self._turns().index(job) + ahead if job in self._turns() else 0

    def _others_wait(self, session: str) -> bool:
        return any(other != session for other in [*self._waiting])

    def _turns(self) -> list[Job]:
        """The jobs that wait, in the order in which they would start: of each session the first, then of each
        the second."""
        waiting = list(self._waiting.values())
        rounds = range(max(map(len, waiting), default=0))
        return [jobs[turn][0] for turn in rounds for jobs in waiting if turn < len(jobs)]

    def _start(self) -> None:
        self._leave()
        for session in list(self._waiting):
            if session not in self._running:
                if not self._has_room(self._waiting[session][0][0]):
                    return
                job, work = self._waiting[session].pop(0)
                self._running[session] = job
                job.begun = monotonic()
                self._tidy(session)
                threading.Thread(target=self._run, args=(session, job, work), name="job", daemon=True).start()

    def _has_room(self, job: Job) -> bool:
        """Return whether a job may begin; where too many go on, the longest is told to end."""
        running = [*self._running.values()]
        short = [other for other in running if other.seconds <= LONG_SECONDS]
        has_waited = monotonic() - job.asked > LONG_SECONDS
        if len(short) >= self._most and not has_waited:
            return False
        if len(running) < self._most + LONG_JOBS:
            return True
        longest = max(running, key=lambda other: other.seconds)
        if longest.seconds > ENDED_SECONDS and not any(other.overdue for other in running):
            longest.overdue = True
        return False

    def _leave(self) -> None:
        """Remove waiting jobs that are no longer needed."""
        for session, jobs in list(self._waiting.items()):
            for entry in [entry for entry in jobs if entry[0].cancelled()]:
                jobs.remove(entry)
                entry[0].future.set_exception(Cancelled())
            self._tidy(session)

    def _tidy(self, session: str) -> None:
        """Let a session wait at the end of the line, or nowhere if nothing of it waits."""
        jobs = self._waiting[session]
        if not jobs:
            del self._waiting[session]
        elif session in self._running:
            self._waiting.move_to_end(session)

    def _drop_finished(self) -> None:
        finished = [key for key, job in self._jobs.items() if job.future.done()]
        for key in finished[: max(0, len(self._jobs) - KEPT_JOBS)]:
            del self._jobs[key]

    def _run(self, session: str, job: Job, work: Work) -> None:
        try:
            result = work(job)
        except BaseException as fault:
            self._end(session)
            job.future.set_exception(fault)
        else:
            self._end(session)
            job.future.set_result(result)

    def _end(self, session: str) -> None:
        with self._lock:
            del self._running[session]
            self._start()


@st.cache_resource
def queue() -> JobQueue:
    """Return the queue of this server."""
    return JobQueue()


def session_id() -> str:
    """Return a random name of this session, for keys."""
    return st.session_state.setdefault("_session", secrets.token_hex(8))


def watch(job: Job, key: tuple, unit: str, each: bool = False) -> None:
    """Draw the progress of a running job with a stop button; redraw the whole page when it has ended, and
    with `each` after every step."""
    drawn = job.done

    @st.fragment(run_every=POLL_SECONDS)
    def progress() -> None:
        job.seen = monotonic()
        if job.future.done() or (each and job.done != drawn):
            st.rerun()
        waiting = queue().ahead_of(job)
        seconds = job.seconds_left
        if waiting:
            label = f"Waiting for {waiting} other run{'s' * (waiting > 1)}"
        else:
            label = (f"{job.done} of {job.total} {unit}" if job.total else "Starting ...") + (
                f", about {seconds:.0f} s left" if seconds is not None else ""
            )
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.progress(min(1.0, job.done / max(job.total, 1)), label)
            # A callback: a click must not be lost where the page is drawn again first.
            st.button(
                "Cancel",
                key=f"cancel_{abs(hash(key))}",
                icon=":material/stop_circle:",
                on_click=queue().stop,
                args=(job,),
            )
        if job.begun is not None and (seconds is None or seconds > BUDGET_SECONDS / 2):
            st.caption(
                f"While other runs wait, a run is stopped after {BUDGET_SECONDS // 60} minutes; "
                f"if {RUNNING_JOBS + LONG_JOBS} runs are active, the longest is stopped after "
                f"{ENDED_SECONDS} s."
            )

    progress()
