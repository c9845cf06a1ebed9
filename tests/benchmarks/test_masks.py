"""Dice of a pair of 512×512×200 masks: streamed, and by nibabel and numpy as most people write it. CPU time;
run with `make benchmark`."""

import gzip
import time
from functools import partial

import nibabel
import numpy as np
import pytest

from scoring.inputs.masks.counting import VoxelCounts, count, examine
from scoring.inputs.masks.lesions import lesions
from scoring.metrics.dice_and_panoptic_quality import dice, overlap
from tests.support.volumes import AFFINE, nifti, opener

SHAPE = (512, 512, 200)
GTVP, GTVN = 1, 2
TRUE = [
    ((250, 260, 100), (25, 20, 10), GTVP),
    ((300, 200, 80), (12, 12, 6), GTVN),
    ((200, 220, 70), (9, 12, 4), GTVN),
]
GUESS = [((254, 258, 101), (25, 21, 10), GTVP), ((301, 202, 80), (12, 12, 6), GTVN)]
BACKWARDS = np.array([[1, 0, 0, 0], [0, -1, 0, SHAPE[1] - 1], [0, 0, 1, 0], [0, 0, 0, 1.0]])
LEVELS = {"as nibabel packs it": 1, "as ITK packs it": 6}
pytestmark = pytest.mark.benchmark(timer=time.process_time, group="masks")


def tumours(ellipsoids) -> np.ndarray:
    """Labels of ellipsoids: centre and radii in voxels, label."""
    labels, axes = np.zeros(SHAPE, np.uint8), np.indices(SHAPE, sparse=True)
    for centre, radii, label in ellipsoids:
        labels[sum(((axis - c) / r) ** 2 for axis, c, r in zip(axes, centre, radii, strict=True)) <= 1] = (
            label
        )
    return labels


@pytest.fixture(scope="module", params=LEVELS)
def pair(request, tmp_path_factory):
    """Paths of truth and prediction."""
    folder = tmp_path_factory.mktemp("masks")
    for name, ellipsoids in (("truth", TRUE), ("prediction", GUESS)):
        (folder / f"{name}.nii.gz").write_bytes(
            gzip.compress(nifti(tumours(ellipsoids)), LEVELS[request.param])
        )
    return folder / "truth.nii.gz", folder / "prediction.nii.gz"


def by_numpy(truth, prediction) -> list[float]:
    return plain_dice(*(np.asanyarray(nibabel.load(path).dataobj) for path in (truth, prediction)))


def plain_dice(true: np.ndarray, guess: np.ndarray) -> list[float]:
    sizes = [(np.count_nonzero(true == k), np.count_nonzero(guess == k)) for k in (GTVP, GTVN)]
    return [
        2 * np.count_nonzero((true == k) & (guess == k)) / sum(size)
        for k, size in zip((GTVP, GTVN), sizes, strict=True)
    ]


def streamed(truth, prediction) -> VoxelCounts:
    return count(examine(partial(open, truth, "rb")), partial(open, prediction, "rb"))


def dices(counts: VoxelCounts) -> list[float]:
    return [float(dice(*overlap(counts.table[None], label))[0]) for label in (GTVP, GTVN)]


def test_nibabel_and_numpy(benchmark, pair):
    assert min(benchmark.pedantic(by_numpy, pair, rounds=5, warmup_rounds=1)) > 0.5


def test_truth_examined_and_prediction_counted(benchmark, pair):
    assert dices(benchmark.pedantic(streamed, pair, rounds=20, warmup_rounds=1)) == by_numpy(*pair)


def test_a_further_prediction_against_the_same_truth(benchmark, pair):
    truth = examine(partial(open, pair[0], "rb"))
    assert dices(
        benchmark.pedantic(count, (truth, partial(open, pair[1], "rb")), rounds=20, warmup_rounds=1)
    ) == by_numpy(*pair)


def test_lesions_of_a_pair(benchmark, pair):
    truth = examine(partial(open, pair[0], "rb"))
    assert (
        benchmark.pedantic(
            lesions, (truth, partial(open, pair[1], "rb"), GTVN), rounds=10, warmup_rounds=1
        ).matched
        == 1
    )


@pytest.mark.parametrize("dtype", ["<u1", "<i2", ">f4"])
@pytest.mark.parametrize("way", [np.eye(4), BACKWARDS], ids=["in order", "backwards"])
def test_other_types_and_orders(benchmark, dtype, way):
    guess = tumours(GUESS)
    packed = gzip.compress(nifti(guess[:, :: int(way[1, 1])], AFFINE @ way, dtype), 1)
    truth = examine(opener(nifti(tumours(TRUE))))
    counts = benchmark.pedantic(count, (truth, opener(packed)), rounds=3, warmup_rounds=1)
    assert dices(counts) == plain_dice(tumours(TRUE), guess)
