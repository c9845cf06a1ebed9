"""Draws Plotly figures as SVG for reports and papers, without a browser and without scripts.

It can draw what the figures of this project use: bars, lines, points, heat maps, violins, boxes and
triangles. The same figure always gives the same bytes. Interactive parts are left out.
"""

from collections.abc import Iterator
from html import escape

from scoring.presentation.figures.plotly_figure import Drawing
from scoring.presentation.figures.theme import FONT
from scoring.presentation.svg.bars import Sums, bars, box, heatmap, violin
from scoring.presentation.svg.curves_and_points import ground, scatter, ternary_points
from scoring.presentation.svg.frame_and_legend import annotations, grid, labels, legend, shapes
from scoring.presentation.svg.plot_layout import Plot, measured
from scoring.presentation.svg.text import number

WIDTH = 680
"""Width of a sheet of paper without its margins, in pixels."""
MARKS = {
    "scatter": scatter,
    "heatmap": heatmap,
    "violin": violin,
    "box": box,
    "scatterternary": ternary_points,
}


def svg(
    figure: Drawing, width: float = WIDTH, prefix: str = "", alone: bool = False, ground: str = "#ffffff"
) -> str:
    """Return a figure as SVG.

    Args:
        figure: A figure of `scoring.presentation.figures`.
        width: Width in pixels; the figure sets its own height.
        prefix: Prefix of all names in the SVG: figures on one page need different prefixes.
        alone: Whether the SVG is a separate file with a background.
        ground: Colour of the background; "" for none.
    """
    plot = measured(figure, width, prefix)
    question = escape(figure.question)
    size = f'width="{number(width)}" height="{number(plot.height)}"'
    own = f' xmlns="http://www.w3.org/2000/svg" {size}' if alone else ""
    paper = f'<rect width="100%" height="100%" fill="{ground}"/>' if alone and ground else ""
    parts = "".join(_parts(plot))
    return (
        f'<svg{own} viewBox="0 0 {number(width)} {number(plot.height)}" role="img" aria-label="{question}" '
        f'font-family="{escape(FONT)}">{paper}{parts}</svg>'
    )


def _parts(plot: Plot) -> Iterator[str]:
    area = plot.area
    box_ = f'x="{number(area.left)}" y="{number(area.top)}"'
    size = f'width="{number(area.width)}" height="{number(area.height)}"'
    yield f'<clipPath id="{plot.prefix}area"><rect {box_} {size}/></clipPath>'
    if "ternary" in plot.layout:
        yield from ground(plot)
    else:
        yield from shapes(plot, below=True)
        yield from grid(plot)
    sums: Sums = {}
    for trace in plot.traces:
        if trace["type"] == "bar":
            yield from bars(trace, plot, sums)
        else:
            yield from MARKS[trace["type"]](trace, plot)
    if "ternary" not in plot.layout:
        yield from shapes(plot, below=False)
        yield from labels(plot)
        yield from annotations(plot)
    yield from legend(plot)
