import numpy as np

from scoring.presentation.figures.curves import ClassCurve, precision_recall_panel, roc_panel
from scoring.presentation.figures.theme import DARK, LIGHT
from tests.support.figures import trace


def test_curves_are_drawn_as_given_with_band_and_reference(card):
    grid, k = card.arrays["roc_grid"], 7
    band = grid, card.arrays["roc_low"][k], card.arrays["roc_high"][k]
    curve = ClassCurve("MEL", grid, card.arrays["roc_sensitivity"][k], "malignant", band)
    figure = roc_panel(curve, LIGHT)
    assert list(trace(figure, "sensitivity").y) == list(card.arrays["roc_sensitivity"][k])
    assert list(trace(figure, "chance").y) == [0, 1]
    assert list(trace(figure, "95% band").y) == [*band[2], *band[1][::-1]]
    guessing = trace(precision_recall_panel(ClassCurve("MEL", grid, grid), 0.13, DARK), "guessing")
    assert list(guessing.y) == [0.13, 0.13]


def test_a_band_leaves_out_what_is_undefined():
    grid = np.array([0.0, 0.5, 1.0])
    band = (grid, np.array([np.nan, 0.2, 0.5]), np.array([0.1, 0.6, 1.0]))
    figure = roc_panel(ClassCurve("MEL", grid, grid, None, band), LIGHT)
    assert list(trace(figure, "95% band").x) == [0.5, 1.0, 1.0, 0.5]
