"""Artefacts change what they should and leave the rest alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator import artefacts
from sample_data.generator.canvas import Canvas
from sample_data.generator.outline import Outline

seeds = st.integers(0, 2**32 - 1)
PLAIN = np.full((120, 150, 3), 180, np.uint8)
ALL = np.ones(PLAIN.shape[:2], np.float32)


def canvas(seed: int) -> Canvas:
    return Canvas(np.random.default_rng(seed), 120, 150)


@given(seeds)
def test_the_tube_is_dark_outside_its_mask_and_nothing_changes_in_the_middle(seed):
    picture, visible = artefacts.tube(canvas(seed), PLAIN)
    assert visible[60, 75]
    assert (picture[60, 75] == 180).all()
    assert (picture[~visible] < 120).all()


@given(seeds)
def test_hairs_and_rulers_only_darken_light_skin(seed):
    for draw in (artefacts.hairs, artefacts.ruler):
        picture = draw(canvas(seed), PLAIN)
        assert picture.shape == PLAIN.shape
        assert picture.max() <= 180
    assert (artefacts.ruler(canvas(seed), PLAIN)[:40] == 180).all()


@given(seeds)
def test_ink_is_outside_the_lesion(seed):
    around = np.hypot(np.arange(150) - 75, np.arange(120)[:, None] - 60) - 15
    picture = artefacts.ink(canvas(seed), Outline(around, (75, 60), 15, 4), PLAIN)
    assert (np.abs(picture[around < 0].astype(int) - 180) <= 1).all()


@given(seeds)
def test_the_camera_keeps_the_order_of_brightness_and_adds_little_noise(seed):
    ramp = np.broadcast_to(np.linspace(0.2, 0.8, 150, dtype=np.float32)[None, :, None], (120, 150, 3))
    columns = artefacts.camera(canvas(seed), ramp).astype(float).mean(axis=0)
    assert (np.diff(columns[::10], axis=0) > 0).all()
    assert artefacts.camera(canvas(seed), ramp).astype(float).std(axis=0).mean() == pytest.approx(
        2.3, abs=1.5
    )


@given(seeds)
def test_ambient_light_tints_and_shines_but_hides_nothing(seed):
    dark_spot = np.full((120, 150, 3), 0.6, np.float32)
    dark_spot[50:70, 65:85] = 0.1
    colours = artefacts.ambient(canvas(seed), dark_spot)
    assert colours.shape == dark_spot.shape
    assert 0 < colours.min() < colours.max() < 1
    spot = colours[50:70, 65:85].mean((0, 1))
    assert (spot < 0.6 * colours[:30].mean((0, 1))).all()


@given(seeds)
def test_blur_keeps_the_mean(seed):
    sharp = np.random.default_rng(seed).integers(0, 256, PLAIN.shape, dtype=np.uint8)
    soft = artefacts.blur(canvas(seed), sharp).astype(float)
    assert soft.mean() == pytest.approx(sharp.mean(), abs=1.5)
    assert soft.std() < sharp.std()


@given(seeds)
def test_bubbles_are_small(seed):
    colours = np.full((120, 150, 3), 0.6, np.float32)
    changed = np.abs(artefacts.bubbles(canvas(seed), colours) - colours).max(axis=2) > 0.05
    assert changed.mean() < 8 * np.pi * (11 + 3) ** 2 / changed.size
