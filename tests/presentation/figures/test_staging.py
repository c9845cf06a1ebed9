"""Figures of stages: what they draw is what they were given."""

import numpy as np
import pytest

from scoring.presentation.figures import staging
from scoring.presentation.figures.theme import DARK, LIGHT

LABELS, COUNTS, MISSING = ("T1", "T2"), [[12, 4], [0, 5]], [0, 3]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_matrix_has_counts_shares_of_the_row_and_those_without_a_prediction(theme):
    figure = staging.confusion("T", LABELS, COUNTS, MISSING, theme)
    assert figure.layout.meta["question"] == "Which T stage is taken for which?"
    assert figure.layout.xaxis.title.text
    assert list(figure.layout.xaxis.ticktext) == ["T1", "T2", "none"]
    assert np.allclose(figure.data[0].z, [[0.75, 0.25, 0], [0, 5 / 8, 3 / 8]])
    written = {(a.y, a.x): a.text for a in figure.layout.annotations}
    assert written == {(0, 0): "<b>12</b>", (0, 1): "<b>4</b>", (1, 1): "<b>5</b>", (1, 2): "<b>3</b>"}


def test_stages_of_few_patients_have_a_star_and_an_empty_one_no_share():
    figure = staging.confusion("N", ("N0", "N1", "N2"), [[15, 0, 0], [0, 14, 0], [0, 0, 0]], [0, 0, 0], LIGHT)
    rows = list(figure.layout.yaxis.ticktext)
    assert "15*" not in rows[0]
    assert "14*" in rows[1]
    assert not np.any(figure.data[0].z[2])
