"""Equal teams of the third generator, which know rare classes differently well, are seldom told apart."""

import numpy as np
import pytest

from scoring.statistics.permutation_test import Exchange, swap_test
from tests.simulations.cells import is_seldom
from tests.simulations.designs import SEED
from tests.simulations.test_rates import most
from tests.simulations.third_generator import SCORES, Design, cases_of, population

EXCHANGES = 200
SHORT = (
    Design("balanced accuracy", 50, 12, 3, 2, "ladder", True),
    Design("balanced accuracy", 300, 6, 1, 2, "specialists", False),
    Design("weighted F1", 200, 6, 3, 2, "ladder", True),
    Design("F2", 50, 12, 1, 10, "ladder", True),
)
CELLS = [
    Design(score, units, 12, 1 if score == "F2" else 3, size, profiles, together)
    for score in SCORES
    for units, size in ((50, 2), (200, 3), (500, 5))
    for profiles in ("specialists", "ladder")
    for together in (True, False)
]


def wrong(design: Design, runs: int, blind: bool = False) -> float:
    """Return the share of test sets in which two equal teams are told apart. blind: without the chance that
    is added to categories."""
    random, scored = np.random.default_rng([SEED, design.units, design.size]), SCORES[design.score]
    drawn, errors = population(random, design), 0
    for run in range(runs):
        sums = cases_of(random, drawn, scored)
        exchange = Exchange(sums, scored.score, run, None if blind else scored.categories)
        errors += bool(swap_test(scored.score(sums.sum(1)), exchange, EXCHANGES).separated.any())
        if is_seldom(errors, run + 1):
            break
    return errors / (run + 1)


@pytest.mark.parametrize("design", SHORT, ids=str)
def test_equal_teams_are_seldom_told_apart(design):
    assert wrong(design, 40) <= most(0.05, 40)


def test_without_added_chance_they_are():
    assert wrong(SHORT[0], 40, blind=True) > most(0.05, 40)


@pytest.mark.soak
@pytest.mark.parametrize("design", CELLS, ids=str)
def test_every_cell(design):
    assert wrong(design, 2000) <= most(0.05, 2000)
