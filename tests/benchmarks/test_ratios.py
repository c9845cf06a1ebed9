"""Whole processes against the program that does the same elsewhere, in turns, as a ratio of processor time.

Run with `make benchmark`; the official scorer of ISIC needs `make peers`. `extra_info` holds the medians of
both, how many times less ours takes, and the load average then: ratios hold on busy machines, seconds do not.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
import pytest

from scoring.inference import model_pool
from scoring.inference.image_cache import PictureCache
from tests.benchmarks import test_models, test_puma
from tests.benchmarks.test_hecktor2026 import run
from tests.benchmarks.test_isic import MANY, written
from tests.support import nuclei_lists as plain
from tests.support.peer import INTERPRETER

ROUNDS, LOOPED, TURNS = 3, 2, 5


def cpu_of(work: Callable[[], object]) -> float:
    """Return processor seconds that `work` takes in this process and in those that it starts and ends."""

    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    before = used()
    work()
    return used() - before


def compared(benchmark, ours: Callable[[], float], other: Callable[[], float], least: float) -> None:
    """Measure both in turns; `least` times less is the goal."""
    pairs = [(ours(), other()) for _ in range(ROUNDS)]
    own, theirs = (median(column) for column in zip(*pairs, strict=True))
    benchmark.extra_info.update(
        cpu_seconds=round(own, 2),
        of_the_other=round(theirs, 2),
        times_less=round(theirs / own, 1),
        goal=least,
        load_average=round(os.getloadavg()[0], 1),
    )
    benchmark.pedantic(ours, rounds=1)


def test_isic_against_the_official_scorer(benchmark, tmp_path):
    if not INTERPRETER.exists():
        pytest.skip("the official scorer is not installed: `make peers` makes .venv-peers")
    files = written(tmp_path, MANY)
    truth, predictions = files / "truth.csv", files / "predictions.csv"
    official = INTERPRETER, "-W", "ignore", "-m", "isic_challenge_scoring", "-o", "json", "classification"
    ours = sys.executable, "-m", "scoring", "score", "isic", "--resamples", 0, "--json", files / "card.json"
    compared(
        benchmark,
        lambda: run(*ours, "--truth", truth, "--predictions", predictions)[0],
        lambda: run(*official, truth, predictions)[0],
        least=10,
    )


def test_puma_against_plain_loops(benchmark, tmp_path):
    true, found = test_puma.written(tmp_path, test_puma.IMAGES, test_puma.NUCLEI)
    ours = sys.executable, "-m", "scoring", "score", "puma", "--resamples", 0, "--rules", test_puma.RULES

    def looped() -> None:
        for i in range(LOOPED):
            pair = (test_puma.plainly_read(folder / f"roi_{i:03d}.json") for folder in (true, found))
            plain.tallies(*pair, test_puma.RULES)

    compared(
        benchmark,
        lambda: run(*ours, "--truth", true, "--predictions", found, "--json", tmp_path / "card.json")[0],
        lambda: cpu_of(looped) / LOOPED * test_puma.IMAGES,
        least=30,
    )


@pytest.mark.parametrize(("kept", "least"), [(False, 4), (True, 10)], ids=["first model", "further model"])
def test_photographs_against_the_official_flow(benchmark, kept, least):
    """Further images per second of wall time, with start left out on both sides: ours with a worker per core
    against the official flow, which is one after the other. Photographs kept are those of a model before.

    `cpu_times_less` is the ratio of processor time, which busy cores change little.
    """
    drawn = [test_models.photograph(seed) for seed in range(test_models.PICTURES)]
    files = [data + bytes([turn]) for turn in range(TURNS) for data in drawn]  # no two alike
    vectors, model = np.tile(np.array([50, 1, 7], np.float32), (len(files), 1)), test_models.network()
    filled = PictureCache(1 << 30)
    if kept:
        test_models.ours(model, files, vectors, filled)

    def own(count: int) -> None:
        cache = filled if kept else PictureCache(1 << 30)
        test_models.ours(model, files[:count], vectors[:count], cache, min(count, model_pool.cores()))

    def theirs(count: int) -> None:
        test_models.official(model, files[:count], vectors[:count])

    few, many = model_pool.cores(), len(files)
    rounds = [[of(work, few, many) for work in (own, theirs)] for _ in range(ROUNDS)]
    (own_wall, own_cpu), (wall, cpu) = np.median(rounds, axis=0)
    benchmark.extra_info.update(
        images_per_second=round(1 / own_wall, 1),
        of_the_other=round(1 / wall, 1),
        times_more=round(wall / own_wall, 1),
        goal=least,
        cpu_ms_per_image=round(1000 * own_cpu, 1),
        cpu_ms_of_the_other=round(1000 * cpu, 1),
        cpu_times_less=round(cpu / own_cpu, 1),
        load_average=round(os.getloadavg()[0], 1),
    )
    benchmark.pedantic(own, (many,), rounds=1)


def of(work: Callable[[int], object], few: int, many: int) -> tuple[float, float]:
    """Return seconds of wall time and of processor time of one more image."""
    (wall, cpu), (wall_of_few, cpu_of_few) = (timed(partial(work, count)) for count in (many, few))
    return (wall - wall_of_few) / (many - few), (cpu - cpu_of_few) / (many - few)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds of wall time and of processor time."""
    begun = time.perf_counter()
    cpu = cpu_of(work)
    return time.perf_counter() - begun, cpu
