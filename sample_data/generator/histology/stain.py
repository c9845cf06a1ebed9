"""From amounts of dye and pigment to colours: light is weakened by each of them (Beer and Lambert)."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from sample_data.generator.canvas import Canvas

# Optical density of red, green and blue per unit: haematoxylin and eosin near Ruifrok and Johnston 2001, the
# pigments by eye.
HAEMATOXYLIN = (0.60, 0.71, 0.36)
EOSIN = (0.13, 0.80, 0.42)
MELANIN = (0.44, 0.70, 1.00)
BLOOD = (0.14, 0.78, 0.74)
LAMP = (0.965, 0.955, 0.960)


@dataclass
class Layers:
    """Amounts per pixel, height x width, 0 and up. cleared: share 0..1 of the tissue that is torn away or was
    never there."""

    haematoxylin: np.ndarray
    eosin: np.ndarray
    melanin: np.ndarray
    blood: np.ndarray
    cleared: np.ndarray


def _dye(canvas: Canvas, colour: tuple[float, float, float]) -> np.ndarray:
    """A dye as this laboratory's batch of it absorbs."""
    return (np.array(colour) * canvas.random.normal(1, 0.04, 3)).astype(np.float32)


def photograph(canvas: Canvas, layers: Layers) -> np.ndarray:
    """uint8, height x width x 3: the section as a slide scanner sees it, a little thicker here and thinner
    there."""
    thickness = 1 + 0.05 * canvas.noise(2.0, 0.5, 4)
    strength = {"haematoxylin": canvas.uniform(0.85, 1.20), "eosin": canvas.uniform(0.68, 1.05)}
    tissue = thickness * (1 - layers.cleared)
    density = (
        (tissue * layers.haematoxylin * strength["haematoxylin"])[..., None] * _dye(canvas, HAEMATOXYLIN)
        + (tissue * layers.eosin * strength["eosin"])[..., None] * _dye(canvas, EOSIN)
        + layers.melanin[..., None] * _dye(canvas, MELANIN)
        + layers.blood[..., None] * _dye(canvas, BLOOD)
    )
    blur = canvas.uniform(0.55, 0.95)
    light = gaussian_filter(np.exp(-np.maximum(density, 0)), (blur, blur, 0)) * np.array(LAMP, np.float32)
    # Scanners sharpen what they blurred, which is what gives nuclei their crisp edge.
    light += 0.35 * (light - gaussian_filter(light, (1.5, 1.5, 0)))
    grain = canvas.random.standard_normal(light.shape, dtype=np.float32)
    return np.rint(255 * np.clip(light + 0.009 * grain, 0, 1)).astype(np.uint8)
