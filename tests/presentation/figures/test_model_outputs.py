import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.presentation.figures.model_outputs import Sweep, output_bars, setting_dots, spread, sweep_lines
from scoring.presentation.figures.theme import DARK, LIGHT
from tests.support.figures import THEMES, risks, trace, words


@THEMES
def test_output_bars_are_the_raw_outputs_largest_on_top(card, theme):
    case = card.cases[0]
    figure = output_bars(case["outputs"], card.confusion_matrix["labels"], theme, risks(card), case["truth"])
    assert list(trace(figure, "output").x) == sorted(case["outputs"])
    assert [text for text in words(figure) if "truth" in text] == [f"{case['truth_score']:.3f} <b>truth</b>"]


def test_softmax_is_called_what_it_is(card):
    figure = output_bars([-2.0, 0.0, 3.0], ["a", "b", "c"], LIGHT, normalised=True)
    powers = [np.exp(v) for v in (-2.0, 0.0, 3.0)]
    assert list(trace(figure, "output").x) == pytest.approx([power / sum(powers) for power in powers])
    assert "not used for the score" in figure.layout.xaxis.title.text


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_labels_keep_their_order_their_distance_and_their_room(values):
    placed = spread(values, 0.2, 0.0, 1.0)
    order = np.argsort(values, kind="stable")
    assert all(np.diff(np.array(placed)[order]) >= 0.2 - 1e-9)
    assert max(placed) <= 1 + 1e-9
    assert min(placed) >= -1e-9


def test_sweeps_draw_every_class_and_name_four():
    outputs = np.linspace(0, 1, 33).reshape(3, 11)
    names = [f"c{k}" for k in range(11)]
    sweep = Sweep([20, 50, 80], outputs, names, 50)
    figure = sweep_lines(sweep, LIGHT, "What would another age change?", "age in years")
    assert {t.name: list(t.y) for t in figure.data} == {
        name: list(outputs[:, k]) for k, name in enumerate(names)
    }
    assert len(words(figure)) == 4
    assert [shape.x0 for shape in figure.layout.shapes] == [50]
    named = [t.marker.color for t in figure.data if t.line.width == 2]
    assert len(set(named)) == 4


def test_long_names_of_classes_stand_in_lines_that_do_not_run_into_each_other():
    names = [f"Other malignant proliferations including collisions/{k}" for k in range(4)]
    sweep = Sweep(["male", "female"], np.full((2, 4), 0.25), names)
    for figure in (
        setting_dots(sweep, LIGHT, "What?"),
        sweep_lines(replace(sweep, settings=[1, 2]), LIGHT, "What?", "x"),
    ):
        lines = [re.sub("<[^>]*>", "", line) for text in words(figure) for line in text.split("<br>")]
        assert len(lines) > 8
        assert max(map(len, lines)) <= 20


def test_settings_are_rows_and_the_cases_own_is_bold():
    sweep = Sweep(["male", "female"], np.array([[0.1, 0.9], [0.3, 0.7]]), ["a", "b"], "female")
    figure = setting_dots(sweep, DARK, "What?")
    assert list(figure.layout.yaxis.ticktext) == ["male", "<b>female</b>"]
    assert {t.name: list(t.x) for t in figure.data} == {"a": [0.1, 0.3], "b": [0.9, 0.7]}


def test_constant_outputs_can_be_drawn():
    assert len(sweep_lines(Sweep([1, 2], np.zeros((2, 3)), "abc"), LIGHT, "What?", "x").data) == 3
    assert len(setting_dots(Sweep(["m", "f"], np.zeros((2, 3)), "abc"), LIGHT, "What?").data) == 3
    assert len(output_bars([0, 0], ["a", "b"], LIGHT).data) == 1
