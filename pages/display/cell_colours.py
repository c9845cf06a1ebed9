"""Tables whose columns have colours.

Streamlit takes colours of cells from a pandas Styler only, which works out each cell by itself: most of what
a click costs that draws a table. Colours of whole columns are known beforehand.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler


def coloured(cells: pd.DataFrame, colours: Mapping[str, Sequence[str]]) -> pd.DataFrame | Styler:
    """Return cells in their colours, as `st.dataframe` takes them.

    Args:
        cells: Shown with a format of their column, or text.
        colours: Column -> colour of each row; "": that of all text.
    """
    places: dict[str, list[str]] = {}
    for column, name in enumerate(cells.columns):
        for row, colour in enumerate(colours.get(name, ())):
            if colour:
                places.setdefault(colour, []).append(f"row{row}_col{column}")
    if not places:
        return cells
    styler = Styler(cells)
    translated: dict[str, Any] = {
        "cellstyle": [{"props": [("color", colour)], "selectors": found} for colour, found in places.items()],
        "body": [],
    }
    for step, result in (("_compute", styler), ("_translate", translated)):
        setattr(styler, step, lambda *_, result=result: result)
    return styler
