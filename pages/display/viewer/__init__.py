"""The viewer of images with results: one Streamlit component with two modes, nuclei and slices.

* data of a case for the viewer: `nuclei.results`, `payload.slice_results`; the message: `payload.pack`

Its scripts need no build step and no network.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.display.viewer.payload import Payload

FOLDER = Path(__file__).parent
CORE = ("core.js", "stage.js", "gestures.js", "picture.js")
MODES = (
    ("outlines.js", "tiles.js", "draw_nuclei.js", "panel.js", "nuclei.js"),
    ("volumes.js", "regions.js", "previews.js", "settings.js", "slices.js"),
)
ENTRY = "mount.js"
HEIGHT = 700
"""Maximum px of the picture; in a low window it is smaller so that the tools stay visible."""

ViewerPlace = Mapping[str, object]


def _joined(names: Iterable[str]) -> str:
    return "\n".join((FOLDER / name).read_text("utf-8") for name in names)


def _module() -> str:
    """Return one module of all scripts. A mode is in a block of its own: what it names is its own, and
    the core's names are for all."""
    return "\n".join([_joined(CORE), *(f"{{\n{_joined(names)}\n}}" for names in MODES), _joined([ENTRY])])


_component = st.components.v2.component(
    "benchside_viewer", html="<div class='mount'></div>", css=_joined(["viewer.css"]), js=_module()
)


@dataclass(frozen=True)
class Request:
    """A requested position of a viewer within a case.

    Attributes:
        requested: The position that the page named last, None for none.
        sent: The message to the viewer; its `turn` makes a repeated position a new request.
    """

    case: str
    requested: ViewerPlace | None = None
    sent: ViewerPlace | None = None
    turn: int = 0


def next_request(
    before: Request | None, case: str, requested: ViewerPlace | None, selected: ViewerPlace | None
) -> Request:
    """Return the request after the page names a position, or none.

    Args:
        before: The last request, None before the first.
        requested: The position that the page names, None for none.
        selected: The visitor's position in the viewer. If the page names this position again, the viewer does
            not move.
    """
    last = before if before is not None and before.case == case else Request(case)
    if requested == last.requested:
        return last
    if requested is None:
        return Request(case, None, last.sent, last.turn)
    if selected is not None and all(selected.get(name) == value for name, value in requested.items()):
        return Request(case, requested, last.sent, last.turn)
    return Request(case, requested, {**requested, "turn": last.turn + 1}, last.turn + 1)


def show(
    payload: Payload,
    key: str,
    *,
    height: int = HEIGHT,
    focus: Mapping[str, object] | None = None,
    on_select: Callable[[], None] = lambda: None,
) -> Mapping[str, object] | None:
    """Draw the viewer; call it in a fragment, so that a click reruns only the necessary code.

    Args:
        height: Maximum height of the picture in CSS px.
        focus: The position to show, in the form of a selection (nuclei: `side` "truth" or "prediction",
            `index` in its file's list). A selection from the viewer may be passed as
            focus: it is not sent again.
        on_select: Function called before the rerun after a selection; `selected` already returns it.

    Returns:
        The selection, None if there is none.
    """
    focus_key = f"{key}_focus"
    request = next_request(st.session_state.get(focus_key), payload.name, focus, selected(key, payload))
    st.session_state[focus_key] = request
    _component(
        key=key,
        data=payload.message(height_px=height, focus=request.sent),
        on_selected_change=on_select,
        on_confidence_change=lambda: None,
        height="content",
    )
    return selected(key, payload)


def selected(key: str, payload: Payload) -> Mapping[str, object] | None:
    """Return the visitor's last selection in this case, as {case, side, index, status} for nuclei."""
    chosen = (st.session_state.get(key) or {}).get("selected")
    return chosen if chosen and chosen["case"] == payload.name else None


def confidence(key: str) -> float:
    """Return the smallest confidence that the visitor set in a viewer of detections; 0 initially."""
    return float((st.session_state.get(key) or {}).get("confidence") or 0.0)
