"""By how much the score of the best is too high, against simple cases of which it is known."""

import numpy as np
import pytest

from scoring.statistics.optimism import winner_optimism

TEAMS, DRAWS, UNITS = 12, 4000, 100
ALL = np.ones(TEAMS, bool)


@pytest.fixture
def replicates():
    """Noise of standard deviation 0.02 that all teams share a part of."""
    random = np.random.default_rng(3)
    return random.normal(0, 0.01, DRAWS) + random.normal(0, 0.02, (TEAMS, DRAWS))


def errors(between: float, teams: int = TEAMS) -> np.ndarray:
    return between * np.sqrt(2) * (1 - np.eye(teams))


def test_of_equal_teams_it_is_the_largest_of_their_noise(replicates):
    largest = np.mean(np.random.default_rng(1).normal(0, 0.02, (TEAMS, 100_000)).max(0))
    found = winner_optimism(np.full(TEAMS, 0.7), replicates, ALL, errors(0.02), UNITS)
    assert found == pytest.approx(largest, rel=0.03)
    # A spread that is no more than noise is drawn together; a shift of all replicates is none of it.
    near = np.linspace(0.69, 0.71, TEAMS)
    assert winner_optimism(near, replicates + 0.3, ALL, errors(0.02), UNITS) == pytest.approx(found, rel=1e-6)


def test_teams_that_differ_leave_less_to_pick_from(replicates):
    equal, spread, far = (
        winner_optimism(np.linspace(0.7 - width, 0.7, TEAMS), replicates, ALL, errors(0.02), UNITS)
        for width in (0, 0.12, 1)
    )
    assert equal > spread > far >= 0
    assert far < 0.1 * equal


def test_the_errors_of_the_test_are_the_size_of_the_noise(replicates):
    scores = np.full(TEAMS, 0.7)
    one, twice = (winner_optimism(scores, replicates, ALL, errors(size), UNITS) for size in (0.02, 0.04))
    assert twice == pytest.approx(2 * one)


def test_nothing_is_said_of_few_units_or_a_lone_leader(replicates):
    scores, known = np.linspace(0.5, 0.7, TEAMS), errors(0.02)
    alone = np.arange(TEAMS) == TEAMS - 1
    assert winner_optimism(scores, replicates, alone, known, UNITS) is None
    assert winner_optimism(scores, replicates, ALL, known, 19) is None
    assert winner_optimism(scores, replicates[:, :1], ALL, known, UNITS) is None
    assert winner_optimism(scores, replicates, ALL, known, 20) is not None
