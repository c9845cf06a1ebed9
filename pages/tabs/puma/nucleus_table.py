"""What the viewer shows, as a table, and the chosen nucleus in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pages.display import layout, tables
from pages.display.render import CaseLink
from scoring.challenges.puma import listing
from scoring.challenges.puma.listing import Listing, NucleusRow
from scoring.common.arrays import Array
from scoring.presentation.figures.detection import spaced

TABLE_HEIGHT, SHORT = 470, 12
"""px of a table that scrolls, and the rows from which on it does."""
STATUS = {"TP": ("green", "found"), "FP": ("orange", "spurious"), "FN": ("blue", "missed")}
COLUMNS = {
    "status": tables.text_column("", 36),
    "class": tables.text_column("class", 90),
    "distance": tables.number_column("px", 1, 44, "To the match, or to the nucleus that the reason is about"),
    "confidence": tables.number_column("conf.", 2, 48),
    "of": tables.text_column("no.", 96),
    "why": tables.text_column("why", 330),
}


@dataclass(frozen=True)
class Nucleus:
    """A nucleus by side ("truth" or "prediction") and position in its file's list."""

    side: str
    number: int


def nucleus_table(drawn: Mapping[str, Array], nucleus: Nucleus | None, radius: float, link: CaseLink) -> None:
    """Draw what became of each nucleus. drawn: of `overlay`. nucleus: the chosen one. radius: px, of the
    matching."""
    which = st.segmented_control(
        "In the table",
        list(listing.LISTS),
        key="list",
        bind="query-params",
        persist_state="page",
        required=True,
        default="errors",
        help="FP: predicted, and no truth matches. FN: in the truth, and no prediction matches. TP: both.",
    )
    listed, row = listing.listing(drawn, which, radius), None
    if nucleus:
        row = listed.place(nucleus.side, nucleus.number)
    key = f"nuclei_{which}"
    st.session_state[key] = {"selection": {"rows": [] if row is None else [row], "columns": [], "cells": []}}
    layout.table(
        f"What became of each nucleus? {listed.total:,}",
        _frame(listed),
        COLUMNS,
        "Choose a row to see the nucleus."
        + (f" The first {len(listed.rows):,} are listed." if len(listed.rows) < listed.total else ""),
        key=key,
        height=TABLE_HEIGHT if len(listed.rows) > SHORT else "content",
        on_select=partial(_choose_row, key, listed, link),
        selection_mode="single-row",
    )


def nucleus_words(drawn: Mapping[str, Array], nucleus: Nucleus, radius: float) -> None:
    """Say what became of one nucleus; arguments as of `nucleus_table`."""
    found = listing.nucleus_row(drawn, nucleus.side, nucleus.number, radius)
    if found:
        st.markdown(in_words(found))


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
