"""Intervals hold the true value as often as they say: short of what `python -m tests.simulations.coverage`
prints. `make soak` runs the grid; docs/statistics.md has the table."""

import pytest
import scipy.stats

from tests.simulations.coverage import SIZES, coverage, coverage_of_difference
from tests.simulations.interval_designs import DESIGNS, PAIRS

LEAST, RUNS, SOAK = 0.93, 100, 2000
SHORT = [(name, n) for n in (12, 51) for name in DESIGNS]


def fewest(share: float, runs: int) -> float:
    """0.1 % quantile of the share of intervals that hold the truth."""
    return float(scipy.stats.binom.ppf(0.001, runs, share)) / runs


@pytest.mark.parametrize(("name", "n"), SHORT)
def test_an_interval_holds_the_truth(name, n):
    assert coverage(name, n, RUNS).held >= fewest(LEAST, RUNS)


def test_units_that_are_left_out_and_replicates_give_the_same_width_where_they_meet():
    for name in ("balanced accuracy", "mean Dice, some fail"):
        below, above = (coverage(name, n, 30).width for n in (500, 501))
        assert above == pytest.approx(below, rel=0.05)


@pytest.mark.parametrize("copying", [0.0, 0.95])
@pytest.mark.parametrize("name", PAIRS)
def test_an_interval_of_a_difference_holds_the_truth(name, copying):
    assert coverage_of_difference(name, 50, copying, RUNS).held >= fewest(LEAST, RUNS)


@pytest.mark.soak
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", DESIGNS)
def test_the_grid(name, n):
    assert coverage(name, n, SOAK).held >= fewest(LEAST, SOAK)


@pytest.mark.soak
@pytest.mark.parametrize("copying", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("n", [20, 50, 100, 200])
@pytest.mark.parametrize("name", PAIRS)
def test_the_grid_of_differences(name, n, copying):
    assert coverage_of_difference(name, n, copying, SOAK).held >= fewest(LEAST, SOAK)
