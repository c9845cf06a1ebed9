"""The theme of figures: colours, type and marks that every figure shares. Its colours are those of
`.streamlit/config.toml`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

SHAPES = {"malignant": "▲", "medium": "◆", "benign": "●"}
SYMBOLS = {"malignant": "triangle-up", "medium": "diamond", "benign": "circle"}
FONT = "'Source Sans', 'Source Sans Pro', 'Segoe UI', system-ui, sans-serif"
SHORT = 14
"""Characters of a name beside an axis."""
SMALL = 15
"""Cases of a class or group below which no interval is honest (statistics: few-cases-in-class)."""


@dataclass(frozen=True, eq=False)
class Theme:
    """All colours of one theme, as #rrggbb.

    ink: text, points, whiskers. soft: axis titles, counts, intervals. grid: lines to read values off. zero:
    lines that mean something (axes, diagonals, no difference). tint: quiet areas. accent, second, third: the
    parts of a sum. risk: by group. categorical: ten colours, Okabe-Ito darkened or lightened until they are
    seen, and two more. heat: cividis from the page's own colour.
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


def channels(colour: str) -> np.ndarray:
    """Red, green and blue, 0..255, of `#rrggbb` or `rgb(r, g, b)`."""
    if colour.startswith("#"):
        return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)
    return np.array([float(v) for v in colour[colour.index("(") + 1 : -1].split(",")[:3]])


def cividis(start: float, stop: float, page: str) -> tuple[tuple[float, str], ...]:
    """Cividis between two of its shares (0..1), fading into the page: little is quiet in both themes, nothing
    is the page itself."""
    steps = np.linspace(0, 1, 21)
    pure = np.array([channels(c) for c in sample_colorscale("cividis", list(start + (stop - start) * steps))])
    cover = np.r_[0, 0.25 + 0.75 * steps[1:] ** 0.6][:, None]
    mixed = np.rint(pure * cover + channels(page) * (1 - cover)).astype(int)
    return tuple((float(t), f"rgb({r}, {g}, {b})") for t, (r, g, b) in zip(steps, mixed, strict=True))


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#0c161c",
    soft="#52616b",
    grid="#e6ebee",
    zero="#8b9aa3",
    tint="#eef3f4",
    accent="#0a5c63",
    second="#2f7fb0",
    third="#7b8a94",
    risk={"malignant": "#b3261e", "medium": "#b87309", "benign": "#1f7a45"},
    categorical=(
        "#0072b2",
        "#d55e00",
        "#009e73",
        "#cc79a7",
        "#e69f00",
        "#56b4e9",
        "#0c161c",
        "#8a6d00",
        "#7a4fa3",
        "#5b6b75",
    ),
    heat=cividis(0.97, 0.12, "#ffffff"),
)
DARK = Theme(
    name="dark",
    paper="#10181c",
    ink="#e3eaed",
    soft="#a9b8bf",
    grid="#243138",
    zero="#6c7d86",
    tint="#1a272d",
    accent="#4db0b5",
    second="#4a90c4",
    third="#8899a3",
    risk={"malignant": "#ff8a7d", "medium": "#f2b24c", "benign": "#6cc995"},
    categorical=(
        "#56b4e9",
        "#f0803c",
        "#2fc79a",
        "#e39ac2",
        "#f0b429",
        "#9ad3f5",
        "#e3eaed",
        "#d9c65d",
        "#b79be0",
        "#9fb0b8",
    ),
    heat=cividis(0.08, 0.95, "#10181c"),
)


@cache
def template(theme: Theme) -> go.layout.Template:
    """The Plotly template of a theme. It is handed to each figure and registered nowhere."""
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
    hover = {
        "bgcolor": theme.paper,
        "bordercolor": theme.zero,
        "align": "left",
        "font": {"family": FONT, "size": 13, "color": theme.ink},
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 12, "color": theme.ink},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(theme.categorical),
            "margin": {"l": 4, "r": 12, "t": 8, "b": 4},
            "xaxis": axis,
            "yaxis": axis,
            "dragmode": False,
            "bargap": 0.28,
            "hoverlabel": hover,
            "showlegend": False,
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.soft, "activecolor": theme.accent},
        }
    )


def figure(theme: Theme, question: str, height: int, **layout) -> go.Figure:
    """An empty figure in the house style, `height` in pixels. The question it answers stands in
    `layout.meta`, not in a title: Plotly's titles neither wrap nor are read aloud."""
    return go.Figure(
        layout=dict(template=template(theme), meta={"question": question}, height=height, **layout)
    )


def write(
    fig: go.Figure, x: float | str, y: float | str, text: str, colour: str, size: int = 12, **more
) -> go.Figure:
    """Words at a place of the figure, in data coordinates unless `more` (options of a Plotly annotation) says
    otherwise."""
    return fig.add_annotation(**written(x, y, text, colour, size, **more))


def written(x: float | str, y: float | str, text: str, colour: str, size: int = 12, **more) -> dict:
    """`write` as what a list of annotations holds: Plotly copies all of them for every one that is added."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": size, "color": colour}, **more}


def safe(text: object) -> str:
    """Foreign text for a figure. Plotly reads a little HTML in every label, links included."""
    return escape(" ".join(str(text).split()), quote=False)


def faded(colour: str, alpha: float) -> str:
    """`#rrggbb` with an opacity of `alpha`, 0..1."""
    red, green, blue = channels(colour).astype(int)
    return f"rgba({red},{green},{blue},{alpha})"


def luminance(colour: str) -> float:
    """Relative luminance, 0..1, of `#rrggbb` or `rgb(r, g, b)` (WCAG 2.2)."""
    light = channels(colour) / 255
    return float(
        np.dot(
            np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4),
            (0.2126, 0.7152, 0.0722),
        )
    )


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1..21 (WCAG 2.2; text needs 4.5)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def text_on(colour: str) -> str:
    """Black or white, whichever is read better on the colour; one of them always has a contrast over 4.5."""
    return max("#000000", "#ffffff", key=lambda text: contrast(text, colour))


def label(name: str, risk: str | None = None, theme: Theme | None = None, shape_last: bool = True) -> str:
    """A class never appears without the shape of its risk group, if it has one.

    Without a theme: plain text, for tables. With one: Plotly's HTML, the shape in its colour and next to the
    axis.
    """
    if theme is None:
        return f"{SHAPES[risk]} {name}" if risk else name
    if risk is None:
        return safe(name)
    shape = f"<span style='color:{theme.risk[risk]};font-size:15px'>{SHAPES[risk]}</span>"
    return f"{safe(name)} {shape}" if shape_last else f"{shape} {safe(name)}"


def short(name: str) -> str:
    """Return a name that fits beside an axis."""
    return name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"


def counted(name: str, n: int, risk: str | None, theme: Theme) -> str:
    """Class, its number of cases (a star below 15), its shape: a label for the left axis."""
    shape = label("", risk, theme).strip()
    return f"{safe(name)} <span style='color:{theme.soft}'>{n:.0f}{'*' if n < SMALL else ''}</span> {shape}".strip()


def heat(
    fig: go.Figure,
    theme: Theme,
    shares: np.ndarray,
    columns: Sequence[str],
    rows: Sequence[str],
    words: np.ndarray,
    hovers: np.ndarray,
    size: int = 12,
) -> go.Figure:
    """Shares 0..1 (NaN: blank) as colour, with words in the cells: dark or white, whichever is read better on
    that cell.

    shares, words and hovers are [rows, columns]. Cells stand at whole numbers from 0, so that lines and
    frames can be drawn between them.
    """
    scale = [list(stop) for stop in theme.heat]
    fig.add_heatmap(
        z=shares,
        zmin=0,
        zmax=1,
        colorscale=scale,
        showscale=False,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertext=hovers.tolist(),
        hoverinfo="text",
    )
    grounds = np.reshape(sample_colorscale(scale, np.nan_to_num(shares).ravel().tolist()), shares.shape)
    fig.layout.annotations = [
        *fig.layout.annotations,
        *(
            written(column, row, text, text_on(grounds[row, column]), size)
            for (row, column), text in np.ndenumerate(words)
            if text
        ),
    ]
    fig.update_xaxes(side="top", showgrid=False, tickvals=list(range(len(columns))), ticktext=list(columns))
    return fig.update_yaxes(
        autorange="reversed", showgrid=False, tickvals=list(range(len(rows))), ticktext=list(rows)
    )
