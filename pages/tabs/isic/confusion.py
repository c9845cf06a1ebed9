"""The confusion matrix of an ISIC submission, and the cases of one of its cells."""

from collections.abc import Callable

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from pages.display.layout import GalleryCard
from pages.display.tables import shortener
from scoring.challenges.classification_views import class_name
from scoring.challenges.isic import card_summary
from scoring.challenges.isic.card import ID
from scoring.challenges.isic.category_views import confusion
from scoring.common.text import markdown
from scoring.presentation.figures.numerals import decimal
from scoring.presentation.figures.theme import short

PHOTOGRAPHS = " Photographs are turned upright for the eye; the model receives them as they are."


def cells(shown: ScoredSubmission) -> None:
    """Draw the matrix; a click on a cell, or the two lists beside it, choose its cases."""
    left, right = st.columns([9, 11], gap="large")
    with right:
        truth, called = _chosen_cell(shown)
    with left:
        kind = st.segmented_control(
            "Cells show",
            ["counts", "shares"],
            key="cells",
            bind="query-params",
            required=True,
            default="counts",
        )
        figure = confusion(shown.card, kind, (truth, called))
        path = f"confusion/{kind}/{truth}/{called}"
        scored_submission.clickable(figure, shown, path, _clicked)
    with right:
        places = card_summary.cell(shown.card, truth, called)
        order = "right, surest first" if truth == called else "called otherwise, surest mistakes first"
        layout.gallery(
            f"{short(truth)} → {short(called)}: {len(places)} case{'s' * (len(places) != 1)}",
            f"The numbers are the scores of the truth and of what it was called; {order}."
            + PHOTOGRAPHS * any(shown.truth.images),
            len(places),
            lambda start, stop: pictures(shown, places[start:stop]),
            "cell_page",
            per_page=8,
        )


def _chosen_cell(shown: ScoredSubmission) -> tuple[str, str]:
    """Draw the choice of a cell, at first the commonest mistake; return its truth and what it was called."""
    labels, _ = shown.card.confusion
    layout.heading("Which cases are these?")
    with st.container(horizontal=True, gap="small"):
        truth, called = (
            st.selectbox(
                words,
                labels,
                index=labels.index(first),
                key=key,
                bind="query-params",
                persist_state="page",
                width=170,
            )
            for words, key, first in zip(
                ("Truth", "Called"),
                ("truth", "called"),
                card_summary.commonest_mistake(shown.card),
                strict=True,
            )
        )
    return truth, called


def _clicked(figure: str) -> Callable[[], None]:
    """Return what chooses the cell that was clicked. figure: its key in the session."""

    def choose() -> None:
        points = st.session_state[figure].selection.points
        if points:
            st.session_state["truth"], st.session_state["called"] = points[0]["customdata"]

    return choose


def pictures(shown: ScoredSubmission, places: list[int]) -> list[GalleryCard]:
    """Return cases as cards of a gallery. places: in `card.cases`."""
    card, marked, names = shown.card, card_summary.risks(shown.card), list(shown.card.per_class)
    images = scoring_run.thumbnails(ID, shown.truth_key, tuple(places), shown.truth)
    found, short = [], shortener([c["case"] for c in card.cases])
    for image, i in zip(images, places, strict=True):
        c, outputs = card.cases[i], card.arrays["outputs"][i]
        lines = [
            f"{class_name(c[key], marked.get(c[key]))}  **{decimal(outputs[names.index(c[key])], 3)}**"
            if c[key] in names
            else markdown(c[key])
            for key in ("truth", "predicted")
        ]
        alt = f"Case {c['case']}, truth {c['truth']}, called {c['predicted']}"
        found.append(GalleryCard(image, alt, lines, short(c["case"])))
    return found
