"""Model card: shares by counting, and a model of chance that is said to be one."""

import re
from dataclasses import replace

import numpy as np
import pytest

from scoring.challenges.melanoma.measures import predicted_positive
from scoring.single_image.image_prediction import asked
from scoring.single_image.model_card import card_line, entries, model_card
from scoring.single_image.model_inputs import model_task
from scoring.single_image.similar_cases import FailedCases, reference, right_alike
from scoring.single_image.wording import cautions, headline, right_line
from scoring.statistics.intervals import counted
from tests.single_image.test_similar_cases import Cases, Outputs, drawn, failing
from tests.support.banned_words import banned
from tests.support.single_image import constant, model, times

TASK, MELANOMA = model_task("tricorder3"), model_task("melanoma")


def test_shares_are_those_of_counting():
    found = drawn()
    card = model_card(found, TASK.malignant)
    tops = [int(row.argmax()) for row in found.probabilities]
    pairs = list(zip(found.truth.tolist(), tops, strict=True))
    bad = set(np.flatnonzero(TASK.malignant).tolist())
    assert card.right == counted(sum(t == a for t, a in pairs), 220)
    assert card.sensitivity == counted(
        sum(t in bad and a in bad for t, a in pairs), sum(t in bad for t, _ in pairs)
    )
    assert card.specificity == counted(
        sum(t not in bad and a not in bad for t, a in pairs), sum(t not in bad for t, _ in pairs)
    )
    for k in range(11):
        assert card.found[k] == counted(pairs.count((k, k)), 20)
        assert card.confirmed[k] == counted(pairs.count((k, k)), tops.count(k))
    assert not card.no_better


def test_images_on_which_the_model_fails_count_as_not_right():
    """A model without a number for 18 of 120 images was "right on 70 of 101"; the 18 were not named."""
    bad, known = list(range(0, 220, 10)), drawn()
    found, positive = failing(220, bad), TASK.malignant[known.truth]
    card = model_card(found, TASK.malignant, {"skin_tone": ["dark", "light"] * 110})
    assert card.outputs.failed == 22
    assert card.right == counted(int(found.right.sum()), 220)
    assert (card.sensitivity.n, card.specificity.n) == (positive.sum(), (~positive).sum())
    assert [share.n for share in card.found] == [20] * 11
    assert sum(share.n for share in card.confirmed) == 198
    assert card.commonest[1] == 1 / 11
    assert [share.n for share in card.by_tone.values()] == [110, 110]
    line = card_line(card, TASK.names)
    assert "The model gave no valid output for 22 of these images: these images count as wrong." in line
    assert "no valid output" not in card_line(model_card(known, TASK.malignant), TASK.names)


@pytest.mark.parametrize("column", ["skin_tone", "fitzpatrick_skin_type", "monk_scale"])
def test_right_answers_are_counted_by_skin_tone_where_it_is_known(column):
    found = drawn()
    tones = ["", "dark", "light"] * 74
    card = model_card(found, TASK.malignant, {"age": tones, column: tones[: len(found)]})
    right = found.probabilities.argmax(1) == found.truth
    assert list(card.by_tone) == ["dark", "light"]
    for k, tone in enumerate(("dark", "light"), 1):
        assert card.by_tone[tone] == counted(int(right[k::3].sum()), len(right[k::3]))
    left_out = len(tones[: len(found) : 3])
    assert card.without_tone == left_out
    assert f"; {left_out} images without a skin tone are left out." in card.tone_line
    assert model_card(found, TASK.malignant, {"skin": tones[: len(found)]}).by_tone == {}
    assert model_card(found, TASK.malignant).by_tone == {}


def test_a_worthless_model_is_cautioned_of_in_the_headline():
    """Only small grey text said that a model answers the same for every image, or guesses."""
    found = drawn()
    same = replace(found, probabilities=np.tile(found.probabilities[0], (len(found), 1)))
    assert model_card(same, TASK.malignant).cautions == [
        "the model gives nearly the same scores for every test image"
    ]
    guesses = replace(found, probabilities=np.roll(found.probabilities, 7, axis=0)[::-1])
    assert model_card(replace(guesses, truth=np.roll(found.truth, 3)), TASK.malignant).no_better
    assert model_card(found, TASK.malignant).cautions == []


def test_a_model_of_chance_is_said_to_be_no_better():
    """Its headline was 1.00, and nothing on the page said how good it is."""
    found = drawn()
    sure = np.eye(11)[np.random.default_rng(0).integers(0, 11, 220)]
    card = model_card(replace(found, probabilities=sure), TASK.malignant)
    assert card.no_better
    assert card.cautions == [
        "the model may not be better than a model that always predicts one class",
        "the model misses most malignant test images (51 of 80)",
        "the model's scores are higher than its accuracy",
    ]
    assert "would be right on 9% of the images: this model may not be better" in card_line(card, TASK.names)


def test_scores_that_are_higher_than_the_accuracy_are_told_with_both_figures():
    """A model that was right on 71 % gave 0.99 to nearly every image, and only single images hinted at it."""
    found = drawn()
    mostly = np.where(np.arange(220) < 156, found.truth, (found.truth + 1) % 11)
    sure = replace(found, probabilities=0.989 * np.eye(11)[mostly] + 0.001)
    card = model_card(sure, TASK.malignant)
    assert card.cautions == ["the model's scores are higher than its accuracy"]
    line = card_line(card, TASK.names)
    assert (
        "The model's scores are higher than its accuracy: the mean highest score is 0.99, but the model is "
        f"right on {counted(156, 220)} test images with a valid output."
    ) in line
    for score in (0.71, 0.74):
        modest = (1 - score) / 10 + (score - (1 - score) / 10) * np.eye(11)[mostly]
        assert not model_card(replace(sure, probabilities=modest), TASK.malignant).outputs.overconfident


def test_a_model_below_the_share_of_the_commonest_class_is_said_to_be_worse():
    """Right on 77 of 149 (44 to 60 %), it "may not be better" than 70 %."""
    found = drawn()
    truth = np.where(np.arange(220) < 150, 0, found.truth)
    card = model_card(replace(found, truth=truth, probabilities=np.eye(11)[(truth + 1) % 11]), TASK.malignant)
    assert "this model is worse." in card_line(card, TASK.names)
    assert card.cautions == [
        "on the test set the model is right less often than a model that always predicts one class",
        "the model misses most malignant test images (20 of 26)",
        "the model calls most other test images malignant",
        "the model's scores are higher than its accuracy",
    ]


def test_a_model_that_tells_malignant_cases_from_others_is_not_at_chance():
    """Sensitivity 27 of 40 and specificity 61 of 79 were called "no better than chance"."""
    benign, malignant = int(TASK.malignant.argmin()), int(TASK.malignant.argmax())
    truth = np.where(np.arange(119) < 40, malignant, benign)
    right = np.isin(np.arange(119), [*range(27), *range(40, 101)])
    answers = np.where(right, truth, malignant + benign - truth)
    card = model_card(replace(drawn(119), truth=truth, probabilities=np.eye(11)[answers]), TASK.malignant)
    assert (str(card.sensitivity)[:8], str(card.specificity)[:8]) == ("27 of 40", "61 of 79")
    assert card.no_better
    assert card.cautions == ["the model's scores are higher than its accuracy"]


def test_a_model_that_misses_most_malignant_images_is_cautioned_of_in_the_headline():
    """A model that missed 29 of 40 melanomas said "another lesion 0.82" without any "but"."""
    benign, malignant = int(TASK.malignant.argmin()), int(TASK.malignant.argmax())
    truth = np.where(np.arange(120) < 40, malignant, benign)

    def card_of(found: int, cleared: int, failed: int = 0):
        right = np.isin(np.arange(120), [*range(found), *range(40, 40 + cleared)])
        rows = 0.5 * np.eye(11)[np.where(right, truth, malignant + benign - truth)] + 0.5 / 11
        known = replace(drawn(120), truth=truth, probabilities=rows)
        left = FailedCases(np.arange(failed) + 120, np.full(failed, benign), np.arange(failed) + 120)
        return model_card(replace(known, failed=left), TASK.malignant)

    misses, calls = (
        "the model misses most malignant test images (29 of 40)",
        "the model calls most other test images malignant",
    )
    assert card_of(11, 78).cautions == [misses]
    assert card_of(17, 78).cautions == []  # the upper limit of 17 of 40 is above a half
    assert calls in card_of(40, 8).cautions
    assert calls not in card_of(40, 80, 200).cautions  # without a valid output, nothing was called malignant
    always = replace(drawn(120), truth=truth, probabilities=np.tile(np.eye(11)[benign], (120, 1)))
    assert model_card(always, TASK.malignant).cautions == [
        "the model gives nearly the same scores for every test image"
    ]


@pytest.mark.parametrize(("cases", "known"), [(0, False), (1, True)])
def test_of_few_cases_little_is_said(cases, known):
    card = model_card(drawn(cases), np.zeros(11, bool))
    assert (card is not None) == known
    if card is not None:
        assert (card.sensitivity, card.specificity) == (None, None)
        assert "malignant" not in card_line(card, TASK.names)


def test_what_the_file_says_is_cut_short():
    told = entries({"trained_on": "x" * 999, "about": " ", **{f"k{n:02}": "v" for n in range(20)}})
    assert len(told) == 12
    assert all(len(value) <= 300 for _, value in told)
    assert "about" not in dict(told)


def test_a_model_that_always_says_the_commonest_class_is_not_said_to_be_perhaps_no_better():
    """Of a constant model: "would be right on 70%: this model may not be better"."""
    found = drawn()
    truth = np.where(np.arange(220) < 150, 0, found.truth)
    always = replace(found, truth=truth, probabilities=np.tile(np.eye(11)[0], (220, 1)))
    line = card_line(model_card(always, TASK.malignant), TASK.names)
    assert re.search(
        r"A model that always predicts (.+) would be right on \d+% of the images: this model "
        r"always predicts \1\.",
        line,
    )


def of_melanoma(outputs):
    """Scores of 60 melanomas and 60 other lesions."""
    labels = np.arange(120) % 2
    cases = Cases(tuple(f"c{i}" for i in range(120)), labels)
    return reference(MELANOMA, cases, Outputs(np.asarray(outputs, float)[:, None]))


def test_the_challenges_decision_on_logits_stands_in_card_and_headline():
    """Of logits the page said "melanoma 0.57", right on 66 of 120; the challenge decides by the raw value."""
    outputs = np.where(np.arange(120) % 3, 0.275, -2.0) + np.where(np.arange(120) % 10, 0, 1.5)
    found = of_melanoma(outputs)
    official = predicted_positive(outputs[:, None])
    assert found.kind == "logits"
    assert (official != found.probabilities.argmax(1)).any()
    card = model_card(found, MELANOMA.malignant)
    right = counted(int((official == found.truth).sum()), 120)
    called = counted(int(official[1::2].sum()), 60), counted(int((1 - official[::2]).sum()), 60)
    assert (card.official.right, card.official.sensitivity, card.official.specificity) == (right, *called)
    line = card_line(card, MELANOMA.names)
    assert (
        "The challenge itself predicts melanoma only if the raw output is above 0.5. By this rule the model "
        f"is right on {right} images, with a malignant class for {called[0]} malignant cases and no "
        f"malignant class for {called[1]} other cases." in line
    )
    assert banned(line) == []
    with model(times(constant(1), 0.275), MELANOMA) as opened:
        one = asked(opened, np.zeros((64, 64, 3), np.uint8), None, found)
    assert (one.top, one.official) == (1, 0)
    other = "the challenge predicts another lesion (melanoma only if the raw output is above 0.5)"
    assert other in headline(one, MELANOMA.names, cautions((), None, card, one))
    with model(times(constant(1), 1.5), MELANOMA) as opened:
        one = asked(opened, np.zeros((64, 64, 3), np.uint8), None, found)
    general = "the challenge decides by the raw output (melanoma only if the raw output is above 0.5)"
    assert general in cautions((), None, card, one)


def test_where_the_challenge_decides_alike_nothing_is_said_of_it():
    risks = of_melanoma(np.linspace(0, 1, 120))
    logits = replace(drawn(), kind="logits")
    for found, task in ((risks, MELANOMA), (logits, TASK)):
        card = model_card(found, task.malignant)
        assert card.official is None
        assert "challenge" not in card_line(card, task.names)
    with model(times(constant(1), 0.6), MELANOMA) as opened:
        one = asked(opened, np.zeros((64, 64, 3), np.uint8), None, risks)
    assert (one.official, one.official_caution) == (1, "")


def test_a_tie_that_isic_leaves_undecided_counts_as_not_right():
    task = model_task("isic", ("MEL", "NV", "BCC"))
    rows = np.array([[0.4, 0.4, 0.2], [0.2, 0.5, 0.3]] * 20)
    found = reference(task, Cases(tuple(f"c{i}" for i in range(40)), np.arange(40) % 2), Outputs(rows))
    card = model_card(found, task.malignant)
    assert (card.right.hits, card.official.right.hits) == (40, 20)
    assert "predicts a class only if it alone has the highest output" in card_line(card, task.names)
    assert model_card(replace(found, refused="x"), task.malignant).official is None
    assert card.outputs.tied == 20


def test_ties_are_no_predictions_where_the_challenge_predicts_no_class_and_are_counted_elsewhere():
    """Of 108 images "when the model predicted melanocytic nevus", 58 had two classes with the same score."""
    rows = np.array([[0.4, 0.4, 0.2], [0.5, 0.2, 0.3], [0.2, 0.4, 0.4]] * 20)
    cases, outputs = Cases(tuple(f"c{i}" for i in range(60)), np.arange(60) % 2), Outputs(rows)
    task = model_task("isic", ("MEL", "NV", "BCC"))
    for k, of_class, left_out in ((0, (10, 20), 20), (1, (0, 0), 40)):
        found = reference(task, cases, outputs)
        right = right_alike(found, np.eye(3)[k])
        assert (right.of_class.hits, right.of_class.n, right.tied, right.left_out) == (*of_class, 0, left_out)
        line = right_line(right, found, task.names[k])
        assert f"{left_out} images on which several classes, among them {task.names[k]}, share the" in line
    first = reference(replace(task, official=TASK.official), cases, outputs)  # TRICORDER-3: the first class
    right = right_alike(first, np.eye(3)[0])
    assert (right.of_class.hits, right.of_class.n, right.tied, right.left_out) == (20, 40, 20, 0)
    assert "In 20 of these 40, another class has the same highest score." in right_line(right, first, "MEL")


def test_cautions_say_by_which_rule_most_test_images_are_called_wrong():
    """The headline of a model of percent warned of missed melanomas, although the challenge misses none and
    calls every other image a melanoma; the card compared the wrong rule with a model that never varies."""
    found = of_melanoma(np.where(np.arange(120) % 2 * (np.arange(120) % 8 < 2), 60.0, 10.0))
    card = model_card(found, MELANOMA.malignant)
    assert (card.official.specificity.hits, card.sensitivity.hits) == (0, 15)
    assert card.cautions[-3:-1] == [
        "the model by its highest score misses most malignant test images (45 of 60)",
        "the model by the challenge's rule calls most other test images malignant",
    ]
    assert card_line(card, MELANOMA.names).endswith(card.official.line)


def test_a_fault_by_both_rules_is_named_once_by_the_challenges_rule():
    """The headline said "by its highest score misses most (31 of 40)" and then "by the challenge's rule
    misses most (33 of 40)"."""
    outputs = np.where(np.arange(120) % 2, -2.0, -1.0)
    outputs[1:60:4], outputs[61:80:4] = 2.0, 0.2
    card = model_card(of_melanoma(outputs), MELANOMA.malignant)
    assert (card.sensitivity.hits, card.official.sensitivity.hits) == (20, 15)
    assert [words for words in card.cautions if "misses" in words] == [
        "the model by the challenge's rule misses most malignant test images (45 of 60)"
    ]
    both = card_line(card, MELANOMA.names)
    assert str(card.sensitivity) in both
    assert str(card.official.sensitivity) in both
