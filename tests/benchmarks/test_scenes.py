"""What the slice viewer waits for: reading two masks of 512×512×160 voxels, with and without a CT, and
packing them. `make benchmark`."""

import gzip

import numpy as np
import pytest

from pages.display.viewer.payload import slice_results
from scoring.inputs.scenes import read_scene
from tests.support.volumes import nifti, opener

SHAPE = (512, 512, 160)
pytestmark = pytest.mark.benchmark(group="scenes")


@pytest.fixture(scope="module")
def files():
    x, y, z = np.ogrid[:512, :512, :160]
    truth = ((x - 250) ** 2 + (y - 200) ** 2 + (3 * z - 240) ** 2 < 60**2).astype(np.uint8)
    ct = np.random.default_rng(0).normal(40, 12, SHAPE)
    arrays = {"truth": (truth, "<u1"), "prediction": (np.roll(truth, 3, 0), "<u1"), "CT": (ct, "<i2")}
    return {
        name: opener(gzip.compress(nifti(values, dtype=dtype), 1)) for name, (values, dtype) in arrays.items()
    }


@pytest.mark.parametrize("images", [(), ("CT",)], ids=["masks", "masks and CT"])
def test_a_scene_is_read_and_packed(benchmark, files, images):
    def packed():
        found = read_scene("A", files["truth"], files["prediction"], {name: files[name] for name in images})
        return slice_results(found, name="A")

    payload = benchmark.pedantic(packed, rounds=3, warmup_rounds=1)
    assert len(payload.head["backgrounds"]) == len(images)
