"""Differences to the team placed first are those of the pairs."""

import pytest

from scoring.comparison.summary_text import leader_differences
from tests.support.teams import risk_teams

NOISES = (0.2, 0.25, 0.5, 0.9)


@pytest.fixture(scope="module")
def found():
    return risk_teams(1, 120, NOISES, resamples=200)


def test_every_team_against_the_first(found):
    rows = leader_differences(found)
    pairs = found.as_dict()["pairs"]
    assert [row.team for row in rows] == list(found.scored[1:])
    for row, pair in zip(rows, pairs[: len(rows)], strict=True):
        assert (pair["a"], pair["b"]) == (found.scored[0], row.team)
        assert (row.difference, row.p_adjusted, row.separated) == (
            -pair["difference"],
            pair["p_adjusted"],
            pair["separated"],
        )
        assert row.difference == pytest.approx(
            found.cards[row.team].score - found.cards[found.scored[0]].score
        )
        assert row.simultaneous_interval == [
            -pair["simultaneous_interval"][1],
            -pair["simultaneous_interval"][0],
        ]


def test_without_replicates_there_is_no_interval():
    bare = risk_teams(1, 30, NOISES, resamples=0)
    assert [row.simultaneous_interval for row in leader_differences(bare)] == [None, None, None]
