"""Chips: every sample image blurred is called blurred, stained tissue is not skin, what is too small stops;
percentiles by counting."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage
from sklearn.datasets import load_sample_image

from scoring import load_challenge
from scoring.challenges import samples
from scoring.inference.model_pool import Cancelled
from scoring.metrics.image_quality import Quality
from scoring.single_image.abstention import reasons
from scoring.single_image.photograph import received
from scoring.single_image.quality import (
    CAUTION,
    GOOD,
    NOTE,
    STOP,
    measured,
    of_photograph,
    percentile,
    photograph_chips,
    tile_chips,
)
from tests.support.single_image import lesion, measure


@pytest.fixture(scope="module")
def truth():
    return load_challenge("tricorder3").read_truth(samples.test_sets("tricorder3")["sample"].path)


@pytest.fixture(scope="module")
def tile():
    path = samples.FOLDER / "puma" / "truth" / "sample_primary_roi_002.tif"
    return received(path.read_bytes()).pixels


@cache
def of_lesion(seed: int) -> Quality:
    """Measures of a drawn lesion, with which several tests compare."""
    return measure(lesion(256, seed))


@pytest.fixture(scope="module")
def shown(truth):
    """Photographs of some cases."""
    return [received(truth.picture(index)) for index in range(0, 220, 27)]


def levels(found, **more) -> dict[str, str]:
    return {chip.name: chip.level for chip in photograph_chips(found, **more)}


def test_blur_is_called_blur(shown):
    for one in shown:
        blurred = ndimage.gaussian_filter(one.small, (3, 3, 0))
        assert levels(measure(blurred))["sharpness"] in (CAUTION, STOP)


def test_most_sample_images_are_good(shown):
    found = [levels(of_photograph(one), shortest_side=512) for one in shown]
    for name in ("size", "exposure", "colours"):
        assert {chips[name] for chips in found} == {GOOD}
    assert np.mean([chips["sharpness"] == GOOD for chips in found]) >= 0.6


def test_stained_tissue_is_not_skin(tile):
    (chip,) = (chip for chip in photograph_chips(measure(tile)) if chip.name == "colours")
    assert chip.level == STOP
    assert "PUMA" in chip.words
    assert any("stained tissue" in words for words in reasons(1, None, None, photograph_chips(measure(tile))))
    assert levels(measure(np.full((512, 512, 3), (40, 160, 40), np.uint8)))["colours"] == CAUTION


def test_colours_are_those_of_skin_where_the_test_set_has_such_skin(tile):
    def blue(seed: int) -> np.ndarray:
        return lesion(256, seed)[..., ::-1]

    among = [measure(blue(seed)) for seed in range(30)]
    assert levels(measure(blue(30)))["colours"] != GOOD
    assert levels(measure(blue(30)), among=among)["colours"] == GOOD
    mostly_skin = [of_lesion(seed) for seed in range(30)]
    assert levels(measure(tile), among=mostly_skin)["colours"] == STOP


@pytest.mark.parametrize(
    ("shape", "side", "level"),
    [((511, 900), 512, STOP), ((512, 900), 512, GOOD), ((224, 900), 0, GOOD), ((223, 900), 0, CAUTION)],
)
def test_too_small_stops(shape, side, level):
    pixels = lesion(900)[: shape[0], : shape[1]]
    assert levels(measure(pixels), shortest_side=side)["size"] == level


@pytest.mark.parametrize(
    ("pixels", "level"),
    [
        (lesion() // 8, CAUTION),
        (lesion() // 3 + 170, CAUTION),
        (lesion(), GOOD),
    ],
)
def test_exposure(pixels, level):
    assert levels(measure(pixels))["exposure"] == level


def test_dark_skin_among_light_skin_is_not_badly_exposed():
    dark = (lesion(256) * 0.4).astype(np.uint8)
    assert levels(measure(dark), among=[of_lesion(seed) for seed in range(20)])["exposure"] == GOOD


def test_a_picture_in_which_nothing_stands_out_shows_no_lesion():
    among = [of_lesion(seed) for seed in range(60)]
    skin = np.clip(np.random.default_rng(0).normal([205, 160, 140], 4, (256, 256, 3)), 0, 255).astype(
        np.uint8
    )
    assert levels(measure(skin), among=among)["lesion"] == STOP
    assert levels(measure(lesion(256, 100)), among=among)["lesion"] == GOOD
    (chip,) = (c for c in photograph_chips(measure(skin), among=among) if c.name == "lesion")
    assert "0 of 60 (0%; 0 to 6%) test images" in chip.words
    assert any("No lesion" in words for words in reasons(1, None, None, (chip,)))
    assert "lesion" not in levels(measure(skin))
    assert levels(measure(skin), among=among[:20])["lesion"] == STOP
    assert "lesion" not in levels(measure(skin), among=among[:19])


def test_a_black_frame_is_said():
    pixels = lesion()
    pixels[:60] = 0
    (chip,) = (chip for chip in photograph_chips(measure(pixels)) if chip.name == "frame")
    assert (chip.level, chip.value) == (NOTE, "12% of the area")  # 60 of 512 rows
    assert "a black frame. Some models mistake the frame for a part of the lesion." in chip.words
    assert "frame" not in levels(measure(lesion()))


@pytest.mark.parametrize("box", [None, (250, 100, 450, 300), (0, 0, 150, 150), (0, 200, 250, 427)])
def test_a_dark_background_is_no_black_frame(box):
    flower = Image.fromarray(load_sample_image("flower.jpg"))
    assert "frame" not in levels(measure(np.asarray(flower.crop(box) if box else flower)))


def test_tiles(tile):
    assert {chip.name: chip.level for chip in tile_chips(measure(tile), 1024, 1024, 0.23, 0.23)} == {
        "size": GOOD,
        "scale": GOOD,
        "sharpness": GOOD,
        "exposure": GOOD,
        "tissue": GOOD,
    }
    assert [
        chip.level for chip in tile_chips(measure(tile), 900, 1024, 0.23, 0.23) if chip.name == "size"
    ] == [NOTE]
    for micrometres, level in ((None, NOTE), (0.25, GOOD), (0.46, CAUTION), (0.11, CAUTION)):
        (scale,) = (c for c in tile_chips(measure(tile), 1024, 1024, 0.23, micrometres) if c.name == "scale")
        assert scale.level == level
    for pixels in (lesion(), np.full((512, 512, 3), 250, np.uint8)):
        assert [
            chip.level
            for chip in tile_chips(measure(pixels), 1024, 1024, 0.23, 0.23)
            if chip.name == "tissue"
        ] == [CAUTION]


def drawn_on(ground, *spots) -> Quality:
    """Spots in two colours, side by side in turn, on a ground."""
    pixels = np.tile(np.array(ground), (512, 512, 1)).astype(float)
    for place, colour in enumerate(spots * 8):
        y, x = divmod(place, 4)
        pixels[64 * (y % 8) + 16 : 64 * (y % 8) + 48, 128 * x + 16 : 128 * x + 80] = colour
    pixels += np.random.default_rng(0).normal(0, 4, pixels.shape)
    return measure(np.clip(pixels, 0, 255).astype(np.uint8))


BROWN, BLUE, BLUE_GREY = (120, 75, 40), (100, 115, 175), (90, 95, 115)


def test_blue_and_brown_stain_is_tissue_and_not_a_lesion():
    """A field of DAB and haematoxylin was answered "Melanoma 0.95": only the colours of H&E were known."""
    field = drawn_on((236, 232, 228), BLUE, BROWN)
    assert field.tissue.immunostained
    lesions = [of_lesion(0)] * 30
    (colours,) = [chip for chip in photograph_chips(field, among=lesions) if chip.name == "colours"]
    assert colours.level == STOP
    assert "immunostained tissue" in reasons(0.9, None, None, (colours,))[0]


def test_colours_of_stain_that_the_test_set_has_too_are_no_reason_to_refuse():
    """Melanomas in blue light and white frames, with little skin, were refused as immunostained tissue."""
    field = drawn_on((236, 232, 228), BLUE, BROWN)
    assert levels(field)["colours"] == CAUTION
    assert levels(field, among=[of_lesion(0)] * 30 + [field])["colours"] != STOP
    assert not drawn_on((150, 150, 165), BLUE, BROWN).tissue.immunostained


@pytest.mark.parametrize("skin", [(205, 160, 140), (228, 196, 184), (110, 75, 58), (190, 150, 165)])
def test_a_brown_and_blue_grey_lesion_on_skin_is_no_stained_tissue(skin):
    assert not drawn_on(skin, BLUE_GREY, BROWN).tissue.immunostained
    assert not drawn_on(skin, BLUE, BROWN).tissue.immunostained


def test_percentiles_count_those_below(truth):
    said = []
    among = measured(_some(truth, 6), lambda done, total: said.append((done, total))).qualities
    assert said == [(n, 6) for n in range(1, 7)]
    values = [one.sharpness for one in among]
    chosen = sorted(values)[4]
    assert percentile("sharpness", chosen, (*among, None)) == pytest.approx(4 / 6)
    assert percentile("sharpness", 1.0, [None]) is None
    blurred = measure(ndimage.gaussian_filter(lesion(), (6, 6, 0)))
    (chip,) = (chip for chip in photograph_chips(blurred, among=among) if chip.name == "sharpness")
    assert chip.percentile == 0
    assert chip.words.startswith("This image is blurrier than every test image.")


def test_sharpness_is_said_by_the_share_of_test_images_that_are_less_sharp():
    usual = measure(lesion())
    among = [replace(usual, sharpness=usual.sharpness * (0.9 + n / 500)) for n in range(100)]
    this = replace(usual, sharpness=usual.sharpness * (0.9 + 87.5 / 500))
    (chip,) = (chip for chip in photograph_chips(this, among=among) if chip.name == "sharpness")
    assert chip.value == "in the usual range (sharper than 88% of the test images)"


def test_less_light_is_no_blur():
    """A picture of dark skin, its pixels multiplied by 0.4, was "blurrier than every test image"."""
    usual = measure(lesion())
    among = [replace(usual, sharpness=usual.sharpness * (0.5 + n / 20)) for n in range(21)]
    darker = (lesion() * 0.4).astype(np.uint8)
    for pixels, level in ((darker, GOOD), (ndimage.gaussian_filter(darker, (6, 6, 0)), STOP)):
        (chip,) = (c for c in photograph_chips(measure(pixels), among=among) if c.name == "sharpness")
        assert chip.level == level


def test_measuring_stops_when_asked_and_passes_over_what_cannot_be_read(truth):
    with pytest.raises(Cancelled):
        measured(truth, cancelled=lambda: True)

    class Odd:
        def __len__(self):
            return 2

        def picture(self, index):
            return [None, b"no image"][index]

    assert measured(Odd()).qualities == (None, None)
    assert len(measured(Odd()).known) == 0


@pytest.mark.parametrize(
    ("name", "chip", "low", "high"),
    [
        ("sharpness", "sharpness", "blurrier", "more fine detail"),
    ],
)
def test_what_is_beyond_the_test_set_on_either_side_is_a_caution(name, chip, low, high):
    usual = measure(lesion())
    among = [replace(usual, **{name: getattr(usual, name) * scale}) for scale in np.linspace(0.97, 1.03, 200)]
    for scale, level, words in ((0.9, CAUTION, low), (1, GOOD, ""), (1.1, CAUTION, high)):
        strange = replace(usual, **{name: getattr(usual, name) * scale})
        (found,) = (c for c in photograph_chips(strange, among=among) if c.name == chip)
        assert found.level == level
        assert words in found.words


def test_of_too_few_images_nothing_is_usual():
    usual = measure(lesion())
    (found,) = (
        c
        for c in photograph_chips(replace(usual, sharpness=usual.sharpness * 9), among=[usual] * 19)
        if c.name == "sharpness"
    )
    assert found.level == GOOD


def _some(truth, count: int):
    class Few:
        def __len__(self):
            return count

        def picture(self, index):
            return truth.picture(index)

    return Few()


def test_no_share_is_rounded_to_every_image():
    """Blurrier than all but one of 300 was "100%", beside "every test image" elsewhere."""
    sharp = measure(lesion())
    among = [replace(sharp, sharpness=sharp.sharpness * (0.5 if n == 0 else 9)) for n in range(300)]
    chip = next(one for one in photograph_chips(sharp, 0, among) if one.name == "sharpness")
    assert chip.words.startswith("This image is blurrier than 99% of the test images.")


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (0.1, "blurrier than every other test image."),
        (9, "more fine detail than every other test image has."),
    ],
)
def test_a_test_image_is_compared_with_the_others(scale, words):
    usual = measure(lesion())
    among = [replace(usual, sharpness=usual.sharpness * (1 + n / 1000)) for n in range(200)]
    among[7] = replace(usual, sharpness=usual.sharpness * scale)
    chip = next(one for one in photograph_chips(among[7], 0, among, own=7) if one.name == "sharpness")
    assert words in chip.words
    assert chip.percentile == (scale > 1)
    ordinary = next(one for one in photograph_chips(among[100], 0, among, own=100) if one.name == "sharpness")
    assert ordinary.value.endswith("of the other test images)")
