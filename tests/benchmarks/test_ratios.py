"""Whole processes against the program that does the same elsewhere, in turns, as a ratio of processor time.

Run with `make benchmark`; the official scorer of ISIC needs `make peers`. `extra_info` holds the medians of
both, how many times less ours takes, and the load average then: ratios hold on busy machines, seconds do not.
"""

import os
import resource
import sys
from collections.abc import Callable
from statistics import median

import numpy as np
import pytest

from scoring.models.cache import PictureCache
from tests.benchmarks import test_models, test_puma
from tests.benchmarks.test_hecktor2026 import run
from tests.benchmarks.test_isic import MANY, written
from tests.support import nuclei_lists as plain
from tests.support.peer import INTERPRETER

ROUNDS, LOOPED = 3, 2


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
    """One worker; with as many workers as cores, images per second are so many times more."""
    files = [test_models.photograph(seed) for seed in range(test_models.PICTURES)]
    vectors, model = np.tile(np.array([50, 1, 7], np.float32), (len(files), 1)), test_models.network()
    filled = PictureCache(1 << 30)
    if kept:
        test_models.ours(model, files, vectors, filled)
    compared(
        benchmark,
        lambda: cpu_of(
            lambda: test_models.ours(model, files, vectors, filled if kept else PictureCache(1 << 30), 1)
        ),
        lambda: cpu_of(lambda: test_models.official(model, files, vectors)),
        least,
    )
