"""The options of every challenge: what is refused, and what makes an interval doubtful."""

import numpy as np
import pytest

from scoring.statistics import intervals
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.intervals import METHODS
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


@pytest.mark.parametrize("interval", METHODS)
def test_an_undefined_quantity_has_no_interval(interval):
    options, two = StatisticsOptions(interval=interval), np.array([0.1, 0.2])
    assert options.interval_of(np.nan, two, two, 20) is None


@pytest.mark.parametrize("interval", METHODS)
def test_a_quantity_that_most_replicates_do_not_have_has_no_interval(interval):
    options = StatisticsOptions(interval=interval)
    drawn, left_out = np.array([0.1, 0.2, np.nan, np.nan, np.nan]), np.array([0.1, 0.2, 0.3])
    assert options.interval_of(0.2, drawn, left_out, 20) is None
    assert options.interval_of(0.2, drawn[:4], left_out, 20) is not None


def test_auto_is_one_method_from_six_units_on():
    drawn, left_out = np.array([0.1, 0.2, 0.3]), np.array([0.19, 0.2, 0.21, 0.2, 0.2, 0.2])
    auto = StatisticsOptions()
    assert auto.interval == "auto"
    assert [auto.method(n) for n in (5, 6, 49, 50, 5000)] == [None, *["wilson t"] * 4]
    assert auto.interval_of(0.2, drawn, left_out, 5) is None
    for limits in ((0.0, 1.0), (0.0, np.inf)):
        of = intervals.estimated(0.2, drawn, left_out, 6)
        assert auto.interval_of(0.2, drawn, left_out, 6, limits) == intervals.wilson_t(of, limits)
    assert StatisticsOptions(interval="bca").method(5) == "bca"


def test_few_units_and_few_replicates():
    assert codes(StatisticsOptions().findings(19)) == ["few-units"]
    assert codes(StatisticsOptions().findings(20)) == []
    assert codes(StatisticsOptions(interval="bca").findings(49)) == ["few-units"]
    assert codes(StatisticsOptions(interval="bca").findings(50)) == []
    for units, interval, words in (
        (1, "auto", "With only 1 unit to resample, no interval is computed"),
        (8, "auto", "With only 8 units to resample, intervals are wide. Telling teams apart needs 20."),
        (8, "percentile", "contains the true value less often than 95 %"),
    ):
        assert words in StatisticsOptions(interval=interval)._of_few(units)
    assert codes(StatisticsOptions(resamples=199).findings(50)) == ["few-replicates"]
    assert codes(StatisticsOptions(resamples=200).findings(50)) == []
