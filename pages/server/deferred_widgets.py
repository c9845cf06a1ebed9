"""Deferred widgets: when a challenge's page opens, some widgets are drawn later, so that scores appear first.

Browsers load the code for widgets when the first widget arrives. Elements that arrive in the meantime are
drawn together, after the code has loaded. So when a page opens, widgets above the score are sent a moment
after the score, to places reserved for them. By then, the score and the text of the first figure are visible.
Every later run draws the widgets immediately.
"""

import time
from collections.abc import Callable

import streamlit as st

AFTER = "_after_score"
"""Session key of the elements to draw after a page has opened."""
PAUSE = 0.09
"""Seconds that a browser needs to draw the sent elements."""


def begin(opens: bool) -> None:
    """Record whether a run opens a challenge's page. Call it before the page."""
    if opens:
        st.session_state[AFTER] = []
    else:
        st.session_state.pop(AFTER, None)


def after(draw: Callable[[], object]) -> None:
    """Draw elements that can wait for the score; only the run that opens a page delays them."""
    waiting = st.session_state.get(AFTER)
    if waiting is None:
        draw()
    else:
        waiting.append(draw)


def pause() -> None:
    """Let the browser draw the elements sent so far."""
    if st.session_state.get(AFTER):
        time.sleep(PAUSE)


def rest() -> None:
    """Draw the delayed elements. Call it in the page, because Streamlit would treat widgets outside as
    different ones."""
    for draw in st.session_state.pop(AFTER, None) or ():
        draw()
