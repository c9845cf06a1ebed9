"""Figures of masks: Dice by patient, and volumes. Dice is 0..1, volumes are in mL; undefined numbers are not
drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import decimal
from scoring.figures.theme import Theme, faded, figure, safe, write

SYMBOLS = ("circle", "diamond")
DICE_TICKS = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "ticktext": ["0", ".2", ".4", ".6", ".8", "1"]}
ROOM = 140
"""Pixels of a structure's cloud, box and points."""
LEAST_ML = 0.01
"""Smaller volumes are drawn as this one."""
APART = 0.35
"""How far below the smallest tick a volume of 0 stands, in powers of ten."""


@dataclass(frozen=True)
class Patients:
    """Patients of one structure. names [n]; dice, truth_ml, predicted_ml: float [n], volumes from 0."""

    names: Sequence[str]
    dice: np.ndarray
    truth_ml: np.ndarray
    predicted_ml: np.ndarray

    def words(self) -> list[str]:
        return [
            (
                f"<b>{safe(name)}</b><br>Dice {decimal(dice, 3)}<br>truth {decimal(true, 2)} mL, "
                f"predicted {decimal(guess, 2)} mL"
            )
            for name, dice, true, guess in zip(
                self.names, self.dice, self.truth_ml, self.predicted_ml, strict=True
            )
        ]


@dataclass(frozen=True)
class Cloud:
    """A structure's Dice. above: patients of whom something was found; zero: nothing was; empty: how many
    have nothing in either mask."""

    name: str
    above: Patients
    zero: Patients
    empty: int


def colour(place: int, theme: Theme) -> str:
    """Of structure number `place`."""
    return theme.categorical[place % len(theme.categorical)]


def raincloud(clouds: Sequence[Cloud], theme: Theme) -> go.Figure:
    """Per structure the density of Dice above 0, a box of its quartiles and every patient; zeros apart as
    crosses, both-empty counted."""
    fig = figure(
        theme,
        "How well does each patient's mask fit?",
        40 + ROOM * len(clouds),
        hovermode="closest",
        violinmode="overlay",
        boxmode="overlay",
        margin={"l": 4, "r": 12, "t": 4, "b": 4},
    )
    for place, cloud in enumerate(clouds):
        middle, tint = float(len(clouds) - 1 - place), colour(place, theme)
        _cloud(fig, cloud, middle, tint, theme)
        _points(
            fig,
            cloud.above,
            cloud.above.dice,
            _drizzle(cloud.above.dice, middle),
            SYMBOLS[place % 2],
            faded(tint, 0.75),
            cloud.name,
        )
        _points(
            fig,
            cloud.zero,
            cloud.zero.dice,
            _drizzle(cloud.zero.dice, middle),
            "x-thin",
            theme.risk["malignant"],
            f"{cloud.name}, Dice 0",
        )
        words = (
            f"<b>{safe(cloud.name)}</b>  {len(cloud.above.dice)} above 0,  "
            f"<b>{len(cloud.zero.dice)}</b> at 0 ✕,  {cloud.empty} empty in both"
        )
        write(fig, 0, middle + 0.5, words, theme.ink, xanchor="left", yanchor="top", xshift=-2)
    fig.update_xaxes(title_text="Dice of a patient ↑", range=[-0.02, 1.02], **DICE_TICKS)
    return fig.update_yaxes(visible=False, range=[-0.5, len(clouds) - 0.45])


def _cloud(fig: go.Figure, cloud: Cloud, middle: float, tint: str, theme: Theme) -> None:
    if len(cloud.above.dice) < 2:
        return
    fig.add_violin(
        x=cloud.above.dice,
        y0=middle,
        orientation="h",
        side="positive",
        width=0.75,
        points=False,
        spanmode="hard",
        scalemode="width",
        hoverinfo="skip",
        line={"color": tint, "width": 1.5},
        fillcolor=faded(tint, 0.25),
        name=f"{cloud.name} density",
    )
    fig.add_box(
        x=cloud.above.dice,
        y0=middle - 0.08,
        orientation="h",
        width=0.1,
        boxpoints=False,
        hoverinfo="skip",
        line={"color": theme.ink, "width": 1.5},
        fillcolor=theme.paper,
        name=f"{cloud.name} quartiles",
    )


def _drizzle(dice: np.ndarray, middle: float) -> np.ndarray:
    """Heights of points below their cloud: the same for the same patients, and neighbours apart."""
    steps = np.arange(len(dice)) * 0.618034 % 1
    return middle - 0.18 - 0.24 * steps


def _points(
    fig: go.Figure, patients: Patients, x: np.ndarray, y: np.ndarray, symbol: str, tint: str, name: str
) -> None:
    thin = symbol.endswith("thin")
    fig.add_scatter(
        x=x,
        y=y,
        mode="markers",
        hovertext=patients.words(),
        hoverinfo="text",
        customdata=[[name] for name in patients.names],
        cliponaxis=False,
        name=name,
        marker={
            "symbol": symbol,
            "size": 7,
            "color": tint,
            "line": {"color": tint, "width": 2 if thin else 0},
        },
    )


@dataclass(frozen=True)
class VolumeAxis:
    """An axis of log10(mL) from the power of ten below the smallest volume; where some are 0, nothing has a
    place of its own below that.

    lowest: log10 of the least volume drawn. largest: of the largest one.
    """

    lowest: float
    largest: float
    has_nothing: bool

    @property
    def nothing(self) -> float:
        return self.lowest - APART

    def places(self, volumes: np.ndarray) -> np.ndarray:
        """Of volumes in mL."""
        logarithms = np.log10(np.maximum(volumes, 10.0**self.lowest))
        return np.where(np.asarray(volumes) > 0, logarithms, self.nothing)

    def layout(self) -> dict:
        """Range and ticks of a Plotly axis."""
        powers = np.arange(self.lowest, self.largest + 1e-9)
        start = self.nothing - 0.15 if self.has_nothing else self.lowest - 0.1
        return {
            "tickvals": [self.nothing] * self.has_nothing + powers.tolist(),
            "ticktext": ["none"] * self.has_nothing + [f"{10.0**power:g}" for power in powers],
            "range": [start, max(self.largest, self.lowest + 1) + 0.1],
        }


def volume_axis(*volumes: np.ndarray) -> VolumeAxis:
    """The axis for all of these volumes in mL."""
    every = np.concatenate([np.asarray(v, float) for v in volumes]) if volumes else np.zeros(0)
    some = every[every > 0]
    lowest = np.floor(np.log10(max(some.min(), LEAST_ML))) if len(some) else 0.0
    largest = np.log10(max(some.max(), LEAST_ML)) if len(some) else 1.0
    return VolumeAxis(float(lowest), float(largest), bool((every == 0).any()))


def dice_by_volume(name: str, patients: Patients, place: int, theme: Theme) -> go.Figure:
    """Dice over the true volume on a log axis; a truth without the structure stands apart at "none"."""
    fig = figure(theme, f"Does Dice depend on the size of {name}?", 300, hovermode="closest")
    axis = volume_axis(patients.truth_ml)
    _points(
        fig,
        patients,
        axis.places(patients.truth_ml),
        patients.dice,
        SYMBOLS[place % 2],
        faded(colour(place, theme), 0.75),
        name,
    )
    fig.update_xaxes(title_text=f"true volume of {safe(name)}, mL", **axis.layout())
    return fig.update_yaxes(title_text="Dice ↑", range=[-0.04, 1.04], **DICE_TICKS)


def volumes(name: str, patients: Patients, place: int, theme: Theme) -> go.Figure:
    """Predicted over true volume, both on log axes; the line is equality."""
    fig = figure(theme, f"Is the volume of {name} right?", 300, hovermode="closest")
    axis = volume_axis(patients.truth_ml, patients.predicted_ml)
    ends = [axis.lowest, axis.layout()["range"][1]]
    fig.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name="equal",
    )
    where = axis.places(patients.truth_ml), axis.places(patients.predicted_ml)
    _points(fig, patients, *where, SYMBOLS[place % 2], faded(colour(place, theme), 0.75), name)
    fig.update_xaxes(title_text=f"true volume of {safe(name)}, mL", **axis.layout())
    return fig.update_yaxes(title_text="predicted volume, mL", **axis.layout())
