"""Grids say where voxels are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator.headneck.grid import Grid, block_means

signs = st.tuples(*[st.sampled_from((-1, 1))] * 3)
grids = st.builds(
    Grid,
    st.tuples(*[st.integers(1, 6).map(lambda half: 2 * half)] * 3),
    st.tuples(*[st.floats(0.5, 4)] * 3),
    signs,
)


@given(grids)
def test_the_origin_is_the_middle_and_axes_run_as_their_signs_say(grid):
    for axis, sign, step in zip(grid.axes(), grid.signs, grid.spacing, strict=True):
        places = axis.ravel().astype(float)
        assert places.mean() == pytest.approx(0, abs=1e-4)
        assert np.diff(places) == pytest.approx(np.full(len(places) - 1, sign * step), rel=1e-4)


@given(grids)
def test_a_coarser_grid_fills_the_same_space(grid):
    coarse = grid.coarser(2)
    assert np.multiply(coarse.shape, coarse.spacing) == pytest.approx(np.multiply(grid.shape, grid.spacing))
    assert coarse.voxel_ml == pytest.approx(8 * grid.voxel_ml)
    assert coarse.origin == pytest.approx(grid.origin + grid.steps / 2)


def test_block_means_are_means_of_blocks():
    values = np.random.default_rng(0).normal(size=(4, 6, 2))
    means = block_means(values, 2)
    assert means.shape == (2, 3, 1)
    for x, y, z in np.ndindex(means.shape):
        assert means[x, y, z] == pytest.approx(
            values[2 * x : 2 * x + 2, 2 * y : 2 * y + 2, 2 * z : 2 * z + 2].mean()
        )


def test_noise_varies_over_its_width_in_millimetres_along_every_axis():
    field = Grid((60, 60, 60), (1.0, 2.0, 4.0)).noise(np.random.default_rng(1), 6)
    assert field.std() == pytest.approx(1, abs=1e-3)
    # Neighbours of Gaussian noise of width s at a distance d correlate as exp(-d^2 / 4 s^2).
    for axis, step in enumerate((1.0, 2.0, 4.0)):
        first, second = np.take(field, range(59), axis), np.take(field, range(1, 60), axis)
        assert np.corrcoef(first.ravel(), second.ravel())[0, 1] == pytest.approx(
            np.exp(-(step**2) / (4 * 36)), abs=0.03
        )
