"""Tumours fit their stages and their surroundings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import label
from scipy.spatial.distance import pdist

from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.tumours import GTVN, GTVP, NODES, PRIMARY_MM, longest_extent
from tests.sample_data.headneck.heads import GRID, ill

EIGHT = np.ones((3, 3, 3))
WHOLE = 2 * np.sqrt(3) * 4  # of the voxels at both ends, their longest diagonals


@pytest.mark.parametrize("t_stage", PRIMARY_MM)
def test_primaries_are_one_piece_of_their_stage_s_size(t_stage):
    disease = ill(3, t_stage, "N0").disease
    smallest, largest = PRIMARY_MM[t_stage]
    assert label(disease.labels == GTVP, EIGHT)[1] == 1
    assert smallest - WHOLE < disease.primary_mm < largest + WHOLE
    assert disease.site


@pytest.mark.parametrize("n_stage", NODES)
def test_nodes_are_as_many_and_on_the_sides_that_the_stage_says(n_stage):
    patient = ill(4, "T2", n_stage)
    pieces, count = label(patient.disease.labels == GTVN, EIGHT)
    (fewest, most), *_, both_sides = NODES[n_stage]
    assert fewest <= count <= most
    assert len(patient.disease.nodes_mm) == count
    right = np.broadcast_to(GRID.axes()[0], GRID.shape)
    sides = {np.sign(right[pieces == number].mean()) for number in range(1, count + 1)}
    assert len(sides) == (2 if both_sides else min(count, 1))


@pytest.mark.parametrize("t_stage", ["T0", "TX"])
def test_without_a_primary_there_is_none(t_stage):
    disease = ill(5, t_stage, "N1").disease
    assert not (disease.labels == GTVP).any()
    assert (disease.site, disease.primary_mm) == ("", 0)


def test_tumours_shine_and_lie_in_the_body():
    patient = ill(6, "T3", "N2b")
    tumour = patient.disease.labels > 0
    assert np.median(patient.body.uptake[tumour]) > 3
    assert patient.body.density[tumour].min() > -200
    assert patient.body.depth[tumour].min() > 0


def test_large_nodes_have_skin_over_them():
    body, labels = ill(7, "T1", "N3").body, ill(7, "T1", "N3").disease.labels
    for axis in (0, 1):
        for step in (-1, 1):
            beside = np.roll(labels > 0, step, axis) & (labels == 0)
            assert (body.density[beside] > -950).mean() > 0.98


@given(st.integers(0, 2**32 - 1))
def test_the_longest_extent_is_nearly_the_largest_distance(seed):
    random, grid = np.random.default_rng(seed), Grid((8, 9, 7), (2.0, 2.5, 3.0))
    mask = random.random(grid.shape) < 0.03
    mask[2, 3, 4] = mask[5, 3, 4] = True
    distance = pdist(np.argwhere(mask) * grid.spacing).max()
    assert 0.93 * distance + 2 <= longest_extent(mask, grid) <= distance + 2 + 1e-9


def test_nothing_has_no_extent():
    assert longest_extent(np.zeros(GRID.shape, bool), GRID) == 0
