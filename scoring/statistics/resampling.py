"""Drawing test sets with replacement: the same replicates for every team, metric and slice of one truth."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from scoring.common.arrays import Floats, Ints

BLOCK_BYTES = 64_000_000
KEPT_CELLS = 64_000_000


def draw(n_units: int, resamples: int, seed: int) -> Iterator[Ints]:
    """Draw replicates: one multinomial draw of `n_units` from as many equally likely units each.

    The generator is PCG64. Drawing in blocks gives the same matrix.

    Args:
        n_units: Number of units, at least 1.
        resamples: Number of replicates B.
        seed: Seed of the generator, 0 or more.

    Yields:
        Counts of each unit, whole numbers [rows, n_units], in blocks that together have B rows.

    Example:
        >>> [block.tolist() for block in draw(3, 2, seed=0)]
        [[[1, 1, 1], [0, 0, 3]]]
    """
    if n_units * resamples <= KEPT_CELLS:
        yield _drawn(n_units, resamples, seed)
        return
    yield from _blocks(n_units, resamples, seed)


@lru_cache(maxsize=2)
def _drawn(n_units: int, resamples: int, seed: int) -> Ints:
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


def _blocks(n_units: int, resamples: int, seed: int) -> Iterator[Ints]:
    generator, shares = np.random.default_rng(seed), np.full(n_units, 1 / n_units)
    rows = max(1, BLOCK_BYTES // (8 * n_units))
    for start in range(0, resamples, rows):
        yield generator.multinomial(n_units, shares, size=min(rows, resamples - start))


def replicate_weights(
    units: Ints, resamples: int, seed: int, case_weights: Floats | None = None
) -> Iterator[Floats]:
    """Weigh the cases of each replicate: the count of a case is that of its unit.

    Args:
        units: Unit number of each case [N], from 0.
        resamples: Number of replicates B.
        seed: Seed of the draw, 0 or more.
        case_weights: Weights [N] that multiply the counts.

    Yields:
        Weights [rows, N] in blocks of at most 64 MB that together have B rows; float32 where they are whole
        numbers, else float64.
    """
    dtype = _exact_type(case_weights)
    rows = max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * len(units)))
    for block in draw(int(units.max()) + 1, resamples, seed):
        for start in range(0, len(block), rows):
            weights = block[start : start + rows][:, units].astype(dtype)
            yield weights if case_weights is None else weights * case_weights.astype(dtype)


def leave_one_out_weights(units: Ints, case_weights: Floats | None = None) -> Iterator[Floats]:
    """Weigh the cases of the test sets that lack one unit each.

    Args:
        units: Unit number of each case [N], from 0.
        case_weights: Weights [N] that multiply the zeros and ones.

    Yields:
        Weights [rows, N], a row per unit in the order of their numbers, in blocks of at most 64 MB.
    """
    n_units, dtype = int(units.max()) + 1, _exact_type(case_weights)
    rows = max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * len(units)))
    for start in range(0, n_units, rows):
        kept = (units[None, :] != np.arange(start, min(start + rows, n_units))[:, None]).astype(dtype)
        yield kept if case_weights is None else kept * case_weights.astype(dtype)


def _exact_type(case_weights: Floats | None) -> type[np.floating[Any]]:
    """Float32 holds whole numbers, and their sums below 2^24, exactly; other weights need float64."""
    whole = case_weights is None or np.array_equal(case_weights, np.round(case_weights))
    return np.float32 if whole else np.float64
