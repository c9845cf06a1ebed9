"""Bootstrap replicates of a test set: resampled test sets, equal for all teams, on which every quantity is
computed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, note, warning
from scoring.statistics.interval_basis import Basis, QuantityName, with_unseen
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.intervals import PERCENTILE, WILSON_T, Estimate, estimated

Quantities = Mapping[QuantityName, Floats]
"""Name of a quantity -> its values in the replicates [B]."""
Block = TypeVar("Block")
ALL_UNITS = Basis()
MUCH_UNDEFINED = 0.05
JACKKNIFE_UNITS = 500
"""Up to this number of units, variance and bias are computed by leaving out each unit. With more units they
come from the replicates, which give the same result at no extra cost (docs/statistics.md)."""
KEPT_BYTES = 64_000_000
CURVE_REPLICATES, CURVE_CELLS = 300, 10_000_000
"""Maximum number of replicates for a band around a curve, and maximum of replicates times cases. With many
cases, fewer replicates suffice, because the band is narrow."""


def array_name(quantity: QuantityName) -> str:
    """Return the name of a quantity's replicates in a scorecard's `arrays`.

    Example:
        >>> array_name("accuracy"), array_name(("f1", "MEL"))
        ('accuracy_replicates', 'f1/MEL_replicates')
    """
    return f"{quantity if isinstance(quantity, str) else '/'.join(quantity)}_replicates"


def left_out_name(quantity: QuantityName) -> str:
    """Return the name, in a scorecard's `arrays`, of a quantity's values with each unit left out in turn."""
    return f"{quantity if isinstance(quantity, str) else '/'.join(quantity)}_left_out"


@dataclass(frozen=True)
class Replicates:
    """All quantities of a submission on the replicates.

    Attributes:
        values: Replicates [B] of each quantity; empty without replicates.
        intervals: 95 % interval of each quantity, None if undefined; empty without replicates.
        findings: Findings with the reasons why the intervals are doubtful.
        left_out: Each quantity with each unit left out in turn [n]; empty without replicates, with many
            units, and if no interval needs it.
        kind: How the intervals were computed.
    """

    values: Quantities
    intervals: Mapping[QuantityName, list[float] | None]
    findings: tuple[Finding, ...]
    left_out: Quantities = field(default_factory=dict)
    kind: str | None = None

    @property
    def arrays(self) -> dict[str, Floats]:
        """Every quantity in each replicate [B] and with each unit left out in turn [n], by `array_name` and
        `left_out_name`. The arrays are read-only.

        If all arrays exceed 64 MB, those of classes and subgroups are left out.
        """
        kinds = ((array_name, self.values), (left_out_name, self.left_out))
        large = sum(values.nbytes for _, kind in kinds for values in kind.values()) > KEPT_BYTES
        chosen = {
            naming(name): values
            for naming, kind in kinds
            for name, values in kind.items()
            if isinstance(name, str) or not large
        }
        for values in chosen.values():
            values.flags.writeable = False
        return chosen


def replicate(
    quantities: Callable[[Floats], Quantities],
    point: Quantities,
    units: Ints,
    options: StatisticsOptions,
    case_weights: Floats | None = None,
    basis: Callable[[Ints], Basis] = lambda _units: ALL_UNITS,
) -> Replicates:
    """Evaluate quantities on replicates of the test set, drawn by unit.

    A finding reports quantities that are undefined in some replicates, unless they belong to a class or
    subgroup.

    Args:
        quantities: Function from weights [B, N] to each quantity [B].
        point: The same quantities on the test set itself, [1] each.
        units: Unit number of each case [N], from 0.
        options: Number of replicates, seed and kind of interval.
        case_weights: Weights [N] by which the counts of the cases are multiplied.
        basis: Function from the unit numbers [N] to the basis of the quantities.

    Returns:
        The replicates of every quantity, their intervals and findings; empty with `resamples` 0.
    """
    if not options.resamples:
        return Replicates({}, {}, ())
    values = evaluate(quantities, replicate_weights(units, options.resamples, options.seed, case_weights))
    n_units = int(units.max()) + 1
    left_out: Quantities = {}
    if needs_left_out(n_units, options):
        left_out = evaluate(quantities, leave_one_out_weights(units, case_weights))
    return of_values(values, left_out, point, n_units, options, basis(units))


def needs_left_out(n_units: int, options: StatisticsOptions) -> bool:
    """Return whether quantities are also evaluated with each unit left out in turn.

    Args:
        n_units: Number of units of the test set.
        options: Kind of interval.
    """
    method = options.method(n_units)
    few = n_units <= JACKKNIFE_UNITS
    return method not in (PERCENTILE, None) and (few or method != WILSON_T)


def of_values(
    values: Quantities,
    left_out: Quantities,
    point: Quantities,
    n_units: int,
    options: StatisticsOptions,
    basis: Basis = ALL_UNITS,
) -> Replicates:
    """Return quantities with their intervals and findings, from values that are already computed.

    Args:
        values: Each quantity on the replicates [B].
        left_out: Each quantity with each unit left out in turn [n]; empty if `needs_left_out` is false.
        point: Each quantity on the test set itself, [1].
        n_units: Number of units of the test set.
        options: Kind of interval.
    """
    estimates = {}
    if options.method(n_units) == WILSON_T:
        left_out = {name: without for name, without in left_out.items() if name not in basis.jumping}
        estimates = _estimates(values, left_out, point, n_units, basis)
    intervals = {
        name: options.interval_of(
            float(point[name][0]),
            drawn,
            left_out.get(name),
            n_units,
            basis.range_of(name),
            estimates.get(name),
        )
        for name, drawn in values.items()
    }
    kind = options.method(n_units)
    doubts = (*options.findings(n_units), *_doubtful(values, point, intervals, kind == WILSON_T))
    return Replicates(values, intervals, doubts, left_out, kind)


def _estimates(
    values: Quantities, left_out: Quantities, point: Quantities, n_units: int, basis: Basis
) -> dict[QuantityName, Estimate]:
    """Return the estimate of every quantity. Its variance includes errors that did not occur in few cases
    (`with_unseen`)."""
    estimates = {
        name: estimated(float(point[name][0]), drawn, left_out.get(name), n_units, basis.units.get(name))
        for name, drawn in values.items()
    }
    worst = {name: worst for name in estimates if (worst := basis.worst_of(name)) is not None}
    estimates |= {name: replace(estimates[name], worst=value) for name, value in worst.items()}
    parts = {name: {name: 1.0} for name in worst if name in basis.units}
    parts |= {name: of for name, of in basis.parts.items() if name in estimates}
    return estimates | {
        name: with_unseen(estimates[name], of, estimates, basis.wholes.get(name))
        for name, of in parts.items()
    }


def evaluate(quantities: Callable[[Block], Quantities], blocks: Iterable[Block]) -> Quantities:
    """Return the quantities of all blocks of replicates, [B] each.

    Args:
        quantities: Function from a block to each quantity [b].
        blocks: Weights [b, N], or counts made with them.
    """
    parts = [quantities(weights) for weights in blocks]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _doubtful(
    values: Quantities,
    point: Quantities,
    intervals: Mapping[QuantityName, list[float] | None],
    has_intervals: bool,
) -> Iterator[Finding]:
    """Yield findings about quantities that have no interval although there are enough units, or that are
    undefined in some replicates."""
    for name, drawn in values.items():
        share = float(np.isnan(drawn).mean())
        if isinstance(name, str) and np.isfinite(point[name][0]) and share > 0:
            rest = (
                "its interval is computed from the others"
                if intervals[name]
                else "it depends on too few units, so it has no interval"
            )
            message = f"{share:.1%} of the replicates have no {name}; {rest}."
            yield (warning if share >= MUCH_UNDEFINED else note)("undefined-replicates", name, message)
        elif isinstance(name, str) and np.isfinite(point[name][0]) and not intervals[name] and has_intervals:
            yield note("few-cases-in-class", name, "its cases are too few or too alike for an interval.")


BLOCK_BYTES = 64_000_000
KEPT_CELLS = 64_000_000


def draw(n_units: int, resamples: int, seed: int) -> Iterator[Ints]:
    """Draw replicates: each is one multinomial draw of `n_units` from equally likely units.

    The generator is PCG64. Drawing in blocks gives the same matrix.

    Args:
        n_units: Number of units, at least 1.
        resamples: Number of replicates B.
        seed: Seed of the generator, 0 or more.

    Yields:
        Counts of each unit, integers [rows, n_units], in blocks with B rows in total.

    Example:
        >>> [block.tolist() for block in draw(3, 2, seed=0)]
        [[[1, 1, 1], [0, 0, 3]]]
    """
    if n_units * resamples <= KEPT_CELLS:
        yield _drawn(n_units, resamples, seed)
        return
    yield from _ahead(_blocks(n_units, resamples, seed))


def _ahead(blocks: Iterator[Ints]) -> Iterator[Ints]:
    """Yield blocks. While the caller uses a block, a thread draws the next: NumPy releases Python's lock."""
    with ThreadPoolExecutor(1) as thread:
        upcoming = thread.submit(next, blocks, None)
        while (block := upcoming.result()) is not None:
            upcoming = thread.submit(next, blocks, None)
            yield block


@lru_cache(maxsize=2)
def _drawn(n_units: int, resamples: int, seed: int) -> Ints:
    # Cached, because drawing takes longer than all metrics of a team. Each count needs one or two bytes.
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
    """Return case weights for each replicate: a case has the count of its unit.

    Args:
        units: Unit number of each case [N], from 0.
        resamples: Number of replicates B.
        seed: Seed of the draw, 0 or more.
        case_weights: Weights [N] by which the counts are multiplied.

    Yields:
        Weights [rows, N] in blocks of at most 64 MB, with B rows in total; float32 if all are integers, else
        float64.
    """
    dtype = _exact_type(case_weights)
    rows = max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * len(units)))
    of_cases = slice(None) if np.array_equal(units, np.arange(len(units))) else units
    for block in draw(int(units.max()) + 1, resamples, seed):
        for start in range(0, len(block), rows):
            weights = block[start : start + rows][:, of_cases].astype(dtype)
            yield weights if case_weights is None else weights * case_weights.astype(dtype)


def leave_one_out_weights(units: Ints, case_weights: Floats | None = None) -> Iterator[Floats]:
    """Return case weights for the n test sets from which one unit is left out.

    Args:
        units: Unit number of each case [N], from 0.
        case_weights: Weights [N] by which the zeros (cases of the unit left out) and ones are multiplied.

    Yields:
        Weights [rows, N], a row per unit in the order of their numbers, in blocks of at most 64 MB.
    """
    n_units, dtype = int(units.max()) + 1, _exact_type(case_weights)
    rows = max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * len(units)))
    for start in range(0, n_units, rows):
        weights = (units[None, :] != np.arange(start, min(start + rows, n_units))[:, None]).astype(dtype)
        yield weights if case_weights is None else weights * case_weights.astype(dtype)


def _exact_type(case_weights: Floats | None) -> type[np.floating[Any]]:
    """Return float32 if all weights are integers, because it stores them exactly below 2^24; else float64."""
    whole = case_weights is None or np.array_equal(case_weights, np.round(case_weights))
    return np.float32 if whole else np.float64


def curve_weights(units: Ints, source: Mapping[str, Any]) -> Floats:
    """Return the replicates for bands around curves: the first of the scorecard's replicates.

    Args:
        units: Unit number of each case [N].
        source: `provenance` of the scorecard.

    Returns:
        Weights [B, N].
    """
    most = min(source["resamples"], CURVE_REPLICATES, max(100, CURVE_CELLS // len(units)))
    return np.concatenate(list(replicate_weights(units, most, source["seed"])))
