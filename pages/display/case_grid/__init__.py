"""Grid of cases: pictures with a mark and two lines. Only visible rows are drawn; their pictures are made
when they become visible."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent
BLOCK, MOST_BLOCKS = 24, 3
"""Number of cases whose pictures are sent together, and maximum of such blocks at once."""
Pictures = Callable[[tuple[int, ...]], Sequence[bytes | None]]
"""Function from positions of cases to their pictures, None for a case without one."""
_component = st.components.v2.component(
    "case_grid",
    html="<div class='cases' tabindex='0' role='group' aria-label='Cases'><div class='room'></div></div>",
    css=(FOLDER / "grid.css").read_text("utf-8"),
    js=(FOLDER / "grid.js").read_text("utf-8"),
)


@dataclass(frozen=True)
class GridCells:
    """The cells of a grid, in order.

    Attributes:
        content: Identifies the content of the pictures.
        places: Positions of the cases, for requesting pictures.
        names: Names of the cases, as returned.
        captions: For each case a mark ("right", "wrong" or "") and two lines of plain text.
    """

    content: str
    places: Sequence[int]
    names: Sequence[str]
    short: Sequence[str]
    captions: Sequence[tuple[str, str, str]] = field(repr=False)

    @cached_property
    def id(self) -> str:
        """Identifies a grid."""
        return hashlib.sha256(repr((self.content, self.names, self.captions)).encode()).hexdigest()[:16]


def show(cells: GridCells, pictures: Pictures, key: str, opens: str, on_open: Callable[[str], None]) -> None:
    """Draw a grid; call it in a fragment, which is redrawn on scrolling.

    Args:
        pictures: Function that makes the pictures of some cases.
        key: Key of the grid in the session.
        opens: What a click does, for screen readers.
        on_open: Function that receives the name of the clicked case.
    """

    def opened() -> None:
        number = st.session_state[key].opened
        if isinstance(number, int) and 0 <= number < len(cells.names):
            on_open(cells.names[number])

    data = {"id": cells.id, "names": list(cells.short), "captions": list(cells.captions), "opens": opens}
    about = {"block": BLOCK, "key": key}
    _component(key=key, data=data | about, on_wanted_change=lambda: None, on_opened_change=opened)
    # The pictures come by a mount of their own, so that the list is not sent again with them.
    wanted = _wanted(st.session_state.get(key), cells)
    sent = {number: _encoded(pictures(tuple(cells.places[_span(number)]))) for number in wanted}
    with st.container(key="case_pictures"):
        _component(key=f"{key}_pictures", data={"id": cells.id, "key": key, "blocks": sent}, height=1)


def _span(number: int) -> slice:
    return slice(number * BLOCK, (number + 1) * BLOCK)


def _wanted(state: object, cells: GridCells) -> list[int]:
    """Return the numbers of the blocks that a browser asked for; none of another grid."""
    wanted = getattr(state, "wanted", None)
    if not isinstance(wanted, dict) or wanted.get("id") != cells.id:
        return [0]
    last, blocks = -(-len(cells.names) // BLOCK), wanted.get("blocks")
    asked = blocks if isinstance(blocks, list) else []
    return [n for n in asked if isinstance(n, int) and 0 <= n < last][:MOST_BLOCKS]


def _encoded(pictures: Sequence[bytes | None]) -> list[str]:
    """Return pictures as addresses that hold them, "" for none."""
    return [
        "" if jpeg is None else f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
        for jpeg in pictures
    ]
