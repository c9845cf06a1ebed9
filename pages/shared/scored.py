"""From the two doors to a scorecard: read, run and score, each computed once per content and never for another's file by mistake.

Every cache key is a SHA-256 of bytes, the challenge and the scorer's version; what was uploaded itself is kept in its own session only.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

import scoring
from pages.shared import inputs, jobs
from pages.shared.inputs import Given
from scoring import samples
from scoring.models.pool import Cancelled
from scoring.models.preprocessing import ImageUnreadable
from scoring.models.process import ModelFailed
from scoring.readers.sources import open_source
from scoring.scorecard import ScoreCard

SESSION_TRUTHS, SHARED_CARDS, SHARED_RUNS = 2, 32, 32


@dataclass(frozen=True)
class Outcome:
    """What came of a step: a value, or the refusal that a page shows instead."""

    value: object = None
    refused: scoring.InputRefused | None = None


def attempt(work, *arguments, **options) -> Outcome:
    """A refusal as a value, so that it is cached and shown like any result."""
    try:
        return Outcome(work(*arguments, **options))
    except scoring.InputRefused as refused:
        return Outcome(refused=refused)


def truth(challenge_id: str, given: Given) -> Outcome:
    """The test set behind a door."""
    read = _own_truth if given.own else _sample_truth
    return read(challenge_id, scoring.__version__, (given.key, given.name), given)


@st.cache_resource(max_entries=8, show_spinner=False)
def _sample_truth(challenge_id: str, version: str, key: tuple, _given: Given) -> Outcome:
    return attempt(scoring.load_challenge(challenge_id).read_truth, _given.source, _given.name)


@st.cache_resource(max_entries=SESSION_TRUTHS, scope="session", show_spinner="Reading the test set ...")
def _own_truth(challenge_id: str, version: str, key: tuple, _given: Given) -> Outcome:
    return attempt(scoring.load_challenge(challenge_id).read_truth, _given.source, _given.name)


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner="Scoring ...", hash_funcs={Given: lambda given: (given.key, given.name)})
def card(challenge_id: str, version: str, truth_key: tuple, submission_key: tuple, options: tuple, _truth, _predictions) -> Outcome:
    """The scorecard of predictions that were read or run. Keys: (SHA-256, name), for findings say names; options: sorted (name, value) pairs of `score`."""
    return attempt(_score, challenge_id, dict(options), _truth, _predictions)


def _score(challenge_id: str, options: dict, truth, predictions) -> ScoreCard:
    sources = {name: open_source(value.source, value.name) for name, value in options.items() if isinstance(value, Given)}
    return scoring.load_challenge(challenge_id).score(truth, predictions, **{**options, **sources})


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner="Reading the predictions ...")
def _read(challenge_id: str, version: str, truth_key: str, submission_key: tuple, options: tuple, _truth, _given: Given) -> Outcome:
    return attempt(scoring.load_challenge(challenge_id).read_predictions, _given.source, _truth, _given.name, **dict(options))


@st.cache_resource(max_entries=1)
def _runs() -> dict:
    """Finished model runs by content, oldest first; written by the queue's one thread."""
    return {}


def predictions(challenge_id: str, truth_key: str, given: Given, truth, missing: str | None) -> Outcome | jobs.Job:
    """The predictions behind a door; a job while a model still runs or after it was stopped."""
    if not given.is_model:
        return _read(
            challenge_id, scoring.__version__, truth_key, (given.key, given.name), options(missing=missing) if missing else (), truth, given
        )
    content = (challenge_id, scoring.__version__, truth_key, given.key, given.name)
    if content in _runs():
        return _runs()[content]
    runs = _runs()

    def work(job: jobs.Job) -> Outcome:
        if content in runs:
            return runs[content]  # another session's run of the same files ended while this one waited
        outcome = attempt(scoring.load_challenge(challenge_id).predict, given.source, truth, job.progress, job.cancelled, given.name)
        while len(runs) >= SHARED_RUNS:
            runs.pop(next(iter(runs)))
        runs[content] = outcome
        return outcome

    job = jobs.queue().submit((jobs.session_id(), *content), work)
    return job.future.result() if job.future.done() and job.future.exception() is None else job


def running(challenge_id: str, truth_key: str, given: Given, job: jobs.Job) -> None:
    """What stands in place of a score while a model runs, or after it was stopped."""
    key = (jobs.session_id(), challenge_id, scoring.__version__, truth_key, given.key, given.name)
    if not job.future.done():
        jobs.watch(job, key, "images")
        return
    problem = job.future.exception()
    if problem is None:
        st.rerun()  # it ended after the page had asked for its result
    if isinstance(problem, Cancelled):
        st.info("The run was cancelled. Nothing was scored; the files are still here.", icon=":material/stop_circle:")
    else:
        st.error("The run ended unexpectedly. Nothing was scored; the files are still here.", icon=":material/error:")
    if st.button("Run again", key="run_again", icon=":material/replay:"):
        jobs.queue().forget(key)
        st.rerun()


def of_card(name: str, shown, work) -> object:
    """`work(card)` for a card that is shown, computed once. name: of the work. shown: a `workbench.Shown`."""
    provenance = shown.card.provenance
    return _of_card(
        name,
        shown.card.challenge,
        scoring.__version__,
        shown.truth_key,
        shown.given.key,
        repr((provenance["options"], provenance["unit"])),
        shown.card,
        work,
    )


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner=False)
def _of_card(
    name: str, challenge_id: str, version: str, truth_key: str, submission_key: str, options: str, _card: ScoreCard, _work
) -> object:
    return _work(_card)


def official_message(challenge_id: str, test_set: Given, given: Given) -> Outcome:
    """What the official scorer would say of a prediction file, None where it accepts it."""
    return _official_message(challenge_id, scoring.__version__, test_set.key, (given.key, given.name), test_set, given)


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner=False)
def _official_message(challenge_id: str, version: str, truth_key: str, submission_key: tuple, _test_set: Given, _given: Given) -> Outcome:
    return attempt(scoring.load_challenge(challenge_id).official_message, _given.source, _test_set.source, _given.name)


def options(**values) -> tuple:
    """Keyword arguments of `score` as a key."""
    return tuple(sorted(values.items()))


def _attempt_picture(work, *arguments) -> Outcome:
    """Like `attempt`, for work on one picture or model that can fail in more ways."""
    try:
        return Outcome(work(*arguments))
    except (scoring.InputRefused, ImageUnreadable, ModelFailed) as refused:
        return Outcome(refused=refused)


# What is drawn from uploaded pictures stays in the session that brought them.
@st.cache_resource(max_entries=24, scope="session", show_spinner=False)
def thumbnails(challenge_id: str, truth_key: str, places: tuple[int, ...], _truth) -> list[bytes | None]:
    """JPEG thumbnails of some cases."""
    return scoring.load_challenge(challenge_id).thumbnails(_truth, places)


def received(challenge_id: str, truth_key: str, index: int, model: Mapping | None, truth) -> Outcome:
    """The pixels that a model received of one case."""
    return _received(challenge_id, truth_key, index, repr(model["inputs"]) if model else "", truth, model)


@st.cache_resource(max_entries=24, scope="session", show_spinner=False)
def _received(challenge_id: str, truth_key: str, index: int, shape: str, _truth, _model) -> Outcome:
    outcome = _attempt_picture(scoring.load_challenge(challenge_id).received, _truth, index, _model)
    return outcome if outcome.refused else Outcome(outcome.value[0])


@st.cache_resource(max_entries=24, scope="session", show_spinner="Asking the model ...")
def sweep(challenge_id: str, truth_key: str, model_key: str, index: int, _truth, _given: Given) -> Outcome:
    """A model's outputs for one case under other demographics."""
    return _attempt_picture(scoring.load_challenge(challenge_id).sweep, _given.source, _truth, index)


def sample_cards(challenge_id: str) -> list[tuple[str, scoring.ScoreCard]]:
    """Title and scorecard of the prediction files of a challenge's first sample, best first."""
    sample = next(iter(samples.test_sets(challenge_id).values()))
    given = inputs.sample_set(sample)
    cases = truth(challenge_id, given).value
    found = []
    for team in (s for s in sample.submissions.values() if not s.is_model):
        submitted = inputs.sample_submission(team)
        usual = {"missing": "refuse", "model_size_mib": team.size_mib}
        chosen = {
            name: value for name, value in usual.items() if f"--{name.replace('_', '-')}" in scoring.load_challenge(challenge_id).ARGUMENTS
        }
        read = predictions(challenge_id, given.key, submitted, cases, chosen.get("missing")).value
        outcome = card(
            challenge_id, scoring.__version__, (given.key, given.name), (submitted.key, submitted.name), options(**chosen), cases, read
        )
        found.append((team.title, outcome.value))
    return sorted(found, key=lambda item: -item[1].score)
