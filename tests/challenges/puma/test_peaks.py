"""Peaks of a map of probabilities, and the outlines around them."""

import numpy as np
import pytest

from scoring.challenges.puma.dense_models import RAYS, peaks
from scoring.inputs.nuclei.contents import centroids


def test_one_peak_is_one_point_at_its_place():
    answer = np.zeros((11, 40, 60), np.float32)
    for row, column, place in ((10, 20, 0), (30, 5, 3), (30, 50, 9)):
        answer[1 + place, row - 1 : row + 2, column - 1 : column + 2] = 0.9
    answer[1 + 4, 10, 40] = 0.2
    answer[0] = 1 - answer.sum(0)
    found = peaks(answer, 4)
    assert dict(zip(found.classes.tolist(), found.centroids.tolist(), strict=True)) == {
        0: [82, 42],
        3: [22, 122],
        9: [202, 122],
    }
    assert len(found.starts) == len(found) + 1
    assert (found.confidences > 0.4).all()


@pytest.mark.parametrize(("stride", "radius"), [(1, 10), (2, 6), (4, 4)])
def test_a_sure_model_gives_one_nucleus_each(stride, radius):
    """1 all over each disc, 0 elsewhere: many cells are equally high."""
    rows, columns = np.mgrid[:160, :160]
    centres = [(y, x) for y in range(20, 160, 40) for x in range(20, 160, 40)]
    answer = np.zeros((11, 160, 160), np.float32)
    for y, x in centres:
        answer[3, (rows - y) ** 2 + (columns - x) ** 2 <= radius**2] = 1
    answer[0] = 1 - answer[3]
    found = peaks(answer, stride)
    assert found.centroids[:, ::-1] == pytest.approx((np.array(centres) + 0.5) * stride, abs=1e-6)
    assert set(found.classes.tolist()) == {2}


def drawn(*discs: tuple[float, float, float], side: int = 120) -> np.ndarray:
    """A map that says 1 of class 0 in the middle of discs (y, x, radius), 0.45 at their edges, 0 outside."""
    rows, columns = np.mgrid[:side, :side] + 0.5
    answer = np.zeros((11, side, side), np.float32)
    for y, x, radius in discs:
        away = np.hypot(rows - y, columns - x)
        answer[1] = np.maximum(answer[1], np.where(away <= radius, 1 - 0.55 * away / radius, 0))
    answer[0] = 1 - answer[1]
    return answer


def test_outlines_are_as_large_as_what_the_model_sees():
    found = peaks(drawn((30.5, 30.5, 12), (80.5, 80.5, 20)), 1)
    rings = found.vertices.astype(float).reshape(2, RAYS, 2)
    radii = np.linalg.norm(rings - found.centroids[:, None], axis=2)
    assert radii == pytest.approx(np.array([[12], [20]]) * np.ones((1, RAYS)), abs=1.5)


def test_outlines_of_neighbours_end_halfway():
    found = peaks(drawn((60.5, 45.5, 14), (60.5, 69.5, 14)), 1)
    assert len(found) == 2
    rings = found.vertices.reshape(2, RAYS, 2)
    left, right = sorted(rings, key=lambda ring: ring[:, 0].min())
    assert left[:, 0].max() == pytest.approx(57.5, abs=1)
    assert right[:, 0].min() == pytest.approx(57.5, abs=1)


def test_the_mean_of_the_vertices_is_the_place_to_the_last_bit():
    dice = np.random.default_rng(0)
    answer = dice.dirichlet(np.full(11, 0.15), (70, 90)).transpose(2, 0, 1).astype(np.float32)
    found = peaks(answer, 3)
    assert len(found) > 20
    lengths = np.diff(found.starts.astype(int))
    assert np.array_equal(centroids(found.vertices.astype(float), lengths), found.centroids)
    assert (found.scores == 1).all()
