"""Radius and smallest confidence as their sliders are set, for all tabs that match by them."""

import numpy as np
import streamlit as st

from pages.challenge.scored_submission import ScoredSubmission
from scoring.challenges.puma.card import rescore
from scoring.challenges.puma.formula import RADIUS_RANGE
from scoring.challenges.puma.setting_views import RULE, MatchingSetting
from scoring.core.scorecard import ScoreCard

KEPT = 16
"""Scorecards under other settings that a session keeps."""


EVERY = "least_that_keeps_every_prediction"
"""Where the slider of the confidence began, in the session."""


def current_setting(card: ScoreCard) -> MatchingSetting:
    """Return the setting of the sliders, also while their tab is closed."""
    every, most = confidence_range(card)
    # a slider at its beginning stays there, also under a file where it begins elsewhere
    stayed = "least" in st.session_state and st.session_state["least"] == st.session_state.get(EVERY)
    least = every if stayed else _value("least", every, every, most)
    return setting_of(_value("radius", RULE.radius, *RADIUS_RANGE), least, every)


def setting_of(radius: float, least: float, every: float) -> MatchingSetting:
    """Return the setting of the sliders. every: where that of the confidence begins, which keeps every
    prediction."""
    return MatchingSetting(radius, None if least == every else least)


def _value(key: str, usual: float, low: float, high: float) -> float:
    try:
        value = float(st.session_state.get(key, st.query_params.get(key, usual)))
    except ValueError:
        return usual
    return value if low <= value <= high else usual


def confidence_range(card: ScoreCard) -> tuple[float, float]:
    """Return where the slider of the confidence begins and ends: 0 to 1, or wider, so that its beginning
    keeps every prediction."""
    found = card.arrays["confidence"]
    return float(np.floor(found.min(initial=0.0))), float(np.ceil(found.max(initial=1.0)))


def to_address(every: float) -> None:
    """Write the setting to the address. every: where the slider of the confidence begins.

    By hand: a bound slider takes its value out of the address with its tab, and the viewer shows the same
    setting.
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
    """Draw whether the setting is the challenge's rule, and the button back to it."""
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


def identity(shown: ScoredSubmission) -> tuple[str, str, str]:
    """Return what tells a scorecard apart in caches."""
    return shown.truth_key, shown.given.key, repr(shown.card.provenance["options"])


def rescored(shown: ScoredSubmission, setting: MatchingSetting) -> ScoreCard:
    """Return the card under a setting."""
    return shown.card if setting == RULE else _rescored(*identity(shown), setting, shown)


@st.cache_resource(max_entries=KEPT, scope="session", show_spinner=False)
def _rescored(
    truth_key: str, submission_key: str, options: str, setting: MatchingSetting, _shown: ScoredSubmission
) -> ScoreCard:
    changed = {"radius": setting.radius, "min_confidence": setting.least, "resamples": 0}
    return rescore(_shown.truth, _shown.predictions, _shown.card, **changed)
