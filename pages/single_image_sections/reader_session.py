"""Reader session of up to twenty images: the visitor's assessment before and after the model's answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import streamlit as st

from pages.display import layout, tables
from pages.display.layout import draw_picture
from pages.input_widgets.dropped_photographs import WAITING
from pages.single_image_sections import demographics, image_upload, prediction, session_queue, session_state
from pages.single_image_sections.session_queue import OTHER_MODEL, Session
from scoring.common.text import markdown
from scoring.core.views import Column, Table
from scoring.presentation.figures import single_image as figures
from scoring.single_image import wording
from scoring.single_image.image_session import ImageQueue, SessionImage
from scoring.single_image.reader_study import (
    FILE,
    READERS,
    RULE,
    UNSURE,
    Impression,
    ReadImage,
    compared,
    summary,
    table,
)

CASES, OWN = "Cases of the test set", image_upload.OWN_IMAGES
HOW: Final = (
    "Enter your impression of each image before you see the model's answer, and again after it. At the end "
    "you see your impressions, the model's answers and the truth side by side."
)
AT_ONCE: Final = (
    "Each answer of the model appears when it is computed. You can save a table of all answers as CSV."
)
FEW_OF_ONE: Final = (
    "With one reader and few images the intervals are wide. Other images and readers can give other results."
)
NEXT: Final = "The next image appears here."
WITHOUT_YOU: Final = ("image", FILE, "truth", "model", "highest score", "remarks")
"""Columns of the table without assessments."""
CHANGE, CHANGE_INTERVAL = "change in points", "change in points, 95% interval"
CHANGES: Final = (
    Column(CHANGE, "Change after seeing the model's answer", "number", 0, unit=" points", sign=True),
    Column(CHANGE_INTERVAL, "95% interval of the change", "interval", 0, sign=True),
)
NAMES: Final = "File names in the CSV file (they can name a person)"
IN_THE_FILE: Final = ("confidence", "confidence with the model")
"""Columns that do not fit on a page."""


@dataclass
class Progress:
    """The visitor's progress, by number of the image.

    Attributes:
        shown: Images whose answer was shown before the visitor's assessment; they are not assessed any more.
    """

    alone: dict[int, Impression] = field(default_factory=dict)
    assisted: dict[int, Impression] = field(default_factory=dict)
    truths: dict[int, int] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    ended: bool = False


def show(on: Session) -> None:
    """Draw the session: its progress, one image after another or all answers, and the summary."""
    if WAITING in st.session_state:
        st.session_state[image_upload.READ] = OWN
    kind = st.segmented_control(
        "Which images do you want to read?", [CASES, OWN], key=image_upload.READ, required=True, default=CASES
    )
    st.caption(f"{HOW if on.first else AT_ONCE} {markdown(wording.only_line(on.task.names), 400)}")
    queue = session_queue.own() if kind == OWN else session_queue.cases(on)
    if queue is None:
        return
    if not on.measured:
        st.info(f"{len(queue.waiting) + len(queue.done)} images: the model runs on the test set first.")
        return
    if queue.basis not in (None, on.key):
        st.info(OTHER_MODEL, icon=":material/info:")
        return
    work, images = session_queue.answer(on, queue), queue.done
    read = session_state.cached(f"progress {kind}", queue.token, Progress)
    for number, image in images.items():
        if image.refused:
            title = session_queue.title_of(number, image)
            st.warning(f"{title}: {markdown(image.refused, 600)}", icon=":material/broken_image:")
    readable = {number: image for number, image in images.items() if not image.refused}
    if on.first:
        reads_now = _read(on, queue, readable, read)
        session_queue.progress(work, queue, each=not reads_now)
        return
    read.shown |= {number for number in readable if number not in read.alone}
    session_queue.progress(work, queue, each=True)
    session_queue.answers(on, queue)
    if readable:
        found = table(
            [_as_read(on, image, read, number) for number, image in readable.items()], on.task.names
        )
        _table(
            "What did the model answer?",
            {name: found[name] for name in WITHOUT_YOU if name in found},
            "single_answers",
        )


def _read(on: Session, queue: ImageQueue, images: dict[int, SessionImage], read: Progress) -> bool:
    """Draw the image that is next, or the tally; return whether there is an image to read."""
    if seen := len(read.shown & images.keys()):
        st.caption(
            f"{seen} of {len(images)} images do not count as read, because you saw the model's answers first."
        )
    readable = [number for number in images if number not in read.shown]
    unread, total = [number for number in readable if number not in read.assisted], len(readable)
    total += len(queue.waiting)
    if read.ended or not (unread or queue.waiting):
        _tally(on, [_as_read(on, images[n], read, n) for n in readable if n in read.assisted])
        return True
    done = len(readable) - len(unread)
    st.progress(done / total, f"{done} of {total} read")
    if unread:
        _one(on, queue, images[unread[0]], read, unread[0])
    else:
        st.caption(NEXT)
    if done and st.button("End here and show the results", key="single_tally", type="tertiary"):
        read.ended = True
        st.rerun()
    return bool(unread)


def _one(on: Session, queue: ImageQueue, image: SessionImage, read: Progress, n: int) -> None:
    picture, form = st.columns([2, 3], gap="medium")
    key = f"single_read_{queue.token}_{n}"
    with picture:
        draw_picture(image.preview, width="stretch", alt=f"Image {n}")
        prediction.chips(image.chips)
    with form:
        layout.heading(f"Image {n}: what do you see?")
        if n not in read.alone:
            vector, asks = None, image.prepared is not None and on.task.patient is not None
            if asks and on.task.patient is not None:
                vector = demographics.fields(on.task.patient, key, (None, None, None))
            impression = prediction.impression_fields(on.task, key, "My impression")
            missing = ["your confidence"] * (impression is None)
            missing += ["age, sex and body site"] * (asks and vector is None)
            pressed = prediction.button("Show the model's answer", f"{key}_show", missing)
            if pressed and impression is not None:
                if vector is not None:
                    session_queue.asked(on, queue, n, vector, key)
                read.alone[n] = impression
                st.rerun()
            return
        _answer(on, image, key)
        # Nothing is filled in: whoever only clicks on would confirm the first impression.
        after = prediction.impression_fields(on.task, f"{key}_after", "With the model's answer I say", None)
        truth: int | None = image.source.truth
        if truth == UNSURE:
            truth = prediction.class_field(on.task, f"{key}_truth", "True class, if you know it", "not known")
        missing = ["your impression and confidence"] * (after is None) + ["the true class"] * (truth is None)
        pressed = prediction.button("Next", f"{key}_next", missing)
        if pressed and after is not None and truth is not None:
            read.assisted[n], read.truths[n] = after, truth
            st.rerun()


def _answer(on: Session, image: SessionImage, key: str) -> None:
    """Draw the model's answer to an image."""
    answer = image.answer
    if answer is None:
        st.error(markdown(image.failed, 600), icon=":material/block:")
        return
    if answer.reasons:
        st.markdown(f"**{wording.NO_ANSWER}**")
        for sentence in answer.reasons:
            st.warning(markdown(sentence, 500), icon=":material/front_hand:")
    else:
        session_queue.headline(on, image, answer)
    views = answer.views
    span = None if views is None else (views.low, views.high)
    scores = figures.ImageScores(on.task.names, on.task.risk, answer.prediction.probabilities, span)
    with st.expander(
        "Show the scores, although there is no answer" if answer.reasons else "Scores of all classes"
    ):
        layout.plot(figures.ranked(scores, layout.theme()), "", key=f"{key}_scores")
        if answer.reasons and answer.prediction.official_line:
            st.caption(markdown(answer.prediction.official_line, 400))


def _as_read(on: Session, image: SessionImage, read: Progress, n: int) -> ReadImage:
    answer = image.answer
    has_answer = answer is not None and not answer.reasons
    return ReadImage(
        image.source.name,
        read.alone.get(n, prediction.NO_IMPRESSION),
        read.assisted.get(n, prediction.NO_IMPRESSION),
        answer.prediction.top if answer is not None and has_answer else UNSURE,
        float(answer.prediction.probabilities.max()) if answer is not None and has_answer else float("nan"),
        read.truths.get(n, image.source.truth),
        image.remarks(on.card),
        image.source.file_name,
    )


def _tally(on: Session, images: list[ReadImage]) -> None:
    """Draw reader, model and truth side by side; nothing if no image was read."""
    if not images:
        return
    for sentence in summary(images):
        st.markdown(markdown(sentence, 600))
    if measures := compared(images, on.task.malignant):
        rows: dict[str, list[Any]] = {
            "measure": list(measures),
            **{
                name: [str(comparison.shares[index]) for comparison in measures.values()]
                for index, name in enumerate(READERS)
            },
            CHANGE: [100 * comparison.difference for comparison in measures.values()],
            CHANGE_INTERVAL: [
                comparison.interval and [100 * end for end in comparison.interval]
                for comparison in measures.values()
            ],
        }
        question = "How well did you read without and with the model?"
        caption = f"With 95% intervals; the change is computed on the same images. {RULE} {FEW_OF_ONE}"
        columns = [*_columns({name: rows[name] for name in ("measure", *READERS)}), *CHANGES]
        _written(Table(question, columns, rows, caption, key="single_readers"))
    else:
        st.caption("No true class is known, so your impressions cannot be checked.")
    _table("Which class did you and the model choose?", table(images, on.task.names), "single_reading")


def _table(question: str, rows: dict[str, list[str | float]], key: str) -> None:
    """Draw the images, a row each."""
    n = len(rows["image"])
    caption = f"{n} image{'s' * (n > 1)}."
    caption += " The CSV file also has your confidence." * (IN_THE_FILE[0] in rows)
    names = rows["image"]
    files = [str(name).rsplit("/", 1)[-1] for name in names]
    short = {**rows, "image": files if len(set(files)) == n else names}
    table = Table(question, _columns(rows), rows, caption, key=key)
    _written(table, replace(table, rows=short))


def _columns(rows: Mapping[str, list]) -> list[Column]:
    """Return how columns are shown: an empty one is in the file alone."""
    return [
        Column(
            name,
            name.capitalize(),
            "number" if name == "highest score" else "text",
            2,
            detail=name in IN_THE_FILE or not any(values),
        )
        for name, values in rows.items()
    ]


def _written(table: Table, shown: Table | None = None) -> None:
    """Draw a table whose cells wrap, so that it fits beside the images. shown: the table as drawn, if it is
    shorter than the file."""
    layout.heading(table.question)
    st.markdown(tables.written(shown or table))
    exported, unnamed = table, [column for column in table.columns if column.name != FILE]
    if len(unnamed) < len(table.columns) and not st.checkbox(NAMES, key=f"{table.key}_names"):
        exported = replace(table, columns=unnamed)
    layout.footer(table.caption, partial(tables.frame, exported), table.question, table.key, index=False)
