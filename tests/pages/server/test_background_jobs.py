"""The queue of long work is fair: sessions take turns, those who left make way, and nobody waits unseen."""

import threading
import time
from concurrent.futures import wait

import pytest

from pages.server import background_jobs
from pages.server.background_jobs import JobQueue
from scoring.inference.model_pool import Cancelled

PATIENCE = 30


class Slow:
    """A fake long job: it begins, and ends when it is let go or cancelled."""

    def __init__(self, name: str, order: list[str]):
        self.name, self._order = name, order
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self, job: background_jobs.Job) -> str:
        self._order.append(self.name)
        self.begun.set()
        while not self.let_go.wait(0.005):
            if job.cancelled():
                raise Cancelled
        return self.name


@pytest.fixture
def slow():
    """Makes slow jobs; `order` is that in which they began."""
    made, order = [], []

    def make(name: str) -> Slow:
        made.append(Slow(name, order))
        return made[-1]

    make.order = order
    yield make
    for work in made:
        work.let_go.set()


def begins(work: Slow) -> None:
    assert work.begun.wait(PATIENCE), f"{work.name} did not begin"


def pass_time(queue: JobQueue, now: list[float], seconds: float) -> None:
    """Set the clock on, while pages show every job."""
    now[0] += seconds
    for job in queue._jobs.values():
        job.seen = now[0]


def await_turn(queue: JobQueue, job: background_jobs.Job) -> None:
    """Ask for a job as a page does, until those who make way have ended."""
    until = time.monotonic() + PATIENCE
    while job.begun is None and time.monotonic() < until:
        queue.ahead_of(job)


def ends(job: background_jobs.Job) -> object:
    return job.future.result(PATIENCE)


def test_a_slow_job_of_one_session_does_not_hold_up_another(slow):
    queue = JobQueue(2)
    hog, quick = slow("hog"), slow("quick")
    queue.submit(("a", 1), hog)
    begins(hog)
    job = queue.submit(("b", 1), quick)
    begins(quick)
    quick.let_go.set()
    assert ends(job) == "quick"
    assert not hog.let_go.is_set()


def test_what_replaces_a_job_ends_it_and_it_can_begin_anew(slow):
    queue = JobQueue(4)
    old, new, again = slow("old"), slow("new"), slow("old")
    replaced = queue.submit(("a", 1), old)
    begins(old)
    assert queue.replace(("a", 1))
    assert replaced.cancelled()
    assert not queue.replace(("a", 1))
    queue.submit(("a", 2), new)
    old.let_go.set()
    begins(new)
    job = queue.submit(("a", 1), again)
    assert job is not replaced
    for work in (new, again):
        work.let_go.set()
    assert ends(job) == "old"
    assert not queue.replace(("a", 1))


def test_a_session_has_one_running_job(slow):
    queue = JobQueue(4)
    first, second = slow("first"), slow("second")
    queue.submit(("a", 1), first)
    begins(first)
    later = queue.submit(("a", 2), second)
    assert queue.ahead_of(later) == 1
    assert not second.begun.is_set()
    first.let_go.set()
    begins(second)


def test_sessions_take_turns(slow):
    """One who asked for four things first does not go before those who ask for one each."""
    queue = JobQueue(1)
    names = ("a1", "a2", "a3", "a4", "b1", "b2", "c1")
    works = {name: slow(name) for name in names}
    found = {name: queue.submit((name[0], name), work) for name, work in works.items()}
    begins(works["a1"])
    assert [queue.ahead_of(found[name]) for name in ("b1", "c1", "a2", "b2", "a3")] == [1, 2, 3, 4, 5]
    for work in works.values():
        work.let_go.set()
    wait([job.future for job in found.values()], PATIENCE)
    assert slow.order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]


def test_a_waiting_job_that_is_stopped_ends_at_once_and_is_never_begun(slow):
    queue = JobQueue(1)
    hog, waiting = slow("hog"), slow("waiting")
    queue.submit(("a", 1), hog)
    job = queue.submit(("b", 1), waiting)
    queue.stop(job)
    with pytest.raises(Cancelled):
        ends(job)
    assert queue.ahead_of(job) == 0
    assert slow.order == ["hog"]


def test_a_job_ends_30_seconds_after_its_session_left(slow, monkeypatch):
    now, here = [0.0], {"a": True, "b": True}
    monkeypatch.setattr(background_jobs, "monotonic", lambda: now[0])
    queue, works = JobQueue(1), {name: slow(name) for name in "ab"}
    found = {}
    for name, work in works.items():
        monkeypatch.setattr(background_jobs, "presence", lambda name=name: lambda: here[name])
        found[name] = queue.submit((name, 1), work)
    begins(works["a"])
    now[0] = 100.0
    assert not found["a"].cancelled(), "its session is there, though no page showed it for a while"
    here["a"] = False
    now[0] = 129.0
    assert not found["a"].cancelled()
    now[0] = 131.0
    with pytest.raises(Cancelled):
        ends(found["a"])
    begins(works["b"])


def test_what_waits_is_given_up_too_when_its_session_left(slow, monkeypatch):
    now, here = [0.0], {"a": True, "b": False, "c": True}
    monkeypatch.setattr(background_jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(background_jobs, "LONG_SECONDS", 99)
    queue, works = JobQueue(1), {name: slow(name) for name in "abc"}
    found = {}
    for name, work in works.items():
        monkeypatch.setattr(background_jobs, "presence", lambda name=name: lambda: here[name])
        found[name] = queue.submit((name, 1), work)
    assert queue.ahead_of(found["c"]) == 2
    now[0] = 31.0
    assert queue.ahead_of(found["c"]) == 1
    with pytest.raises(Cancelled):
        ends(found["b"])


def test_a_job_beyond_its_time_makes_way_for_those_who_wait_only(slow, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(background_jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(background_jobs, "LONG_SECONDS", background_jobs.BUDGET_SECONDS + 9)
    queue, hog, other = JobQueue(1), slow("hog"), slow("other")
    job = queue.submit(("a", 1), hog)
    begins(hog)
    now[0] = job.seen = background_jobs.BUDGET_SECONDS + 1.0
    assert not job.cancelled()
    job.seen = now[0]
    queue.submit(("b", 1), other)
    with pytest.raises(Cancelled):
        ends(job)
    assert job.overdue
    begins(other)


def test_a_newcomer_begins_beside_jobs_that_take_long(slow, monkeypatch):
    """However many sessions hold the queue with slow models, and nobody waits longer than a minute."""
    now = [0.0]
    monkeypatch.setattr(background_jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(background_jobs, "LONG_JOBS", 2)
    queue, hogs = JobQueue(2), [slow(f"hog {i}") for i in range(6)]
    for turn in range(3):
        pair = hogs[2 * turn : 2 * turn + 2]
        for hog in pair:
            queue.submit((hog.name, 1), hog)
            begins(hog)
        newcomer = queue.submit((f"newcomer {turn}", 1), slow(f"newcomer {turn}"))
        assert newcomer.begun is None
        pass_time(queue, now, background_jobs.ENDED_SECONDS + 1)
        await_turn(queue, newcomer)
        assert newcomer.begun == now[0]
        queue.stop(newcomer)
        with pytest.raises(Cancelled):
            ends(newcomer)
    overdue = [key[0] for key, job in queue._jobs.items() if job.overdue]
    assert overdue == ["hog 0", "hog 1", "hog 2"], "the longest make way, one for each that begins"


def test_a_newcomer_behind_a_line_of_slow_jobs_waits_a_minute_and_no_longer(slow, monkeypatch):
    """Twelve sessions ask for slow runs in the same second, then somebody else, who has 20 s for a result."""
    now = [0.0]
    monkeypatch.setattr(background_jobs, "monotonic", lambda: now[0])
    queue, hogs = JobQueue(), [slow(f"hog {i}") for i in range(12)]
    for hog in hogs:
        queue.submit((hog.name, 1), hog)
    newcomer = queue.submit(("newcomer", 1), slow("newcomer"))
    pass_time(queue, now, 21)
    queue.ahead_of(newcomer)
    for hog in hogs:
        begins(hog)
    pass_time(queue, now, 38)
    queue.ahead_of(newcomer)
    assert newcomer.begun is None
    assert not any(job.overdue for job in queue._jobs.values()), "each has a minute of its own"
    pass_time(queue, now, 2)
    await_turn(queue, newcomer)
    assert newcomer.begun == 61
    assert [key[0] for key, job in queue._jobs.items() if job.overdue] == ["hog 0"], "one makes way"


def test_many_who_wait_do_not_end_what_has_just_begun(slow, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(background_jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(background_jobs, "LONG_JOBS", 1)
    queue, hogs = JobQueue(1), [slow(f"hog {i}") for i in range(5)]
    for hog in hogs:
        queue.submit((hog.name, 1), hog)
    pass_time(queue, now, background_jobs.ENDED_SECONDS + 1)
    last = queue.submit(("hog 4", 1), hogs[4])
    queue.ahead_of(last)
    for index in range(3):
        begins(hogs[index])
    queue.ahead_of(last)
    assert [key[0] for key, job in queue._jobs.items() if job.overdue] == ["hog 0"]
    assert not hogs[3].begun.is_set()


def test_a_failure_is_kept_and_the_next_job_begins(slow):
    queue, after = JobQueue(1), slow("after")
    failed = queue.submit(("a", 1), lambda job: 1 / 0)
    queue.submit(("a", 2), after)
    with pytest.raises(ZeroDivisionError):
        ends(failed)
    begins(after)
    assert queue.submit(("a", 1), after) is failed
    queue.forget(("a", 1))
    assert queue.submit(("a", 1), after) is not failed
