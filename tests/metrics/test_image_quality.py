"""What is measured of a picture: each number on pictures made to have it, and the drawn samples apart from
stained tissue."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from scoring.challenges.samples import FOLDER
from scoring.metrics.image_quality import Tissue, field_stop, tissue
from tests.support.single_image import measure


def noise(side: int = 512, colour=(200, 150, 130), spread: float = 15) -> np.ndarray:
    grain = np.random.default_rng(0).normal(0, spread, (side, side, 1))
    return np.clip(np.array(colour) + grain, 0, 255).astype(np.uint8)


def opened(name: str) -> np.ndarray:
    return np.asarray(Image.open(FOLDER / name).convert("RGB"))


def test_blur_lowers_sharpness_and_leaves_the_light():
    sharp = measure(noise())
    found = [measure(ndimage.gaussian_filter(noise(), (s, s, 0))) for s in (1, 2, 4)]
    assert sharp.sharpness > found[0].sharpness > found[1].sharpness > found[2].sharpness
    assert found[2].brightness == pytest.approx(sharp.brightness, abs=2)


@pytest.mark.parametrize(("value", "dark", "bright"), [(5, 1, 0), (130, 0, 0), (252, 0, 1)])
def test_exposure(value, dark, bright):
    found = measure(np.full((512, 512, 3), value, np.uint8))
    assert (found.dark, found.bright) == (dark, bright)
    assert found.brightness == pytest.approx(value, abs=0.01)


def test_a_black_frame_is_no_darkness():
    y, x = np.mgrid[:512, :512] - 255.5
    round_picture = np.where(np.hypot(x, y)[..., None] < 250, noise(), 0).astype(np.uint8)
    found = measure(round_picture)
    assert found.field_stop == pytest.approx(1 - np.pi * 250**2 / 512**2, abs=0.01)
    assert found.dark == 0
    assert found.brightness == pytest.approx(measure(noise()).brightness, abs=1)


def test_dark_within_the_picture_is_no_frame():
    luma = np.full((64, 64), 100.0)
    luma[20:40, 20:40] = 0
    assert not field_stop(luma).any()
    luma[:, :5] = 0
    assert field_stop(luma).sum() == 64 * 5


def test_sizes():
    assert measure(noise(100)).short_side == 100
    assert measure(np.zeros((1, 20_000, 3), np.uint8)).short_side == 1
    assert measure(np.zeros((1, 1, 3), np.uint8)).short_side == 1


def test_glass_without_tissue():
    assert tissue(np.empty((3, 0), np.float32), 10) == Tissue(1, 0, 0)
    found = tissue(np.full((3, 4), 100, np.float32), 10)
    assert (found.white, found.stained) == (pytest.approx(0.6), 0)


def test_skin_and_stained_tissue_are_told_apart():
    lesions = [measure(opened(f"tricorder3/images/L{i:04}.jpg")) for i in range(1, 13)]
    tiles = [measure(opened(f"puma/truth/sample_{kind}_roi_001.tif")) for kind in ("primary", "metastatic")]
    assert min(found.skin for found in lesions) > 0.35 > max(found.skin for found in tiles)
    stained = [[found.tissue.stained for found in group] for group in (lesions, tiles)]
    assert max(stained[0]) < 0.1 < 0.5 < min(stained[1])
