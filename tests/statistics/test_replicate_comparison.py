"""Comparison of teams against plain restatements of its definitions."""

import itertools
from functools import partial

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scoring.common.direction_and_range import Quantity
from scoring.statistics.paired_bootstrap import bootstrap_test
from scoring.statistics.ranking import competition_ranks
from scoring.statistics.replicate_comparison import Resampled, resolvable_gap
from scoring.statistics.replicate_comparison import compare as compare_by

TEAMS, DRAWS, UNITS = 4, 60, 80
compare = partial(compare_by, pairs_test="bootstrap")


@pytest.fixture
def drawn():
    """Scores, best first, and replicates of four teams that move together."""
    generator = np.random.default_rng(5)
    common = generator.normal(0, 0.03, DRAWS)
    scores = [0.82, 0.80, 0.79, 0.60]
    return scores, np.array([s + common + generator.normal(0, 0.01, DRAWS) for s in scores])


def test_pairs_are_a_paired_t_on_the_replicates_and_holm_over_all(drawn):
    scores, replicates = drawn
    found = compare(scores, Resampled(replicates, UNITS))
    assert [(p.a, p.b) for p in found.pairs] == list(itertools.combinations(range(TEAMS), 2))
    raw = []
    for pair in found.pairs:
        differences = np.round(replicates[pair.a] - replicates[pair.b], 12)
        error = np.sqrt(sum((d - differences.mean()) ** 2 for d in differences) / (DRAWS - 1))
        assert pair.standard_error == pytest.approx(error, abs=1e-12)
        assert pair.interval == pytest.approx(np.quantile(differences, [0.025, 0.975]))
        raw.append(2 * (1 - scipy.stats.t.cdf(abs(scores[pair.a] - scores[pair.b]) / error, UNITS - 1)))
        assert pair.p_value == pytest.approx(raw[-1], abs=1e-9)
    order, running = sorted(range(len(raw)), key=raw.__getitem__), 0.0
    for place, i in enumerate(order):
        running = max(running, min(1.0, (len(raw) - place) * raw[i]))
        assert found.pairs[i].p_adjusted == pytest.approx(running, abs=1e-9)


def test_groups_hold_at_once(drawn):
    scores, replicates = drawn
    found = compare(scores, Resampled(replicates, UNITS))
    errors = {(p.a, p.b): p.standard_error for p in found.pairs}
    largest = [
        max(
            abs(replicates[a, b] - replicates[c, b] - (scores[a] - scores[c])) / errors[a, c]
            for a, c in errors
        )
        for b in range(DRAWS)
    ]
    critical = scipy.stats.t.ppf(scipy.stats.norm.cdf(np.quantile(largest, 0.95)), UNITS - 1)
    assert found.critical_value == pytest.approx(critical)
    for pair in found.pairs:
        beyond = abs(pair.difference) > critical * pair.standard_error
        assert pair.separated == (beyond and pair.p_adjusted <= 0.05)
        assert pair.simultaneous_interval == pytest.approx(
            [
                pair.difference - critical * pair.standard_error,
                pair.difference + critical * pair.standard_error,
            ]
        )
    separated = {(p.a, p.b) for p in found.pairs if p.separated}
    for i in range(TEAMS):
        better, worse = (
            sum((a, i) in separated for a in range(i)),
            sum((i, b) in separated for b in range(i + 1, TEAMS)),
        )
        assert found.rank_intervals[i] == [1 + better, TEAMS - worse]
        assert found.tied_for_first[i] == (better == 0)
    assert found.rank_intervals[3] == [4, 4]
    middle = np.median(list(errors.values()))
    assert found.resolvable_gap == pytest.approx(
        {
            "one_pair": scipy.stats.t.ppf(0.975, UNITS - 1) * middle,
            "all_pairs": critical * middle,
            "one_pair_80": scipy.stats.t.ppf([0.975, 0.8], UNITS - 1).sum() * middle,
            "all_pairs_80": (critical + scipy.stats.t.ppf(0.8, UNITS - 1)) * middle,
        }
    )


def test_shares_ranks_and_stability_are_counted(drawn):
    scores, replicates = drawn
    replicates = np.round(replicates, 2)  # so that some are tied
    found = compare(scores, Resampled(replicates, UNITS))
    won, ranks, taus = np.zeros(TEAMS), np.zeros((TEAMS, TEAMS)), []
    for b in range(DRAWS):
        column = np.round(replicates[:, b], 12)
        best = [i for i in range(TEAMS) if column[i] == max(column)]
        won[best] += 1 / len(best)
        for i in range(TEAMS):
            ranks[i, sum(column > column[i])] += 1
        taus.append(scipy.stats.kendalltau(scores, column).statistic)
    assert found.shares_won == pytest.approx(won / DRAWS)
    assert np.allclose(found.rank_shares, ranks / DRAWS)
    assert found.stability["kendall_tau_mean"] == pytest.approx(np.mean(taus))
    assert found.stability["kendall_tau_interval"] == pytest.approx(np.quantile(taus, [0.025, 0.975]))


def test_equal_teams_are_never_separated_and_share_what_they_win():
    replicates = np.tile(np.linspace(0.4, 0.6, DRAWS), (2, 1))
    found = compare([0.5, 0.5], Resampled(replicates, UNITS))
    assert (found.pairs[0].standard_error, found.pairs[0].p_value, found.pairs[0].separated) == (
        0.0,
        1.0,
        False,
    )
    assert (found.shares_won, found.critical_value, found.resolvable_gap) == ([0.5, 0.5], None, None)


def test_a_difference_that_no_replicate_moves_is_certain():
    base = np.linspace(0.4, 0.6, DRAWS)
    found = compare([0.6, 0.5], Resampled(np.array([base + 0.1, base]), UNITS))
    assert (found.pairs[0].p_value, found.pairs[0].separated, found.rank_intervals) == (
        0.0,
        True,
        [[1, 1], [2, 2]],
    )


def test_one_team_and_no_replicates():
    alone = compare([0.5], Resampled(np.linspace(0.4, 0.6, DRAWS)[None], UNITS))
    assert (alone.pairs, alone.rank_intervals, alone.tied_for_first, alone.shares_won) == (
        (),
        [[1, 1]],
        [True],
        [1.0],
    )
    assert (alone.critical_value, alone.stability, alone.resolvable_gap) == (None, None, None)
    bare = compare([0.6, 0.5], Resampled(np.empty((2, 0)), UNITS))
    assert bare.pairs[0].difference == pytest.approx(0.1)
    assert (bare.pairs[0].p_value, bare.rank_intervals, bare.shares_won) == (None, None, None)


def test_undefined_replicates_are_left_out(drawn):
    scores, replicates = drawn
    holes = replicates.copy()
    holes[1, :10] = np.nan
    found, kept = (compare(scores, Resampled(drawn, UNITS)) for drawn in (holes, replicates[:, 10:]))
    assert found.shares_won == kept.shares_won
    assert (
        found.critical_value != kept.critical_value
    )  # a pair uses the replicates in which its own two are defined
    pair = {(p.a, p.b): p for p in found.pairs}
    assert pair[0, 2].standard_error == compare(scores, Resampled(replicates, UNITS)).pairs[1].standard_error
    assert pair[0, 1].standard_error == kept.pairs[0].standard_error


@given(arrays.arrays(float, st.integers(1, 8), elements=st.sampled_from([0.1, 0.2, 0.2 + 1e-14, 0.5])))
def test_ranks_are_one_more_than_the_better_ones(scores):
    rounded = np.round(scores, 12)
    assert competition_ranks(scores) == [1 + int((rounded > s).sum()) for s in rounded]
    assert competition_ranks(scores, higher_is_better=False) == competition_ranks(-scores)


def test_tie_breaks_part_equal_scores():
    assert competition_ranks([0.7, 0.7, 0.4, 0.4], tie_breaks=[[0.8, 0.9, 0.5, 0.5]]) == [2, 1, 3, 3]


def test_what_too_few_replicates_tell_is_left_open_and_nobody_is_certainly_better():
    undefined = np.full((3, 20), np.nan)
    alone = undefined.copy()
    alone[:, 4] = [0.9, 0.5, 0.1]
    apart = undefined.copy()  # every pair has replicates, no replicate has all teams
    apart[:2, :6], apart[1:, 7:12], apart[::2, 13:] = 0.5, 0.4, 0.3
    apart[0, :3] += 0.01
    for replicates in (undefined, alone, apart):
        found = compare([0.9, 0.5, 0.1], Resampled(replicates, UNITS))
        assert found.tied_for_first[0] is True
        assert (found.critical_value, found.resolvable_gap) == (None, None)
        assert (found.pairs[0].separated, found.pairs[0].simultaneous_interval) == (False, None)
    for pair in compare([0.9, 0.5, 0.1], Resampled(undefined, UNITS)).pairs:
        assert (pair.standard_error, pair.interval, pair.p_value, pair.p_adjusted) == (None, None, 1, 1)
    assert compare([0.9, 0.5, 0.1], Resampled(undefined, UNITS)).rank_intervals == [[1, 3]] * 3


def test_a_critical_value_beyond_every_number_is_left_open():
    nearly_constant = np.array(
        [[0.5, 0.5, 0.5 + 1e-9], [0.5, 0.5, 0.5]]
    )  # far from the scores themselves, hardly moving
    found = bootstrap_test(np.array([0.9, 0.1]), nearly_constant, 6)
    assert (found.critical_value, resolvable_gap(found, 6)) == (None, None)
    assert (found.separated.tolist(), found.reach.tolist()) == ([False], [np.inf])


def test_a_score_without_a_swap_test_tells_nobody_apart_but_has_intervals(drawn):
    scores, replicates = drawn
    found = compare_by(scores, Resampled(replicates, UNITS), quantity=Quantity(range=(-np.inf, np.inf)))
    assert (found.test, found.tied_for_first, found.rank_intervals) == (None, None, None)
    for pair in found.pairs:
        assert (pair.p_value, pair.separated, pair.simultaneous_interval) == (None, None, None)
        drawn = replicates[pair.a] - replicates[pair.b]
        error = np.std(drawn, ddof=1) * np.sqrt(UNITS / (UNITS - 1))
        reach, corrected = scipy.stats.t.ppf(0.975, UNITS - 1) * error, 2 * pair.difference - drawn.mean()
        assert pair.standard_error == pytest.approx(error)
        ends = min(pair.difference, corrected) - reach, max(pair.difference, corrected) + reach
        assert pair.interval == pytest.approx(list(ends))
    few = compare_by(scores, Resampled(replicates, 19))
    assert {(pair.interval, pair.standard_error) for pair in few.pairs} == {(None, None)}
