"""Thresholds other than the official 0.5 for a Melanoma submission, and what a wanted sensitivity costs."""

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from scoring.challenges.classification_views import method
from scoring.challenges.melanoma import threshold_views
from scoring.challenges.melanoma.formula import THRESHOLD
from scoring.challenges.melanoma.threshold import best_threshold, threshold_range
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Facts, Text

USUAL_WISH = 0.9
"""The sensitivity or specificity that is wanted at first."""


def choose(shown: ScoredSubmission) -> None:
    """Draw the slider with all that moves with it, and what a wanted sensitivity or specificity costs."""
    _chosen(shown)
    _wanted(shown)


@st.fragment
def _chosen(shown: ScoredSubmission) -> None:
    """A move repaints this and nothing else."""
    best = scoring_run.of_card("melanoma_best", shown, best_threshold)
    threshold = _threshold(shown.card, best)
    if threshold == THRESHOLD:
        for number, block in enumerate(scoring_run.of_card("melanoma_official", shown, _at_official)):
            scored_submission.block(block, shown, f"threshold/official/{number}")
        return
    for block in threshold_views.chosen(shown.card, threshold, best):
        scored_submission.block(block)


def _at_official(card: ScoreCard) -> tuple[Block, ...]:
    return threshold_views.chosen(card, THRESHOLD, best_threshold(card))


def _threshold(card: ScoreCard, best: float | None) -> float:
    """Draw the slider with its buttons and return the threshold."""
    low, high = threshold_range(card)
    if not low <= st.session_state.get("threshold", low) <= high:
        _set_threshold(THRESHOLD)  # chosen for another submission, whose scores reach further
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        threshold = st.slider(
            "Threshold: a case is called melanoma where its score is greater",
            low,
            high,
            THRESHOLD,
            (high - low) / 1000,
            format="%.3f",
            key="threshold",
            bind="query-params",
            persist_state="page",
        )
        st.button(
            "Official 0.5",
            key="to_official",
            on_click=_set_threshold,
            args=(THRESHOLD,),
            icon=":material/flag:",
        )
        if best is not None:
            st.button(
                "Best on these cases",
                key="to_best",
                on_click=_set_threshold,
                args=(min(max(best, low), high),),
                icon=":material/star:",
            )
    return threshold


def _set_threshold(value: float) -> None:
    st.session_state["threshold"] = value


@st.fragment
def _wanted(shown: ScoredSubmission) -> None:
    """Choose a sensitivity and a specificity. A move repaints this and nothing else."""
    layout.heading("What does a wanted sensitivity or specificity cost?")
    for place, wanted in zip(st.columns(2, gap="large"), ("sensitivity", "specificity"), strict=True):
        with place:
            value = st.slider(
                f"Wanted {wanted}, at least",
                0.5,
                1.0,
                USUAL_WISH,
                0.01,
                format="%.2f",
                key=f"wanted_{wanted}",
                bind="query-params",
                persist_state="page",
            )
            scored_submission.block(_cost(shown, wanted, value))
    st.caption(method(shown.card))


def _cost(shown: ScoredSubmission, wanted: str, value: float) -> Facts | Text:
    if value != USUAL_WISH:
        return threshold_views.cost(shown.card, wanted, value)
    return scoring_run.of_card(
        f"melanoma_{wanted}", shown, lambda card: threshold_views.cost(card, wanted, value)
    )
