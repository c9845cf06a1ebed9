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
    told_apart,
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


def test_equal_means_name_no_class_alone():
    """Two opposite answers had "Highest mean: Melanoma 0.50"."""
    line = photographs_line(lesion(an_answer(0.999, 0.001, 0.0), an_answer(0.001, 0.999, 0.0)), NAMES)
    assert "No class has the highest mean alone: Melanoma and Melanocytic nevus have 0.50." in line
    assert "Highest mean" not in line
    two = photographs_line(lesion(an_answer(0.9, 0.1), an_answer(0.1, 0.9)), NAMES[:2])
    assert "All classes have the same mean: 0.50." in two


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


def test_a_change_is_the_difference_of_the_scores_that_stand_beside_it():
    """0.67 and then 0.86 stood beside "change +0.20"."""
    before, after = an_answer(0.665, 0.335), an_answer(0.8605, 0.1395)
    ordered = [
        DatedAnswer("image 1", date(2026, 3, 1), before),
        DatedAnswer("image 2", date(2026, 9, 1), after),
    ]
    line = changes_over_time(ordered, NAMES)[0]
    shown = [f"{answer.probabilities[0]:.2f}" for answer in (before, after)]
    assert f"{shown[0]} in image 1" in line
    assert f"change {float(shown[1]) - float(shown[0]):+.2f}." in line
    assert f"change {0.8605 - 0.665:+.2f}." not in line


def test_that_the_challenge_scores_each_photograph_is_only_said_of_challenges_that_do():
    """A test set of ISIC with lesions averages them, and the page said the contrary."""
    line = photographs_line(lesion(an_answer(0.6, 0.3, 0.1), an_answer(0.6, 0.3, 0.1)), NAMES)
    assert (
        "Benchside takes the mean of 2. Challenges whose cases are photographs score each on its own" in line
    )


def test_two_models():
    one, other = an_answer(0.6, 0.3, 0.1), an_answer(0.2, 0.7, 0.1)
    models = ("a.onnx", "b.onnx")
    same = models_line(one, one, NAMES, models)
    assert same == "Both models give Melanoma: a.onnx 0.60, b.onnx 0.60."
    differ = models_line(one, other, NAMES, models)
    assert differ == "The models differ: a.onnx gives Melanoma 0.60, b.onnx gives Melanocytic nevus 0.70."
    warned = models_line(one, other, NAMES, models, ["its scores are higher than its accuracy"])
    assert warned == f"{differ[:-1]}; caution about b.onnx: its scores are higher than its accuracy."
    assert banned(warned + photographs_line(lesion(one, other), NAMES)) == []


def test_two_models_that_the_challenge_decides_alike_are_said_to_be_so():
    """Two models "differ", although the challenge predicts the same class from the raw outputs of both."""
    one, other = (
        replace(an_answer(0.57, 0.43, 0.0), official=1),
        replace(an_answer(0.3, 0.7, 0.0), official=1),
    )
    line = models_line(one, other, NAMES, ("a.onnx", "b.onnx"))
    assert line.endswith(
        " By the challenge's own rule: a.onnx: Melanocytic nevus; b.onnx: Melanocytic nevus."
    )
    assert "challenge" not in models_line(replace(one, official=0), other, NAMES, ("a.onnx", "b.onnx"))
    assert "a.onnx: no class" in models_line(replace(one, official=-1), other, NAMES, ("a.onnx", "b.onnx"))


def test_two_models_never_have_one_name():
    """Two columns had the same name, and to tell others apart one had a space at its end."""
    assert told_apart("a.onnx", "b.onnx") == ("a.onnx", "b.onnx")
    assert told_apart("a.onnx", "a.onnx") == ("a.onnx (first model)", "a.onnx (second model)")
    assert told_apart("difference", "class") == ("difference (first model)", "class (second model)")
