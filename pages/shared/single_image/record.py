"""What was asked and answered, to read and to take home."""

import streamlit as st

from pages.shared import downloads, layout
from pages.shared.layout import Fact
from pages.shared.single_image.query import Query
from scoring.single_image import record, wording
from scoring.single_image.operating import operating_point
from scoring.single_image.record import Record
from scoring.text import markdown

WITH_IMAGE = "Put the image into the file"


def show(asked: Query, own: str, sensitivity: float) -> None:
    """Hashes, shapes, inputs, times, and all of it as JSON. own: the visitor's impression, "" without one.
    sensitivity: the wanted one, 0..1."""
    answer, opened, photograph = asked.answer, asked.opened, asked.image.photograph
    width, height = photograph.size
    tall, wide = answer.prepared.shape[:2]
    entries = [
        Fact("Image", f"{width} × {height} px", photograph.seen.format),
        Fact("The model received", f"{wide} × {tall} px", f"stretched, {opened.recipe.steps[-1][2]}"),
        Fact("Processor time", f"{answer.cpu_ms:.1f} ms", "of the one run"),
        Fact("Outputs are", answer.kind),
    ]
    if answer.vector is not None:
        entries.append(
            Fact(
                "Age, sex, site",
                ", ".join(f"{value:g}" for value in answer.vector),
                "as the model receives them",
            )
        )
    if asked.held is not None:
        entries.append(Fact("Held against", f"n = {len(asked.held)}", asked.held.name))
    layout.heading("What was asked, of which model?")
    layout.facts(entries)
    st.caption(f"SHA-256 of the model: {opened.sha256}")
    for finding in opened.findings:
        st.caption(f"{markdown(finding.code)}: {markdown(finding.message, 600)}")
    with_image = st.checkbox(WITH_IMAGE, key=f"single_with_image_{asked.image.token}")
    downloads.button(
        "answer.json",
        lambda: record.text(record.document(_said(asked, own, sensitivity), with_image)),
        "single-image",
        "json",
        "application/json",
        "single_json",
    )


def _said(asked: Query, own: str, sensitivity: float) -> Record:
    held = asked.held if asked.held is not None and len(asked.held) else None
    return Record(
        asked.image.photograph,
        asked.opened,
        asked.answer,
        held,
        asked.views,
        asked.classes,
        None if held is None else operating_point(held, asked.subject.malignant, sensitivity),
        asked.quality,
        asked.chips,
        wording.abstentions(asked.classes, asked.views, asked.chips),
        own or None,
    )
