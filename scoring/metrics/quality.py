"""What can be measured of a picture before a model sees it: sharpness, exposure, and whether its colours are
those of skin or of H&E.

Measured on a copy whose shorter side has 512 px (`models.intake.small`), because sharpness depends on the
size; a black round frame (field stop) is left out. The limits that go with these numbers were found on drawn
lesions and a few free photographs (see `scoring.single_image.quality`).
"""

from dataclasses import dataclass

import numpy as np
import scipy

EVERY = 2
"""Colours are counted on every second pixel each way."""
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


def quality(small: np.ndarray, short_side: int) -> Quality:
    """Measure a picture, uint8 (height, width, 3), of which `small` is the copy of 512 px, and `short_side`
    px the true size."""
    luma = small @ LUMA
    stop = field_stop(luma)
    seen = (
        ~scipy.ndimage.binary_dilation(stop, iterations=FIELD_STOP_RIM) if stop.any() else np.ones_like(stop)
    )
    if seen.mean() < LEAST_SEEN:
        seen = np.ones_like(stop)
    sharpness = float(scipy.ndimage.laplace(scipy.ndimage.gaussian_filter(luma, 1.0))[seen].var())
    colours = small[::EVERY, ::EVERY][seen[::EVERY, ::EVERY]].astype(np.float32).T
    light, dullest = LUMA @ colours, colours.min(0)
    white, stained, density = tissue(colours[:, dullest <= WHITE_CHANNEL], len(light))
    return Quality(
        short_side,
        sharpness,
        1000 * sharpness / (float(luma[seen].var()) + 1e-6),
        float(light.mean()),
        float((light < DARK_LUMA).mean()),
        float((dullest > BRIGHT_CHANNEL).mean()),
        float(skin(colours, light).mean()),
        float(stop.mean()),
        white,
        stained,
        density,
    )


def field_stop(luma: np.ndarray) -> np.ndarray:
    """Where a dark region touches the edge of luma [h, w], bool."""
    labels, count = scipy.ndimage.label(luma <= FIELD_STOP_LUMA)
    if not count:
        return np.zeros(luma.shape, bool)
    touching = np.zeros(count + 1, bool)
    touching[np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])] = True
    touching[0] = False
    return touching[labels]


def skin(colours: np.ndarray, luma: np.ndarray) -> np.ndarray:
    """Which colours [3, n] lie where skin of any tone lies in Cb and Cr, bool [n]. Much else does, too: a
    ginger cat, for one."""
    red, green, blue = colours
    cb = 128 - 0.168736 * red - 0.331264 * green + 0.5 * blue
    cr = 128 + 0.5 * red - 0.418688 * green - 0.081312 * blue
    return (cr > SKIN_CR[0]) & (cr < SKIN_CR[1]) & (cb > SKIN_CB[0]) & (cb < SKIN_CB[1]) & (luma > SKIN_LUMA)


def tissue(colours: np.ndarray, total: int) -> tuple[float, float, float]:
    """Of `total` px those are white that are not among colours [3, n]: their share. Of the others the share
    that absorbs green most and blue not much more than red, as haematoxylin and eosin do, and their mean
    optical density; both 0 without any."""
    if not colours.size:
        return 1.0, 0.0, 0.0
    red, green, blue = density = -np.log10(np.maximum(colours, 1) / 255)
    stained = (
        (green > red) & (green > blue) & (blue < 1.15 * red + 0.6 * (green - red)) & (green > STAINED_DENSITY)
    )
    return 1 - colours.shape[1] / total, float(stained.mean()), float(density.mean())
