"""Stretching by products of matrices is Pillow's, to the last bit."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from scoring.inference import preprocessing, resampling
from scoring.inference.preprocessing import Recipe, stretch, stretched
from scoring.inference.resampling import BITS, FILTERS, FRACTION, along_height, along_width, weights
from tests.support.thinned import some_rows

SIZES = st.integers(1, 70)


def picture(seed: int, width: int, height: int, colours: str) -> np.ndarray:
    """Noise, noise of black and white alone, or a smooth picture."""
    random = np.random.default_rng(seed)
    if colours == "smooth":
        small = Image.fromarray(random.integers(0, 256, (4, 5, 3), np.uint8))
        return np.array(small.resize((width, height), Image.Resampling.BICUBIC))
    values = np.array([0, 255] if colours == "black and white" else range(256), np.uint8)
    return random.choice(values, (height, width, 3))


def by_pillow(pixels: np.ndarray, width: int, height: int, name: str) -> np.ndarray:
    return np.array(stretch(Image.fromarray(pixels), [(width, height, name)]))


def by_matrices(pixels: np.ndarray, width: int, height: int, name: str) -> np.ndarray:
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1))
    planes = along_width(planes, weights(planes.shape[2], width, name))
    return along_height(planes, weights(planes.shape[1], height, name)).transpose(1, 2, 0)


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch):
    known: dict = {}
    monkeypatch.setattr(preprocessing, "_known", lambda *key: known.setdefault(key, preprocessing._Known()))
    return known


@given(
    st.integers(0, 9),
    st.tuples(SIZES, SIZES),
    st.tuples(SIZES, SIZES),
    st.sampled_from(sorted(FILTERS)),
    st.sampled_from(["noise", "black and white", "smooth"]),
)
def test_it_is_pillows(seed, before, after, name, colours):
    pixels = picture(seed, *before, colours)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "MOST_OPEN", 1)
        assert np.array_equal(by_matrices(pixels, *after, name), by_pillow(pixels, *after, name))


BEFORE = [(800, 600), (600, 450), (1024, 768), (2304, 1728), (333, 517)]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    some_rows([*itertools.product(sorted(FILTERS), BEFORE, [(512, 512), (224, 224)])], 3),
)
def test_it_is_pillows_at_the_sizes_of_photographs(monkeypatch, name, before, after):
    monkeypatch.setattr(resampling, "MOST_OPEN", 1)
    pixels = picture(1, *before, "noise")
    assert np.array_equal(by_matrices(pixels, *after, name), by_pillow(pixels, *after, name))


@given(st.integers(0, 99), st.integers(1, 400), st.integers(1, 60), st.sampled_from(sorted(FILTERS)))
def test_what_float32_leaves_open_is_within_the_bound(seed, before, after, name):
    by = weights(before, after, name)
    random = np.random.default_rng(seed)
    pixels = random.choice(np.array([0, 1, 128, 254, 255]), before).astype(np.int64)
    for places, used, dense in by.blocks:
        units = (dense @ pixels[used].astype(np.float32) + resampling.SHIFT).view(np.int32)
        units -= resampling.SHIFT.view(np.int32)
        for place, unit in zip(range(places.start, places.stop), units.tolist(), strict=True):
            values = pixels[by.first[place] :][: by.whole.shape[1]]
            exact = int(values @ by.whole[place, : len(values)])
            assert abs(unit - exact / 2 ** (BITS - FRACTION)) < by.open_within + 1


@given(st.integers(1, 60), st.integers(1, 9), st.lists(st.integers(0, 539)))
def test_places_of_flags(width, height, places):
    flags = np.zeros((height, width), bool)
    flags.reshape(-1)[[place for place in places if place < flags.size]] = True
    assert resampling._places(flags).tolist() == np.flatnonzero(flags).tolist()


def test_weights_are_those_of_pillow_written_out():
    by = weights(4, 2, "bilinear")
    assert by.first.tolist() == [0, 1]
    third = [round(2**BITS * part / 7) for part in (3, 3, 1)]
    assert by.whole.tolist() == [third, third[::-1]]


def test_from_the_third_image_of_a_size_on_pillow_is_not_asked(monkeypatch, nothing_is_known):
    recipe = Recipe(((40, 30, "lanczos"),))
    calls = []
    monkeypatch.setattr(
        preprocessing, "stretch", lambda image, steps: calls.append(image.size) or stretch(image, steps)
    )
    for seed in range(4):
        pixels = picture(seed, 97, 61, "noise")
        assert np.array_equal(stretched(pixels, recipe), by_pillow(pixels, 40, 30, "lanczos"))
    assert calls == [(97, 61)] * 2
    assert stretched(picture(1, 96, 61, "noise"), recipe).shape == (30, 40, 3)
    assert len(calls) == 3


def test_steps_at_the_size_already_there_change_nothing():
    recipe = Recipe(((97, 61, "lanczos"), (40, 61, "bicubic"), (40, 20, "lanczos")))
    for seed in range(3):
        pixels = picture(seed, 97, 61, "noise")
        assert np.array_equal(
            stretched(pixels, recipe), np.array(stretch(Image.fromarray(pixels), recipe.steps))
        )


@pytest.mark.parametrize("fault", ["another Pillow", "too close", "too large"])
def test_where_it_is_not_pillows_pillow_is_asked_for_ever(monkeypatch, nothing_is_known, fault):
    def wrong(planes, by):
        if fault == "too large":
            raise MemoryError
        if fault == "too close":
            raise resampling.TooClose
        return along_width(planes, by) ^ 1

    monkeypatch.setattr(resampling, "along_width", wrong)
    if fault == "too large":
        monkeypatch.setattr(preprocessing, "RESAMPLED", 97 * 61 - 1)
    recipe = Recipe(((40, 30, "lanczos"),))
    for seed in range(4):
        pixels = picture(seed, 97, 61, "noise")
        assert np.array_equal(stretched(pixels, recipe), by_pillow(pixels, 40, 30, "lanczos"))
    assert not any(known.same for known in nothing_is_known.values())


def test_a_doubled_picture_is_too_close_to_halves():
    planes = np.random.default_rng(0).integers(0, 256, (3, 64, 64), np.uint8)
    with pytest.raises(resampling.TooClose):
        along_width(planes, weights(64, 256, "bilinear"))
