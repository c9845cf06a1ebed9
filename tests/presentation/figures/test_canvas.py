from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import THEMES


@THEMES
def test_a_figure_keeps_its_question_and_cannot_be_dragged(theme):
    figure = Canvas(theme, "Who wins?", 200).figure()
    layout, template = figure.layout, figure.layout.template.layout
    assert (layout.meta["question"], layout.height, layout.title.text) == ("Who wins?", 200, None)
    assert (template.dragmode, template.xaxis.fixedrange, template.yaxis.fixedrange) == (False, True, True)
    assert template.colorway == theme.categorical


def test_figures_of_one_theme_share_nothing_that_can_be_changed():
    first, second = (Canvas(LIGHT, "Who wins?", 200).figure() for _ in range(2))
    first.layout.template.layout.font.size = 99
    assert second.layout.template.layout.font.size == 12


def test_what_is_none_is_left_out():
    canvas = Canvas(LIGHT, "Who wins?", 200)
    canvas.trace("bar", x=[1], y=[2], text=None)
    canvas.write(1, 2, "word", LIGHT.ink, bgcolor=None)
    assert "text" not in canvas.figure().data[0].to_plotly_json()
    assert "bgcolor" not in canvas.figure().layout.annotations[0].to_plotly_json()


def test_lines_go_from_side_to_side():
    canvas = Canvas(LIGHT, "Who wins?", 200)
    canvas.rule(3, LIGHT.ink)
    canvas.level(4, LIGHT.ink, 2, "dot")
    upright, level = canvas.figure().layout.shapes
    assert (upright.x0, upright.x1, upright.yref, upright.line.dash) == (3, 3, "y domain", None)
    assert (level.y0, level.y1, level.xref, level.line.dash) == (4, 4, "x domain", "dot")


def test_properties_of_an_axis_add_up():
    canvas = Canvas(LIGHT, "Who wins?", 200)
    canvas.x_axis("points", range=[0, 1])
    canvas.x_axis(range=[0, 2], nticks=3)
    axis = canvas.figure().layout.xaxis
    assert (axis.title.text, axis.range, axis.nticks) == ("points", (0, 2), 3)
