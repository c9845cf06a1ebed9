"""Labelled voxels and parts of images, against whole arrays and nibabel; however the files are stored."""

import io

import nibabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.inputs import volumes
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid
from scoring.inputs.volumes import read_image, read_labels
from tests.support.volumes import AFFINE, TYPES, WAYS, metaimage, nifti, opener, random_labels, zipped

SHAPE = (5, 4, 6)
SEEDS = st.integers(0, 2**32 - 1)


def whole(found: volumes.LabelVoxels) -> np.ndarray:
    """The array that labelled voxels were taken from."""
    labels = np.zeros(found.grid.shape, np.uint8)
    labels[tuple(found.places.T)] = found.labels
    return labels


def stored(values: np.ndarray, affine: np.ndarray, way) -> tuple[np.ndarray, np.ndarray]:
    """The same voxels with axes reordered and reversed, and their affine."""
    axes, back = way
    turn = [[axis, -1 if b else 1] for axis, b in zip(axes, back, strict=True)]
    turned = nibabel.Nifti1Image(values, affine).as_reoriented(np.array(turn))
    return np.asarray(turned.dataobj), turned.affine


def all_voxels(grid: Grid):
    return tuple(np.arange(n) for n in grid.shape)


@settings(max_examples=40)
@given(
    SEEDS,
    st.sampled_from(sorted(TYPES)),
    st.sampled_from("<>"),
    st.sampled_from(["nii", "nii.gz", "mha", "mha packed"]),
)
def test_labels_of_any_file_are_those_of_the_array(seed, kind, order, form):
    random = np.random.default_rng(seed)
    labels = random_labels(random, tuple(random.integers(1, 9, 3)), random.choice([0, 0.1, 0.9]))
    data = (
        metaimage(labels, dtype=order + kind, packed="packed" in form)
        if "mha" in form
        else nifti(labels, dtype=order + kind)
    )
    found = read_labels(opener(zipped(data) if form.endswith(".gz") else data))
    np.testing.assert_array_equal(whole(found), labels)
    np.testing.assert_allclose(found.grid.affine, AFFINE, atol=1e-6)
    assert (found.labels > 0).all()


def test_labels_beyond_the_first_block():
    labels = random_labels(np.random.default_rng(1), (90, 70, 80), 0.01)
    np.testing.assert_array_equal(whole(read_labels(opener(nifti(labels)))), labels)


@pytest.mark.parametrize("way", WAYS)
def test_labels_stored_in_another_orientation_lie_on_the_reference(way):
    labels = random_labels(np.random.default_rng(2), SHAPE)
    found = read_labels(opener(nifti(*stored(labels, AFFINE, way))), Grid(SHAPE, AFFINE))
    assert found.grid.shape == SHAPE
    np.testing.assert_array_equal(whole(found), labels)


def test_labels_on_another_grid_are_refused():
    elsewhere = AFFINE.copy()
    elsewhere[2, 3] += 1
    with pytest.raises(MaskError, match="1 mm away") as caught:
        read_labels(opener(nifti(np.ones(SHAPE), elsewhere)), Grid(SHAPE, AFFINE))
    assert caught.value.code == "wrong-grid"


def test_too_many_labels_are_refused(monkeypatch):
    monkeypatch.setattr(volumes, "MOST_LABELLED", 10)
    assert len(read_labels(opener(nifti(np.ones((10, 1, 1))))).labels) == 10
    with pytest.raises(MaskError, match="more than 10 voxels"):
        read_labels(opener(nifti(np.ones((11, 1, 1)))))


@pytest.mark.parametrize(
    ("data", "words"),
    [(nifti(np.full(SHAPE, 3)), "label 3"), (nifti(np.ones(SHAPE))[:-1], "cut off"), (b"", "empty")],
)
def test_labels_that_scoring_refuses_are_refused_here(data, words):
    with pytest.raises(MaskError, match=words):
        read_labels(opener(data))


@settings(max_examples=40)
@given(
    SEEDS,
    st.sampled_from(["i2", "u1", "f4", "f8"]),
    st.sampled_from("<>"),
    st.sampled_from([(float("nan"), 0.0), (2.0, -1000.0), (0.25, 0.0)]),
)
def test_a_part_of_an_image_is_that_of_the_whole(seed, kind, order, scaling):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 9, 3))
    data = nifti(random.integers(0, 200, shape), dtype=order + kind, slope=scaling[0], intercept=scaling[1])
    picks = tuple(np.arange(random.integers(0, n), n, random.integers(1, 4)) for n in shape)
    found = read_image(opener(data), lambda grid: picks)
    image = nibabel.Nifti1Image.from_stream(io.BytesIO(data))
    np.testing.assert_allclose(found.values, image.get_fdata()[np.ix_(*picks)], rtol=1e-6)
    for corner in np.ndindex(2, 2, 2):
        index = [(0, len(picked) - 1)[end] for end, picked in zip(corner, picks, strict=True)]
        there = [picked[i] for i, picked in zip(index, picks, strict=True)]
        np.testing.assert_allclose(found.affine @ [*index, 1], image.affine @ [*there, 1], atol=1e-4)


def test_what_is_no_number_becomes_nought():
    values = np.array([[[1.5, np.nan, np.inf, -np.inf]]])
    assert read_image(opener(nifti(values, dtype="<f4")), all_voxels).values.tolist() == [[[1.5, 0, 0, 0]]]


def test_nothing_behind_the_last_slice_is_read():
    data = nifti(np.arange(60).reshape(3, 4, 5))
    first = tuple(np.arange(n) for n in (3, 4, 2))
    np.testing.assert_array_equal(
        read_image(opener(data[: 352 + 24]), lambda grid: first).values,
        np.arange(60).reshape(3, 4, 5)[:, :, :2],
    )
    with pytest.raises(MaskError, match="cut off"):
        read_image(opener(data[: 352 + 23]), lambda grid: first)


def test_images_that_cannot_be_shown():
    with pytest.raises(MaskError, match="does not cover"):
        read_image(opener(nifti(np.ones(SHAPE))), lambda grid: (np.arange(3), np.arange(0), np.arange(3)))
    for shape in ((4097, 1, 1), (1024, 1024, 257)):
        with pytest.raises(MaskError, match=f"{'×'.join(map(str, shape))} voxels, too many"):
            read_image(opener(nifti(np.ones((1, 1, 1)), fields={"dim": [3, *shape, 1, 1, 1, 1]})), all_voxels)
    with pytest.raises(MaskError, match="neither NIfTI"):
        read_image(opener(b"a picture of something else"), all_voxels)
