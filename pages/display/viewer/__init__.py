"""The viewer of images with results: one Streamlit component with two modes, nuclei and slices.

* a case packed for it: `nuclei.results`, `slices_payload.results`; the message: `payload.pack`

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
    ("outlines.js", "tiles.js", "draw_nuclei.js", "card.js", "panel.js", "nuclei.js"),
    (
        "volumes.js",
        "frame.js",
        "words.js",
        "regions.js",
        "strip.js",
        "previews.js",
        "settings.js",
        "slices.js",
    ),
)
ENTRY = "mount.js"
STYLES = ("viewer.css", "slices.css")
HEIGHT = 700
"""Most px of the picture; in a low window it is as high as leaves the tools in sight."""

ViewerPlace = Mapping[str, object]


def _joined(names: Iterable[str]) -> str:
    return "\n".join((FOLDER / name).read_text("utf-8") for name in names)


def _module() -> str:
    """Return one module of all scripts. A mode is in a block of its own: what it names is its own, and
    the core's names are for all."""
    return "\n".join([_joined(CORE), *(f"{{\n{_joined(names)}\n}}" for names in MODES), _joined([ENTRY])])


_component = st.components.v2.component(
    "benchside_viewer", html="<div class='mount'></div>", css=_joined(STYLES), js=_module()
)


@dataclass(frozen=True)
class Request:
    """Where a viewer was sent in a case.

    Attributes:
        requested: The place as the page named it last, None for none.
        sent: What the viewer is told; its `turn` makes the same place a new request when it is requested
            again.
    """

    case: str
    requested: ViewerPlace | None = None
    sent: ViewerPlace | None = None
    turn: int = 0


def next_request(
    before: Request | None, case: str, requested: ViewerPlace | None, selected: ViewerPlace | None
) -> Request:
    """Return the request after the page names a place, or none.

    Args:
        before: The last request, None before the first.
        requested: The place that the page names, None for none.
        selected: Where the visitor went in the viewer. The page may name this place again, which does not
        move the viewer.
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
    """Mount the viewer; call it in a fragment, so that a click runs no more than is needed.

    Args:
        height: Of the picture, in CSS px, at most.
        focus: The place that the viewer shall go to, in the terms of what is selected (nuclei: `side` "truth"
            or "prediction", `index` in its file's list). What was selected in the viewer may come back as
            focus: it is not sent again.
        on_select: Called before the rerun that a selection causes; `selected` knows it then.

    Returns:
        The selection, None without one.
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
    """Return the smallest confidence that the visitor set in a viewer of detections; 0 before."""
    return float((st.session_state.get(key) or {}).get("confidence") or 0.0)
