"""Worker processes of the chosen models, and their outputs for the test set."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

import scoring
from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome, Running
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs
from pages.single_image_sections import session_state
from scoring.challenges import load_challenge
from scoring.common.findings import InputRefused, error
from scoring.inference.challenge_task import read_model
from scoring.inference.model_process import LoadedModel
from scoring.inference.open_models import MOST_MODELS, HeldModels, NoPlace
from scoring.inference.single_image_task import ModelTask, TileSupport
from scoring.single_image import abstention, nuclei, quality, saved_measures
from scoring.single_image.abstention import Withheld
from scoring.single_image.model import OpenModel, opened
from scoring.single_image.model_inputs import model_task
from scoring.single_image.outputs_on_any_scale import raw_predictions, scale_refusal
from scoring.single_image.quality import MeasuredImages
from scoring.single_image.similar_cases import Reference, reference, without

MEASURING = "_measuring"
_ASKED = "_asked_for_a_place"
POLL_SECONDS = 1.0


def task(challenge_id: str, truth) -> ModelTask:
    """Return the challenge's requirements for a model, on this test set."""
    support = load_challenge(challenge_id).display.single_image
    expected = model_task(challenge_id, support.categories(truth) if support else None)
    # One risk has no class names of its own: "positive" alone would say too much.
    return replace(expected, classes=expected.names) if expected.outputs == 1 else expected


@dataclass(frozen=True)
class Waiting:
    """A visitor waits in the queue for a model's process. position: 1 is the next."""

    position: int


@st.cache_resource
def held_models() -> HeldModels:
    """Return the open models of all sessions."""
    return HeldModels()


def worker(wanted: ModelTask, chosen: ChosenInput) -> Outcome | Waiting:
    """Open the chosen model (`Opened`), or return why this is impossible. A visitor's model is for this
    session only, a sample for all sessions."""
    return _placed(_worker, wanted.challenge, wanted.classes, chosen.key, wanted, chosen)


def _placed(worker_of: Callable, *arguments) -> Outcome | Waiting:
    """Return a worker, or the visitor's position in the queue for one."""
    try:
        return worker_of(*arguments)
    except NoPlace as full:
        return Waiting(full.position)


def wait_for_place(waiting: Waiting) -> None:
    """Show the position in the queue, and ask again every second."""

    @st.fragment(run_every=POLL_SECONDS)
    def line() -> None:
        if st.session_state.pop(_ASKED, False):
            st.rerun()
        st.session_state[_ASKED] = True
        who = "You are next" if waiting.position == 1 else f"You are number {waiting.position} in the queue"
        st.info(
            f"At most {MOST_MODELS} models of visitors can run at once. {who}; the page continues by itself.",
            icon=":material/hourglass_top:",
        )

    st.session_state[_ASKED] = False
    line()


def _start(chosen: ChosenInput, which: str = "first") -> Callable[[bytes], LoadedModel]:
    if chosen.own:
        return partial(held_models().open, visitor=f"{background_jobs.session_id()} {which}")
    return held_models().shared


def second_worker(wanted: ModelTask, chosen: ChosenInput) -> Outcome | Waiting:
    """Return a second model beside the first, like `worker`."""
    return _placed(_second_worker, wanted.challenge, wanted.classes, chosen.key, wanted, chosen)


def no_person() -> InputRefused:
    """Return why a second model cannot run: the first takes only the image."""
    sentence = (
        "This model also takes age, sex and body site. Choose it as the first model, and enter age, sex and "
        "body site there."
    )
    return InputRefused([error("missing-value", "the model", sentence)])


@contextmanager
def own_worker(wanted: ModelTask, chosen: ChosenInput) -> Iterator[OpenModel]:
    """Open a worker for background work: only one thread at a time may use a worker, and the page continues
    with its own. Raises InputRefused."""
    own = opened(wanted, read_model(chosen.source).data)
    try:
        yield own
    finally:
        own.close()


def _end(outcome: Outcome) -> None:
    if outcome.value is not None:
        outcome.value.close()


def _lives(outcome: Outcome) -> bool:
    """Return whether a worker is open: one that was ended, by a limit for example, is opened again."""
    return outcome.value is None or not outcome.value.ended


@st.cache_resource(
    max_entries=1, scope="session", show_spinner="Opening the model ...", validate=_lives, on_release=_end
)
def _worker(
    challenge_id: str, classes: Sequence[str], key: str, _wanted: ModelTask, _chosen: ChosenInput
) -> Outcome:
    return scoring_run.attempt(opened, _wanted, read_model(_chosen.source).data, _start(_chosen))


@st.cache_resource(
    max_entries=1, scope="session", show_spinner="Opening the model ...", validate=_lives, on_release=_end
)
def _second_worker(
    challenge_id: str, classes: Sequence[str], key: str, _wanted: ModelTask, _chosen: ChosenInput
) -> Outcome:
    start = _start(_chosen, "second")
    return scoring_run.attempt(opened, _wanted, read_model(_chosen.source).data, start)


def detector(support: TileSupport, chosen: ChosenInput) -> Outcome | Waiting:
    """Return a dense model of nuclei (`nuclei.Detector`), or why this is impossible; see `worker`."""
    return _placed(_detector, chosen.key, support, chosen)


@st.cache_resource(
    max_entries=1, scope="session", show_spinner="Opening the model ...", validate=_lives, on_release=_end
)
def _detector(key: str, _support: TileSupport, _chosen: ChosenInput) -> Outcome:
    return scoring_run.attempt(nuclei.opened, _support, read_model(_chosen.source).data, _start(_chosen))


def close() -> None:
    """End the workers of this session, because their memory may contain the last image."""
    _worker.clear()
    _second_worker.clear()
    _detector.clear()


def performance(
    wanted: ModelTask, test_set: ChosenInput, title: str, truth, chosen: ChosenInput
) -> Outcome | Running:
    """Return the model's outputs for the test set (`similar_cases.Reference`); `Running` while it runs."""
    outcome, refusal = scoring_run.predictions(wanted.challenge, test_set.key, chosen, truth, {}), ""
    if isinstance(outcome, Outcome) and (refusal := scale_refusal(outcome.value, outcome.refused)):
        content = (wanted.challenge, scoring.__version__, test_set.key, chosen.key, chosen.name, "any scale")
        work = partial(raw_predictions, wanted.challenge, chosen.source, truth, chosen.name)
        outcome = scoring_run.run(content, "model runs", work, scoring_run.shared_runs())
    if isinstance(outcome, Running) or outcome.refused:
        return outcome
    key = (wanted.challenge, test_set.key, chosen.key, title)
    warnings = tuple(found.message for found in outcome.value.findings if found.level == "warning")
    generated = not test_set.own
    return Outcome(
        _reference(
            key,
            lambda: reference(
                wanted, truth, outcome.value, generated, name=title, refused=refusal, warnings=warnings
            ),
        )
    )


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _reference(key: tuple[str, ...], _work: Callable[[], Reference]) -> Reference:
    return _work()


def apart_from(held: Reference, case: int | None, key: tuple) -> Reference:
    """Return the reference without the current case if it is one of its own; cached, because a temperature is
    fitted on it. key: identifies the test set and the model."""
    return (
        held
        if case is None
        else session_state.cached("apart", (*key, held.name, case), lambda: without(held, case))
    )


def measured(challenge_id: str, test_set: ChosenInput, truth, begin: bool = True) -> Outcome | Running | None:
    """Return quality and appearance of every image of the test set (`quality.MeasuredImages`) for comparison
    with others: at once for a sample, `Running` while another test set is measured. None if it was not
    measured and `begin` is false."""
    support = load_challenge(challenge_id).display.single_image
    tile = support is not None and support.kind == "tile"
    content = (challenge_id, scoring.__version__, "quality", test_set.key)
    known = None if test_set.own else _saved(content, tile, truth)
    if known is not None:
        return Outcome(known)
    # for all sessions: numbers without pixels, found again only with the same files
    return _aside(content, partial(quality.measured, truth, tile=tile), own=False, begin=begin)


@st.cache_resource(max_entries=8, show_spinner=False)
def _saved(content: tuple[str, ...], tile: bool, _truth) -> MeasuredImages | None:
    return saved_measures.saved(_truth, tile)


def withheld(
    setup, held: Reference, measured: MeasuredImages, begin: bool = True
) -> Outcome | Running | None:
    """Return how often there is no answer on the test set (`abstention.Withheld`); `Running` while this is
    counted. None if it was not counted and `begin` is false. setup: `query.Setup`."""
    content = (setup.task.challenge, scoring.__version__, "withheld", setup.test_set.key, setup.model.key)
    work = partial(_withheld, setup.task, setup.model, setup.truth, held, measured)
    return _aside(content, work, setup.test_set.own or setup.model.own, begin)


def _aside(content: tuple, work: Callable, own: bool, begin: bool) -> Outcome | Running | None:
    """Return what comes of work on the test set, which makes way for what the visitor waits for; None if
    it was not done and `begin` is false. own: whether a visitor brought any of it."""
    runs = scoring_run.own_runs() if own else scoring_run.shared_runs()
    if not begin and content not in runs.outcomes:
        return None
    outcome = scoring_run.run(content, "images", work, runs)
    if isinstance(outcome, Running):
        st.session_state[MEASURING] = outcome
    return outcome


def _withheld(
    wanted: ModelTask,
    chosen: ChosenInput,
    truth,
    held: Reference,
    measured: MeasuredImages,
    progress=None,
    cancelled=None,
) -> Withheld:
    with own_worker(wanted, chosen) as own:
        vectors = truth.demographics.encoded if own.takes_vector else None
        return abstention.withheld(own, truth, vectors, held, measured, progress, cancelled)


def measure_later() -> None:
    """Leave the queue so that the visitor's own request comes first."""
    running = st.session_state.pop(MEASURING, None)
    if running is not None:
        background_jobs.queue().stop(running.job)
        background_jobs.queue().forget(running.key)
    session_state.await_work()
