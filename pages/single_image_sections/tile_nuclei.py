"""Nuclei of one tile, from a dense model or a prediction file: viewer, counts and record."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import pandas as pd
import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome
from pages.display import downloads, layout, tables, viewer
from pages.display.layout import Fact
from pages.display.viewer.nuclei import TileInfo, detections
from pages.input_widgets import selectors
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import model_processes, session_state
from pages.single_image_sections.chosen_image import ChosenImage
from scoring.challenges import samples
from scoring.common.text import as_json, markdown
from scoring.inference.single_image_task import TileSupport
from scoring.inputs.nuclei.reader import Nuclei
from scoring.presentation.figures.number_format import UNDEFINED, percent
from scoring.presentation.figures.single_image import preview
from scoring.presentation.html import single_image
from scoring.single_image import image_record, nuclei, wording
from scoring.single_image.image_record import TileRecord
from scoring.single_image.nuclei import Detector, Overview
from scoring.single_image.quality import QualityBadge
from scoring.single_image.wording import NO_ANSWER

MODEL, FILE = "Model", "Prediction file"
VIEWER = "single_nuclei"
DRAWN_SIDE = 2048
WITH_IMAGE = "Put the image into the record"


@dataclass(frozen=True)
class TileFacts:
    """Facts about a tile for its record. title: of the model or file; chips: findings about the tile;
    micrometres: per pixel, None if unknown; annotated: its true nuclei, None if unknown."""

    support: TileSupport
    title: str
    chips: Sequence[QualityBadge]
    micrometres: float | None
    annotated: Nuclei | None = None


def source(challenge_id: str) -> ChosenInput | None:
    """Draw the choice of the nuclei's source: a dense model or a file; None if there is no file."""
    kind = st.segmented_control(
        "Nuclei from",
        [MODEL, FILE],
        key="single_nuclei_from",
        required=True,
        default=MODEL,
        persist_state="session",
    )
    if kind == MODEL:
        offered = samples.models(challenge_id)
        chosen, panel = selectors.model(offered, f"single_{challenge_id}")
        panel.caption(
            "Your own model, deleted when this session ends."
            if chosen.own
            else markdown(offered[panel.sample].about, 400)
        )
        return chosen
    return selectors.one_file("Nuclei of the tile: GeoJSON or JSON", f"single_{challenge_id}_nuclei")


def detect(
    support: TileSupport, chosen: ChosenInput, image: ChosenImage
) -> tuple[Outcome | model_processes.Waiting, Detector | None]:
    """Return the nuclei of the tile (`Nuclei`), or why there are none; and the model that found them, None
    for a file."""
    key, pixels = (chosen.key, image.token), image.photograph.pixels
    if not chosen.is_model:
        size = image.photograph.size
        return session_state.cached(
            "nuclei",
            key,
            lambda: scoring_run.attempt(nuclei.listed, support, chosen.source, size, chosen.name),
        ), None
    detector = model_processes.detector(support, chosen)
    if isinstance(detector, model_processes.Waiting) or detector.refused:
        return detector, None
    with st.spinner("Looking for nuclei ..."):
        return session_state.cached(
            "nuclei", key, lambda: scoring_run.attempt(nuclei.detected, detector.value, pixels)
        ), detector.value


@st.fragment
def show(
    listed: Nuclei, image: ChosenImage, chosen: ChosenInput, detector: Detector | None, about: TileFacts
) -> None:
    """Draw numbers first, then the viewer; its confidence slider changes both. A fragment: moving the slider
    redraws only this part. about: further facts for the record."""
    least = viewer.confidence(VIEWER)
    counts = nuclei.overview(
        about.support, listed, image.photograph.size, least, about.micrometres, about.annotated
    )
    sha256 = detector.sha256 if detector else ""
    tile_record = TileRecord(image.photograph, about.title, sha256, counts, least, about.chips, _today())
    if tile_record.abstentions:
        st.header(NO_ANSWER, anchor=False)
        for sentence in tile_record.abstentions:
            st.warning(markdown(sentence, 500), icon=":material/front_hand:")
        is_shown = st.toggle("Show the counts anyway", key=f"single_anyway_{image.token}")
        tile_record = replace(tile_record, counts_shown=is_shown)
    if tile_record.counts_shown or not tile_record.abstentions:
        _counts(listed, image, chosen, counts, least, about)
    _record(image, tile_record)


def _today() -> str:
    return f"{datetime.now(UTC):%d %B %Y}"


def _counts(
    listed: Nuclei, image: ChosenImage, chosen: ChosenInput, counts: Overview, least: float, about: TileFacts
) -> None:
    """Draw numbers, the viewer and the table."""
    confidence, area = f"confidence from {least:.2f}" if least else "all detected nuclei", counts.area_mm2
    lymphocytes = counts.lymphocytes
    share = percent(lymphocytes.hits / lymphocytes.n) if lymphocytes.n else UNDEFINED
    lymphocytes_of = f"{lymphocytes.hits:,} of {lymphocytes.n:,}"
    between = f"{lymphocytes_of}; {percent(lymphocytes.low)} to {percent(lymphocytes.high)}"
    per_mm2 = (
        Fact("Per mm²", UNDEFINED, wording.scale_words(None))
        if area is None
        else Fact("Per mm²", f"{counts.total / area:,.0f}", f"tile of {area:.4f} mm²")
    )
    layout.facts(
        [
            Fact("Nuclei", f"{counts.total:,}", confidence),
            per_mm2,
            Fact(wording.LYMPHOCYTES, share, between if lymphocytes.n else "none"),
        ]
    )
    packed = partial(_packed, about, listed, image)
    viewer.show(session_state.cached("payload", (chosen.key, image.token, about.micrometres), packed), VIEWER)
    _table(counts, confidence)


def _record(image: ChosenImage, tile_record: TileRecord) -> None:
    """Draw the downloads: a page to print, and the counts as JSON."""
    with_image = st.checkbox(WITH_IMAGE, value=True, key=f"single_tile_with_image_{image.token}")
    content = partial(single_image.tile_html, tile_record, with_image)
    name = image_record.stem(tile_record.counts.support.challenge, image.photograph)
    downloads.button("Record to print (HTML)", content, f"{name}.html", "single_tile_html")
    st.caption("The record has one page. Print it in the browser to make a PDF.")
    with st.expander("Technical", icon=":material/build:"):
        with_pixels = st.checkbox("Put all pixels into the JSON", key=f"single_tile_pixels_{image.token}")
        document = partial(image_record.tile_document, tile_record, with_pixels)
        key = "single_tile_json"
        downloads.button("nuclei.json", lambda: as_json(document()), f"{name}.json", key)


def _packed(about: TileFacts, listed: Nuclei, image: ChosenImage):
    jpeg = preview(image.photograph.pixels, DRAWN_SIDE)
    scale = about.micrometres or 0.0
    return detections(listed, TileInfo(image.name, image.photograph.size, about.support.classes, scale, jpeg))


def _table(counts: Overview, confidence: str) -> None:
    columns = {"class": [name.replace("_", " ") for name in counts.support.classes], "nuclei": counts.counts}
    if counts.truth is not None:
        columns["annotated"] = counts.truth
    if counts.per_mm2 is not None:
        columns["per mm²"] = counts.per_mm2
    layout.table(
        "How many nuclei of each class?",
        pd.DataFrame(columns).sort_values("nuclei", ascending=False, kind="stable"),
        {
            name: tables.number_column(name, 0) if name != "class" else tables.text_column(name)
            for name in columns
        },
        f"Counted in this tile only, {confidence}; {wording.scale_words(counts.micrometres)}. "
        f"{wording.OF_TILE} {nuclei.truth_line(counts)}",
        key="single_counts",
    )
