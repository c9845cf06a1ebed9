"""Viewer of one image's nuclei with their table, and the images, worst first."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pages.challenge import case_table, scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge_tabs.puma.radius_and_confidence import (
    badge_and_reset,
    current_setting,
    identity,
    rescored,
)
from pages.challenge_tabs.shared_widgets import choose_case
from pages.display import downloads, layout, tables, viewer
from pages.display.render import CaseLink
from pages.display.tables import shortener
from pages.display.viewer import nuclei
from pages.display.viewer.payload import Payload
from scoring.challenges.puma import nuclei_listing
from scoring.challenges.puma.formula import MICROMETRES_PER_PIXEL
from scoring.challenges.puma.image_views import class_heat, images_table, worst_first
from scoring.challenges.puma.match_table import REASONS
from scoring.challenges.puma.nuclei_listing import SIDES, Listing, NucleusRow, overlay
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.setting_views import RULE, MatchingSetting
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Array
from scoring.inference import thumbnails
from scoring.presentation.figures.detection import spaced
from scoring.presentation.figures.nuclei_pictures import overlay_png

LINK = CaseLink("case", "nucleus")
KEPT_CASES = 8
PRINTED_SIDE = 1600
"""Maximum px of the longer side of a downloaded image."""


@dataclass(frozen=True)
class Nucleus:
    """A nucleus by side ("truth" or "prediction") and position in its file's list."""

    side: str
    number: int


@st.fragment
def viewer_tab(scored: ScoredSubmission) -> None:
    """Draw one image's nuclei and their table. A fragment: a click in the viewer redraws only this tab."""
    names = [row["case"] for row in scored.card.cases]
    index, has_table = _choose_case(names)
    setting = current_setting(scored.card)
    if setting != RULE:
        badge_and_reset(scored.card, setting, "to_rule_here")
    drawn, payload = _packed(*identity(scored), setting, index, scored)
    nucleus = _nucleus_in_address()
    viewer_column, table_column = st.columns([7, 3], gap="medium") if has_table else (st.container(), None)
    with viewer_column:
        focus = {"side": nucleus.side, "index": nucleus.number} if nucleus else None
        viewer.show(payload, "nuclei", focus=focus, on_select=partial(_to_address, payload))
        if nucleus:
            nucleus_words(drawn, nucleus, setting.radius)
        png = partial(_printed, drawn, scored.truth, index, _tile(scored.truth_key, index, scored.truth))
        name, key = f"{names[index]}-overlay.png", "download_overlay"
        downloads.button("Whole image (PNG)", png, name, key, type="tertiary")
    if table_column:
        with table_column:
            nucleus_table(drawn, nucleus, setting.radius, LINK)


def _choose_case(names: list[str]) -> tuple[int, bool]:
    """Draw the choice of an image, with steps to the one before and after, and a switch for the table of its
    nuclei; return the place of the image and that switch."""
    with st.container(key="case_steps", horizontal=True, vertical_alignment="center", gap="small"):
        index = choose_case("Image", names, LINK, lambda: names[0], shortener(names), 290)
        has_table = st.toggle("Table of nuclei", key="table", bind="query-params", persist_state="page")
    return index, has_table


@st.cache_resource(max_entries=KEPT_CASES, scope="session", show_spinner="Drawing the nuclei ...")
def _packed(
    truth_key: str,
    submission_key: str,
    options: str,
    setting: MatchingSetting,
    index: int,
    _scored: ScoredSubmission,
) -> tuple[dict[str, Array], Payload]:
    """Return the nuclei of an image with their results, and the same as the viewer takes it."""
    truth = _scored.truth
    drawn = overlay(truth, _scored.predictions, rescored(_scored, setting), index)
    width, height = truth.sizes[index].tolist()
    jpeg = _tile(truth_key, index, truth)
    image = nuclei.TileInfo(truth.ids[index], (width, height), CLASSES, MICROMETRES_PER_PIXEL, jpeg)
    return drawn, nuclei.results(drawn, image, REASONS, setting.radius)


@st.cache_resource(max_entries=KEPT_CASES, scope="session", show_spinner=False)
def _tile(truth_key: str, index: int, _truth: PumaTruth) -> bytes | None:
    return thumbnails.tile(_truth, index)


def _printed(drawn: Mapping[str, Array], truth: PumaTruth, index: int, tile: bytes | None) -> bytes:
    width, height = truth.sizes[index].tolist()
    return overlay_png(drawn, (width, height), truth.ids[index], MICROMETRES_PER_PIXEL, PRINTED_SIDE, tile)


def _to_address(payload: Payload) -> None:
    """Write the nucleus that was clicked to the address."""
    chosen = viewer.selected("nuclei", payload)
    if chosen:
        st.query_params["nucleus"] = f"{chosen['side']}-{chosen['index']}"
    else:
        LINK.leave()


def _nucleus_in_address() -> Nucleus | None:
    side, _, number = st.query_params.get("nucleus", "").partition("-")
    is_number = number.isdecimal() and len(number) < 9
    return Nucleus(side, int(number)) if side in SIDES and is_number else None


TABLE_HEIGHT, SHORT = 470, 12
"""Height in px of a table that scrolls, and the number of rows from which it does."""
STATUS = {"TP": ("green", "found"), "FP": ("orange", "spurious"), "FN": ("blue", "missed")}
COLUMNS = {
    "status": tables.text_column("", 36),
    "class": tables.text_column("class", 90),
    "distance": tables.number_column(
        "px", 1, 44, "Distance to the matched nucleus, or to the nucleus named in the reason"
    ),
    "confidence": tables.number_column("conf.", 2, 48),
    "of": tables.text_column("no.", 96),
    "why": tables.text_column("why", 330),
}


def nucleus_table(drawn: Mapping[str, Array], nucleus: Nucleus | None, radius: float, link: CaseLink) -> None:
    """Draw the outcome of each nucleus. drawn: from `overlay`. nucleus: the chosen one. radius: px, of the
    matching."""
    which = st.segmented_control(
        "Nuclei in the table",
        list(nuclei_listing.LISTS),
        key="list",
        bind="query-params",
        persist_state="page",
        required=True,
        default="errors",
        help=(
            "FP: a prediction without a matching nucleus in the truth. FN: a nucleus of the truth without "
            "a matching prediction. TP: both."
        ),
    )
    listed, row = nuclei_listing.listing(drawn, which, radius), None
    if nucleus:
        row = listed.place(nucleus.side, nucleus.number)
    key = f"nuclei_{which}"
    st.session_state[key] = {"selection": {"rows": [] if row is None else [row], "columns": [], "cells": []}}
    layout.table(
        f"How was each nucleus scored? {listed.total:,}",
        _frame(listed),
        COLUMNS,
        "Choose a row to see the nucleus."
        + (
            f" The table lists the first {len(listed.rows):,} nuclei."
            if len(listed.rows) < listed.total
            else ""
        ),
        key=key,
        height=TABLE_HEIGHT if len(listed.rows) > SHORT else "content",
        on_select=partial(_choose_row, key, listed, link),
        selection_mode="single-row",
    )


def nucleus_words(drawn: Mapping[str, Array], nucleus: Nucleus, radius: float) -> None:
    """Draw the outcome of one nucleus. Arguments as in `nucleus_table`."""
    row = nuclei_listing.nucleus_row(drawn, nucleus.side, nucleus.number, radius)
    if row:
        st.markdown(in_words(row))


def _frame(listed: Listing) -> pd.DataFrame:
    rows = [
        (r.status, spaced(r.name), r.distance, r.confidence, f"{r.side} {r.number}", r.why)
        for r in listed.rows
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _choose_row(key: str, listed: Listing, link: CaseLink) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        chosen = listed.rows[rows[0]]
        st.query_params["nucleus"] = f"{chosen.side}-{chosen.number}"
    else:
        link.leave()


def in_words(nucleus: NucleusRow) -> str:
    """Return one nucleus as a sentence, Markdown."""
    (colour, meaning), (x, y) = STATUS[nucleus.status], nucleus.centroid
    confidence = f", confidence {nucleus.confidence:.2f}" if nucleus.confidence is not None else ""
    match = (
        f", matched with prediction {nucleus.partner} {nucleus.distance:.1f} px away"
        if nucleus.partner is not None
        else f": {nucleus.why}"
    )
    overlap = f", outlines overlap to IoU {nucleus.iou:.2f}" if nucleus.iou is not None else ""
    return (
        f":{colour}-badge[{nucleus.status} {meaning}] **{spaced(nucleus.name)}**, {nucleus.side} "
        f"{nucleus.number} at {x:.0f}, {y:.0f} px{match}{overlap}{confidence}"
    )


ROWS = 30
"""Maximum images in the heat map."""


def images_tab(scored: ScoredSubmission) -> None:
    """Draw the classes that fail in each image, and the worst images."""
    order = worst_first(scored.card)
    heat_column, table_column = st.columns([9, 13], gap="large")
    with heat_column:
        page, pages, chart = 1, -(-len(order) // ROWS), st.container()
        if pages > 1:
            page = st.pagination(pages, key="images_page", bind="query-params")
        with chart:
            heat = class_heat(scored.card, order[(page - 1) * ROWS : page * ROWS])
            scored_submission.block(heat, scored, f"heat/{page}", LINK)
    with table_column:
        scored_submission.block(
            scoring_run.of_card("puma_images", scored, images_table), scored, "images", LINK
        )
    case_table.grid(scored, "opens the viewer", LINK.open)
