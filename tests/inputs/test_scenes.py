"""Scenes of the slice viewer, voxel by voxel against the files they were cut from."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.inputs import scenes
from scoring.inputs.scenes import Background, Scene, read_scene
from tests.inputs.test_volumes import stored
from tests.support.findings import only, refused
from tests.support.soak import FACTOR
from tests.support.volumes import AFFINE, WAYS, metaimage, nifti, opener, random_labels

SEEDS = st.integers(0, 2**32 - 1)
RAS_FROM_LPI = -1


def turned_by(degrees: float) -> np.ndarray:
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cosine, -sine, 0, 0], [sine, cosine, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def file_index(scene: Scene, index) -> tuple[int, ...]:
    return tuple((scene.to_file @ [*index, 1])[:3])


def value_under(scene: Scene, image: Background, index) -> float | None:
    """What the viewer shows under the centre of a voxel of the scene: it counts in mm from the outer corner
    of the first one."""
    place = (np.array(index) + 0.5) * scene.spacing_mm
    at, shape = (place - image.corner_mm) / image.spacing_mm, np.array(image.values.shape)
    if (at < -1e-3).any() or (at > shape + 1e-3).any():
        return None
    return float(image.values[tuple(np.clip(np.floor(at).astype(int), 0, shape - 1))]) * image.scale


def nearest(values: np.ndarray, affine: np.ndarray, place: np.ndarray) -> tuple[float | None, float]:
    """The value of the voxel that a place in mm lies in, and how near to a border, in voxels, that is."""
    index = (np.linalg.inv(affine) @ place)[:3] + 0.5
    at = np.floor(index).astype(int)
    inside = (at >= 0).all() and (at < values.shape).all()
    return (float(values[tuple(at)]) if inside else None), float(np.abs(index - np.round(index)).min())


@pytest.mark.slow
@settings(max_examples=25 * FACTOR, deadline=None)
@given(SEEDS, st.sampled_from(WAYS), st.sampled_from([0, 8, 30]))
def test_every_voxel_of_a_scene_is_that_of_the_files(seed, way, degrees):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(3, 14, 3))
    filled = random.choice([0, 0.002, 0.02])
    truth, prediction = random_labels(random, shape, filled), random_labels(random, shape, filled)
    truth, affine = stored(truth, turned_by(degrees) @ AFFINE, way)
    prediction, _ = stored(prediction, AFFINE, way)
    found = read_scene("A", opener(nifti(truth, affine)), opener(metaimage(prediction, affine)), margin_mm=2)
    codes = truth | prediction << 4
    assert found.findings == ()
    assert found.file_shape == truth.shape
    for index in np.ndindex(found.labels.shape):
        assert found.labels[index] == codes[file_index(found, index)]
        np.testing.assert_allclose(
            found.affine @ [*index, 1], affine @ [*file_index(found, index), 1], atol=1e-4
        )
    assert (found.labels > 0).sum() == (codes > 0).sum()
    directions = found.affine[:3, :3] / found.spacing_mm
    assert (np.diag(directions) * RAS_FROM_LPI > 0.7).all()
    box = np.argwhere(codes)
    if len(box):
        margin = np.ceil(2 / np.linalg.norm(affine[:3, :3], axis=0))
        first, after = (
            np.maximum(box.min(axis=0) - margin, 0),
            np.minimum(box.max(axis=0) + margin + 1, truth.shape),
        )
        assert sorted(found.labels.shape) == sorted(map(int, after - first))
    else:
        assert sorted(found.labels.shape) == sorted(truth.shape)


def test_a_prediction_stored_otherwise_lies_on_the_truth():
    truth = random_labels(np.random.default_rng(3), (5, 6, 7))
    expected = read_scene("A", opener(nifti(truth)), opener(nifti(truth)))
    found = read_scene("A", opener(nifti(truth)), opener(nifti(*stored(truth, AFFINE, WAYS[29]))))
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert set(np.unique(found.labels)) == {0, 0x11, 0x22}


def test_without_a_prediction_there_is_truth_alone():
    truth = random_labels(np.random.default_rng(4), (5, 6, 7))
    assert set(np.unique(read_scene("A", opener(nifti(truth)), None).labels)) == {0, 1, 2}


@pytest.mark.slow
@settings(max_examples=25 * FACTOR, deadline=None)
@given(SEEDS, st.sampled_from(WAYS), st.sampled_from([0, 0.02, 12]))
def test_an_image_lies_where_it_lies_in_the_world(seed, way, degrees):
    """Each voxel of the scene has the image's nearest voxel under it, on whatever grid the image is; a turn
    too small to be seen is left out."""
    random = np.random.default_rng(seed)
    labels = np.zeros((9, 8, 7), np.uint8)
    labels[2:7, 3:6, 1:5] = 1
    own = AFFINE @ turned_by(degrees) @ np.diag([*random.uniform(0.5, 2, 3), 1])
    own[:3, 3] += random.uniform(-2, 2, 3)
    ct = random.integers(-1000, 2000, tuple(random.integers(6, 12, 3)))
    values, affine = stored(ct.astype(np.int16), own, way)
    (image,) = (
        found := read_scene(
            "A", opener(nifti(labels)), None, {"CT": opener(nifti(values, affine, "<i2"))}, margin_mm=1
        )
    ).backgrounds
    assert (image.scale, image.values.dtype) == (1.0, np.int16)
    for index in np.ndindex(found.labels.shape):
        expected, to_border = nearest(values, affine, found.affine @ [*index, 1])
        if to_border < 0.02:
            continue
        beyond = {None, float(image.values.min())} if degrees == 12 else {None}
        assert value_under(found, image, index) in ({expected} if expected is not None else beyond)


@pytest.mark.parametrize(("limit", "degrees"), [(300, 0), (40, 0), (8, 0), (300, 12)])
def test_large_images_are_thinned_and_stay_in_place(limit, degrees, monkeypatch):
    """An image whose values are its first index: what is shown is what lies there, give or take a part of the
    thinned voxels' edges."""
    monkeypatch.setattr(scenes, "IMAGE_VOXELS", limit)
    labels = np.zeros((12, 12, 6), np.uint8)
    labels[5:7, 5:7, 2:4] = 1
    own = AFFINE @ turned_by(degrees)
    first_index = np.arange(12)[:, None, None] + np.zeros((12, 12, 6))
    images = {"CT": opener(nifti(first_index, own, "<i2"))}
    (image,) = (found := read_scene("A", opener(nifti(labels)), None, images, margin_mm=100)).backgrounds
    assert image.values.size <= limit
    cell = np.array(image.spacing_mm) / found.spacing_mm
    slack, inside = (
        (cell[0] / 2, 0) if not degrees else (cell[:2].sum(), cell[:2].sum())
    )  # a turned image is thinned before and after
    for index in np.ndindex(found.labels.shape):
        there = (np.linalg.inv(own) @ found.affine @ [*index, 1])[:3]
        if (there[:2] >= inside - 0.1).all() and (there[:2] <= 11.1 - inside).all():
            assert abs(value_under(found, image, index) - there[0]) <= slack + 1e-6


def test_values_between_whole_numbers_keep_their_place():
    suv = np.random.default_rng(5).gamma(1, 2, (6, 6, 6))
    labels = np.zeros((6, 6, 6), np.uint8)
    labels[2, 2, 2] = 2
    found = read_scene("A", opener(nifti(labels)), None, {"PET": opener(nifti(suv, dtype="<f4"))})
    (image,) = found.backgrounds
    assert image.scale == pytest.approx(suv.max() / 32767)
    for index in np.ndindex(found.labels.shape):
        assert value_under(found, image, index) == pytest.approx(
            suv[file_index(found, index)], abs=image.scale
        )


def test_what_cannot_be_shown_is_left_out_and_said():
    good = nifti(np.ones((4, 4, 4)))
    far = AFFINE.copy()
    far[:3, 3] += 1000
    images = {
        "CT": opener(b"nothing"),
        "PET": opener(nifti(np.ones((4, 4, 4)), far)),
        "MR": Path("nowhere").open,
    }
    found = read_scene("A", opener(good), opener(nifti(np.full((4, 4, 4), 7))), images)
    assert found.backgrounds == ()
    assert set(np.unique(found.labels)) == {1}
    assert "label 7" in only(found.findings, "malformed-mask").message
    said = [f.message for f in found.findings if f.code == "unreadable-file"]
    assert [words.split(":")[0] for words in said] == [
        "CT is not shown",
        "PET is not shown",
        "MR is not shown",
    ]
    assert "does not cover" in said[1]
    assert {f.level for f in found.findings} == {"warning"}
    assert {f.where for f in found.findings} == {"A"}


def test_a_truth_that_cannot_be_read_is_refused():
    problem = only(refused(read_scene, "A", opener(nifti(np.full((2, 2, 2), 9))), None).problems, "bad-label")
    assert (problem.where, problem.message.split(":")[0]) == ("A", "truth mask")


def test_a_box_too_large_to_show_is_refused(monkeypatch):
    monkeypatch.setattr(scenes, "SCENE_VOXELS", 63)
    assert (
        "too many to show"
        in only(
            refused(read_scene, "A", opener(nifti(np.ones((4, 4, 4)))), None).problems, "unreadable-file"
        ).message
    )
