"""Appearance of an image as a few numbers: how its colours and its texture are distributed.

They tell a photograph of skin from fur, text or a screen; they say nothing about a lesion.
"""

from itertools import pairwise

import numpy as np
import scipy
from PIL import Image

from scoring.common.arrays import Floats, Numbers

SIDE = 128
"""Pixels of the shorter side on which appearance is measured."""
LONGEST = 4 * SIDE
"""Pixels of the longer side; a longer strip is squeezed, for it would take seconds."""
OPPONENT = np.array([[0.299, 0.587, 0.114], [0.5, -0.419, -0.081], [-0.169, -0.331, 0.5]], np.float32)
"""Luma, red against green, blue against yellow."""
SCALES = ((0.7, 1.4, 2.8, 5.6, 11.0), (1.4, 5.6), (1.4, 5.6))
"""Widths of the smoothing between bands of texture, px, for luma and both chromas."""
FAINTEST = 0.3
CENTRE, RIM = 0.2, 0.38
FEATURES = 28


def appearance(small: Numbers) -> Floats:
    """Measure the appearance of an image.

    Args:
        small: RGB uint8 [height, width, 3].

    Returns:
        Numbers [28]: of luma and both chromas the 5, 50 and 95 % quantiles and the deviation; logarithms of
        the strength of their texture, band by band; centre less rim; how far edges share one direction.
    """
    height, width = small.shape[:2]
    scale = SIDE / min(height, width)
    size = min(round(width * scale), LONGEST), min(round(height * scale), LONGEST)
    image = Image.fromarray(small).resize(size, Image.Resampling.BILINEAR, reducing_gap=2)
    planes = np.moveaxis(np.asarray(image, np.float32) @ OPPONENT.T, 2, 0)
    found: list[float] = []
    for plane in planes:
        found += [*np.quantile(plane, (0.05, 0.5, 0.95)), plane.std()]
    for plane, scales in zip(planes, SCALES, strict=True):
        found += _bands(plane, scales)
    return np.array([*found, *_centre_less_rim(planes), _direction(planes[0])])


def patches(small: Numbers, across: int) -> Floats:
    """Measure the appearance of the parts of an image.

    Args:
        small: RGB uint8 [height, width, 3].
        across: Parts each way.

    Returns:
        Appearance of each part [across * across, 28].
    """
    rows, columns = (np.linspace(0, length, across + 1).astype(int) for length in small.shape[:2])
    places = [(r, c) for r in range(across) for c in range(across)]
    return np.array(
        [appearance(small[rows[r] : rows[r + 1], columns[c] : columns[c + 1]]) for r, c in places]
    )


def _bands(plane: Floats, scales: tuple[float, ...]) -> list[float]:
    """Return the logarithm of the strength of each band of texture, the coarsest last."""
    smoothed = [plane, *(scipy.ndimage.gaussian_filter(plane, scale) for scale in scales)]
    bands = [fine - coarse for fine, coarse in pairwise(smoothed)]
    return [float(np.log(band.std() + FAINTEST)) for band in (*bands, smoothed[-1])]


def _centre_less_rim(planes: Floats) -> Floats:
    height, width = planes.shape[1:]
    y, x = np.mgrid[:height, :width]
    away = np.maximum(np.abs((y + 0.5) / height - 0.5), np.abs((x + 0.5) / width - 0.5))
    difference: Floats = np.median(planes[:, away < CENTRE], 1) - np.median(planes[:, away > RIM], 1)
    return difference


def _direction(luma: Floats) -> float:
    """Return how far edges share one direction, 0..1."""
    down, along = np.gradient(scipy.ndimage.gaussian_filter(luma, 1.0))
    across, crossed, upright = (along**2).mean(), (along * down).mean(), (down**2).mean()
    total = across + upright
    return float(np.hypot(across - upright, 2 * crossed) / (total + 1))
