"""The images, worst first: a heat map page by page and a table, both of which open an image."""

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.tabs.puma.viewer import LINK
from scoring.challenges.puma.image_views import class_heat, images_table, worst_first

ROWS = 30
"""Images in the heat map at once."""


def images_tab(shown: ScoredSubmission) -> None:
    """Draw which classes fail in which images, and which images went worst."""
    order = worst_first(shown.card)
    left, right = st.columns([9, 13], gap="large")
    with left:
        page, pages, chart = 1, -(-len(order) // ROWS), st.container()
        if pages > 1:
            page = st.pagination(pages, key="images_page", bind="query-params")
        with chart:
            heat = class_heat(shown.card, order[(page - 1) * ROWS : page * ROWS])
            scored_submission.block(heat, shown, f"heat/{page}", LINK)
    with right:
        scored_submission.block(
            scoring_run.of_card("puma_images", shown, images_table), shown, "images", LINK
        )
