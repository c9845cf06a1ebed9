"""Equal teams are seldom told apart, and by how much the best is too high is known: short of what
`python -m tests.simulations` prints. `make soak` draws 2,000 test sets in every cell."""

import numpy as np
import pytest
import scipy.stats

from scoring.metrics import survival
from scoring.statistics.replicates import replicate_weights
from tests.simulations.cells import TEAMS, UNITS, simulate
from tests.simulations.designs import CHALLENGES, c_index
from tests.support.thinned import crossed

FEW = [units for units in UNITS if units < 20]
UNITS_OF_POWER = 50
"""From which on a leader is told apart: with fewer, classes hold one to three cases, and nobody is."""


def most(rate: float, runs: int) -> float:
    """99.9 % quantile of the share of runs that err at this rate."""
    return float(scipy.stats.binom.ppf(0.999, runs, rate)) / runs


def test_the_c_index_of_the_simulation_is_that_of_the_challenge():
    random = np.random.default_rng(1)
    time, event, risk = random.random(40), random.random(40) < 0.5, random.random(40)
    weights = np.concatenate(list(replicate_weights(np.arange(40), 20, 1)))
    by_pairs = survival.c_index(survival.pairs(time, event, risk, weights))
    assert c_index(time, event, weights)(risk).tolist() == by_pairs.tolist()


@pytest.mark.parametrize(("challenge", "size"), crossed(CHALLENGES, [(20, 4), (48, 2), (20, 12), (52, 4)], 2))
def test_equal_teams_are_told_apart_as_seldom_as_promised(challenge, size):
    units, teams = size
    cell = simulate(challenge, units, teams, "equal", 60 if teams < 12 else 20, resamples=200)
    assert cell.test == "swap"
    assert cell.wrong <= most(0.05, cell.runs)


def test_a_better_team_is_told_apart():
    assert simulate("puma", 48, 4, "lead", 30, resamples=200).power > 0.3


def test_too_high_by_is_near_the_truth():
    for design in ("equal", "spread"):
        cell = simulate("puma", 100, 12, design, 50, resamples=100)
        assert 0.75 < cell.estimate / cell.truth < 1.3


@pytest.mark.parametrize("units", FEW)
def test_few_units_tell_nothing(units):
    for challenge in CHALLENGES:
        cell = simulate(challenge, units, 4, "equal", 1, resamples=50)
        assert (cell.test, cell.wrong, cell.estimate) == (None, None, None)


@pytest.mark.soak
@pytest.mark.parametrize("teams", TEAMS)
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("challenge", CHALLENGES)
def test_every_cell(challenge, units, teams):
    cell = simulate(challenge, units, teams, "equal", 2000 if teams < 60 else 400, resamples=200)
    if units < 20:
        assert cell.test is None
        return
    assert cell.wrong <= most(0.05, cell.runs)
    lead = simulate(challenge, units, teams, "lead", 200, resamples=200)
    assert lead.wrong <= most(0.05, lead.runs)
    right = lead.power * (teams - 1)  # pairs in a test set that are rightly told apart
    if units >= UNITS_OF_POWER:
        assert right > lead.wrong
    assert right >= lead.wrong
