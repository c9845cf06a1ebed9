"""Comparing teams against plain loops with scikit-learn: replicates of many teams, the whole command, and a
repaint under other weights.

Run with `make benchmark`, OMP_NUM_THREADS=1 for the time of one thread. The loop runs a few replicates of one
team, times as many as all would be; `extra_info` holds its seconds, ours and how many times faster that is.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from scoring.comparison.robustness import what_if
from scoring.statistics.replicates import draw
from tests.benchmarks.test_hecktor2026 import run
from tests.benchmarks.test_scoring import RESAMPLES, looped, vectorised
from tests.support.lesion_tables import CLASSES
from tests.support.teams import lesion_outputs, lesion_teams, lesion_truth, outputs_table, risk_teams

LOOPED = 3
REFERENCE = (20, 10_000)
COMMAND = (10, 5_000)


def drawn(teams: int, n: int) -> tuple[np.ndarray, list[np.ndarray]]:
    random = np.random.default_rng(0)
    truth = random.integers(0, len(CLASSES), n)
    return truth, [lesion_outputs(random, truth, 1 + 0.02 * team) for team in range(teams)]


def loop_seconds(truth: np.ndarray, outputs: np.ndarray, teams: int) -> tuple[float, list]:
    """CPU seconds that the loop takes for all replicates of so many teams, and its values for the first
    replicates of one."""
    counts = np.concatenate([block.astype(int) for block in draw(len(truth), RESAMPLES, 0)])
    begun = time.process_time()
    values = [looped(truth, outputs, row) for row in counts[:LOOPED]]
    return (time.process_time() - begun) / LOOPED * RESAMPLES * teams, values


def told(benchmark, seconds: float, of_loop: float) -> None:
    benchmark.extra_info["scikit_learn_loop_seconds_scaled"] = round(of_loop, 1)
    benchmark.extra_info["cpu_seconds"] = round(seconds, 2)
    benchmark.extra_info["times_faster"] = round(of_loop / seconds)


@pytest.mark.benchmark(timer=time.process_time)
def test_replicates_of_twenty_teams(benchmark):
    truth, sent = drawn(*REFERENCE)
    of_loop, expected = loop_seconds(truth, sent[0], len(sent))
    found = benchmark.pedantic(lambda: [vectorised(truth, outputs) for outputs in sent], rounds=2)
    assert found[0][:LOOPED] == pytest.approx(np.array(expected), abs=1e-12)
    told(benchmark, benchmark.stats.stats.min, of_loop)


def test_whole_command(benchmark, tmp_path):
    truth, sent = drawn(*COMMAND)
    (tmp_path / "teams").mkdir()
    (tmp_path / "truth.csv").write_bytes(lesion_truth(truth))
    for team, outputs in enumerate(sent):
        (tmp_path / "teams" / f"{team}.csv").write_bytes(outputs_table(outputs))
    of_loop, _ = loop_seconds(truth, sent[0], len(sent))
    files = "--truth", tmp_path / "truth.csv", tmp_path / "teams", "--json", tmp_path / "comparison.json"
    cpu, _ = benchmark.pedantic(
        run, (sys.executable, "-m", "scoring", "compare", "tricorder3", *files), rounds=1
    )
    assert Path(tmp_path / "comparison.json").exists()
    told(benchmark, cpu, of_loop)


@pytest.mark.parametrize("teams", [20, 60])
@pytest.mark.benchmark(timer=time.process_time)
def test_repaint_of_lesions_under_other_weights(benchmark, teams):
    found = lesion_teams(0, 400, np.linspace(0.5, 3, teams).tolist(), resamples=RESAMPLES)
    again = benchmark(what_if, found, {"malignant": 5})
    assert len(again.teams) == teams


@pytest.mark.benchmark(timer=time.process_time)
def test_repaint_of_risks_under_another_beta(benchmark):
    found = risk_teams(0, 400, np.linspace(0.2, 0.9, 20).tolist(), resamples=RESAMPLES)
    again = benchmark(what_if, found, {"beta": 1})
    assert len(again.teams) == 20
