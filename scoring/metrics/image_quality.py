"""Quality of an image before a model sees it: sharpness, exposure, colours of skin or of H&E.

Quality is measured on a copy whose shorter side has 512 px, because sharpness depends on the size. A black
round frame (field stop) is left out. The limits for these numbers come from synthetic lesions and a few free
photographs (see `scoring.single_image.quality`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import scipy
from PIL import Image

from scoring.common.arrays import Bools, Floats, Numbers

EVERY = 2
"""Step between the pixels whose colours are counted, along each axis."""
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
BLACK, FIELD_STOP_RIM, LEAST_SEEN, LEAST_FILLED = 24, 8, 0.2, 0.98
DARK_CHANNEL, BRIGHT_CHANNEL = 40, 210
"""A pixel is underexposed if no channel reaches the first value, and overexposed if all channels exceed the
second value. Skin of any tone is neither."""
SKIN_CR, SKIN_CB, SKIN_LUMA = (133, 185), (70, 132), 30
WHITE_CHANNEL = 225
STAINED_DENSITY = 0.15
LEAST_BLUE, LEAST_BROWN, LEAST_PALE, MOST_SKIN_TONE = 0.01, 0.002, 0.2, (0.05, 0.05, 0.2)
"""Minimum shares of the colours of haematoxylin and DAB, and of pale glass, in immunostained tissue; and
maximum shares of red, pink and tan, which skin has beside any brown or blue-grey."""
PALE_CHANNEL = 180
"""Every channel of pale glass exceeds this value."""
USUAL_LUMA, LEAST_LIGHT = 165.0, 10
"""Mean luma (brightness) of the sample images of skin; and a constant that is added to a luma before a
division by it."""


@dataclass(frozen=True)
class Tissue:
    """Amount of tissue and stain in a tile. `white` is the share of the tile without tissue, 0..1. `stained`
    is the share of the tissue with the colours of haematoxylin and eosin, 0..1. `immunostained` says whether
    the image has the colours of haematoxylin and DAB, and not those of skin."""

    white: float
    stained: float
    density: float
    immunostained: bool = False


@dataclass(frozen=True)
class Quality:
    """Quality of one image. Shares, 0..1, refer to the area within the field stop.

    Attributes:
        short_side: Shorter side of the original image, px.
        sharpness: Variance of the luma's Laplacian.
        relative_sharpness: Sharpness divided by the variance of the luma, x 1000.
        brightness: Mean luma, 0..255.
        dark: Share of underexposed pixels.
        bright: Share of overexposed pixels.
        skin: Share of pixels with a skin colour.
        field_stop: Share of the whole image that is a black frame.
        tissue: Tissue and stain, if the image is a tile of tissue.
        edges: Contrast of edges in the middle, see `edges_of_middle`.
    """

    short_side: int
    sharpness: float
    relative_sharpness: float
    brightness: float
    dark: float
    bright: float
    skin: float
    field_stop: float
    tissue: Tissue
    edges: float

    @property
    def sharpness_in_usual_light(self) -> float:
        """Sharpness that the image would have at the usual mean luma. With it, images in little light or of
        dark skin do not count as blurred."""
        return self.sharpness * ((USUAL_LUMA + LEAST_LIGHT) / (self.brightness + LEAST_LIGHT)) ** 2

    def as_dict(self) -> dict[str, float]:
        """Return all measurements by name."""
        values: dict[str, float] = {k: v for k, v in vars(self).items() if k != "tissue"}
        return values | vars(self.tissue)

    @staticmethod
    def of_dict(values: Mapping[str, float]) -> "Quality":
        """Restore a `Quality` from the dictionary that `as_dict` returned."""
        rest = dict(values)
        stain = bool(rest.pop("immunostained", False))  # older measurements lack it
        tissue = Tissue(rest.pop("white"), rest.pop("stained"), rest.pop("density"), stain)
        return Quality(short_side=int(rest.pop("short_side")), tissue=tissue, **rest)


def quality(small: Numbers, short_side: int) -> Quality:
    """Measure the quality of an image.

    Args:
        small: A copy of the image whose shorter side has 512 px, RGB uint8 [height, width, 3].
        short_side: Shorter side of the original image, px.
    """
    luma: Floats = small @ LUMA
    stop = field_stop(small.max(2))
    seen = (
        ~scipy.ndimage.binary_dilation(stop, iterations=FIELD_STOP_RIM) if stop.any() else np.ones_like(stop)
    )
    if seen.mean() < LEAST_SEEN:
        seen = np.ones_like(stop)
    sharpness = float(scipy.ndimage.laplace(scipy.ndimage.gaussian_filter(luma, 1.0))[seen].var())
    colours = small[::EVERY, ::EVERY][seen[::EVERY, ::EVERY]].astype(np.float32).T
    light, colours = LUMA @ colours, np.ascontiguousarray(colours)
    dullest = colours.min(0)
    return Quality(
        short_side,
        sharpness,
        1000 * sharpness / (float(luma[seen].var()) + 1e-6),
        float(light.mean()),
        float((colours.max(0) < DARK_CHANNEL).mean()),
        float((dullest > BRIGHT_CHANNEL).mean()),
        float(skin(colours, light).mean()),
        float(stop.mean()),
        replace(
            tissue(colours[:, dullest <= WHITE_CHANNEL], len(light)), immunostained=is_immunostained(colours)
        ),
        edges_of_middle(small),
    )


def field_stop(brightest: Numbers) -> Bools:
    """Find the black frame of an image: black regions that touch the edge and surround a convex area. A
    merely dark background is not convex. `brightest` is the largest channel [height, width], 0..255."""
    labels, _ = scipy.ndimage.label(brightest <= BLACK)
    edge = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    touches: Bools = np.isin(labels, edge[edge > 0])
    if not touches.any():
        return touches
    shown = ~touches
    return touches & all(shown.sum() >= LEAST_FILLED * _between(shown, axis).sum() for axis in (0, 1))


def _between(shown: Bools, axis: int) -> Bools:
    """Return what is between the first and the last pixel shown of each row or column."""
    after, before = (np.maximum.accumulate(shown[::step, ::step], axis)[::step, ::step] for step in (1, -1))
    between: Bools = after & before
    return between


def skin(colours: Floats, luma: Floats) -> Bools:
    """Find colours whose Cb and Cr are in the range of skin of any tone.

    Other things have such colours too, for example a ginger cat.

    Args:
        colours: RGB colours [3, n], 0..255.
        luma: Their luma [n], 0..255.

    Returns:
        Which colours are in the range [n].
    """
    red, green, blue = colours
    cb: Floats = 128 - 0.168736 * red - 0.331264 * green + 0.5 * blue
    cr: Floats = 128 + 0.5 * red - 0.418688 * green - 0.081312 * blue
    return (cr > SKIN_CR[0]) & (cr < SKIN_CR[1]) & (cb > SKIN_CB[0]) & (cb < SKIN_CB[1]) & (luma > SKIN_LUMA)


def tissue(colours: Floats, total: int) -> Tissue:
    """Measure the tissue of a tile and its stain.

    Args:
        colours: RGB colours of the pixels that are not white [3, n], 0..255.

    Returns:
        Share of white pixels; share of stained pixels among the others; and the mean optical density of the
        others. Stained pixels absorb green most, and blue not much more than red, as haematoxylin and eosin
        do. The last two are 0 if all pixels are white.
    """
    if not colours.size:
        return Tissue(1.0, 0.0, 0.0)
    red, green, blue = density = -np.log10(np.maximum(colours, 1) / 255)
    stained = (
        (green > red) & (green > blue) & (blue < 1.15 * red + 0.6 * (green - red)) & (green > STAINED_DENSITY)
    )
    return Tissue(1 - colours.shape[1] / total, float(stained.mean()), float(density.mean()))


def is_immunostained(colours: Floats) -> bool:
    """Return whether an image has the blue of haematoxylin, the brown of DAB and pale glass, and hardly any
    red, pink or tan. A brown or blue-grey lesion is surrounded by such skin.

    Args:
        colours: RGB colours of its pixels [3, n], 0..255.
    """
    red, green, blue = colours
    dense_red, _, dense_blue = -np.log10(np.maximum(colours, 1) / 255)
    dullest, warmth = colours.min(0), red - blue
    nuclei = (blue > red + 10) & (blue >= green) & (dense_red > 0.1)
    brown = (warmth > 20) & (green > blue + 3) & (dense_blue > 0.3) & (green - blue > 0.25 * warmth)
    tones = (
        (red > green + 25) & (green < blue + 12) & (warmth > 12),
        (red > green + 12) & (warmth > 8) & (dullest > 100) & (green <= blue + 12),
        (warmth > 25) & (dullest > 110),
    )
    is_skin = any(tone.mean() >= most for tone, most in zip(tones, MOST_SKIN_TONE, strict=True))
    is_pale = (dullest > PALE_CHANNEL).mean() > LEAST_PALE
    return bool(nuclei.mean() > LEAST_BLUE and brown.mean() > LEAST_BROWN and is_pale and not is_skin)


EDGES_SIDE, EDGES_SMOOTHED, EDGES_SHARE = 64, 1.5, 0.9
MIDDLE = 0.3
CHROMA = 4.0
"""Weight of edges in a colour channel; edges in the luma (brightness) have weight 1."""


def edges_of_middle(small: Numbers) -> float:
    """Return the contrast of edges in the middle of an image.

    The contrast is the 90 % quantile of edge strength divided by brightness, so that exposure and skin tone
    do not matter.

    Args:
        small: RGB uint8 [height, width, 3].
    """
    planes = _planes(small, EDGES_SIDE)
    luma, *chromas = (
        np.hypot(*np.gradient(scipy.ndimage.gaussian_filter(plane, EDGES_SMOOTHED))) for plane in planes
    )
    strength = luma + CHROMA * sum(chromas)
    middle = strength[_away(*strength.shape) < MIDDLE]
    return float(np.quantile(middle, EDGES_SHARE) / (np.median(planes[0]) + LEAST_LIGHT))


SIDE = 128
"""Length of the shorter side, in pixels, of the copy on which appearance is measured."""
LONGEST = 4
"""Largest ratio of the longer to the shorter side; longer images are squeezed to save time."""
OPPONENT = np.array([[0.299, 0.587, 0.114], [0.5, -0.419, -0.081], [-0.169, -0.331, 0.5]], np.float32)
"""Three colour channels: luma, red against green, blue against yellow."""
SCALES = ((0.7, 1.4, 2.8, 5.6, 11.0), (1.4, 5.6), (1.4, 5.6))
"""Widths in px of the smoothing filters that separate bands of texture, for luma and for both colour
channels."""
FAINTEST = 0.3
CENTRE, RIM, WITHIN, OUTSIDE = 0.2, 0.38, 0.25, 0.36
COLOURS, REST, FEATURES = 1 / 8, 1 / 64, 46
STEPS = np.array([COLOURS] * 12 + [REST] * 30 + [COLOURS] * 3 + [REST])
"""Each number of the appearance is rounded to a multiple of its step. Files stay small, and new images can be
compared with saved ones."""


def appearance(small: Numbers) -> Floats:
    """Measure the appearance of an image.

    Args:
        small: RGB uint8 [height, width, 3].

    Returns:
        Numbers [46]: for luma and both colour channels, the 5, 50 and 95 % quantiles and the standard
        deviation; log strength of texture per band in the whole image, in the middle and around it;
        differences of centre and rim; how much the edges share one direction. Each number is a multiple of
        its step in `STEPS`.
    """
    planes = _planes(small, SIDE)
    away, features = _away(*planes.shape[1:]), list[float]()
    for plane in planes:
        features += [*np.quantile(plane, (0.05, 0.5, 0.95)), plane.std()]
    for plane, scales in zip(planes, SCALES, strict=True):
        features += _bands(plane, scales, (away > OUTSIDE, away < WITHIN))
    numbers = np.array([*features, *_centre_less_rim(planes), _direction(planes[0])])
    rounded: Floats = np.round(numbers / STEPS) * STEPS
    return rounded


def patches(small: Numbers, across: int) -> Floats:
    """Measure the appearance of each part of an image.

    Args:
        small: RGB uint8 [height, width, 3].
        across: Number of parts along each axis.

    Returns:
        Appearance of each part [across * across, 46].
    """
    rows, columns = (np.linspace(0, length, across + 1).astype(int) for length in small.shape[:2])
    places = [(r, c) for r in range(across) for c in range(across)]
    return np.array(
        [appearance(small[rows[r] : rows[r + 1], columns[c] : columns[c + 1]]) for r, c in places]
    )


def _planes(small: Numbers, side: int) -> Floats:
    """Return luma and both chromas of an image whose shorter side has `side` px [3, height, width]."""
    height, width = small.shape[:2]
    scale, longest = side / min(height, width), LONGEST * side
    size = min(round(width * scale), longest), min(round(height * scale), longest)
    image = Image.fromarray(small).resize(size, Image.Resampling.BILINEAR, reducing_gap=2)
    return np.moveaxis(np.asarray(image, np.float32) @ OPPONENT.T, 2, 0)


def _away(height: int, width: int) -> Floats:
    """Return how far each pixel is from the middle, 0 to 0.5 at the edge, along the axis where it is more."""
    y, x = np.mgrid[:height, :width]
    away: Floats = np.maximum(np.abs((y + 0.5) / height - 0.5), np.abs((x + 0.5) / width - 0.5))
    return away


def _bands(plane: Floats, scales: tuple[float, ...], places: Sequence[Bools]) -> list[float]:
    """Return the logarithm of the strength of each band of texture, in all and in places."""
    down, across = plane.shape
    smoothed = [plane, *(_blur(down, scale) @ plane @ _blur(across, scale).T for scale in scales)]
    bands = [fine - coarse for fine, coarse in pairwise(smoothed)]
    strengths = [band.std() for band in (*bands, smoothed[-1])]
    strengths += [band[place].std() for band in bands for place in places]
    return [float(value) for value in np.log(np.array(strengths) + FAINTEST)]


@lru_cache(64)
def _blur(length: int, scale: float) -> Floats:
    """Return the Gaussian filter of a line as a matrix: for small pictures twice as fast as the filter."""
    blur: Floats = scipy.ndimage.gaussian_filter1d(np.eye(length, dtype=np.float32), scale, axis=0)
    return blur


def _centre_less_rim(planes: Floats) -> Floats:
    away = _away(*planes.shape[1:])
    difference: Floats = np.median(planes[:, away < CENTRE], 1) - np.median(planes[:, away > RIM], 1)
    return difference


def _direction(luma: Floats) -> float:
    """Return how far edges share one direction, 0..1."""
    down, along = np.gradient(scipy.ndimage.gaussian_filter(luma, 1.0))
    across, crossed, upright = (along**2).mean(), (along * down).mean(), (down**2).mean()
    total = across + upright
    return float(np.hypot(across - upright, 2 * crossed) / (total + 1))
