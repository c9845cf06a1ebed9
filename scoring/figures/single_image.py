"""Figures of one image: what a model says of it, where it lies among a test set's cases, and which parts move
the answer."""

import base64
import io
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from scoring.figures.numerals import decimal
from scoring.figures.theme import (
    LIGHT,
    SHAPES,
    SYMBOLS,
    Theme,
    channels,
    faded,
    figure,
    label,
    safe,
    write,
    written,
)

RISKS = ("malignant", "medium", "benign", "")
OTHER = "other"
ROW = 25
SIDE, QUALITY = 640, 88
CELLS = 64
"""Cells each way in which a map is drawn."""


def preview(pixels: np.ndarray, side: int = SIDE) -> bytes:
    """Pixels uint8 (h, w, 3) as JPEG of at most `side` px, for the eye."""
    image, file = Image.fromarray(pixels), io.BytesIO()
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    image.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def ranked(
    classes: Sequence[str],
    risk: Sequence[str],
    probabilities: np.ndarray,
    outputs: np.ndarray,
    theme: Theme,
    span: tuple[np.ndarray, np.ndarray] | None = None,
    scaled: np.ndarray | None = None,
    names: Sequence[str] | None = None,
) -> go.Figure:
    """Classes as bars, by risk group with the group's sum (where a group has several), in each the highest
    first.

    probabilities [K]. outputs [k]: raw; one belongs to the last class. span: lowest and highest [K] of the
    turned image, a whisker. scaled [K]: after the temperature, a ring. names: in full, for the hover.
    """
    raw = dict(zip(range(len(classes))[-len(outputs) :], outputs, strict=True))
    groups = {
        group: [k for k in np.argsort(-probabilities, kind="stable") if risk[k] == group] for group in RISKS
    }
    summed = any(len(members) > 1 for members in groups.values())
    rows = [
        entry
        for group, members in groups.items()
        if members
        for entry in ((group, *members) if summed else members)
    ]
    fig = figure(
        theme, "What does the model say?", 46 + ROW * len(rows), margin={"l": 4, "r": 104, "t": 18, "b": 4}
    )
    places = {k: place for place, k in enumerate(rows) if not isinstance(k, str)}
    order, top = list(places), int(np.argmax(probabilities))
    whiskers = None
    if span is not None:
        whiskers = {
            "type": "data",
            "symmetric": False,
            "array": [span[1][k] - probabilities[k] for k in order],
            "arrayminus": [probabilities[k] - span[0][k] for k in order],
            "color": theme.ink,
            "thickness": 1.5,
            "width": 4,
        }
    hovers = [_hover(k, (names or classes)[k], probabilities, raw, span, scaled) for k in order]
    fig.add_bar(
        x=[probabilities[k] for k in order],
        y=[places[k] for k in order],
        orientation="h",
        width=0.62,
        marker_color=[theme.risk[risk[k]] if risk[k] else theme.third for k in order],
        error_x=whiskers,
        hovertext=hovers,
        hoverinfo="text",
        name="score",
    )
    if scaled is not None:
        fig.add_scatter(
            x=[scaled[k] for k in order],
            y=[places[k] for k in order],
            mode="markers",
            marker={"symbol": "circle-open", "size": 9, "color": theme.ink, "line": {"width": 1.5}},
            hoverinfo="skip",
            cliponaxis=False,
            name="temperature-scaled",
        )
    notes = [
        written(1, -0.75, words, theme.soft, 11, xref="paper", xanchor="right", xshift=shift)
        for words, shift in (("score", 48), ("raw", 100))
    ]
    ticks = []
    for place, entry in enumerate(rows):
        if isinstance(entry, str):
            total = sum(probabilities[k] for k in groups[entry])
            ticks.append(f"<b>{label(entry or OTHER, entry or None, theme)}</b>")
            notes.append(
                written(1, place, decimal(total, 3), theme.soft, xref="paper", xanchor="right", xshift=48)
            )
            continue
        value = decimal(probabilities[entry], 3)
        name = safe(classes[entry]) if summed else label(classes[entry], risk[entry] or None, theme)
        ticks.append(f"<b>{name}</b>" if entry == top else name)
        notes.append(
            written(1, place, f"<b>{value}</b>", theme.ink, xref="paper", xanchor="right", xshift=48)
        )
        if entry in raw:
            notes.append(
                written(
                    1, place, f"{raw[entry]:.4g}", theme.soft, 11, xref="paper", xanchor="right", xshift=100
                )
            )
    fig.layout.annotations = notes
    fig.update_xaxes(range=[-0.02, 1], title_text="score of the model, all classes together 1", nticks=6)
    return fig.update_yaxes(
        range=[len(rows) - 0.4, -1.1],
        tickvals=list(range(len(rows))),
        ticktext=ticks,
        showgrid=False,
        ticklabelposition="outside",
    )


def _hover(k: int, name: str, probabilities, raw, span, scaled) -> str:
    said = [f"<b>{safe(name)}</b>", f"score {decimal(probabilities[k], 6)}"]
    if k in raw:
        said.append(f"raw output {raw[k]:.6g}")
    if scaled is not None:
        said.append(f"temperature-scaled {decimal(scaled[k], 3)}")
    if span is not None:
        said.append(f"turned and mirrored {decimal(span[0][k], 3)} to {decimal(span[1][k], 3)}")
    return "<br>".join(said)


def among(
    scores: np.ndarray, positive: np.ndarray, own: float, threshold: float | None, theme: Theme
) -> go.Figure:
    """Malignant scores [n] of a test set, a tick per case, malignant cases (bool [n]) above the others; this
    image's score and the threshold."""
    fig = figure(
        theme,
        "Where does this image lie among the test set?",
        168,
        margin={"l": 4, "r": 14, "t": 26, "b": 4},
        hovermode="closest",
    )
    for place, chosen, name, colour in (
        (0, positive, "malignant", theme.risk["malignant"]),
        (1, ~positive, "others", theme.third),
    ):
        fig.add_scatter(
            x=scores[chosen],
            y=np.full(int(chosen.sum()), place),
            mode="markers",
            marker={"symbol": "line-ns", "size": 22, "line": {"width": 1.5, "color": faded(colour, 0.55)}},
            hovertemplate=f"{name}, score %{{x:.3f}}<extra></extra>",
            name=name,
        )
    if threshold is not None:
        fig.add_vline(threshold, line={"color": theme.accent, "width": 2, "dash": "dot"})
    fig.add_scatter(
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
    write(
        fig,
        own,
        1,
        f"this image {decimal(own, 3)}",
        theme.ink,
        yref="paper",
        yanchor="bottom",
        xanchor="left" if own < 0.5 else "right",
    )
    shape = f"<span style='color:{theme.risk['malignant']}'>{SHAPES['malignant']}</span>"
    ticks = [f"malignant {shape}<br>n = {positive.sum()}", f"others<br>n = {(~positive).sum()}"]
    fig.update_xaxes(range=[-0.01, 1.01], title_text="score of all malignant classes together", nticks=6)
    return fig.update_yaxes(range=[1.6, -0.6], tickvals=[0, 1], ticktext=ticks, showgrid=False)


def reweighted(
    classes: Sequence[str],
    risk: Sequence[str],
    before: np.ndarray,
    after: np.ndarray,
    theme: Theme,
    shown: int = 5,
) -> go.Figure:
    """The highest scores [K] with the test set's frequencies (ring) and with others (filled), a line between
    them."""
    order = np.argsort(-np.maximum(before, after), kind="stable")[:shown]
    fig = figure(
        theme,
        "What if such lesions were rarer?",
        60 + ROW * len(order),
        margin={"l": 4, "r": 14, "t": 8, "b": 4},
        hovermode="closest",
    )
    for place, k in enumerate(order):
        colour = theme.risk[risk[k]] if risk[k] else theme.third
        hover = (
            f"{safe(classes[k])}<br>as in the test set {decimal(before[k], 3)}<br>reweighted "
            f"{decimal(after[k], 3)}"
        )
        fig.add_scatter(
            x=[before[k], after[k]],
            y=[place, place],
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={
                "symbol": ["circle-open", SYMBOLS.get(risk[k], "circle")],
                "size": [9, 11],
                "color": colour,
                "line": {"width": 1.5},
            },
            hovertext=[hover, hover],
            hoverinfo="text",
            cliponaxis=False,
            name=safe(classes[k]),
        )
    fig.update_xaxes(range=[-0.01, 1.01], title_text="score", nticks=6)
    ticks = [label(classes[k], risk[k] or None, theme) for k in order]
    return fig.update_yaxes(
        range=[len(order) - 0.5, -0.5], tickvals=list(range(len(order))), ticktext=ticks, showgrid=False
    )


def saliency(
    picture: np.ndarray,
    scale: float,
    jpeg: bytes,
    size: tuple[int, int],
    name: str,
    theme: Theme,
    opacity: float = 0.7,
    cell: tuple | None = None,
) -> go.Figure:
    """A map [h, w] of drops over the image: red supports the class, blue opposes, the strongest colour at
    +-scale, in the same colours under every theme, because the image is the same.

    jpeg: the image, of `size` (width, height), which the map covers whatever its own shape. cell: row, column
    and cells each way of the patch that is outlined.
    """
    width, height = size
    rows, columns = (np.linspace(0, length - 1, CELLS).round().astype(int) for length in picture.shape)
    values = picture[np.ix_(rows, columns)]
    shown = min(440, round(440 * height / width))
    fig = figure(
        theme, f"Which parts move the score of {name}?", shown + 4, margin={"l": 0, "r": 0, "t": 2, "b": 2}
    )
    fig.add_layout_image(
        source=f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}",
        x=0,
        y=0,
        sizex=width,
        sizey=height,
        xref="x",
        yref="y",
        layer="below",
        sizing="stretch",
    )
    fig.add_heatmap(
        z=values,
        x=(np.arange(CELLS) + 0.5) / CELLS * width,
        y=(np.arange(CELLS) + 0.5) / CELLS * height,
        zmin=-scale or -1,
        zmax=scale or 1,
        colorscale=_diverging(opacity),
        zsmooth="best",
        showscale=False,
        hovertemplate="hiding here lowers the score by %{z:.3f}<extra></extra>",
    )
    if cell is not None:
        row, column, cells = cell
        place = {
            "x0": column / cells * width,
            "x1": (column + 1) / cells * width,
            "y0": row / cells * height,
            "y1": (row + 1) / cells * height,
        }
        fig.add_shape(type="rect", **place, line={"color": "#ffffff", "width": 4})
        fig.add_shape(type="rect", **place, line={"color": "#000000", "width": 1.5})
    fig.update_xaxes(visible=False, range=[0, width], constrain="domain")
    return fig.update_yaxes(visible=False, range=[height, 0], scaleanchor="x", constrain="domain")


def _diverging(opacity: float) -> list[list]:
    """Blue, clear, red: the image shows where nothing changes."""
    blue, red = (channels(colour).astype(int) for colour in (LIGHT.categorical[0], LIGHT.risk["malignant"]))

    def tint(colour: np.ndarray, share: float) -> str:
        return f"rgba({colour[0]},{colour[1]},{colour[2]},{share * opacity:.3f})"

    return [
        [0, tint(blue, 1)],
        [0.25, tint(blue, 0.6)],
        [0.5, tint(blue, 0)],
        [0.5, tint(red, 0)],
        [0.75, tint(red, 0.6)],
        [1, tint(red, 1)],
    ]
