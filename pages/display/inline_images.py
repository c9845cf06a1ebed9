"""Pictures travel in the messages of the session that sees them: they have no address that others could
open, and nothing of them is left to serve when they are gone."""

import base64
from typing import Any

import streamlit as st


def draw_picture(picture: bytes, caption: str | None = None, **appearance: Any) -> None:
    """Draw an encoded picture. caption: Markdown of our own. appearance: arguments of `st.image`."""
    kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
    st.image(f"data:image/{kind};base64,{base64.b64encode(picture).decode()}", caption, **appearance)
