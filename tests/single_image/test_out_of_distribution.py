"""Foreign pictures are caught, and the test sets' own images are not: the rates that the page states."""

import io
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PIL import Image

from scoring import load_challenge
from scoring.challenges import samples
from scoring.metrics.image_quality import FEATURES, appearance, patches
from scoring.single_image import saved_measures
from scoring.single_image.likeness import likeness_chip, other_field
from scoring.single_image.out_of_distribution import KnownImages, OutlierScore, known_images
from scoring.single_image.photograph import received
from scoring.single_image.quality import CAUTION, GOOD, NOTE, STOP, measured, seen_parts
from tests.support import photographs
from tests.support.foreign import GALLERY, gallery
from tests.support.single_image import lesion, photograph

SETS = [("tricorder3", "sample"), ("melanoma", "sample"), ("isic", "isic2018"), ("isic", "isic2019")]
FEW_SETS = [("tricorder3", "sample"), ("isic", "isic2019")]
IMAGES = 40
"""Images of a set that are taken, spread over it; the soak tests measure all of every set."""
SEEDS, SOAK_SEEDS = 1, 20
"""Foreign pictures of each kind."""
TILE_SUPPORT = 3
"""Stained tiles among the foreign pictures; the soak tests take all."""


def truth_of(challenge: str, key: str):
    return load_challenge(challenge).read_truth(samples.test_sets(challenge)[key].path)


@cache
def thinned(challenge: str, key: str) -> KnownImages:
    """Some images of a set, as they were measured: tests/sample_data measures some of them again."""
    whole = saved_measures.saved(truth_of(challenge, key)).known
    return known_images([whole.features[i] for i in np.linspace(0, len(whole) - 1, IMAGES).astype(int)])


@cache
def strange(seeds: int, tiles: int) -> list[np.ndarray]:
    """Appearance of drawn foreign pictures and of stained tiles, as photographs of skin are measured."""
    drawn = [photograph(one) for kind in gallery(seeds).values() for one in kind]
    stained = truth_of("puma", "sample")
    drawn += [received(stained.picture(index)) for index in range(min(tiles, len(stained)))]
    return [seen_parts(one) for one in drawn]


def rates(known: KnownImages, foreign_parts: list[np.ndarray]) -> tuple[float, float]:
    """Share of the test set's own images, and of the foreign pictures, that are called unlike it."""
    own = np.mean([known.unlikeness(known.features[i], known.indices[i]).unlike for i in range(len(known))])
    return float(own), float(np.mean([known.unlikeness(parts).unlike for parts in foreign_parts]))


@pytest.mark.parametrize(("challenge", "key"), FEW_SETS)
def test_rates_on_some_images(challenge, key):
    own, caught = rates(thinned(challenge, key), strange(SEEDS, TILE_SUPPORT))
    assert own <= 0.05
    assert caught >= 0.95


@pytest.mark.soak
@pytest.mark.parametrize(("challenge", "key"), SETS)
def test_rates_on_every_image_of_every_sample_set(challenge, key):
    known = measured(truth_of(challenge, key)).known
    own, caught = rates(known, strange(SOAK_SEEDS, 8))
    assert own <= 0.05
    assert caught >= 0.95
    assert known.unlikeness(known.features[0], known.indices[0]).false_alarms == round(own * len(known))


@pytest.mark.parametrize(
    ("seeds", "lesions"), [(SEEDS, 2), pytest.param(SOAK_SEEDS, 10, marks=pytest.mark.soak)]
)
def test_rates_on_tiles(seeds, lesions):
    known = saved_measures.saved(truth_of("puma", "sample"), tile=True).known
    skin = truth_of("tricorder3", "sample")
    foreign_pictures = [photograph(one) for kind in gallery(seeds).values() for one in kind]
    foreign_pictures += [
        received(skin.picture(index)) for index in range(0, len(skin), len(skin) // lesions)[:lesions]
    ]
    assert not any(known.unlikeness(known.features[i], i).unlike for i in range(len(known)))
    assert all(known.unlikeness(seen_parts(one, tile=True)).far for one in foreign_pictures)


def test_orange_fur_gets_no_green_tick():
    known = thinned("tricorder3", "sample")
    for drawn in gallery(4, "fur")["fur"]:
        (chip,) = likeness_chip(known.unlikeness(seen_parts(photograph(drawn))))
        assert chip.level in (CAUTION, STOP)
        assert "%" in chip.words
        assert f"of {len(known)} (" in chip.words


def test_a_case_is_held_against_the_others():
    rows = np.random.default_rng(0).normal(0, 1, (40, 1, FEATURES))
    rows[7] += 9
    known = known_images([*rows[:20], None, *rows[20:]], tile=True)
    assert known.indices.tolist() == [*range(20), *range(21, 41)]
    others = known_images(list(np.delete(rows, 7, 0)), tile=True)
    assert known.unlikeness(rows[7], 7).distance == pytest.approx(others.distance(rows[7]))
    assert known.unlikeness(rows[7], 7).distance > known.distance(rows[7])
    assert known.unlikeness(rows[7], 7).unlike
    assert known.unlikeness(rows[7], 7).false_alarms == 1


@pytest.mark.parametrize(
    ("tile", "odd_parts", "far"),
    [
        (False, range(1, 9), True),
        (False, [1, 2, 3, 4, 6, 7, 8], True),
        (False, [0, 5], True),
        (False, [1, 2], False),
        (True, range(8), True),
    ],
)
def test_a_photograph_counts_by_itself_its_middle_and_what_is_around(tile, odd_parts, far):
    """Cats were answered among 120 real lesions: what was around their middle looked like usual skin."""
    rows = np.random.default_rng(0).normal(0, 1, (60, 10, FEATURES))
    asked = np.zeros((10, FEATURES))
    asked[list(odd_parts)] += 9
    assert known_images(list(rows), tile).unlikeness(asked).far == far


def test_copies_of_an_image_change_no_limit():
    """Twenty copies of one image took the limit from 1.2 to 22: every foreign picture got an answer."""
    rows = np.random.default_rng(0).normal(0, 1, (100, 10, FEATURES))
    known, copied = known_images(list(rows)), known_images([*rows, *[rows[3]] * 20])
    asked = np.full((10, FEATURES), 3.0)
    assert copied.unlikeness(asked).far
    assert copied.unlikeness(asked).far_limit == known.unlikeness(asked).far_limit
    assert copied.left_out[[3, 100, 119]].tolist() == [known.left_out[3]] * 3
    assert known_images([rows[0]] * 30).unlikeness(asked).far


def test_near_copies_of_an_image_count_once():
    """A picture saved again differs a little: twenty such copies lifted the limit as exact ones did."""
    random = np.random.default_rng(0)
    rows = random.normal(0, 1, (100, 10, FEATURES))
    again = rows[3] + random.normal(0, 0.1, (20, 10, FEATURES))
    known, copied = known_images(list(rows)), known_images([*rows, *again])
    asked = np.full((10, FEATURES), 3.0)
    assert copied.unlikeness(asked).far
    assert copied.unlikeness(asked).far_limit == pytest.approx(known.unlikeness(asked).far_limit, rel=0.02)
    assert len(set(copied.left_out[[3, *range(100, 120)]])) == 1


def test_a_picture_saved_again_is_a_near_copy_and_no_other_is():
    truth = truth_of("tricorder3", "sample")
    features = list(saved_measures.saved(truth).known.features)
    again = []
    for index in (0, 100, 200):
        with Image.open(io.BytesIO(truth.picture(index))) as image:
            image.thumbnail((400, 400))
            again.append(seen_parts(received(photographs.encoded(np.asarray(image), "JPEG", quality=90))))
    factors = known_images([*features, *again]).left_out
    assert factors[len(features) :].tolist() == factors[[0, 100, 200]].tolist()
    assert len(set(factors[: len(features)])) == len(features)


def test_the_images_that_look_most_alike_come_first():
    rows = np.random.default_rng(0).normal(0, 1, (40, 1, FEATURES))
    rows[[5, 31]] = rows[12] + [[[0.01]], [[0.02]]]
    known = known_images([None, *rows])
    assert known.alike(rows[12], 3) == [13, 6, 32]
    assert known.alike(rows[12], 2, own=13) == [6, 32]
    assert known.alike(rows[12], 2, 13, {32, 13}) == [32], "6 shows the same patient"
    assert known_images(list(rows[:4])).alike(rows[0], 3) == []


def test_new_images_of_the_same_kind_are_called_unlike_as_rarely_as_is_said():
    random = np.random.default_rng(0)
    mixed = random.normal(0, 1, (FEATURES, FEATURES))

    def drawn(count):
        return (random.standard_t(6, (count, FEATURES)) @ mixed)[:, None]

    beyond = []
    for _ in range(4):
        known = known_images(list(drawn(100)), tile=True)
        beyond += [known.unlikeness(row).unlike for row in drawn(100)]
    assert 0 < np.mean(beyond) <= 0.05


@pytest.mark.parametrize(("count", "known"), [(0, False), (4, False), (5, True), (19, True)])
def test_of_few_images_little_is_known(count, known):
    rows = np.random.default_rng(0).normal(0, 1, (count, 1, FEATURES))
    found = known_images(list(rows), tile=True).unlikeness(np.zeros((1, FEATURES)))
    assert (found is not None) == known
    if found is not None:
        assert found.false_alarms == 0
    assert len(likeness_chip(found)) == known


def test_identical_images_are_no_division_by_nothing():
    rows = np.repeat(appearance(lesion(128))[None, None], 30, 0)
    known = known_images(list(rows), tile=True)
    assert not known.unlikeness(rows[0]).unlike
    assert known.unlikeness(appearance(np.zeros((128, 128, 3), np.uint8))[None]).far


@pytest.mark.parametrize("shape", [(128, 128), (32, 2048), (700, 512)])
def test_appearance_of_any_shape(shape):
    pixels = np.random.default_rng(0).integers(0, 256, (*shape, 3), np.uint8)
    assert appearance(pixels).shape == (FEATURES,)
    assert np.isfinite(appearance(pixels)).all()
    assert patches(pixels, 4).shape == (16, FEATURES)
    assert np.isfinite(appearance(np.zeros_like(pixels))).all()


def test_the_chip_of_a_usual_image_is_good():
    (chip,) = likeness_chip(OutlierScore(0.8, 1.2, 1.4, 2, 0, 100))
    assert chip.level == GOOD
    assert "2 of 100 (2%; 1 to 7%)" in chip.words
    assert "unrelated pictures" not in chip.words
    assert set(GALLERY) >= {"fur", "leaf", "text", "sky", "screen", "black", "noise", "X-ray"}


def test_a_small_test_set_says_how_many_foreign_pictures_pass_beside_it():
    score = OutlierScore(0.8, 1.2, 1.4, 2, 0, 99)
    (chip,) = likeness_chip(score)
    assert chip.level == NOTE
    assert "only 99 images" in chip.words
    assert "with our gallery and 60 real images as the test set, 8 of 100 unrelated pictures" in chip.words
    assert "Of other pictures, more can pass." in chip.words
    assert "18 of 100 photographs of other skin diseases" in chip.words
    (chip,) = likeness_chip(score, "tile")
    assert "With only 99 tiles this limit is rough." in chip.words


def test_a_drawn_test_set_and_one_of_few_images_say_what_their_limit_is_worth():
    """Every photograph of a lesion was "nothing like" images of which nobody said that they are drawn."""
    drawn = OutlierScore(9.0, 1.0, 2.0, 0, 0, 8, generated=True)
    (chip,) = likeness_chip(drawn, "tile")
    assert "test set in light, colours and texture" in chip.words
    assert "With only 8 tiles this limit is rough." in chip.words
    assert "computer-generated, so real tiles are usually unlike the test set" in chip.words
    (chip,) = likeness_chip(replace(drawn, images=200, generated=False), "tile")
    assert "rough" not in chip.words
    assert "computer-generated" not in chip.words


def test_a_tile_that_differs_only_in_its_field_of_view_says_so():
    """A crop of a usual tile was "nothing like" it in light, colours and texture, which are the same."""
    truth = load_challenge("puma").read_truth(next(iter(samples.test_sets("puma").values())).path)
    among = saved_measures.saved(truth, tile=True)
    pixels = received(truth.picture(3)).pixels

    def said(pixels):
        tile = photograph(pixels)
        score = among.known.unlikeness(seen_parts(tile, tile=True))
        return likeness_chip(score, "tile", other_field(score, tile, among))[0]

    crop = said(pixels[:700, :512])
    assert (crop.level, crop.value) == (STOP, "another field of view")
    assert crop.words.startswith(
        "This tile shows another field of view: its shorter side has 512 px, that of the test set's tiles "
        "1024 px. At the same scale, its light, colours and texture are similar to theirs. Of the test set's"
    )
    noise = said(np.random.default_rng(0).integers(0, 256, (512, 512, 3), np.uint8))
    assert noise.words.startswith("This image is nothing like the tiles of the test set in light, colours")
    assert said(pixels).value == "usual"


def test_the_stored_images_of_samples_are_known_to_be_drawn():
    truth = load_challenge("melanoma").read_truth(samples.test_sets("melanoma")["sample"].path)
    known = saved_measures.saved(truth).known
    assert known.unlikeness(known.features[0]).generated
