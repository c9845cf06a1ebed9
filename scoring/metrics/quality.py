"""What can be measured of a picture before a model sees it: sharpness, exposure, and whether its colours are those of skin or of H&E.

Measured on a copy whose shorter side has 512 px, because sharpness depends on the size; a black round frame (field stop) is left out.
The limits that go with these numbers were found on drawn lesions and a few free photographs (see `scoring.single.quality`).
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy import ndimage

SIDE = 512
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
FIELD_STOP_LUMA, FIELD_STOP_RIM, LEAST_SEEN = 24, 8, 0.2
DARK_LUMA, BRIGHT_CHANNEL = 20, 248
SKIN_CR, SKIN_CB, SKIN_LUMA = (133, 185), (70, 132), 30
WHITE_CHANNEL = 225
STAINED_DENSITY = 0.15


@dataclass(frozen=True)
class Quality:
    """short_side: px of the picture itself. Shares are 0..1 of what lies within the field stop.

    sharpness: variance of the Laplacian of the smoothed luma. relative_sharpness: the same per contrast, x 1000. brightness: mean luma
    0..255. dark, bright: shares of under- and overexposed pixels. skin: share with the colour of skin. field_stop: share of the picture
    that is a black frame. white: share without tissue on a tile. stained: share of the rest whose colours are those of haematoxylin and
    eosin. density: mean optical density of the rest.
    """

    short_side: int
    sharpness: float
    relative_sharpness: float
    brightness: float
    dark: float
    bright: float
    skin: float
    field_stop: float
    white: float
    stained: float
    density: float


def quality(pixels: np.ndarray) -> Quality:
    """Measure a picture, uint8 (height, width, 3)."""
    small = reduced(pixels).astype(np.float32)
    luma = small @ LUMA
    stop = field_stop(luma)
    seen = ~ndimage.binary_dilation(stop, iterations=FIELD_STOP_RIM) if stop.any() else np.ones_like(stop)
    if seen.mean() < LEAST_SEEN:
        seen = np.ones_like(stop)
    sharpness = float(ndimage.laplace(ndimage.gaussian_filter(luma, 1.0))[seen].var())
    white, stained, density = tissue(small[seen])
    return Quality(
        min(pixels.shape[:2]),
        sharpness,
        1000 * sharpness / (float(luma[seen].var()) + 1e-6),
        float(luma[seen].mean()),
        float((luma[seen] < DARK_LUMA).mean()),
        float((small[seen].min(1) > BRIGHT_CHANNEL).mean()),
        float(skin(small[seen], luma[seen]).mean()),
        float(stop.mean()),
        white,
        stained,
        density,
    )


def reduced(pixels: np.ndarray, side: int = SIDE) -> np.ndarray:
    """The picture with `side` px on its shorter side, enlarged if need be; the longer side is at most eight times that."""
    height, width = pixels.shape[:2]
    scale = side / min(height, width)
    size = tuple(max(1, min(8 * side, round(length * scale))) for length in (width, height))
    if size == (width, height):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS, reducing_gap=1.2))


def field_stop(luma: np.ndarray) -> np.ndarray:
    """Where a dark region touches the edge of luma [h, w], bool."""
    labels, count = ndimage.label(luma <= FIELD_STOP_LUMA)
    if not count:
        return np.zeros(luma.shape, bool)
    touching = np.zeros(count + 1, bool)
    touching[np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])] = True
    touching[0] = False
    return touching[labels]


def skin(colours: np.ndarray, luma: np.ndarray) -> np.ndarray:
    """Which colours [n, 3] lie where skin of any tone lies in Cb and Cr, bool [n]. Much else does, too: a ginger cat, for one."""
    red, green, blue = colours.T
    cb = 128 - 0.168736 * red - 0.331264 * green + 0.5 * blue
    cr = 128 + 0.5 * red - 0.418688 * green - 0.081312 * blue
    return (cr > SKIN_CR[0]) & (cr < SKIN_CR[1]) & (cb > SKIN_CB[0]) & (cb < SKIN_CB[1]) & (luma > SKIN_LUMA)


def tissue(colours: np.ndarray) -> tuple[float, float, float]:
    """Share of white among colours [n, 3]; of the others the share that absorbs green most, red less and blue not least as haematoxylin
    and eosin do, and their mean optical density. NaN-free: without any other colour both are 0."""
    white = colours.min(1) > WHITE_CHANNEL
    density = -np.log10(np.maximum(colours[~white], 1) / 255)
    if not len(density):
        return 1.0, 0.0, 0.0
    red, green, blue = density.T
    stained = (green > red) & (green > blue) & (blue < 1.15 * red + 0.6 * (green - red)) & (green > STAINED_DENSITY)
    return float(white.mean()), float(stained.mean()), float(density.mean())
