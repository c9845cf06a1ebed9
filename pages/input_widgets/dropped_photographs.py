"""Photographs that no input of the page accepts: the visitor says what they show, and the page of single
images opens them."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.server import url_state
from scoring.challenges import REGISTRY, challenge_ids, load_challenge
from scoring.common.text import markdown
from scoring.core.file_contents import is_picture
from scoring.single_image.reader_study import MOST_IMAGES

DROPPED, WAITING = "_photographs", "_single_waiting"
"""Session keys: photographs that the page asks about, and photographs for the page of single images."""
HELD = "_single_own"
"""Session key of the visitor's decoded images on the page of single images."""
QUEUED = "_single_queued"
"""Session key of the visitor's image queue, an `image_session.ImageQueue`."""
SINGLE_IMAGE = "single_image"
"""Name of the page of single images in the address."""
MOST = 6
"""Maximum photographs of one lesion."""
SHOWS = {"photograph": "Skin", "tile": "Stained tissue"}
"""Kind of single image -> its description."""


def are(files: Sequence[Any]) -> bool:
    """Return whether files are photographs for the page of single images."""
    return len(files) <= MOST_IMAGES and _are_pictures(files)


def _are_pictures(files: Sequence[Any]) -> bool:
    return all("/" not in file.name and is_picture(file.name, file.getvalue()) for file in files)


def for_single_image(files: Sequence[Any]) -> bool:
    """Use photographs dropped anywhere on the page of single images as its image.

    Returns:
        Whether they were used: this is that page, and they are photographs.
    """
    if st.session_state.get(url_state.PAGE) != SINGLE_IMAGE or not files or not _are_pictures(files):
        return False
    wait(files)
    return True


def wait(files: Sequence[Any]) -> None:
    """Keep photographs, with those that wait already, until the page of single images takes them. A browser
    can name the same upload several times."""
    waiting = st.session_state.get(WAITING, [])
    st.session_state[WAITING] = [*waiting, *(file for file in files if file not in waiting)]


def hold(files: Sequence[Any]) -> None:
    """Keep photographs until the visitor says what they show."""
    st.session_state[DROPPED] = list(files)


def held_bytes(state: Mapping[str, Any]) -> int:
    """Return the bytes of memory of a session's images, decoded or not."""
    decoded = sum(image.held_bytes for image in state.get(HELD, ()))
    return decoded + (state[QUEUED].held_bytes if QUEUED in state else 0)


def forget() -> None:
    """Forget photographs about which the visitor did not answer."""
    st.session_state.pop(DROPPED, None)


def ask() -> None:
    """Draw the question what photographs show, with an answer for each challenge with single images."""
    files = st.session_state.get(DROPPED)
    if not files:
        return
    with st.container(border=True, gap="xsmall"):
        named = f"**{markdown(files[0].name, 60)}**" if len(files) == 1 else f"**{len(files)} images**"
        st.markdown(f":material/help: What does {named} show? Benchside then opens a model for such images.")
        with st.container(horizontal=True, gap="small"):
            for challenge_id in challenge_ids():
                support = load_challenge(challenge_id).display.single_image
                if support is not None:
                    label = f"{SHOWS[support.kind]}: {REGISTRY[challenge_id].short_name}"
                    chosen = st.button(label, key=f"photograph_{challenge_id}")
                    if chosen:
                        _go(challenge_id, files)


def _go(challenge_id: str, files: Sequence[Any]) -> None:
    forget()
    wait(files)
    st.session_state["single_challenge"] = challenge_id
    st.switch_page("../single_image.py")
