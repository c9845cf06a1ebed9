"""The marks of points, as Plotly draws them."""

import math
from functools import partial

from scoring.presentation.svg.words import number, paint

LINES = ("x-thin", "line-ns", "line-ew")
"""Marks without an area: only their line is drawn."""
POLYGONS = {
    "pentagon": ((0.951, -0.309), (0.588, 0.809), (-0.588, 0.809), (-0.951, -0.309), (0, -1)),
    "hexagon": ((0.866, -0.5), (0.866, 0.5), (0, 1), (-0.866, 0.5), (-0.866, -0.5), (0, -1)),
    "triangle-up": ((-1.155, 0.5), (1.155, 0.5), (0, -1)),
    "triangle-down": ((-1.155, -0.5), (1.155, -0.5), (0, 1)),
    "diamond": ((1.3, 0), (0, 1.3), (-1.3, 0), (0, -1.3)),
    "square": ((1, 1), (-1, 1), (-1, -1), (1, -1)),
    "cross": (
        (0.4, 1.2), (0.4, 0.4), (1.2, 0.4), (1.2, -0.4), (0.4, -0.4), (0.4, -1.2),
        (-0.4, -1.2), (-0.4, -0.4), (-1.2, -0.4), (-1.2, 0.4), (-0.4, 0.4), (-0.4, 1.2),
    ),
    "star": tuple(
        (round(radius * math.sin(k * math.pi / 5), 4), round(-radius * math.cos(k * math.pi / 5), 4))
        for k in range(10)
        for radius in ((1.4, 0.535)[k % 2],)
    ),
}  # fmt: skip
"""Corners in half sizes of the mark."""
HALF_ARM = 0.8 / math.sqrt(2)
X_CORNERS = tuple(
    (a * HALF_ARM, b * HALF_ARM)
    for a, b in (
        (0, 1), (1, 2), (2, 1), (1, 0), (2, -1), (1, -2), (0, -1), (-1, -2), (-2, -1), (-1, 0), (-2, 1),
        (-1, 2),
    )
)  # fmt: skip
STROKES = {
    "x-thin": ((1.4, 1.4, -1.4, -1.4), (1.4, -1.4, -1.4, 1.4)),
    "line-ns": ((0, 1.4, 0, -1.4),),
    "line-ew": ((1.4, 0, -1.4, 0),),
}
"""Lines from place to place in half sizes of the mark."""


def path(symbol: str, size: float) -> str:
    """Return the path of a mark around (0, 0).

    Args:
        symbol: As Plotly calls it, with or without "-open".
        size: In pixels.
    """
    shape, radius = symbol.removesuffix("-open"), size / 2
    scaled = partial(_scaled, radius)
    if shape in STROKES:
        return "".join(
            f"M{scaled(x0)},{scaled(y0)}L{scaled(x1)},{scaled(y1)}" for x0, y0, x1, y1 in STROKES[shape]
        )
    corners = X_CORNERS if shape == "x" else POLYGONS.get(shape)
    if corners is None:
        r = _scaled(1, radius)
        return f"M{r},0A{r},{r} 0 1,1 0,-{r}A{r},{r} 0 0,1 {r},0Z"
    return "M" + "L".join(f"{scaled(x)},{scaled(y)}" for x, y in corners) + "Z"


def attributes(symbol: str, colour: str, line: tuple[str, float]) -> str:
    """Return the attributes of a mark. line: colour and width in pixels of its border."""
    tint, width = line
    if symbol in LINES:
        return f'fill="none" stroke="{paint(tint)}" stroke-width="{number(width)}"'
    if symbol.endswith("-open"):
        return f'fill="none" stroke="{paint(colour)}" stroke-width="{number(width or 1)}"'
    border = f' stroke="{paint(tint)}" stroke-width="{number(width)}"' if width else ""
    return f'fill="{paint(colour)}"{border}'


def _scaled(radius: float, share: float) -> str:
    text = f"{radius * share:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
