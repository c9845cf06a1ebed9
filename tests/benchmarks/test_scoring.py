"""Scoring 5,220 cases of 11 classes: reading and scoring a CSV, and 1000 replicates against a loop with
scikit-learn.

Run with `make benchmark`.
"""

import time

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

import scoring
from scoring.metrics import classification, curves
from scoring.statistics.replicates import draw, replicate_weights
from tests.support.lesion_tables import CLASSES, RISKS, TRUTH_HEADER, table

CHALLENGE = scoring.load_challenge("tricorder3")
N, RESAMPLES, LOOPED = 5220, 1000, 5
WEIGHTS = np.array(
    [
        next(
            {"malignant": 3, "medium": 2, "benign": 1}[r] / 6 / len(members)
            for r, members in RISKS.items()
            if c in members
        )
        for c in CLASSES
    ]
)


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Class numbers [N] and outputs [N, 11] of a model that is right in about two thirds of the cases."""
    dice = np.random.default_rng(0)
    truth = dice.choice(11, N, p=dice.dirichlet(np.full(11, 5)))
    outputs = dice.dirichlet(np.full(11, 0.5), N) + 0.6 * np.eye(11)[truth] * dice.random((N, 1))
    return truth, outputs / outputs.sum(1, keepdims=True)


@pytest.fixture(scope="module")
def files(drawn, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    truth, outputs = drawn
    rows = (
        [f"image_{i}.jpg", CLASSES[y], str(20 + i % 70), "Torso", "mf"[i % 2]] for i, y in enumerate(truth)
    )
    (folder / "truth.csv").write_bytes(table(TRUTH_HEADER, *rows))
    (folder / "predictions.csv").write_bytes(
        table(
            ("filename", *CLASSES),
            *([f"image_{i}.jpg", *map(repr, row)] for i, row in enumerate(outputs.tolist())),
        )
    )
    return folder


def test_read_and_score_tables_without_intervals(benchmark, files):
    def scored():
        truth = CHALLENGE.read_truth(files / "truth.csv")
        return CHALLENGE.score(
            truth, CHALLENGE.read_predictions(files / "predictions.csv", truth), resamples=0
        )

    assert benchmark(scored).n_cases == N


def looped(truth: np.ndarray, outputs: np.ndarray, counts: np.ndarray) -> tuple[float, float, float]:
    """Weighted F1, accuracy and macro AUC of one replicate, as one would write it with scikit-learn."""
    kept = np.repeat(np.arange(len(counts)), counts)
    y, p, scores = truth[kept], outputs[kept].argmax(1), outputs[kept]
    f1 = f1_score(y, p, average=None, labels=range(11), zero_division=0)
    return (
        float(WEIGHTS @ f1),
        accuracy_score(y, p),
        np.mean([roc_auc_score(y == k, scores[:, k]) for k in range(11)]),
    )


def vectorised(truth: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """The same for all replicates [B, 3], without the draw, which every model shares."""
    found = []
    for weights in replicate_weights(np.arange(len(truth)), RESAMPLES, 0):
        c = classification.counts(truth, outputs.argmax(1), weights, 11)
        areas = np.column_stack([curves.resampled_auc(outputs[:, k], truth == k, weights) for k in range(11)])
        found.append(
            np.column_stack([classification.f1(c) @ WEIGHTS, classification.accuracy(c), areas.mean(1)])
        )
    return np.concatenate(found)


def test_replicates(benchmark, drawn):
    truth, outputs = drawn
    drawn_counts = np.concatenate([b.astype(int) for b in draw(N, RESAMPLES, 0)])
    begun = time.process_time()
    expected = [looped(truth, outputs, counts) for counts in drawn_counts[:LOOPED]]
    seconds_of_loop = (time.process_time() - begun) / LOOPED * RESAMPLES
    found = benchmark.pedantic(vectorised, (truth, outputs), rounds=5, warmup_rounds=1)
    assert found[:LOOPED] == pytest.approx(np.array(expected), abs=1e-12)
    # The loop is too slow to be run whole: a few of its replicates, times as many as that.
    benchmark.extra_info["scikit_learn_loop_seconds_scaled"] = round(seconds_of_loop, 1)
    benchmark.extra_info["times_faster"] = round(seconds_of_loop / benchmark.stats.stats.median)


def test_score_with_a_thousand_replicates(benchmark, files):
    truth = CHALLENGE.read_truth(files / "truth.csv")
    predictions = CHALLENGE.read_predictions(files / "predictions.csv", truth)
    assert benchmark.pedantic(CHALLENGE.score, (truth, predictions), rounds=3, warmup_rounds=1).intervals
