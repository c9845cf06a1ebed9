"""A page with nothing but a grid of 10,000 cases, for its tests; the name of a case tells its mark."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2]))

from pages.display import case_grid
from pages.display.case_grid import GridCells

COUNT = 10_000
HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = [HOSTILE, *(f"case {number}" for number in range(1, COUNT))]
CAPTIONS = [("wrong" if number % 2 else "right", f"A → {number}", "0.500") for number in range(COUNT)]
CELLS = GridCells("grid", range(COUNT), NAMES, NAMES, CAPTIONS)


def pictures(places: Sequence[int]) -> list[bytes | None]:
    """Return pictures as high as the number of their case tells, the second one lacking."""
    st.session_state.setdefault("made", []).extend(places)
    return [None if place == 1 else jpeg(40, 1 + place % 40) for place in places]


def jpeg(width: int, height: int) -> bytes:
    held = io.BytesIO()
    Image.new("RGB", (width, height), (180, 90, 60)).save(held, "JPEG")
    return held.getvalue()


@st.fragment
def draw() -> None:
    case_grid.show(CELLS, pictures, "grid", "opens it", lambda name: st.session_state.update(opened=name))
    st.text(f"made {len(st.session_state['made'])}; opened {st.session_state.get('opened')}")


draw()
