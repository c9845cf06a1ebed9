"""Picture with rulers and a frame that the pointer drags."""

from collections.abc import Callable

import streamlit as st

from pages.display import layout
from scoring.presentation.figures import single_image as figures
from scoring.single_image.turn_and_crop import Box

Span = tuple[float, float]
"""First and last pixel along one axis."""


def draw(
    key: str,
    jpeg: bytes,
    size: tuple[int, int],
    box: Box,
    micrometres: float,
    alt: str,
    dragged: Callable[[Span, Span], None],
) -> None:
    """Draw a picture with its frame.

    Args:
        key: Of the chart in the session.
        size: Width and height of the picture, px.
        micrometres: Per pixel, 0 if unknown.
        alt: Description of the picture.
        dragged: Called with columns and rows of a new frame, px.
    """

    def selected() -> None:
        if boxes := st.session_state[key].selection.box:
            (left, right), (top, bottom) = (sorted(boxes[-1][axis]) for axis in "xy")
            dragged((left, right), (top, bottom))

    st.plotly_chart(
        figures.frame(jpeg, size, box, micrometres, layout.theme()),
        height="stretch",
        theme=None,
        key=key,
        on_select=selected,
        selection_mode="box",
        config=layout.CONFIG,
        alt=alt,
    )
