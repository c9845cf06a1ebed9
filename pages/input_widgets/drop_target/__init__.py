"""Dropping files anywhere on a page: a target over the whole window passes them to the page's uploaders."""

from functools import partial
from pathlib import Path

import streamlit as st

from pages.input_widgets import dropped_files
from pages.server.request_guard import FRAME_FILES
from scoring.common.text import markdown

FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "drop_anywhere",
    html="<div role='status'></div><div class='overlay' popover='manual'><h2></h2><div class='zones'></div>"
    "<p>Press Escape to cancel. Files stay on this computer.</p></div>",
    css=(FOLDER / "drop.css").read_text(encoding="utf-8"),
    js=(FOLDER / "drop.js").read_text(encoding="utf-8"),
)
_folder_button = st.components.v2.component(
    "folder_button",
    html="<button type='button'>Folder</button>",
    css=(FOLDER / "folder_button.css").read_text(encoding="utf-8"),
    js=(FOLDER / "folder_button.js").read_text(encoding="utf-8"),
)


KEY = "drop_anywhere_component"


def anywhere() -> None:
    """Accept drops on the whole page. Call it once, above every page; it takes no room."""
    st.html(FOLDER / "uploaders.css")
    data = {"most": FRAME_FILES}
    _component(key=KEY, data=data, height=1, on_empty_change=_without_files, on_many_change=_too_many)


def _without_files() -> None:
    """Answer a drop in which no file came. The component tells the folder's name, "" if there is none."""
    folder = st.session_state[KEY].empty
    sentence = f"The folder **{markdown(folder, 60)}** is empty" if folder else "The drop contained no file"
    dropped_files.drop_none(
        f"{sentence}: no file was read. Drop the folder that contains the files, or the files themselves."
    )


def _too_many(key: str = KEY) -> None:
    """Answer more files than one message may name. The component tells how many."""
    dropped_files.drop_none(
        f"{st.session_state[key].many:,} files were chosen, but none was read: at most {FRAME_FILES:,} can "
        "be dropped as separate files. Pack them into a zip, and drop the zip."
    )


def folder_button(uploader: str, label: str) -> None:
    """Draw a button that chooses a folder for an uploader.

    Args:
        label: Description of the folder, for screen readers.
    """
    data = {"uploader": uploader, "label": f"Choose a folder: {label}", "most": FRAME_FILES}
    key = f"{uploader}_folder"
    _folder_button(key=key, data=data, height=37, width=66, on_many_change=partial(_too_many, key))
