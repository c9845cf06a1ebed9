"""Sliders for matching radius and smallest confidence, and the score with them."""

from typing import Any

import numpy as np
import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from scoring.challenges.puma.card import rescore
from scoring.challenges.puma.diagnostics import along_confidence, along_radius
from scoring.challenges.puma.formula import RADIUS_RANGE
from scoring.challenges.puma.setting_views import (
    RULE,
    Curve,
    MatchingSetting,
    over_confidence,
    over_radius,
    setting_facts,
    setting_table,
)
from scoring.core.scorecard import ScoreCard

KEPT = 16
"""Maximum scorecards with other settings in a session."""


EVERY = "least_that_keeps_every_prediction"
"""Session key of the initial confidence of the slider."""


def current_setting(card: ScoreCard) -> MatchingSetting:
    """Return the setting of the sliders, also while their tab is closed."""
    every, most = confidence_range(card)
    # a slider at its beginning stays there, also under a file where it begins elsewhere
    stayed = "least" in st.session_state and st.session_state["least"] == st.session_state.get(EVERY)
    least = every if stayed else _value("least", every, every, most)
    return setting_of(_value("radius", RULE.radius, *RADIUS_RANGE), least, every)


def setting_of(radius: float, least: float, every: float) -> MatchingSetting:
    """Return the setting of the sliders. every: start of the confidence slider, which keeps every
    prediction."""
    return MatchingSetting(radius, None if least == every else least)


def _value(key: str, usual: float, low: float, high: float) -> float:
    try:
        value = float(st.session_state.get(key, st.query_params.get(key, usual)))
    except ValueError:
        return usual
    return value if low <= value <= high else usual


def confidence_range(card: ScoreCard) -> tuple[float, float]:
    """Return the range of the confidence slider: 0 to 1, or wider, so that its start keeps every
    prediction."""
    confidences = card.arrays["confidence"]
    return float(np.floor(confidences.min(initial=0.0))), float(np.ceil(confidences.max(initial=1.0)))


def to_address(every: float) -> None:
    """Write the setting to the address. every: start of the confidence slider.

    This is done explicitly: a bound slider removes its value from the address when its tab closes, but the
    viewer uses the same setting.
    """
    for key, usual in (("radius", RULE.radius), ("least", every)):
        value = st.session_state.get(key, usual)
        if value == usual:
            st.query_params.pop(key, None)
        else:
            st.query_params[key] = f"{value:g}"


def _reset(every: float) -> None:
    st.session_state["radius"] = RULE.radius
    st.session_state["least"] = st.session_state[EVERY] = every
    to_address(every)


def badge_and_reset(card: ScoreCard, setting: MatchingSetting, key: str) -> None:
    """Draw whether the setting is the challenge's rule, and a button that restores it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if setting.changes:
            st.markdown(f":orange-badge[▲ {' and '.join(setting.changes)}: not the challenge's rule]")
        else:
            st.markdown(":green-badge[✓ the challenge's rule]")
        every, _ = confidence_range(card)
        st.button(
            "Back to the challenge's rule",
            key=key,
            on_click=_reset,
            args=(every,),
            type="tertiary",
            icon=":material/undo:",
        )


def identity(scored: ScoredSubmission) -> tuple[str, str, str]:
    """Return the key of a scorecard in caches."""
    return scored.truth_key, scored.submission.key, repr(scored.card.provenance["options"])


def rescored(scored: ScoredSubmission, setting: MatchingSetting) -> ScoreCard:
    """Return the card for a setting."""
    return scored.card if setting == RULE else _rescored(*identity(scored), setting, scored)


@st.cache_resource(max_entries=KEPT, scope="session", show_spinner=False)
def _rescored(
    truth_key: str, submission_key: str, options: str, setting: MatchingSetting, _scored: ScoredSubmission
) -> ScoreCard:
    changed = {"radius": setting.radius, "min_confidence": setting.least, "resamples": 0}
    return rescore(_scored.truth, _scored.predictions, _scored.card, **changed)


STEPS, FEW_STEPS, MANY_NUCLEI = 30, 10, 30_000
"""Maximum points of a curve; fewer with more nuclei than this, so that a slider stays fast."""


@st.fragment
def radius_tab(scored: ScoredSubmission) -> None:
    """Draw the sliders and the numbers that depend on them. A fragment: moving a slider redraws only this
    tab."""
    sliders_column, curves_column = st.columns([2, 3], gap="large")
    with sliders_column:
        layout.heading("What if radius or confidence were different?")
        setting = _sliders(scored.card)
        badge_and_reset(scored.card, setting, "to_rule")
        card, path = rescored(scored, setting), f"setting/{setting}"
        facts = scoring_run.of_card(path, scored, lambda usual: setting_facts(usual, card))
        scored_submission.block(facts, scored, f"{path}/facts")
    with curves_column:
        radius_curve = _over_radius(*identity(scored), setting.least, card)
        confidence_curve = _over_confidence(*identity(scored), setting.radius, card)
        scored_submission.block(over_radius(card, radius_curve, setting), scored, f"{path}/radius")
        scored_submission.block(
            over_confidence(card, confidence_curve, setting), scored, f"{path}/confidence"
        )
    scored_submission.block(setting_table(scored.card, card, setting), scored, f"{path}/table")


def _sliders(card: ScoreCard) -> MatchingSetting:
    setting, (every, most) = current_setting(card), confidence_range(card)
    st.session_state["radius"] = setting.radius
    st.session_state["least"] = every if setting.least is None else setting.least
    st.session_state[EVERY] = every
    behaviour: dict[str, Any] = {"persist_state": "page", "on_change": to_address, "args": (every,)}
    low, high = RADIUS_RANGE
    radius = st.slider("Radius, px", low, high, step=0.5, format="%.1f", key="radius", **behaviour)
    least = st.slider("Smallest confidence", every, most, step=0.01, format="%.2f", key="least", **behaviour)
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
