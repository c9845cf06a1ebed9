"""Figures of a threshold on one score: what they draw is what the challenge says."""

from functools import cache
from html import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.melanoma.threshold import at_threshold, histogram, net_benefit, thresholds
from scoring.challenges.melanoma.threshold_views import MELANOMA, QUANTITIES, curves
from scoring.challenges.melanoma.views import classes
from scoring.core.views import Figure
from scoring.presentation.figures import thresholds as figures
from scoring.presentation.figures.theme import LIGHT
from scoring.presentation.figures.thresholds import Mark, cut
from tests.support.blocks import walk
from tests.support.figures import HOSTILE, trace, words
from tests.support.risk_tables import card

MARKS = (
    Mark(0.5, "official 0.5", "circle"),
    Mark(0.3, "your threshold", "diamond", main=True),
    Mark(0.27, HOSTILE, "star"),
)


@cache
def scored_card():
    dice = np.random.default_rng(0)
    positive = dice.random(80) < 0.3
    return card(
        positive.tolist(), np.clip(dice.normal(0.3 + 0.3 * positive, 0.2), 0, 1).tolist(), resamples=40
    )


@pytest.fixture
def scored():
    return scored_card()


@pytest.fixture
def curve(scored):
    return thresholds(scored, None, [mark.threshold for mark in MARKS])


def every(theme):
    scored = scored_card()
    drawn, curve = histogram(scored), thresholds(scored, None, [mark.threshold for mark in MARKS])
    yield figures.threshold_lines(curve, QUANTITIES, MARKS, theme, "score")
    yield figures.histogram(drawn["edges"], drawn["negative"], drawn["positive"], MARKS, theme, MELANOMA)
    yield from (figure.build(theme) for figure in curves(scored, curve, MARKS))
    yield figures.net_benefit(net_benefit(scored, np.linspace(0, 0.6, 31)), theme, MELANOMA, MARKS[:1])
    yield figures.score_bar(0.31, MARKS[:1], (0, 1), theme, True)
    yield figures.score_bar(None, MARKS[:1], (-3, 4), theme, False)


@pytest.mark.parametrize("key", QUANTITIES)
def test_lines_are_the_thresholds_of_the_challenge(curve, key):
    line = trace(figures.threshold_lines(curve, QUANTITIES, MARKS, LIGHT, "score"), QUANTITIES[key])
    assert list(line.x) == sorted(curve["threshold"])
    assert dict(zip(line.x, line.y, strict=True)) == dict(zip(curve["threshold"], curve[key], strict=True))


def test_marks_stand_where_their_decisions_are(scored, curve):
    _, roc, precision = (figure.build(LIGHT) for figure in curves(scored, curve, MARKS))
    for mark, name in zip(
        MARKS, ("official 0.5", "your threshold", escape(HOSTILE, quote=False)), strict=True
    ):
        reached = at_threshold(scored, mark.threshold)
        assert (trace(roc, name).x[0], trace(roc, name).y[0]) == pytest.approx(
            (1 - reached["specificity"][0], reached["recall"][0])
        )
        assert (trace(precision, name).x[0], trace(precision, name).y[0]) == pytest.approx(
            (reached["recall"][0], reached["precision"][0])
        )


def test_the_histogram_shows_shares_of_each_class(scored):
    drawn = histogram(scored)
    figure = figures.histogram(drawn["edges"], drawn["negative"], drawn["positive"], MARKS, LIGHT, MELANOMA)
    assert sum(trace(figure, "melanoma").y) == pytest.approx(1)
    assert sum(trace(figure, "other").y) == pytest.approx(-1)
    assert words(figure)[-1].count("n = ") == 2
    low, high = figure.layout.yaxis.range
    assert low <= min(trace(figure, "other").y)
    assert high >= max(trace(figure, "melanoma").y)


def test_no_melanoma_at_all_is_drawn():
    figure = figures.histogram(
        np.linspace(0, 1, 5), np.array([3, 0, 0, 1]), np.zeros(4, int), (), LIGHT, MELANOMA
    )
    assert "melanoma, n = 0" in words(figure)[-1]


def test_missed_melanomas_are_the_outlined_cell(scored):
    (quiet, alarms), (missed, found) = scored.confusion_matrix["counts"]
    figure = next(b for b in walk(classes(scored)) if isinstance(b, Figure)).build(LIGHT)
    assert [int(text.split("<b>")[1].split("<")[0]) for text in words(figure)] == [
        found,
        missed,
        alarms,
        quiet,
    ]
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.53, 1.47, -0.47, 0.47)


def test_the_prevalence_is_the_base_line_of_precision(scored, curve):
    prevalence = scored.per_class["positive"]["support"] / scored.n_cases
    assert set(trace(curves(scored, curve, ())[2].build(LIGHT), "prevalence").y) == {prevalence}


def test_a_case_without_a_score_has_no_dot():
    assert [t.name for t in figures.score_bar(None, MARKS[:1], (0, 1), LIGHT, True).data] == [
        "range",
        "official 0.5",
    ]


@given(st.floats(-1e3, 1e3))
def test_a_threshold_in_words_keeps_three_digits(threshold):
    said, size = float(cut(threshold).replace("−", "-")), abs(threshold)
    assert abs(said - threshold) <= (0.0005000001 if size >= 0.01 else 0.005 * size)
