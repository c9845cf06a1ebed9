"""Drawing test sets with replacement: the same replicates for every team, metric and slice of one truth."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

BLOCK_BYTES = 64_000_000
KEPT_CELLS = 64_000_000


def draw(n_units: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Counts of each unit in each replicate, whole numbers [rows, n_units] in blocks that together have
    `resamples` rows.

    PCG64 seeded by `seed`, one multinomial draw of n_units from n_units equally likely; drawing in blocks
    gives the same matrix.
    """
    if n_units * resamples <= KEPT_CELLS:
        yield _drawn(n_units, resamples, seed)
        return
    yield from _blocks(n_units, resamples, seed)


@lru_cache(maxsize=2)
def _drawn(n_units: int, resamples: int, seed: int) -> np.ndarray:
    # Kept because the draw costs more than all metrics of a team; small whole numbers, so a byte or two each.
    blocks = list(_blocks(n_units, resamples, seed))
    widest = max((int(b.max(initial=0)) for b in blocks), default=0)
    matrix = (
        np.concatenate([b.astype(np.min_scalar_type(widest)) for b in blocks])
        if blocks
        else np.zeros((0, n_units), np.uint8)
    )
    matrix.flags.writeable = False
    return matrix


def _blocks(n_units: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    generator, shares = np.random.default_rng(seed), np.full(n_units, 1 / n_units)
    rows = max(1, BLOCK_BYTES // (8 * n_units))
    for start in range(0, resamples, rows):
        yield generator.multinomial(n_units, shares, size=min(rows, resamples - start))


def replicate_weights(
    units: np.ndarray, resamples: int, seed: int, case_weights: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """Weights of the cases in each replicate, [rows, N] in blocks of at most 64 MB: the count of a case is
    the count of its unit.

    units: unit number of each case [N]. case_weights [N] multiply the counts; float32 where they are whole
    numbers, else float64.
    """
    dtype = _exact_type(case_weights)
    rows = max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * len(units)))
    for block in draw(int(units.max()) + 1, resamples, seed):
        for start in range(0, len(block), rows):
            weights = block[start : start + rows][:, units].astype(dtype)
            yield weights if case_weights is None else weights * case_weights.astype(dtype)


def leave_one_out_weights(units: np.ndarray, case_weights: np.ndarray | None = None) -> Iterator[np.ndarray]:
    """Weights [rows, N] of the test sets that lack one unit each, in unit order, in blocks of at most 64
    MB."""
    n_units, dtype = int(units.max()) + 1, _exact_type(case_weights)
    rows = max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * len(units)))
    for start in range(0, n_units, rows):
        kept = (units[None, :] != np.arange(start, min(start + rows, n_units))[:, None]).astype(dtype)
        yield kept if case_weights is None else kept * case_weights.astype(dtype)


def _exact_type(case_weights: np.ndarray | None) -> type:
    """Float32 holds whole numbers, and their sums below 2^24, exactly; other weights need float64."""
    whole = case_weights is None or np.array_equal(case_weights, np.round(case_weights))
    return np.float32 if whole else np.float64
