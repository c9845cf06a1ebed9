"""Selector of a sample or the visitor's files; the address stores the sample's key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.server import deferred_widgets, url_state
from pages.server.streamlit_internals import UploadedFile
from scoring.common.text import markdown


@dataclass(frozen=True)
class InputPanel:
    """The choice: the key of the sample ("" if none), or the visitor's own files (empty if none). `caption`
    shows one line about it after reading."""

    sample: str
    upload: Sequence[UploadedFile]
    caption: Callable[[str], object]


@dataclass(frozen=True)
class InUse:
    """The visitor's files in use, and the function that forgets them."""

    files: Sequence[UploadedFile]
    forget: Callable[[], None]

    @property
    def names(self) -> list[str]:
        """Names of the files."""
        return [file.name for file in self.files]


def sample_selector(
    label: str,
    samples: Mapping[str, str],
    key: str,
    parameter: str,
    uploader: Callable[[], object],
    in_use: InUse,
    is_card: bool = True,
) -> InputPanel:
    """Draw a choice between samples and the visitor's files. The address stores the sample's key. If no files
    are in use, it can be drawn after the score when a page opens (`score_first`).

    Args:
        samples: Key -> displayed name.
        uploader: Function that draws the upload widget, with its own key.
        in_use: The visitor's files, which a sample replaces.
        is_card: Whether it has its own frame.
    """
    url_state.read(key, parameter, samples)
    height: Literal["stretch", "content"] = "stretch" if is_card else "content"
    with st.container(key=f"{key}_panel", border=is_card, gap="xsmall", height=height):
        # The uploader keeps its place whatever stands beside it: one that moves is made anew, and drops the
        # file it is receiving.
        with st.container(key=f"{key}_row", horizontal=True, vertical_alignment="bottom", gap="small"):
            chosen = st.container(gap=None)
            buttons = st.container(
                key=f"{key}_own", horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content"
            )
        caption = st.empty()

    def draw() -> None:
        with buttons:
            uploader()
        if not samples:
            chosen.caption(label)
            return
        chosen.selectbox(
            label,
            list(samples),
            format_func=lambda name: samples.get(name, name),
            key=key,
            on_change=_to_address,
            args=(key, parameter),
            persist_state="session",
            label_visibility="visible" if is_card else "collapsed",
        )

    if in_use.files:
        with buttons:
            uploader()
        chosen.caption(label)
        with chosen:
            own_files(in_use, f"{key}_back", "Back to sample" if samples else "Remove")
    else:
        deferred_widgets.after(draw)
    return InputPanel(st.session_state.get(key, next(iter(samples), "")), in_use.files, caption.caption)


def own_files(in_use: InUse, key: str, back: str) -> None:
    """Draw the files in use, with a button that forgets them. back: label of the button."""
    names = in_use.names
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    with st.container(key=f"named_{key}", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/draft: **{markdown(names[0], 60)}**{more}", width="content")
        st.button(back, key=key, type="tertiary", icon=":material/undo:", on_click=in_use.forget)


def _to_address(key: str, parameter: str) -> None:
    url_state.write(parameter, st.session_state[key])
