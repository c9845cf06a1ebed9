"""Recovery of a visitor's files after a reload of the browser tab.

A reload is a new session on the server. The tab stores a random token, which is in no address. With it the
new session takes over the files of the old one, which Streamlit keeps for a short time. If they are gone, for
example after a restart of the server, the page says so.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from pages.server import url_state
from pages.server.streamlit_internals import UploadedFile
from scoring.common.text import markdown

KEY = "kept_files"
ENDING = "_kept"
"""Prefix of the session keys of visitors' files; the values are (key of the uploader, files)."""
OPTIONS = ("mends",)
"""Session keys of visitors' statements about their own files."""
NAMES = 5
_component = st.components.v2.component(
    KEY,
    html="<span></span>",
    js="""
export default function ({data, setTriggerValue}) {
  const before = JSON.parse(sessionStorage.getItem("benchside-files") || "null");
  if (before && before.names.length && ![data.token, data.answered].includes(before.token))
    setTriggerValue("before", before);
  else
    sessionStorage.setItem("benchside-files", JSON.stringify({token: data.token, names: data.names}));
}""",
)


@dataclass(eq=False)
class Held:
    """A session's files. token: allows another session to take them over."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    files: dict[str, Any] = field(default_factory=dict)
    answered: str | None = None
    lost: tuple[str, ...] = ()


@st.cache_resource(max_entries=1)
def _sessions() -> WeakValueDictionary[str, Held]:
    """Held files by token, as long as their session lives: nothing else holds on to them."""
    return WeakValueDictionary()


def outlive_reload() -> None:
    """Remember this tab's files, and take over those from before a reload. Call it once, below the page; it
    takes no room."""
    held, state = _held(), st.session_state
    held.files = {key: state[key] for key in state if key.endswith(ENDING) or key in OPTIONS}
    data = {"token": held.token, "answered": held.answered, "names": _names_of(held)[: NAMES + 1]}
    _component(key=KEY, data=data, on_before_change=_take_over_before, height=1)


def say_lost() -> None:
    """Say that the files from before a reload are gone, until there are others. Call it above the page."""
    lost = _held().lost
    if not lost or any(key.endswith(ENDING) for key in st.session_state):
        return
    names = ", ".join(f"**{markdown(name, 60)}**" for name in lost[:NAMES])
    more = " and more" if len(lost) > NAMES else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.warning(
            f"The page was reloaded, and the server no longer has your files: {names}{more}. Drop them "
            "again. The page now shows a sample.",
            icon=":material/draft:",
        )
        st.button("Close", key="kept_files_close", type="tertiary", on_click=_close)


def files_of(state: Mapping[str, Any]) -> Iterator[UploadedFile]:
    """Yield the visitor's files in a session's state."""
    for key, value in state.items():
        if str(key).endswith(ENDING) and value:
            yield from value[1]


def _names_of(held: Held) -> list[str]:
    return [file.name for file in files_of(held.files)]


def _held() -> Held:
    held: Held | None = st.session_state.get("_held")
    if held is None:
        held = st.session_state["_held"] = Held()
        _sessions()[held.token] = held
    return held


def _take_over_before() -> None:
    before = st.session_state[KEY].get("before")
    if before:
        take_over(before)


def take_over(before: Mapping[str, Any]) -> None:
    """Take over the files of another session. before: its "token", and "names" of its files."""
    held, other = _held(), _sessions().get(str(before.get("token")))
    held.answered = str(before.get("token"))
    if other is None:
        held.lost = _names(before.get("names"))
        return
    for key, value in other.files.items():
        if key not in st.session_state:
            st.session_state[key] = value
    url_state.read_again()  # an own file can be compared with samples that the page's own sample could not


def _names(names: object) -> tuple[str, ...]:
    return tuple(map(str, names)) if isinstance(names, Sequence) and not isinstance(names, str) else ()


def _close() -> None:
    _held().lost = ()
