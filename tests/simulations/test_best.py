"""A team that is truly best is left out of those that could be in at most 5 % of test sets."""

from collections.abc import Callable

import numpy as np
import pytest

from scoring.statistics.permutation_test import Exchange, swap_test
from tests.simulations.designs import SEED
from tests.simulations.test_rates import most
from tests.simulations.third_generator import SCORES, Design, cases_of, population

EXCHANGES = 200


def of_third_generator(design: Design):
    """Teams that are equally good and know rare classes differently well."""

    def drawing() -> Callable[[], Exchange]:
        random, scored = np.random.default_rng([SEED, design.units]), SCORES[design.score]
        drawn = population(random, design)
        return lambda: Exchange(cases_of(random, drawn, scored), scored.score, 0, scored.categories)

    return drawing


def of_means(teams: int, units: int, ahead: float, copied: float):
    """Right and wrong answers, of which teams copy some from each other; the first team is right more often
    by `ahead`, the others fall behind step by step. ahead 0: all are equal."""

    def drawing() -> Callable[[], Exchange]:
        random, steps = np.random.default_rng([SEED, teams, units]), ahead * np.arange(teams) / teams

        def draw() -> Exchange:
            common = random.random(units)
            own = np.where(random.random((teams, units)) < copied, common, random.random((teams, units)))
            right = (own < 0.8 - steps[:, None]).astype(float)
            return Exchange(right[..., None], lambda sums: sums[..., 0] / units)

        return draw

    return drawing


DESIGNS: dict[str, Callable[[], Callable[[], Exchange]]] = {
    "40 equal teams": of_means(40, 200, 0.0, 0.5),
    "40 teams that fall behind": of_means(40, 200, 0.3, 0.5),
    "100 equal teams, few units": of_means(100, 40, 0.0, 0.2),
    "balanced accuracy": of_third_generator(Design("balanced accuracy", 50, 12, 3, 2, "ladder", True)),
    "weighted F1": of_third_generator(Design("weighted F1", 200, 12, 3, 3, "specialists", False)),
    "F2": of_third_generator(Design("F2", 50, 12, 1, 10, "ladder", True)),
}


def left_out(name: str, runs: int) -> np.ndarray:
    """Return the share of test sets in which each team is not among those that could be the best."""
    draw, out = DESIGNS[name](), []
    for _ in range(runs):
        exchange = draw()
        out.append(swap_test(exchange.score(exchange.sums.sum(1)), exchange, EXCHANGES).p_best <= 0.05)
    return np.mean(out, axis=0)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_best_is_seldom_left_out(name):
    assert left_out(name, 60)[0] <= most(0.05, 60)


def test_worse_teams_are_left_out_and_more_than_by_all_pairs():
    draw, of_best, of_pairs = DESIGNS["40 teams that fall behind"](), 0, 0
    for _ in range(10):
        exchange = draw()
        test = swap_test(exchange.score(exchange.sums.sum(1)), exchange, EXCHANGES)
        first, second = np.triu_indices(40, 1)
        scores = exchange.sums.sum((1, 2))
        worse = np.where(scores[first] < scores[second], first, second)[test.separated]
        of_pairs += len(set(worse.tolist()))
        of_best += int((test.p_best <= 0.05).sum())
    assert of_best > of_pairs > 0


@pytest.mark.soak
@pytest.mark.parametrize("name", DESIGNS)
def test_every_design(name):
    runs = 1000
    assert left_out(name, runs)[0] <= most(0.05, runs)
