"""Radius and smallest confidence as their sliders are set, for all tabs that match by them."""

import numpy as np
import streamlit as st

from pages.shared.challenge_page import ScoredSubmission
from scoring.challenges.puma.card import rescore
from scoring.challenges.puma.formula import RADIUS_RANGE
from scoring.challenges.puma.setting_views import RULE, Setting
from scoring.scorecard import ScoreCard

KEPT = 16
"""Scorecards under other settings that a session keeps."""


def current_setting(card: ScoreCard) -> Setting:
    """Return the setting of the sliders, also while their tab is closed."""
    low, high = RADIUS_RANGE
    return Setting(
        _value("radius", RULE.radius, low, high),
        _value("least", RULE.least, 0.0, highest_confidence(card)),
    )


def _value(key: str, usual: float, low: float, high: float) -> float:
    try:
        value = float(st.session_state.get(key, st.query_params.get(key, usual)))
    except ValueError:
        return usual
    return value if low <= value <= high else usual


def highest_confidence(card: ScoreCard) -> float:
    """Return where the slider of the confidence ends."""
    return float(max(1.0, np.ceil(card.arrays["confidence"].max(initial=1.0))))


def to_address() -> None:
    """Write the setting to the address.

    By hand: a bound slider takes its value out of the address with its tab, and the viewer shows the same
    setting.
    """
    for key, usual in (("radius", RULE.radius), ("least", RULE.least)):
        value = st.session_state.get(key, usual)
        if value == usual:
            st.query_params.pop(key, None)
        else:
            st.query_params[key] = f"{value:g}"


def _reset() -> None:
    st.session_state["radius"], st.session_state["least"] = RULE.radius, RULE.least
    to_address()


def badge_and_reset(setting: Setting, key: str) -> None:
    """Draw whether the setting is the challenge's rule, and the button back to it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if setting.changes:
            st.markdown(f":orange-badge[▲ {' and '.join(setting.changes)}: not the challenge's rule]")
        else:
            st.markdown(":green-badge[✓ the challenge's rule]")
        st.button("Back to 15 px and 0", key=key, on_click=_reset, type="tertiary", icon=":material/undo:")


def identity(shown: ScoredSubmission) -> tuple[str, str, str]:
    """Return what tells a scorecard apart in caches."""
    return shown.truth_key, shown.given.key, repr(shown.card.provenance["options"])


def rescored(shown: ScoredSubmission, setting: Setting) -> ScoreCard:
    """Return the card under a setting."""
    return shown.card if setting == RULE else _rescored(*identity(shown), setting, shown)


@st.cache_resource(max_entries=KEPT, scope="session", show_spinner=False)
def _rescored(
    truth_key: str, submission_key: str, options: str, setting: Setting, _shown: ScoredSubmission
) -> ScoreCard:
    changed = {"radius": setting.radius, "min_confidence": setting.least, "resamples": 0}
    return rescore(_shown.truth, _shown.predictions, _shown.card, **changed)
