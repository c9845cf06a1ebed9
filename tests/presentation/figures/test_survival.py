"""Figures of prognosis: what they draw is what they were given."""

import numpy as np

from scoring.presentation.figures import survival
from scoring.presentation.figures.survival import Event, Group
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import HOSTILE, words

MOMENTS = np.array([0.0, 365.0, 730.0])
LOW = Group(
    "low",
    3,
    1,
    np.array([100.0, 400, 800]),
    np.array([1, 0.5, 0.5]),
    np.array([3, 2, 1]),
    *np.array([[0, 1, 0], [1, 0, 1], [3, 2, 1]]),
)
NOBODY = Group("middle", 0, 0, *(np.zeros(0) for _ in range(5)), np.zeros(3, int))
HIGH = Group(HOSTILE, 1, 1, *(np.array([v]) for v in (50.0, 0.0, 1, 1, 0)), np.array([1, 0, 0]))
RELAPSE = Event("relapse", "relapsed")
PAIRS = {"concordant": 60, "tied": 5, "discordant": 25, "missing": 10}


def every(theme):
    yield survival.kaplan_meier([LOW, NOBODY, HIGH], MOMENTS, RELAPSE, theme)
    yield survival.pair_bar(PAIRS, theme)
    yield survival.pair_bar({}, theme)


def test_a_curve_begins_whole_and_has_a_step_for_every_time():
    figure = survival.kaplan_meier([LOW, NOBODY, HIGH], MOMENTS, RELAPSE, LIGHT)
    curves = [trace for trace in figure.data if trace.mode == "lines"]
    assert [trace.x.tolist() for trace in curves] == [[0, 100, 400, 800], [0, 50]]
    assert [trace.y.tolist() for trace in curves] == [[1, 1, 0.5, 0.5], [1, 0]]
    assert {trace.line.shape for trace in curves} == {"hv"}
    assert len({trace.line.dash for trace in curves}) == 2


def test_those_who_left_unobserved_have_a_tick():
    figure = survival.kaplan_meier([LOW, NOBODY, HIGH], MOMENTS, RELAPSE, LIGHT)
    ticks = [trace for trace in figure.data if trace.mode == "markers"]
    assert ticks[0].x.tolist() == [100, 800]
    assert ticks[0].y.tolist() == [1, 0.5]


def test_numbers_at_risk_stand_below_their_moment():
    figure = survival.kaplan_meier([LOW, NOBODY, HIGH], MOMENTS, RELAPSE, LIGHT)
    below = [
        (a.x, a.text, a.yshift) for a in figure.layout.annotations if a.yref == "paper" and a.text.isdigit()
    ]
    rows = {}
    for x, text, shift in below:
        rows.setdefault(shift, []).append((x, int(text)))
    assert list(rows.values()) == [[(0, 3), (365, 2), (730, 1)], [(0, 1), (365, 0), (730, 0)]]
    assert any("1 of 3 relapsed" in said for said in words(figure))


def test_the_bar_holds_every_pair_once():
    figure = survival.pair_bar(PAIRS, LIGHT)
    assert {trace.name: trace.x[0] for trace in figure.data} == PAIRS
    assert {trace.name for trace in figure.data if trace.marker.pattern.shape} == {"discordant", "missing"}
    assert "<b>60</b>" in words(figure)
    assert len(survival.pair_bar(PAIRS | {"tied": 0}, LIGHT).data) == 3
