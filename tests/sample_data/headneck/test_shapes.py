"""Shapes have the volumes that geometry gives them, and lie within their boxes."""

import numpy as np
import pytest

from sample_data.generator.headneck import shapes

STEP = 0.5
WHERE = np.meshgrid(*[np.arange(-24 + STEP / 2, 24, STEP)] * 3, indexing="ij")
BALL = shapes.ellipsoid((1, 2, 3), (10, 8, 6))
COLUMN = shapes.column(((0, 0, -10), (4, 2, 10)), (5, 3))
# Each with its volume, cubic mm.
SHAPES = {
    "ellipsoid": (BALL, 4 / 3 * np.pi * 10 * 8 * 6),
    "column": (COLUMN, np.pi * 5 * 3 * 20),
    "rod": (shapes.rod((-5, 0, 0), (5, 3, 4), 4), np.pi * 16 * np.sqrt(125) + 4 / 3 * np.pi * 64),
    "round arch": (shapes.arch((0, -5, 2), (12, 12), 4, 6), np.pi / 2 * (14**2 - 10**2) * 6),
    "shell": (shapes.shell((0, 0, 0), (12, 12, 12), 3), 4 / 3 * np.pi * (12**3 - 9**3)),
    "upper half": (shapes.above(BALL, 3), 2 / 3 * np.pi * 10 * 8 * 6),
    "slices": (shapes.rhythmic(COLUMN, 5, 0.4), np.pi * 5 * 3 * 20 * 0.4),
}


@pytest.mark.parametrize("name", SHAPES)
def test_volumes(name):
    shape, volume = SHAPES[name]
    assert np.count_nonzero(shape.depth(*WHERE) > 0) * STEP**3 == pytest.approx(volume, rel=0.03)


@pytest.mark.parametrize("name", SHAPES)
def test_boxes_hold_what_is_inside(name):
    shape, _ = SHAPES[name]
    inside = shape.depth(*WHERE) > 0
    for axis, low, high in zip(WHERE, shape.low, shape.high, strict=True):
        assert low - STEP <= axis[inside].min()
        assert axis[inside].max() <= high + STEP


def test_depth_is_the_distance_to_a_ball_and_a_rod():
    outside = np.array([30.0]), np.array([0.0]), np.array([0.0])
    assert shapes.ellipsoid((0, 0, 0), (10, 10, 10)).depth(*outside) == pytest.approx(-20)
    assert shapes.rod((0, 0, 0), (20, 0, 0), 4).depth(*outside) == pytest.approx(-6)
