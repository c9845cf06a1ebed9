"""Result place: where a challenge's page shows a score, or what stands in its place."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


class ResultPlace:
    """The place of a score, or of a refusal, a question or a run in its place.

    Until a page is drawn to its end, browsers keep the old elements, and new ones would push them down. Score
    and everything else therefore have a place each, and the place that is not used is emptied first.

    Attributes:
        drawn: Where the page is being drawn.
    """

    def __init__(self, notes: Callable[[], None], key: str = "result"):
        """Make the place. notes: draws what was made of dropped files, above what stands in place of a
        score."""
        self._holder, self._notes, self._key = st.container(key=key, gap=None), notes, key
        self.drawn = self._holder

    def score(self) -> DeltaGenerator:
        """Return where a score is drawn."""
        self.drawn = self._holder.container(key=f"{self._key}_scored", gap="xxsmall")
        self._holder.empty()
        return self.drawn

    def instead(self) -> DeltaGenerator:
        """Return where something else is drawn, below the notes on dropped files."""
        self._holder.empty()
        self.drawn = self._holder.container(key=f"{self._key}_instead")
        with self.drawn:
            self._notes()
        return self.drawn

    def card(self) -> "ResultPlace":
        """Return the place of a card below the choices of how to score, which may be why it is refused."""
        return ResultPlace(self._notes, "outcome")
