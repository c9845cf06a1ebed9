"""Rates of "no answer" on pictures that nobody drew for it: those inside installed packages, in crops.

PICTURES_OF_PACKAGES names a folder of site-packages with scikit-image, scikit-learn and matplotlib, which are
no requirements of this project; without it the tests are skipped. The pictures are not kept.
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

from sample_data.generator import canvas, case, isic, lesions, melanoma, testset, tricorder3
from scoring import load_challenge
from scoring.challenges import samples
from scoring.single_image.photograph import Photograph
from scoring.single_image.quality import CAUTION, STOP, measured, of_photograph, photograph_chips, seen_parts
from scoring.statistics.intervals import counted
from tests.support.single_image import photograph

PACKAGES = Path(os.environ.get("PICTURES_OF_PACKAGES", "/nowhere"))
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

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not (PACKAGES / "skimage" / "data").is_dir(), reason="no PICTURES_OF_PACKAGES"),
]


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


def fresh(wanted: testset.Plan) -> Iterator[Photograph]:
    for entry in testset.entries(wanted)[:FRESH]:
        yield as_taken(entry.draw().picture, wanted.quality)


def without_lesion(wanted: testset.Plan, monkeypatch) -> Iterator[Photograph]:
    """Skin, light, hair and frame of a drawn case, and no lesion."""
    drawn = lesions.draw
    monkeypatch.setattr(
        case.lesions, "draw", lambda place, skin, look: drawn(place, copy.deepcopy(skin), look)
    )
    for entry in testset.entries(wanted)[:FRESH]:
        yield as_taken(entry.draw().picture, wanted.quality)


@cache
def of_set(challenge: str, key: str):
    return measured(load_challenge(challenge).read_truth(samples.test_sets(challenge)[key].path))


def foreign(known, one: Photograph) -> bool:
    return known.unlikeness(seen_parts(one)).far


def lesion_level(among, quality) -> str:
    return next(chip.level for chip in photograph_chips(quality, 0, among) if chip.name == "lesion")


@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_foreign_pictures_get_no_answer(challenge, key):
    known = of_set(challenge, key).known
    rates = {
        kind: counted(sum(foreign(known, one) for one in pictures(kind)), len(pictures(kind)))
        for kind in (*HARD, *EASY)
    }
    own = known.unlikeness(known.features[0], known.indices[0])
    new = [foreign(known, one) for one in fresh(plan(challenge, key))]
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
    new = [lesion_level(among, of_photograph(one)) for one in fresh(plan(challenge, key))]
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


def test_foreign_pictures_are_no_tiles():
    truth = load_challenge("puma").read_truth(samples.test_sets("puma")["sample"].path)
    known = measured(truth, tile=True).known
    for kind in (*HARD, *EASY):
        far = [known.unlikeness(seen_parts(one, tile=True)).far for one in pictures(kind)]
        print("puma", kind, counted(sum(far), len(far)))
        assert all(far)
    assert not any(known.unlikeness(known.features[i], i).far for i in range(len(known)))


def test_exposure_does_not_go_by_the_tone_of_skin():
    rates = {}
    for tone in (0, 2, 5):
        levels = []
        for seed in range(30):
            random = np.random.default_rng([9_000 + seed, 1])
            place = canvas.Canvas(random, 384, 512)
            shown, _ = case._photograph(place, tone, case.SYMBOLS[seed % 11], "Arm", case.PHONE)
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
