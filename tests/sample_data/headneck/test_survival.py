"""Courses follow their hazard."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator.headneck.survival import FIRST_DAYS, FOLLOW_UP_DAYS, course, log_hazard

AVERAGE = {"tumour_ml": 15.0, "t_stage": 2, "n_stage": 1, "hpv": True, "performance": 0, "age": 60}


def courses(hazard: float, visit_days: int = 1):
    random = np.random.default_rng(0)
    return [course(hazard, visit_days, random) for _ in range(2000)]


@pytest.mark.parametrize(
    "worse",
    [{"tumour_ml": 40.0}, {"t_stage": 4}, {"n_stage": 3}, {"hpv": False}, {"performance": 2}, {"age": 80}],
    ids=str,
)
def test_what_makes_the_prospect_worse(worse):
    assert log_hazard(**AVERAGE | worse) > log_hazard(**AVERAGE)


def test_a_larger_hazard_brings_more_and_earlier_recurrences():
    low, high = courses(-1), courses(1)
    assert np.mean([one.relapsed for one in low]) < np.mean([one.relapsed for one in high]) - 0.3
    assert np.mean([one.days for one in low]) > np.mean([one.days for one in high]) + 300


@given(st.floats(-2, 2), st.integers(0, 2**32 - 1), st.sampled_from((1, 30)))
def test_times_are_whole_visits_within_the_follow_up(hazard, seed, visit_days):
    one = course(hazard, visit_days, np.random.default_rng(seed))
    assert one.days % visit_days == 0
    assert FIRST_DAYS - visit_days / 2 <= one.days <= FOLLOW_UP_DAYS[1] + visit_days / 2
    if not one.relapsed:
        assert one.days >= FOLLOW_UP_DAYS[0] - visit_days / 2
