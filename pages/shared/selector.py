"""A choice between samples, whose key stands in the address, and own files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from scoring.text import markdown


@dataclass(frozen=True)
class InputPanel:
    """What was chosen: the key of the sample, or what the visitor uploaded (None or empty: nothing).
    `caption` takes one line about it once it has been read."""

    sample: str
    upload: Sequence[UploadedFile] | None
    caption: Callable[[str], object]


@dataclass(frozen=True)
class InUse:
    """Own files in use: their names, and what forgets them."""

    names: Sequence[str]
    forget: Callable[[], None]


def chooser(
    label: str,
    samples: Mapping[str, str],
    key: str,
    parameter: str,
    uploader: Callable[[], Sequence[UploadedFile] | None],
    in_use: InUse,
    options: Callable[[], object],
) -> InputPanel:
    """Draw a choice between samples, whose key stands in the address, and own files.

    Args:
        label: Of the choice.
        samples: Key -> name shown.
        key: Of the choice in the session.
        parameter: In the address.
        uploader: Draws the upload widget, with a key of its own, and returns what it gives.
        in_use: Own files, whose place the samples take again.
        options: Draws what own files cannot say themselves.
    """
    _from_address(key, parameter, samples)
    with st.container(border=True, gap="xsmall", height="stretch"):
        # The uploader keeps its place whatever stands beside it: one that moves is made anew, and drops the
        # file it is receiving.
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            chosen = st.container(gap=None)
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content"):
                upload = uploader()
        back = st.empty()
        if in_use.names:
            names = in_use.names
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            chosen.caption(label)
            chosen.markdown(f":material/draft: **{markdown(names[0], 60)}**{more}")
            back.button(
                "Back to sample",
                key=f"{key}_back",
                type="tertiary",
                icon=":material/undo:",
                on_click=in_use.forget,
            )
            options()
        else:
            chosen.selectbox(
                label,
                list(samples),
                format_func=lambda name: samples.get(name, name),
                key=key,
                on_change=_to_address,
                args=(key, parameter),
                persist_state="session",
            )
        caption = st.empty()
    return InputPanel(st.session_state.get(key, next(iter(samples))), upload, caption.caption)


def _from_address(key: str, parameter: str, allowed: Iterable[str]) -> None:
    """Take a choice from the address when the page is opened. By hand, because a bound widget would write the
    name shown, not the key."""
    if key not in st.session_state and st.query_params.get(parameter) in list(allowed):
        st.session_state[key] = st.query_params[parameter]
    if st.session_state.get(key) not in (None, *allowed):
        del st.session_state[key]  # another test set has other submissions


def _to_address(key: str, parameter: str) -> None:
    st.query_params[parameter] = st.session_state[key]
