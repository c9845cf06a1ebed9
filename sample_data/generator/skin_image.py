"""One invented case: a picture, the mask of its lesion, and the person's demographics, all from a seed and a
class."""

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
class View:
    """How a picture is taken. field: its shorter side in units of SHORTER_SIDE, so how much skin is around
    the lesion. ambient: lit by the room, not by the instrument. The others: chances (0..1) of each artefact;
    hairs_on_hairless: of hairs on hands and feet.
    """

    field: float
    ambient: bool
    bubbles: float
    hairs: float
    hairs_on_hairless: float
    ruler: float
    ink: float
    tube: float
    blur: float


DERMATOSCOPE = View(
    field=1,
    ambient=False,
    bubbles=0.35,
    hairs=0.55,
    hairs_on_hairless=0.12,
    ruler=0.20,
    ink=0.06,
    tube=0.28,
    blur=0.35,
)
PHONE = View(
    field=1.5,
    ambient=True,
    bubbles=0,
    hairs=0.40,
    hairs_on_hairless=0.08,
    ruler=0.06,
    ink=0.05,
    tube=0,
    blur=0.6,
)


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


def _photograph(
    canvas: Canvas, tone: int, look: str, location: str, view: View
) -> tuple[np.ndarray, np.ndarray]:
    skin = surface.bare(canvas, tone, location)
    outline = lesions.draw(canvas, skin, look)
    skin = optics.soften(canvas, skin)
    colours = artefacts.light(canvas, skin, outline, optics.render(skin))
    if view.ambient:
        colours = artefacts.ambient(canvas, colours)
    if canvas.chance(view.bubbles):
        colours = artefacts.bubbles(canvas, colours)
    picture, mask = artefacts.camera(canvas, colours), outline.inside
    if canvas.chance(view.hairs_on_hairless if location in HAIRLESS else view.hairs):
        picture = artefacts.hairs(canvas, picture)
    if canvas.chance(view.ruler):
        picture = artefacts.ruler(canvas, picture)
    if canvas.chance(view.ink):
        picture = artefacts.ink(canvas, outline, picture)
    if canvas.chance(view.tube):
        picture, visible = artefacts.tube(canvas, picture)
        mask = mask & visible
    if canvas.chance(view.blur):
        picture = artefacts.blur(canvas, picture)
    return picture, mask


def retaken(picture: np.ndarray, seed: int) -> np.ndarray:
    """Another picture of the same lesion, of the same size: nearer by up to a fifth, turned over, in a little
    more or less light."""
    random = np.random.default_rng(seed)
    height, width = picture.shape[:2]
    share = random.uniform(0.80, 0.95)
    left, top = random.uniform(0, (1 - share) * width), random.uniform(0, (1 - share) * height)
    box = left, top, left + share * width, top + share * height
    nearer = Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC, box)
    turned = np.rot90(np.asarray(nearer), 2 * int(random.integers(2)))
    if random.random() < 0.5:
        turned = turned[:, ::-1]
    return np.rint(np.clip(turned * random.uniform(0.88, 1.10, 3), 0, 255)).astype(np.uint8)


def draw(
    seed: int,
    symbol: str,
    size: tuple[int, int] = (SHORTER_SIDE, SHORTER_SIDE),
    ambiguity: float = 0.17,
    view: View = DERMATOSCOPE,
) -> Case:
    """The case of (seed, symbol): the same every time, up to changes in NumPy's random streams and in the
    libraries' resampling.

    size: width, height in px; drawn with the shorter side SHORTER_SIDE times the view's field, then resized.
    ambiguity: see `choose_look`. Raises ValueError for an unknown symbol.
    """
    random = np.random.default_rng([seed, SYMBOLS.index(symbol)])
    person = demographics.draw(random, symbol)
    tone = int(random.choice(len(optics.TONE_SHARES), p=optics.TONE_SHARES))
    look = choose_look(random, symbol, ambiguity)
    scale = SHORTER_SIDE * view.field / min(size)
    canvas = Canvas(random, round(size[1] * scale), round(size[0] * scale))
    picture, mask = _photograph(canvas, tone, look, person.location, view)
    if size != (canvas.width, canvas.height):
        picture = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
        mask = np.asarray(Image.fromarray(mask).resize(size, Image.Resampling.NEAREST))
    return Case(picture, mask, symbol, look, person, tone)
