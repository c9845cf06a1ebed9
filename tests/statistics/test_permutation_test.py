"""The swap test against a plain restatement: predictions are exchanged unit by unit and scored again."""

import itertools

import numpy as np
import pytest

from scoring.statistics import permutation_test as test_module
from scoring.statistics.permutation_test import Categories, Exchange, swap_test
from scoring.statistics.replicate_comparison import Resampled, compare

TEAMS, UNITS, DRAWS = 3, 24, 200


def ratio(sums: np.ndarray) -> np.ndarray:
    """A score that is no mean: F1 of hits, predictions and cases."""
    return 2 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


@pytest.fixture
def exchange():
    random = np.random.default_rng(2)
    hits = random.binomial(10, [[[0.8]], [[0.78]], [[0.4]]], (TEAMS, UNITS, 1))
    return Exchange(np.concatenate([hits, hits + 2, np.full_like(hits, 10)], 2).astype(float), ratio, seed=5)


def restated(exchange: Exchange, flips: np.ndarray) -> dict:
    """Differences of each pair after each exchange, by moving rows."""
    found = {}
    for a, b in itertools.combinations(range(TEAMS), 2):
        found[a, b] = []
        for row in flips:
            kept = (row > 0)[:, None]
            one = np.where(kept, exchange.sums[a], exchange.sums[b]).sum(0)
            other = np.where(kept, exchange.sums[b], exchange.sums[a]).sum(0)
            found[a, b].append(round(float(ratio(one) - ratio(other)), 12))
    return found


def test_p_values_count_exchanges_and_the_band_is_the_test_inverted(exchange):
    scores, n = ratio(exchange.sums.sum(1)), UNITS
    flips = test_module.signs(n, DRAWS, 5)
    moved = restated(exchange, flips)
    root = {pair: np.sqrt(np.mean(np.square(values))) for pair, values in moved.items()}
    largest = [max(abs(moved[pair][e]) / root[pair] for pair in moved) for e in range(DRAWS)]
    found = swap_test(scores, exchange, DRAWS)
    limit = sorted(largest, reverse=True)[DRAWS // 20]
    assert found.critical_value == pytest.approx(np.sqrt((n - 1) * limit**2 / (n - limit**2)))
    for place, (a, b) in enumerate(moved):
        d = abs(scores[a] - scores[b])
        alone = np.mean([abs(value) >= d - test_module.PUBLISHED for value in moved[a, b]])
        assert found.p_values[place] == pytest.approx(alone)
        p = np.mean([value >= (d - test_module.PUBLISHED) / root[a, b] for value in largest])
        assert found.p_adjusted[place] == pytest.approx(p)
        assert found.separated[place] == (p <= 0.05) == (d > found.reach[place])
        assert found.errors[place] == pytest.approx(np.sqrt((n * root[a, b] ** 2 - d**2) / (n - 1)))
    assert 0 < found.separated.sum() < len(moved)


def test_of_a_mean_it_is_the_sign_flip():
    random = np.random.default_rng(3)
    values = random.normal([[0.5], [0]], 1, (2, UNITS))
    exchange = Exchange(values[..., None] / UNITS, lambda sums: sums[..., 0])
    found = swap_test(values.mean(1), exchange, DRAWS)
    d = values[0] - values[1]
    flipped = np.abs(test_module.signs(UNITS, DRAWS, 0) @ d) / UNITS
    assert (
        found.p_values[0] == found.p_adjusted[0] == np.mean(flipped >= abs(d.mean()) - test_module.PUBLISHED)
    )
    assert found.errors[0] == pytest.approx(
        np.sqrt((UNITS * np.mean(flipped**2) - d.mean() ** 2) / (UNITS - 1))
    )


def test_what_is_no_prediction_is_a_constant():
    random = np.random.default_rng(4)
    values = np.repeat(random.normal(0, 1, (1, UNITS, 1)), 3, 0) / UNITS
    values[2] = values[2, ::-1]
    points = values.sum((1, 2)) + np.array([0.1, 0.0, 0.0])  # the first two sent the same and differ in size
    found = swap_test(points, Exchange(values, lambda sums: sums[..., 0]), DRAWS)
    assert (found.p_values[0], found.separated[0], found.errors[0], found.reach[0]) == (0, True, 0, 0)
    assert not found.separated[1:].any()
    same = swap_test(points[1:2].repeat(2), Exchange(values[:2], lambda sums: sums[..., 0]), DRAWS)
    assert (same.p_values[0], same.separated[0], same.critical_value) == (1, False, None)


def test_an_undefined_exchange_tells_nothing(exchange):
    undefined = Exchange(exchange.sums, lambda sums: np.full(sums.shape[:-1], np.nan))
    scores, replicates = ratio(exchange.sums.sum(1)), np.random.default_rng(0).normal(0.5, 0.1, (3, 50))
    assert swap_test(scores, undefined, DRAWS) is None
    assert compare(scores, Resampled(replicates, UNITS), undefined).test is None


@pytest.mark.parametrize("chosen", ["auto", "swap", "bootstrap"])
@pytest.mark.parametrize("units", [19, 20, 49, 50, 300])
def test_from_20_units_on_one_test_is_made_whatever_their_number(units, chosen):
    random = np.random.default_rng(1)
    values = random.normal(0, 1, (3, units, 1)) / units
    replicates = random.normal(0, 0.1, (3, 100))
    points, exchange = values.sum((1, 2)), Exchange(values, lambda sums: sums[..., 0])
    found = compare(points, Resampled(replicates, units), exchange, pairs_test=chosen)
    told = (found.rank_intervals, found.tied_for_first, found.critical_value, found.resolvable_gap)
    test = None if units < 20 else {"auto": "swap"}.get(chosen, chosen)
    assert found.test == test
    assert [value is None for value in told] == [test is None] * 4
    pair = found.pairs[0]
    of_pair = (pair.interval, pair.standard_error, pair.p_value, pair.p_adjusted, pair.separated)
    assert [value is None for value in of_pair] == [test is None] * 5
    assert None not in (found.shares_won, found.rank_shares, found.stability)
    without = compare(points, Resampled(replicates, units), pairs_test=chosen)
    assert without.test == (None if test == "swap" else test)


def test_exchanges_in_blocks_are_those_at_once(exchange, monkeypatch):
    scores = ratio(exchange.sums.sum(1))
    at_once = swap_test(scores, exchange, DRAWS)
    monkeypatch.setattr(test_module, "SIGN_CELLS", 7 * UNITS)
    in_blocks = swap_test(scores, exchange, DRAWS)
    assert in_blocks.p_adjusted.tolist() == at_once.p_adjusted.tolist()
    assert in_blocks.errors.tolist() == at_once.errors.tolist()


def test_units_hold_the_sums_of_their_cases_with_their_weights():
    columns, units = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    assert test_module.unit_sums(columns, units).tolist() == [[4, 6], [8, 10]]
    assert test_module.unit_sums(columns, units, np.array([1, 0, 2, 1.0])).tolist() == [[8, 11], [6, 7]]
    left_out = np.array([0.4, 0.5, 0.6])
    assert test_module.pseudo_values(0.5, left_out) == pytest.approx([0.7, 0.5, 0.3])


def test_a_card_keeps_sums_only_where_they_serve():
    units = np.arange(30)
    whole, holes = np.ones((30, 2)), np.full((30, 2), np.nan)
    assert list(test_module.card_arrays(True, units, lambda: whole)) == ["unit_sums"]
    assert test_module.card_arrays(True, units, lambda: holes) == {}
    assert test_module.card_arrays(False, units, lambda: whole) == {}
    assert test_module.card_arrays(True, np.arange(19), lambda: whole) == {}


RARE, COMMON, DRAWN = 2, 20, 20_000


def balanced(sums: np.ndarray) -> np.ndarray:
    """Mean recall of two categories: hits and cases of each."""
    return (sums[..., 0] / sums[..., 2] + sums[..., 1] / sums[..., 3]) / 2


def answered(rare: list[list[int]], size: int = 1) -> Exchange:
    """Teams that answer a rare category so and a common one half right, at random; cases count `size`."""
    random = np.random.default_rng(6)
    common = random.integers(0, 2, (len(rare), COMMON))
    is_rare = np.arange(RARE + COMMON) < RARE
    hits = np.hstack([np.array(rare), common])
    columns = [
        hits * is_rare,
        hits * ~is_rare,
        np.tile(is_rare, (len(rare), 1)),
        np.tile(~is_rare, (len(rare), 1)),
    ]
    sums = size * np.stack(columns, 2).astype(float)
    return Exchange(sums, balanced, 3, Categories(np.array([0, 1]), (np.array([2, 3]),), (np.array([0, 1]),)))


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize(
    ("rare", "cases"), [([[1, 0], [1, 0]], 1), ([[1, 0], [1, 1]], 0.5), ([[1, 1], [0, 0]], 0)]
)
def test_a_rare_category_that_two_teams_answer_alike_moves_them_by_a_case(rare, cases, size):
    exchange = answered(rare, size)
    scores = balanced(exchange.sums.sum(1))
    apart = np.square(exchange.sums[0] - exchange.sums[1])[:, :2].sum(0) / size**2
    assert apart[1] >= 2
    variance = ((apart[0] + cases) / RARE**2 + apart[1] / COMMON**2) / 4
    found = swap_test(scores, exchange, DRAWN)
    n, d = exchange.sums.shape[1], scores[0] - scores[1]
    assert found.errors[0] == pytest.approx(np.sqrt((n * variance - d**2) / (n - 1)), rel=0.03)


def test_no_chance_is_added_to_copies():
    exchange = answered([[1, 0], [1, 0]])
    copies = Exchange(exchange.sums[[0, 0]], balanced, 3, exchange.categories)
    found = swap_test(balanced(copies.sums.sum(1)), copies, DRAWS)
    assert (found.errors[0], found.p_values[0], found.separated[0]) == (0, 1, False)


def test_values_move_by_their_largest_difference_wherever_they_differ():
    random = np.random.default_rng(7)
    values, place = random.random((3, UNITS, 1)), np.array([0])
    exchange = Exchange(values, lambda sums: sums[..., 0], 3, Categories(place, (), (place,), unseen=0.5))
    scores, plain = values.sum((1, 2)), Exchange(values, lambda sums: sums[..., 0], 3)
    found, without = (swap_test(scores, one, DRAWN).errors for one in (exchange, plain))
    largest = np.ptp(values, axis=0).max()
    assert found**2 - without**2 == pytest.approx(UNITS * largest**2 / 2 / (UNITS - 1), rel=0.1)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_each_team_is_compared_with_the_best_of_the_others(better):
    random = np.random.default_rng(8)
    values = (random.random((5, 40)) < np.array([0.9, 0.9, 0.8, 0.6, 0.3])[:, None]).astype(float)
    values[1] = values[0]
    if better == "lower":
        values = 1 - values
    scores, sign = values.mean(1), 1 if better == "higher" else -1
    found = swap_test(scores, Exchange(values[..., None], lambda sums: sums[..., 0] / 40), DRAWS, better)
    flips = test_module.signs(40, DRAWS, 0)
    for team in range(5):
        seen, drawn = 0.0, np.zeros(DRAWS)
        for other in range(5):
            exchanged = sign * (flips * (values[other] - values[team])).mean(1)
            root = np.sqrt((exchanged**2).mean())
            if root > 0:
                lead = sign * (scores[other] - scores[team])
                seen = max(seen, np.sign(lead) * (abs(lead) - 2e-6) / root)
                drawn = np.maximum(drawn, exchanged / root)
        assert found.p_best[team] == pytest.approx((drawn >= seen - 1e-12).mean(), abs=1.5 / DRAWS)
    assert found.p_best[0] == found.p_best[1] == 1
    assert found.p_best[4] <= 0.05
