"""Differences to one team are those of the pairs, and planned gaps those of the formula."""

import pytest
import scipy.stats

from scoring.contrasts import reference
from tests.support.teams import risk_teams

NOISES = (0.2, 0.25, 0.5, 0.9)


@pytest.fixture(scope="module")
def found():
    return risk_teams(1, 120, NOISES, resamples=200)


def test_every_team_against_the_first(found):
    rows = reference.differences(found)
    pairs = found.as_dict()["pairs"]
    assert [row.team for row in rows] == list(found.scored[1:])
    for row, pair in zip(rows, pairs, strict=False):
        assert (pair["a"], pair["b"]) == (found.scored[0], row.team)
        assert (row.difference, row.p_adjusted, row.separated) == (-pair["difference"], pair["p_adjusted"], pair["separated"])
        assert row.difference == pytest.approx(found.cards[row.team].score - found.cards[found.scored[0]].score)
        assert row.interval == [-pair["interval"][1], -pair["interval"][0]]
        assert row.simultaneous_interval == [-pair["simultaneous_interval"][1], -pair["simultaneous_interval"][0]]


def test_any_team_can_be_the_reference(found):
    last = found.scored[-1]
    rows = reference.differences(found, last)
    assert [row.team for row in rows] == list(found.scored[:-1])
    assert all(row.difference >= 0 and row.interval[0] <= row.interval[1] for row in rows)
    assert reference.differences(found, "nobody") == ()


def test_gaps(found):
    gap = reference.resolvable(found)
    assert (gap.n_units, gap.unit) == (120, "case")
    assert 0 < gap.one_pair < gap.all_pairs
    bare = risk_teams(1, 30, NOISES, resamples=0)
    assert reference.resolvable(bare) == reference.Resolvable(30, "case", None, None)
    assert [row.interval for row in reference.differences(bare)] == [None, None, None]


@pytest.mark.parametrize(("n", "teams", "level"), [(41, 2, 0.05), (1000, 2, 0.05), (1000, 20, 0.05 / 190)])
def test_planned_gaps(n, teams, level):
    assert reference.planned(n, teams) == pytest.approx(scipy.stats.norm.isf(level / 2) * (0.1 / n) ** 0.5)


def test_no_gap_without_a_pair():
    with pytest.raises(ValueError, match="no gap"):
        reference.planned(0)
