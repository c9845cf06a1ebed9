from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.presentation.figures import comparison as figures
from scoring.presentation.figures.comparison import ClassValues, Ordering, case_heat, teams_right
from scoring.presentation.figures.intervals import IntervalRow
from scoring.presentation.figures.scores_over_time import DatedScore, over_time
from scoring.presentation.figures.team_maps import FirstPlaces, Sized, size_scatter, weight_map
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import HOSTILE

NAMES = ["aurora", HOSTILE]
WEIGHTS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], float)


def words(rows: int, columns: int) -> np.ndarray:
    return np.full((rows, columns), "x", dtype=object)


def pairs(names=NAMES, theme=LIGHT, apart=True):
    n = len(names)
    differences = np.subtract.outer(np.arange(n)[::-1], np.arange(n)[::-1]).astype(float)
    return figures.pair_matrix(names, differences, np.full((n, n), apart), words(n, n), 1, theme)


def every(theme, names=NAMES):
    a, b = names
    rules = [Ordering("official", (1, 2), 1.0), Ordering("age 70+: accuracy", (2, 1), -1.0, small=True)]
    values = np.array([[0.5, 0.25], [np.nan, 1.0]])
    table = ClassValues(values, values, ["MEL", "NV"], names, [20, 3], "F1", {"MEL": "malignant"})
    firsts = np.array([[1, 0], [0, 1], [0.5, 0.5]])
    weeks = [
        DatedScore(f"2026-10-{day:02}T12:00:00+00:00", day / 9, (0.1, 1.2), day > 8) for day in (1, 8, 15)
    ]
    sent = [(a, weeks), (b, [*weeks, DatedScore("2026-10-16T09:30:00+00:00", None, None, False)])]
    return (
        figures.team_intervals(
            [IntervalRow(a, 1.0, [0.5, 2.0]), IntervalRow(b, 0.5)], theme, "Who wins?", "points", 2
        ),
        figures.group_intervals(
            [IntervalRow(a, 0.8, [0.7, 0.9])], theme, "How good are the teams in 70+?", "accuracy", [0.2, 0.9]
        ),
        pairs(names, theme),
        figures.rank_heat(names, np.array([[0.75, 0.25], [0.25, 0.75]]), [[1, 2], [1, 2]], theme),
        figures.rules_heat(names, rules, [0, 1], theme),
        figures.class_heat(table, theme, ("MEL", a)),
        figures.class_heat(replace(table, risks={}), theme, differences=True),
        case_heat(names, ["images/c1.jpg", "c2"], np.array([[0, 1], [0.5, np.nan]]), theme),
        teams_right([3, 2, 1], theme),
        size_scatter(
            [Sized(a, 10.0, 80.0, [75, 85]), Sized(b, 100.0, 70.0, None)], "points", 2, theme, (50, 150)
        ),
        weight_map("Who wins?", FirstPlaces("abc", WEIGHTS, firsts, names, (0.25, 0.35, 0.4)), theme),
        over_time(sent, theme, "Do the teams' scores improve?", "points", 1),
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 8), st.data())
def test_pairs_are_antisymmetric_and_coloured_only_where_told_apart(n, data):
    scores = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), float)
    differences = np.subtract.outer(scores, scores)
    apart = np.abs(differences) > 4
    figure = figures.pair_matrix([f"t{k}" for k in range(n)], differences, apart, words(n, n), 1, LIGHT)
    drawn = np.array(figure.data[0].z, float)
    off = ~np.eye(n, dtype=bool)
    assert np.array_equal(drawn[off], np.where(apart, differences, 0)[off])
    assert np.isnan(drawn.diagonal()).all()
    assert len(figure.layout.annotations) == n * (n - 1)


def test_the_sign_of_a_difference_is_written():
    assert sorted(note.text for note in pairs().layout.annotations) == ["+1.0", "−1.0"]


@pytest.mark.parametrize(("teams", "written"), [(figures.MOST_WORDS, True), (figures.MOST_WORDS + 1, False)])
def test_numbers_leave_the_cells_before_they_cannot_be_read(teams, written):
    names = [f"t{k}" for k in range(teams)]
    shares = np.full((teams, teams), 1 / teams)
    ranked = figures.rank_heat(names, shares, [[1, teams]] * teams, LIGHT)
    assert bool(pairs(names).layout.annotations) is written
    assert bool(ranked.layout.annotations) is written
    assert len(ranked.layout.shapes) == teams


def test_the_frame_holds_the_places_that_a_team_could_hold():
    figure = figures.rank_heat(["a", "b"], np.eye(2), [[1, 1], [1, 2]], LIGHT)
    assert [(round(shape.x0, 2), round(shape.x1, 2)) for shape in figure.layout.shapes] == [
        (-0.48, 0.48),
        (-0.48, 1.48),
    ]


def test_a_rule_shows_the_ranks_among_all_teams_of_those_that_are_drawn():
    rules = [Ordering("official", (1, 2, 3), 1.0), Ordering("accuracy", (3, 1, 2), -0.33)]
    figure = figures.rules_heat(["a", "b", "c"], rules, [0, 2], LIGHT)
    assert [note.text for note in figure.layout.annotations] == ["τ −0.33", "1", "3", "3", "2"]
    shares = np.array(figure.data[0].z)
    assert shares[0, 0] == shares.max()
    assert shares[0, 1] == shares[1, 0] == shares.min()


def test_every_cell_of_classes_and_cases_can_be_clicked():
    _, _, _, _, _, heat, _, cases, *_ = every(LIGHT)
    for figure, first in ((heat, ("MEL", "aurora")), (cases, ("images/c1.jpg", "aurora"))):
        cells = figure.data[1]
        assert len(cells.customdata) == figure.data[0].z.size
        assert tuple(cells.customdata[0]) == first
        assert (cells.x[1], cells.y[1]) == (1, 0)


def test_differences_to_a_team_are_written_with_their_sign():
    table = ClassValues(*[np.array([[0.0, -0.25]])] * 2, ["MEL"], ["a", "b"], [20], "F1")
    figure = figures.class_heat(table, LIGHT, differences=True)
    assert [note.text for note in figure.layout.annotations] == ["−.25"]


def test_what_is_entirely_wrong_has_a_cross_and_what_is_between_a_number():
    figure = case_heat(["a", "b", "c", "d"], ["c1"], np.array([[0, 0.4, 1, np.nan]]), LIGHT)
    assert [(note.x, note.text) for note in figure.layout.annotations] == [(0, "×"), (1, ".40"), (2, "1.00")]
    decided = case_heat(["a", "b"], ["c1"], np.array([[0, 1]]), LIGHT)
    assert [(note.x, note.text) for note in decided.layout.annotations] == [(0, "×")]
    shares = np.array(figure.data[0].z)[0]
    assert shares[0] > shares[1] > shares[2]
    assert np.isnan(shares[3])


def test_the_front_is_what_no_smaller_model_reaches():
    teams = [
        Sized("small", 5, 60, None),
        Sized("worse", 20, 55, None),
        Sized("better", 40, 80, [70, 90]),
        Sized("equal", 90, 80, None),
    ]
    marks = size_scatter(teams, "points", 2, LIGHT).data[1]
    assert dict(zip(marks.x, (colour == LIGHT.accent for colour in marks.marker.color), strict=True)) == {
        5: True,
        20: False,
        40: True,
        90: False,
    }


def test_the_map_says_how_much_of_it_each_team_has():
    first = np.array([[1, 0], [1, 0], [0.5, 0.5]])
    firsts = FirstPlaces("abc", WEIGHTS, first, ["aurora", "borealis"], (0.25, 0.35, 0.4))
    figure = weight_map("Who wins?", firsts, LIGHT)
    assert [trace.name for trace in figure.data] == [
        "aurora: first on 67% of the map",
        "several: first on 33% of the map",
        "official weights 0.25 0.35 0.40",
    ]
    assert (figure.data[-1].a[0], figure.data[-1].b[0], figure.data[-1].c[0]) == (0.25, 0.35, 0.4)


def test_groups_beside_each_other_have_one_axis():
    rows = [IntervalRow("a", 0.5, [0.4, 0.6])]
    axes = [
        figures.group_intervals(
            [replace(row, value=0.5) for row in rows], LIGHT, "Where?", "x", [0.1, 0.9]
        ).layout.xaxis.range
        for _ in range(2)
    ]
    assert axes[0] == axes[1]
    assert axes[0][0] < 0.1 < 0.9 < axes[0][1]


@pytest.mark.parametrize(
    "days", [("09-01", "09-02", "09-03", "10-15"), ("09-01", "10-14", "10-15"), ("09-01",)]
)
def test_days_on_the_axis_of_time_do_not_cover_each_other(days):
    sent = [DatedScore(f"2026-{day}T12:00:00+00:00", 1.0, None, True) for day in days]
    axis = over_time([("a", sent)], LIGHT, "Do the teams' scores improve?", "points", 1).layout.xaxis
    letters, phone = 7, 290  # pixels
    places = [(value - axis.range[0]) / (axis.range[1] - axis.range[0]) * phone for value in axis.tickvals]
    halves = [len(text) * letters / 2 for text in axis.ticktext]
    ends = [(x - half, x + half) for x, half in zip(places, halves, strict=True)]
    assert axis.ticktext[0] == "1 Sep"
    assert all(before[1] < after[0] for before, after in pairwise(ends))
