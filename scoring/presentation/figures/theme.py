"""Theme of all figures: colours (as in `.streamlit/config.toml`), fonts and marks."""

import re
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.common.findings import SMALL_CLASS

SHAPES = {"malignant": "▲", "medium": "◆", "benign": "●"}
SYMBOLS = {"malignant": "triangle-up", "medium": "diamond", "benign": "circle"}
FONT = "'Source Sans', 'Source Sans Pro', 'Segoe UI', system-ui, sans-serif"
SHORT = 14
"""Maximum number of characters of a name beside an axis."""
LINE = 26
"""Maximum number of characters per line of a label on the left axis."""
PARTS = re.compile(r"[^\s_-]*[\s_-]+|[^\s_-]+")
"""Pattern of the parts of a name; a line break is possible after each part."""
COLOURS = tomllib.loads(Path(__file__).with_name("themes.toml").read_text(encoding="utf-8"))
CIVIDIS = COLOURS["cividis"]
"""A colour scale with even steps that colour-blind people also see."""


@dataclass(frozen=True, eq=False)
class Theme:
    """All colours of one theme, as #rrggbb.

    Attributes:
        name: "light" or "dark".
        ink: Colour of text, points and whiskers.
        soft: Colour of axis titles, counts and intervals.
        zero: Colour of lines with a meaning (axes, diagonals, no difference).
        accent: Colour of the most important element, and of the first part of a sum.
        second: Colour of the second part of a sum.
        categorical: Ten colours of Okabe and Ito, darkened or lightened for contrast, and two more.
        heat: Colour scale (cividis) that begins with the page's background.
    """

    name: str
    paper: str
    ink: str
    soft: str
    grid: str
    zero: str
    tint: str
    accent: str
    second: str
    third: str
    risk: Mapping[str, str]
    categorical: tuple[str, ...]
    heat: tuple[tuple[float, str], ...]


def channels(colour: str) -> Floats:
    """Return red, green and blue [3], 0..255, of `#rrggbb` or `rgb(r, g, b)`."""
    if colour.startswith("#"):
        return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)
    return np.array([float(v) for v in colour[colour.index("(") + 1 : -1].split(",")[:3]])


def cividis(start: float, stop: float, page: str) -> tuple[tuple[float, str], ...]:
    """Return the part of the colour scale cividis between two positions (0..1), faded into the background
    colour of the page. Small values are thus faint and zero is invisible, in both themes."""
    steps, stops = np.linspace(0, 1, 21), np.linspace(0, 1, len(CIVIDIS))
    colours = np.array([channels(colour) for colour in CIVIDIS])
    shares = start + (stop - start) * steps
    pure = np.rint(np.stack([np.interp(shares, stops, colours[:, k]) for k in range(3)], axis=-1))
    cover = np.r_[0, 0.25 + 0.75 * steps[1:] ** 0.6][:, None]
    mixed = np.rint(pure * cover + channels(page) * (1 - cover)).astype(int)
    return tuple((float(t), f"rgb({r}, {g}, {b})") for t, (r, g, b) in zip(steps, mixed, strict=True))


def _theme(name: str) -> Theme:
    colours = dict(COLOURS[name])
    (start, stop), categorical = colours.pop("heat"), tuple(colours.pop("categorical"))
    heat = cividis(start, stop, colours["paper"])
    return Theme(name=name, categorical=categorical, heat=heat, **colours)


LIGHT, DARK = _theme("light"), _theme("dark")


@cache
def template(theme: Theme) -> dict[str, Any]:
    """Return the Plotly template of a theme. Each figure contains its template; Plotly's registry of
    templates is not used."""
    font = {"family": FONT, "size": 12, "color": theme.ink}
    # dragmode off and fixed ranges: a thumb that scrolls a phone must not zoom the chart.
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.zero,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 4,
        "automargin": True,
        "fixedrange": True,
        "title": {"font": {"size": 12, "color": theme.soft}, "standoff": 6},
        "tickfont": {"size": 12, "color": theme.ink},
    }
    hover = {"bgcolor": theme.paper, "bordercolor": theme.zero, "align": "left", "font": font | {"size": 13}}
    layout = {
        "font": font,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(theme.categorical),
        "margin": {"l": 4, "r": 12, "t": 8, "b": 4},
        # Low figures keep room for their axis: by default no margin grows below 64 px of drawing.
        "minreducedheight": 24,
        "minreducedwidth": 24,
        "xaxis": axis,
        "yaxis": axis,
        "dragmode": False,
        "bargap": 0.28,
        "hoverlabel": hover,
        "showlegend": False,
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.soft, "activecolor": theme.accent},
    }
    return {"layout": layout}


def safe(text: object) -> str:
    """Return text from files with HTML escaped, because Plotly interprets some HTML in labels, including
    links."""
    return escape(" ".join(str(text).split()), quote=False)


def faded(colour: str, alpha: float) -> str:
    """Return `#rrggbb` with the opacity `alpha`, 0..1."""
    red, green, blue = channels(colour).astype(int)
    return f"rgba({red},{green},{blue},{alpha})"


def luminance(colours: Floats) -> Floats:
    """Return the relative luminance [...], 0..1, of colours [..., 3] with channels of 0..255 (WCAG 2.2)."""
    light = np.asarray(colours, float) / 255
    linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ (0.2126, 0.7152, 0.0722))


def text_is_black(colours: Floats) -> Bools:
    """Return whether black text has more contrast than white text on colours [..., 3]. The chosen text colour
    always has a contrast above 4.5."""
    raised = luminance(colours) + 0.05
    return raised / 0.05 >= 1.05 / raised


def text_on(colour: str) -> str:
    """Return black or white as the text colour, whichever has more contrast on a background colour."""
    return "#000000" if text_is_black(channels(colour)) else "#ffffff"


def in_lines(name: str, width: int) -> str:
    """Return a safe name in lines of at most `width` characters; a line may break after a slash."""
    return "<br>".join(safe(line) for line in textwrap.wrap(name.replace("/", "/ "), width)).replace(
        "/ ", "/"
    )


def label(name: str, risk: str | None = None, theme: Theme | None = None, shape_last: bool = True) -> str:
    """Return the name of a class with the symbol of its risk group, if it has one.

    Without a theme the result is plain text, for tables. With a theme it is Plotly's HTML, with the symbol in
    its colour and next to the axis.
    """
    if theme is None:
        return f"{SHAPES[risk]} {name}" if risk else name
    if risk is None:
        return safe(name)
    shape = f"<span style='color:{theme.risk[risk]};font-size:15px'>{SHAPES[risk]}</span>"
    return f"{safe(name)} {shape}" if shape_last else f"{shape} {safe(name)}"


def short(name: str, most: int = SHORT) -> str:
    """Return a name shortened to at most `most` characters, to fit beside an axis."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def lined(name: str) -> str:
    """Return a name as a label of the left axis, shortened to about 50 characters and broken into two lines
    if necessary."""
    lines = [""]
    for part in PARTS.findall(name):
        for piece in (part[k : k + LINE] for k in range(0, len(part), LINE)):
            if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > LINE:
                lines.append("")
            lines[-1] += piece
    if len(lines) > 2:
        lines[1:] = [short(lines[1] + lines[2], LINE)]
    return "<br>".join(safe(line.strip()) for line in lines)


def counted(name: str, n: int, risk: str | None, theme: Theme) -> str:
    """Return a label for the left axis: class name, number of cases (with a star below 15), and symbol."""
    shape = label("", risk, theme).strip()
    cases = f"{n:.0f}{'*' if n < SMALL_CLASS else ''}"
    return f"{safe(name)} <span style='color:{theme.soft}'>{cases}</span> {shape}".strip()
