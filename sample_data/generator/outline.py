"""Where the lesion is: an irregular closed shape as a signed distance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sample_data.generator.canvas import Canvas, smoothstep

MOST_ECCENTRIC = 0.32  # difference of the axes as a share of their mean


def blob(
    canvas: Canvas, centre: tuple[float, float], radius: float, irregularity: float, warp: float
) -> np.ndarray:
    """Height x width: about the signed distance (px) to the edge of an irregular blob, negative inside.

    centre: (column, row) in px. irregularity: size of the edge's waves as a share of the radius. warp: px by
    which the plane is bent first.
    """
    angle, eccentricity = canvas.uniform(0, np.pi), canvas.uniform(0, MOST_ECCENTRIC)
    across, down = canvas.columns - centre[0], canvas.rows - centre[1]
    if warp:
        across, down = across + canvas.noise(2.0, 1, 14) * warp, down + canvas.noise(2.0, 1, 14) * warp
    along = (across * np.cos(angle) + down * np.sin(angle)) * (1 - eccentricity / 2)
    aside = (-across * np.sin(angle) + down * np.cos(angle)) * (1 + eccentricity / 2)
    bearing = np.arctan2(aside, along)
    reach = np.ones_like(bearing)
    for waves in range(2, 8):
        reach += (
            irregularity
            * canvas.random.normal()
            / waves**0.8
            * np.cos(waves * bearing + canvas.uniform(0, 2 * np.pi))
        )
    return (np.hypot(along, aside) - radius * np.clip(reach, 0.35, 1.8)).astype(np.float32)


def cluster(
    canvas: Canvas, centre: tuple[float, float], radius: float, parts: int, irregularity: float, warp: float
) -> np.ndarray:
    """Several blobs that touch or lie near each other, as one signed distance (px)."""
    distances = []
    for _ in range(parts):
        away, bearing = radius * canvas.uniform(0.2, 0.8), canvas.uniform(0, 2 * np.pi)
        place = centre[0] + away * np.cos(bearing), centre[1] + away * np.sin(bearing)
        distances.append(blob(canvas, place, radius * canvas.uniform(0.3, 0.62), irregularity, warp))
    return np.minimum.reduce(distances)


@dataclass(frozen=True)
class Outline:
    """One lesion's shape. distance: signed px, negative inside. centre: (column, row) px. edge: px over which
    it fades into the skin."""

    distance: np.ndarray
    centre: tuple[float, float]
    radius: float
    edge: float

    @property
    def inside(self) -> np.ndarray:
        """The lesion's mask, boolean, height x width."""
        return self.distance < 0

    @cached_property
    def cover(self) -> np.ndarray:
        """1 inside, 0 outside, soft at the edge."""
        return smoothstep(self.edge, -self.edge, self.distance)

    @cached_property
    def core(self) -> np.ndarray:
        """0 at the edge, 1 from three quarters of the radius inwards."""
        return self.depth(0, 0.75)

    @cached_property
    def rim(self) -> np.ndarray:
        """A band just inside the edge."""
        band = self.radius * 0.16
        return self.cover * np.exp(-(((self.distance + band) / band) ** 2))

    def depth(self, start: float, stop: float) -> np.ndarray:
        """Grows from 0 to 1 between two depths, both as shares of the radius (negative: outside the edge)."""
        return smoothstep(-start * self.radius, -stop * self.radius, self.distance)
