"""All quantities of one submission on every replicate, and their intervals."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding, note, warning
from scoring.statistics import resampling
from scoring.statistics.options import StatisticsOptions

Quantities = Mapping[object, np.ndarray]
MUCH_UNDEFINED = 0.05
KEPT_BYTES = 64_000_000


def stored(quantity: str | tuple[str, ...]) -> str:
    """The name under which a scorecard's `arrays` hold the replicates of a quantity: "accuracy_replicates",
    "f1/MEL_replicates"."""
    return f"{quantity if isinstance(quantity, str) else '/'.join(quantity)}_replicates"


@dataclass(frozen=True)
class Replicates:
    """values: [B] per quantity, empty without replicates. intervals: 95 % per quantity, None where it is
    undefined. findings: what makes them doubtful."""

    values: Quantities
    intervals: Mapping[object, list[float] | None]
    findings: tuple[Finding, ...]

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The replicates [B] of every quantity by `stored`, read-only, for comparisons with other teams;
        empty without replicates.

        Where all are more than 64 MB, those of classes and slices are left out.
        """
        large = sum(drawn.nbytes for drawn in self.values.values()) > KEPT_BYTES
        kept = {name: drawn for name, drawn in self.values.items() if isinstance(name, str) or not large}
        for drawn in kept.values():
            drawn.flags.writeable = False
        return {stored(name): drawn for name, drawn in kept.items()}


def replicate(
    quantities: Callable[[np.ndarray], Quantities],
    point: Quantities,
    units: np.ndarray,
    options: StatisticsOptions,
    case_weights: np.ndarray | None = None,
) -> Replicates:
    """Evaluate `quantities` (weights [B, N] -> [B] by name) on the replicates of the units.

    point: the same quantities on the test set itself, [1] each. case_weights [N] multiply the counts of the
    cases. Quantities whose name is a text and that are undefined in some replicates are reported.
    """
    if not options.resamples:
        return Replicates({}, {}, ())
    values = _evaluate(
        quantities, resampling.replicate_weights(units, options.resamples, options.seed, case_weights)
    )
    left_out = (
        _evaluate(quantities, resampling.leave_one_out_weights(units, case_weights))
        if options.interval != "percentile"
        else {}
    )
    intervals = {
        name: options.interval_of(float(point[name][0]), drawn, left_out.get(name))
        for name, drawn in values.items()
    }
    return Replicates(
        values, intervals, (*options.findings(int(units.max()) + 1), *_undefined(values, point))
    )


def _evaluate(quantities: Callable[[np.ndarray], Quantities], blocks: Iterable[np.ndarray]) -> Quantities:
    parts = [quantities(weights) for weights in blocks]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _undefined(values: Quantities, point: Quantities) -> Iterator[Finding]:
    for name in (n for n in values if isinstance(n, str) and np.isfinite(point[n][0])):
        share = float(np.isnan(values[name]).mean())
        if share > 0:
            level = warning if share >= MUCH_UNDEFINED else note
            yield level(
                "undefined-replicates",
                name,
                f"{share:.1%} of the replicates have no {name}; its interval rests on the others.",
            )
