"""Thresholds other than 0.5 for an ISIC submission, one for each category."""

from collections.abc import Mapping

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import downloads, layout
from scoring.challenges.isic import threshold_views, thresholds
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.theme import short


def choose(shown: ScoredSubmission) -> None:
    """Draw what tuning is worth, and a threshold for each category with what it gives."""
    for number, block in enumerate(scoring_run.of_card("isic_tuning", shown, threshold_views.tuning)):
        scored_submission.block(block, shown, f"tuning/{number}")
    _sliders(shown)
    st.caption(
        "A file in which the official 0.5 acts as these thresholds. Each score p is rescaled around its "
        "threshold t: up to t it becomes 0.5 p/t, above t 0.5 + 0.5 (p − t)/(1 − t). The order within a "
        "category stays, but which score is the largest can change: look at the balanced accuracy above "
        "before you send it."
    )


@st.fragment
def _sliders(shown: ScoredSubmission) -> None:
    """A move repaints this and nothing else."""
    card = shown.card
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.heading("Which threshold for each category?")
        _buttons(shown)
        chosen = _thresholds(card)
    with right:
        for block in threshold_views.at(card, chosen):
            scored_submission.block(block)
        name = st.selectbox(
            "Category in the figure",
            list(card.per_class),
            key="swept",
            bind="query-params",
            persist_state="page",
            width=240,
        )
        found = scoring_run.of_card(f"isic_sweep_{name}", shown, lambda of: thresholds.sweep(of, name))
        scored_submission.block(threshold_views.sweep(card, found, name, chosen[name]))
    downloads.button(
        "Rescaled predictions",
        lambda: thresholds.rescaled_table(card, chosen, shown.truth.id_name),
        f"{shown.name.rsplit('.', 1)[0]}-rescaled",
        "csv",
        "text/csv",
        "download_rescaled",
    )


def _buttons(shown: ScoredSubmission) -> None:
    best = scoring_run.of_card("isic_best", shown, thresholds.best)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "All at 0.5",
            key="to_half",
            on_click=_set,
            args=(dict.fromkeys(best, 0.5),),
            icon=":material/flag:",
        )
        st.button(
            "Best on these cases",
            key="to_best",
            on_click=_set,
            args=(best,),
            icon=":material/star:",
            help=(
                "The threshold of the highest F1 of each category, chosen on the rows it is scored on: on "
                "new cases expect less."
            ),
        )


def _set(chosen: Mapping[str, float]) -> None:
    for name, value in chosen.items():
        st.session_state[f"cut_{name}"] = value


def _thresholds(card: ScoreCard) -> dict[str, float]:
    with st.grid(min_column_width=200, gap="small"):
        return {
            name: st.slider(
                markdown(short(name)),
                0.0,
                1.0,
                0.5,
                0.005,
                format="%.3f",
                key=f"cut_{name}",
                bind="query-params",
                persist_state="page",
            )
            for name in card.per_class
        }
