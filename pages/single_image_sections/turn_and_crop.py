"""Turning and cropping of a visitor's photograph, with a frame that is dragged or typed."""

import secrets
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from pages.single_image_sections import draggable_frame, session_state
from pages.single_image_sections.chosen_image import ChosenImage
from pages.single_image_sections.draggable_frame import Span
from scoring.presentation.figures import single_image as figures
from scoring.single_image import turn_and_crop

SIDES = ("Left", "Top", "Width", "Height")
"""Of a frame, px."""
FRAMED = f"{session_state.PREFIX}framed"


def framed(original: ChosenImage) -> ChosenImage:
    """Draw the controls for turning and cropping a visitor's photograph, and return it as models receive
    it."""
    with st.expander(
        "Turn and crop", icon=":material/crop_rotate:", key="single_turn", on_change="rerun"
    ) as opened:
        if opened.open:
            _frame(original)
    return as_framed(original)


def _frame(original: ChosenImage) -> None:
    """Draw the picture with its frame, and the numbers of the frame."""
    token, held = original.token, original.photograph
    st.segmented_control(
        "Turn to the right",
        turn_and_crop.QUARTERS,
        key=f"single_quarters_{token}",
        required=True,
        default=0,
        format_func=lambda quarters: f"{90 * quarters}°",
        on_change=_whole,
        args=(original,),
        persist_state="session",
    )
    quarters, size = st.session_state[f"single_quarters_{token}"], _size(original)
    st.checkbox(
        "Crop to a square",
        key=f"single_square_{token}",
        help="Models receive a square. As in the challenge, other shapes are resized to a square.",
        persist_state="session",
    )
    turned = session_state.cached(
        f"turned {original.name}",
        (token, quarters),
        lambda: figures.preview(np.rot90(held.small, -quarters)),
    )
    draggable_frame.draw(
        f"single_frame_{token}_{quarters}",
        turned,
        size,
        _wanted(original).box(*size),
        held.seen.micrometres * held.reduction,
        "The image with rulers and the crop; the four numbers below also set the crop",
        partial(_dragged, token, size),
    )
    st.caption("Drag a frame around the lesion, or enter its position in pixels.")
    # Without limits: the browser would keep a number beyond them to itself, also once the picture is whole.
    with st.grid(min_column_width=90, gap="small"):
        for name, usual in zip(SIDES, (0, 0, *size), strict=True):
            st.number_input(name, value=usual, key=f"single_{name}_{token}", persist_state="session")
    if refused := turn_and_crop.not_applied_line(_wanted(original), *size):
        st.warning(refused)
    st.button("Whole picture", on_click=_whole, args=(original,), key=f"single_whole_{token}")


def _whole(original: ChosenImage) -> None:
    """Frame the whole picture. Numbers that are only taken out of the state would stay in the browser, which
    sends them again."""
    for name, value in zip(SIDES, (0, 0, *_size(original)), strict=True):
        st.session_state[f"single_{name}_{original.token}"] = value


def _size(original: ChosenImage) -> tuple[int, int]:
    """Return width and height of a photograph as it is turned, px."""
    wide, tall = original.photograph.size
    turned = st.session_state.get(f"single_quarters_{original.token}", 0) % 2
    return (tall, wide) if turned else (wide, tall)


def _dragged(token: str, size: tuple[int, int], columns: Span, rows: Span) -> None:
    """Frame what was dragged over a picture of this width and height."""
    x, right = np.clip(columns, 0, size[0]).round().astype(int).tolist()
    top, bottom = np.clip(rows, 0, size[1]).round().astype(int).tolist()
    part = turn_and_crop.Framing(part=(x, top, right - x, bottom - top)).box(*size)
    for name, value in zip(SIDES, part, strict=True):
        st.session_state[f"single_{name}_{token}"] = value


def _wanted(original: ChosenImage) -> turn_and_crop.Framing:
    """Return how a photograph is framed."""
    state, token = st.session_state, original.token
    quarters, square = state.get(f"single_quarters_{token}", 0), state.get(f"single_square_{token}", False)
    if f"single_{SIDES[-1]}_{token}" not in state:
        return turn_and_crop.Framing(quarters, None, square)
    x, top, wide, tall = (state[f"single_{name}_{token}"] for name in SIDES)
    is_whole = (x, top, wide, tall) == (0, 0, *_size(original))
    return turn_and_crop.Framing(quarters, None if is_whole else (x, top, wide, tall), square)


def as_framed(original: ChosenImage) -> ChosenImage:
    """Return a photograph as framed, also while another one is viewed."""
    token, by_token = original.token, st.session_state.setdefault(FRAMED, {})
    wanted = _wanted(original)
    if by_token.get(token, (turn_and_crop.Framing(),))[0] != wanted:
        part = turn_and_crop.framed(original.photograph, wanted)
        changed = part is not original.photograph
        name = f"{token}-{secrets.token_hex(2)}" if changed else token
        by_token[token] = (wanted, replace(original, token=name, photograph=part))
    return by_token[token][1] if token in by_token else original
