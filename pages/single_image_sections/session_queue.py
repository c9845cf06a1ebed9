"""Session of images, drawn at random from the test set or dropped by the visitor. A background job answers
them one after another, and the page shows them as they arrive."""

import secrets
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome, Running
from pages.display import finding_list
from pages.display.layout import draw_picture
from pages.input_widgets import upload_quota
from pages.input_widgets.dropped_photographs import QUEUED, wait
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs
from pages.single_image_sections import demographics, image_upload, model_processes, session_state
from pages.single_image_sections.chosen_image import MOST_MB
from scoring.common.text import markdown, shortened
from scoring.inference.model_pool import Cancelled
from scoring.inference.single_image_task import ModelTask
from scoring.single_image import wording
from scoring.single_image.abstention import ImageAnswer
from scoring.single_image.image_session import (
    ImageQueue,
    SessionImage,
    SourceImage,
    answer_waiting,
    with_answer,
)
from scoring.single_image.model import OpenModel
from scoring.single_image.model_card import ModelCard, model_card
from scoring.single_image.other_demographics import unknown_cautions
from scoring.single_image.photograph import HELD_BYTES
from scoring.single_image.quality import MeasuredImages
from scoring.single_image.reader_study import MOST_IMAGES, drawn
from scoring.single_image.similar_cases import Reference

COUNTS, LONGEST_NAME = (10, MOST_IMAGES), 255
OTHER_MODEL: Final = (
    "Your images were prepared for another model or test set, and their files are no longer in memory: "
    "remove the images and drop them again."
)
DRAWN = f"{session_state.PREFIX}drawn"


@dataclass(frozen=True)
class Session:
    """Model and test set of a session.

    Attributes:
        measured: Whether the model's outputs for the test set and its images' appearance are known; before
            that, nobody can say whether an output is an answer.
        held: The model's outputs for the test set, None if there are none.
        among: Its images, None if they could not be measured.
        first: Whether the visitor writes down an assessment before the model's answer is shown.
    """

    task: ModelTask
    test_set: ChosenInput
    chosen_model: ChosenInput
    truth: Any
    opened: OpenModel
    measured: bool = False
    held: Reference | None = None
    among: MeasuredImages | None = None
    first: bool = True

    @property
    def key(self) -> tuple:
        return ("session", self.task.challenge, self.test_set.key, self.chosen_model.key)

    @cached_property
    def card(self) -> ModelCard | None:
        """Performance of the model on the test set."""
        return None if self.held is None else model_card(self.held, self.task.malignant)


def cases(on: Session) -> ImageQueue | None:
    """Draw the choice of the number of cases, and return the cases after the visitor's request."""
    image_upload.target()
    seed, count = st.session_state.get(DRAWN, (-1, 0))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        wanted = st.segmented_control("Images", COUNTS, key="single_count", required=True, default=COUNTS[0])
        label = "Draw cases and begin" if seed < 0 else "Draw other cases"
        if st.button(label, key="single_begin", type="primary" if seed < 0 else "secondary"):
            seed, count = st.session_state[DRAWN] = (seed + 1, wanted)
    st.caption("About half of the drawn cases are malignant, if the test set has enough malignant cases.")
    if seed < 0:
        return None
    return session_state.cached("drawn cases", (*on.key, seed, count), lambda: _drawn(on, seed, count))


def _drawn(on: Session, seed: int, count: int) -> ImageQueue:
    places = np.array([i for i, member in enumerate(on.truth.images) if member is not None], int)
    labels, queue = np.asarray(on.truth.labels), ImageQueue(f"cases_{seed}_{count}")
    people = on.truth.demographics if on.opened.takes_vector else None
    for i in drawn(labels, on.task.malignant, places, count, seed):
        vector, picture = None if people is None else people.encoded[i], partial(on.truth.picture, i)
        no_age = people is not None and bool(np.isnan(people.age[i]))
        unknown = unknown_cautions(on.task.patient, vector, no_age)
        source = SourceImage(on.truth.ids[i], picture, i, vector, int(labels[i]), unknown=tuple(unknown))
        queue.add(source)
    return queue


def own() -> ImageQueue | None:
    """Draw the uploader, and return the visitor's images if there are any."""
    queue: ImageQueue | None = st.session_state.get(QUEUED)
    agreed = queue is not None or image_upload.agreed()
    if files := image_upload.waiting(agreed):
        take(files)
        st.rerun()
    if queue is None:
        _uploader(agreed)
        return None
    st.button("Remove my images", on_click=image_upload.remove, icon=":material/delete:", key="single_remove")
    with st.expander("Add images", icon=":material/add_a_photo:"):
        _uploader(agreed)
    if queue.left_out:
        were = "oldest image was" if queue.left_out == 1 else f"{queue.left_out} oldest images were"
        st.warning(
            f"A session holds at most {MOST_IMAGES} images with together {HELD_BYTES // 1_000_000} MB, so "
            f"the {were} removed.",
            icon=":material/image_not_supported:",
        )
    return queue


def _uploader(agreed: bool) -> None:
    key = f"single_session_{st.session_state.get(image_upload.TURN, 0)}"
    st.file_uploader(
        f"Drop up to {MOST_IMAGES} images",
        image_upload.TYPES,
        accept_multiple_files=True,
        key=key,
        on_change=partial(_arrived, key, agreed),
        max_upload_size=MOST_MB,
    )
    image_upload.say_refused()


def _arrived(key: str, agreed: bool) -> None:
    """Take what was chosen in the widget, or let it wait until the page may take it."""
    files = image_upload.arrived(key)
    (take if agreed and not image_upload.removes() else wait)(files)


def take(files: list) -> None:
    """Add images to the session, and free the files."""
    if not files:
        return
    queue: ImageQueue = st.session_state.setdefault(QUEUED, ImageQueue(f"own_{secrets.token_hex(4)}"))
    for file in files:
        data = file.getvalue()
        named = shortened(file.name, LONGEST_NAME)
        queue.add(
            SourceImage(f"image {queue.added + 1}", partial(bytes, data), size=len(data), file_name=named)
        )
        upload_quota.free(file)


def answer(on: Session, queue: ImageQueue) -> Running | None:
    """Let the model answer the waiting images; None if there are none, or if the page says why it cannot."""
    if not queue.waiting:
        return None
    queue.basis = queue.basis or on.key
    work = partial(answer_waiting, partial(_opening, on), queue, on.held, on.among)
    outcome = session_state.beside((*on.key, queue.token, queue.rounds), "images", work)
    if isinstance(outcome, Outcome) and not outcome.refused:  # more images came after it had ended
        queue.rounds += 1
        outcome = session_state.beside((*on.key, queue.token, queue.rounds), "images", work)
    if isinstance(outcome, Running):
        return outcome
    if outcome.refused:
        finding_list.problems(outcome.refused)
    return None


def _opening(on: Session) -> AbstractContextManager[OpenModel]:
    return model_processes.own_worker(on.task, on.chosen_model)


def progress(work: Running | None, queue: ImageQueue, each: bool) -> None:
    """Draw the progress, or that the visitor stopped it. each: whether the page shows every image as it
    arrives."""
    if work is None:
        return
    if not work.job.future.done() or not isinstance(work.job.future.exception(), Cancelled):
        scoring_run.running(work, each=each)
        return
    done, waiting = len(queue.done), len(queue.waiting)
    st.info(
        f"Stopped. The model has answered {done} of {done + waiting} images.", icon=":material/stop_circle:"
    )
    if st.button("Continue", key="single_go_on", icon=":material/play_arrow:"):
        background_jobs.queue().forget(work.key)
        st.rerun()


def asked(on: Session, queue: ImageQueue, number: int, vector: np.ndarray, key: str) -> SessionImage:
    """Return an image with the model's answer, computed now, after age, sex and site were given. key: of
    their fields."""
    image = queue.done[number]
    unknown = unknown_cautions(on.task.patient, vector, demographics.age_unknown(key))
    known = replace(image, source=replace(image.source, vector=vector, unknown=tuple(unknown)))
    queue.keep(number, with_answer(on.opened, known, on.held))
    return queue.done[number]


def title_of(number: int, image: SessionImage) -> str:
    """Return an image's number, with the name of a visitor's file, as Markdown."""
    name = image.source.file_name
    return f"Image {number} ({markdown(name, 60)})" if name else f"Image {number}"


def answers(on: Session, queue: ImageQueue) -> None:
    """Draw each image with the model's answer, as they arrive."""
    with st.grid(min_column_width=190, gap="small"):
        for number, image in queue.done.items():
            if not image.refused:
                with st.container(border=True, gap="xsmall"):
                    _card(on, queue, number, image)


def headline(on: Session, image: SessionImage, answer: ImageAnswer, title: str = "") -> None:
    """Draw the highest score of an image with the cautions. title: Markdown before it."""
    cautions = wording.cautions(
        image.chips, answer.views, on.card, answer.prediction, further=image.source.unknown
    )
    line = wording.headline(answer.prediction, on.task.names, cautions, "below")
    st.markdown(f"{title}**{markdown(line, 700)}**")
    if further := wording.further_line(cautions):
        st.caption(markdown(further, 700))


def _card(on: Session, queue: ImageQueue, number: int, image: SessionImage) -> None:
    draw_picture(image.preview, width="stretch", alt=f"Image {number}")
    title = title_of(number, image)
    answer, key = image.answer, f"single_card_{queue.token}_{number}"
    if answer is not None and not answer.reasons:
        headline(on, image, answer, f"{title}: ")
    elif answer is not None or image.failed:
        st.markdown(f"{title}: **{wording.NO_ANSWER}**")
        for sentence in (image.failed,) if answer is None else answer.reasons:
            st.caption(markdown(sentence, 500))
    elif on.task.patient is not None:
        with st.popover(f"{title}: age, sex, body site", key=key, on_change="rerun", width="stretch") as form:
            vector = demographics.fields(on.task.patient, key, (None, None, None)) if form.open else None
        if vector is not None:
            asked(on, queue, number, vector, key)
            st.rerun()
