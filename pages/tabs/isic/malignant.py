"""Malignant against benign of an ISIC submission, by a grouping that the visitor chooses."""

import streamlit as st

from pages.challenge import scored_submission
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from scoring.challenges.isic.category_views import malignant


@st.fragment
def grouping(shown: ScoredSubmission) -> None:
    """Choose the malignant categories. A fragment: another grouping repaints this and nothing else."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.heading("Which categories are malignant?")
        chosen = st.multiselect(
            "Malignant",
            list(shown.card.per_class),
            default=shown.card.more["malignant"],
            key="malignant",
            bind="query-params",
            persist_state="page",
        )
        facts, why, curve = malignant(shown.card, chosen)
        scored_submission.block(facts)
        scored_submission.block(why)
    with right:
        scored_submission.block(curve, shown, f"malignant/{chosen}")
