"""Selector of a sample or own files; the address holds the sample's key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.server import deferred_widgets, url_state
from pages.server.streamlit_internals import UploadedFile
from scoring.common.text import markdown


@dataclass(frozen=True)
class InputPanel:
    """The choice: the key of the sample ("" without one), or the visitor's own files (empty without any).
    `caption` takes one line about it once it has been read."""

    sample: str
    upload: Sequence[UploadedFile]
    caption: Callable[[str], object]


@dataclass(frozen=True)
class InUse:
    """Own files in use, and the function that forgets them."""

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
    """Draw a choice between samples and own files. The address holds the sample's key. Where no own files are
    in use it can come after the score of a page that is opened (`score_first`).

    Args:
        samples: Key -> name shown.
        uploader: Draws the upload widget, with a key of its own.
        in_use: Own files, whose place the samples take again.
        is_card: Whether it has a frame of its own.
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
    """Draw which own files are in use, with a button that forgets them. back: what is written on it."""
    names = in_use.names
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    with st.container(key=f"named_{key}", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/draft: **{markdown(names[0], 60)}**{more}", width="content")
        st.button(back, key=key, type="tertiary", icon=":material/undo:", on_click=in_use.forget)


def _to_address(key: str, parameter: str) -> None:
    url_state.write(parameter, st.session_state[key])
