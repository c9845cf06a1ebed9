"""ROC and precision-recall curves: what they draw is what they were given."""

import numpy as np
import pytest

from scoring.presentation.figures.curves import (
    Curve,
    CurvePoint,
    class_panel,
    precision_recall_figure,
    roc_figure,
)
from scoring.presentation.figures.theme import DARK, LIGHT
from scoring.presentation.figures.thresholds import Mark
from tests.support.figures import HOSTILE, THEMES, trace

NOWHERE = np.full(3, np.nan)


def named_curve(name="MEL", legend="0.9", has_point=True):
    points = [CurvePoint(Mark(0.5, "at 0.5", "circle"), 0.1, 0.8)] if has_point else ()
    x, y, thresholds = np.array([[0, 0.1, 1, np.nan], [0, 0.8, 1, np.nan], [1, 0.5, 0, np.nan]])
    return Curve(name, x, y, thresholds, legend, points=points)


def in_legend(figure):
    return [drawn for drawn in figure.data if drawn.showlegend is not False]


def test_curves_are_drawn_as_given_with_band_and_reference(card):
    grid, k = card.arrays["roc_grid"], 7
    band = grid, card.arrays["roc_low"][k], card.arrays["roc_high"][k]
    curve = Curve("MEL", grid, card.arrays["roc_sensitivity"][k], risk="malignant", band=band)
    figure = class_panel(curve, LIGHT)
    assert list(trace(figure, "sensitivity").y) == list(card.arrays["roc_sensitivity"][k])
    assert list(trace(figure, "chance").y) == [0, 1]
    assert list(trace(figure, "95% band").y) == [*band[2], *band[1][::-1]]
    guessing = trace(class_panel(Curve("MEL", grid, grid), DARK, 0.13), "prevalence")
    assert list(guessing.y) == [0.13, 0.13]


def test_a_band_leaves_out_what_is_undefined():
    grid = np.array([0.0, 0.5, 1.0])
    band = (grid, np.array([np.nan, 0.2, 0.5]), np.array([0.1, 0.6, 1.0]))
    figure = class_panel(Curve("MEL", grid, grid, band=band), LIGHT)
    assert list(trace(figure, "95% band").x) == [0.5, 1.0, 1.0, 0.5]


@pytest.mark.parametrize("draw", [roc_figure, precision_recall_figure])
def test_a_curve_and_its_points_hide_together_and_nothing_undefined_is_drawn(draw):
    curves = [
        named_curve(),
        Curve("NV", NOWHERE, NOWHERE, NOWHERE, "–"),
        named_curve("BCC", has_point=False),
    ]
    figure = draw(curves, LIGHT, "How well?")
    assert [drawn.name for drawn in in_legend(figure)] == ["MEL  0.9", "BCC  0.9"]
    of_first = [drawn for drawn in figure.data if drawn.legendgroup == "0"]
    assert [list(drawn.x) for drawn in of_first] == [[0, 0.1, 1], [0.1]]
    assert not [drawn for drawn in figure.data if drawn.legendgroup == "1"]


def test_the_axes_keep_their_height_whatever_stands_in_the_legend():
    few, many = (roc_figure([named_curve(f"C{k}") for k in range(n)], LIGHT, "How?") for n in (2, 11))
    assert few.layout.height - few.layout.margin.b == many.layout.height - many.layout.margin.b


def test_eleven_categories_are_told_apart():
    figure = roc_figure([named_curve(f"C{k}") for k in range(11)], LIGHT, "How?")
    assert len({(drawn.line.color, drawn.line.dash) for drawn in in_legend(figure)}) == 11


@THEMES
def test_names_are_text_and_a_level_is_drawn(theme):
    figure = roc_figure([named_curve(HOSTILE + "x" * 300)], theme, "How well?", level=0.8)
    assert "<a" not in figure.to_json().replace("\\u003c", "<")
    assert figure.layout.shapes[0].y0 == 0.8
    assert max(len(drawn.name) for drawn in figure.data) < 60


def test_a_name_is_no_template():
    (drawn,) = in_legend(roc_figure([named_curve("%{x}", has_point=False)], LIGHT, "How well?"))
    assert drawn.hovertemplate.startswith("<b>% {x}</b><br>threshold %{customdata:.3f}<br>")
