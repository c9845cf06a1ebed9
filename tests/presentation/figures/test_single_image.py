import base64
import io
import json

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

from scoring.presentation.figures import single_image
from scoring.presentation.figures.single_image import ImageScores, Saliency
from scoring.presentation.figures.theme import DARK, LIGHT, channels
from tests.support.figures import THEMES

CLASSES, RISK = ("MEL", "BKL", "NV", "BCC"), ("malignant", "medium", "benign", "malignant")
SCORES = np.array([0.5, 0.1, 0.15, 0.25])


def test_classes_stand_by_risk_and_in_each_group_the_highest_first():
    figure = single_image.ranked(ImageScores(CLASSES, RISK, SCORES), LIGHT)
    order = np.argsort(figure.data[0].y)
    assert [figure.data[0].x[i] for i in order] == [0.5, 0.25, 0.1, 0.15]
    assert [tick.replace("<b>", "").split("<")[0].strip() for tick in figure.layout.yaxis.ticktext] == [
        *("malignant", "MEL", "BCC", "medium", "BKL", "benign", "NV"),
    ]
    said = [note.text for note in figure.layout.annotations]
    assert {"0.750", "<b>0.500</b>"} <= set(said)


def test_the_range_of_the_turned_image_is_a_whisker():
    low, high = SCORES - 0.05, SCORES + 0.02
    figure = single_image.ranked(ImageScores(CLASSES, RISK, SCORES, (low, high)), DARK)
    assert figure.data[0].error_x.array == pytest.approx([0.02] * 4)
    assert figure.data[0].error_x.arrayminus == pytest.approx([0.05] * 4)
    assert len(figure.data) == 1


def test_long_names_stand_in_full_in_lines():
    name = "Other malignant proliferations including collisions"
    figure = single_image.ranked(
        ImageScores((name, "Squamous/keratoacanthoma", "x"), ("",) * 3, SCORES[:3]), LIGHT
    )
    ticks = [tick for tick in figure.layout.yaxis.ticktext if "malignant" in tick]
    assert ticks[0].replace("<b>", "").replace("</b>", "").replace("<br>", " ") == name
    assert "Squamous/keratoacanthoma" in " ".join(figure.layout.yaxis.ticktext).replace("<br>", "")


def test_groups_of_one_class_need_no_sum():
    figure = single_image.ranked(
        ImageScores(("other", "melanoma"), ("benign", "malignant"), np.array([0.3, 0.7])), LIGHT
    )
    assert len(figure.layout.yaxis.ticktext) == 2
    assert "▲" in figure.layout.yaxis.ticktext[0]


def test_names_from_strangers_are_no_html():
    figure = single_image.ranked(ImageScores(("<b>x", "y"), ("", ""), np.array([0.4, 0.6])), LIGHT)
    assert "<b>x" not in figure.data[0].hovertext[1]
    assert any("&lt;b&gt;x" in tick for tick in figure.layout.yaxis.ticktext)


def test_cases_of_both_kinds_and_the_image_among_them():
    scores, positive = np.array([0.1, 0.4, 0.9]), np.array([False, True, True])
    figure = single_image.among(scores, positive, 0.3, 0.35, LIGHT)
    assert list(figure.data[0].x) == [0.4, 0.9]
    assert list(figure.data[1].x) == [0.1]
    assert list(figure.data[2].x) == [0.3]
    assert figure.layout.shapes[0].x0 == 0.35
    assert len(single_image.among(scores, positive, 0.3, None, LIGHT).layout.shapes) == 0


def test_reweighted_scores_stand_beside_those_before():
    after = np.array([0.1, 0.2, 0.6, 0.1])
    figure = single_image.reweighted(CLASSES, RISK, SCORES, after, LIGHT, most=2)
    assert [list(line.x) for line in figure.data] == [[0.15, 0.6], [0.5, 0.1]]


JPEG = single_image.preview(np.full((100, 200, 3), 90, np.uint8))


def a_map(values, cell=None):
    return Saliency("MEL", "Random halves hidden", values, 0.25, 0.05, JPEG, (200, 100), cell)


def test_a_map_lies_over_the_image_on_the_scale_of_all_maps():
    values = np.zeros((40, 80), np.float32)
    values[:20, 40:] = 0.3
    figure = single_image.saliency(a_map(values, (0, 1, 2)), LIGHT)
    heat = figure.data[0]
    assert (heat.zmin, heat.zmax) == (-0.25, 0.25)
    drawn = np.asarray(heat.z)
    assert drawn[: len(drawn) // 2, drawn.shape[1] // 2 :].min() == pytest.approx(0.3)
    assert drawn[len(drawn) // 2 :].max() == 0
    assert 0 < heat.x[0] < heat.x[-1] < 200
    box = figure.layout.shapes[-1]
    assert (box.x0, box.x1, box.y0, box.y1) == (100, 200, 0, 50)
    source = figure.layout.images[0].source
    assert Image.open(io.BytesIO(base64.b64decode(source.split(",")[1]))).size == (200, 100)


def test_a_fall_and_a_rise_are_said_in_words():
    values = np.zeros((40, 80), np.float32)
    values[:20], values[20:] = 0.3, -0.11
    hover = single_image.saliency(a_map(values), LIGHT).data[0].hovertext
    assert hover[0][0] == "hiding here lowers the score by 0.300"
    assert hover[-1][0] == "hiding here raises the score by 0.110"
    assert "-" not in hover[-1][0]
    assert (
        single_image.saliency(a_map(0 * values), LIGHT)
        .data[0]
        .hovertext[0][0]
        .endswith("does not change the score")
    )


def opacities(figure) -> list[float]:
    return [float(colour.rsplit(",", 1)[1].strip(") ")) for _, colour in figure.data[0].colorscale]


def test_changes_below_the_floor_are_clear_and_the_lesion_stays_visible():
    figure = single_image.saliency(a_map(np.zeros((8, 8))), DARK)
    stops = [place for place, _ in figure.data[0].colorscale]
    assert stops == pytest.approx([0, 0.4, 0.4, 0.6, 0.6, 1])
    assert opacities(figure)[2:4] == [0, 0]
    assert max(opacities(figure)) == 0.5
    assert max(opacities(single_image.saliency(a_map(np.zeros((8, 8))), DARK, 0.2))) == 0.2


@THEMES
def test_the_legend_has_the_colours_of_the_map_under_every_theme(theme):
    heat = single_image.saliency(a_map(np.ones((4, 4))), theme).data[0]
    assert heat.colorscale[-1][1].startswith(
        "rgba({:.0f},{:.0f},{:.0f},".format(*channels(LIGHT.risk["malignant"]))
    )
    assert heat.colorscale[0][1].startswith(
        "rgba({:.0f},{:.0f},{:.0f},".format(*channels(LIGHT.categorical[0]))
    )
    assert heat.showscale is not False
    assert list(heat.colorbar.ticktext) == [
        "raises by 0.25 or more",
        "less than 0.05",
        "lowers by 0.25 or more",
    ]


def test_a_preview_is_small_and_keeps_the_shape():
    assert Image.open(io.BytesIO(single_image.preview(np.zeros((300, 900, 3), np.uint8), 300))).size == (
        300,
        100,
    )


@pytest.mark.parametrize(("micrometres", "title"), [(0.0, "px"), (25.0, "mm")])
def test_a_frame_stands_on_the_picture_between_rulers(micrometres, title):
    drawn = single_image.frame(b"picture", (500, 400), (50, 80, 100, 120), micrometres, LIGHT)
    figure = go.Figure(json.loads(drawn.to_json()))
    assert figure.layout.xaxis.title.text == title
    outline = figure.layout.shapes[-1]
    assert (outline.x0, outline.x1, outline.y0, outline.y1) == (50, 150, 80, 200)
    if micrometres:  # 500 px of 25 um are 12.5 mm
        assert [str(mark) for mark in figure.layout.xaxis.ticktext] == ["0", "2", "4", "6", "8", "10", "12"]
        assert figure.layout.xaxis.tickvals[1] == 80
