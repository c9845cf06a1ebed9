"""What holds for each kind of figure of a classifier."""

import numpy as np
import pytest

from scoring.presentation.figures.calibration import reliability
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.curves import Curve, class_panel
from scoring.presentation.figures.intervals import IntervalRow, intervals, slice_rows
from scoring.presentation.figures.model_outputs import Sweep, output_bars, setting_dots, sweep_lines
from scoring.presentation.figures.score_points import ScorePart, points_lost, score_strip
from tests.presentation.figures import (
    test_comparison,
    test_detection,
    test_masks,
    test_survival,
    test_thresholds,
)
from tests.support.figures import HOSTILE, THEMES, risks


def every_figure(card, theme):
    """One of each builder, from a card."""
    labels, known, outputs = card.confusion_matrix["labels"], risks(card), card.arrays["outputs"]
    grid, low, high = (card.arrays[f"roc_{k}"] for k in ("grid", "low", "high"))
    bins = [card.arrays[f"reliability_{k}"] for k in ("predicted", "observed", "low", "high", "n")]
    yield score_strip(
        [ScorePart("accuracy", "acc.", 45, 0.8), ScorePart("weighted F1", "wF1", 45, None)],
        theme,
        [100 * v for v in card.intervals["score"]],
        100 * card.more["best_possible_score"],
    )
    yield points_lost(card.per_class, theme)
    style = MatrixStyle("Which classes are confused?", is_grouped=True, is_clickable=True)
    yield confusion_matrix_figure(card.confusion_matrix["counts"], labels, theme, style, known)
    band = (grid, low[7], high[7])
    roc = Curve("MEL", grid, card.arrays["roc_sensitivity"][7], risk="malignant", band=band)
    yield class_panel(roc, theme)
    yield class_panel(Curve("MEL", grid, card.arrays["pr_precision"][7], risk="malignant"), theme, 0.13)
    yield reliability(*bins, theme)
    yield intervals(slice_rows(card.more["slices"], "accuracy"), theme, "Which patients?", "accuracy")
    yield output_bars(outputs[0], labels, theme, known, "NV")
    ages = Sweep([20, 50, 80], outputs[:3], labels, 50, known)
    yield sweep_lines(ages, theme, "Another age?", "age in years")
    yield setting_dots(
        Sweep(["male", "female"], outputs[:2], labels, "male", known), theme, "Another gender?"
    )


def of_strangers(theme):
    """One of each builder that writes names of files or of teams, with such a name."""
    entry = {"support": 3, "f1": 0.5, "score_worth": 0.5, "score_lost": 0.25}
    yield confusion_matrix_figure([[2, 1], [0, 3]], [HOSTILE, "b"], theme, MatrixStyle("Which?"))
    yield points_lost({HOSTILE: entry, "b": entry}, theme)
    yield output_bars([0.1, 0.9], [HOSTILE, "b"], theme)
    yield intervals([IntervalRow(HOSTILE, 1.0, (0, 2), 20, HOSTILE)], theme, "Who?", "points")
    yield sweep_lines(Sweep([1, 2], np.eye(2), [HOSTILE, "b"]), theme, "What?", "x")
    yield setting_dots(Sweep([HOSTILE, "f"], np.eye(2), [HOSTILE, "b"]), theme, "What?")
    yield score_strip([ScorePart(HOSTILE, HOSTILE, 100, 0.5)], theme)


GALLERIES = (
    *(of_strangers, test_comparison.every, test_detection.every, test_masks.every, test_survival.every),
    test_thresholds.every,
)


@THEMES
@pytest.mark.parametrize("draw", GALLERIES, ids=lambda draw: draw.__module__.rpartition("_")[2])
def test_every_figure_asks_its_question_and_takes_names_as_text(draw, theme):
    """Except in `customdata`, which answers clicks and is never drawn."""
    drawn = list(draw(theme))
    assert any("&lt;a href" in figure.to_json().replace("\\u003c", "<") for figure in drawn)
    for figure in drawn:
        assert figure.layout.meta["question"].endswith("?")
        assert figure.layout.title.text is None
        assert figure.layout.xaxis.title.text or figure.layout.xaxis.ticktext or figure.layout.ternary.sum
        figure.update_traces(customdata=None)
        assert "<a " not in figure.to_json().replace("\\u003c", "<")


@THEMES
def test_every_figure_of_a_card_asks_its_question_and_has_room(card, theme):
    for figure in every_figure(card, theme):
        assert figure.layout.meta["question"].endswith("?")
        assert figure.layout.height >= 100
        assert figure.layout.title.text is None
