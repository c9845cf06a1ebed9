"""Quantities on every replicate: their intervals, and what is said of undefined ones."""

import numpy as np
import pytest

from scoring.statistics import replicates, resampling
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import array_name, replicate

N = 60
RIGHT = np.arange(N) % 3 != 0


def share_right(weights: np.ndarray) -> dict:
    return {"accuracy": weights @ RIGHT / weights.sum(1)}


def point_of(quantities) -> dict:
    return quantities(np.ones((1, N), np.float32))


def test_intervals_are_those_of_the_replicates():
    found = replicate(share_right, point_of(share_right), np.arange(N), StatisticsOptions(400, 5))
    drawn = np.random.default_rng(5).multinomial(N, np.full(N, 1 / N), size=400) @ RIGHT / N
    assert found.values["accuracy"] == pytest.approx(drawn, abs=1e-6)
    assert found.intervals["accuracy"] == pytest.approx(list(np.quantile(drawn, [0.025, 0.975])), abs=1e-6)
    assert found.findings == ()


def test_nothing_without_replicates():
    found = replicate(share_right, point_of(share_right), np.arange(N), StatisticsOptions(0))
    assert (found.values, found.intervals, found.findings) == ({}, {}, ())


def test_blocks_change_nothing(monkeypatch):
    whole = replicate(
        share_right, point_of(share_right), np.arange(N), StatisticsOptions(100, interval="bca")
    )
    monkeypatch.setattr(resampling, "BLOCK_BYTES", 4 * N * 7)
    in_blocks = replicate(
        share_right, point_of(share_right), np.arange(N), StatisticsOptions(100, interval="bca")
    )
    assert in_blocks.intervals == whole.intervals
    assert np.array_equal(in_blocks.values["accuracy"], whole.values["accuracy"])


@pytest.mark.parametrize(
    ("undefined", "level", "has_interval"),
    [(0, None, True), (4, "note", True), (5, "warning", True), (51, "warning", False)],
)
def test_undefined_replicates(undefined, level, has_interval):
    def quantities(weights):
        values = np.full(len(weights), 0.5)
        values[: undefined if len(weights) > 1 else 0] = np.nan
        return {"recall": values, ("recall", "MEL"): values}

    found = replicate(quantities, point_of(quantities), np.arange(N), StatisticsOptions(100))
    told = [f for f in found.findings if f.code == "undefined-replicates"]
    assert [(f.level, f.where) for f in told] == ([(level, "recall")] if level else [])
    assert (found.intervals["recall"] is not None) == has_interval


def test_every_quantity_is_kept_by_name_unless_all_are_too_large(monkeypatch):
    def quantities(weights):
        return share_right(weights) | {
            ("f1", "MEL"): np.ones(len(weights)),
            ("slice", "age", "0-29", "accuracy"): np.ones(len(weights)),
        }

    found = replicate(quantities, point_of(quantities), np.arange(N), StatisticsOptions(20))
    assert set(found.arrays) == {
        "accuracy_replicates",
        "f1/MEL_replicates",
        "slice/age/0-29/accuracy_replicates",
    }
    assert np.array_equal(found.arrays[array_name(("f1", "MEL"))], found.values["f1", "MEL"])
    assert not any(drawn.flags.writeable for drawn in found.arrays.values())
    monkeypatch.setattr(replicates, "KEPT_BYTES", 2 * 20 * 8)
    assert set(found.arrays) == {"accuracy_replicates"}
    assert replicate(quantities, point_of(quantities), np.arange(N), StatisticsOptions(0)).arrays == {}
