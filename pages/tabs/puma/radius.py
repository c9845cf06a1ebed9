"""The score under another radius or smallest confidence."""

from typing import Any

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from pages.tabs.puma.setting import (
    EVERY,
    KEPT,
    badge_and_reset,
    confidence_range,
    current_setting,
    identity,
    rescored,
    setting_of,
    to_address,
)
from scoring.challenges.puma.diagnostics import along_confidence, along_radius
from scoring.challenges.puma.formula import RADIUS_RANGE
from scoring.challenges.puma.setting_views import (
    Curve,
    MatchingSetting,
    over_confidence,
    over_radius,
    setting_facts,
    setting_table,
)
from scoring.core.scorecard import ScoreCard

STEPS, FEW_STEPS, MANY_NUCLEI = 30, 10, 30_000
"""Points of a curve; fewer where there are more nuclei than that, so that a slider stays quick."""


@st.fragment
def radius_tab(shown: ScoredSubmission) -> None:
    """Draw sliders and what they change. A fragment: a move repaints this and nothing else."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.heading("What if another radius or confidence counted?")
        setting = _sliders(shown.card)
        badge_and_reset(shown.card, setting, "to_rule")
        card, path = rescored(shown, setting), f"setting/{setting}"
        facts = scoring_run.of_card(path, shown, lambda usual: setting_facts(usual, card))
        scored_submission.block(facts, shown, f"{path}/facts")
    with right:
        radius_curve = _over_radius(*identity(shown), setting.least, card)
        confidence_curve = _over_confidence(*identity(shown), setting.radius, card)
        scored_submission.block(over_radius(card, radius_curve, setting), shown, f"{path}/radius")
        scored_submission.block(over_confidence(card, confidence_curve, setting), shown, f"{path}/confidence")
    scored_submission.block(setting_table(shown.card, card, setting), shown, f"{path}/table")


def _sliders(card: ScoreCard) -> MatchingSetting:
    setting, (every, most) = current_setting(card), confidence_range(card)
    st.session_state["radius"] = setting.radius
    st.session_state["least"] = every if setting.least is None else setting.least
    st.session_state[EVERY] = every
    kept: dict[str, Any] = {"persist_state": "page", "on_change": to_address, "args": (every,)}
    low, high = RADIUS_RANGE
    radius = st.slider("Radius, px", low, high, step=0.5, format="%.1f", key="radius", **kept)
    least = st.slider("Smallest confidence", every, most, step=0.01, format="%.2f", key="least", **kept)
    return setting_of(radius, least, every)


def _steps(card: ScoreCard) -> int:
    nuclei = sum(row["n_truth"] + row["n_predicted"] for row in card.cases)
    return FEW_STEPS if nuclei > MANY_NUCLEI else STEPS


@st.cache_resource(max_entries=KEPT, scope="session", show_spinner=False)
def _over_radius(
    truth_key: str, submission_key: str, options: str, least: float | None, _card: ScoreCard
) -> Curve:
    return along_radius(_card, _steps(_card))


@st.cache_resource(max_entries=KEPT, scope="session", show_spinner=False)
def _over_confidence(
    truth_key: str, submission_key: str, options: str, radius: float, _card: ScoreCard
) -> Curve:
    return along_confidence(_card, _steps(_card))
