"""The options of every challenge: what is refused, and what makes an interval doubtful."""

import numpy as np
import pytest

from scoring.statistics import intervals
from scoring.statistics.intervals import METHODS
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


def test_auto_takes_the_interval_that_keeps_its_level():
    drawn, left_out = np.array([0.1, 0.2, 0.3]), np.array([0.19, 0.2, 0.21])
    auto = StatisticsOptions()
    assert auto.interval == "auto"
    assert [auto.method(n) for n in (5, 6, 49, 50)] == [None, "logit t", "logit t", "percentile"]
    assert auto.interval_of(0.2, drawn, left_out, 5) is None
    assert auto.interval_of(0.2, drawn, left_out, 49) == intervals.logit_t(0.2, left_out)
    assert auto.interval_of(1.7, drawn, left_out, 49, is_share=False) == intervals.jackknife(1.7, left_out)
    assert auto.interval_of(0.2, drawn, None, 50) == intervals.percentile(drawn)
    assert StatisticsOptions(interval="bca").method(5) == "bca"


def test_few_units_and_few_replicates():
    assert codes(StatisticsOptions().findings(49)) == ["few-units"]
    assert codes(StatisticsOptions().findings(50)) == []
    for units, interval, words in (
        (1, "auto", "1 unit: too few for an interval"),
        (8, "auto", "from 20 on"),
        (8, "percentile", "covers less often than 95 %"),
        (20, "auto", "Student's t on the log-odds, and wide."),
    ):
        assert words in StatisticsOptions(interval=interval)._of_few(units)
    assert codes(StatisticsOptions(resamples=199).findings(50)) == ["few-replicates"]
    assert codes(StatisticsOptions(resamples=200).findings(50)) == []
