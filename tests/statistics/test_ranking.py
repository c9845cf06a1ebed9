"""Ranking schemes against the values of challengeR, worked weighted ranks, and plain restatements."""

import json
import statistics
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.ranking import (
    SCHEMES,
    competition_ranks,
    kendall_tau,
    rank_cases,
    ranks_along_teams,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "ranking"
CASES = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("*-teams.json"))
}
TENTHS = st.integers(0, 5).map(lambda k: k / 10)


@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, case in CASES.items() for method in case["expect"]]
)
def test_challenger_agrees(name, method):
    case, (scheme, _, adjust) = CASES[name], method.partition("/")
    found = rank_cases(
        case["values"],
        scheme,
        higher_is_better=case["higher_is_better"],
        missing=case["missing"],
        adjust=adjust or "holm",
    )
    assert found["ranks"] == case["expect"][method]["ranks"]
    assert found["aggregate"] == pytest.approx(case["expect"][method]["aggregate"], abs=1e-9)


@given(st.lists(TENTHS, min_size=1, max_size=8))
def test_ranks_along_teams_share_the_smaller_rank_or_the_mean_of_theirs(scores):
    values = np.array(scores)
    assert ranks_along_teams(values).tolist() == competition_ranks(scores)
    placed = sorted(scores, reverse=True)
    expected = [statistics.mean(i + 1 for i, other in enumerate(placed) if other == own) for own in scores]
    assert ranks_along_teams(values, "average").tolist() == expected
    twice = np.stack([values, values[::-1]], axis=1)
    assert ranks_along_teams(twice)[:, 0].tolist() == ranks_along_teams(values).tolist()


def test_undefined_values_come_last():
    assert ranks_along_teams(np.array([0.2, np.nan, 0.4, np.nan])).tolist() == [2, 3, 1, 3]


def test_a_missing_value_ranks_one_after_the_worst_of_its_case():
    found = rank_cases([[0.9, None], [0.5, 0.4], [0.5, 0.4]], "rank_then_mean")
    assert found == {"ranks": [1, 1, 1], "aggregate": [1.5, 1.5, 1.5]}


def test_missing_values_need_a_replacement_and_schemes_a_name():
    with pytest.raises(ValueError, match="missing"):
        rank_cases([[1, None], [1, 2]], "mean_then_rank")
    with pytest.raises(ValueError, match="unknown"):
        rank_cases([[1, 2]], "best_then_rank")
    assert rank_cases([[1, 2]], "test_then_rank") == {"ranks": [1], "aggregate": [0]}
    assert all(rank_cases([[1, 2], [2, 1]], scheme)["ranks"] == [1, 1] for scheme in SCHEMES)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=2, max_size=12))
def test_kendall_tau_is_that_of_scipy(rows):
    scores, *others = np.array(rows).T
    expected = [scipy.stats.kendalltau(scores, column).statistic for column in others]
    assert kendall_tau(scores, np.column_stack(others)) == pytest.approx(expected, abs=1e-15, nan_ok=True)
