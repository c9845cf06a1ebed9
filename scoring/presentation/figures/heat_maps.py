"""Heat maps: cells with text, frames around cells, and clicks on cells."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from scoring.common.arrays import Array, Bools, Floats
from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.theme import channels, text_is_black

Scale = list[list[Any]]
"""A colour scale: pairs (position from 0 to 1, colour), ascending."""
HALF = 0.47
"""Distance from the middle of a cell to the cell's frame; cells are 1 wide."""
CLEAR = "rgba(0,0,0,0)"


def heat(
    canvas: Canvas,
    shares: Floats,
    columns: Sequence[str],
    rows: Sequence[str],
    texts: Array,
    hovers: Array,
    size: int = 12,
) -> None:
    """Draw shares as colours. The text in a cell is black or white, whichever has more contrast.

    Cells are at integer positions from 0, so that lines and frames can be drawn between them.

    Args:
        shares: [rows, columns] share of each cell from 0 to 1; the cell of NaN stays blank.
        columns: Names of the columns, as Plotly's HTML.
        rows: Names of the rows as Plotly's HTML, the first on top.
        texts: [rows, columns] text of each cell; "" for none.
        hovers: [rows, columns] hover text of each cell.
        size: Size of the text in pixels.
    """
    scale = [list(stop) for stop in canvas.theme.heat]
    coloured(canvas, shares, (0, 1), scale, hovers)
    write_words(canvas, texts, text_colours(scale, shares), size)
    name_cells(canvas, columns, rows)


def name_cells(canvas: Canvas, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Write names, as Plotly's HTML, on both axes of a heat map, the first row on top."""
    canvas.x_axis(side="top", showgrid=False, tickvals=list(range(len(columns))), ticktext=list(columns))
    canvas.y_axis(autorange="reversed", showgrid=False, tickvals=list(range(len(rows))), ticktext=list(rows))


def coloured(
    canvas: Canvas, values: Floats, limits: tuple[float, float], scale: Scale, hovers: Array
) -> None:
    """Draw values [rows, columns] as colours. The first row is on top if the axis is reversed. `limits` are
    the values at both ends of the colour scale."""
    canvas.trace(
        "heatmap",
        z=values,
        zmin=limits[0],
        zmax=limits[1],
        colorscale=scale,
        showscale=False,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertext=hovers.tolist(),
    )


def text_colours(scale: Scale, shares: Floats) -> Array:
    """Return "#000000" or "#ffffff" for text on shares [...] of a colour scale; NaN counts as 0."""
    stops = [share for share, _ in scale]
    colours = np.array([channels(colour) for _, colour in scale])
    places = np.nan_to_num(shares)
    ground = np.stack([np.interp(places, stops, colours[:, k]) for k in range(3)], axis=-1)
    return np.where(text_is_black(np.rint(ground)), "#000000", "#ffffff")


def write_words(canvas: Canvas, texts: Array, colours: Array, size: int = 12) -> None:
    """Write texts [rows, columns] into the cells of a heat map, in the colours [rows, columns]."""
    for (row, column), text in np.ndenumerate(texts):
        if text:
            canvas.write(column, row, text, str(colours[row, column]), size)


def diverging(
    canvas: Canvas, values: Floats, hovers: Array, texts: Array | None, strong: Bools | None = None
) -> None:
    """Draw values [rows, columns] as colours around 0.

    Args:
        texts: Texts of the values with sign; None for no text.
        strong: Which cells have strong text [rows, columns]; the others have pale text.
    """
    theme = canvas.theme
    scale = [[0.0, theme.categorical[1]], [0.5, theme.paper], [1.0, theme.categorical[0]]]
    limit = float(np.nanmax(np.abs(values), initial=0)) or 1.0
    coloured(canvas, values, (-limit, limit), scale, hovers)
    if texts is None:
        return
    colours = text_colours(scale, 0.5 + 0.5 * np.nan_to_num(values) / limit)
    if strong is not None:
        colours = np.where(strong, colours, theme.soft)
    write_words(canvas, texts, colours)


def cell_texts(rows: int, columns: int, text: Callable[[int, int], str]) -> Array:
    """Return an array of texts [rows, columns]. The function `text` returns the text of a cell from its row
    and column."""
    return np.array([[text(i, j) for j in range(columns)] for i in range(rows)], dtype=object)


def clickable(canvas: Canvas, keys: Sequence[Sequence[Hashable]], columns: int, size: int = 22) -> None:
    """Put transparent points over the cells of a heat map, which must be the first trace. Clicks select these
    points, because heat maps do not react to clicks. The axes end at the cells.

    Args:
        keys: `customdata` of the points, row by row.
        columns: Number of points in a row.
        size: Size of a point in pixels.
    """
    ground = canvas.traces[0]
    canvas.trace(
        "scatter",
        x=[k % columns for k in range(len(keys))],
        y=[k // columns for k in range(len(keys))],
        mode="markers",
        customdata=keys,
        name="cells",
        hovertext=[text for row in ground["hovertext"] for text in row],
        marker={"symbol": "square", "size": size, "color": CLEAR},
    )
    ground["hoverinfo"] = "skip"
    canvas.x_axis(range=[-0.5, columns - 0.5])
    canvas.y_axis(range=[len(keys) // columns - 0.5, -0.5], autorange=False)


def frame(canvas: Canvas, row: int, column: int, colour: str, width: float = 3) -> None:
    """Draw a frame around a cell."""
    across, down = (column - HALF, column + HALF), (row - HALF, row + HALF)
    canvas.rectangle(across, down, colour, width)
