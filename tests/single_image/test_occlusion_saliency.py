"""Maps by hiding: nothing for a model that does not look, the right place for one that looks at one quarter;
runs, progress, cancel."""

import tracemalloc

import numpy as np
import pytest
from PIL import Image

from sample_data.generator.catalogue import LESIONS
from sample_data.generator.testset import entries
from scoring import load_challenge
from scoring.challenges import samples
from scoring.inference.model_pool import Cancelled
from scoring.single_image import occlusion_saliency, random_mask_saliency
from scoring.single_image.image_prediction import predict
from scoring.single_image.model import OpenModel
from scoring.single_image.model_inputs import model_task
from scoring.single_image.photograph import received
from scoring.single_image.saliency import enlarged, surrounding
from tests.support.single_image import constant, lesion, model, of_quadrant, photograph


@pytest.fixture
def runs(monkeypatch):
    """Counts the runs of every model."""
    counted = []
    run = OpenModel.run
    monkeypatch.setattr(OpenModel, "run", lambda self, *given: counted.append(1) or run(self, *given))
    return counted


def both_ways(found, one, **more):
    return occlusion_saliency.occlusion(found, one, **more), random_mask_saliency.masks(
        found, one, 32, **more
    )


def test_a_constant_model_leaves_the_map_empty():
    with model(constant()) as found:
        for drawn in both_ways(found, predict(found, photograph(lesion()))):
            assert np.abs(drawn.drops).max() == 0
            assert drawn.strongest(3) == 0
            assert not drawn.matters(3)
            assert not drawn.picture(3).any()


def test_the_peak_lies_where_the_model_looks():
    pixels = np.full((64, 64, 3), 40, np.uint8)
    pixels[8:24, 40:56] = 250
    with model(of_quadrant(), model_task("melanoma")) as found:
        one = predict(found, photograph(pixels))
        for drawn in both_ways(found, one):
            picture = drawn.picture(1)
            row, column = np.unravel_index(picture.argmax(), picture.shape)
            assert 4 <= row < 28
            assert 36 <= column < 60
            assert np.array_equal(np.sign(drawn.picture(0)[row, column]), -1.0)
        hidden = occlusion_saliency.occlusion(found, one)
        assert np.abs(hidden.drops[:, 5:]).max() < 1e-6
        assert np.abs(hidden.drops[:, :, :3]).max() < 1e-6


def test_the_drop_is_the_score_before_less_the_score_after():
    pixels = np.full((64, 64, 3), 40, np.uint8)
    pixels[8:24, 40:56] = 250
    with model(of_quadrant(), model_task("melanoma")) as found:
        one = predict(found, photograph(pixels))
        drawn = occlusion_saliency.occlusion(found, one)
        row, column, before, after = drawn.largest(1)
        assert (
            before - after == pytest.approx(drawn.strongest(1)) == pytest.approx(drawn.drops[1, row, column])
        )
        changed = [p.copy() for p in occlusion_saliency.hidden(one.prepared, 8)][8 * row + column]
        assert predict(found, photograph(changed)).probabilities[1] == pytest.approx(after, abs=0.01)
    assert drawn.before == pytest.approx(one.probabilities)


@pytest.mark.parametrize("grid", [5, 8])
def test_one_run_a_cell_and_one_for_the_answer(runs, grid):
    said = []
    with model(of_quadrant(), model_task("melanoma")) as found:
        one = predict(found, photograph(lesion(64)))
        occlusion_saliency.occlusion(
            found, one, grid, progress=lambda done, total: said.append((done, total))
        )
    assert len(runs) == grid * grid + 1
    assert said == [(done, grid * grid) for done in range(grid * grid + 1)]


def test_cancel_stops_within_one_run(runs):
    with model(of_quadrant(), model_task("melanoma")) as found:
        one = predict(found, photograph(lesion(64)))
        for work in (occlusion_saliency.occlusion, random_mask_saliency.masks):
            before = len(runs)
            with pytest.raises(Cancelled):
                work(found, one, cancelled=lambda before=before: len(runs) == before + 5)
            assert len(runs) == before + 5


@pytest.mark.parametrize(
    ("seconds", "wanted", "grid"),
    [
        (0.001, 8, 8),
        (0.001, 16, 16),
        (0.001, 99, 16),
        (0.08, 8, 6),
        (1, 8, 5),
        (60, 16, 5),
        (0, 8, 8),
        (0.01, 2, 5),
    ],
)
def test_the_grid_fits_the_time(seconds, wanted, grid):
    assert occlusion_saliency.grid_for(seconds, wanted) == grid
    assert grid == 5 or grid * grid * seconds <= occlusion_saliency.BUDGET_SECONDS


def test_patches_hide_their_cell_softly_and_put_back_what_was_there():
    pixels = lesion(64)
    around = surrounding(pixels)
    for number, changed in enumerate(occlusion_saliency.hidden(pixels, 8)):
        row, column = divmod(number, 8)
        y, x = 8 * row + 4, 8 * column + 4
        assert np.abs(changed[y, x] - around).max() <= 1
        away = np.ones((64, 64), bool)
        away[max(0, y - 13) : y + 13, max(0, x - 13) : x + 13] = False
        assert np.array_equal(changed[away], pixels[away])
    assert number == 63
    assert np.array_equal(pixels, lesion(64))


@pytest.mark.parametrize(
    "pictures",
    [
        lambda pixels: occlusion_saliency.hidden(pixels, 8),
        lambda pixels: random_mask_saliency.masked(pixels, random_mask_saliency.random_masks(4, 0)),
    ],
)
def test_hiding_takes_little_memory(pictures):
    """At most three tensors of the input beside the pixels, however many runs."""
    pixels = lesion(256)
    tracemalloc.start()
    for _ in pictures(pixels):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3.3 * 4 * pixels.size


def test_the_colour_around_is_the_skin_s_and_not_the_frame_s():
    pixels = lesion()
    pixels[:40] = 5
    assert surrounding(pixels) == pytest.approx([205, 160, 140], abs=2)
    assert surrounding(np.zeros((64, 64, 3), np.uint8)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("height", "width", "cells"), [(64, 48, 8), (100, 30, 7), (5, 5, 5)])
def test_enlarged_is_bilinear_between_centres(height, width, cells):
    values = np.random.default_rng(0).random((cells, cells)).astype(np.float32)

    def along(length):
        return (np.arange(length) + 0.5) / length * cells - 0.5

    rows = np.array([np.interp(along(width), np.arange(cells), row) for row in values])
    expected = np.array([np.interp(along(height), np.arange(cells), column) for column in rows.T]).T
    assert enlarged(values, height, width) == pytest.approx(expected, abs=1e-5)


def test_masks_are_the_same_for_the_same_seed():
    first, again, other = (random_mask_saliency.random_masks(20, seed) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert 0 <= first.min() <= first.max() <= 1
    assert first.mean() == pytest.approx(0.5, abs=0.08)


@pytest.mark.soak
def test_the_sample_network_looks_at_the_lesion():
    """At least 0.6 of the map's top tenth inside the lesion, mean of the lesions whose file is not turned
    among the first 24; by chance 0.17."""
    challenge, sample = load_challenge("tricorder3"), samples.test_sets("tricorder3")["sample"]
    truth, inside, share = challenge.read_truth(sample.path), [], []
    drawn_again = entries(LESIONS["tricorder3"].plan)
    with model(sample.submissions["convolutional"].path.read_bytes()) as found:
        for index in range(24):
            shown = received(truth.picture(index))
            if shown.turned:
                continue
            one = predict(found, shown, truth.demographics.encoded[index])
            drawn = occlusion_saliency.occlusion(found, one)
            picture = drawn.picture(one.top)
            lies = Image.fromarray(drawn_again[index].draw().mask)
            mask = np.asarray(lies.resize(drawn.shape[::-1], Image.Resampling.NEAREST))
            inside.append(mask[picture >= np.quantile(picture, 0.9)].mean())
            share.append(mask.mean())
    assert len(inside) >= 20
    assert np.mean(inside) >= 0.6 > 2 * np.mean(share)
