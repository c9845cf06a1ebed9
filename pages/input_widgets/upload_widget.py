"""Upload widget whose files are kept when the widget is no longer drawn. If files are added one after
another, it decides which of them are used. Also the selector of a sample or the visitor's files."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.input_widgets import dropped_files, dropped_photographs, upload_quota
from pages.server import deferred_widgets, url_state
from pages.server.streamlit_internals import UploadedFile
from scoring.common.text import markdown
from scoring.core.file_contents import InputSlot
from scoring.inputs.sources import TABLES


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
    are in use, it can be drawn after the score when a page opens (`deferred_widgets`).

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


UPLOAD_MB = 512
MODEL = ".onnx"
ALONE = (*TABLES, ".zip", MODEL)
BUTTON_WIDTH = 88
"""Width in px of an uploader in the form of a button."""


def upload(
    label: str,
    key: str,
    files_key: str,
    count: Callable[[list, list], list] = operator.add,
    target: tuple[str, InputSlot] | None = None,
) -> str:
    """Draw an upload widget whose files outlive it: changing the page removes the widget, and nobody should
    have to drop a file twice.

    It accepts any number of files of any kind; files that cannot be read are refused with the project's own
    messages.

    Args:
        label: Its purpose and accepted files, "name: description".
        key: Key of the first such widget.
        count: Function from the previous and the new files to those that count. If all count, files that were
            recognised elsewhere also stay.
        target: Challenge and input; files for another input are sent there.

    Returns:
        The key of the widget.
    """
    turn = st.session_state.get(f"{key}_turn", 0)
    widget = f"{key}_{turn}" if turn else key

    def changed() -> None:
        before, new = _before_and_new(key, files_key, upload_quota.arrived(widget), count is operator.add)
        if dropped_photographs.for_single_image(new):
            st.session_state[f"{key}_turn"] = turn + 1  # a new widget: this one would go on naming the image
            return
        if target and new:
            new = dropped_files.route_drop(*target, files=new)
            if not new:
                return
        counted = count(before, new)
        if counted:
            st.session_state[files_key] = (key, counted)
        elif st.session_state.get(files_key, (key,))[0] == key:
            st.session_state.pop(files_key, None)

    is_button = key.endswith("_files")
    st.file_uploader(
        f"{label}, up to {UPLOAD_MB} MB",
        accept_multiple_files=True,
        key=widget,
        max_upload_size=UPLOAD_MB,
        on_change=changed,
        label_visibility="collapsed" if is_button else "visible",
        width=BUTTON_WIDTH if is_button else "stretch",
    )
    return widget


def _before_and_new(
    key: str, files_key: str, files: Sequence[UploadedFile], adds: bool
) -> tuple[list[UploadedFile], list[UploadedFile]]:
    """Return the files that counted before and still can, and those of a widget that were dropped now.

    Args:
        key: Of the first widget.
        adds: Whether files that were recognised elsewhere stay.
    """
    known, seen = st.session_state.get(f"{key}_seen", frozenset()), frozenset(file.file_id for file in files)
    st.session_state[f"{key}_seen"] = seen
    came_from, held = st.session_state.get(files_key, (key, []))
    if adds:
        before = [file for file in held if file.file_id in seen or file.file_id not in known]
    else:
        before = [file for file in held if came_from == key and file.file_id in seen]
    return before, [file for file in files if file.file_id not in known]


def as_folder(before: list, new: list) -> list:
    """Return the files that count if successive files form a folder, in which a file replaces one with the
    same name. A zip or model is complete: it replaces everything before, and the next file replaces it. A
    single table replaces a single table."""
    if not new:
        return before
    lone = new[0].name.lower() if len(new) == 1 else ""
    alone = len(before) == 1 and before[0].name.lower().endswith(ALONE)
    whole = any(is_zip(file) or file.name.lower().endswith(MODEL) for file in (*new, *before))
    if whole or (alone and lone.endswith(ALONE)):
        return new
    names = {file.name for file in new}
    return [*(file for file in before if file.name not in names), *new]


def is_zip(file: UploadedFile) -> bool:
    """Return whether a file name is that of a zip."""
    return file.name.lower().endswith(".zip")


def latest(before: list, new: list) -> list:
    """Return the files that count if a new file replaces the previous one."""
    return new or before


def kept_files(files_key: str) -> list[UploadedFile]:
    """Return the session's files under a key."""
    held = st.session_state.get(files_key)
    return held[1] if held else []


def in_use(files_key: str) -> InUse:
    """Return the files in use."""

    def forget() -> None:
        st.session_state.pop(files_key, None)

    return InUse(kept_files(files_key), forget)
