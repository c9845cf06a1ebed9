import numpy as np
import pytest

from scoring.presentation.figures import detection as figures
from scoring.presentation.figures.detection import Dependence, Reach
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import HOSTILE, trace

CLASSES = ("tumor", "plasma_cells", "epithelium")
F1 = np.array([[0.5, np.nan, 1.0], [0.0, 0.25, np.nan]])
LABELS = figures.AxisLabels("Is the share right?", "truth", "predicted")
ROWS = [
    Reach("Macro F1", 0.4, (0.3, 0.5), 0.8, chosen=True),
    Reach("Micro F1", 0.7, None, marks=[("between observers", 0.8), ("one observer twice", 0.86)]),
    Reach("Detection F1", None, (None, None)),
]


def every(theme, name=HOSTILE):
    share, within = np.array([0.1, np.nan]), np.array([0.0, 30, 60])
    return (
        figures.reach([Reach(name, 0.4, (0.3, 0.5), 0.8)], theme),
        figures.class_heat(F1, CLASSES, [name, "roi_2"], theme),
        figures.densities(CLASSES, np.array([1200.0, 0, 3]), np.array([900.0, 0.4, 0]), theme),
        figures.shares([name, "roi_2"], share, share, LABELS, theme),
        figures.distances(within, np.array([0.1, 0.5, 1]), None, (20, 50), LABELS, theme),
        figures.along(
            Dependence(within, within / 60, 15, 25, 0.4, 0.8),
            "How does the score change with the radius?",
            "radius, px",
            theme,
        ),
    )


def test_a_score_stands_over_what_it_can_reach_beside_its_observers():
    figure = figures.reach(ROWS, LIGHT)
    assert list(trace(figure, "within reach").x) == [0.8, 1.0, 1.0]
    assert (trace(figure, "Macro F1").x, trace(figure, "Macro F1").y) == ((0.4,), (0,))
    assert trace(figure, "interval").x == (0.3, 0.5)
    marks = [t for t in figure.data if t.name in ("between observers", "one observer twice")]
    assert [(t.x[0], round(t.y[0] + t.y[1])) for t in marks] == [(0.8, 2), (0.86, 2)]
    assert "Detection F1" not in [t.name for t in figure.data]
    assert figure.layout.yaxis.ticktext == ("<b>Macro F1</b>", "Micro F1", "Detection F1")
    assert "best possible 0.800" in trace(figure, "Macro F1").hovertext


def test_every_cell_of_the_heat_map_opens_its_image():
    figure = figures.class_heat(F1, CLASSES, ["roi_1", HOSTILE], LIGHT)
    cells = trace(figure, "cells")
    assert [(y, x, *data) for x, y, data in zip(cells.x, cells.y, cells.customdata, strict=True)] == [
        (i, k, name) for i, name in enumerate(("roi_1", HOSTILE)) for k in range(3)
    ]
    assert cells.hovertext[1] == "roi_1<br>plasma cells: in neither truth nor prediction"
    assert cells.hovertext[4].endswith("plasma cells: F1 0.250")
    assert sorted(a.text for a in figure.layout.annotations) == [".00", ".25", ".50", "1.00"]


def test_long_names_keep_their_end():
    ticks = figures.class_heat(
        F1, CLASSES, ["training_set_metastatic_roi_027", "roi_2"], LIGHT
    ).layout.yaxis.ticktext
    assert ticks[0].startswith("…")
    assert ticks[0].endswith("metastatic_roi_027")
    assert len(ticks[0]) == figures.NAME


def test_none_has_a_place_of_its_own_on_the_log_axis():
    figure = figures.densities(CLASSES, np.array([1200.0, 0, 3]), np.array([900.0, 0.4, 0]), LIGHT)
    assert trace(figure, "truth").x == pytest.approx([np.log10(1200), -0.5, np.log10(3)])
    assert trace(figure, "predicted").x == pytest.approx([np.log10(900), 0, -0.5])
    assert figure.layout.xaxis.ticktext[0] == "none"


def test_an_image_without_nuclei_has_no_share():
    figure = figures.shares(
        ["a", "b", "c"], np.array([0.1, np.nan, 0.3]), np.array([0.2, 0.1, np.nan]), LABELS, LIGHT
    )
    dots = trace(figure, "images")
    assert (list(dots.x), list(dots.y), [list(d) for d in dots.customdata]) == ([0.1], [0.2], [["a"]])


def test_curves_without_a_lymphocyte_are_left_out():
    within = np.array([0.0, 30, 60])
    assert [t.name for t in figures.distances(within, None, None, (20,), LABELS, LIGHT).data] == []
    alone = figures.distances(within, None, within / 60, (20,), LABELS, LIGHT)
    assert [t.name for t in alone.data] == ["predicted"]


def test_the_slider_stands_on_its_curve():
    x = np.array([1.0, 15, 30])
    slider = Dependence(x, np.array([0.1, 0.4, 0.5]), 15.0, 30.0, 0.5)
    figure = figures.along(slider, "What?", "radius", LIGHT)
    assert (trace(figure, "chosen").x, trace(figure, "chosen").y) == ((30.0,), (0.5,))
    assert list(figure.layout.xaxis.range) == [1, 30]
    point = Dependence(np.array([0.0]), np.array([0.4]), 0.0, 0.0, 0.4)
    alone = figures.along(point, "What?", "confidence", LIGHT)
    assert alone.layout.xaxis.range[0] < alone.layout.xaxis.range[1]
