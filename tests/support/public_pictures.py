"""Pictures that nobody drew for this project, from packages and public repositories; they are not kept.

PUBLIC_PICTURES names the folder that the commands in `docs/single-image.md` fill.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from scoring.common.arrays import Floats
from scoring.single_image.photograph import Photograph
from scoring.single_image.quality import Quality, of_photograph, seen_parts
from tests.support.single_image import photograph

PLACE = Path(os.environ.get("PUBLIC_PICTURES", "/nowhere"))
PACKAGES = next(PLACE.glob("packages/lib/python3*/site-packages"), PLACE)
DERMOSCOPIC, CLINICAL = PLACE / "dermoscopic", PLACE / "clinical/dermnet-output/images"
GROWTHS = (
    *("anoma", "aev", "ev", "oma", "eratos", "entig", "owen", "yogenic", "esion", "mour", "mor", "cyst"),
    *("enit", "ulv", "enil", "exual", "hild", "buse", "clerosus", "ipple", "reast", "anal", "alan", "apkin"),
)
"""Parts of names of diseases that are left out: growths, as the challenges show, and what nobody should open
for a test."""
EVERY_DISEASE, EVERY_BEAST, EVERY_OTHER = 3, 2, 8
BARE = """
001a 001b 001c 001d 007d 009b 015b 015d 017a 017b 017c 017d 021b 021c 023a 023c 023d 025b 025c 025d
027a 027b 027c 027d 033a 033b 033d 037a 039b 039d 041a 041b 041c 041d 043b 047b 047c 047d 049c 051d
053b 055c 057a 057b 057d 059d 063b 065a 065b 070a 070b 070c 070d 074b 080b 080c 082b 082c 084a 084b
084c 084d 086c 088a 088c 088d 092b 092c 092d 094a 094c 094d 096a 096b 096c 096d 098b 098d 102a 102b
102c 102d 106a 106b 106c 106d 108a 108c 110b 110d 112a 112c 112d 116d 120d 122c 124a 128a 128b 128c
128d 130c 130d 132a 132b 132c 134b 134d 138a 138b 138c 138d 142c 148b 148c 148d 150a 152a 152c 152d
154b 154d 156c 179d 181a 181c 185a 185d 193d 191a 191b 191d 197a 197c 206a 206b 206d 236d 245b 257a
257c 257d 271a 271b 271d 376b 376c 376d 382b 384a 384b 384d 386a 386b 386d 388a 388b 388c 388d 390a
392a 392b 392d 394b 410a 410b 410c 410d 416b 416c 422d
"""
"""Dermoscopic images (ISIC_0000 and this) with a corner (a to d, row by row) in which no lesion is seen."""
CORNER = 0.34
SKIN = np.array([205, 160, 140]) * 0.9
Part = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of a picture."""
WHOLE: tuple[Part, ...] = ((0, 0, 1, 1),)
MIDDLE: tuple[Part, ...] = ((0.25, 0.25, 0.75, 0.75),)
QUARTERS: tuple[Part, ...] = ((0, 0, 0.5, 0.5), (0.5, 0, 1, 0.5), (0, 0.5, 0.5, 1), (0.5, 0.5, 1, 1))
EASY = "other"
"""The kind that is not hard."""
BEASTS, FOOD = (slice(151, 300), slice(330, 389)), slice(924, 970)
"""Places of mammals and of food among the 1,000 classes."""
NAMED = {
    "people": """
    Band_Aid bathing_cap bearskin bikini bonnet bow_tie bulletproof_vest cowboy_hat crash_helmet face_powder
    football_helmet gasmask groom hair_slide hair_spray harmonica lab_coat lipstick lotion mask
    military_uniform neck_brace necklace oxygen_mask seat_belt shower_cap ski_mask snorkel sombrero
    stethoscope stole suit sunglass sunglasses sunscreen sweatshirt swimming_trunks syringe wig Windsor_tie
    """,
    "wood": """
    acoustic_guitar banjo barrel bookcase broom cello chest chiffonier china_cabinet crate croquet_ball desk
    dining_table folding_chair hamper lumbermill marimba medicine_chest paddle park_bench picket_fence plane
    plate_rack rain_barrel rocking_chair rule shoji spatula throne totem_pole tub upright violin wardrobe
    wooden_spoon worm_fence
    """,
    "texture": """
    bath_towel brain_coral bubble cardigan chain_mail chainlink_fence cliff dishrag doormat grille
    handkerchief hay honeycomb jean manhole_cover maze mitten paper_towel pillow poncho prayer_rug quilt
    sandbar spider_web stone_wall thatch tile_roof toilet_tissue velvet window_screen wool
    """,
    "text": """
    book_jacket comic_book computer_keyboard crossword_puzzle envelope menu notebook packet slide_rule
    street_sign typewriter_keyboard web_site
    """,
}
"""Classes of the photographs, by kind."""


@dataclass(frozen=True)
class Picture:
    """A picture, measured. source: number of the file that it is a part of, within its kind."""

    kind: str
    source: int
    quality: Quality
    parts: Floats


@cache
def foreign() -> tuple[Picture, ...]:
    """Return every foreign picture: hard ones by kind, then those of the kind `EASY`."""
    found = []
    for kind, sources in _sources().items():
        for number, (path, parts) in enumerate(sources):
            found += [measured(one, kind, number) for one in _parts(path, parts)]
    return tuple(found)


def measured(one: Photograph, kind: str, source: int) -> Picture:
    """Return a picture with its quality and appearance."""
    return Picture(kind, source, of_photograph(one), seen_parts(one))


def _sources() -> dict[str, list[tuple[Path, Sequence[Part]]]]:
    """Return files and the parts of them that are pictures, by kind."""
    skimage, photographs = PACKAGES / "skimage/data", sorted((PLACE / "photographs").glob("*.JPEG"))
    by_name = {path.stem.partition("_")[2]: path for path in photographs}
    beasts = [path for places in BEASTS for path in photographs[places]][::EVERY_BEAST]
    named = {kind: [by_name[name] for name in names.split()] for kind, names in NAMED.items()}
    taken = {*beasts, *photographs[FOOD], *(path for paths in named.values() for path in paths)}
    faces = sorted(path for path in (PLACE / "faces/examples/knn_examples").rglob("*.jp*g"))
    x_rays = sorted(path for path in (PLACE / "x-rays/tests").rglob("*.*") if path.suffix in (".jpg", ".png"))
    diseases = sorted(path for path in CLINICAL.iterdir() if not any(part in path.name for part in GROWTHS))
    last = [max(disease.glob("*.jpg")) for disease in diseases[::EVERY_DISEASE]]
    portraits = [skimage / "astronaut.png", PACKAGES / "matplotlib/mpl-data/sample_data/grace_hopper.jpg"]
    scenes = [PACKAGES / "sklearn/datasets/images" / name for name in ("china.jpg", "flower.jpg")]
    grains = [skimage / f"{name}.png" for name in ("brick", "grass", "gravel")]
    others = [path for path in photographs if path not in taken][::EVERY_OTHER]
    return {
        "fur": [(skimage / "chelsea.png", (*QUARTERS, *MIDDLE)), *_all(beasts, MIDDLE)],
        "people": [*_all([*portraits, *faces], WHOLE + MIDDLE), *_all(named["people"], MIDDLE)],
        "other skin diseases": _all(last, WHOLE + MIDDLE),
        "food": [(skimage / "coffee.png", QUARTERS), *_all(photographs[FOOD], MIDDLE)],
        "wood": _all(named["wood"], MIDDLE),
        "X-ray": _all(x_rays, WHOLE + MIDDLE + QUARTERS),
        "stained tissue": [(skimage / "ihc.png", WHOLE + MIDDLE + QUARTERS)],
        "retina": [(skimage / "retina.jpg", WHOLE + MIDDLE + QUARTERS)],
        "texture": [*_all(grains, WHOLE + MIDDLE), *_all(named["texture"], MIDDLE)],
        "text": [*_all([skimage / "page.png", skimage / "text.png", *named["text"]], WHOLE + MIDDLE)],
        EASY: [*_all(scenes, WHOLE), *_all(others, WHOLE)],
    }


def _all(paths: Sequence[Path], parts: Sequence[Part]) -> list[tuple[Path, Sequence[Part]]]:
    return [(path, parts) for path in paths]


def _parts(path: Path, parts: Sequence[Part]) -> Iterator[Photograph]:
    """Return parts of a picture, a grey texture in the colour of skin."""
    with Image.open(path) as image:
        whole = image.convert("RGB")
    if path.stem in ("brick", "grass", "gravel"):
        grey = np.asarray(whole, float).mean(2, keepdims=True)
        whole = Image.fromarray(np.clip(grey / grey.mean() * SKIN, 0, 255).astype(np.uint8))
    for part in parts:
        left, top, right, bottom = (
            round(share * side) for share, side in zip(part, 2 * whole.size, strict=True)
        )
        yield photograph(np.asarray(whole.crop((left, top, right, bottom))))


@cache
def dermoscopic() -> tuple[Picture, ...]:
    """Return dermoscopic images of the ISIC archive."""
    found = []
    for path in sorted(DERMOSCOPIC.glob("ISIC_*.jpg")):
        with Image.open(path) as image:
            image.draft("RGB", (1024, 768))
            pixels = np.asarray(image.convert("RGB"))
        found.append(measured(photograph(pixels), "dermoscopic", int(path.stem.partition("_")[2])))
    return tuple(found)


@cache
def corners() -> tuple[Picture, ...]:
    """Return skin without a lesion: corners of dermoscopic images, chosen by eye before anything was
    measured."""
    found = []
    for name in BARE.split():
        with Image.open(DERMOSCOPIC / f"ISIC_0000{name[:3]}.jpg") as image:
            wide, high = (CORNER * side for side in image.size)
            down, right = divmod("abcd".index(name[3]), 2)
            left, top = right * (image.width - wide), down * (image.height - high)
            box = (round(left), round(top), round(left + wide), round(top + high))
            pixels = np.asarray(image.convert("RGB").crop(box))
        found.append(measured(photograph(pixels), "skin without a lesion", int(name[:3])))
    return tuple(found)
