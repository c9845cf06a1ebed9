"""Dense models: what they must be, and tiles of any size by overlapping windows."""

from itertools import pairwise

import numpy as np
import pytest

from scoring.challenges.puma import dense_models as of_dense
from scoring.challenges.puma import model as models
from scoring.challenges.puma.dense_models import MOST_CELLS, OVERLAP, DenseModel, examined, probabilities
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.findings import InputRefused
from scoring.inference.model_process import ModelProcess
from scoring.inference.worker_results import ModelOutput
from tests.support.dense_models import dense

ANY = (None, None)
PLACES = tuple(range(len(CLASSES)))


class Cells:
    """A model in this process: the probability of class 2 is the red of each cell, and 0 in `dimmed` cells at
    the edges of what it is given, as convolutions see nothing beyond."""

    def __init__(self, stride: int = 4, dimmed: int = 0, times: float = 1):
        self.stride, self.dimmed, self.times, self.windows = stride, dimmed, times, []

    def run(self, picture, recipe, vector=None, want_pixels=False):
        height, width = picture.shape[:2]
        self.windows.append((width, height))
        red = picture[:: self.stride, :: self.stride, 0] / np.float32(255)
        if self.dimmed:
            red = red.copy()
            for edge in (np.s_[: self.dimmed], np.s_[-self.dimmed :]):
                red[edge], red[:, edge] = 0, 0
        output = np.zeros((1, 11, *red.shape), np.float32)
        output[0, 0], output[0, 3] = 1 - red, red
        return ModelOutput((output * np.float32(self.times),), None, 1.0, None)


def model(size=ANY) -> DenseModel:
    return DenseModel("m.onnx", PLACES, size)


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


def words(work, *given) -> str:
    with pytest.raises(InputRefused) as caught:
        work(*given)
    (problem,) = caught.value.problems
    return problem.message


def test_a_tile_whose_last_cells_are_cut_is_measured_in_whole_strides():
    """30 cells of 4 px over 118 px: cell 26 has its centre at 106 px."""
    pixels = np.zeros((118, 118, 3), np.uint8)
    pixels[100:112, 100:112] = 255
    assert models.detected(Cells(), model(), pixels).centroids.tolist() == [[106, 106]]


@pytest.mark.slow
@pytest.mark.parametrize("size", [ANY, (128, 128), (100, 77)])
@pytest.mark.parametrize("stride", [1, 4, 8])
@pytest.mark.parametrize("side", [(256, 256), (300, 77), (36, 40)])
def test_windows_cover_any_tile_at_any_stride(monkeypatch, side, stride, size):
    monkeypatch.setattr(of_dense, "WINDOW", 128)
    process, pixels = Cells(stride), noise(*side)
    found, measured = probabilities(process, model(size), pixels)
    assert measured == stride
    assert found[3] == pytest.approx(pixels[::stride, ::stride, 0] / 255, abs=1e-6)
    assert found.sum(0) == pytest.approx(1, abs=1e-6)
    assert len(set(process.windows)) == 1
    if size != ANY:
        assert process.windows[0] == size


@pytest.mark.parametrize("size", [ANY, (192, 160)])
def test_a_tile_of_the_size_of_a_window_is_answered_as_the_model_answers_it(monkeypatch, size):
    monkeypatch.setattr(of_dense, "WINDOW", 192)
    pixels = noise(160, 192)
    found, _ = probabilities(Cells(), model(size), pixels)
    assert np.array_equal(found, Cells().run(pixels, None).outputs[0][0])


def test_a_nucleus_at_a_seam_is_found_once():
    """Discs all over the tile, also where windows of 160 px end and see less."""
    pixels = np.zeros((300, 420, 3), np.uint8)
    rows, columns = np.mgrid[:300, :420]
    centres = [(y, x) for y in range(20, 300, 36) for x in range(20, 400, 36)]
    for y, x in centres:
        pixels[(rows - y) ** 2 + (columns - x) ** 2 <= 100, 0] = 255
    found = models.detected(Cells(stride=2, dimmed=3), model((160, 160)), pixels)
    near = np.abs(found.centroids[:, None] - np.array(centres)[None, :, ::-1]).max(2) <= 3
    assert len(found) == len(centres)
    assert near.any(0).all()


def test_windows_overlap_and_end_with_the_tile():
    for side, window, stride in ((2500, 1024, 4), (1025, 1024, 4), (5000, 512, 16), (90, 64, 32)):
        starts = of_dense._starts(side, window, stride)
        assert starts[0] == 0
        assert all(start % stride == 0 for start in starts)
        assert side <= starts[-1] + window < side + max(stride, window)
        overlaps = [a + window - b for a, b in pairwise(starts)]
        assert min(overlaps) >= min(OVERLAP, window // 2) - stride


@pytest.mark.slow
def test_classes_are_put_in_the_challenge_s_order():
    pixels, names = noise(64, 64), ["background", *reversed(CLASSES)]
    maps = []
    for data in (dense(), dense(metadata=",".join(names))):
        with ModelProcess(data) as process:
            maps.append(probabilities(process, examined(process, process.facts, "m"), pixels).values)
    assert np.array_equal(maps[1][0], maps[0][0])
    assert np.array_equal(maps[1][1:], maps[0][:0:-1])


def test_tiles_that_are_too_small_or_too_large(monkeypatch):
    assert "32 px" in words(probabilities, Cells(), model(), noise(16, 64))
    monkeypatch.setattr(of_dense, "MOST_CELLS", 300)
    assert "cut out a part" in words(probabilities, Cells(), model(), noise(80, 80))
    assert MOST_CELLS == 4096**2


def test_answers_that_are_no_probabilities():
    assert "softmax" in words(probabilities, Cells(times=7), model(), noise(64, 64))
    assert "finite" in words(probabilities, Cells(times=np.nan), model(), noise(64, 64))
