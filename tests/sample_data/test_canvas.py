"""Textures keep their promises about range, mean and place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator.canvas import Canvas, smoothstep

seeds = st.integers(0, 2**32 - 1)
sides = st.tuples(st.integers(40, 90), st.integers(40, 90))


def canvas(seed: int = 0, height: int = 64, width: int = 80) -> Canvas:
    return Canvas(np.random.default_rng(seed), height, width)


@given(st.floats(-50, 50), st.floats(0.1, 50), st.booleans())
def test_smoothstep_runs_from_zero_to_one_in_either_direction(start, length, falling):
    stop = start - length if falling else start + length
    values = smoothstep(start, stop, np.linspace(start, stop, 9))
    assert values[0] == 0
    assert values[-1] == pytest.approx(1)
    assert values[4] == pytest.approx(0.5)
    assert (np.diff(values) >= 0).all()


@given(seeds, sides, st.floats(0.5, 2.5))
def test_noise_has_mean_zero_and_unit_deviation(seed, shape, falloff):
    values = canvas(seed, *shape).noise(falloff)
    assert values.shape == shape
    assert values.mean() == pytest.approx(0, abs=1e-3)
    assert values.std() == pytest.approx(1, abs=1e-3)


def test_steeper_noise_is_smoother():
    rough, smooth = (canvas().noise(falloff) for falloff in (0.5, 2.5))
    assert np.abs(np.diff(smooth)).mean() < np.abs(np.diff(rough)).mean() / 2


@given(seeds, sides, st.floats(10, 30))
def test_nearest_seed_is_no_farther_than_the_second(seed, shape, size):
    cells = canvas(seed, *shape).cells(size, 0.5)
    assert cells.nearest.shape == cells.second.shape == cells.tint.shape == shape
    assert (cells.nearest <= cells.second + 1e-4).all()
    assert cells.nearest.max() < 2 * size
    assert 0 <= cells.tint.min() <= cells.tint.max() < 1


@given(seeds)
def test_points_fall_where_the_density_is(seed):
    where = np.zeros((64, 80), np.float32)
    where[32:48, 40:60] = 1
    points = canvas(seed).points(25, where)
    assert points.shape == (25, 2)
    assert ((points >= (40, 32)) & (points < (60, 48))).all()


def test_no_density_gives_no_points_and_an_empty_layer():
    nowhere = np.zeros((64, 80), np.float32)
    assert canvas().points(5, nowhere).shape == (0, 2)
    assert canvas().discs(5, 2, 4, nowhere).max() == 0


def test_discs_cover_about_their_area():
    where = np.zeros((64, 80), np.float32)
    where[32, 40] = 1
    layer = canvas().discs(1, 8, 8, where, (1, 1))
    assert layer.sum() == pytest.approx(np.pi * 8**2, rel=0.1)
