"""Which column names the unit of resampling, and how units are numbered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs.case_tables import find_units, number_units
from tests.support.findings import places, refused

COLUMNS = {
    "image": ("a", "b", "c"),
    "lesion_id": ("x", "x", ""),
    "patient_id": ("p", "q", "p"),
    "site": ("1", "1", "1"),
}
USUAL = ("patient_id", "lesion_id")


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
    name, found = find_units(columns, 3, USUAL, id_column, group)
    assert (name, found.tolist()) == (unit, numbers)


def test_a_unit_column_that_is_not_there():
    problems = refused(find_units, COLUMNS, 3, USUAL, "image", "hospital").problems
    assert places(problems) == [("bad-option", "--group")]
    assert "hospital" in problems[0].message
    assert "lesion_id" in problems[0].message


@given(st.lists(st.sampled_from(["", "a", "b", "c", "A"]), min_size=1, max_size=20))
def test_units_restated(values):
    numbers, seen = [], {}
    for i, value in enumerate(values):
        name = value or i
        if name not in seen:
            seen[name] = len(seen)
        numbers.append(seen[name])
    assert number_units(values, len(values)).tolist() == numbers


def test_every_way_to_write_nothing_is_a_unit_of_its_own():
    assert number_units(["NA", "x", "", "na", " null ", "x", "None"], 7).tolist() == [
        *(0, 1, 2, 3, 4, 1, 5),
    ]


def test_without_values_each_case_is_a_unit():
    assert number_units(None, 4).tolist() == [0, 1, 2, 3]
