"""Nuclei as shapes: how large, how long and how smooth those of each class are, and the outline of one of
them."""

from dataclasses import dataclass

import numpy as np
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.ops import unary_union

VERTICES = 40
SMALLEST_RADIUS = 4.0  # px


@dataclass(frozen=True)
class Kind:
    """radius: mean and standard deviation of the radius of a circle of the same area, px; near the medians of
    PUMA's public annotations.

    length: lowest and highest ratio of the axes. rough: how far the outline strays from an ellipse. Of the
    drawing: dark, the amount of haematoxylin; clumps, how uneven it is; membrane, how much darker the rim is;
    pink, the amount of eosin that shines through.
    """

    radius: tuple[float, float]
    length: tuple[float, float]
    rough: float
    dark: float
    clumps: float
    membrane: float
    pink: float


KINDS = {
    "tumor": Kind((12.9, 2.9), (1.05, 1.70), 0.060, 0.62, 0.42, 0.55, 0.22),
    "lymphocytes": Kind((9.6, 1.0), (1.02, 1.35), 0.035, 1.15, 0.24, 0.12, 0.10),
    "plasma_cells": Kind((10.8, 1.1), (1.02, 1.30), 0.030, 1.00, 0.45, 0.25, 0.12),
    "histiocytes": Kind((11.6, 2.0), (1.20, 1.90), 0.060, 0.50, 0.26, 0.40, 0.20),
    "melanophages": Kind((11.0, 1.7), (1.05, 1.60), 0.050, 0.70, 0.35, 0.35, 0.20),
    "neutrophils": Kind((9.0, 0.8), (1.00, 1.25), 0.050, 1.55, 0.15, 0.05, 0.10),
    "stromal_cells": Kind((9.8, 1.9), (1.90, 3.80), 0.050, 0.88, 0.24, 0.22, 0.18),
    "epithelium": Kind((12.6, 1.8), (1.05, 1.70), 0.040, 0.74, 0.28, 0.40, 0.25),
    "endothelium": Kind((10.8, 1.6), (1.70, 3.00), 0.045, 0.98, 0.22, 0.20, 0.15),
    "apoptotic_cells": Kind((7.2, 1.7), (1.00, 1.40), 0.090, 1.55, 0.06, 0.00, 0.35),
}
CLASSES = tuple(KINDS)
BENT = ("stromal_cells", "endothelium")


@dataclass(frozen=True)
class Nucleus:
    """kind: its class. centre: of the body, px. radius: of a circle of about the same area, px. turn: of the
    long axis, radians.

    parts: closed curves, each vertices x 2 in px without the first one repeated: one for most, the lobes of
    neutrophils, what is left of dying cells, the main one first.
    """

    kind: str
    centre: tuple[float, float]
    radius: float
    length: float
    turn: float
    parts: tuple[np.ndarray, ...]


def _curve(
    random: np.random.Generator, radius: float, length: float, rough: float, notch: float = 0, bend: float = 0
) -> np.ndarray:
    """An ellipse with waves of a few periods, vertices x 2 around (0, 0). notch: depth of a bay in one long
    side, share of the radius. bend: curvature of the long axis, 1 / px.
    """
    angles = np.linspace(0, 2 * np.pi, VERTICES, endpoint=False)
    reach = np.ones(VERTICES)
    for period in range(2, 7):
        reach += (
            rough
            * random.normal()
            / (period - 1) ** 0.5
            * np.cos(period * angles + random.uniform(0, 2 * np.pi))
        )
    away = np.angle(np.exp(1j * (angles - np.pi / 2)))
    reach *= 1 - notch * np.exp(-((away / 0.55) ** 2))
    x, y = radius * reach * np.cos(angles) * length**0.5, radius * reach * np.sin(angles) / length**0.5
    return np.stack([x, y + bend * x**2], 1)


def _placed(curve: np.ndarray, centre: tuple[float, float], turn: float) -> np.ndarray:
    c, s = np.cos(turn), np.sin(turn)
    return curve @ np.array([[c, s], [-s, c]]) + centre


def _lobes(random: np.random.Generator, radius: float, rough: float) -> list[np.ndarray]:
    """Two to four lobes in a curved row around (0, 0)."""
    count = int(random.choice((2, 3, 3, 4)))
    small = radius * {2: 0.74, 3: 0.63, 4: 0.56}[count]
    angles = np.linspace(-1, 1, count) * random.uniform(0.5, 0.75) * count / 2
    bow = radius * random.uniform(0.75, 1.1)
    places = np.stack([bow * np.sin(angles), bow * (1 - np.cos(angles))], 1)
    # Lobes hang together by threads that are often out of sight.
    step = np.hypot(*np.diff(places, axis=0).T).mean()
    places = (places - places.mean(0)) * random.uniform(1.2, 2.05) * small / step
    curves = [_curve(random, small * random.uniform(0.9, 1.1), random.uniform(1, 1.4), rough) for _ in places]
    return [
        _placed(curve, tuple(place), random.uniform(0, np.pi))
        for curve, place in zip(curves, places, strict=True)
    ]


def shape(
    random: np.random.Generator,
    kind: str,
    centre: tuple[float, float],
    radius: float,
    length: float,
    turn: float,
) -> Nucleus:
    """A nucleus of that class and size."""
    rough = KINDS[kind].rough
    if kind == "neutrophils":
        curves = [_placed(lobe, centre, turn) for lobe in _lobes(random, radius, rough)]
        return Nucleus(kind, centre, radius, length, turn, tuple(curves))
    notch = random.uniform(0.1, 0.4) if kind == "histiocytes" else 0.0
    bend = random.uniform(-0.012, 0.012) if kind in BENT else 0.0
    curves = [_placed(_curve(random, radius, length, rough, notch, bend), centre, turn)]
    if kind == "apoptotic_cells":
        for _ in range(int(random.integers(0, 4))):
            angle, far, small = (
                random.uniform(0, 2 * np.pi),
                radius * random.uniform(1.3, 1.8),
                radius * random.uniform(0.2, 0.45),
            )
            place = centre[0] + far * np.cos(angle), centre[1] + far * np.sin(angle)
            curves.append(_placed(_curve(random, small, 1, rough / 2), place, 0))
    return Nucleus(kind, centre, radius, length, turn, tuple(curves))


def annotated(nucleus: Nucleus, side: float) -> Polygon | MultiPolygon:
    """What an annotator draws: the main part, or all lobes of a neutrophil, cut off at the edge of a tile of
    side x side px."""
    parts = nucleus.parts if nucleus.kind == "neutrophils" else nucleus.parts[:1]
    return unary_union([Polygon(part).buffer(0) for part in parts]).intersection(box(0, 0, side, side))
