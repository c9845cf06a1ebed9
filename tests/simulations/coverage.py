"""Print how often intervals hold the true value: `python -m tests.simulations.coverage --runs 1000`."""

import argparse
import os
from dataclasses import dataclass, replace
from functools import cache

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from scoring.statistics import intervals  # noqa: E402
from scoring.statistics.interval_options import StatisticsOptions  # noqa: E402
from scoring.statistics.replicates import JACKKNIFE_UNITS, Quantities, of_values  # noqa: E402
from scoring.version import __version__  # noqa: E402
from tests.simulations.cells import KITS  # noqa: E402
from tests.simulations.interval_designs import DESIGNS, PAIRS, Design  # noqa: E402

SIZES = (6, 12, 20, 30, 49, 50, 51, 75, 100, 150, 200, 499, 501)


@dataclass(frozen=True)
class Coverage:
    """Shares of the intervals that there are: those that hold the true value, lie above and below it; their
    mean width; and the share of test sets with a value that have none."""

    held: float
    above: float
    below: float
    width: float
    absent: float


def coverage(name: str, n: int, runs: int) -> Coverage:
    """Simulate test sets of a design. The seed changes with the version."""
    design, random = DESIGNS[name], np.random.default_rng([n, runs, *__version__.encode(), *name.encode()])
    true, ends, absent = design.truth, [], 0
    for _ in range(runs):
        interval = one_interval(design, random, n)
        absent += interval is None
        if interval:
            ends.append(interval)
    low, high = np.array(ends).T if ends else np.empty((2, 0))
    above, below = (low > true + 1e-9).mean(), (high < true - 1e-9).mean()
    return Coverage(1 - above - below, above, below, (high - low).mean(), absent / runs)


def one_interval(design: Design, random: np.random.Generator, n: int) -> list[float] | None:
    """Draw a test set with a defined quantity, and its interval as a scorecard makes it."""
    few = n <= JACKKNIFE_UNITS  # then replicates say no more than whether the quantity is defined
    point: Quantities = {"score": np.array([np.nan])}
    while not np.isfinite(point["score"][0]):
        values, basis = design.made(random, n)
        with np.errstate(invalid="ignore"):
            point = values(np.ones((1, n)))
    drawn = values(_weights(n, 50 if few else 1000, int(random.integers(KITS))))
    left_out = values(1 - np.eye(n)) if few else {}
    known = replace(basis, ranges={"score": design.range})
    return of_values(drawn, left_out, point, n, StatisticsOptions(), known).intervals["score"]


@cache
def _weights(n: int, resamples: int, kit: int) -> np.ndarray:
    """Weights of replicates [B, n]: test sets take turns with few draws, which take longer than all else."""
    drawn = np.random.default_rng([n, kit]).multinomial(n, np.full(n, 1 / n), resamples)
    return drawn.astype(float)


def coverage_of_difference(name: str, n: int, copying: float, runs: int) -> Coverage:
    """Simulate two teams; the difference as comparisons make its interval."""
    pair = PAIRS[name]
    random = np.random.default_rng([n, runs, int(100 * copying), *__version__.encode(), *name.encode()])
    true, ends = pair.truth, []
    while len(ends) < runs:
        first, second = pair.drawn(random, n, copying)

        def values(weights: np.ndarray, first: np.ndarray = first, second: np.ndarray = second) -> tuple:
            return tuple(pair.values(weights @ sums)["score"] for sums in (first, second))

        few = n <= JACKKNIFE_UNITS
        drawn = np.subtract(*values(random.multinomial(n, np.full(n, 1 / n), 50 if few else 1000)))
        left_out = values(1 - np.eye(n)) if few else None
        point = float(np.subtract(*values(np.ones((1, n))))[0])
        ends.append(intervals.difference_t(intervals.estimated_difference(point, drawn, left_out, n)))
    low, high = np.array([end for end in ends if end]).T
    above, below = (low > true + 1e-9).mean(), (high < true - 1e-9).mean()
    return Coverage(1 - above - below, above, below, (high - low).mean(), sum(not end for end in ends) / runs)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=1000)
    arguments.add_argument("--units", nargs="*", type=int, default=SIZES)
    arguments.add_argument("--design", nargs="*", default=list(DESIGNS))
    arguments.add_argument("--pairs", action="store_true", help="differences of two teams instead")
    given = arguments.parse_args()
    if given.pairs:
        print("| difference | copying | " + " | ".join(map(str, given.units)) + " |")
        print("|---|--:|" + "--:|" * len(given.units))
        for name in PAIRS:
            for copying in (0.0, 0.5, 0.95):
                held = [coverage_of_difference(name, n, copying, given.runs).held for n in given.units]
                shown = " | ".join(f"{100 * share:.0f}" for share in held)
                print(f"| {name} | {copying:g} | {shown} |", flush=True)
        return
    print("| quantity | " + " | ".join(map(str, given.units)) + " |")
    print("|---|" + "--:|" * len(given.units))
    for name in given.design:
        cells = [coverage(name, n, given.runs) for n in given.units]
        shown = (
            f"{100 * cell.held:.0f}{f' ({100 * cell.absent:.0f})' if cell.absent > 0.005 else ''}"
            for cell in cells
        )
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
