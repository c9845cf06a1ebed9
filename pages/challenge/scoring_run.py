"""Scoring run of a page: test set and submission are read, run and scored once per content.

Every cache key consists of the SHA-256 of the bytes, the challenge and the scorer's version. Uploads are
stored only in their own session.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

import scoring
from pages.input_widgets import dropped_files, selectors
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs, memory_budget
from scoring.challenges import samples
from scoring.core.scorecard import ScoreCard
from scoring.inference.cluster.scheduler import ClusterUnusable
from scoring.inference.model_pool import Cancelled
from scoring.inference.preprocessing import ImageUnreadable
from scoring.inference.worker_results import ModelFailed
from scoring.inputs.sources import Source, open_source

SESSION_TRUTHS, SESSION_RUNS, SHARED_CARDS, SHARED_RUNS = 2, 4, 32, 32
SHORT_SECONDS = 2.0
MADE_ROOM = "The run was stopped: it exceeded its time limit while other runs were waiting."
STILL_HERE = "Nothing was scored; your files are still here."


@dataclass(frozen=True)
class Outcome:
    """The result of a step: a value, or the refusal that a page shows instead."""

    value: Any = None
    refused: scoring.InputRefused | None = None


@dataclass(frozen=True)
class PictureOutcome:
    """The result of work on one picture: a value, or a text with the reason why there is none ("" if there is
    one)."""

    value: Any = None
    refused: str = ""


@dataclass(frozen=True)
class Running:
    """A step that runs in the background. key: key of the job in the queue. counts: unit of its progress."""

    job: background_jobs.Job
    key: tuple
    counts: str


@dataclass(frozen=True)
class FinishedRuns:
    """Outcomes of long work by content, oldest first, at most `most` of them; the queue's threads write
    them."""

    most: int
    outcomes: dict[tuple, Outcome] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def keep(self, content: tuple, outcome: Outcome) -> None:
        with self.lock:
            while len(self.outcomes) >= self.most:
                self.outcomes.pop(next(iter(self.outcomes)))
            self.outcomes[content] = outcome


def attempt(work, *arguments, **options) -> Outcome:
    """Return a refusal as a value, so that it is cached and shown like a result."""
    try:
        return Outcome(work(*arguments, **options))
    except scoring.InputRefused as refused:
        return Outcome(refused=refused)


def _readable(chosen_input: ChosenInput) -> Source:
    """Return the source of an input; a table that was just dropped is parsed already."""
    return (
        dropped_files.take_parsed(chosen_input.key, chosen_input.name) if chosen_input.own else None
    ) or chosen_input.source


def truth(challenge_id: str, chosen_input: ChosenInput, chosen: Mapping | None = None) -> Outcome | Running:
    """Read the chosen test set; return `Running` while a large one is read, or after that was stopped.
    chosen: options; only those for reading a test set are used."""
    challenge = scoring.load_challenge(challenge_id)
    if chosen_input.problems:
        return Outcome(refused=scoring.InputRefused(chosen_input.problems))
    needed = challenge.needed("truth", chosen or {})
    if chosen_input.own and challenge.readers.counts:
        named = (chosen_input.key, chosen_input.name)
        content = (challenge_id, scoring.__version__, "truth", *named, *options(**needed))
        read = partial(challenge.read_truth, _readable(chosen_input), chosen_input.name, **needed)
        return run(content, challenge.readers.counts, read, own_runs(), SHORT_SECONDS)
    key = (chosen_input.key, chosen_input.name)
    if chosen_input.own:
        return memory_budget.bound_own(
            _own_truth,
            challenge_id=challenge_id,
            version=scoring.__version__,
            key=key,
            chosen=options(**needed),
            _chosen_input=chosen_input,
        )
    return _sample_truth(challenge_id, scoring.__version__, key, chosen_input)


@st.cache_resource(max_entries=8, show_spinner=False)
def _sample_truth(challenge_id: str, version: str, key: tuple, _chosen_input: ChosenInput) -> Outcome:
    return attempt(scoring.load_challenge(challenge_id).read_truth, _chosen_input.source, _chosen_input.name)


@st.cache_resource(max_entries=SESSION_TRUTHS, scope="session", show_spinner="Reading the test set ...")
def _own_truth(
    challenge_id: str, version: str, key: tuple, chosen: tuple, _chosen_input: ChosenInput
) -> Outcome:
    read = scoring.load_challenge(challenge_id).read_truth
    return attempt(read, _readable(_chosen_input), _chosen_input.name, **dict(chosen))


def card(
    challenge_id: str, test_set: ChosenInput, submission: ChosenInput, chosen: Mapping, truth, predictions
) -> Outcome:
    """Return the scorecard of predictions that were read or made by a model. chosen: options of `score`."""
    content = [
        (name, (value.key, value.name) if isinstance(value, ChosenInput) else value)
        for name, value in options(**chosen)
    ]
    named = ((entry.key, entry.name) for entry in (test_set, submission))  # findings say names
    return memory_budget.RESULTS.bound(
        _card,
        challenge_id=challenge_id,
        content=(scoring.__version__, *named, tuple(content)),
        _options=chosen,
        _truth=truth,
        _predictions=predictions,
    )


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner="Scoring ...")
def _card(challenge_id: str, content: tuple, _options: Mapping, _truth, _predictions) -> Outcome:
    return attempt(_score, challenge_id, _options, _truth, _predictions)


def _score(challenge_id: str, options: Mapping, truth, predictions) -> ScoreCard:
    sources = {
        name: open_source(_readable(value), value.name)
        for name, value in options.items()
        if isinstance(value, ChosenInput)
    }
    return scoring.load_challenge(challenge_id).score(truth, predictions, **{**options, **sources})


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner="Reading the predictions ...")
def _read(
    challenge_id: str,
    version: str,
    truth_key: str,
    submission_key: tuple,
    options: tuple,
    _truth,
    _chosen_input: ChosenInput,
) -> Outcome:
    return attempt(
        scoring.load_challenge(challenge_id).read_predictions,
        _readable(_chosen_input),
        _truth,
        _chosen_input.name,
        **dict(options),
    )


@st.cache_resource(max_entries=1)
def shared_runs() -> FinishedRuns:
    """Finished runs of models and of samples, for all sessions."""
    return FinishedRuns(SHARED_RUNS)


def own_runs() -> FinishedRuns:
    """Finished readings of uploads, which contain their bytes: they stay in the session that uploaded them,
    and are deleted with it."""
    return st.session_state.setdefault("_runs", FinishedRuns(SESSION_RUNS))


def predictions(
    challenge_id: str, truth_key: str, chosen_input: ChosenInput, truth, chosen: Mapping
) -> Outcome | Running:
    """Read the chosen predictions; return `Running` while a model runs or a large file is read, or after that
    was stopped. chosen: options of `score`."""
    challenge = scoring.load_challenge(challenge_id)
    if chosen_input.problems:
        return Outcome(refused=scoring.InputRefused(chosen_input.problems))
    reading = challenge.needed("predictions", chosen)
    content = (challenge_id, scoring.__version__, truth_key, chosen_input.key, chosen_input.name)
    if chosen_input.is_model:
        predict = partial(challenge.predict, chosen_input.source, truth, name=chosen_input.name)
        return run(content, "model runs", predict, shared_runs())  # an image may be run again, changed
    if challenge.readers.counts:
        read = partial(
            challenge.read_predictions, _readable(chosen_input), truth, chosen_input.name, **reading
        )
        runs = own_runs() if chosen_input.own else shared_runs()
        return run((*content, *options(**reading)), challenge.readers.counts, read, runs, SHORT_SECONDS)
    return memory_budget.RESULTS.bound(
        _read,
        challenge_id=challenge_id,
        version=scoring.__version__,
        truth_key=truth_key,
        submission_key=(chosen_input.key, chosen_input.name),
        options=options(**reading),
        _truth=truth,
        _chosen_input=chosen_input,
    )


def run(
    content: tuple, counts: str, long_work: Callable, runs: FinishedRuns, patience: float = 0
) -> Outcome | Running:
    """Run work with progress and a stop button; nothing is shown for work that ends within `patience`
    seconds. runs: where its outcome is stored. The queue stores none, because all sessions share it."""
    if content in runs.outcomes:
        return runs.outcomes[content]

    def work(job: background_jobs.Job) -> None:
        if content not in runs.outcomes:  # another session's run of the same files may have ended meanwhile
            runs.keep(content, attempt(long_work, progress=job.progress, cancelled=job.cancelled))

    going_on = submitted((background_jobs.session_id(), *content), work, counts, patience)
    return going_on or runs.outcomes.get(content) or run(content, counts, long_work, runs, patience)


def submitted(key: tuple, work: background_jobs.Work, counts: str, patience: float) -> Running | None:
    """Put work into the queue and wait for it for some seconds; return None if it succeeded."""
    job = background_jobs.queue().submit(key, work)
    if not job.stop.is_set():
        wait([job.future], patience)
    if job.future.done() and job.future.exception() is None:
        background_jobs.queue().forget(key)
        return None
    return Running(job, key, counts)


def running(work: Running, caption: str = "", each: bool = False) -> None:
    """Draw the placeholder of a score while a model runs or large files are read, or after a stop. caption:
    purpose of the work. each: whether the page is drawn again after every step."""
    job, key = work.job, work.key
    if caption:
        st.caption(caption)
    if not job.future.done():
        background_jobs.watch(job, key, work.counts, each)
        return
    problem = job.future.exception()
    if problem is None:
        st.rerun()  # it ended after the page had looked for its result
    if job.overdue:
        st.warning(f"{MADE_ROOM} {STILL_HERE}", icon=":material/timer_off:")
    elif isinstance(problem, Cancelled):
        st.info(f"The run was cancelled. {STILL_HERE}", icon=":material/stop_circle:")
    elif isinstance(problem, ClusterUnusable):
        why = f"The computers that run models are not available. {problem.message}"
        st.error(f"{why} {STILL_HERE}", icon=":material/lan:")
    else:
        st.error(f"The run ended unexpectedly. {STILL_HERE}", icon=":material/error:")
    if st.button("Run again", key=f"run_again_{abs(hash(key))}", icon=":material/replay:"):
        background_jobs.queue().forget(key)
        st.rerun()


def of_card(name: str, scored, work) -> Any:
    """`work(card)` for a card that is shown, computed once. name: of the work. scored: `ScoredSubmission`."""
    return _of_card(f"{name}\n{scored.scored}", scored.card, work)


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner=False)
def _of_card(key: str, _card: ScoreCard, _work: Callable[[ScoreCard], Any]) -> Any:
    return _work(_card)


def options(**values) -> tuple:
    """Keyword arguments of `score` as a key."""
    return tuple(sorted(values.items()))


def _attempt_picture(work: Callable, *arguments) -> PictureOutcome:
    """Like `attempt`, for work on one picture or model that can fail in more ways."""
    try:
        return PictureOutcome(work(*arguments))
    except (scoring.InputRefused, ImageUnreadable, ModelFailed) as refused:
        return PictureOutcome(refused=str(refused))


# What is drawn from uploaded pictures stays in the session that brought them.
@st.cache_resource(max_entries=24, scope="session", show_spinner=False)
def thumbnails(challenge_id: str, truth_key: str, places: tuple[int, ...], _truth) -> list[bytes | None]:
    """JPEG thumbnails of some cases."""
    draw = scoring.load_challenge(challenge_id).display.thumbnails
    return [None] * len(places) if draw is None else draw(_truth, places)


def received(challenge_id: str, truth_key: str, index: int, model: Mapping | None, truth) -> PictureOutcome:
    """Return the pixels that a model received of one case."""
    return _received(challenge_id, truth_key, index, repr(model["inputs"]) if model else "", truth, model)


@st.cache_resource(max_entries=24, scope="session", show_spinner=False)
def _received(challenge_id: str, truth_key: str, index: int, shape: str, _truth, _model) -> PictureOutcome:
    model_support = scoring.load_challenge(challenge_id).models("image")
    return _attempt_picture(lambda: model_support.received(_truth, index, _model)[0])


@st.cache_resource(max_entries=24, scope="session", show_spinner="Running the model ...")
def sweep(
    challenge_id: str, truth_key: str, model_key: str, index: int, _truth, _chosen_input: ChosenInput
) -> PictureOutcome:
    """Return a model's outputs for one case under other demographics."""
    sweep_case = scoring.load_challenge(challenge_id).models("--model").sweep
    assert sweep_case is not None
    return _attempt_picture(sweep_case, _chosen_input.source, _truth, index)


def sample_cards(challenge_id: str) -> list[tuple[str, ScoreCard]]:
    """Return title and scorecard of the prediction files of a challenge's first sample, best first; empty for
    a challenge without samples."""
    sample = next(iter(samples.test_sets(challenge_id).values()), None)
    if sample is None:
        return []
    chosen_input = selectors.sample_set(sample)
    cases = _sample_truth(
        challenge_id, scoring.__version__, (chosen_input.key, chosen_input.name), chosen_input
    ).value
    cards: list[tuple[str, ScoreCard]] = []
    for team in (s for s in sample.submissions.values() if not s.is_model):
        submitted = selectors.sample_submission(team)
        chosen = submitted.options
        read = predictions(challenge_id, chosen_input.key, submitted, cases, chosen)
        while isinstance(read, Running):
            read.job.future.result()
            read = predictions(challenge_id, chosen_input.key, submitted, cases, chosen)
        outcome = card(challenge_id, chosen_input, submitted, chosen, cases, read.value)
        cards.append((team.title, outcome.value))
    order = scoring.load_challenge(challenge_id).scoring.quantity().order
    return sorted(cards, key=lambda item: -order(item[1].score))
