"""Session state of the current image: never in a shared cache, and removed with the image."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import FinishedRuns, Outcome, Running
from pages.display import downloads
from pages.server import background_jobs
from scoring.inference.model_pool import Cancelled

PREFIX = "_single_"
JOBS, RUNS, AWAITED = f"{PREFIX}jobs", f"{PREFIX}runs", f"{PREFIX}awaited"
KEPT_RUNS = 4


def cached(name: str, key: object, work: Callable[[], Any]) -> Any:
    """Return the result of `work()`, computed once per key; only the last key of each name is remembered."""
    held = st.session_state.get(f"{PREFIX}{name}")
    if held is None or held[0] != key:
        held = st.session_state[f"{PREFIX}{name}"] = (key, work())
    return held[1]


def drop(name: str) -> None:
    """Forget the cached result of a name."""
    st.session_state.pop(f"{PREFIX}{name}", None)


def held(name: str, key: object) -> bool:
    """Return whether `cached` has a result for this key."""
    return st.session_state.get(f"{PREFIX}{name}", (None,))[0] == key


def beside(key: tuple, counts: str, work: Callable) -> Outcome | Running:
    """Run long work on the image in the queue: `work(progress=, cancelled=)`, with its outcome in this
    session. key: contains no data of a visitor's image."""
    box = [work]
    outcome = scoring_run.run(
        key, counts, partial(_unpacked, box), st.session_state.setdefault(RUNS, FinishedRuns(KEPT_RUNS)), 0
    )
    st.session_state.pop(AWAITED, None)
    waiting = st.session_state.setdefault(JOBS, {})
    if not isinstance(outcome, Running):
        waiting.pop((background_jobs.session_id(), *key), None)
    elif waiting.get(outcome.key, (None,))[0] is not outcome.job:
        waiting[outcome.key] = (outcome.job, box)
    return outcome


def _unpacked(box: list[Callable], progress: Callable, cancelled: Callable) -> object:
    """Return the work in a box; one that was emptied while it waited is none. The queue belongs to all and
    must not hold on to an image."""
    if not box:
        raise Cancelled
    return box[0](progress=progress, cancelled=cancelled)


def outcome(key: tuple) -> Outcome | None:
    """Return the outcome of long work, None if there is none."""
    return st.session_state.get(RUNS, FinishedRuns(KEPT_RUNS)).outcomes.get(key)


def await_work() -> None:
    """Announce that long work on the image comes next, so that nothing else goes before it in the queue."""
    st.session_state[AWAITED] = True


def working() -> bool:
    """Return whether long work on the image is running or comes next."""
    return st.session_state.get(AWAITED, False) or any(
        not job.future.done() for job, _ in st.session_state.get(JOBS, {}).values()
    )


def stop_others(model_key: object) -> None:
    """Stop long work for other models than this one: the visitor's next work would wait for it."""
    jobs = st.session_state.get(JOBS, {})
    for key in [key for key in jobs if model_key not in key]:
        _end(key, *jobs.pop(key))


def _end(key: tuple, job: background_jobs.Job, box: list[Callable]) -> None:
    background_jobs.queue().stop(job)
    box.clear()
    background_jobs.queue().forget(key)


def forget() -> None:
    """Free everything that is stored, and stop its work."""
    for key, (job, box) in st.session_state.get(JOBS, {}).items():
        _end(key, job, box)
    downloads.forget_own()
    for name in [name for name in st.session_state if str(name).startswith(PREFIX)]:
        del st.session_state[name]
