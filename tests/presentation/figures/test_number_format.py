import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.presentation.figures.number_format import UNDEFINED, decimal, percent, points, share, span

NUMBERS = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (decimal(-0.0004, 3), "0.000"),
        (decimal(-1.5, 1), "−1.5"),
        (decimal(2, 2, sign=True), "+2.00"),
        (decimal(None, 2), UNDEFINED),
        (decimal(math.nan, 2), UNDEFINED),
        (decimal(math.inf, 2), UNDEFINED),
        (points(0.53375625), "53.38"),
        (points(None), UNDEFINED),
        (share(0.5233333), "0.523"),
        (percent(0.174), "17%"),
        (percent(None), UNDEFINED),
        (span((0.482, 0.588), 1, 100), "48.2 to 58.8"),
        (span((-0.006, 0.122), 1, 100, sign=True), "−0.6 to +12.2"),
        (span(None, 1), UNDEFINED),
        (span((0.1, None), 1), UNDEFINED),
        (span((0.1, math.nan), 1), UNDEFINED),
    ],
)
def test_formats(shown, expected):
    assert shown == expected


@given(NUMBERS, st.integers(0, 6), st.booleans())
def test_decimals_are_kept_and_the_number_can_be_read_back(value, digits, sign):
    shown = decimal(value, digits, sign)
    assert "-" not in shown
    assert len(shown.partition(".")[2]) == digits
    assert float(shown.replace("−", "-")) == pytest.approx(value, abs=0.5001 * 10.0**-digits)
