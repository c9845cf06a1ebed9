"""Layout for a photograph of skin: image, model output and its explanations."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.challenge import scoring_run, superseded_run
from pages.challenge.scoring_run import Outcome, Running
from pages.display import finding_list, layout
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import (
    demographics,
    image_upload,
    model_and_test_set,
    model_processes,
    performance,
    prediction,
    reader_session,
    record,
    saliency_maps,
    session_state,
    side_by_side,
)
from pages.single_image_sections.chosen_image import ChosenImage
from pages.single_image_sections.query import NOT_RUN, Query, Setup, answer_of
from pages.single_image_sections.session_queue import Session
from scoring.common.findings import InputRefused
from scoring.common.text import markdown
from scoring.inference.single_image_task import ModelTask
from scoring.single_image import quality
from scoring.single_image.abstention import reasons_of
from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.likeness import UNKNOWN_LIKENESS, likeness_chip
from scoring.single_image.reader_study import Impression
from scoring.single_image.similar_cases import NEAREST, Reference

RUN = "single_{}"
"""Name of the model's run on the test set, by challenge."""
ASKED = (
    "Meanwhile the model runs on the test set, so that you can compare its prediction with cases of known "
    "class."
)
STOPPED = "The run was stopped."
NO_TEST_SET = "Without a test set nothing is shown: see “Model and test set”."
PERSON_FIRST = "Enter age, body site and sex to see the answer here."
NEVER = (
    "The model gives no answer for this image. {} You can see the scores after you enter age, body site and "
    "sex."
)
MEASURED = (
    "Meanwhile Benchside measures the images of the test set, to find out whether your image is similar."
)
NOT_YET = (
    "Benchside is measuring the images of the test set, to find out whether this image is similar. The "
    "model's answer appears after that."
)


def show(challenge_id: str) -> None:
    """Draw a photograph of skin and a model's answer."""
    input_column, answer_column = st.columns([2, 3], gap="large")
    with input_column:
        source_place, tools_place, image_place, blind_place, person_place, setup_place = _input_places()
    with source_place:  # first, so that what is below never moves
        source = image_upload.chosen_source(is_tile=False)
    with setup_place:
        test_set, chosen_model, truth = model_and_test_set.model_and_test_set(challenge_id)
    superseded_run.begin(RUN.format(challenge_id), test_set, chosen_model)
    session_state.stop_others(chosen_model.key)
    if truth is None:
        answer_column.info(NO_TEST_SET, icon=":material/help:")
        return
    with image_place:
        chosen_image = image_upload.image(source, challenge_id, test_set, truth, tools_place)
        if chosen_image is not None:
            model_and_test_set.picture(chosen_image)
    several = source == image_upload.SESSION
    measured = partial(model_processes.measured, challenge_id, test_set, truth)
    task = model_processes.task(challenge_id, truth)
    if chosen_image is None and not several:
        with answer_column:
            st.info("The answer will appear here.", icon=":material/image:")
            model_processes.worker(task, chosen_model)  # so that the image need not wait for it
        return
    chips = () if chosen_image is None else _chips_while_measured(task, chosen_image, measured, image_place)
    with image_place.container(key="single_several") if several else blind_place:
        first = prediction.impression_first(several)
    with answer_column:
        superseded_run.line(RUN.format(challenge_id), "" if chosen_image is None else chosen_image.token)
        if (model := _opened(task, chosen_model)) is None:
            return
        answer_place = st.container()
    title = model_and_test_set.title_of(test_set)
    waits = chosen_image is not None and _waits(chosen_image, test_set)
    among = measured(begin=waits)  # first in the queue: the answer waits for it
    held = model_processes.performance(task, test_set, title, truth, chosen_model)
    if isinstance(held, Running):
        superseded_run.remember(RUN.format(challenge_id), test_set, chosen_model, held)
    if among is None and isinstance(held, Outcome):
        among = measured(begin=not session_state.working())
    if chosen_image is None:
        with answer_place:
            on = Session(task, test_set, chosen_model, truth, model, first=first)
            reader_session.show(_measured(on, held, among))
        _unfinished(held, among, None)
        return
    vector = None
    if model.takes_vector and task.patient is not None:
        with person_place:
            vector = demographics.vector_of(task.patient, chosen_image, truth)
        if vector is None:
            stops = " ".join(reasons_of(chips))
            message = NEVER.format(markdown(stops, 600)) if stops else PERSON_FIRST
            answer_place.info(message, icon=":material/edit:")
            _unfinished(held, among, None)
            return
    setup = Setup(task, test_set, chosen_model, truth, chosen_image, model, vector)
    _answer(setup, held, among, chips, answer_place, first)


def _input_places() -> list[DeltaGenerator]:
    """Return the places of the left column: source, tools, image, blind reading, person, setup."""
    places = [st.container(key=f"single_{part}") for part in ("from", "tools", "place", "blind", "person")]
    with st.container(key="single_setup"):
        return [*places, st.expander("Model and test set", icon=":material/tune:")]


def _chips_while_measured(task: ModelTask, image, measured, place) -> tuple[quality.QualityBadge, ...]:
    """Draw the quality of an image at once, then with its likeness to the test set, and return all badges.
    This comes before the model is opened, which can take seconds. The sentences of badges that stop an answer
    stand where the answer would be."""
    badges, explained = place.empty(), (quality.NOTE, quality.CAUTION)
    with badges.container():
        prediction.chips(_quality(task, image, known := measured(begin=False)), explained)
    chips = _chips(task, image, known)
    with badges.container():
        prediction.chips(chips, explained)
    return chips


def _opened(task: ModelTask, chosen_model):
    """Return the model's process; None while it waits for a place, or if the model is refused, and say so."""
    opened = model_processes.worker(task, chosen_model)
    if isinstance(opened, model_processes.Waiting):
        model_processes.wait_for_place(opened)
    elif opened.refused:
        finding_list.problems(opened.refused)
    else:
        return opened.value
    return None


def _waits(image: ChosenImage, test_set: ChosenInput) -> bool:
    """Return whether an answer waits for the similarity of the image to the test set. Cases of a sample were
    measured beforehand."""
    return image.case is None or test_set.own


def _measured(on: Session, held: Outcome | Running, among: Outcome | Running | None) -> Session:
    """Return the basis of a session with what is known of the test set by now."""
    if isinstance(held, Running) or not isinstance(among, Outcome):
        return on
    return replace(on, measured=True, held=held.value, among=among.value)


def _chips(
    task: ModelTask, image: ChosenImage, among: Outcome | Running | None
) -> tuple[quality.QualityBadge, ...]:
    """Return the facts about the image that need no model."""
    likeness = likeness_chip(image_upload.unlikeness(among, image))
    if not likeness and image.case is None and isinstance(among, Outcome):
        likeness = (UNKNOWN_LIKENESS,)
    return (*_quality(task, image, among), *likeness)


def _quality(
    task: ModelTask, image: ChosenImage, among: Outcome | Running | None
) -> tuple[quality.QualityBadge, ...]:
    """Return the facts about the image that are known at once: similarity takes longer."""
    others = among.value.qualities if isinstance(among, Outcome) and among.value else ()
    measured, cropped = image_upload.measured(image), image.photograph.cropped
    badges = quality.photograph_chips(measured, task.shortest_side, others, image.case, cropped)
    return badges if isinstance(among, Outcome) else quality.before_comparison(badges)


def _answer(
    setup: Setup,
    held: Outcome | Running,
    among: Outcome | Running | None,
    chips: tuple[quality.QualityBadge, ...],
    answer_place: DeltaGenerator,
    first: bool,
) -> None:
    """Draw the answer, after the visitor's own impression where that comes first, then what explains
    it, then what still runs. chips: of the image."""
    key = (setup.task.challenge, setup.test_set.key, setup.model.key)
    reference = (
        None
        if isinstance(held, Running) or held.refused
        else model_processes.apart_from(held.value, setup.image.case, key)
    )
    if _waits(setup.image, setup.test_set) and isinstance(among, Running):
        with answer_place:
            st.info(NOT_YET, icon=":material/hourglass_top:")
            scoring_run.running(among)
        return
    with answer_place:
        try:
            answer = answer_of(setup, reference)
        except InputRefused as refused:
            finding_list.problems(refused)
            return
        tried = _withheld(setup, held, among)
        if isinstance(tried, Running):
            superseded_run.remember(RUN.format(setup.task.challenge), setup.test_set, setup.model, tried)
        question = _question(setup, answer, reference, (held, among, tried), chips)
        if not answer.scale_known:
            prediction.without_scale(question, first)
            _unfinished(held, among, None)
            return
        own = prediction.impression(question, first)
        if own is None:
            return
        scores_shown = prediction.show(question, own)
    if scores_shown:
        layout.tabs(_tabs(own), question)
    else:
        record.show(question, own, performance.sensitivity(), scores_shown)
    _unfinished(held, among, tried)


def _question(
    setup: Setup,
    answer: ImagePrediction,
    reference: Reference | None,
    runs: tuple[Outcome | Running | None, ...],
    chips: tuple[quality.QualityBadge, ...],
) -> Query:
    """Return the query with all that is known of the test set. runs: the model's outputs, the images, and how
    often there is no answer."""
    held, among, tried = runs
    refusals = (outcome.refused for outcome in (held, tried) if isinstance(outcome, Outcome))
    unknown = next((refused.problems[0].message for refused in refusals if refused), "")
    return Query(
        setup,
        answer,
        reference,
        image_upload.measured(setup.image),
        chips,
        model_and_test_set.model_title(setup.task.challenge, setup.model),
        tried.value if isinstance(tried, Outcome) else None,
        unknown or STOPPED * _was_stopped(held),
        image_upload.similar(among, setup.image, reference, NEAREST),
        tuple(_chips(setup.task, other, among) for other in setup.image.others),
    )


def _was_stopped(run: Outcome | Running | None) -> bool:
    """Return whether a run was stopped before its end."""
    return isinstance(run, Running) and run.job.future.done() and run.job.future.exception() is not None


def _tabs(own: Impression) -> dict[str, Callable[[Query], None]]:
    """Return the explanations of the answer, by tab."""
    return {
        "Why": saliency_maps.parts,
        "Threshold": performance.operating,
        "Cases alike": performance.cases_alike,
        "What if": saliency_maps.person,
        "Side by side": side_by_side.show,
        "Record": lambda question: record.show(question, own, performance.sensitivity(), True),
    }


def _withheld(
    setup: Setup, held: Outcome | Running, among: Outcome | Running | None
) -> Outcome | Running | None:
    """Return how often there is no answer on the test set, counted after all else was measured; None until
    then."""
    if not isinstance(held, Outcome) or not isinstance(among, Outcome):
        return None
    if not held.value or not among.value:
        return None
    return model_processes.withheld(setup, held.value, among.value, begin=not session_state.working())


def _unfinished(
    held: Outcome | Running, among: Outcome | Running | None, tried: Outcome | Running | None
) -> None:
    """Draw the progress of what still runs, and why the test set could not be used."""
    if isinstance(held, Running):
        scoring_run.running(among if isinstance(among, Running) else held, ASKED)
    elif held.refused:
        st.info(NOT_RUN.format(markdown(held.refused.problems[0].message, 400)), icon=":material/info:")
    elif isinstance(among, Running):
        scoring_run.running(among, MEASURED)
    elif isinstance(tried, Running):
        scoring_run.running(
            tried, "Meanwhile Benchside counts how often the model gives no answer on the test set."
        )
