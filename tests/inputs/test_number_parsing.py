"""Cells of one layout are read at once, as `float` reads each."""

import random

import pytest

from scoring.inputs.number_parsing import parse_numbers


@pytest.mark.parametrize("width", range(1, 19))
def test_cells_of_one_width_are_read_as_float_reads_them(width):
    dice = random.Random(width)
    for point in range(-1, width):
        cells = [
            "".join("." if k == point else dice.choice("0123456789") for k in range(width)) for _ in range(50)
        ]
        if "." not in cells:
            assert parse_numbers(cells).values.tolist() == [float(cell) for cell in cells]


def test_widths_that_only_add_up_are_read_cell_by_cell():
    assert parse_numbers(["0.12", "0.123", ".12"]).values.tolist() == [0.12, 0.123, 0.12]


@pytest.mark.parametrize("odd", ["0,50", "1e-5", "-0.5", " 0.5", "0._5", "0.5x"])
def test_a_cell_of_another_layout_stays_itself(odd):
    found = parse_numbers(["0.25", odd])
    assert found.values[0] == 0.25
    assert found.fault[1] == ("" if odd in ("1e-5", "-0.5", " 0.5") else "not-a-number")
