"""The model that is asked, and the test set that its answers are held against."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

import scoring
from pages.shared import jobs, scored
from pages.shared.inputs import Given
from pages.shared.scored import Outcome, Running
from pages.shared.single import memory
from scoring.models.submission import model_bytes
from scoring.single import nuclei, quality
from scoring.single.model import Opened, opened
from scoring.single.reference import Reference, reference, without
from scoring.single.subject import Subject, subject

MEASURING = "_measuring"


def asked(challenge_id: str, truth) -> Subject:
    """What the challenge asks a model, on this test set."""
    found = subject(challenge_id, getattr(truth, "categories", None))
    # One risk has no class names of its own: "positive" alone would say too much.
    return replace(found, classes=found.names) if found.outputs == 1 else found


def worker(wanted: Subject, given: Given) -> Outcome:
    """The model behind a door, opened for this session alone (`model.Opened`), or why it cannot be."""
    return _worker(wanted.challenge, wanted.classes, given.key, wanted, given)


def of_bytes(wanted: Subject, given: Given) -> Opened:
    """A worker of its own for work beside the page, which one thread at a time may use. Raises InputRefused."""
    return opened(wanted, model_bytes(given.source)[0])


def _end(outcome: Outcome) -> None:
    if outcome.value is not None:
        outcome.value.close()


def _lives(outcome: Outcome) -> bool:
    """A worker that was ended, by a limit for example, is opened anew."""
    return outcome.value is None or not outcome.value.ended


@st.cache_resource(max_entries=1, scope="session", show_spinner="Opening the model ...", validate=_lives, on_release=_end)
def _worker(challenge_id: str, classes: Sequence[str], key: str, _wanted: Subject, _given: Given) -> Outcome:
    return scored.attempt(of_bytes, _wanted, _given)


def detector(given: Given) -> Outcome:
    """A dense model of nuclei, opened for this session alone (`nuclei.Detector`), or why it cannot be."""
    return _detector(given.key, given)


@st.cache_resource(max_entries=1, scope="session", show_spinner="Opening the model ...", validate=_lives, on_release=_end)
def _detector(key: str, _given: Given) -> Outcome:
    return scored.attempt(lambda: nuclei.opened(model_bytes(_given.source)[0]))


def close() -> None:
    """End this session's workers: their memory may hold the last image."""
    _worker.clear()
    _detector.clear()


def standing(wanted: Subject, test_set: Given, title: str, truth, given: Given) -> Outcome | Running:
    """What the model says to the test set's cases (`reference.Reference`); `Running` while it is asked."""
    found = scored.predictions(wanted.challenge, test_set.key, given, truth, {})
    if isinstance(found, Running) or found.refused:
        return found
    return Outcome(_reference(wanted.challenge, test_set.key, given.key, wanted, truth, found.value, not test_set.own, title))


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _reference(
    challenge_id: str, truth_key: str, model_key: str, _wanted: Subject, _truth, _predictions, generated: bool, title: str
) -> Reference:
    return reference(_wanted, _truth, _predictions, generated, name=title)


def apart_from(held: Reference, case: int | None, key: tuple) -> Reference:
    """The reference without the case that is looked at, where it is one of its own; kept, because a temperature is fitted on it. key: names
    the test set and the model."""
    return held if case is None else memory.kept("apart", (*key, held.name, case), lambda: without(held, case))


def qualities(challenge_id: str, test_set: Given, truth) -> Outcome | Running:
    """The quality of every image of the test set, to rank others by; `Running` while they are measured."""
    content = (challenge_id, scoring.__version__, "quality", test_set.key)
    runs = scored.own_runs() if test_set.own else scored.shared_runs()
    found = scored.run(content, "images", partial(quality.measured, truth), runs)
    if isinstance(found, Running):
        st.session_state[MEASURING] = found
    return found


def measure_later() -> None:
    """Make way in the queue for what the visitor asked for."""
    found = st.session_state.pop(MEASURING, None)
    if found is not None:
        found.job.stop.set()
        jobs.queue().forget(found.key)
