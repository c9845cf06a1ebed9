"""No answer: why, how rarely, and that it is counted on the test set."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from scoring import load_challenge
from scoring.challenges import samples
from scoring.common.findings import InputRefused, error
from scoring.inference.model_pool import Cancelled
from scoring.single_image import abstention
from scoring.single_image.abstention import (
    Withheld,
    answered,
    least_score,
    reasons,
    withheld,
    withheld_line,
)
from scoring.single_image.image_prediction import TurnedViews
from scoring.single_image.model_inputs import model_task
from scoring.single_image.quality import CAUTION, STOP, QualityBadge, measured
from scoring.single_image.similar_cases import class_set, reference
from scoring.single_image.wording import cautions, views_line
from tests.inference import builders
from tests.single_image.test_similar_cases import drawn
from tests.support.single_image import crashing_on_the_left, model

MODELS = [
    ("tricorder3", "sample", "convolutional"),
    ("tricorder3", "sample", "kmeans"),
    ("tricorder3", "sample", "palette"),
    ("melanoma", "sample", "convolutional"),
    ("melanoma", "sample", "palette"),
    ("isic", "isic2018", "kmeans"),
    ("isic", "isic2019", "kmeans"),
]


def turned(changed: int, others: int = 7) -> TurnedViews:
    return TurnedViews(np.array([[0.6, 0.4]] * (1 + others - changed) + [[0.4, 0.6]] * changed))


@pytest.mark.parametrize(
    ("views", "withheld"),
    [
        (None, False),
        (turned(0), False),
        (turned(5), False),
        (turned(6), True),
        (turned(7), True),
        (turned(0, 0), False),
    ],
)
def test_an_answer_that_nearly_every_turn_changes_is_none(views, withheld):
    found = reasons(0.6, None, views, ())
    assert bool(found) == withheld
    assert not found or "not stable" in found[0]


@pytest.mark.parametrize(
    ("scores", "official", "said"),
    [
        (6, [1] * 8, "6 of 7 (0 of 7 by the challenge's rule)"),
        (2, [1, *[0] * 7], "2 of 7 (7 of 7 by the challenge's rule)"),
        (6, [0, 0, *[1] * 6], "6 of 7"),
        (6, None, "6 of 7"),
    ],
)
def test_copies_are_counted_by_the_challenges_rule_too(scores, official, said):
    """Of logits, melanoma above 0.5, the page counted what was above 0."""
    views = replace(turned(scores), official=None if official is None else np.array(official))
    (sentence,) = reasons(0.6, None, views, ())
    assert f"{said} turned or mirrored copies of the image get a different class." in sentence
    assert f"In {said} turned or mirrored copies the model chose another class." == views_line(views)
    (caution,) = (words for words in cautions((), views) if "another class" in words)
    assert caution == f"another class in {said} turned copies"


def test_a_score_lower_than_nearly_all_of_the_test_set_is_no_answer():
    found = drawn(220)
    highest = found.probabilities.max(1)
    least = least_score(found)
    assert (highest < least).mean() == pytest.approx(0.02, abs=0.01)
    (words,) = reasons(least - 0.01, least, None, ())
    assert "less sure on this image" in words
    assert reasons(least, least, None, ()) == ()


@pytest.mark.parametrize(("cases", "known"), [(1, False), (48, False), (49, True)])
def test_few_cases_do_not_say_what_is_rare(cases, known):
    found = drawn(220)
    few = replace(found, ids=found.ids[:cases], probabilities=found.probabilities[:cases])
    assert (least_score(few) is not None) == known


def test_cautions_are_no_reason_and_stops_are():
    assert reasons(0.9, 0.2, None, (QualityBadge("size", CAUTION, "", "Coarse."),)) == ()
    assert reasons(0.9, 0.2, None, (QualityBadge("size", STOP, "", "Too small."),)) == ("Too small.",)


def test_a_model_that_fails_on_a_turned_copy_is_said_to():
    (words,) = reasons(0.9, None, None, (), "Its answer is no list of finite numbers.")
    assert "turned or mirrored" in words
    assert "finite" in words


def test_many_classes_in_the_set_are_no_reason():
    """They were, for 182 of 306 images of a sample set."""
    found = drawn(220)
    many = [row for row in found.probabilities if class_set(found, row).members.sum() > 4]
    unsure = max(many, key=max)
    assert reasons(float(unsure.max()), least_score(found), turned(0), ()) == ()


def test_the_highest_class_is_always_in_the_set():
    about = model_task("melanoma")
    found = drawn(60, about=about)
    sure = replace(found, probabilities=np.where(np.eye(2)[found.truth] == 1, 0.99, 0.01))
    near = class_set(sure, np.array([0.45, 0.55]))
    assert near.members.tolist() == [False, True]
    assert near.top_added
    assert not class_set(sure, np.array([0.005, 0.995])).top_added


class Pictures:
    def __init__(self, truth):
        self.truth, self.asked = truth, []

    def __len__(self):
        return len(self.truth)

    def picture(self, index):
        self.asked.append(index)
        return self.truth.picture(index)


@cache
def of_sample(challenge, key, name):
    entry = samples.test_sets(challenge)[key]
    truth = load_challenge(challenge).read_truth(entry.path)
    data = entry.submissions[name].path.read_bytes()
    about = model_task(challenge, load_challenge(challenge).display.single_image.categories(truth))
    return truth, data, about, load_challenge(challenge).predict(data, truth)


@pytest.mark.soak
@pytest.mark.parametrize(("challenge", "key", "name"), MODELS)
def test_no_answer_is_rare_on_every_sample_set(challenge, key, name, monkeypatch):
    monkeypatch.setattr(abstention, "TRIED", 10_000)
    truth, data, about, predictions = of_sample(challenge, key, name)
    ref = reference(about, truth, predictions)
    with model(data, about) as found:
        vectors = truth.demographics.encoded if found.takes_vector else None
        counted = withheld(found, Pictures(truth), vectors, ref, measured(truth))
    assert counted.images == len(truth)
    print(challenge, key, name, counted)
    assert 0.03 <= counted.withheld / counted.images <= 0.12


def test_it_is_counted_on_some_images_of_the_test_set(monkeypatch):
    monkeypatch.setattr(abstention, "TRIED", 12)
    truth, data, about, predictions = of_sample("melanoma", "sample", "palette")
    ref = reference(about, truth, predictions)
    said, pictures = [], Pictures(truth)
    with model(data, about) as found:
        counted = withheld(found, pictures, None, ref, None, lambda done, total: said.append((done, total)))
        with pytest.raises(Cancelled):
            withheld(found, pictures, None, ref, None, cancelled=lambda: True)
    assert counted.images == len(said) == 12
    assert counted.withheld <= 2
    assert sum(counted.because.values()) == counted.withheld
    assert said[-1] == (11, 12)
    assert max(pictures.asked) > 140


def test_images_on_which_the_model_fails_are_counted_as_without_an_answer():
    truth, data, about, predictions = of_sample("melanoma", "sample", "palette")
    outputs = predictions.outputs.copy()
    outputs[::2] = np.nan
    ref = reference(about, truth, replace(predictions, outputs=outputs))
    with model(data, about) as found:
        counted = withheld(found, Pictures(truth), None, ref, None)
    assert counted.images == 60
    assert counted.because["the model failed"] == pytest.approx(30, abs=2)


def test_every_image_without_an_answer_has_a_reason(monkeypatch):
    """ "The model answered 58 of 60", and nothing was said of the other two."""
    monkeypatch.setattr(abstention, "TRIED", 8)
    truth, data, about, predictions = of_sample("melanoma", "sample", "palette")
    ref = reference(about, truth, predictions)
    sure = replace(ref, probabilities=np.eye(2)[ref.truth])
    assert ref.highest.max() < 1
    with model(data, about) as found:
        counted = withheld(found, Pictures(truth), None, sure, None)
    assert (counted.withheld, counted.because) == (8, {"a low highest score": 8})


def test_how_often_is_a_sentence():
    tied = withheld_line(Withheld(60, 60, 9, 0, tied=True))
    assert tied.startswith("The model answered 0 of 60 test images. The other 60 got no answer. ")
    assert "answered 0 of 60 (0%; 0 to 6%) test images. The" in withheld_line(Withheld(60, 60, 9, 0))
    reasons = {"nothing like the others": 2, "the model failed": 1, "blurred": 1}
    assert withheld_line(Withheld(60, 4, 2, 42, because=reasons)) == (
        "The model answered 56 of 60 (93%; 84 to 97%) test images and was right on 42 of 56 (75%; 62 to 84%) "
        "of those. The other 4 got no answer (nothing like the others: 2; the model failed: 1; blurred: 1). "
        "The class with the highest score was the true class in 2 of 4."
    )
    assert withheld_line(Withheld(9, 0, 0, 9)).endswith(" of those.")


def test_a_model_that_ends_on_a_turned_copy_is_not_counted_as_giving_no_answer(monkeypatch):
    """Its worker is gone then, and every later image would count as one without an answer."""
    truth, data, about, predictions = of_sample("melanoma", "sample", "palette")
    ref = reference(about, truth, predictions)
    with model(data, about) as found:
        monkeypatch.setattr(abstention, "views", lambda *_: found.close() or failing())
        with pytest.raises(InputRefused, match=f"crashed on test image {ref.ids[0]}, or on its turned"):
            withheld(found, Pictures(truth), None, ref, None)


def failing():
    raise InputRefused([error("model-crashed", "the model", "It crashed.")])


def test_a_crash_says_on_which_input():
    """It was "The model crashed on an image.", whichever of the inputs it was."""
    about, bright = model_task("melanoma"), np.full((64, 64, 3), 90, np.uint8)
    bright[:, :32] = 200
    with model(crashing_on_the_left(), about) as found:
        with pytest.raises(InputRefused, match="The model crashed on this image"):
            answered(found, bright, None, None, None, ())
        (reason,) = answered(found, bright[:, ::-1], None, None, None, ()).reasons
    assert "The model crashed on a turned or mirrored copy of this image." in reason
    with (
        pytest.raises(InputRefused, match="The model crashed on a trial image of random pixels"),
        model(builders.gather_out_of_range()),
    ):
        pass
