import numpy as np
import pytest

from scoring import load_challenge
from scoring.presentation.figures import categories as figures
from scoring.presentation.figures.categories import Line
from scoring.presentation.figures.score_points import points_lost
from scoring.presentation.figures.theme import DARK, LIGHT
from tests.support import category_tables

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
HOSTILE = "<a href='https://example.org'>MEL</a>"
isic = load_challenge("isic")


def line(name="MEL", legend="0.9", point=(0.1, 0.8)):
    return Line(
        name,
        np.array([0, 0.1, 1, np.nan]),
        np.array([0, 0.8, 1, np.nan]),
        np.array([1, 0.5, 0, np.nan]),
        legend,
        point,
    )


def named(figure):
    return [trace for trace in figure.data if trace.showlegend is not False]


@THEMES
def test_every_figure_asks_its_question(theme):
    found = {"threshold": np.array([0, 1.0]), "f1": np.array([0.2, 0.4])}
    for figure in (
        figures.roc([line()], theme, 0.8),
        figures.precision_recall([line()], theme),
        figures.malignant_roc(np.array([0, 1]), np.array([0, 1]), np.array([1, 0]), theme, 0.8),
        figures.threshold_lines(found, {"f1": "F1"}, 0.3, theme, "MEL"),
    ):
        assert figure.layout.meta["question"].endswith("?")
        assert figure.layout.title.text is None


def test_a_line_and_its_cut_at_half_hide_together_and_nothing_undefined_is_drawn():
    figure = figures.roc(
        [
            line("MEL"),
            Line("NV", np.full(3, np.nan), np.full(3, np.nan), np.full(3, np.nan), "–"),
            line("BCC", point=None),
        ],
        LIGHT,
    )
    assert [trace.name for trace in named(figure)] == ["MEL  0.9", "BCC  0.9"]
    of_first = [trace for trace in figure.data if trace.legendgroup == "0"]
    assert [list(trace.x) for trace in of_first] == [[0, 0.1, 1], [0.1]]
    assert not [trace for trace in figure.data if trace.legendgroup == "1"]


def test_the_axes_keep_their_height_whatever_stands_in_the_legend():
    few, many = (figures.roc([line(f"C{k}") for k in range(n)], LIGHT) for n in (2, 11))
    assert few.layout.height - few.layout.margin.b == many.layout.height - many.layout.margin.b


def test_eleven_categories_are_told_apart():
    styles = [
        (trace.line.color, trace.line.dash)
        for trace in named(figures.roc([line(f"C{k}") for k in range(11)], LIGHT))
    ]
    assert len(set(styles)) == 11


@THEMES
def test_names_are_text_and_long_ones_are_cut(theme):
    name = HOSTILE + "x" * 300
    assert not [trace for trace in figures.roc([line(name)], theme).data if "<a" in trace.name]


def test_losses_of_categories_leave_out_those_that_are_in_no_mean():
    labels = ("MEL", "NV", "NV", "NV", "MEL", "MEL")
    truth = isic.read_truth(category_tables.truth(labels=labels), "truth.csv")
    card = isic.score(truth, isic.read_predictions(category_tables.predictions(), truth), resamples=0)
    figure = points_lost(card.per_class, LIGHT, ("recall", "recall"))
    assert len(figure.data[0].x) == 2
    assert sorted(figure.data[0].x) == pytest.approx([50, 50])
    assert len(figure.layout.xaxis.tickvals) <= 13
