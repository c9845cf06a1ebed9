"""Rates of "no answer" on pictures that nobody drew for it: those inside installed packages, in crops, and
dermoscopic images of the ISIC archive.

PICTURES_OF_PACKAGES names a folder of site-packages with scikit-image, scikit-learn and matplotlib, which are
no requirements of this project, DERMOSCOPIC_IMAGES one with ISIC_0000000.jpg to ISIC_0000556.jpg,
CLINICAL_PHOTOGRAPHS one with a folder of photographs for each disease; without them the tests are skipped.
The pictures are not kept.
"""

import copy
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sample_data.generator import canvas, isic, lesions, melanoma, puma, skin_image, testset, tricorder3
from sample_data.generator.histology import tile
from scoring import load_challenge
from scoring.challenges import samples
from scoring.common.arrays import Floats
from scoring.single_image.out_of_distribution import known_images
from scoring.single_image.photograph import Photograph, received
from scoring.single_image.quality import (
    CAUTION,
    STOP,
    MeasuredImages,
    Quality,
    chips_of,
    measured,
    of_photograph,
    photograph_chips,
    seen_parts,
)
from scoring.single_image.saved_measures import saved
from scoring.statistics.intervals import counted
from tests.support.single_image import photograph

PACKAGES = Path(os.environ.get("PICTURES_OF_PACKAGES", "/nowhere"))
DERMOSCOPIC = Path(os.environ.get("DERMOSCOPIC_IMAGES", "/nowhere"))
CLINICAL = Path(os.environ.get("CLINICAL_PHOTOGRAPHS", "/nowhere"))
GROWTHS = (
    *("anoma", "aev", "ev", "oma", "eratos", "entig", "owen", "yogenic", "esion", "mour", "mor", "cyst"),
    *("enit", "ulv", "enil", "exual", "hild", "buse", "clerosus", "ipple", "reast", "anal", "alan", "apkin"),
)
"""Parts of names of diseases that are left out: growths, as the challenges show, and what nobody should open
for a test."""
EVERY_DISEASE = 3
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
SETS = [("tricorder3", "sample"), ("melanoma", "sample"), ("isic", "isic2018"), ("isic", "isic2019")]
PLANS = {"sample tricorder3": tricorder3.PLAN, "sample melanoma": melanoma.PLAN}
SKIN = np.array([205, 160, 140]) * 0.9
FRESH = 60
CAT = (
    (0, 0, 150, 150),
    (150, 0, 300, 150),
    (300, 0, 451, 150),
    (0, 150, 150, 300),
    (250, 150, 400, 300),
    (60, 20, 260, 220),
    (200, 180, 320, 300),
    (0, 60, 120, 180),
    (120, 0, 220, 100),
    (330, 150, 451, 271),
)
QUARTERS = (
    (0, 0, 256, 256),
    (256, 0, 512, 256),
    (0, 256, 256, 512),
    (256, 256, 512, 512),
    (128, 128, 256, 256),
)
HARD = {
    "fur": [("skimage/data/chelsea.png", CAT)],
    "face": [
        (
            "skimage/data/astronaut.png",
            ((150, 40, 310, 220), (180, 60, 280, 200), (170, 0, 270, 100), (190, 70, 250, 130)),
        ),
        (
            "matplotlib/mpl-data/sample_data/grace_hopper.jpg",
            ((150, 60, 370, 330), (190, 120, 330, 260), (200, 140, 300, 240)),
        ),
    ],
    "wood": [
        (
            "skimage/data/coffee.png",
            (
                (0, 0, 200, 130),
                (0, 250, 150, 400),
                (420, 0, 600, 150),
                (450, 250, 600, 400),
                (300, 320, 500, 400),
            ),
        )
    ],
    "stain": [("skimage/data/ihc.png", QUARTERS)],
    "eye": [
        (
            "skimage/data/retina.jpg",
            ((300, 300, 1100, 1100), (500, 500, 900, 900), (700, 300, 1100, 700), (300, 700, 700, 1100)),
        )
    ],
    "texture in the colour of skin": [
        (f"skimage/data/{name}.png", (None, *QUARTERS[::2])) for name in ("brick", "grass", "gravel")
    ],
}
EASY = {
    "text": [("skimage/data/page.png", (None, (0, 0, 190, 190))), ("skimage/data/text.png", (None,))],
    "scene": [
        *(
            (f"skimage/data/{name}", (None,))
            for name in (
                "camera.png",
                "coins.png",
                "moon.png",
                "hubble_deep_field.jpg",
                "rocket.jpg",
                "motorcycle_left.png",
                "clock_motion.png",
                "color.png",
                "cell.png",
                "coffee.png",
                "astronaut.png",
            )
        ),
        ("sklearn/datasets/images/china.jpg", (None, (250, 100, 450, 300))),
        (
            "sklearn/datasets/images/flower.jpg",
            (None, (250, 100, 450, 300), (300, 150, 400, 250), (0, 0, 150, 150)),
        ),
    ],
}

pytestmark = pytest.mark.soak
with_packages = pytest.mark.skipif(
    not (PACKAGES / "skimage" / "data").is_dir(), reason="no PICTURES_OF_PACKAGES"
)


@cache
def pictures(kind: str) -> tuple[Photograph, ...]:
    """Every crop of a kind."""
    found = []
    for path, boxes in {**HARD, **EASY}[kind]:
        with Image.open(PACKAGES / path) as opened:
            whole = opened.convert("RGB")
        if kind.startswith("texture"):
            grey = np.asarray(whole, float).mean(2, keepdims=True)
            whole = Image.fromarray(np.clip(grey / grey.mean() * SKIN, 0, 255).astype(np.uint8))
        found += [photograph(np.asarray(whole if box is None else whole.crop(box))) for box in boxes]
    return tuple(found)


def plan(challenge: str, key: str) -> testset.Plan:
    """What the images of a set were drawn by, from seeds that it does not have."""
    found = PLANS.get(f"{key} {challenge}") or isic._plan(
        (("NV", "NV", 60), ("MEL", "MEL", 25), ("BCC", "BCC", 15)), 0, 0, "{}"
    )
    return replace(found, first_seed=77_000_000 + found.first_seed, turned=0)


def as_taken(pixels: np.ndarray, quality: int) -> Photograph:
    return photograph(np.asarray(Image.open(io.BytesIO(testset.encode(pixels, quality)))))


@cache
def fresh(challenge: str, key: str) -> tuple[Photograph, ...]:
    wanted = plan(challenge, key)
    return tuple(as_taken(entry.draw().picture, wanted.quality) for entry in testset.entries(wanted)[:FRESH])


def without_lesion(wanted: testset.Plan, monkeypatch) -> Iterator[Photograph]:
    """Skin, light, hair and frame of a drawn case, and no lesion."""
    drawn = lesions.draw
    monkeypatch.setattr(
        skin_image.lesions, "draw", lambda place, skin, look: drawn(place, copy.deepcopy(skin), look)
    )
    for entry in testset.entries(wanted)[:FRESH]:
        yield as_taken(entry.draw().picture, wanted.quality)


@cache
def of_set(challenge: str, key: str):
    return saved(load_challenge(challenge).read_truth(samples.test_sets(challenge)[key].path))


LOOKS: dict[int, tuple[Photograph, Quality, Floats]] = {}


def looks(one: Photograph) -> tuple[Quality, Floats]:
    """Quality and appearance of a picture, measured once: it is compared with every test set."""
    if id(one) not in LOOKS:
        LOOKS[id(one)] = (one, of_photograph(one), seen_parts(one))
    return LOOKS[id(one)][1:]


def foreign(known, one: Photograph) -> bool:
    return known.unlikeness(looks(one)[1]).far


def lesion_level(among, quality) -> str:
    return next(chip.level for chip in photograph_chips(quality, 0, among) if chip.name == "lesion")


@with_packages
@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_foreign_pictures_get_no_answer(challenge, key):
    known = of_set(challenge, key).known
    rates = {
        kind: counted(sum(foreign(known, one) for one in pictures(kind)), len(pictures(kind)))
        for kind in (*HARD, *EASY)
    }
    own = known.unlikeness(known.features[0], known.indices[0])
    new = [foreign(known, one) for one in fresh(challenge, key)]
    print(challenge, key, {kind: str(rate) for kind, rate in rates.items()})
    print("own", counted(own.far_alarms, own.images), "fresh", counted(sum(new), len(new)))
    hard = [rates[kind] for kind in HARD]
    assert sum(rate.hits for rate in hard) >= 0.95 * sum(rate.n for rate in hard)
    assert all(rates[kind].hits == rates[kind].n for kind in EASY)
    assert own.far_alarms <= 0.05 * own.images
    assert counted(sum(new), len(new)).low <= 0.05


@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_skin_without_a_lesion_is_noticed_more_often_than_a_lesion_is_overlooked(challenge, key, monkeypatch):
    among = of_set(challenge, key).qualities
    own = [lesion_level(among, one) for one in among if one is not None]
    new = [lesion_level(among, looks(one)[0]) for one in fresh(challenge, key)]
    bare = [
        lesion_level(among, of_photograph(one)) for one in without_lesion(plan(challenge, key), monkeypatch)
    ]
    for name, levels in {"own": own, "fresh": new, "bare": bare}.items():
        print(
            challenge,
            key,
            name,
            *(
                counted(sum(one in those for one in levels), len(levels))
                for those in ((STOP,), (STOP, CAUTION))
            ),
        )
    assert own.count(STOP) <= 0.02 * len(own)
    assert bare.count(STOP) >= 0.4 * len(bare)
    assert counted(new.count(STOP), len(new)).low <= 0.02


@cache
def dermoscopic() -> tuple[Photograph, ...]:
    found = []
    for path in sorted(DERMOSCOPIC.glob("ISIC_*.jpg")):
        with Image.open(path) as image:
            image.draft("RGB", (1024, 768))
            found.append(photograph(np.asarray(image.convert("RGB"))))
    return tuple(found)


@cache
def corners() -> tuple[Photograph, ...]:
    """Skin without a lesion: corners of dermoscopic images, chosen by eye before anything was measured."""
    found = []
    for name in BARE.split():
        with Image.open(DERMOSCOPIC / f"ISIC_0000{name[:3]}.jpg") as image:
            wide, high = (CORNER * side for side in image.size)
            down, right = divmod("abcd".index(name[3]), 2)
            left, top = right * (image.width - wide), down * (image.height - high)
            box = tuple(round(side) for side in (left, top, left + wide, top + high))
            found.append(photograph(np.asarray(image.convert("RGB").crop(box))))
    return tuple(found)


with_dermoscopic = pytest.mark.skipif(not DERMOSCOPIC.is_dir(), reason="no DERMOSCOPIC_IMAGES")


@cache
def clinical() -> tuple[Photograph, ...]:
    """The last photograph of every third disease, and the half of its width and height in its middle."""
    found = []
    diseases = sorted(path for path in CLINICAL.iterdir() if not any(part in path.name for part in GROWTHS))
    for disease in diseases[::EVERY_DISEASE]:
        with Image.open(max(disease.glob("*.jpg"))) as image:
            whole = image.convert("RGB")
        wide, high = whole.size
        middle = whole.crop((wide // 4, high // 4, wide - wide // 4, high - high // 4))
        found += [photograph(np.asarray(one)) for one in (whole, middle)]
    return tuple(found)


@pytest.mark.skipif(not CLINICAL.is_dir(), reason="no CLINICAL_PHOTOGRAPHS")
@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_photographs_from_clinics_get_no_answer(challenge, key):
    """Cheeks with acne were "melanoma 0.97" with every chip green."""
    found = [stops(of_set(challenge, key), one) for one in clinical()]
    for name in ("lesion", "likeness"):
        print(challenge, key, "clinic", name, counted(sum(name in one for one in found), len(found)))
    print(challenge, key, "clinic answered", counted(sum(not one for one in found), len(found)))
    assert sum(map(bool, found)) >= 0.95 * len(found)


def stops(among: MeasuredImages, one: Photograph, own: int | None = None) -> set[str]:
    """For which of its chips a picture gets no answer."""
    chips = chips_of(*looks(one), 0, among, own)
    return {chip.name for chip in chips if chip.level == STOP}


@with_dermoscopic
@pytest.mark.parametrize("first", [0, 1])
def test_among_real_images_bare_skin_and_foreign_pictures_get_no_answer(first):
    known, new = dermoscopic()[first::2], dermoscopic()[1 - first :: 2]
    qualities, parts = zip(*map(looks, known), strict=True)
    among = MeasuredImages(qualities, known_images(parts))
    found = {
        "own": [stops(among, one, place) for place, one in enumerate(known)],
        "fresh": [stops(among, one) for one in new],
        "bare": [stops(among, one) for one in corners()],
    }
    kinds = (*HARD, *EASY) if (PACKAGES / "skimage").is_dir() else ()
    found |= {kind: [stops(among, one) for one in pictures(kind)] for kind in kinds}
    for name, whys in found.items():
        for why in ("lesion", "likeness"):
            print(first, name, why, counted(sum(why in one for one in whys), len(whys)))
        print(first, name, "no answer", counted(sum(map(bool, whys)), len(whys)))
    lesion = [len([one for one in found[name] if "lesion" in one]) for name in ("own", "fresh", "bare")]
    assert lesion[0] <= 0.02 * len(known)
    assert lesion[1] <= 0.05 * len(new)
    assert lesion[2] >= 0.95 * len(BARE.split())
    if kinds:
        assert sum(bool(one) for kind in HARD for one in found[kind]) >= 0.95 * 43
        assert sum(bool(one) for kind in EASY for one in found[kind]) >= 19


@with_dermoscopic
@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_real_skin_without_a_lesion_gets_no_answer_among_drawn_images(challenge, key):
    found = [stops(of_set(challenge, key), one) for one in corners()]
    for name in ("lesion", "likeness"):
        print(challenge, key, name, counted(sum(name in one for one in found), len(found)))
    assert sum(map(bool, found)) >= 0.95 * len(found)


@with_packages
def test_foreign_pictures_are_no_tiles():
    truth = load_challenge("puma").read_truth(samples.test_sets("puma")["sample"].path)
    known = measured(truth, tile=True).known
    for kind in (*HARD, *EASY):
        far = [known.unlikeness(seen_parts(one, tile=True)).far for one in pictures(kind)]
        print("puma", kind, counted(sum(far), len(far)))
        assert all(far)
    assert not any(known.unlikeness(known.features[i], i).far for i in range(len(known)))


def test_fresh_tiles_get_an_answer():
    truth = load_challenge("puma").read_truth(samples.test_sets("puma")["sample"].path)
    known = measured(truth, tile=True).known
    fresh = [
        received(puma.encoded(tile.draw(88_000_000 + 10 * place + draw, setting).picture))
        for place, setting in enumerate(puma.SETTINGS.values())
        for draw in range(3)
    ]
    found = [known.unlikeness(seen_parts(one, tile=True)) for one in fresh]
    for name in ("far", "unlike"):
        print("puma fresh", name, counted(sum(getattr(one, name) for one in found), len(found)))
    assert counted(sum(one.far for one in found), len(found)).low <= 0.05


def test_exposure_does_not_go_by_the_tone_of_skin():
    rates = {}
    for tone in (0, 2, 5):
        levels = []
        for seed in range(30):
            random = np.random.default_rng([9_000 + seed, 1])
            place = canvas.Canvas(random, 384, 512)
            shown, _ = skin_image._photograph(
                place, tone, skin_image.SYMBOLS[seed % 11], "Arm", skin_image.PHONE
            )
            for exposed, pixels in (
                ("usual", shown),
                ("dark", shown // 9),
                ("bright", np.clip(shown.astype(int) * 3, 0, 255).astype(np.uint8)),
            ):
                (chip,) = (
                    c for c in photograph_chips(of_photograph(photograph(pixels))) if c.name == "exposure"
                )
                levels.append((exposed, chip.level == CAUTION))
        rates[tone] = {
            name: np.mean([called for which, called in levels if which == name])
            for name in ("usual", "dark", "bright")
        }
    print(rates)
    assert np.ptp([rate["usual"] for rate in rates.values()]) <= 0.05
    assert max(rate["usual"] for rate in rates.values()) <= 0.05
    assert np.ptp([rate["dark"] for rate in rates.values()]) <= 0.05
