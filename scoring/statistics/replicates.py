"""All quantities of one submission on every replicate, and their intervals."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, note, warning
from scoring.statistics import resampling
from scoring.statistics.intervals import PERCENTILE
from scoring.statistics.options import FEW_UNITS, StatisticsOptions

QuantityName = str | tuple[str, ...]
"""A metric's name, or its parts where it is of one class or slice: "accuracy", ("f1", "MEL")."""
Quantities = Mapping[QuantityName, Floats]
"""Values [B] of each quantity, one per row of weights [B, N]."""
Block = TypeVar("Block")
MUCH_UNDEFINED = 0.05
LOSSES = ("log_loss", "brier_score")
"""Quantities that may exceed 1."""
KEPT_BYTES = 64_000_000


def array_name(quantity: QuantityName) -> str:
    """Return the name under which a scorecard's `arrays` hold the replicates of a quantity.

    Args:
        quantity: The quantity's name.

    Example:
        >>> array_name("accuracy"), array_name(("f1", "MEL"))
        ('accuracy_replicates', 'f1/MEL_replicates')
    """
    return f"{quantity if isinstance(quantity, str) else '/'.join(quantity)}_replicates"


@dataclass(frozen=True)
class Replicates:
    """All quantities of a submission on the replicates.

    Attributes:
        values: Replicates [B] of each quantity; empty without replicates.
        intervals: 95 % interval of each quantity, None where undefined; empty without replicates.
        findings: What makes the intervals doubtful.
        left_out: Each quantity without each unit [n]; empty without replicates, and with many units where no
            interval needs it.
    """

    values: Quantities
    intervals: Mapping[QuantityName, list[float] | None]
    findings: tuple[Finding, ...]
    left_out: Quantities = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, Floats]:
        """Replicates [B] of every quantity by `array_name`, read-only, for comparisons with other teams.

        Where all are more than 64 MB, those of classes and slices are left out.
        """
        large = sum(drawn.nbytes for drawn in self.values.values()) > KEPT_BYTES
        kept = {name: drawn for name, drawn in self.values.items() if isinstance(name, str) or not large}
        for drawn in kept.values():
            drawn.flags.writeable = False
        return {array_name(name): drawn for name, drawn in kept.items()}


def replicate(
    quantities: Callable[[Floats], Quantities],
    point: Quantities,
    units: Ints,
    options: StatisticsOptions,
    case_weights: Floats | None = None,
) -> Replicates:
    """Evaluate quantities on replicates of the test set, drawn by unit.

    Quantities whose name is one text and that are undefined in some replicates are reported.

    Args:
        quantities: Function of weights [B, N] that gives each quantity [B].
        point: The same quantities on the test set itself, [1] each.
        units: Unit number of each case [N], from 0.
        options: Number of replicates, seed and kind of interval.
        case_weights: Weights [N] that multiply the counts of the cases.

    Returns:
        The replicates of every quantity, their intervals and findings; empty with `resamples` 0.
    """
    if not options.resamples:
        return Replicates({}, {}, ())
    values = evaluate(
        quantities, resampling.replicate_weights(units, options.resamples, options.seed, case_weights)
    )
    n_units = int(units.max()) + 1
    left_out: Quantities = {}
    if needs_left_out(n_units, options):
        left_out = evaluate(quantities, resampling.leave_one_out_weights(units, case_weights))
    return of_values(values, left_out, point, n_units, options)


def needs_left_out(n_units: int, options: StatisticsOptions) -> bool:
    """Return whether quantities are evaluated without each unit as well.

    Args:
        n_units: Number of units of the test set.
        options: Kind of interval.
    """
    return n_units < FEW_UNITS or options.method(n_units) != PERCENTILE


def of_values(
    values: Quantities, left_out: Quantities, point: Quantities, n_units: int, options: StatisticsOptions
) -> Replicates:
    """Return quantities with their intervals and findings, where their values on the replicates are there.

    Args:
        values: Each quantity on the replicates [B].
        left_out: Each quantity without each unit [n]; empty where `needs_left_out` is false.
        point: Each quantity on the test set itself, [1].
        n_units: Number of units of the test set.
        options: Kind of interval.
    """
    intervals = {
        name: options.interval_of(
            float(point[name][0]), drawn, left_out.get(name), n_units, name not in LOSSES
        )
        for name, drawn in values.items()
    }
    return Replicates(values, intervals, (*options.findings(n_units), *_undefined(values, point)), left_out)


def evaluate(quantities: Callable[[Block], Quantities], blocks: Iterable[Block]) -> Quantities:
    """Return quantities of all blocks of replicates together, [B] each.

    Args:
        quantities: Function of a block that gives each quantity [b].
        blocks: Weights [b, N], or what was counted with them.
    """
    parts = [quantities(weights) for weights in blocks]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _undefined(values: Quantities, point: Quantities) -> Iterator[Finding]:
    for name, drawn in values.items():
        share = float(np.isnan(drawn).mean())
        if isinstance(name, str) and np.isfinite(point[name][0]) and share > 0:
            message = f"{share:.1%} of the replicates have no {name}; its interval rests on the others."
            yield (warning if share >= MUCH_UNDEFINED else note)("undefined-replicates", name, message)
