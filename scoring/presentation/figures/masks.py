"""Figures of masks: Dice by patient, and volumes. Dice is 0..1, volumes are in mL; undefined numbers are not
drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Floats
from scoring.presentation.figures.canvas import FIFTHS, Canvas
from scoring.presentation.figures.number_format import decimal
from scoring.presentation.figures.plotly_figure import Properties
from scoring.presentation.figures.theme import Theme, faded, safe

SYMBOLS = ("circle", "diamond")
ROOM = 140
"""Height in pixels of the density, box and points of one structure."""
LEAST_ML = 0.01
"""Smallest volume in ml on the axis; smaller volumes are drawn at this position."""
APART = 0.35
"""A volume of 0 is drawn this far below the smallest tick, in powers of ten."""


@dataclass(frozen=True)
class Patients:
    """Results of all patients for one structure.

    Attributes:
        dice: [n] Dice of each patient, 0..1.
        truth_ml: [n] true volumes in mL, from 0.
        predicted_ml: [n] predicted volumes in mL, from 0.
    """

    names: Sequence[str]
    dice: Floats
    truth_ml: Floats
    predicted_ml: Floats

    def words(self) -> list[str]:
        """Return the hover text of each patient."""
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
    """Dice of all patients for one structure, for a raincloud plot. It separates patients with a Dice above
    0, patients with a Dice of 0, and patients whose two masks are empty."""

    name: str
    above: Patients
    zero: Patients
    empty: int


def colour(number: int, theme: Theme) -> str:
    """Return the colour of the structure with this number."""
    return theme.categorical[number % len(theme.categorical)]


def raincloud(clouds: Sequence[Cloud], theme: Theme) -> go.Figure:
    """Draw for each structure the density of Dice above 0, a box of its quartiles and every patient.
    Patients with a Dice of 0 are crosses apart from the others. Patients whose two masks are empty are
    only counted."""
    canvas = Canvas(
        theme,
        "How well does each patient's mask fit?",
        40 + ROOM * len(clouds),
        hovermode="closest",
        violinmode="overlay",
        boxmode="overlay",
        margin={"l": 4, "r": 12, "t": 4, "b": 4},
    )
    for number, cloud in enumerate(clouds):
        middle, tint = float(len(clouds) - 1 - number), colour(number, theme)
        _cloud(canvas, cloud, middle, tint)
        for patients, symbol, ink, name in (
            (cloud.above, SYMBOLS[number % 2], faded(tint, 0.75), cloud.name),
            (cloud.zero, "x-thin", theme.risk["malignant"], f"{cloud.name}, Dice 0"),
        ):
            where = patients.dice, _scattered(patients.dice, middle)
            _points(canvas, patients, where, symbol, ink, name)
        title = (
            f"<b>{safe(cloud.name)}</b>  {len(cloud.above.dice)} above 0,  "
            f"<b>{len(cloud.zero.dice)}</b> at 0 ✕,  {cloud.empty} empty in both"
        )
        canvas.write(0, middle + 0.5, title, theme.ink, xanchor="left", yanchor="top", xshift=-2)
    canvas.x_axis("Dice of a patient ↑", range=[-0.02, 1.02], **FIFTHS)
    canvas.y_axis(visible=False, range=[-0.5, len(clouds) - 0.45])
    return canvas.figure()


def _cloud(canvas: Canvas, cloud: Cloud, middle: float, tint: str) -> None:
    if len(cloud.above.dice) < 2:
        return
    canvas.trace(
        "violin",
        x=cloud.above.dice,
        y0=middle,
        orientation="h",
        side="positive",
        width=0.75,
        points=False,
        spanmode="hard",
        scalemode="width",
        line={"color": tint, "width": 1.5},
        fillcolor=faded(tint, 0.25),
        name=f"{cloud.name} density",
    )
    canvas.trace(
        "box",
        x=cloud.above.dice,
        y0=middle - 0.08,
        orientation="h",
        width=0.1,
        boxpoints=False,
        line={"color": canvas.theme.ink, "width": 1.5},
        fillcolor=canvas.theme.paper,
        name=f"{cloud.name} quartiles",
    )


def _scattered(dice: Floats, middle: float) -> Floats:
    """Heights of points below their cloud: the same for the same patients, and neighbours apart."""
    steps = np.arange(len(dice)) * 0.618034 % 1
    return middle - 0.18 - 0.24 * steps


def _points(
    canvas: Canvas, patients: Patients, where: tuple[Floats, Floats], symbol: str, tint: str, name: str
) -> None:
    """where: x and y [n] of the patients."""
    thin = symbol.endswith("thin")
    canvas.trace(
        "scatter",
        x=where[0],
        y=where[1],
        mode="markers",
        hovertext=patients.words(),
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
    """A log10(mL) axis that begins at a power of ten below the smallest volume.

    Attributes:
        lowest: Log10 of the smallest volume.
        largest: Log10 of the largest volume.
        has_nothing: Whether some volumes are 0; such volumes have their own position below all others.
    """

    lowest: float
    largest: float
    has_nothing: bool

    @property
    def nothing(self) -> float:
        """Position of a volume of 0."""
        return self.lowest - APART

    def places(self, volumes: Floats) -> Floats:
        """Return the positions of volumes (mL) on the axis."""
        logarithms = np.log10(np.maximum(volumes, 10.0**self.lowest))
        return np.where(np.asarray(volumes) > 0, logarithms, self.nothing)

    def layout(self) -> Properties:
        """Return the range and ticks of the axis."""
        powers = np.arange(self.lowest, self.largest + 1e-9)
        start = self.nothing - 0.15 if self.has_nothing else self.lowest - 0.1
        return {
            "tickvals": [self.nothing] * self.has_nothing + powers.tolist(),
            "ticktext": ["none"] * self.has_nothing + [f"{10.0**power:g}" for power in powers],
            "range": [start, max(self.largest, self.lowest + 1) + 0.1],
        }


def volume_axis(*volumes: Floats) -> VolumeAxis:
    """Return an axis that contains all given volumes in mL."""
    every = np.concatenate([np.asarray(v, float) for v in volumes]) if volumes else np.zeros(0)
    some = every[every > 0]
    lowest = np.floor(np.log10(max(some.min(), LEAST_ML))) if len(some) else 0.0
    largest = np.log10(max(some.max(), LEAST_ML)) if len(some) else 1.0
    return VolumeAxis(float(lowest), float(largest), bool((every == 0).any()))


def dice_by_volume(name: str, patients: Patients, number: int, theme: Theme) -> go.Figure:
    """Draw Dice against the true volume on a logarithmic axis. Patients who do not have the structure in the
    truth are at the position "none". `number` is the number of the structure, for its colour and symbol."""
    canvas = Canvas(theme, f"Does Dice depend on the size of {name}?", 300, hovermode="closest")
    axis = volume_axis(patients.truth_ml)
    where = axis.places(patients.truth_ml), patients.dice
    _points(canvas, patients, where, SYMBOLS[number % 2], faded(colour(number, theme), 0.75), name)
    canvas.x_axis(f"true volume of {safe(name)}, mL", **axis.layout())
    canvas.y_axis("Dice ↑", range=[-0.04, 1.04], **FIFTHS)
    return canvas.figure()


def volumes(name: str, patients: Patients, number: int, theme: Theme) -> go.Figure:
    """Draw predicted against true volumes on logarithmic axes, with the diagonal of equality. Arguments are
    those of `dice_by_volume`."""
    canvas = Canvas(theme, f"Is the volume of {name} right?", 300, hovermode="closest")
    axis = volume_axis(patients.truth_ml, patients.predicted_ml)
    ends = [axis.lowest, axis.layout()["range"][1]]
    canvas.reference(ends, ends, "equal")
    where = axis.places(patients.truth_ml), axis.places(patients.predicted_ml)
    _points(canvas, patients, where, SYMBOLS[number % 2], faded(colour(number, theme), 0.75), name)
    canvas.x_axis(f"true volume of {safe(name)}, mL", **axis.layout())
    canvas.y_axis("predicted volume, mL", **axis.layout())
    return canvas.figure()
