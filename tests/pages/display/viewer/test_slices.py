"""Scenes packed for the browser: every voxel arrives where the header says, and large scenes arrive small."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.display.viewer.payload import slice_results
from scoring.inputs.scenes import Background, Scene, read_scene
from tests.support.messages import read
from tests.support.volumes import AFFINE, nifti, opener


def scene(labels: np.ndarray, *backgrounds: Background) -> Scene:
    return Scene(labels, AFFINE, np.diag([1, 1, -1, 1]), (50, 60, 70), backgrounds)


def image(name: str, values: np.ndarray, scale: float = 1.0) -> Background:
    return Background(name, values, scale, (1.0, 2.0, 3.0), (-4.0, 5.0, 0.5))


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_every_voxel_is_where_the_browser_looks(seed):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 256, tuple(random.integers(1, 7, 3))).astype(np.uint8)
    values = random.integers(-32767, 32768, tuple(random.integers(1, 7, 3))).astype(np.int16)
    head, arrays = read(slice_results(scene(labels, image("CT", values)), name="A").message(height_px=500))
    for volume, stored, shape in (
        (labels, "labels", head["shape"]),
        (values, "image0", head["backgrounds"][0]["shape"]),
    ):
        nx, ny, _ = shape
        assert tuple(shape) == volume.shape
        assert all(
            arrays[stored][x + nx * (y + ny * z)] == volume[x, y, z] for x, y, z in np.ndindex(volume.shape)
        )


def test_the_header_says_where_the_scene_is():
    head, _ = read(
        slice_results(scene(np.zeros((2, 3, 4), np.uint8)), name="A", labels=("none", "x")).message()
    )
    assert (head["mode"], head["name"], head["labels"], head["backgrounds"]) == (
        "slices",
        "A",
        ["none", "x"],
        [],
    )
    assert head["affine"] == AFFINE[:3].tolist()
    assert head["to_file"] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0]]
    assert head["file_shape"] == [50, 60, 70]
    assert head["spacing"] == pytest.approx([0.98, 0.98, 3])


def test_images_are_described():
    values = np.array([[[-10, 30]]], np.int16)
    packed = slice_results(
        scene(
            np.zeros((1, 1, 1), np.uint8), image("CT", values), image("PET", values), image("MR", values, 0.5)
        ),
        name="A",
    )
    ct, pet, other = read(packed.message())[0]["backgrounds"]
    assert (ct["name"], ct["unit"], ct["windows"][0], ct["invert"]) == (
        "CT",
        "HU",
        ["Soft tissue", -160, 240],
        False,
    )
    assert (pet["name"], pet["unit"], pet["windows"][0], pet["invert"]) == (
        "PET",
        "SUV",
        ["0 to 10", 0, 10],
        True,
    )
    assert (other["name"], other["scale"], other["windows"]) == ("MR", 0.5, [["All", -5, 15]])
    assert (ct["spacing"], ct["corner"]) == ([1, 2, 3], [-4, 5, 0.5])
    assert len({ct["array"], pet["array"], other["array"]}) == 3


def test_large_masks_are_sent_small():
    """512 x 512 x 160 voxels, 42 MB."""
    x, y, z = np.ogrid[:512, :512, :160]
    truth = ((x - 250) ** 2 + (y - 200) ** 2 + (3 * z - 240) ** 2 < 40**2).astype(np.uint8)
    prediction = np.roll(truth, (3, -4, 1), (0, 1, 2))
    found = read_scene("A", opener(nifti(truth)), opener(nifti(prediction)))
    assert len(slice_results(found, name="A").message()) < 100_000
