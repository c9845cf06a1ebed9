"""Record of one image, as a page for printing and as JSON."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from pages.challenge import scoring_run
from pages.display import downloads, layout
from pages.display.layout import Fact
from pages.single_image_sections import demographics, further_photographs, saliency_maps, side_by_side
from pages.single_image_sections.model_and_test_set import title_of
from pages.single_image_sections.query import NO_OUTPUT, NOT_RUN, STILL_RUNS, Query
from scoring.common.text import as_json, markdown
from scoring.presentation.html import single_image
from scoring.single_image import image_record
from scoring.single_image.image_record import Checks, MoreAnswers, OnTestSet, Record, UnusedTestSet
from scoring.single_image.operating_threshold import operating_point
from scoring.single_image.other_demographics import told
from scoring.single_image.reader_study import Impression

WITH_IMAGE = "Put the image into the record"


def show(query: Query, own: Impression, sensitivity: float, scores_shown: bool) -> None:
    """Draw the content of the record and its downloads. own: the visitor's assessment. sensitivity: the
    required one, 0..1. scores_shown: whether the scores are shown."""
    answer, photograph = query.answer, query.setup.image.photograph
    width, height = photograph.size
    entries = [
        Fact("Image", f"{width} × {height} px", photograph.framed or "as it is"),
        Fact("Model", query.model_name, f"SHA-256 {query.setup.opened.sha256[:12]}…"),
    ]
    patient = query.setup.task.patient
    if answer.vector is not None and patient is not None:
        values = told(patient, answer.vector, demographics.age_unknown(query.setup.image.person)).values()
        entries.append(Fact("Age, sex, body site", ", ".join(values)))
    if query.held is not None:
        failed = f"; no valid output for {len(query.held.failed)} more" if len(query.held.failed) else ""
        entries.append(Fact("Compared with", f"{len(query.held)} cases{failed}", query.held.name))
    layout.heading("What is in the record?")
    layout.facts(entries)
    with_image = st.checkbox(WITH_IMAGE, value=True, key=f"single_with_image_{query.setup.image.token}")
    made = _record(query, own, sensitivity, scores_shown)  # here: a download cannot read the session
    content = partial(single_image.html, made, with_image)
    downloads.button("Record to print (HTML)", content, f"{_stem(query)}.html", "single_html")
    st.caption("Print it in the browser to make a PDF.")
    with st.expander("Technical", icon=":material/build:"):
        _technical(query, made)


def _technical(query: Query, made: Record) -> None:
    """Shapes, hashes, times, and all of it as JSON."""
    answer, opened, photograph = query.answer, query.setup.opened, query.setup.image.photograph
    tall, wide = answer.prepared.shape[:2]
    entries = [
        Fact("File", photograph.seen.format),
        Fact("The model received", f"{wide} × {tall} px", f"stretched, {opened.recipe.steps[-1][2]}"),
        Fact("Processor time", f"{answer.cpu_ms:.1f} ms", "from this one run"),
        Fact("Outputs are", answer.kind),
    ]
    if answer.vector is not None:
        values = ", ".join(f"{value:g}" for value in answer.vector)
        entries.append(Fact("Second input", values, "as the model receives it"))
    layout.facts(entries)
    st.caption(f"SHA-256 of the model: {opened.sha256}")
    for message in made.findings:
        st.caption(markdown(message, 600))
    with_pixels = st.checkbox(
        "Put all pixels into the JSON", key=f"single_with_pixels_{query.setup.image.token}"
    )
    downloads.button(
        "answer.json",
        lambda: as_json(image_record.document(made, with_pixels)),
        f"{_stem(query)}.json",
        "single_json",
    )


def _unused(query: Query) -> UnusedTestSet | None:
    """Return the test set with the reason, where the model has no valid output for any of its other cases."""
    if query.held is not None and len(query.held):
        return None
    why = NO_OUTPUT if query.held is not None else STILL_RUNS
    because = NOT_RUN.format(query.unknown) if query.held is None and query.unknown else why
    return UnusedTestSet(title_of(query.setup.test_set), because, query.runs)


def _stem(query: Query) -> str:
    return image_record.stem(query.setup.task.challenge, query.setup.image.photograph)


def _record(query: Query, own: Impression, sensitivity: float, scores_shown: bool) -> Record:
    held = query.held if query.held is not None and len(query.held) else None
    image = query.setup.image
    others = dict(scoring_run.attempt(further_photographs.answers, query).value or {})
    others.pop(image.number, None)
    label = query.setup.label
    point = None if held is None else operating_point(held, query.setup.task.malignant, sensitivity)
    truth = query.setup.task.names[label] if label >= 0 else ""
    return Record(
        query.setup.image.photograph,
        query.setup.opened,
        query.answer,
        OnTestSet(held, query.classes, point, query.withheld, truth, query.card, _unused(query)),
        MoreAnswers(
            query.views,
            others,
            side_by_side.second_model(query),
            [other.photograph for other in image.others if other.number in others],
            saliency_maps.made(query),
            side_by_side.dates(query) if others else {},
        ),
        Checks(query.quality, query.chips, query.reasons, demographics.age_unknown(image.person)),
        query.model_name,
        f"{datetime.now(UTC):%d %B %Y}",
        own if own.confidence else None,
        scores_shown,
    )
