"""Nuclei of one tile, from a dense model or a prediction file: viewer, counts and record."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import pandas as pd
import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome
from pages.display import downloads, layout, tables, viewer
from pages.display.layout import Fact
from pages.display.viewer.nuclei import TileInfo, detections
from pages.inputs import selectors
from pages.inputs.selectors import ChosenInput
from pages.single_image_parts import model, session
from pages.single_image_parts.image_upload import ChosenImage
from scoring.challenges import samples
from scoring.common.text import as_json, markdown
from scoring.inference.model_task import TileSupport
from scoring.inputs.nuclei import Nuclei
from scoring.presentation.figures.numerals import decimal, percent
from scoring.presentation.figures.single_image import preview
from scoring.presentation.html import single_image
from scoring.single_image import nuclei, record
from scoring.single_image.nuclei import Detector, Overview
from scoring.single_image.quality import QualityBadge
from scoring.single_image.record import TileRecord

MODEL, FILE = "Model", "Prediction file"
VIEWER = "single_nuclei"
DRAWN_SIDE = 2048
WITH_IMAGE = "Put the image into the record"


@dataclass(frozen=True)
class About:
    """Facts of a tile for its record. title: of the model or file; chips: what was noticed about the tile."""

    support: TileSupport
    title: str
    chips: Sequence[QualityBadge]


def source(challenge_id: str) -> ChosenInput | None:
    """Draw what the nuclei come from: a dense model or a file of nuclei; None while there is no file."""
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
            "Your own model, kept for this session."
            if chosen.own
            else markdown(offered[panel.sample].about, 400)
        )
        return chosen
    return selectors.one_file("Nuclei of the tile: GeoJSON or JSON", f"single_{challenge_id}_nuclei")


def detect(
    support: TileSupport, chosen: ChosenInput, image: ChosenImage
) -> tuple[Outcome | model.Waiting, Detector | None]:
    """Return the nuclei of the tile (`Nuclei`), or why there are none; and the model that found them, None
    for a file."""
    key, pixels = (chosen.key, image.token), image.photograph.pixels
    if not chosen.is_model:
        size = image.photograph.size
        return session.cached(
            "nuclei",
            key,
            lambda: scoring_run.attempt(nuclei.listed, support, chosen.source, size, chosen.name),
        ), None
    detector = model.detector(support, chosen)
    if isinstance(detector, model.Waiting) or detector.refused:
        return detector, None
    with st.spinner("Looking for nuclei ..."):
        return session.cached(
            "nuclei", key, lambda: scoring_run.attempt(nuclei.detected, detector.value, pixels)
        ), detector.value


@st.fragment
def show(
    listed: Nuclei, image: ChosenImage, chosen: ChosenInput, detector: Detector | None, about: About
) -> None:
    """Draw numbers first, then the viewer; its slider of confidence moves both. A fragment: a move repaints
    this and nothing else. about: what the record says besides."""
    least = viewer.confidence(VIEWER)
    counts = nuclei.overview(about.support, listed, image.photograph.size, least)
    confidence = f"confidence from {least:.2f}" if least else "all that were found"
    layout.facts(
        [
            Fact("Nuclei", f"{counts.total:,}", confidence),
            Fact("Per mm²", decimal(counts.total / counts.area_mm2, 0), f"tile of {counts.area_mm2:.4f} mm²"),
            Fact("TIL share", percent(counts.til_share), "lymphocytes of all nuclei"),
        ]
    )
    payload = session.cached(
        "payload", (chosen.key, image.token), partial(_packed, about.support, listed, image)
    )
    viewer.show(payload, VIEWER)
    _table(counts, confidence)
    _record(image, detector, counts, least, about)


def _record(
    image: ChosenImage, detector: Detector | None, counts: Overview, least: float, about: About
) -> None:
    """Draw the downloads: a page to print, and the counts as JSON."""
    sha256 = detector.sha256 if detector else ""
    with_image = st.checkbox(WITH_IMAGE, value=True, key=f"single_tile_with_image_{image.token}")

    def page() -> str:
        told = f"{datetime.now(UTC):%d %B %Y}"
        tile_record = TileRecord(image.photograph, about.title, sha256, counts, least, about.chips, told)
        return single_image.tile_html(tile_record, with_image)

    downloads.html_button(page, "single-tile", "single_tile_html", "Record to print (HTML)")
    st.caption("One page; the browser's print makes a PDF of it.")
    with st.expander("Technical", icon=":material/build:"):
        with_pixels = st.checkbox("Put all pixels into the JSON", key=f"single_tile_pixels_{image.token}")
        document = partial(record.tile_document, image.photograph, detector, counts, least, with_pixels)
        downloads.button(
            "nuclei.json",
            lambda: as_json(document()),
            "single-tile",
            "json",
            "application/json",
            "single_tile_json",
        )


def _packed(support: TileSupport, listed: Nuclei, image: ChosenImage):
    jpeg = preview(image.photograph.pixels, DRAWN_SIDE)
    about = TileInfo(image.name, image.photograph.size, support.classes, support.micrometres_per_pixel, jpeg)
    return detections(listed, about)


def _table(counts: Overview, confidence: str) -> None:
    rows = pd.DataFrame(
        {
            "class": [name.replace("_", " ") for name in counts.support.classes],
            "nuclei": counts.counts,
            "per mm²": counts.per_mm2,
        }
    )
    layout.table(
        "How many nuclei of each class?",
        rows.sort_values("nuclei", ascending=False, kind="stable"),
        {
            "class": tables.text_column("class"),
            "nuclei": tables.number_column("nuclei", 0),
            "per mm²": tables.number_column("per mm²", 0),
        },
        f"Of this one tile, {confidence}; {counts.support.micrometres_per_pixel} µm per px. No truth stands "
        "behind these counts.",
        key="single_counts",
    )
