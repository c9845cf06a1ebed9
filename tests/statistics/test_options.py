"""The options of every challenge: what is refused, and what makes an interval doubtful."""

import numpy as np
import pytest

from scoring.statistics.options import StatisticsOptions
from tests.support.findings import codes, places


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({}, []),
        ({"resamples": 0}, []),
        ({"resamples": 2}, []),
        ({"resamples": 1}, ["--resamples"]),
        ({"resamples": -5}, ["--resamples"]),
        ({"seed": -1}, ["--seed"]),
        ({"interval": "normal"}, ["--interval"]),
        ({"resamples": 1, "seed": -1, "interval": ""}, ["--resamples", "--seed", "--interval"]),
    ],
)
def test_what_cannot_be(options, wrong):
    assert places(StatisticsOptions(**options).problems()) == [("bad-option", option) for option in wrong]


def test_an_undefined_quantity_has_no_interval():
    for interval in ("percentile", "jackknife", "bca"):
        assert (
            StatisticsOptions(interval=interval).interval_of(
                np.nan, np.array([0.1, 0.2]), np.array([0.1, 0.2])
            )
            is None
        )


def test_a_quantity_that_most_replicates_do_not_have_has_no_interval():
    drawn, left_out = np.array([0.1, 0.2, np.nan, np.nan, np.nan]), np.array([0.1, 0.2, 0.3])
    for interval in ("percentile", "jackknife", "bca"):
        assert StatisticsOptions(interval=interval).interval_of(0.2, drawn, left_out) is None
        assert StatisticsOptions(interval=interval).interval_of(0.2, drawn[:4], left_out) is not None


def test_few_units_and_few_replicates():
    assert codes(StatisticsOptions().findings(49)) == ["few-units"]
    assert codes(StatisticsOptions().findings(50)) == []
    assert codes(StatisticsOptions(resamples=199).findings(50)) == ["few-replicates"]
    assert codes(StatisticsOptions(resamples=200).findings(50)) == []
