"""Quantities on every replicate: their intervals, and what is said of undefined ones."""

import numpy as np
import pytest

from scoring.statistics import replicates
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.replicates import array_name, replicate

N = 60
RIGHT = np.arange(N) % 3 != 0


def share_right(weights: np.ndarray) -> dict:
    return {"accuracy": weights @ RIGHT / weights.sum(1)}


def point_of(quantities) -> dict:
    return quantities(np.ones((1, N), np.float32))


def test_intervals_are_those_of_the_replicates():
    found = replicate(
        share_right, point_of(share_right), np.arange(N), StatisticsOptions(400, 5, interval="percentile")
    )
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
    monkeypatch.setattr(replicates, "BLOCK_BYTES", 4 * N * 7)
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
        values[: undefined if len(weights) == 100 else 0] = np.nan
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
    names = ("accuracy", "f1/MEL", "slice/age/0-29/accuracy")
    assert set(found.arrays) == {f"{name}_{kind}" for name in names for kind in ("replicates", "left_out")}
    assert np.array_equal(found.arrays[array_name(("f1", "MEL"))], found.values["f1", "MEL"])
    assert not any(drawn.flags.writeable for drawn in found.arrays.values())
    monkeypatch.setattr(replicates, "KEPT_BYTES", 2 * 20 * 8)
    assert set(found.arrays) == {"accuracy_replicates", "accuracy_left_out"}
    assert replicate(quantities, point_of(quantities), np.arange(N), StatisticsOptions(0)).arrays == {}


def drawn_at_once(n: int, resamples: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)


@pytest.mark.parametrize(("n", "resamples", "seed"), [(1, 5, 0), (7, 20, 0), (50, 1000, 3), (300, 40, 1)])
def test_replicates_are_one_multinomial_draw(n, resamples, seed):
    found = np.concatenate(list(replicates.replicate_weights(np.arange(n), resamples, seed)))
    assert found.dtype == np.float32
    assert np.array_equal(found, drawn_at_once(n, resamples, seed))


@pytest.mark.parametrize(
    ("block_bytes", "kept_cells"), [(8 * 30 * 7, 0), (8 * 30, 0), (8 * 30 * 7, 10**9), (1, 10**9)]
)
def test_drawing_in_blocks_gives_the_same_matrix(monkeypatch, block_bytes, kept_cells):
    monkeypatch.setattr(replicates, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(replicates, "KEPT_CELLS", kept_cells)
    blocks = list(replicates.replicate_weights(np.arange(30), 23, 11))
    assert len(blocks) > 1
    assert all(block.nbytes <= max(block_bytes, 4 * 30) for block in blocks)
    assert np.array_equal(np.concatenate(blocks), drawn_at_once(30, 23, 11))


def test_blocks_stay_below_64_megabytes():
    assert (
        max(block.nbytes for block in replicates.replicate_weights(np.zeros(30_000, int), 2000, 0))
        <= 64_000_000
    )


def test_a_unit_s_count_is_that_of_its_cases():
    units = np.array([0, 1, 0, 2, 1, 0])
    found = np.concatenate(list(replicates.replicate_weights(units, 50, 0)))
    assert np.array_equal(found, drawn_at_once(3, 50, 0)[:, units])


@pytest.mark.parametrize(("case_weights", "dtype"), [([2.0, 0, 1], np.float32), ([0.5, 0.25, 1], np.float64)])
def test_case_weights_multiply_the_counts(case_weights, dtype):
    found = np.concatenate(list(replicates.replicate_weights(np.arange(3), 9, 0, np.array(case_weights))))
    assert found.dtype == dtype
    assert np.array_equal(found, drawn_at_once(3, 9, 0) * case_weights)


def test_the_kept_draw_cannot_be_changed():
    block = next(replicates.draw(5, 4, 0))
    with pytest.raises(ValueError, match="read-only"):
        block[0, 0] = 9


@pytest.mark.parametrize("block_bytes", [1, 4 * 6 * 2, 64_000_000])
def test_leaving_each_unit_out(monkeypatch, block_bytes):
    monkeypatch.setattr(replicates, "BLOCK_BYTES", block_bytes)
    units = [0, 1, 0, 2, 1, 0]
    found = np.concatenate(list(replicates.leave_one_out_weights(np.array(units))))
    assert found.tolist() == [[float(unit != left_out) for unit in units] for left_out in range(3)]


@pytest.mark.parametrize(
    ("case_weights", "dtype"), [([1, 0, 3, 2], np.float32), ([0.5, 0, 1.25, 2], np.float64)]
)
def test_case_weights_multiply_what_is_left_when_a_unit_is_left_out(case_weights, dtype):
    found = np.concatenate(
        list(replicates.leave_one_out_weights(np.array([0, 1, 0, 2]), np.array(case_weights, float)))
    )
    assert found.dtype == dtype
    assert np.array_equal(
        found,
        [
            [0, case_weights[1], 0, case_weights[3]],
            [case_weights[0], 0, case_weights[2], case_weights[3]],
            [*case_weights[:3], 0],
        ],
    )
