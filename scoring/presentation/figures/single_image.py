"""Figures of one image: a model's scores for it, its position among the cases of a test set, and the parts of
the image that change the scores."""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from scoring.common.arrays import Array, Bools, Floats
from scoring.presentation.figures.canvas import Canvas, error_bars
from scoring.presentation.figures.heat_maps import Scale
from scoring.presentation.figures.number_format import decimal
from scoring.presentation.figures.theme import LIGHT, SHAPES, SYMBOLS, Theme, faded, in_lines, label, safe

RISKS = ("malignant", "medium", "benign", "")
OTHER = "other"
ROW = 25
SIDE, QUALITY = 640, 88
RULED, TICKS, STEPS = 330, 8, (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
"""Size in pixels of a picture with rulers, maximum number of marks of a ruler, and possible distances between
marks in mm."""
CELLS = 64
"""Number of cells of a map along each axis."""
LEGEND = 52
"""Height in pixels of the legend below a map."""
SCORE = 48
"""Distance in pixels from the bars to the column of scores."""
LINE, TALL_ROW = 30, 34
"""Maximum characters of a class's name per line, and height in pixels of a row with a two-line name."""


def preview(pixels: Array, side: int = SIDE) -> bytes:
    """Return pixels uint8 [h, w, 3] as JPEG with at most `side` px, for display."""
    image, file = Image.fromarray(pixels), io.BytesIO()
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    image.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


@dataclass(frozen=True)
class ImageScores:
    """A model's scores for one image.

    Attributes:
        names: Full names of the K classes.
        risk: Risk group of each class, "" if it has none.
        probabilities: [K] scores.
        span: Lowest and highest score of each class [K] over the rotated and mirrored versions of the image;
            None if unknown.
    """

    names: Sequence[str]
    risk: Sequence[str]
    probabilities: Floats
    span: tuple[Floats, Floats] | None = None

    def groups(self) -> dict[str, list[int]]:
        """Return the classes of each non-empty risk group, highest score first."""
        order: list[int] = np.argsort(-self.probabilities, kind="stable").tolist()
        groups = {group: [k for k in order if self.risk[k] == group] for group in RISKS}
        return {group: members for group, members in groups.items() if members}

    @property
    def has_sums(self) -> bool:
        """Whether some risk group has several classes, so that their sum is drawn."""
        return any(len(members) > 1 for members in self.groups().values())

    def hover(self, k: int) -> str:
        """Return the hover text of class k."""
        lines = [f"<b>{safe(self.names[k])}</b>", f"score {decimal(self.probabilities[k], 6)}"]
        if self.span is not None:
            low, high = (decimal(ends[k], 3) for ends in self.span)
            lines.append(f"turned and mirrored {low} to {high}")
        return "<br>".join(lines)


def ranked(scores: ImageScores, theme: Theme) -> go.Figure:
    """Draw classes as bars by risk group, highest score first, with the sum of each group that has several
    classes. An error bar spans the scores of the rotated and mirrored versions of the image."""
    groups, with_sums = scores.groups(), scores.has_sums
    rows: list[int | str] = []
    for group, members in groups.items():
        rows += [group, *members] if with_sums else members
    row_height = ROW if max(map(len, scores.names)) <= LINE else TALL_ROW
    margin = {"l": 4, "r": 54, "t": 8, "b": 44}
    canvas = Canvas(theme, "What does the model predict?", 58 + row_height * len(rows), margin=margin)
    _bars(canvas, scores, {row: y for y, row in enumerate(rows) if isinstance(row, int)})
    ticks, top = [], int(np.argmax(scores.probabilities))
    for y, row in enumerate(rows):
        if isinstance(row, str):
            ticks.append(f"<b>{label(row or OTHER, row or None, theme)}</b>")
            total = decimal(sum(scores.probabilities[k] for k in groups[row]), 3)
            _beside(canvas, y, total, theme.soft)
            continue
        name, risk = in_lines(scores.names[row], LINE), scores.risk[row] or None
        text = name if with_sums or not risk else f"{name} {_shape(risk, theme)}"
        ticks.append(f"<b>{text}</b>" if row == top else text)
        _beside(canvas, y, f"<b>{decimal(scores.probabilities[row], 3)}</b>", theme.ink)
    canvas.x_axis("score of the model; all classes add up to 1", range=[-0.02, 1], nticks=6)
    canvas.rows(ticks, range=[len(rows) - 0.4, -0.7], ticklabelposition="outside")
    return canvas.figure()


def _shape(risk: str, theme: Theme) -> str:
    return label("", risk, theme).strip()


def _beside(canvas: Canvas, y: float, text: str, colour: str) -> None:
    """Write to the right of the bars."""
    canvas.write(1, y, text, colour, 12, xref="paper", xanchor="right", xshift=SCORE)


def _bars(canvas: Canvas, scores: ImageScores, places: Mapping[int, int]) -> None:
    """places: class -> row."""
    theme, order, y = canvas.theme, list(places), list(places.values())
    values = np.asarray(scores.probabilities, float)[order]
    whiskers = None
    if scores.span is not None:
        low, high = (np.asarray(ends, float)[order] for ends in scores.span)
        whiskers = error_bars(low, values, high, color=theme.ink, thickness=1.5, width=4)
    canvas.trace(
        "bar",
        x=values,
        y=y,
        orientation="h",
        width=0.62,
        marker={"color": [theme.risk[scores.risk[k]] if scores.risk[k] else theme.third for k in order]},
        error_x=whiskers,
        hovertext=[scores.hover(k) for k in order],
        name="score",
    )


def among(scores: Floats, positive: Bools, own: float, threshold: float | None, theme: Theme) -> go.Figure:
    """Draw where an image lies among the cases of a test set. Each case is a tick; malignant cases are above
    the others.

    Args:
        scores: [n] sum of the scores of all malignant classes for each case.
        positive: [n] whether each case is malignant.
        threshold: Score above which a case counts as malignant, None if there is none.
    """
    margin = {"l": 4, "r": 14, "t": 26, "b": 4}
    question = "How does this image compare with the test set?"
    canvas = Canvas(theme, question, 168, margin=margin, hovermode="closest")
    for height, chosen, name, colour in (
        (0, positive, "malignant", theme.risk["malignant"]),
        (1, ~positive, "others", theme.third),
    ):
        canvas.trace(
            "scatter",
            x=scores[chosen],
            y=np.full(int(chosen.sum()), height),
            mode="markers",
            marker={"symbol": "line-ns", "size": 22, "line": {"width": 1.5, "color": faded(colour, 0.55)}},
            hovertemplate=f"{name}, score %{{x:.3f}}<extra></extra>",
            name=name,
        )
    if threshold is not None:
        canvas.rule(threshold, theme.accent, 2, "dot")
    canvas.trace(
        "scatter",
        x=[own],
        y=[0.5],
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 14,
            "color": theme.ink,
            "line": {"color": theme.paper, "width": 1.5},
        },
        hovertemplate="this image %{x:.3f}<extra></extra>",
        name="this image",
        cliponaxis=False,
    )
    text, side = f"this image {decimal(own, 3)}", "left" if own < 0.5 else "right"
    canvas.write(own, 1, text, theme.ink, yref="paper", yanchor="bottom", xanchor=side)
    shape = f"<span style='color:{theme.risk['malignant']}'>{SHAPES['malignant']}</span>"
    ticks = [f"malignant {shape}<br>n = {positive.sum()}", f"others<br>n = {(~positive).sum()}"]
    canvas.x_axis("score of all malignant classes together", range=[-0.01, 1.01], nticks=6)
    canvas.rows(ticks, range=[1.6, -0.6])
    return canvas.figure()


def reweighted(
    classes: Sequence[str], risk: Sequence[str], before: Floats, after: Floats, theme: Theme, most: int = 5
) -> go.Figure:
    """Draw the highest scores for two sets of class frequencies: those of the test set (ring) and other ones
    (filled dot).

    Args:
        risk: Risk group of each class, "" if it has none.
        before: [K] scores with the frequencies of the test set.
        after: [K] scores with other frequencies.
    """
    order = np.argsort(-np.maximum(before, after), kind="stable")[:most].tolist()
    margin = {"l": 4, "r": 14, "t": 8, "b": 4}
    question = "How do results change with the prevalence of malignant lesions?"
    height = ROW if max(len(classes[k]) for k in order) <= LINE else TALL_ROW
    canvas = Canvas(theme, question, 60 + height * len(order), margin=margin, hovermode="closest")
    for row, k in enumerate(order):
        colour = theme.risk[risk[k]] if risk[k] else theme.third
        hover = (
            f"{safe(classes[k])}<br>as in the test set {decimal(before[k], 3)}<br>reweighted "
            f"{decimal(after[k], 3)}"
        )
        canvas.trace(
            "scatter",
            x=[before[k], after[k]],
            y=[row, row],
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={
                "symbol": ["circle-open", SYMBOLS.get(risk[k], "circle")],
                "size": [9, 11],
                "color": colour,
                "line": {"width": 1.5},
            },
            hovertext=[hover, hover],
            cliponaxis=False,
            name=safe(classes[k]),
        )
    canvas.x_axis("score", range=[-0.01, 1.01], nticks=6)
    ticks = [
        f"{in_lines(classes[k], LINE)} {_shape(risk[k], theme) if risk[k] else ''}".strip() for k in order
    ]
    canvas.rows(ticks)
    return canvas.figure()


def frame(
    jpeg: bytes, size: tuple[int, int], box: tuple[int, int, int, int], micrometres: float, theme: Theme
) -> go.Figure:
    """Draw an image with rulers and a frame. Visitors can draw a new frame by dragging.

    Args:
        size: Width and height of the image, px.
        box: Left, top, width and height of the frame, px.
        micrometres: Micrometres per pixel, 0 if unknown. Rulers show millimetres, or pixels if the scale is
            unknown.
    """
    (width, height), (x, y, wide, tall) = size, box
    canvas = Canvas(theme, "Which part does the model receive?", round(RULED * min(1.2, height / width)) + 50)
    canvas.layout["images"] = [_ground(jpeg, size)]
    # A drag is told of only where there is something to choose: points that nobody sees.
    across, down = (grid.ravel() for grid in np.meshgrid(*(np.linspace(0, a, CELLS) for a in size)))
    canvas.trace("scatter", x=across, y=down, mode="markers", marker={"opacity": 0})
    _boxed(canvas, (x, x + wide), (y, y + tall))
    margin = {"l": 4, "r": 8, "t": 8, "b": 4}
    canvas.layout |= {"dragmode": "select", "selectdirection": "any", "margin": margin}
    ruler: dict[str, Any] = {"fixedrange": True, "showgrid": False, "constrain": "domain"}
    if micrometres:
        mm = 1000 / micrometres
        step = next((step for step in STEPS if max(size) / mm <= TICKS * step), STEPS[-1])
        marks = [k * step for k in range(int(max(size) / mm / step) + 1)]
        ruler |= {"tickvals": [mark * mm for mark in marks], "ticktext": [f"{mark:g}" for mark in marks]}
    canvas.x_axis("mm" if micrometres else "px", range=[0, width], **ruler)
    canvas.y_axis(range=[height, 0], scaleanchor="x", **ruler)
    return canvas.figure()


def _ground(jpeg: bytes, size: tuple[int, int]) -> dict[str, Any]:
    """Return a picture that is below a figure whose axes count its pixels."""
    ends = {"x": 0, "y": 0, "sizex": size[0], "sizey": size[1], "xref": "x", "yref": "y"}
    source = f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
    return {"source": source, "layer": "below", "sizing": "stretch", **ends}


def _boxed(canvas: Canvas, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Draw a frame that is seen on any picture."""
    for colour, width in (("#ffffff", 4), ("#000000", 1.5)):
        canvas.rectangle(x, y, colour, width)


@dataclass(frozen=True)
class Saliency:
    """How each part of an image changes the score of a class.

    Attributes:
        drops: [h, w] how far the score falls if this part of the image is hidden.
        jpeg: The image under the map; the map is stretched to its shape.
        size: Width and height of the image in px.
        cell: Row and column of the outlined cell, and the number of cells along each axis; None if no cell is
            outlined.
    """

    name: str
    how: str
    drops: Floats
    scale: float
    floor: float
    jpeg: bytes
    size: tuple[int, int]
    cell: tuple[int, int, int] | None = None


def saliency(drop_map: Saliency, theme: Theme, opacity: float = 0.5) -> go.Figure:
    """Draw a map of score drops over the image. Red parts support the class, blue parts oppose it. The
    colours do not depend on the theme. `opacity` is the opacity of the strongest colours, 0..1."""
    width, height = drop_map.size
    rows, columns = (np.linspace(0, length - 1, CELLS).round().astype(int) for length in drop_map.drops.shape)
    middles, drawn = (np.arange(CELLS) + 0.5) / CELLS, drop_map.drops[np.ix_(rows, columns)]
    drawn_height = min(400, round(400 * height / width))
    margin = {"l": 0, "r": 0, "t": 2, "b": LEGEND}
    canvas = Canvas(theme, drop_map.how, drawn_height + 2 + LEGEND, margin=margin)
    canvas.layout["images"] = [_ground(drop_map.jpeg, drop_map.size)]
    canvas.trace(
        "heatmap",
        z=drawn,
        x=middles * width,
        y=middles * height,
        zmin=-drop_map.scale,
        zmax=drop_map.scale,
        colorscale=_diverging(opacity, drop_map.floor / drop_map.scale),
        zsmooth="best",
        colorbar=_legend(drop_map, theme),
        hovertext=[[_fall(value) for value in row] for row in drawn],
    )
    if drop_map.cell is not None:
        row, column, cells = drop_map.cell
        across = (column / cells * width, (column + 1) / cells * width)
        _boxed(canvas, across, (row / cells * height, (row + 1) / cells * height))
    canvas.x_axis(visible=False, range=[0, width], constrain="domain")
    canvas.y_axis(visible=False, range=[height, 0], scaleanchor="x", constrain="domain")
    return canvas.figure()


def _fall(drop: float) -> str:
    """Return what hiding a place does to the score, in words."""
    if round(abs(drop), 3) == 0:
        return "hiding this part does not change the score"
    return f"hiding here {'lowers' if drop > 0 else 'raises'} the score by {decimal(abs(drop), 3)}"


def _legend(drop_map: Saliency, theme: Theme) -> dict[str, object]:
    """Return the colours of a map as a bar below it."""
    ends = [
        f"raises by {drop_map.scale:g} or more",
        f"less than {drop_map.floor:g}",
        f"lowers by {drop_map.scale:g} or more",
    ]
    return {
        "orientation": "h",
        "x": 0.5,
        "y": 0,
        "xanchor": "center",
        "yanchor": "top",
        "len": 0.9,
        "thickness": 10,
        "outlinewidth": 1,
        "outlinecolor": theme.grid,
        "tickvals": [-0.7 * drop_map.scale, 0, 0.7 * drop_map.scale],
        "ticktext": ends,
        "ticks": "",
        "tickfont": {"size": 12, "color": theme.soft},
        "title": {"text": "effect of hiding this part on the score", "side": "bottom", "font": {"size": 12}},
    }


def _diverging(opacity: float, clear: float) -> Scale:
    """Blue, clear, red: the image shows where little changes. clear: share of the scale that stays clear."""
    blue, red = LIGHT.categorical[0], LIGHT.risk["malignant"]
    low, high = 0.5 - clear / 2, 0.5 + clear / 2
    first = round(0.3 * opacity, 3)
    return [
        [0, faded(blue, opacity)],
        [low, faded(blue, first)],
        [low, faded(blue, 0)],
        [high, faded(red, 0)],
        [high, faded(red, first)],
        [1, faded(red, opacity)],
    ]
