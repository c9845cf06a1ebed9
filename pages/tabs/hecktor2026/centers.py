"""Whether a submission works in every center: a quantity to choose, beside the numbers of each."""

from functools import partial

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from scoring.challenges.hecktor2026.rescoring import center_figure, center_intervals
from scoring.challenges.hecktor2026.views import centers

MEASURES = {
    "segmentation": "segmentation",
    "Dice of GTVp": "dice_gtvp",
    "Dice of GTVn": "dice_gtvn",
    "balanced accuracy of T": "balanced_accuracy_t",
    "balanced accuracy of N": "balanced_accuracy_n",
    "C-index": "c_index",
}
"""Name shown -> key in `per_center`."""


def centers_tab(shown: ScoredSubmission) -> None:
    """Draw one quantity by center, with intervals, beside all numbers of each center."""
    tables = centers(shown.card)
    if not tables:
        st.info("The test set names no center (column CenterID).", icon=":material/location_off:")
        return
    left, right = st.columns([2, 3], gap="large")
    with left:
        chosen = st.selectbox(
            "Quantity",
            list(MEASURES),
            key="center_quantity",
            bind="query-params",
            persist_state="page",
            width=260,
        )
        between = scoring_run.of_card(
            "hecktor_centers", shown, partial(center_intervals, shown.truth, shown.predictions)
        )
        figure = center_figure(shown.card, MEASURES[chosen], chosen, between)
        scored_submission.block(figure, shown, f"center {chosen}")
    with right:
        for table in tables:
            scored_submission.block(table, shown, "centers")
