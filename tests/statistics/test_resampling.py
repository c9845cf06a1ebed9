"""Units and replicates, as the definition draws them."""

import numpy as np
import pytest

from scoring.statistics import resampling


def drawn_at_once(n: int, resamples: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)


@pytest.mark.parametrize(("n", "resamples", "seed"), [(1, 5, 0), (7, 20, 0), (50, 1000, 3), (300, 40, 1)])
def test_replicates_are_one_multinomial_draw(n, resamples, seed):
    found = np.concatenate(list(resampling.replicate_weights(np.arange(n), resamples, seed)))
    assert found.dtype == np.float32
    assert np.array_equal(found, drawn_at_once(n, resamples, seed))


@pytest.mark.parametrize(
    ("block_bytes", "kept_cells"), [(8 * 30 * 7, 0), (8 * 30, 0), (8 * 30 * 7, 10**9), (1, 10**9)]
)
def test_drawing_in_blocks_gives_the_same_matrix(monkeypatch, block_bytes, kept_cells):
    monkeypatch.setattr(resampling, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(resampling, "KEPT_CELLS", kept_cells)
    blocks = list(resampling.replicate_weights(np.arange(30), 23, 11))
    assert len(blocks) > 1
    assert all(block.nbytes <= max(block_bytes, 4 * 30) for block in blocks)
    assert np.array_equal(np.concatenate(blocks), drawn_at_once(30, 23, 11))


def test_blocks_stay_below_64_megabytes():
    assert (
        max(block.nbytes for block in resampling.replicate_weights(np.zeros(30_000, int), 2000, 0))
        <= 64_000_000
    )


def test_a_unit_s_count_is_that_of_its_cases():
    units = np.array([0, 1, 0, 2, 1, 0])
    found = np.concatenate(list(resampling.replicate_weights(units, 50, 0)))
    assert np.array_equal(found, drawn_at_once(3, 50, 0)[:, units])


@pytest.mark.parametrize(("case_weights", "dtype"), [([2.0, 0, 1], np.float32), ([0.5, 0.25, 1], np.float64)])
def test_case_weights_multiply_the_counts(case_weights, dtype):
    found = np.concatenate(list(resampling.replicate_weights(np.arange(3), 9, 0, np.array(case_weights))))
    assert found.dtype == dtype
    assert np.array_equal(found, drawn_at_once(3, 9, 0) * case_weights)


def test_the_kept_draw_cannot_be_changed():
    block = next(resampling.draw(5, 4, 0))
    with pytest.raises(ValueError, match="read-only"):
        block[0, 0] = 9


@pytest.mark.parametrize("block_bytes", [1, 4 * 6 * 2, 64_000_000])
def test_leaving_each_unit_out(monkeypatch, block_bytes):
    monkeypatch.setattr(resampling, "BLOCK_BYTES", block_bytes)
    units = [0, 1, 0, 2, 1, 0]
    found = np.concatenate(list(resampling.leave_one_out_weights(np.array(units))))
    assert found.tolist() == [[float(unit != left_out) for unit in units] for left_out in range(3)]


@pytest.mark.parametrize(
    ("case_weights", "dtype"), [([1, 0, 3, 2], np.float32), ([0.5, 0, 1.25, 2], np.float64)]
)
def test_case_weights_multiply_what_is_left_when_a_unit_is_left_out(case_weights, dtype):
    found = np.concatenate(
        list(resampling.leave_one_out_weights(np.array([0, 1, 0, 2]), np.array(case_weights, float)))
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
