"""ISIC: 100,000 rows of 8 categories through the official scorer and through ours, as whole commands, in CPU
seconds of all their processes.

Run with `make benchmark`; the official scorer needs `make peers`.
"""

import resource
import subprocess
import sys

import numpy as np
import pytest

import scoring
from scoring.challenges.isic import thresholds
from scoring.challenges.isic.card import malignant_curve
from tests.support.lesion_tables import table
from tests.support.peer import INTERPRETER, ROOT

ISIC = scoring.load_challenge("isic")
CATEGORIES = ("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC")
SHARES = (0.15, 0.5, 0.12, 0.05, 0.1, 0.02, 0.02, 0.04)
MANY, SOME = 100_000, 10_000
RESAMPLES = 1000


def written(folder, cases: int):
    """Truth and predictions of a model that is right in about half of the cases; six decimals, predictions in
    another order."""
    random = np.random.default_rng(0)
    labels = random.choice(len(CATEGORIES), cases, p=SHARES)
    logits = random.normal(0, 1.2, (cases, len(CATEGORIES))) + 1.8 * (
        labels[:, None] == np.arange(len(CATEGORIES))
    )
    outputs = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    ids = [f"ISIC_{i:07d}" for i in range(cases)]
    hits = np.char.mod("%.1f", labels[:, None] == np.arange(len(CATEGORIES)))
    (folder / "truth.csv").write_bytes(
        table(("image", *CATEGORIES), *([i, *row] for i, row in zip(ids, hits, strict=True)))
    )
    rows = ([ids[i], *np.char.mod("%.6f", outputs[i])] for i in random.permutation(cases))
    (folder / "predictions.csv").write_bytes(table(("image", *CATEGORIES), *rows))
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return written(tmp_path_factory.mktemp("many"), MANY)


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    return written(tmp_path_factory.mktemp("some"), SOME)


def children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command(*arguments: object) -> None:
    subprocess.run(list(map(str, arguments)), cwd=ROOT, check=True, capture_output=True)


def test_official_command(benchmark, many):
    if not INTERPRETER.exists():
        pytest.skip("the official scorer is not installed: `make peers` makes .venv-peers")
    program = INTERPRETER, "-W", "ignore", "-m", "isic_challenge_scoring", "-o", "json", "classification"
    before = children_cpu()
    benchmark.pedantic(command, (*program, many / "truth.csv", many / "predictions.csv"), rounds=1)
    benchmark.extra_info["cpu_seconds"] = children_cpu() - before


def test_our_command_with_the_json_of_all_cases(benchmark, many):
    files = "--truth", many / "truth.csv", "--predictions", many / "predictions.csv"
    before = children_cpu()
    benchmark.pedantic(
        command,
        (
            sys.executable,
            "-m",
            "scoring",
            "score",
            "isic",
            *files,
            "--resamples",
            0,
            "--json",
            many / "card.json",
        ),
        rounds=3,
    )
    benchmark.extra_info["cpu_seconds"] = (children_cpu() - before) / 3


def read_and_scored(folder, resamples: int):
    truth = ISIC.read_truth(folder / "truth.csv")
    return ISIC.score(truth, ISIC.read_predictions(folder / "predictions.csv", truth), resamples=resamples)


def test_reading_and_scoring_many_cases_without_intervals(benchmark, many):
    assert benchmark.pedantic(read_and_scored, (many, 0), rounds=3).n_cases == MANY


def test_reading_and_scoring_some_cases_with_intervals_of_every_metric(benchmark, some):
    assert len(benchmark.pedantic(read_and_scored, (some, RESAMPLES), rounds=3).intervals) == 14


def test_a_moved_threshold(benchmark, some):
    card = read_and_scored(some, 0)
    assert benchmark(thresholds.at, card, {"MEL": 0.3})["macro_f1"] > 0


def test_another_malignant_set(benchmark, some):
    card = read_and_scored(some, 0)
    assert benchmark(malignant_curve, card, ["MEL", "BCC"])["auc"] > 0.5


DECLARED = f"""id = "eight"
title = "Eight categories"
task = "classification"
classes = {[*CATEGORIES]}
[truth]
case = "image"
columns = "classes"
[predictions]
scores = "classes"
[score]
metric = "balanced_accuracy"
"""


@pytest.mark.parametrize("action", ["score", "compare"])
def test_the_same_challenge_as_a_file_takes_at_most_twice_the_time(benchmark, many, tmp_path, action):
    """Whole commands with intervals, the better of two each, in turn."""
    (tmp_path / "eight.toml").write_text(DECLARED)
    sent = {"score": ("--predictions", many / "predictions.csv")}.get(
        action, (f"a={many / 'predictions.csv'}", f"b={many / 'predictions.csv'}")
    )
    seconds: dict[object, list[float]] = {"isic": [], tmp_path / "eight.toml": []}
    for challenge in [*seconds] * 2:
        before = children_cpu()
        files = ("--truth", many / "truth.csv", *sent, "--json", tmp_path / "out.json")
        command(sys.executable, "-m", "scoring", action, challenge, *files, "--resamples", 100)
        seconds[challenge].append(children_cpu() - before)
    built_in, declared = (min(of) for of in seconds.values())
    benchmark.extra_info.update(built_in=built_in, declared=declared, times=declared / built_in)
    benchmark.pedantic(lambda: None, rounds=1)
    assert declared <= 2 * built_in
