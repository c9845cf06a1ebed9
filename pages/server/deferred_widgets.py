"""Deferred widgets: what a challenge's page draws later when it is opened, so that scores come first.

Browsers load the code for widgets with the first widget, and draw late elements together. In the run
that opens a page, widgets above the score are therefore drawn after it, at the places that were made for
them, and a moment later: score and first figure are seen as text by then. Every later run draws them at once.
"""

import time
from collections.abc import Callable

import streamlit as st

AFTER = "_after_score"
"""In the session: elements still to be drawn in the run that opens a page."""
PAUSE = 0.09
"""Seconds in which a browser draws the sent elements."""


def begin(opens: bool) -> None:
    """Note whether a run opens a challenge's page. Called before the page."""
    if opens:
        st.session_state[AFTER] = []
    else:
        st.session_state.pop(AFTER, None)


def after(draw: Callable[[], object]) -> None:
    """Draw elements that can wait for the score: only the run that opens a page delays them."""
    waiting = st.session_state.get(AFTER)
    if waiting is None:
        draw()
    else:
        waiting.append(draw)


def pause() -> None:
    """Let the browser draw the sent elements, while others wait."""
    if st.session_state.get(AFTER):
        time.sleep(PAUSE)


def rest() -> None:
    """Draw what waited. Called by the page: outside of it, widgets are others to Streamlit."""
    for draw in st.session_state.pop(AFTER, None) or ():
        draw()
