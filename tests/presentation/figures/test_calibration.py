import numpy as np

from scoring.presentation.figures.calibration import reliability
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import THEMES, trace


@THEMES
def test_reliability_shows_the_bins_and_their_counts(card, theme):
    predicted, observed, low, high, n = (
        card.arrays[f"reliability_{k}"] for k in ("predicted", "observed", "low", "high", "n")
    )
    figure = reliability(predicted, observed, low, high, n, theme)
    np.testing.assert_array_equal(trace(figure, "bins").x, predicted)
    np.testing.assert_array_equal(trace(figure, "bins").y, observed)
    np.testing.assert_allclose(trace(figure, "bins").y + trace(figure, "bins").error_y.array, high)
    assert list(trace(figure, "n").text) == [str(int(k)) if k else "" for k in n]
    assert sum(n) == card.n_cases


def test_reliability_without_any_case_is_an_empty_figure():
    nothing = np.full(10, np.nan)
    figure = reliability(nothing, nothing, nothing, nothing, np.zeros(10), LIGHT)
    assert list(trace(figure, "n").text) == [""] * 10
