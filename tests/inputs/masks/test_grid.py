"""Grids: which volumes share their voxels, restated with arrays of coordinates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs.masks.grid import Grid, Orientation, difference, orientation
from tests.support.volumes import AFFINE, WAYS

REFERENCE = Grid((4, 3, 5), AFFINE)


def places(grid: Grid) -> np.ndarray:
    """The centre of every voxel in mm [x, y, z, 3]."""
    return np.array([grid.affine[:3] @ [*index, 1] for index in np.ndindex(grid.shape)]).reshape(
        *grid.shape, 3
    )


def stored_otherwise(grid: Grid, axes: tuple[int, ...], back: tuple[bool, ...]) -> Grid:
    """The grid of the same voxels with axes permuted and then reversed."""
    matrix = np.zeros((4, 4))
    for new, old in enumerate(axes):
        matrix[old, new] = -1 if back[new] else 1
        matrix[old, 3] = grid.shape[old] - 1 if back[new] else 0
    matrix[3, 3] = 1
    return Grid(tuple(grid.shape[axis] for axis in axes), grid.affine @ matrix)


def as_read(array: np.ndarray, way: Orientation) -> np.ndarray:
    return array.transpose(*way.axes, *range(3, array.ndim))[
        tuple(slice(None, None, -1 if back else None) for back in way.reversed)
    ]


def moved(grid: Grid, shift: tuple[float, float, float]) -> Grid:
    affine = grid.affine.copy()
    affine[:3, 3] += shift
    return Grid(grid.shape, affine)


@pytest.mark.parametrize(("axes", "back"), WAYS)
def test_every_way_to_store_an_array_is_undone(axes, back):
    other = stored_otherwise(REFERENCE, axes, back)
    way = orientation(other, REFERENCE)
    np.testing.assert_allclose(as_read(places(other), way), places(REFERENCE), atol=1e-9)
    assert way.is_identity == ((axes, back) == WAYS[0])


def test_corners_are_the_first_and_last_voxels():
    np.testing.assert_allclose(REFERENCE.corners, places(REFERENCE)[np.ix_([0, -1], [0, -1], [0, -1])])


@given(st.sampled_from(range(3)), st.sampled_from([-1, 1]), st.sampled_from(WAYS))
def test_a_tenth_of_the_smallest_edge_may_be_missed(axis, sign, way):
    other = stored_otherwise(REFERENCE, *way)
    for share, shared in ((0.099, True), (0.101, False)):
        shift = np.zeros(3)
        shift[axis] = sign * share * 0.98
        assert (orientation(moved(other, shift), REFERENCE) is not None) == shared


def test_a_corner_counts_that_turns_away_though_the_first_voxel_stays():
    affine = AFFINE.copy()
    affine[0, 0] *= 1.05
    assert orientation(Grid((4, 3, 5), affine), REFERENCE) is None


@pytest.mark.parametrize("shape", [(4, 3, 4), (1, 1, 1), (5, 5, 5), (4, 15, 1)])
def test_other_shapes_are_other_grids(shape):
    assert orientation(Grid(shape, AFFINE), REFERENCE) is None


def test_axes_of_length_one_have_no_direction():
    flat = Grid((4, 3, 1), AFFINE)
    assert orientation(Grid((4, 3, 1), AFFINE @ np.diag([1, 1, -1, 1.0])), flat) == Orientation()


def test_volumes_and_edges():
    assert REFERENCE.voxels == 60
    assert REFERENCE.voxel_ml == pytest.approx(0.98 * 0.98 * 3 / 1000)
    assert REFERENCE.spacing.tolist() == pytest.approx([0.98, 0.98, 3])
    assert Grid((2000, 2000, 2000), AFFINE).voxels == 8_000_000_000


def test_differences_in_words():
    assert difference(Grid((1, 1, 1), np.eye(4)), REFERENCE) == (
        "its grid has 1×1×1 voxels of 1×1×1 mm, but the truth's grid has 4×3×5 voxels of 0.98×0.98×3 mm"
    )
    assert "2 mm away" in difference(moved(REFERENCE, (0, 2, 0)), REFERENCE)
