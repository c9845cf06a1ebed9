"""Confusion matrices: what they draw is what was counted."""

import numpy as np
import pytest

from scoring.challenges.tricorder3.views import RISK_CONFUSION
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import THEMES, risks, words

PLAIN = MatrixStyle("Which?")
STAGES = MatrixStyle(
    "Which T stage?", unit="patients", is_counted=True, extra_column=("none", "no usable prediction")
)
NUCLEI = MatrixStyle(
    "Which nucleus?", extra_column=("missed", "missed"), extra_row=("spurious", "no truth nucleus")
)


@pytest.mark.parametrize("show", ["counts", "shares", "both"])
def test_confusion_matrix_shows_each_count_and_share_of_its_row(card, show):
    labels, counts = card.confusion_matrix["labels"], np.array(card.confusion_matrix["counts"])
    style = MatrixStyle("Which?", show, is_grouped=True)
    figure = confusion_matrix_figure(counts, labels, LIGHT, style, risks(card))
    order = sorted(range(11), key=lambda i: ("malignant", "medium", "benign").index(risks(card)[labels[i]]))
    cells = {(a.y, a.x): a.text for a in figure.layout.annotations}
    for i, j in np.ndindex(11, 11):
        n, row = counts[order[i], order[j]], counts[order[i]].sum()
        expected = {
            "counts": f"<b>{n}</b>",
            "shares": f"<b>{(200 * n + row) // (2 * row)}%</b>",
            "both": f"<b>{n}</b><br>{(200 * n + row) // (2 * row)}%",
        }[show]
        assert cells.get((i, j)) == (expected if n else None)
        assert figure.data[0].z[i][j] == pytest.approx(n / row)
    assert [text.split()[0] for text in figure.layout.yaxis.ticktext] == [labels[i] for i in order]


def test_confusion_matrix_without_risk_groups_keeps_the_order_and_draws_no_lines(card):
    matrix = card.confusion_matrix
    figure = confusion_matrix_figure(matrix["counts"], matrix["labels"], LIGHT, PLAIN)
    assert list(figure.layout.yaxis.ticktext) == list(card.confusion_matrix["labels"])
    assert len(figure.layout.shapes) == 0


def test_lines_part_the_risk_groups(card):
    style, matrix = MatrixStyle("Which?", is_grouped=True), card.confusion_matrix
    figure = confusion_matrix_figure(matrix["counts"], matrix["labels"], LIGHT, style, risks(card))
    assert sorted(shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1) == [3.5, 6.5]


@THEMES
def test_risk_matrix_outlines_malignant_called_benign(card, theme):
    groups = card.more["risk_matrix"]
    figure = confusion_matrix_figure(groups["counts"], groups["labels"], theme, RISK_CONFUSION)
    (frame,) = figure.layout.shapes
    assert ((frame.y0 + frame.y1) / 2, (frame.x0 + frame.x1) / 2) == (0, 2)
    assert any(text.startswith(f"<b>{groups['counts'][0][2]}</b>") for text in words(figure))


def test_a_row_without_cases_is_blank_and_no_error():
    figure = confusion_matrix_figure([[0, 0], [1, 3]], ["a", "b"], LIGHT, PLAIN)
    assert words(figure) == ["<b>1</b>", "<b>3</b>"]


def test_no_harm_is_said():
    figure = confusion_matrix_figure(
        5 * np.eye(3, dtype=int), ["malignant", "medium", "benign"], LIGHT, RISK_CONFUSION
    )
    assert [(a.y, a.x) for a in figure.layout.annotations if a.text.startswith("<b>0</b>")] == [(0, 2)]


@THEMES
def test_a_matrix_has_counts_shares_of_the_row_and_those_without_a_prediction(theme):
    figure = confusion_matrix_figure([[12, 4, 0], [0, 5, 3]], ("T1", "T2"), theme, STAGES)
    assert list(figure.layout.xaxis.ticktext) == ["T1", "T2", "none"]
    assert np.allclose(figure.data[0].z, [[0.75, 0.25, 0], [0, 5 / 8, 3 / 8]])
    cells = {(a.y, a.x): a.text for a in figure.layout.annotations}
    assert cells == {(0, 0): "<b>12</b>", (0, 1): "<b>4</b>", (1, 1): "<b>5</b>", (1, 2): "<b>3</b>"}
    assert figure.data[0].hovertext[1][2] == "truth T2<br>no usable prediction<br>3 patients, 38% of the row"
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (1.5, 1.5)


def test_rows_of_few_cases_have_a_star_and_an_empty_one_no_share():
    counts = [[15, 0, 0, 0], [0, 14, 0, 0], [0, 0, 0, 0]]
    figure = confusion_matrix_figure(counts, ("N0", "N1", "N2"), LIGHT, STAGES)
    rows = list(figure.layout.yaxis.ticktext)
    assert "15*" not in rows[0]
    assert "14*" in rows[1]
    assert not np.any(figure.data[0].z[2])


def test_the_matrix_names_what_is_missed_and_what_is_invented():
    counts = [[19_610, 3, 0, 12], [4, 25, 0, 0], [0, 0, 0, 7], [15, 0, 1, 0]]
    figure = confusion_matrix_figure(counts, ("tumor", "plasma cells", "epithelium"), LIGHT, NUCLEI)
    assert figure.layout.xaxis.ticktext[-1] == "missed"
    assert figure.layout.yaxis.ticktext[-1] == "spurious"
    hovers = figure.data[0].hovertext
    assert hovers[0][0] == "truth tumor<br>predicted tumor<br>19,610 cases, 100% of the row"
    assert hovers[0][3] == "truth tumor<br>missed<br>12 cases, 0% of the row"
    assert hovers[3][0] == "no truth nucleus<br>predicted tumor<br>15 cases, 94% of the row"
    assert sorted(words(figure)) == sorted(f"<b>{n}</b>" for n in ("20k", 3, 12, 4, 25, 7, 15, 1))


@pytest.mark.parametrize(("n", "text"), [(999, "999"), (9999, "9999"), (10_000, "10k"), (25_600, "26k")])
def test_large_counts_fit_their_cell(n, text):
    figure = confusion_matrix_figure([[n, 0], [0, 0]], ["a", "b"], LIGHT, PLAIN)
    assert words(figure) == [f"<b>{text}</b>"]


def test_every_cell_can_be_clicked_and_says_which_it_is():
    labels, style = ["MEL", "NV", "undecided"], MatrixStyle("Which?", is_clickable=True)
    counts = np.arange(9).reshape(3, 3)
    figure = confusion_matrix_figure(counts, labels, LIGHT, style)
    cells = next(trace for trace in figure.data if trace.name == "cells")
    for x, y, (truth, name), hover in zip(cells.x, cells.y, cells.customdata, cells.hovertext, strict=True):
        assert (labels[y], labels[x]) == (truth, name)
        assert f"truth {truth}<br>predicted {name}<br>{3 * y + x} cases" in hover


@THEMES
def test_long_names_are_cut(theme):
    figure = confusion_matrix_figure([[1, 0], [2, 3]], ["x" * 300, "B"], theme, PLAIN)
    assert max(map(len, figure.layout.yaxis.ticktext)) < 40
