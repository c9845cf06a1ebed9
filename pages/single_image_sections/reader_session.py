"""Reader session of up to twenty images: the visitor's impression before and after the model's."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Running
from pages.display import finding_list, layout, tables
from pages.display.layout import draw_picture
from pages.input_widgets.dropped_photographs import QUEUED, SESSION_BYTES, WAITING
from pages.input_widgets.selectors import ChosenInput
from pages.server import streamlit_internals
from pages.single_image_sections import demographics, image_upload, model_processes, prediction, session_state
from scoring.common.text import markdown
from scoring.inference.single_image_task import ModelTask
from scoring.presentation.figures import single_image as figures
from scoring.presentation.figures.number_format import decimal, span
from scoring.single_image import wording
from scoring.single_image.image_session import SessionImage, SourceImage, session_images, with_answer
from scoring.single_image.model import OpenModel
from scoring.single_image.quality import MeasuredImages
from scoring.single_image.reader_study import (
    MOST_IMAGES,
    READERS,
    RULE,
    UNSURE,
    Impression,
    ReadImage,
    compared,
    drawn,
    summary,
    table,
)
from scoring.single_image.similar_cases import Reference

CASES, OWN = "Cases of the test set", "My images"
COUNTS = (10, MOST_IMAGES)
HOW: Final = (
    "Say what you see in each image before the model's answer is shown, and again after it. At the end you "
    "see your impressions, the model's answers and the truth side by side."
)
FEW_OF_ONE: Final = (
    "One reader and few images: intervals are wide, and other images and readers can give other numbers."
)
OTHER_MODEL: Final = (
    "Your images were prepared for another model or test set, and their files were not kept: remove them "
    "and drop them again."
)
DRAWN, OWN_READ, TURN, LEFT_OUT = (
    f"{session_state.PREFIX}{name}" for name in ("drawn", "read", "drop", "left")
)


@dataclass
class Progress:
    """How far the visitor has read. token: of the images. alone, assisted, truths: by place of the image."""

    token: str
    alone: dict[int, Impression] = field(default_factory=dict)
    assisted: dict[int, Impression] = field(default_factory=dict)
    truths: dict[int, int] = field(default_factory=dict)
    ended: bool = False


@dataclass(frozen=True)
class Session:
    """The basis of a session. held, among: the model's answers to the test set, and its images; None where
    they are not known."""

    task: ModelTask
    test_set: ChosenInput
    chosen_model: ChosenInput
    truth: Any
    opened: OpenModel
    held: Reference | None = None
    among: MeasuredImages | None = None


def show(on: Session) -> None:
    """Draw the session: what is read, then image after image, then the tally."""
    if WAITING in st.session_state:
        st.session_state["single_read"] = OWN
    kind = st.segmented_control(
        "What do you read?", [CASES, OWN], key="single_read", required=True, default=CASES
    )
    begun = _own() if kind == OWN else _cases(on)
    if begun is None:
        return
    token, sources = begun
    name, key = f"images {kind}", ("session", on.task.challenge, on.test_set.key, on.chosen_model.key, token)
    if not session_state.held(name, key):
        if not sources:
            st.info(OTHER_MODEL, icon=":material/info:")
            return
        outcome = session_state.beside(key, "images", partial(_images, on, sources))
        if isinstance(outcome, Running):
            scoring_run.running(outcome)
            return
        if outcome.refused:
            finding_list.problems(outcome.refused)
            return
        session_state.cached(name, key, lambda: outcome.value)
    if kind == OWN:
        st.session_state.pop(QUEUED, None)  # what the model receives of them is kept
    images = session_state.cached(name, key, tuple)
    _read(on, images, session_state.cached(f"progress {kind}", key, lambda: Progress(token)))


def _images(
    on: Session, sources: list[SourceImage], progress: Callable, cancelled: Callable
) -> tuple[SessionImage, ...]:
    with model_processes.own_worker(on.task, on.chosen_model) as own:
        return session_images(own, sources, on.held, on.among, progress, cancelled)


def _cases(on: Session) -> tuple[str, list[SourceImage]] | None:
    """Draw the choice of the number of cases to read, and return the cases after the visitor's request."""
    seed, count = st.session_state.get(DRAWN, (-1, 0))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        wanted = st.segmented_control("Images", COUNTS, key="single_count", required=True, default=COUNTS[0])
        label = "Draw cases and begin" if seed < 0 else "Draw other cases"
        if st.button(label, key="single_begin", type="primary" if seed < 0 else "secondary"):
            seed, count = st.session_state[DRAWN] = (seed + 1, wanted)
    st.caption(f"{HOW} About half of the drawn cases are malignant, if the test set has enough.")
    if seed < 0:
        return None
    places = np.array([i for i, member in enumerate(on.truth.images) if member is not None], int)
    labels = np.asarray(on.truth.labels)
    vectors = on.truth.demographics.encoded if on.opened.takes_vector else None
    sources = [
        SourceImage(
            on.truth.ids[i],
            partial(on.truth.picture, i),
            i,
            None if vectors is None else vectors[i],
            int(labels[i]),
        )
        for i in drawn(labels, on.task.malignant, places, count, seed)
    ]
    return f"cases_{seed}_{count}", sources


def _own() -> tuple[str, list[SourceImage]] | None:
    """Draw the uploader, and return the visitor's images once there are any; their bytes go once they were
    read."""
    token = st.session_state.get(OWN_READ)
    if token is None:
        st.caption(HOW)
        agreed, key = image_upload.agreed(), f"single_session_{st.session_state.get(TURN, 0)}"
        if files := image_upload.waiting(agreed):
            take(files)
            st.rerun()
        st.file_uploader(
            f"Drop up to {MOST_IMAGES} images",
            image_upload.TYPES,
            accept_multiple_files=True,
            key=key,
            on_change=lambda: take(st.session_state[key]),
            max_upload_size=image_upload.MOST_MB,
            disabled=not agreed,
        )
        return None
    st.button("Remove my images", on_click=image_upload.remove, icon=":material/delete:", key="single_remove")
    if left_out := st.session_state.get(LEFT_OUT):
        st.warning(left_out, icon=":material/image_not_supported:")
    files = st.session_state.get(QUEUED, ())
    return token, [SourceImage(f"image {n}", partial(bytes, data)) for n, data in enumerate(files, 1)]


def take(files: list) -> None:
    """Take images into a session of their own: as many as there is room for."""
    contents: list[bytes] = []
    for file in files:
        data = file.getvalue()
        if len(contents) < MOST_IMAGES and sum(map(len, contents)) + len(data) <= SESSION_BYTES:
            contents.append(data)
        streamlit_internals.forget_upload(file.file_id)
    state = st.session_state
    state[TURN] = state.get(TURN, 0) + 1
    if contents:
        state[QUEUED], state[OWN_READ] = contents, f"own_{secrets.token_hex(4)}"
    if len(contents) < len(files):
        state[LEFT_OUT] = (
            f"{len(files) - len(contents)} of {len(files)} images were left out: a session takes "
            f"{MOST_IMAGES}, and files of {SESSION_BYTES // 1_000_000} MB together."
        )


def _read(on: Session, images: tuple[SessionImage, ...], progress: Progress) -> None:
    """Draw the image that is next, or the tally."""
    refused = {n: image.refused for n, image in enumerate(images) if image.refused}
    readable = [n for n in range(len(images)) if n not in refused]
    for n, sentence in refused.items():
        st.warning(f"Image {n + 1}: {markdown(sentence, 600)}", icon=":material/broken_image:")
    unread = [n for n in readable if n not in progress.assisted]
    if progress.ended or not unread:
        _tally(on, [_as_read(on, images[n], progress, n) for n in readable if n in progress.assisted])
        return
    done = len(readable) - len(unread)
    st.progress(done / len(readable), f"{done} of {len(readable)} read")
    _one(on, images[unread[0]], progress, unread[0])
    if done and st.button("End here and show the results", key="single_tally", type="tertiary"):
        progress.ended = True
        st.rerun()


def _one(on: Session, image: SessionImage, progress: Progress, n: int) -> None:
    picture, form = st.columns([2, 3], gap="medium")
    key = f"single_read_{progress.token}_{n}"
    with picture:
        draw_picture(image.preview, width="stretch", alt=f"Image {n + 1}")
        prediction.chips(image.chips)
    with form:
        layout.heading(f"Image {n + 1}: what do you see?")
        if n not in progress.alone:
            vector, asks = None, image.answer is None and on.task.patient is not None
            if asks and on.task.patient is not None:
                vector = demographics.fields(on.task.patient, key, (None, None, None))
            impression = prediction.impression_fields(on.task, key, "My impression")
            ready = impression is not None and not (asks and vector is None)
            if (
                st.button("Show the model's answer", key=f"{key}_show", disabled=not ready, type="primary")
                and impression
            ):
                if vector is not None:
                    st.session_state[f"{session_state.PREFIX}vector_{key}"] = vector
                progress.alone[n] = impression
                st.rerun()
            return
        image = _answered(on, image, key)
        _answer(on, image, key)
        before = progress.alone[n]
        after = prediction.impression_fields(on.task, f"{key}_after", "With the model's answer I say", before)
        truth: int | None = image.source.truth
        if truth == UNSURE:
            truth = prediction.class_field(on.task, f"{key}_truth", "True class, if you know it", "not known")
        disabled = after is None or truth is None
        next_one = st.button("Next", key=f"{key}_next", disabled=disabled, type="primary")
        if next_one and after is not None and truth is not None:
            progress.assisted[n], progress.truths[n] = after, truth
            st.rerun()


def _answered(on: Session, image: SessionImage, key: str) -> SessionImage:
    """Return an image with the model's answer, asked now where age, sex and site came with the impression."""
    vector = st.session_state.get(f"{session_state.PREFIX}vector_{key}")
    if vector is None:
        return image
    asked = replace(image, source=replace(image.source, vector=vector))
    return session_state.cached(
        f"answer_{key}", tuple(vector.tolist()), lambda: with_answer(on.opened, asked, on.held)
    )


def _answer(on: Session, image: SessionImage, key: str) -> None:
    """Draw the model's answer to an image."""
    answer = image.answer
    if answer is None:
        st.error(markdown(image.refused, 600), icon=":material/block:")
        return
    if answer.reasons:
        st.markdown(f"**{wording.NO_ANSWER}**")
        for sentence in answer.reasons:
            st.warning(markdown(sentence, 500), icon=":material/front_hand:")
    else:
        cautions = wording.cautions(image.chips, answer.views)
        st.markdown(f"**{markdown(wording.headline(answer.prediction, on.task.names, cautions), 400)}**")
    views = answer.views
    span = None if views is None else (views.low, views.high)
    scores = figures.ImageScores(on.task.names, on.task.risk, answer.prediction.probabilities, span)
    with st.expander("Scores, although there is no answer" if answer.reasons else "Scores of all classes"):
        layout.plot(figures.ranked(scores, layout.theme()), "", key=f"{key}_scores")


def _as_read(on: Session, image: SessionImage, progress: Progress, n: int) -> ReadImage:
    answer = _answered(on, image, f"single_read_{progress.token}_{n}").answer
    has_answer = answer is not None and not answer.reasons
    return ReadImage(
        image.source.name,
        progress.alone[n],
        progress.assisted[n],
        answer.prediction.top if answer is not None and has_answer else UNSURE,
        float("nan") if answer is None else float(answer.prediction.probabilities.max()),
        progress.truths[n],
    )


def _tally(on: Session, images: list[ReadImage]) -> None:
    """Draw reader, model and truth side by side."""
    for sentence in summary(images):
        st.markdown(markdown(sentence, 600))
    measures = compared(images, on.task.malignant)
    if measures:
        rows = {
            "measure": list(measures),
            **{
                name: [str(comparison.shares[index]) for comparison in measures.values()]
                for index, name in enumerate(READERS)
            },
            "change after seeing the model's answer": [
                f"{decimal(100 * comparison.difference, 0, sign=True)} points "
                f"({span(comparison.interval, 0, 100, sign=True)})"
                for comparison in measures.values()
            ],
        }
        layout.table(
            "How well did you read without and with the model?",
            pd.DataFrame(rows),
            {name: tables.text_column(name) for name in rows},
            f"With 95% intervals, of paired images for the difference. {RULE} {FEW_OF_ONE}",
            key="single_readers",
        )
    else:
        st.caption("No true class is known, so your impressions cannot be checked.")
    columns = table(images, on.task.names)
    layout.table(
        "What did you and the model answer?",
        pd.DataFrame(columns),
        {
            name: tables.number_column(name, 2) if name == "highest score" else tables.text_column(name)
            for name in columns
        },
        f"{len(images)} images that were read. The CSV file has the same content.",
        key="single_reading",
    )
