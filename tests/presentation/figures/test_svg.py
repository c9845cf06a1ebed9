"""Figures as SVG: every figure of a classifier is drawn, the same bytes each time, and names stay text."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.theme import LIGHT
from scoring.presentation.svg.axes import written
from scoring.presentation.svg.bars import density
from scoring.presentation.svg.curves_and_points import polyline
from scoring.presentation.svg.draw_figure import svg
from scoring.presentation.svg.text import words
from tests.presentation.figures.test_every_figure import every_figure

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</svg><script>alert(1)</script><b onclick='x'>&\x00"


def drawn(figure, width=680):
    return ElementTree.fromstring(svg(figure, width, alone=True))


def bars(**marker):
    canvas = Canvas(LIGHT, "Who <wins>?", 100, margin={"l": 0, "r": 0, "t": 0, "b": 0}, bargap=0)
    canvas.trace("bar", x=[10, 20], y=[0, 1], orientation="h", marker={"color": "#ff0000", **marker})
    canvas.x_axis(range=[0, 40], visible=False)
    canvas.y_axis(range=[-0.5, 1.5], visible=False)
    return canvas.figure()


def boxes(root):
    return [
        [float(entry.get(name)) for name in ("x", "y", "width", "height")]
        for entry in root.iter(f"{SVG}rect")
        if entry.get("fill") == "#ff0000"
    ]


def test_every_figure_of_a_card_is_drawn_with_its_question(card):
    for figure in every_figure(card, LIGHT):
        root = drawn(figure)
        assert root.get("aria-label") == figure.layout.meta["question"]
        assert root.get("viewBox") == f"0 0 680 {figure.layout.height:g}"
        assert sum(1 for _ in root.iter()) > 10
        assert not re.search(r"\bnan\b", svg(figure))


def test_the_same_figure_gives_the_same_bytes():
    assert svg(bars()) == svg(bars())


def test_a_file_of_its_own_stands_on_white_or_on_nothing():
    assert 'fill="#ffffff"' in svg(bars(), alone=True)
    assert 'fill="#ffffff"' not in svg(bars(), alone=True, ground="")


def test_bars_stand_where_their_numbers_are():
    assert boxes(drawn(bars(), 400)) == [[0, 50, 100, 50], [0, 0, 200, 50]]


def test_what_is_stacked_starts_where_the_one_before_ends():
    canvas = Canvas(LIGHT, "Who?", 100, barmode="stack", margin={"l": 0, "r": 0, "t": 0, "b": 0})
    for size in (10, 30):
        canvas.trace("bar", x=[size], y=[0], orientation="h", width=1, marker={"color": "#ff0000"})
    canvas.x_axis(range=[0, 40], visible=False)
    canvas.y_axis(range=[-0.5, 0.5], visible=False)
    assert boxes(drawn(canvas.figure(), 400)) == [[0, 0, 100, 100], [100, 0, 300, 100]]


def test_names_of_strangers_are_text():
    canvas = Canvas(LIGHT, HOSTILE.replace("\x00", ""), 200)
    canvas.legend_above()
    canvas.trace("scatter", x=[1, 2], y=[HOSTILE, "b"], mode="lines+markers", name=HOSTILE)
    canvas.write(1, "b", HOSTILE, LIGHT.ink)
    root = drawn(canvas.figure())
    assert {entry.tag.removeprefix(SVG) for entry in root.iter()} <= {
        "svg", "rect", "clipPath", "g", "path", "text", "tspan",
    }  # fmt: skip
    assert not any(name.startswith("on") for entry in root.iter() for name in entry.attrib)


def test_figures_of_one_page_share_no_name():
    first, second = (svg(bars(pattern={"shape": "/"}), prefix=prefix) for prefix in ("f1", "f2"))
    assert 'id="f1area"' in first
    assert 'id="f2area"' in second
    assert "f1" not in second


def test_a_heat_map_leaves_blank_what_is_undefined():
    canvas = Canvas(LIGHT, "Who?", 200)
    scale = [[0, "#000000"], [1, "#ffffff"]]
    canvas.trace("heatmap", z=np.array([[0, np.nan], [1, 1]]), zmin=0, zmax=1, colorscale=scale)
    fills = [p.get("fill") for p in drawn(canvas.figure()).iter(f"{SVG}path")]
    assert [fills.count(colour) for colour in ("#000000", "#ffffff")] == [1, 1]


@pytest.mark.parametrize(
    ("value", "form", "step", "text"),
    [
        (0.5, ".0%", 0.1, "50%"), (1234.0, ",d", 1, "1,234"), (0.25, ".3~f", 0.05, "0.25"),
        (-0.5, ".2f", 0.5, "−0.50"), (0.2, "", 0.2, "0.2"), (1.0, "", 0.2, "1"), (-0.0, "", 1, "0"),
    ],
)  # fmt: skip
def test_ticks_are_written_as_d3_does(value, form, step, text):
    assert written(value, form, step) == text


def test_points_on_the_way_are_left_out_of_a_line():
    places = np.array([[0, 0], [1, 0], [2, 0], [2, 5], [np.nan, 0], [3, 3], [3, 3], [4, 4]], float)
    assert polyline(places) == "M0,0L2,0L2,5M3,3L4,4"


def test_a_label_keeps_lines_bold_colour_and_size_and_nothing_else():
    (first,), (second, third) = words(
        "a<br><b>b</b><span style='color:#ff0000;font-size:15px'>c</span>"
    ).lines
    assert (first.text, second.bold, third.colour, third.size) == ("a", True, "#ff0000", 15)
    assert words("<i>x</i>&lt;b&gt;").lines[0][0].text == "x"


def test_a_density_is_that_of_plain_kernels():
    values = np.array([0.1, 0.2, 0.2, 0.7])
    spread = min(values.std(ddof=1), (np.quantile(values, 0.75) - np.quantile(values, 0.25)) / 1.349)
    width = 1.059 * spread * 4**-0.2
    plain = [np.mean([np.exp(-0.5 * ((x - v) / width) ** 2) for v in values]) for x in (0.0, 0.5)]
    np.testing.assert_allclose(density(values, np.array([0.0, 0.5])), plain)
