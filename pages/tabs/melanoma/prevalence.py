"""What a call is worth, and the net benefit, where melanomas are as frequent as chosen."""

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from scoring.challenges.classification_views import method
from scoring.challenges.melanoma import views

PREVALENCES = {"as here": None, "1%": 0.01, "2%": 0.02, "5%": 0.05, "10%": 0.1, "20%": 0.2}


def worth(shown: ScoredSubmission) -> None:
    """Draw what a call is worth at the chosen prevalence."""
    chosen = _choose()
    block = scoring_run.of_card(
        f"melanoma_worth_{chosen}", shown, lambda card: views.in_practice(card, PREVALENCES[chosen])
    )
    scored_submission.block(block)
    people = (
        "as many with a melanoma as in it" if PREVALENCES[chosen] is None else f"{chosen} with a melanoma"
    )
    st.caption(
        f"Sensitivity and specificity as in this test set, among people of whom there are {people}. "
        f"{method(shown.card)}"
    )


def benefit(shown: ScoredSubmission) -> None:
    """Draw the net benefit at the chosen prevalence."""
    chosen = _choose() if "reliability_n" in shown.card.arrays else "as here"
    blocks = scoring_run.of_card(
        f"melanoma_benefit_{chosen}", shown, lambda card: views.benefit(card, PREVALENCES[chosen])
    )
    for block in blocks:
        scored_submission.block(block, shown, f"benefit/{chosen}")


def _choose() -> str:
    """Draw the choice of a prevalence, the same on every tab."""
    return st.segmented_control(
        "Share of people with a melanoma",
        list(PREVALENCES),
        key="prevalence",
        bind="query-params",
        persist_state="page",
        required=True,
        default=next(iter(PREVALENCES)),
        help="Test sets hold far more melanomas than life does.",
    )
