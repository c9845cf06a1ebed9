"""Photographs that no input of the page accepts: the visitor says what they show, then the page of single
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
"""In the session: photographs about which is asked, and those that the page of single images is to take."""
HELD = "_single_own"
"""In the session: the visitor's images on the page of single images, decoded."""
QUEUED = "_single_queued"
"""In the session: the visitor's images of a session, `image_session.ImageQueue`."""
SINGLE_IMAGE = "single_image"
"""Name of the page of single images in the address."""
MOST = 6
"""Photographs of one lesion at once."""
SHOWS = {"photograph": "Skin", "tile": "Stained tissue"}
"""Kind of single image -> what it shows."""


def are(files: Sequence[Any]) -> bool:
    """Return whether files are photographs that the page of single images could take."""
    return len(files) <= MOST_IMAGES and _are_pictures(files)


def _are_pictures(files: Sequence[Any]) -> bool:
    return all("/" not in file.name and is_picture(file.name, file.getvalue()) for file in files)


def for_single_image(files: Sequence[Any]) -> bool:
    """Take photographs that were dropped on the page of single images, wherever on it, as its image.

    Returns:
        Whether they were taken: the page is that one, and they are photographs.
    """
    if st.session_state.get(url_state.PAGE) != SINGLE_IMAGE or not files or not _are_pictures(files):
        return False
    st.session_state[WAITING] = list(files)
    return True


def hold(files: Sequence[Any]) -> None:
    """Keep photographs until the visitor says what they show."""
    st.session_state[DROPPED] = list(files)


def held_bytes(state: Mapping[str, Any]) -> int:
    """Return the bytes of memory that the images of a session take, decoded or still to be."""
    decoded = sum(image.photograph.held_bytes for image in state.get(HELD, ()))
    return decoded + (state[QUEUED].held_bytes if QUEUED in state else 0)


def forget() -> None:
    """Forget photographs whose content nobody named."""
    st.session_state.pop(DROPPED, None)


def ask() -> None:
    """Draw the question what photographs show, with an answer for each challenge that takes single images."""
    files = st.session_state.get(DROPPED)
    if not files:
        return
    with st.container(border=True, gap="xsmall"):
        named = f"**{markdown(files[0].name, 60)}**" if len(files) == 1 else f"**{len(files)} images**"
        st.markdown(f":material/help: What does {named} show? A model of that challenge then answers.")
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
    st.session_state[WAITING] = list(files)
    st.session_state["single_challenge"] = challenge_id
    st.switch_page("../single_image.py")
