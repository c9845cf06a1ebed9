"""Dropping files anywhere on a page: a target over the whole window hands them to the page's uploaders."""

from pathlib import Path

import streamlit as st

from pages.input_widgets import dropped_files

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
    """Take drops on the whole page. Drawn once, above every page, where it takes no room."""
    st.html(FOLDER / "uploaders.css")
    _component(key=KEY, height=1, on_empty_change=_without_files)


def _without_files() -> None:
    """Answer a drop in which no file came. The component tells the folder's name."""
    dropped_files.drop_nothing(st.session_state[KEY].empty)


def folder_button(uploader: str, label: str) -> None:
    """Draw a button that chooses a folder for an uploader.

    Args:
        label: What the folder is, for screen readers.
    """
    data = {"uploader": uploader, "label": f"Choose a folder: {label}"}
    _folder_button(key=f"{uploader}_folder", data=data, height=37, width=66)
