"""Rates of "no answer" on pictures that nobody drew for it: those in packages and public repositories, in
crops, and dermoscopic images of the ISIC archive (`tests.support.public_pictures`).

Half of the pictures were used to choose the rules: the tables are of the other half. Without the pictures
these tests are skipped.
"""

import copy
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PIL import Image

from sample_data.generator import canvas, isic, lesions, melanoma, puma, skin_image, testset, tricorder3
from sample_data.generator.histology import tile
from scoring import load_challenge
from scoring.challenges import samples
from scoring.single_image.likeness import ENOUGH_TO_REFUSE, PASSED_OF_100, chips_of
from scoring.single_image.out_of_distribution import known_images
from scoring.single_image.photograph import Photograph, received
from scoring.single_image.quality import (
    CAUTION,
    STOP,
    MeasuredImages,
    measured,
    of_photograph,
    photograph_chips,
    seen_parts,
)
from scoring.single_image.saved_measures import saved
from scoring.statistics.intervals import counted
from tests.support import public_pictures
from tests.support.public_pictures import EASY, Picture, corners, dermoscopic
from tests.support.single_image import photograph

SETS = [("tricorder3", "sample"), ("melanoma", "sample"), ("isic", "isic2018"), ("isic", "isic2019")]
PLANS = {"sample tricorder3": tricorder3.PLAN, "sample melanoma": melanoma.PLAN}
FRESH = 30
SIZES, DRAWS, SEED, MOST_FRESH = (60, 120, 279), 10, 2026, 200
"""Images of a real test set, how often it is drawn, and how many of the others are asked at most."""

pytestmark = pytest.mark.soak
with_pictures = pytest.mark.skipif(not public_pictures.PLACE.is_dir(), reason="no PUBLIC_PICTURES")


@cache
def foreign() -> tuple[Picture, ...]:
    """The half of the foreign pictures by which no rule was chosen."""
    return tuple(one for one in public_pictures.foreign() if one.source % 2)


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


def lesion_level(among, quality) -> str:
    return next(chip.level for chip in photograph_chips(quality, 0, among) if chip.name == "lesion")


class Answers:
    """For which reasons pictures get no answer beside a test set."""

    def __init__(self, among: MeasuredImages) -> None:
        self.among = among
        # Their distances are measured later, all at once.
        self.nobody = replace(among, known=known_images(()))
        known = among.known
        self.far_limit = known.unlikeness(known.features[0]).far_limit

    def far(self, pictures: Sequence[Picture]) -> np.ndarray:
        """Whether pictures are nothing like the test set's images."""
        return self.among.known.distances(np.array([one.parts for one in pictures])) > self.far_limit

    def own_far(self) -> np.ndarray:
        """The same of the test set's own images."""
        return self.among.known.left_out > self.far_limit

    def other(self, pictures: Sequence[Picture]) -> np.ndarray:
        """Whether they get none for another reason."""
        found = (chips_of(one.quality, one.parts, 0, self.nobody) for one in pictures)
        return np.array([any(chip.level == STOP for chip in chips) for chips in found])

    def none(self, pictures: Sequence[Picture]) -> np.ndarray:
        return self.far(pictures) | self.other(pictures)


def drawn(images: int, draw: int) -> tuple[Answers, list[Picture], list[Picture], list[Picture]]:
    """Return a test set of real images, these, fresh ones, and skin without a lesion from other images."""
    order = np.random.default_rng([SEED, images, draw]).permutation(len(dermoscopic()))
    own, fresh = (
        [dermoscopic()[place] for place in places]
        for places in (np.sort(order[:images]), order[images : images + MOST_FRESH])
    )
    among = MeasuredImages(tuple(one.quality for one in own), known_images([one.parts for one in own]))
    theirs = {one.source for one in own}
    bare = [one for one in corners() if one.source not in theirs]
    return Answers(among), own, fresh, bare


@with_pictures
@pytest.mark.parametrize("images", SIZES)
def test_among_real_images_bare_skin_and_foreign_pictures_get_no_answer(images):
    """Prints a row of the tables in `docs/single-image.md`, in per cent: means of the draws."""
    kinds = np.array([one.kind for one in foreign()])
    rows, by_kind = [], []
    for draw in range(DRAWS):
        answers, own, fresh, bare = drawn(images, draw)
        far, new = answers.own_far(), answers.far(fresh)
        answered = ~answers.none(foreign())
        rows.append(
            {
                "own: nothing like": far.mean(),
                "fresh: nothing like": new.mean(),
                "own: no answer": (far | answers.other(own)).mean(),
                "fresh: no answer": (new | answers.other(fresh)).mean(),
                "hard: answered": answered[kinds != EASY].mean(),
                "skin without a lesion: answered": 1 - answers.none(bare).mean(),
            }
        )
        by_kind.append({kind: answered[kinds == kind].mean() for kind in dict.fromkeys(kinds.tolist())})
    mean = {name: 100 * np.mean([row[name] for row in rows]) for name in rows[0]}
    counts = {kind: int((kinds == kind).sum()) for kind in by_kind[0]}
    print(f"\n{images} images", {name: round(float(share), 1) for name, share in mean.items()})
    of_kind = {kind: 100 * np.mean([row[kind] for row in by_kind]) for kind in counts}
    print("answered", {f"{kind}, {counts[kind]}": round(float(share), 1) for kind, share in of_kind.items()})
    most = 5 if images >= ENOUGH_TO_REFUSE else PASSED_OF_100 + 0.5
    assert all(round(share, 9) <= most for share in mean.values()), mean


@with_pictures
@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_beside_drawn_images_foreign_pictures_and_bare_skin_get_no_answer(challenge, key):
    """Cheeks with acne were "melanoma 0.97" with every chip green."""
    answers = Answers(of_set(challenge, key))
    asked = [*foreign(), *corners()]
    kinds, answered = np.array([one.kind for one in asked]), ~answers.none(asked)
    own, quality = answers.own_far(), [one for one in answers.among.qualities if one is not None]
    pictures = [
        Picture("", 0, *measures) for measures in zip(quality, answers.among.known.features, strict=True)
    ]
    print(
        f"\n{challenge} {key} answered",
        {
            kind: str(counted(int(answered[kinds == kind].sum()), int((kinds == kind).sum())))
            for kind in dict.fromkeys(kinds.tolist())
        },
    )
    print("own: nothing like", counted(int(own.sum()), len(own)))
    none = own | answers.other(pictures)
    print("own: no answer", counted(int(none.sum()), len(none)))
    new = [public_pictures.measured(one, "", 0) for one in fresh(challenge, key)]
    far = answers.far(new)
    print("fresh: nothing like", counted(int(far.sum()), len(far)))
    assert answered.mean() <= 0.01
    assert own.mean() <= 0.05
    assert counted(int(far.sum()), len(far)).low <= 0.05


@with_pictures
def test_immunostained_tissue_is_known_by_its_colours_and_skin_is_not_taken_for_it():
    """Crops of one field (brown gland, blue nuclei), and real dermoscopic images."""
    field = np.asarray(Image.open(public_pictures.PACKAGES / "skimage/data/ihc.png").convert("RGB"))
    crops = [field, *(field[y : y + 256, x : x + 256] for y in (0, 256) for x in (0, 256))]
    known = [of_photograph(as_taken(crop, 50)).tissue.immunostained for crop in crops]
    assert known[0]
    assert np.mean(known) >= 0.5
    refused = [one.quality.tissue.immunostained for one in dermoscopic()]
    print(f"immunostained: {sum(known)} of {len(known)} crops, {sum(refused)} of {len(refused)} of skin")
    assert np.mean(refused) <= 0.01


@with_pictures
def test_foreign_pictures_are_no_tiles():
    truth = load_challenge("puma").read_truth(samples.test_sets("puma")["sample"].path)
    known = measured(truth, tile=True).known
    # Quality and parts of photographs are kept, not of tiles: these are the parts without the whole.
    far = [known.unlikeness(one.parts[1:]).far for one in foreign()]
    print("puma", counted(sum(far), len(far)))
    assert all(far)
    assert not any(known.unlikeness(known.features[i], i).far for i in range(len(known)))


@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_skin_without_a_lesion_is_noticed_more_often_than_a_lesion_is_overlooked(challenge, key, monkeypatch):
    among = of_set(challenge, key).qualities
    own = [lesion_level(among, one) for one in among if one is not None]
    new = [lesion_level(among, of_photograph(one)) for one in fresh(challenge, key)]
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
    assert bare.count(STOP) + bare.count(CAUTION) >= 0.6 * len(bare)
    assert counted(new.count(STOP), len(new)).low <= 0.02


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
