"""Several photographs of one lesion and two models: what is said of their answers."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from scoring.single_image.abstention import ImageAnswer
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews
from scoring.single_image.side_by_side import (
    DatedAnswer,
    by_date,
    changes_over_time,
    mean_scores,
    models_line,
    photograph_cautions,
    photographs_line,
)
from tests.support.banned_words import banned

NAMES = ("Melanoma", "Melanocytic nevus", "Other")


def an_answer(*row: float) -> ImagePrediction:
    found = np.array(row)
    return ImagePrediction(np.zeros((8, 8, 3), np.uint8), None, found, "probabilities", found, None, 1.0)


def lesion(*answers: ImagePrediction, refused: int = 0) -> dict[int, ImageAnswer]:
    """Photographs by their numbers; `refused` gets no answer."""
    return {
        number: ImageAnswer(answer, None, ("This is nothing like them.",) if number == refused else ())
        for number, answer in enumerate(answers, 1)
    }


def test_a_refused_photograph_counts_in_no_mean_and_stands_in_the_headline():
    """A cat's chin beside a lesion got "Both photographs get ..." and a mean."""
    answers = lesion(an_answer(0.8, 0.2, 0.0), an_answer(0.75, 0.2, 0.05), refused=2)
    line = photographs_line(answers, NAMES)
    assert line == "Photograph 2 gets no answer: This is nothing like them. Therefore no mean is shown."
    assert mean_scores(answers) is None
    assert photograph_cautions(0, {2: answers[2]}, NAMES) == ["photograph 2 gets no answer"]


def test_a_photograph_of_another_class_stands_in_the_headline():
    answers = lesion(an_answer(0.2, 0.7, 0.1), an_answer(0.6, 0.3, 0.1))
    assert photograph_cautions(1, {2: answers[2]}, NAMES) == ["photograph 2 gets Melanoma"]
    assert photograph_cautions(0, {2: answers[2]}, NAMES) == []


def test_the_mean_counts_photographs_alike_and_is_said_to_be_made_here():
    answers = lesion(an_answer(0.6, 0.3, 0.1), an_answer(0.2, 0.7, 0.1), an_answer(0.3, 0.6, 0.1))
    assert mean_scores(answers) == pytest.approx([11 / 30, 16 / 30, 0.1])
    line = photographs_line(answers, NAMES)
    assert line.startswith(
        "The photographs get different classes: photograph 1 Melanoma, photograph 2 Melano"
    )
    assert "Highest mean: Melanocytic nevus 0.53." in line
    assert "Benchside takes the mean of 3." in line
    assert "score each on its own" in line
    assert "Both photographs get the class Melanoma." in photographs_line(
        {1: answers[1], 2: answers[1]}, NAMES
    )


def lit(light: float) -> ImagePrediction:
    return replace(an_answer(0.6, 0.3, 0.1), prepared=np.full((8, 8, 3), round(160 * light), np.uint8))


@pytest.mark.parametrize(
    ("light", "said"),
    [
        (
            0.4,
            "Light alone can change a score: photograph 2 is darker (64) than photograph 1 (bri",
        ),
        (
            1.4,
            "Light alone can change a score: photograph 2 is lighter (224) than photograph 1 (bri",
        ),
        (0.9, ""),
    ],
)
def test_a_photograph_in_other_light_is_called_darker_or_lighter(light, said):
    line = photographs_line(lesion(lit(1), lit(light)), NAMES)
    assert said in line
    assert ("Light alone" in line) == bool(said)
    assert photographs_line(lesion(lit(1), lit(light), refused=2), NAMES).count("Light alone") == bool(said)
    assert banned(line) == []


def copies(*scores: float) -> TurnedViews:
    return TurnedViews(np.array([[score, 1 - score] for score in scores]))


@pytest.mark.parametrize(
    ("earlier", "later", "said"),
    [
        (
            (0.3, 0.2, 0.4),
            (0.7, 0.6, 0.8),
            "change +0.40. This difference is larger than the effect of turning",
        ),
        ((0.3, 0.2, 0.6), (0.7, 0.5, 0.8), "change +0.40. Turned and mirrored copies differ as much"),
        (
            (0.60, 0.59, 0.61),
            (0.63, 0.62, 0.64),
            "change +0.03. This difference is too small to show a change",
        ),
        (  # -0.047, shown as the least change that counts
            (0.899, 0.88, 0.92),
            (0.852, 0.79, 0.87),
            "change -0.05. This difference is larger than the effect of turning",
        ),
    ],
)
def test_a_change_over_time_is_held_to_what_turning_the_same_picture_does(earlier, later, said):
    answers = [
        DatedAnswer("image 2", date(2026, 9, 1), an_answer(later[0], 1 - later[0]), copies(*later)),
        DatedAnswer("image 3", None, an_answer(0.9, 0.1)),
        DatedAnswer("image 1", date(2026, 3, 1), an_answer(earlier[0], 1 - earlier[0]), copies(*earlier)),
    ]
    ordered = by_date(answers)
    assert [answer.name for answer in ordered] == ["image 1", "image 2", "image 3"]
    melanoma = next(s for s in changes_over_time(ordered, NAMES) if s.startswith("Melanoma: "))
    low, high = min(earlier), max(earlier)
    assert f"{earlier[0]:.2f} ({low:.2f} to {high:.2f}) in image 1, 01 March 2026" in melanoma
    assert said in melanoma
    assert banned(melanoma) == []
    assert changes_over_time(ordered[1:], NAMES) == []


def test_that_the_challenge_scores_each_photograph_is_only_said_of_challenges_that_do():
    """A test set of ISIC with lesions averages them, and the page said the contrary."""
    line = photographs_line(lesion(an_answer(0.6, 0.3, 0.1), an_answer(0.6, 0.3, 0.1)), NAMES)
    assert (
        "Benchside takes the mean of 2. Challenges whose cases are photographs score each on its own" in line
    )


def test_two_models():
    one, other = an_answer(0.6, 0.3, 0.1), an_answer(0.2, 0.7, 0.1)
    assert models_line(one, one, NAMES) == "Both models give Melanoma: 0.60 and 0.60."
    assert models_line(one, other, NAMES) == "The models differ: Melanoma 0.60, and Melanocytic nevus 0.70."
    assert banned(models_line(one, other, NAMES) + photographs_line(lesion(one, other), NAMES)) == []
