"""The way from a table or a figure into the viewer: the case that was chosen, and the place in it that a link
names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class CaseLink:
    """case: what a case is called, and the key of the viewer's choice of one in the session. place: parameter
    of the address that names a place in the case shown."""

    case: str
    place: str

    def row(self, key: str, names: Sequence[str]) -> Callable[[], None]:
        """For `on_select` of the table `key`, whose rows are these cases."""

        def chosen() -> None:
            rows = st.session_state[key].selection.rows
            if rows:
                self._open(names[rows[0]])

        return chosen

    def point(self, key: str) -> Callable[[], None]:
        """For `on_select` of the figure `key`, whose points carry their case first."""

        def chosen() -> None:
            points = st.session_state[key].selection.points
            if points and points[0].get("customdata"):
                self._open(points[0]["customdata"][0])

        return chosen

    def leave(self) -> None:
        """Forget the place: it belongs to the case that was shown."""
        st.query_params.pop(self.place, None)

    def _open(self, name: str) -> None:
        st.session_state[self.case], st.session_state["tab"] = name, "Viewer"
        self.leave()
