"""What lies where before there is a nucleus: tumour, epidermis, connective tissue, inflammation, vessels."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates, zoom

from sample_data.generator.canvas import Canvas, smoothstep

FIBRE_STEPS = 36  # px each way along which a fibre is followed, at half resolution


@dataclass(frozen=True)
class Setting:
    """What kind of place is drawn. nuclei: about how many there is room for. The others are shares or
    strengths, 0..1.

    epidermis: whether skin's surface is in view. tumour: of the area below it. spindle: whether tumour cells
    are long rather than round. plasma, neutrophils: of the cells in inflamed tissue. pigment: melanophages,
    and brown dust in tumour cells. apoptosis: dying cells. vessels: their number.
    """

    nuclei: int
    epidermis: bool
    tumour: float
    inflammation: float
    plasma: float = 0.1
    neutrophils: float = 0.0
    pigment: float = 0.1
    apoptosis: float = 0.02
    spindle: float = 0.2
    vessels: int = 3


@dataclass(frozen=True)
class Vessel:
    """An ellipse: centre and half axes in px, turn in radians."""

    centre: tuple[float, float]
    axes: tuple[float, float]
    turn: float

    def at(self, angle: float) -> tuple[float, float, float]:
        """x, y and direction (radians) of the wall at an angle around the vessel."""
        across, down = self.axes[0] * np.cos(angle), self.axes[1] * np.sin(angle)
        along, aside = -self.axes[0] * np.sin(angle), self.axes[1] * np.cos(angle)
        c, s = np.cos(self.turn), np.sin(self.turn)
        x, y = self.centre
        return (
            x + across * c - down * s,
            y + across * s + down * c,
            float(np.arctan2(along * s + aside * c, along * c - aside * s)),
        )

    def distance(self, canvas: Canvas) -> np.ndarray:
        """About how many px each pixel is outside (negative: inside) the wall, height x width."""
        x, y = canvas.columns - self.centre[0], canvas.rows - self.centre[1]
        c, s = np.cos(self.turn), np.sin(self.turn)
        reach = np.hypot((x * c + y * s) / self.axes[0], (y * c - x * s) / self.axes[1])
        return (reach - 1) * min(self.axes)


@dataclass(frozen=True)
class Tissue:
    """Arrays of height x width. Shares 0..1: tumour, epidermis, horn, inflamed, lumen, cleft. basal: nearness
    to the border under the epidermis, 0..1. fibres: bundles of collagen, mean 0 and deviation 1. direction:
    of the fibres, radians.
    """

    tumour: np.ndarray
    epidermis: np.ndarray
    horn: np.ndarray
    basal: np.ndarray
    inflamed: np.ndarray
    lumen: np.ndarray
    cleft: np.ndarray
    fibres: np.ndarray
    direction: np.ndarray
    vessels: tuple[Vessel, ...]

    @property
    def stroma(self) -> np.ndarray:
        return (1 - self.tumour) * (1 - self.epidermis)


def followed(canvas: Canvas, direction: np.ndarray, grain: np.ndarray) -> np.ndarray:
    """`grain` smeared along `direction` (both height x width): a line integral, which makes threads of noise.
    Mean 0, deviation 1."""
    angle, source = direction[::2, ::2], grain[::2, ::2]
    step_rows, step_columns = np.sin(angle), np.cos(angle)
    total = source.copy()
    for sign in (1, -1):
        rows, columns = np.mgrid[0 : source.shape[0], 0 : source.shape[1]].astype(np.float32)
        for _ in range(FIBRE_STEPS):
            here = (
                np.clip(rows, 0, source.shape[0] - 1).astype(np.intp),
                np.clip(columns, 0, source.shape[1] - 1).astype(np.intp),
            )
            total += source[here]
            rows += sign * step_rows[here]
            columns += sign * step_columns[here]
    smeared = zoom(total, 2, order=1)[: canvas.height, : canvas.width]
    return ((smeared - smeared.mean()) / smeared.std()).astype(np.float32)


def _profile(canvas: Canvas, falloff: float, lowest: float, highest: float) -> np.ndarray:
    """A wavy line over the width: 1 x width, mean 0 and deviation 1."""
    line = canvas.noise(falloff, lowest, highest)[:1]
    return (line - line.mean()) / (line.std() + 1e-9)


def _surface(canvas: Canvas) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Epidermis with its pegs, the horny layer on it, and the signed distance (px, about) below its lower
    border."""
    top = canvas.uniform(25, 60) + 7 * _profile(canvas, 1.8, 0.5, 12)
    pegs = np.maximum(_profile(canvas, 1.2, 2, 6), -0.6) * canvas.uniform(28, 46)
    bend = 9 * canvas.noise(2.0, 2, 14)
    below = canvas.rows + bend - (top + canvas.uniform(110, 190) + pegs)
    horn = smoothstep(6, -6, canvas.rows + 0.4 * bend - top)
    return smoothstep(7, -7, below), horn, below


def _vessels(canvas: Canvas, setting: Setting, allowed: np.ndarray) -> tuple[Vessel, ...]:
    centres = canvas.points(setting.vessels, gaussian_filter(allowed, 12) ** 4)
    return tuple(
        Vessel(
            (float(x), float(y)), (canvas.uniform(20, 52), canvas.uniform(10, 26)), canvas.uniform(0, np.pi)
        )
        for x, y in centres
    )


def lay(canvas: Canvas, setting: Setting) -> Tissue:
    """The tissue of a setting."""
    field = canvas.noise(2.2, 0.5, 4) + 0.30 * canvas.noise(1.6, 3, 14)
    height = np.quantile(field, 1 - setting.tumour) if setting.tumour else np.inf
    tumour = smoothstep(-0.10, 0.10, field - height)
    epidermis, horn, basal = canvas.blank(), canvas.blank(), canvas.blank()
    if setting.epidermis:
        epidermis, horn, below = _surface(canvas)
        tumour = tumour * (1 - epidermis) * smoothstep(0, 60, below + 26 * canvas.noise(1.8, 2, 20))
        basal = epidermis * smoothstep(-34, -8, below)
    inflamed = (
        smoothstep(0.2, 1.0, canvas.noise(2.0, 0.7, 5) + 2.2 * setting.inflammation - 1.1)
        * (1 - epidermis)
        * (1 - 0.8 * tumour)
    )
    direction = canvas.uniform(0, np.pi) + 0.9 * canvas.noise(2.3, 0.5, 3) + 0.28 * canvas.noise(1.4, 4, 18)
    bundles = followed(
        canvas, direction, gaussian_filter(canvas.random.standard_normal(canvas.shape, dtype=np.float32), 3.2)
    )
    threads = followed(
        canvas, direction, gaussian_filter(canvas.random.standard_normal(canvas.shape, dtype=np.float32), 1.2)
    )
    fibres = (0.85 * bundles + 0.45 * threads).astype(np.float32)
    vessels = _vessels(canvas, setting, (1 - tumour) * (1 - epidermis))
    wobble, lumen = 2.6 * canvas.noise(1.8, 4, 30), canvas.blank()
    for vessel in vessels:
        lumen = np.maximum(lumen, smoothstep(1.5, -1.5, vessel.distance(canvas) + 4 + wobble))
    # Tissue shrinks when it is fixed: nests come loose from the stroma here and there, and bundles of
    # collagen part.
    torn = smoothstep(0.7, 1.9, canvas.noise(1.8, 1, 12))
    edge = np.exp(-(((field - height) / (0.02 + 0.05 * torn)) ** 2)) if setting.tumour else canvas.blank()
    loose = edge * torn * (1 - epidermis) * (1 - smoothstep(0.0, 0.2, basal))
    parted = smoothstep(1.25, 2.1, -bundles + 0.5 * canvas.noise(1.6, 2, 20)) * (1 - tumour) * (1 - epidermis)
    cleft = np.clip(0.85 * loose + 0.75 * parted, 0, 1)
    return Tissue(tumour, epidermis, horn, basal, inflamed, lumen, cleft, fibres, direction, vessels)


def sampled(values: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`values` (height x width) at positions in px, the nearest pixel's."""
    return map_coordinates(values, [np.asarray(y) - 0.5, np.asarray(x) - 0.5], order=0, mode="nearest")
