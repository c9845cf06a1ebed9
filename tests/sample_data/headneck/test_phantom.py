"""Heads have in them what an atlass shows, where it shows it."""

import numpy as np
import pytest

from sample_data.generator.headneck import phantom
from sample_data.generator.headneck.phantom import Body
from tests.sample_data.headneck.heads import GRID, healthy

SEEDS = (1, 2)


def at(body: Body, values: np.ndarray, right: float, front: float, up: float) -> float:
    """The median within 6 mm of a point of an average head."""
    near = sum((where - place) ** 2 for where, place in zip(body.where, (right, front, up), strict=True)) < 36
    return float(np.median(values[near]))


@pytest.mark.parametrize("seed", SEEDS)
def test_density_of_landmarks(seed):
    body = healthy(seed)
    assert at(body, body.density, 0, 11, 28) < -500, "oropharynx"
    assert at(body, body.density, 0, 17, -80) < -500, "trachea"
    assert 20 < at(body, body.density, 0, 42, 22) < 80, "tongue"
    assert 20 < at(body, body.density, 20, 0, 100) < 50, "brain"
    assert at(body, body.density, 0, 75, 12) > 300, "chin"
    assert at(body, body.density, 50, -14, -104) < -500, "lung"
    assert at(body, body.density, 0, 105, -20) == -1000, "air in front of the neck"


@pytest.mark.parametrize("seed", SEEDS)
def test_uptake_of_landmarks(seed):
    body = healthy(seed)
    brain, tongue, air = (
        at(body, body.uptake, *place) for place in ((0, -40, 74), (0, 42, 22), (0, 105, -20))
    )
    assert 4 < brain < 10
    assert 1 < tongue < 2
    assert air == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_left_and_right_are_nearly_alike(seed):
    skin = healthy(seed).density > -500
    both = (skin & skin[::-1]).sum()
    assert 0.85 < both / skin.sum() < 1


def test_every_head_is_another_and_the_same_seed_the_same():
    again = phantom.healthy(GRID, np.random.default_rng(1))
    assert (again.density == healthy(1).density).all()
    assert (again.uptake == healthy(1).uptake).all()
    assert np.abs(healthy(1).density - healthy(2).density).mean() > 10


def test_a_tomogram_has_clean_air_and_few_grey_values():
    body = healthy(1)
    seen = phantom.computed_tomography(body, np.random.default_rng(0))
    assert seen.dtype == np.int16
    assert (seen % 4 == 0).all()
    assert (seen[body.depth < -3] == -1000).all()
    inside = body.depth > 6
    assert np.abs(seen - body.density)[inside].mean() < 60


def test_an_emission_picture_is_blurred_keeps_the_activity_and_is_noisier_where_there_is_more():
    body = healthy(1)
    seen, again = (phantom.positron_emission(body, np.random.default_rng(seed)) for seed in (0, 1))
    assert seen.min() >= 0
    assert seen.sum() == pytest.approx(body.uptake.sum(), rel=0.03)
    assert seen.max() < body.uptake.max() * 1.2
    difference, brain = np.abs(seen - again), body.uptake > 4
    assert difference[brain].mean() > 1.5 * difference[(body.depth > 6) & ~brain].mean()
