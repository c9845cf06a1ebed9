"""Subgroups, restated from the cases."""

import numpy as np
import pytest

from scoring.comparison import class_measures
from tests.support.plain_intervals import difference_t
from tests.support.teams import lesion_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(6, 80, (1, 2), resamples=50, seed=3)


def test_each_group_by_its_cases(found):
    rows = class_measures.subgroups(found)
    assert {row.column for row in rows} >= {"age", "gender"}
    without = 1 - np.eye(80)
    checked = 0
    for row in (r for r in rows if (r.column, r.measure) == ("gender", "accuracy")):
        for estimate in row.teams:
            card = found.cards[estimate.team]
            right = np.array([case["correct"] for case in card.cases])
            members = np.array(
                [str(case["gender"]).lower().startswith(row.group[0].lower()) for case in card.cases]
            )
            assert (row.n, row.small) == (members.sum(), members.sum() < 15)
            assert estimate.value == pytest.approx(right[members].mean())
            assert estimate.to_overall == pytest.approx(right[members].mean() - right.mean())
            inside = np.array([w[members & right].sum() / w[members].sum() for w in without])
            of_all = np.array([w[right].sum() / 79 for w in without])
            expected = difference_t(estimate.to_overall, inside, of_all, members.sum())
            assert estimate.to_overall_interval == pytest.approx(expected, abs=1e-7)
            assert estimate.interval == card.more["slices"]["gender"][row.group]["accuracy_interval"]
            checked += 1
    assert checked >= 4


def test_small_groups_are_marked_by_what_they_count(found):
    for row in class_measures.subgroups(found):
        entry = next(iter(found.cards.values())).more["slices"][row.column][row.group]
        counted = entry["n_malignant" if row.measure == "malignant_sensitivity" else "n"]
        assert (row.n, row.small) == (counted, counted < 15)
        if not counted:
            assert {estimate.value for estimate in row.teams} == {None}
