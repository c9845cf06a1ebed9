"""The options of every challenge: what is refused, which column is the unit, what makes an interval
doubtful."""

import numpy as np
import pytest

from scoring.statistics.options import StatisticsOptions
from tests.support.findings import codes, places, refused

COLUMNS = {
    "image": ("a", "b", "c"),
    "lesion_id": ("x", "x", ""),
    "patient_id": ("p", "q", "p"),
    "site": ("1", "1", "1"),
}
USUAL = ("patient_id", "lesion_id")


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


@pytest.mark.parametrize(
    ("group", "columns", "id_column", "unit", "numbers"),
    [
        (None, COLUMNS, "image", "patient_id", [0, 1, 0]),
        (None, {k: COLUMNS[k] for k in ("image", "lesion_id")}, "image", "lesion_id", [0, 0, 1]),
        (None, {"image": COLUMNS["image"]}, "image", "case", [0, 1, 2]),
        (None, COLUMNS, "patient_id", "lesion_id", [0, 0, 1]),
        ("site", COLUMNS, "image", "site", [0, 0, 0]),
        ("Lesion-ID", COLUMNS, "image", "lesion_id", [0, 0, 1]),
        ("none", COLUMNS, "image", "case", [0, 1, 2]),
        ("None", COLUMNS, "image", "case", [0, 1, 2]),
    ],
)
def test_units(group, columns, id_column, unit, numbers):
    name, found = StatisticsOptions(group=group).units(columns, 3, USUAL, id_column)
    assert (name, found.tolist()) == (unit, numbers)


def test_a_unit_column_that_is_not_there():
    problems = refused(StatisticsOptions(group="hospital").units, COLUMNS, 3, USUAL, "image").problems
    assert places(problems) == [("bad-option", "--group")]
    assert "hospital" in problems[0].message
    assert "lesion_id" in problems[0].message


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
