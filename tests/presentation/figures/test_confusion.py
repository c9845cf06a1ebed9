import numpy as np
import pytest

from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix, matrix, risk_matrix
from scoring.presentation.figures.theme import DARK, LIGHT
from tests.support.figures import risks, words

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


@pytest.mark.parametrize("show", ["counts", "shares", "both"])
def test_confusion_matrix_shows_each_count_and_share_of_its_row(card, show):
    labels, counts = card.confusion_matrix["labels"], np.array(card.confusion_matrix["counts"])
    figure = confusion_matrix(counts, labels, LIGHT, risks(card), show)
    order = sorted(range(11), key=lambda i: ("malignant", "medium", "benign").index(risks(card)[labels[i]]))
    cells = {(a.y, a.x): a.text for a in figure.layout.annotations}
    for i, j in np.ndindex(11, 11):
        n, row = counts[order[i], order[j]], counts[order[i]].sum()
        expected = {
            "counts": f"<b>{n}</b>",
            "shares": f"<b>{100 * n / row:.0f}%</b>",
            "both": f"<b>{n}</b><br>{100 * n / row:.0f}%",
        }[show]
        assert cells.get((i, j)) == (expected if n else None)
        assert figure.data[0].z[i][j] == pytest.approx(n / row)
    assert [text.split()[0] for text in figure.layout.yaxis.ticktext] == [labels[i] for i in order]


def test_confusion_matrix_without_risk_groups_keeps_the_order_and_draws_no_lines(card):
    figure = confusion_matrix(card.confusion_matrix["counts"], card.confusion_matrix["labels"], LIGHT)
    assert list(figure.layout.yaxis.ticktext) == list(card.confusion_matrix["labels"])
    assert len(figure.layout.shapes) == 0


def test_lines_part_the_risk_groups(card):
    figure = confusion_matrix(
        card.confusion_matrix["counts"], card.confusion_matrix["labels"], LIGHT, risks(card)
    )
    assert sorted(shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1) == [3.5, 6.5]


@THEMES
def test_risk_matrix_outlines_malignant_called_benign(card, theme):
    groups = card.more["risk_matrix"]
    figure = risk_matrix(groups["counts"], groups["labels"], theme)
    (frame,) = figure.layout.shapes
    assert ((frame.y0 + frame.y1) / 2, (frame.x0 + frame.x1) / 2) == (0, 2)
    assert any(text.startswith(f"<b>{groups['counts'][0][2]}</b>") for text in words(figure))


def test_a_row_without_cases_is_blank_and_no_error():
    figure = matrix([[0, 0], [1, 3]], ["a", "b"], {}, MatrixStyle("Which?", 200), LIGHT).figure()
    assert words(figure) == ["<b>1</b>", "<b>3</b>"]


def test_no_harm_is_said():
    figure = risk_matrix([[5, 0, 0], [0, 5, 0], [0, 0, 5]], ["malignant", "medium", "benign"], LIGHT)
    assert [(a.y, a.x) for a in figure.layout.annotations if a.text.startswith("<b>0</b>")] == [(0, 2)]
