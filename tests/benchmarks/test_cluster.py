"""Two workers of a cluster against one process: a model over images, and large masks.

Wall time, for a cluster adds processes; rounds alternate, since other work on the machine changes.
`extra_info` holds seconds and load. Run with `make benchmark`, on two quiet cores.
"""

import gzip
import io
import os
import statistics
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import scoring
from scoring.challenges.tricorder3.model import recipe_for
from scoring.inference import model_pool, run_model
from scoring.inference.cluster import masks
from scoring.inference.cluster.inference import run_on_all
from scoring.inference.cluster.scheduler import ADDRESS
from scoring.inputs.masks.counting import examine
from scoring.inputs.masks.lesions import MaskPair
from tests.benchmarks.test_masks import GUESS, TRUE, tumours
from tests.support.cluster import LocalCluster
from tests.support.volumes import nifti

TRICORDER3, REPEATS, ROUNDS, PATIENTS = "sample_data/tricorder3", 12, 3, 300
ONE = model_pool.PoolSettings(workers=1, cache=None)


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(2) as started, pytest.MonkeyPatch.context() as patch:
        patch.setenv(ADDRESS, started.address)
        yield started


def seconds(work):
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def compared(benchmark, one_process, two_workers):
    """Time both in turn, and return what they gave last."""
    two_workers()  # workers import what they need
    took = [], []
    for _ in range(ROUNDS):
        for times, work in zip(took, (one_process, two_workers), strict=True):
            times.append(seconds(work))
    one, two = (statistics.median(time for time, _ in times) for times in took)
    benchmark.extra_info.update(one_process=one, two_workers=two, ratio=one / two, load=os.getloadavg()[0])
    print(
        f"\n{one:.1f} s in one process, {two:.1f} s on two workers: {one / two:.2f}x; load {os.getloadavg()}"
    )
    benchmark.pedantic(lambda: None, rounds=1)
    return took[0][-1][1], took[1][-1][1]


def test_a_model_over_images(benchmark, cluster):
    truth = scoring.load_challenge("tricorder3").read_truth(TRICORDER3)
    pictures = run_model.readers(truth)[0] * REPEATS
    vectors = np.tile(truth.demographics.encoded, (REPEATS, 1))
    with open(f"{TRICORDER3}/models/convolutional.onnx", "rb") as file:
        predict = partial(model_pool.predict, file.read(), pictures, vectors, recipe_for, settings=ONE)
    here, there = compared(benchmark, predict, partial(predict, settings=replace(ONE, run=run_on_all)))
    np.testing.assert_array_equal(here.outputs, there.outputs)


def test_masks(benchmark, cluster):
    truth, submitted = (gzip.compress(nifti(tumours(drawn)), 1) for drawn in (TRUE, GUESS))
    pair = MaskPair(examine(partial(io.BytesIO, truth)), partial(io.BytesIO, submitted))
    pairs = [pair] * PATIENTS
    assert pair.truth.grid.voxels * PATIENTS > masks.WORTH_VOXELS
    here, there = compared(
        benchmark, lambda: masks._here(pairs, 2, None, None), lambda: masks.compare_all(pairs, 2)
    )
    assert [repr(found) for found in here] == [repr(found) for found in there]
