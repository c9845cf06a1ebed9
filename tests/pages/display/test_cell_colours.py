"""Colours of cells reach the browser as if pandas had worked them out."""

import re

import pandas as pd
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData

from pages.display.cell_colours import coloured

CELLS = pd.DataFrame({"name": ["a", "b", "c"], "share": [0.5, None, 0.25], "interval": ["0 to 1", "–", ""]})


def sent(styler) -> ArrowData:
    found = ArrowData()
    marshall_styler(found, styler.set_uuid("t"), "t")
    return found


def colours(found: ArrowData) -> dict[str, str]:
    """Colour of each cell that has one."""
    rules = re.findall(r"(.*) { color: (.*) }", found.styler.styles)
    return {cell: colour for cells, colour in rules for cell in cells.split(", ")}


def test_cells_have_the_colours_that_pandas_gives_them():
    styles = ["color: #111", "", "color: #222"]
    plain = CELLS.style.set_properties(subset=["interval"], color="#999").apply(
        lambda _: styles, subset=["name"]
    )
    quick = coloured(CELLS, {"interval": ["#999"] * 3, "name": ["#111", "", "#222"]})
    assert colours(sent(quick)) == colours(sent(plain))
    assert len(colours(sent(quick))) == 5


def test_text_is_shown_as_it_is():
    shown = ArrowData()
    marshall_styler(shown, coloured(CELLS, {"name": ["#111"] * 3}), "t")
    assert (
        convert_arrow_bytes_to_pandas_df(shown.styler.display_values)["interval"].tolist()
        == CELLS["interval"].tolist()
    )


def test_without_colours_cells_stay_a_frame():
    assert coloured(CELLS, {"name": ["", "", ""]}) is CELLS
