"""A case is drawn from its seed and class and from nothing else."""

import numpy as np
import pytest

from sample_data.generator import case
from tests.support.thinned import some


@pytest.mark.parametrize("symbol", some(case.SYMBOLS, 4))
def test_every_class_draws_a_lesion_that_differs_from_the_skin_around_it(symbol):
    drawn = case.draw(7, symbol, ambiguity=0)
    assert (drawn.symbol, drawn.look) == (symbol, symbol)
    assert drawn.picture.shape == (512, 512, 3)
    assert drawn.picture.dtype == np.uint8
    assert 0.01 < drawn.mask.mean() < 0.8
    visible = drawn.picture.max(axis=2) > 40
    skin = drawn.picture[~drawn.mask & visible].mean(axis=0)
    unlike_skin = np.abs(drawn.picture - skin).max(axis=2)
    assert unlike_skin[drawn.mask].mean() > 1.2 * unlike_skin[~drawn.mask & visible].mean()


def test_same_seed_same_case_other_seed_other_case():
    first, again, other = case.draw(3, "NV"), case.draw(3, "NV"), case.draw(4, "NV")
    assert (first.picture == again.picture).all()
    assert first.demographics == again.demographics
    assert (first.picture != other.picture).any()


@pytest.mark.soak
@pytest.mark.parametrize("size", [(640, 512), (768, 1024)])
def test_sizes_are_width_and_height(size):
    drawn = case.draw(5, "DF", size)
    assert drawn.picture.shape == (size[1], size[0], 3)
    assert drawn.mask.shape == (size[1], size[0])


def test_looks_are_mistaken_as_often_as_asked_for():
    random = np.random.default_rng(0)
    looks = [case.choose_look(random, "MEL", 0.17) for _ in range(2000)]
    assert np.mean([look != "MEL" for look in looks]) == pytest.approx(0.17, abs=0.03)
    assert set(looks) == {"MEL", *case.LOOK_ALIKES["MEL"]}


def test_an_unknown_class_is_refused():
    with pytest.raises(ValueError, match="not in tuple"):
        case.draw(0, "XYZ")


@pytest.mark.soak
def test_a_phone_sees_more_skin_around_the_lesion_and_no_tube():
    views = [
        [case.draw(seed, "NV", ambiguity=0, view=view) for seed in range(3)]
        for view in (case.DERMATOSCOPE, case.PHONE)
    ]
    near, far = ([drawn.mask.mean() for drawn in drawings] for drawings in views)
    assert np.mean(far) < 0.7 * np.mean(near)
    assert all(drawn.picture[0, 0].max() > 60 for drawn in views[1])


def test_another_picture_shows_the_same_lesion_differently():
    picture = case.draw(9, "VASC", ambiguity=0).picture
    for seed in range(4):
        again = case.retaken(picture, seed)
        assert again.shape == picture.shape
        assert again.dtype == np.uint8
        assert np.abs(again.astype(int) - picture).mean() > 5
        assert again.mean((0, 1)) == pytest.approx(picture.mean((0, 1)), rel=0.2)
        assert (case.retaken(picture, seed) == again).all()
