"""What colour skin has: light weakened by melanin and blood (Beer and Lambert), and keratin that scatters it
back."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from sample_data.generator.canvas import Canvas

# Per unit of each absorber, for red, green and blue: chosen by eye so that products of them look like
# dermoscopy.
MELANIN = np.array([0.42, 0.80, 1.22], np.float32)
DEEP_MELANIN = 0.85 * np.array([1.15, 0.92, 0.62], np.float32)
BLOOD = 0.62 * np.array([0.10, 1.00, 0.80], np.float32)
DERMIS = np.array([1.00, 0.87, 0.78], np.float32)  # without blood and melanin, under white light
VEIL = 0.055 * np.array(
    [0.55, 0.75, 1.00], np.float32
)  # short waves scattered back above deep melanin: the blue of a blue nevus

# Melanin of skin tones 0 (very dark) to 5 (very light), and how often each is drawn: fair skin prevails in
# dermoscopy archives.
TONE_MELANIN = (1.25, 0.85, 0.52, 0.30, 0.17, 0.10)
TONE_SHARES = (0.03, 0.06, 0.13, 0.24, 0.34, 0.20)


@dataclass
class Skin:
    """Amounts at each pixel, height x width: melanin, deep melanin, blood (all >= 0), keratin (share of light
    it scatters, 0..1).

    Drawn in place, layer on layer. keratin_colour: three numbers in 0..1. tone: melanin of the bare skin.
    """

    melanin: np.ndarray
    deep: np.ndarray
    blood: np.ndarray
    keratin: np.ndarray
    keratin_colour: tuple[float, float, float]
    tone: float


def soften(canvas: Canvas, skin: Skin) -> Skin:
    """Amounts within the range of real skin, blurred as light that wanders sideways in tissue blurs them."""
    grain = canvas.noise(0.6, 40, 256)
    spread = canvas.uniform(0.35, 1.0)
    return Skin(
        melanin=gaussian_filter(np.clip(skin.melanin * (1 + 0.045 * grain), 0, 4.2), spread),
        deep=gaussian_filter(np.clip(skin.deep, 0, 2.6), 3),
        blood=gaussian_filter(np.clip(skin.blood * (1 + 0.04 * grain), 0, 3.2), spread * 1.4),
        keratin=np.clip(skin.keratin, 0, 0.95),
        keratin_colour=skin.keratin_colour,
        tone=skin.tone,
    )


def render(skin: Skin) -> np.ndarray:
    """Height x width x 3, float32, about 0..1: the skin under even white light."""
    melanin, deep, blood, keratin = (
        layer[..., None] for layer in (skin.melanin, skin.deep, skin.blood, skin.keratin)
    )
    transmitted = DERMIS * np.exp(-(melanin * MELANIN + deep * DEEP_MELANIN + blood * BLOOD)) + deep * VEIL
    scattered = np.asarray(skin.keratin_colour, np.float32) * (1 - 0.35 * min(skin.tone, 1))
    return (transmitted * (1 - keratin) + scattered * keratin).astype(np.float32)
