import numpy as np
import pytest

from scoring.presentation.figures.intervals import IntervalRow, intervals, slice_rows
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import THEMES, trace, words

ROWS = [
    IntervalRow("all", 0.5, (0.4, 0.6), 300),
    IntervalRow("few", 0.2, (0.0, 0.7), 14),
    IntervalRow("none", None, None, 0),
    IntervalRow("bare", 0.3),
]


@THEMES
def test_intervals_grey_small_groups_and_leave_out_the_undefined(theme):
    figure = intervals(ROWS, theme, "Which?", "accuracy", reference=0.45, tied=2)
    large, small = trace(figure, "value"), trace(figure, "fewer than 15 cases")
    assert (list(large.y), list(small.y)) == ([0, 3], [1])
    assert (list(large.x), list(small.x)) == ([0.5, 0.3], [0.2])
    assert large.error_x.array[0] == pytest.approx(0.1)
    assert np.isnan(large.error_x.array[1])
    assert small.marker.color[0] == theme.paper
    assert words(figure) == ["n = 300", "n = 14*", "n = 0*, undefined"]
    assert list(figure.layout.yaxis.ticktext) == ["all", "few", "none", "bare"]
    assert len(figure.layout.shapes) == 2


def test_hollow_means_not_told_apart():
    rows = [IntervalRow("a", 1.0, (0.5, 1.5), apart=True), IntervalRow("b", 0.1, (-0.5, 0.7), apart=False)]
    dots = trace(intervals(rows, LIGHT, "Real?", "points"), "value")
    assert list(dots.marker.color) == [LIGHT.accent, LIGHT.paper]


def test_slice_rows_are_the_cards_with_unknown_last(card):
    rows = slice_rows(
        {"age": {"unknown": {"n": 2, "accuracy": 0.5}, "0-29": {"n": 7, "accuracy": 1.0}}}, "accuracy"
    )
    assert [(row.name, row.value, row.n, row.interval) for row in rows] == [
        ("age 0-29", 1.0, 7, None),
        ("age unknown", 0.5, 2, None),
    ]
    (row,) = slice_rows({"location": {"head": {"n": 2, "accuracy": 0.5}}}, "accuracy")
    assert row.name == "site head"
    assert sum(row.n for row in slice_rows(card.more["slices"], "accuracy")) == 3 * card.n_cases
    rows = slice_rows(card.more["slices"], "malignant_sensitivity")
    assert sum(row.n for row in rows) == 3 * sum(c["truth_risk"] == "malignant" for c in card.cases)
    male = next(row for row in rows if row.name == "gender male")
    assert male.value == card.more["slices"]["gender"]["male"]["malignant_sensitivity"]
    assert list(male.interval) == list(
        card.more["slices"]["gender"]["male"]["malignant_sensitivity_interval"]
    )
