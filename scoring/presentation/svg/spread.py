"""How values spread: the density of a violin, the quartiles of a box. Both lie level, with values across."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.presentation.svg.plot import Plot
from scoring.presentation.svg.scatter import polyline
from scoring.presentation.svg.words import number, paint

Properties = Mapping[str, Any]
STEPS = 100
"""Places at which a density is drawn."""
CAP = 0.5
"""Width of the end of a whisker, in widths of its box."""


def violin(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield the upper half of a violin from the smallest value to the largest."""
    across, down = plot.axes_of(trace)
    values, middle = np.asarray(trace["x"], float), float(trace["y0"])
    places = np.linspace(values.min(), values.max(), STEPS)
    heights = density(values, places)
    tops = middle + float(trace["width"]) / 2 * heights / heights.max()
    edge = np.column_stack([[across.pixel(v) for v in places], [down.pixel(v) for v in tops]])
    ground = down.pixel(middle)
    whole = np.vstack([[edge[0, 0], ground], edge, [edge[-1, 0], ground]])
    yield f'<path d="{polyline(whole)}Z" fill="{paint(str(trace["fillcolor"]))}"{_stroke(trace)}/>'


def density(values: Floats, places: Floats) -> Floats:
    """Return the density of values [n] at places [m], by Gaussian kernels of Silverman's width."""
    n = len(values)
    spread, quartiles = float(np.std(values, ddof=1)), np.diff(np.quantile(values, [0.25, 0.75]))[0]
    narrow = min(spread, float(quartiles) / 1.349) or spread or 1.0
    width = 1.059 * narrow * n**-0.2
    return np.asarray(np.exp(-0.5 * ((places[:, None] - values) / width) ** 2).mean(1))


def box(trace: Properties, plot: Plot) -> Iterator[str]:
    """Yield quartiles as a box, and whiskers to the smallest and the largest value."""
    across, down = plot.axes_of(trace)
    values, middle = np.sort(np.asarray(trace["x"], float)), float(trace["y0"])
    # As Plotly does: value k of n stands at (k - 0.5) / n.
    low, centre, high = (float(v) for v in np.quantile(values, [0.25, 0.5, 0.75], method="hazen"))
    half = float(trace["width"]) / 2
    top, bottom = (number(down.pixel(middle + sign * half)) for sign in (1, -1))
    y = number(down.pixel(middle))
    caps = [number(down.pixel(middle + sign * half * CAP)) for sign in (1, -1)]
    left, inner, right, start, end = (
        number(across.pixel(v)) for v in (low, centre, high, values[0], values[-1])
    )
    path = (
        f"M{left},{top}H{right}V{bottom}H{left}ZM{inner},{top}V{bottom}M{left},{y}H{start}M{right},{y}H{end}"
        f"M{start},{caps[0]}V{caps[1]}M{end},{caps[0]}V{caps[1]}"
    )
    yield f'<path d="{path}" fill="{paint(str(trace["fillcolor"]))}"{_stroke(trace)}/>'


def _stroke(trace: Properties) -> str:
    line = trace["line"]
    return f' stroke="{paint(str(line["color"]))}" stroke-width="{number(line["width"])}"'
