"""Both maps against models whose answer to hiding is known: linear in the means of patches."""

from dataclasses import replace

import numpy as np
import pytest

from scoring.inference.model_pool import Cancelled
from scoring.single_image import occlusion_saliency, random_mask_saliency
from scoring.single_image.explanation import agreement_line, conclusion, explanation
from scoring.single_image.image_prediction import predict
from scoring.single_image.model_inputs import model_task
from scoring.single_image.saliency import FLOOR, surrounding
from scoring.single_image.whole_picture_test import CHANGES, WholePicture, whole_line
from tests.support.single_image import constant, lesion, model, of_patches, of_quadrant, photograph

MELANOMA = model_task("melanoma")
GREY, BRIGHT = 60, 220


def bright_at(*cells: tuple[int, int], cells_across: int = 16, side: int = 64) -> np.ndarray:
    """Grey, with some cells of a lattice bright."""
    pixels, step = np.full((side, side, 3), GREY, np.uint8), side // cells_across
    for row, column in cells:
        pixels[row * step : (row + 1) * step, column * step : (column + 1) * step] = BRIGHT
    return pixels


def weights_at(cells: dict[tuple[int, int], float], cells_across: int = 16) -> np.ndarray:
    found = np.zeros((cells_across, cells_across))
    for cell, weight in cells.items():
        found[cell] = weight
    return found


def at(found, k: int, cell: tuple[int, int], step: int = 4) -> float:
    """The map's value in the middle of a cell of the 16 x 16 lattice."""
    row, column = cell
    return float(found.picture(k)[row * step + step // 2, column * step + step // 2])


SUPPORTS, OPPOSES = (5, 9), (10, 3)


@pytest.fixture(scope="module")
def linear():
    """A risk of 0.2 + 0.6 x one bright patch - 0.25 x another: hiding them changes it by what is known."""
    # The mean of the whole image would move the risk: only the two patches count.
    pixels = bright_at(SUPPORTS, OPPOSES)
    weights = weights_at({SUPPORTS: 0.9, OPPOSES: -0.4})
    with model(of_patches(weights), MELANOMA) as found:
        one = predict(found, photograph(pixels))
        yield one, explanation(found, one, 16)


@pytest.mark.parametrize(("cell", "weight"), [(SUPPORTS, 0.9), (OPPOSES, -0.4)])
def test_random_halves_tell_the_fall_of_the_score(linear, cell, weight):
    """Within a tenth of the known change; the covariance alone is 6 to 10 times smaller."""
    known = weight * (BRIGHT - GREY) / 255
    assert at(linear[1].random_halves, 1, cell) == pytest.approx(known, abs=0.1 * abs(known) + 0.02)
    assert at(linear[1].random_halves, 0, cell) == pytest.approx(-known, abs=0.1 * abs(known) + 0.02)


def test_a_place_that_alone_matters_has_the_very_fall():
    """No noise, whatever the masks: score and mask are one."""
    drawn = random_mask_saliency.random_masks(64, 0)
    with model(of_patches(weights_at({SUPPORTS: 0.9})), MELANOMA) as found:
        one = predict(found, photograph(bright_at(SUPPORTS)))
        slopes = random_mask_saliency.masks(found, one, 64)
        changed = list(random_mask_saliency.masked(one.prepared, drawn))
        scores = np.array([predict(found, photograph(pixels)).probabilities[1] for pixels in changed])
    row, column = (round((place + 0.5) * 24 / 16 - 0.5) for place in SUPPORTS)
    mask = drawn[:, row, column]
    assert slopes.drops[1, row, column] == pytest.approx(np.polyfit(mask, scores, 1)[0], rel=1e-4)


def test_one_by_one_tells_the_same_fall(linear):
    one, found = linear
    for cell, weight in ((SUPPORTS, 0.9), (OPPOSES, -0.4)):
        known = weight * (BRIGHT - GREY) / 255
        assert found.one_by_one.drops[1][cell] == pytest.approx(known, rel=0.25)
    assert surrounding(one.prepared).tolist() == [GREY] * 3


def test_maps_of_a_linear_model_agree(linear):
    _, found = linear
    assert found.correlation(1) > 0.5
    assert found.one_by_one.matters(1)
    assert found.random_halves.matters(1)
    line = agreement_line(found, 1, "Melanoma")
    assert line.startswith("The two maps")
    assert "do not agree" not in line


def test_nothing_matters_to_a_constant_model():
    with model(constant()) as found:
        maps = explanation(found, predict(found, photograph(bright_at(SUPPORTS))), 5, 16)
    assert maps.correlation(3) is None
    assert not any(one.matters(3) for one in maps.maps)
    assert agreement_line(maps, 3, "x").startswith("Hiding small parts shows no effect")


def test_below_the_floor_nothing_is_claimed():
    with model(of_patches(weights_at({SUPPORTS: 0.05})), MELANOMA) as found:
        maps = explanation(found, predict(found, photograph(bright_at(SUPPORTS))), 8, 64)
    assert 0 < maps.one_by_one.strongest(1) < FLOOR
    assert agreement_line(maps, 1, "x").startswith("Hiding small parts shows no effect")


def test_an_effect_that_is_shown_as_the_limit_counts(linear):
    """0.0496 was shown as 0.05 and called no effect, while a change of 0.05 over time counted."""
    before, changed = np.array([0.5, 0.5]), np.array([0.4504, 0.5496])
    whole = WholePicture(before, dict.fromkeys(CHANGES, changed))
    assert "changes x from 0.50: lighter 0.55" in whole_line(whole, 1, "x", 0.0)
    one = replace(linear[1].one_by_one, drops=np.full((2, 8, 8), 0.0496), noise=np.zeros(2))
    assert one.matters(1)
    assert not replace(one, drops=one.drops * 0.9).matters(1)
    assert not replace(one, noise=np.full(2, 0.0497)).matters(1)


def test_chance_is_no_part_that_matters():
    """Scores that have nothing to do with the masks: beyond the noise in about 5 of 100 maps."""
    random, drawn = np.random.default_rng(0), random_mask_saliency.random_masks(64, 0)
    drops, noise = random_mask_saliency.slopes(random.normal(0.5, 0.1, (64, 400)), drawn)
    beyond = np.abs(drops).max((1, 2)) > noise
    assert 0.01 <= beyond.mean() <= 0.09


def sentence(linear, correlated: float, matter: tuple[bool, bool]) -> str:
    """What is said of two maps of which one is as the other, mixed with something else."""
    _, found = linear
    first = np.zeros((2, 8, 8))
    first[1] = np.random.default_rng(0).normal(0, 1, (8, 8))
    other = np.random.default_rng(1).normal(0, 1, (8, 8))
    other -= first[1] * (other * first[1]).sum() / (first[1] ** 2).sum()
    second = first * 0
    second[1] = correlated * first[1] + np.sqrt(1 - correlated**2) * other
    sizes = [1.0 if one else 0.001 for one in matter]
    maps = replace(
        found,
        one_by_one=replace(found.one_by_one, drops=first * sizes[0]),
        random_halves=replace(found.random_halves, drops=second * sizes[1], noise=np.zeros(2)),
    )
    return agreement_line(maps, 1, "Melanoma")


@pytest.mark.parametrize(
    ("correlated", "matter", "words"),
    [
        (0.95, (True, True), "largely agree (correlation 0."),
        (0.5, (True, True), "agree in part only"),
        (-0.5, (True, True), "do not agree (correlation -0."),
        (0.9, (False, True), "half of the image is already hidden, hiding one more part changes the score"),
        (0.9, (True, False), "do not rely on either map"),
        (0.9, (False, False), "Hiding small parts shows no effect"),
    ],
)
def test_how_far_maps_agree_is_a_sentence(linear, correlated, matter, words):
    assert words in sentence(linear, correlated, matter)


def test_progress_counts_both_and_cancelling_stops_either():
    said = []
    with model(of_patches(weights_at({SUPPORTS: 0.9})), MELANOMA) as found:
        one = predict(found, photograph(bright_at(SUPPORTS)))
        explanation(found, one, 5, 8, lambda done, total: said.append((done, total)))
        assert said[0] == (0, 40)
        assert said[-1] == (40, 40)
        with pytest.raises(Cancelled):
            explanation(found, one, 5, 8, cancelled=lambda: len(said) > 0)
    assert occlusion_saliency.GRID == 8


def everywhere(red: float, green: float, blue: float, where=np.ones((8, 8))) -> np.ndarray:
    """Weights of a colour's mean over the marked cells."""
    weights: np.ndarray = 3 * np.array([red, green, blue])[:, None, None] * where / where.sum()
    return weights


def quadrant(down: int, right: int) -> np.ndarray:
    marked = np.zeros((8, 8))
    marked[4 * down : 4 * down + 4, 4 * right : 4 * right + 4] = 1
    return marked


RIM = np.ones((8, 8))
RIM[1:-1, 1:-1] = 0
TONE_SECRETS = {
    "brightness": everywhere(0.3, 0.3, 0.3),
    "redness": everywhere(2.5, -2.5, 0),
    "yellowness": everywhere(0, 5, -5),
    "skin tone": everywhere(0.3, 0.3, 0.3, RIM),
    "redness of the skin": everywhere(2.5, -2.5, 0, RIM),
    **{f"quadrant {d}{r}": everywhere(0.3, 0.3, 0.3, quadrant(d, r)) for d in (0, 1) for r in (0, 1)},
    "redness of a quadrant": everywhere(2.5, -2.5, 0, quadrant(1, 1)),
}
PLACE_SECRETS = [(2, 2), (5, 9), (8, 8), (12, 4), (10, 13)]


@pytest.mark.parametrize("secret", TONE_SECRETS)
def test_models_that_go_by_light_or_colour_are_found_out(secret):
    """Nothing in their maps shows it; the page said that no part of the image matters."""
    with model(of_patches(TONE_SECRETS[secret]), MELANOMA) as found:
        maps = explanation(found, predict(found, photograph(lesion(64))), 8, 64)
    _, whole = conclusion(maps, 1, "Melanoma")
    assert whole.startswith("Light or colour of the whole image changes Melanoma")
    assert "larger than the effect of hiding any part" in whole


@pytest.mark.parametrize("place", PLACE_SECRETS)
def test_models_that_go_by_a_place_are_shown_at_it(place):
    with model(of_patches(weights_at({place: 0.9})), MELANOMA) as found:
        maps = explanation(found, predict(found, photograph(bright_at(place))), 8, 64)
    parts, whole = conclusion(maps, 1, "Melanoma")
    assert parts.startswith("The two maps")
    assert maps.one_by_one.largest(1)[:2] == (place[0] // 2, place[1] // 2)
    assert "larger than the effect of hiding any part" not in whole


def test_hiding_the_middle_counts_beside_light_and_colour():
    """Grey took 0.39 and hiding the middle 0.41: "more than the effect of any part" was untrue."""
    after = {name: np.array([0.5]) for name in CHANGES} | {"grey": np.array([0.11])}
    parts = WholePicture(np.array([0.5]), after | {"middle hidden": np.array([0.09])})
    assert "more than" not in whole_line(parts, 0, "x", 0.1)
    assert "larger than the effect of hiding any part" in whole_line(
        WholePicture(np.array([0.5]), after), 0, "x", 0.1
    )


@pytest.mark.parametrize(
    ("around", "middle", "said"), [(0.13, 0.78, True), (0.69, 0.78, False), (0.13, 0.3, False)]
)
def test_a_score_that_hangs_on_the_surroundings_is_told(around, middle, said):
    """A cheek whose "melanoma 0.82" fell to 0.13 without its surroundings, and to 0.78 without its middle."""
    after = {name: np.array([0.74]) for name in CHANGES}
    after |= {"all around hidden": np.array([around]), "middle hidden": np.array([middle])}
    line = whole_line(WholePicture(np.array([0.82]), after), 0, "melanoma", 0.1)
    assert ("the score depends more on the surroundings than on the middle" in line) == said


def test_a_sum_over_parts_repeats_no_information():
    """The mean of one quadrant: no single part matters, and none repeats another."""
    pixels = np.full((64, 64, 3), GREY, np.uint8)
    pixels[::4, 32:], pixels[:, 32::3] = BRIGHT, 200
    with model(of_quadrant(), MELANOMA) as found:
        maps = explanation(found, predict(found, photograph(pixels)), 8, 256)
    assert agreement_line(maps, 1, "Melanoma").endswith("even if the whole score depends on the part.")


def test_a_corner_in_the_colour_of_skin_is_not_said_to_add_too_little():
    """A model of one corner: "each part adds too little by itself", and all of the score came from it."""
    pixels, weights = np.full((64, 64, 3), 200, np.uint8), np.zeros((4, 4))
    pixels[24:40, 24:40], weights[0, 0] = 90, 1
    with model(of_patches(weights), MELANOMA) as found:
        maps = explanation(found, predict(found, photograph(pixels)), 8, 256)
    parts, whole = conclusion(maps, 1, "melanoma")
    assert "too little" not in parts
    assert "a part that has this colour shows no effect" in parts
    assert "A single part can be the cause." in whole


def test_a_constant_model_is_moved_by_nothing():
    with model(constant()) as found:
        maps = explanation(found, predict(found, photograph(lesion(64))), 5, 16)
    parts, whole = conclusion(maps, 3, "x")
    assert parts.startswith("Hiding small parts shows no effect")
    assert whole == (
        "Making the whole image lighter, darker, warmer, cooler or grey changes x by at most 0.00."
    )


def test_a_large_hidden_area_with_an_effect_is_not_passed_over():
    """ "Hiding parts shows no effect" stood beside 0.12 with all around hidden, from 0.85."""
    with model(constant()) as found:
        maps = explanation(found, predict(found, photograph(lesion(64))), 5, 16)
    after = {name: np.full(11, 0.85) for name in CHANGES} | {"all around hidden": np.full(11, 0.12)}
    line = agreement_line(replace(maps, whole=WholePicture(np.full(11, 0.85), after)), 3, "x")
    assert (
        "changes the score from 0.85: with the middle hidden it is 0.85, with all around hidden 0.12." in line
    )
    assert "large area" not in agreement_line(maps, 3, "x")
