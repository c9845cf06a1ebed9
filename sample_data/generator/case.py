"""One invented case: a picture, the mask of its lesion, and the person's demographics, all from a seed and a class."""
from dataclasses import dataclass

import numpy as np
from PIL import Image

from sample_data.generator import artefacts, demographics, lesions, optics, surface
from sample_data.generator.canvas import SHORTER_SIDE, Canvas
from sample_data.generator.demographics import Demographics

# Which class's look a lesion may be given instead of its own: mistakes that dermatologists make too.
LOOK_ALIKES = {
    "AKIEC": ("SCCKA", "INF", "BKL", "BCC"),
    "BCC": ("MAL_OTH", "SCCKA", "NV", "BEN_OTH"),
    "BEN_OTH": ("NV", "BKL", "BCC", "DF"),
    "BKL": ("NV", "MEL", "AKIEC", "BEN_OTH"),
    "DF": ("NV", "BEN_OTH", "INF"),
    "INF": ("AKIEC", "BCC", "VASC", "DF"),
    "MAL_OTH": ("BCC", "SCCKA", "MEL", "VASC"),
    "MEL": ("NV", "NV", "BKL", "MAL_OTH"),
    "NV": ("MEL", "BKL", "DF"),
    "SCCKA": ("AKIEC", "BCC", "MAL_OTH"),
    "VASC": ("MAL_OTH", "MEL", "INF"),
}
SYMBOLS = tuple(LOOK_ALIKES)
HAIRLESS = ("Feet", "Hand")


@dataclass(frozen=True)
class Case:
    """picture: uint8, height x width x 3. mask: boolean, height x width, the visible part of the lesion.

    symbol: the class. look: the class whose look was drawn. tone: 0 (very dark) to 5 (very light).
    """

    picture: np.ndarray
    mask: np.ndarray
    symbol: str
    look: str
    demographics: Demographics
    tone: int


def choose_look(random: np.random.Generator, symbol: str, ambiguity: float) -> str:
    """The class's own look, or with probability `ambiguity` (0..1) that of a class it is mistaken for."""
    if random.random() >= ambiguity:
        return symbol
    return str(random.choice(LOOK_ALIKES[symbol]))


def _photograph(canvas: Canvas, tone: int, look: str, location: str) -> tuple[np.ndarray, np.ndarray]:
    skin = surface.bare(canvas, tone, location)
    outline = lesions.draw(canvas, skin, look)
    skin = optics.soften(canvas, skin)
    colours = artefacts.light(canvas, skin, outline, optics.render(skin))
    if canvas.chance(0.35):
        colours = artefacts.bubbles(canvas, colours)
    picture, mask = artefacts.camera(canvas, colours), outline.inside
    if canvas.chance(0.12 if location in HAIRLESS else 0.55):
        picture = artefacts.hairs(canvas, picture)
    if canvas.chance(0.20):
        picture = artefacts.ruler(canvas, picture)
    if canvas.chance(0.06):
        picture = artefacts.ink(canvas, outline, picture)
    if canvas.chance(0.28):
        picture, visible = artefacts.tube(canvas, picture)
        mask = mask & visible
    if canvas.chance(0.35):
        picture = artefacts.blur(canvas, picture)
    return picture, mask


def draw(seed: int, symbol: str, size: tuple[int, int] = (SHORTER_SIDE, SHORTER_SIDE), ambiguity: float = 0.17) -> Case:
    """The case of (seed, symbol): the same every time, up to changes in NumPy's random streams and in the libraries' resampling.

    size: width, height in px; drawn with the shorter side SHORTER_SIDE, then resized. ambiguity: see `choose_look`.
    Raises ValueError for an unknown symbol.
    """
    random = np.random.default_rng([seed, SYMBOLS.index(symbol)])
    person = demographics.draw(random, symbol)
    tone = int(random.choice(len(optics.TONE_SHARES), p=optics.TONE_SHARES))
    look = choose_look(random, symbol, ambiguity)
    scale = SHORTER_SIDE / min(size)
    canvas = Canvas(random, round(size[1] * scale), round(size[0] * scale))
    picture, mask = _photograph(canvas, tone, look, person.location)
    if size != (canvas.width, canvas.height):
        picture = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
        mask = np.asarray(Image.fromarray(mask).resize(size, Image.Resampling.NEAREST))
    return Case(picture, mask, symbol, look, person, tone)
