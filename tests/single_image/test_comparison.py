"""Several photographs of one lesion and two models: what is said of their answers."""

import numpy as np
import pytest

from scoring.single_image.comparison import mean_scores, models_line, photographs_line
from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.wording import banned

NAMES = ("Melanoma", "Melanocytic nevus", "Other")


def an_answer(*row: float) -> ImagePrediction:
    found = np.array(row)
    return ImagePrediction(np.zeros((8, 8, 3), np.uint8), None, found, "probabilities", found, None, 1.0)


def test_the_mean_counts_photographs_alike_and_is_said_to_be_made_here():
    answers = [an_answer(0.6, 0.3, 0.1), an_answer(0.2, 0.7, 0.1), an_answer(0.3, 0.6, 0.1)]
    assert mean_scores(answers) == pytest.approx([11 / 30, 16 / 30, 0.1])
    line = photographs_line(answers, NAMES)
    assert line.startswith(
        "The photographs get different classes: photograph 1 Melanoma, photograph 2 Melano"
    )
    assert "Highest mean: Melanocytic nevus 0.53." in line
    assert "the challenge scores each photograph on its own" in line
    assert "Both photographs get Melanoma." in photographs_line(answers[:1] * 2, NAMES)


def test_two_models():
    one, other = an_answer(0.6, 0.3, 0.1), an_answer(0.2, 0.7, 0.1)
    assert models_line(one, one, NAMES) == "Both models give Melanoma: 0.60 and 0.60."
    assert models_line(one, other, NAMES) == "The models differ: Melanoma 0.60, and Melanocytic nevus 0.70."
    assert banned(models_line(one, other, NAMES) + photographs_line([one, other], NAMES)) == []
