"""Recovery of own files after a reload of their browser tab.

A reload is a new session on the server. The tab remembers a random token in its own storage, which is in
no address; with it the new session takes over the files of the one before, which Streamlit keeps for a short
while. Where they are gone, for example after a restart of the server, the page says so.
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
"""Prefix of the keys of own files in the session; their values are (key of the uploader, files)."""
OPTIONS = ("mends",)
"""Visitors' statements about their own files."""
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
    """A session's own files. token: with which another session takes them over."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    files: dict[str, Any] = field(default_factory=dict)
    answered: str | None = None
    lost: tuple[str, ...] = ()


@st.cache_resource(max_entries=1)
def _sessions() -> WeakValueDictionary[str, Held]:
    """Held files by token, as long as their session lives: nothing else holds on to them."""
    return WeakValueDictionary()


def outlive_reload() -> None:
    """Remember the own files of this tab, and take over those of before it was reloaded. Drawn once, below
    the page, where it takes no room."""
    held, state = _held(), st.session_state
    held.files = {key: state[key] for key in state if key.endswith(ENDING) or key in OPTIONS}
    data = {"token": held.token, "answered": held.answered, "names": _names_of(held)[: NAMES + 1]}
    _component(key=KEY, data=data, on_before_change=_take_over_before, height=1)


def say_lost() -> None:
    """Say that the own files of before a reload are gone, until others are there. Drawn above the page."""
    lost = _held().lost
    if not lost or any(key.endswith(ENDING) for key in st.session_state):
        return
    names = ", ".join(f"**{markdown(name, 60)}**" for name in lost[:NAMES])
    more = " and more" if len(lost) > NAMES else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.warning(
            f"The page was loaded anew, and the server no longer has your files: {names}{more}. Drop them "
            "again. What is shown now is a sample.",
            icon=":material/draft:",
        )
        st.button("Close", key="kept_files_close", type="tertiary", on_click=_close)


def files_of(state: Mapping[str, Any]) -> Iterator[UploadedFile]:
    """Yield the own files that a session's state holds."""
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
