"""The viewer of pictures with results: one Streamlit component, its modes (nuclei, slices) one script each. Nothing is built or requested."""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from pages.shared.viewer.payload import Payload

FOLDER = Path(__file__).parent
SCRIPTS = (
    *("core.js", "stage.js", "gestures.js", "picture.js"),
    *("outlines.js", "tiles.js", "ink.js", "card.js", "panel.js", "nuclei.js"),
    "mount.js",
)
"""In the order in which they are joined into one module; a mode stands before mount.js."""
HEIGHT = 620

_component = st.components.v2.component(
    "benchside_viewer",
    html="<div class='mount'></div>",
    css=(FOLDER / "viewer.css").read_text("utf-8"),
    js="\n".join((FOLDER / name).read_text("utf-8") for name in SCRIPTS),
)


def show(
    payload: Payload,
    key: str,
    *,
    height: int = HEIGHT,
    focus: Mapping[str, object] | None = None,
    on_select: Callable[[], None] = lambda: None,
) -> Mapping[str, object] | None:
    """Mount the viewer; call it in a fragment, so that a click runs no more than is needed. Returns what was selected last, or None.

    height: of the picture, CSS px. focus: what the viewer shall go to, in the terms of what it returns (nuclei: `side`, `index`).
    What was selected in the viewer itself may be given back as focus: it is not sent again. on_select: called before the rerun that a
    selection causes; the selection is then in `selected(key)`.
    """
    sent = f"{key}_focus"
    if focus is None or _place(focus) != _place(selected(key)):
        st.session_state[sent] = None if focus is None else _place(focus)
    message = payload.message(height_px=height, focus=st.session_state.get(sent))
    return _component(key=key, data=message, on_selected_change=on_select, height="content").selected


def selected(key: str) -> Mapping[str, object] | None:
    """What the visitor selected last in the viewer of this key: nuclei {side, index, status}, or None."""
    state = st.session_state.get(key)
    return None if state is None else state.get("selected")


def _place(choice: Mapping[str, object] | None) -> dict[str, object] | None:
    """Where a selection is, without what is said about it."""
    return None if choice is None else {name: value for name, value in choice.items() if name != "status"}
